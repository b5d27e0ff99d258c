"""SQL statements that changes give, and the event that shows one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat import Change


class Statement(NamedTuple):
    """SQL without what ends it, or the reason why there is none; ``elsewhere`` is its file where that is not open."""

    change: Change
    sql: str | None
    reason: str | None = None
    ending: str = ";"
    elsewhere: Path | None = None


class StatementShown(NamedTuple):
    """The SQL that repeats a change, or takes it back."""

    statement: Statement
    takes_back: bool


class ScriptPart(NamedTuple):
    """Many lines of a script, made together by columns: UTF-8, each line ended by a line feed."""

    data: bytes
