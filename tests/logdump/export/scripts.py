"""EXPORT SQL of a trail, and the same with an oracle that makes each statement by itself of decoded values."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from logdump.display.sql import script
from tests.logdump.line import Line
from tests.oracles import script_by_change, statement_by_change

_AND_MORE = ", as of some after it"
"""Whether it is said of a change that a filter cannot decide depends on how far a batch goes beyond damage."""
DIRECTIONS = ("", "undo")
EITHER = pytest.mark.parametrize("direction", DIRECTIONS, ids=["redo", "undo"])
Written = tuple[bytes | None, list[str], list[str], int]
"""The script, what is told, the failures, and where the session stands then."""


def written(path: Path, words: str, before: str, *, by_columns: bool) -> Written:
    """Export a trail; NOTIFY reports often."""
    line = Line()
    line.session.open(path)
    line(f"notify 3; {before}")
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory() as folder:
        if not by_columns:
            patched.setattr(script.SqlScript, "parts", script_by_change.parts)
            patched.setattr(script, "statements_of", statement_by_change.statements_of)
        told = line(f"export sql to {folder}/out {words}")
        target = Path(folder) / "out"
        lines = target.read_bytes() if target.exists() else None
    position = line.session.cursor.next
    failures = [str(failure).replace(folder, "") for failure in line.failures]
    line.session.close()
    told = [text.replace(folder, "").replace(_AND_MORE, "") for text in told]
    return lines, told, failures, position


def check(path: Path, words: str, before: str = "") -> str:
    """Export both ways; returns the script."""
    one_by_one = written(path, words, before, by_columns=False)
    assert written(path, words, before, by_columns=True) == one_by_one
    return (one_by_one[0] or b"").decode()
