"""EXPORT SQL of large files goes by columns: byte for byte what it writes statement by statement."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fixtures import TRAILS
from logdump.operations.export import exporting
from tests.logdump.line import Line

blocks = pytest.importorskip("logdump.operations.export.sql_blocks", reason="exports by columns need pyarrow and numba")

FILES = sorted(path for path in TRAILS.iterdir() if path.suffix != ".md")
Written = tuple[bytes | None, list[str], list[str], int]
"""The script, what is told, the failures, and where the session stands then."""


def _written(path: Path, words: str, before: str, *, by_columns: bool, most_bytes: int) -> Written:
    """Export a trail; NOTIFY reports often."""
    line = Line()
    line.session.open(path)
    line(f"notify 3; {before}")
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory() as folder:
        patched.setattr(exporting, "_MANY_BYTES", 0 if by_columns else 1 << 40)
        patched.setattr(exporting, "_MANY_RECORDS", 0)
        patched.setattr(blocks, "_MOST_BYTES", most_bytes)
        told = line(f"export sql to {folder}/out {words}")
        target = Path(folder) / "out"
        script = target.read_bytes() if target.exists() else None
    position = line.session.cursor.next
    failures = [str(failure).replace(folder, "") for failure in line.failures]
    line.session.close()
    return script, [text.replace(folder, "") for text in told], failures, position


def _check(path: Path, words: str, before: str = "", most_bytes: int = 1 << 20) -> bytes:
    """Export both ways; returns the script."""
    one_by_one = _written(path, words, before, by_columns=False, most_bytes=most_bytes)
    assert _written(path, words, before, by_columns=True, most_bytes=most_bytes) == one_by_one
    return one_by_one[0] or b""


@pytest.mark.parametrize("words", ["", "undo"])
@pytest.mark.parametrize("trail", FILES, ids=lambda path: path.name)
def test_every_trail_comes_to_the_same_bytes(trail: Path, words: str) -> None:
    _check(trail, words)
