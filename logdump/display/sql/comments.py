"""Comments in a script, and those that replace a statement.

-- RBA 2302 UPDATE TEAHOUSE.TEAS: the trail has no before image of PRICE

A comment is one printable line: no byte of a trail can end it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from logdump.notation.escape import escape


class Refusal(NamedTuple):
    """A change in a block that has no statement: the number of its first row, its RBA, what it is, and the reason."""

    row: int
    rba: int
    op: str
    table: str
    reason: str


def comment(text: str) -> str:
    """A line that no client takes for anything else; SQL*Plus joins the next line to one that ends with a hyphen."""
    return f"-- {escape(text)}{'.' if text.endswith('-') else ''}"


def as_comment(line: str) -> str:
    """A line of a statement that is not to be run; a comment stays one."""
    return comment(line.removeprefix("-- "))


def refusal_comment(rba: int, op: str, table: str, reason: str | None, elsewhere: Path | None) -> str:
    """The comment in place of a statement; ``elsewhere`` is the file where that is not the open one."""
    where = f" of {elsewhere}" if elsewhere is not None else ""
    return comment(f"RBA {rba}{where} {op} {table}: {reason}")
