"""SQL of changes: what repeats one, what takes it back, in the dialects of the databases. Nothing here runs any."""

from __future__ import annotations

from logdump.statements.dialect import Dialect, Unwritable
from logdump.statements.dialects import DIALECTS, dialect_of
from logdump.statements.script import Closing, NotRun, Opening, Script, Skipped
from logdump.statements.script_text import script_lines, statement_lines
from logdump.statements.statement import Statement, redo, undo

__all__ = [
    "DIALECTS",
    "Closing",
    "Dialect",
    "NotRun",
    "Opening",
    "Script",
    "Skipped",
    "Statement",
    "Unwritable",
    "dialect_of",
    "redo",
    "script_lines",
    "statement_lines",
    "undo",
]
