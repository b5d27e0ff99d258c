"""SQL of changes: statements that repeat or undo them, in the dialects of the databases. None is run here."""

from __future__ import annotations

from logdump.display.sql.dialects import DIALECTS, Dialect, Unwritable, dialect_of
from logdump.display.sql.script import Closing, NotRun, Opening, SkippedTransaction, SqlScript, WalkProgress
from logdump.display.sql.script_text import item_lines, script_lines, statement_lines
from logdump.display.sql.script_walk import ScriptReach
from logdump.display.sql.statement import redo, undo
from logdump.session.events import Statement

__all__ = [
    "DIALECTS",
    "Closing",
    "Dialect",
    "NotRun",
    "Opening",
    "ScriptReach",
    "SkippedTransaction",
    "SqlScript",
    "Statement",
    "Unwritable",
    "WalkProgress",
    "dialect_of",
    "item_lines",
    "redo",
    "script_lines",
    "statement_lines",
    "undo",
]
