"""SQL of changes: what repeats one, what takes it back, in the dialects of the databases. Nothing here runs any."""

from __future__ import annotations

from logdump.render.sql.dialect import Dialect, Unwritable
from logdump.render.sql.dialects import DIALECTS, dialect_of
from logdump.render.sql.script import Closing, NotRun, Opening, Skipped, SqlScript, WalkReached
from logdump.render.sql.script_text import item_lines, script_lines, statement_lines
from logdump.render.sql.script_walk import ScriptReach
from logdump.render.sql.statement import redo, undo
from logdump.session.statements import Statement

__all__ = [
    "DIALECTS",
    "Closing",
    "Dialect",
    "NotRun",
    "Opening",
    "ScriptReach",
    "Skipped",
    "SqlScript",
    "Statement",
    "Unwritable",
    "WalkReached",
    "dialect_of",
    "item_lines",
    "redo",
    "script_lines",
    "statement_lines",
    "undo",
]
