"""The statements that REDO and UNDO make of a whole trail."""

from __future__ import annotations

from pathlib import Path

from logdump.display.sql import DIALECTS, SqlScript, Statement
from trailformat import TrailFile


def script_of(path: Path, dialect: str, *, takes_back: bool = False) -> list[str]:
    """The statements, none of which may be missing."""
    with TrailFile(path) as trail:
        script = SqlScript(trail, DIALECTS[dialect], takes_back=takes_back)
        statements = [item for item in script.items(0) if isinstance(item, Statement)]
    lacking = {statement.reason for statement in statements if statement.sql is None}
    assert lacking <= {"no column is changed"}
    return [statement.sql for statement in statements if statement.sql is not None]
