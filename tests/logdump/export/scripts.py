"""EXPORT SQL of a trail by columns and statement by statement: both come to the same."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from logdump.operations.export import columns_pay
from tests.logdump.line import Line

EITHER = pytest.mark.parametrize("direction", ["", "undo"], ids=["redo", "undo"])
Written = tuple[bytes | None, list[str], list[str], int]
"""The script, what is told, the failures, and where the session stands then."""


def written(path: Path, words: str, before: str, *, by_columns: bool) -> Written:
    """Export a trail; NOTIFY reports often."""
    line = Line()
    line.session.open(path)
    line(f"notify 3; {before}")
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory() as folder:
        patched.setattr(columns_pay, "_MANY_BYTES", 0 if by_columns else 1 << 40)
        patched.setattr(columns_pay, "_MANY_TRANSACTIONS", 0)
        told = line(f"export sql to {folder}/out {words}")
        target = Path(folder) / "out"
        script = target.read_bytes() if target.exists() else None
    position = line.session.cursor.next
    failures = [str(failure).replace(folder, "") for failure in line.failures]
    line.session.close()
    return script, [text.replace(folder, "") for text in told], failures, position


def check(path: Path, words: str, before: str = "") -> str:
    """Export both ways; returns the script."""
    one_by_one = written(path, words, before, by_columns=False)
    assert written(path, words, before, by_columns=True) == one_by_one
    return (one_by_one[0] or b"").decode()
