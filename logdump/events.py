"""What commands yield: things that happened, for a renderer to put into words."""

from __future__ import annotations

from typing import NamedTuple

from logdump.counting import Count
from logdump.exit_status import ExitStatus
from trailformat import DatabaseDefinition, Record, TableDefinition, TableEntry


class Text(NamedTuple):
    """Lines that a command says in its own words."""

    lines: tuple[str, ...]


class RecordShown(NamedTuple):
    """A record to be displayed, with what its file says about it.

    ``definition`` is the decoded DDR or TDR of a metadata record (None: none, or it does not decode); ``vendor`` the
    database of the file header.
    """

    record: Record
    table: TableEntry | None = None
    definition: DatabaseDefinition | TableDefinition | None = None
    vendor: str = ""


class CountShown(NamedTuple):
    """The result of COUNT; with ``detail`` the tables one by one."""

    path: str
    counted: Count
    detail: bool


class Notice(NamedTuple):
    """Something that is wrong with what was shown: narration, not data."""

    lines: tuple[str, ...]
    status: ExitStatus = ExitStatus.BAD_DATA


class Failure(NamedTuple):
    """A command that could not be carried out."""

    lines: tuple[str, ...]
    status: ExitStatus = ExitStatus.COMMAND_FAILED


Event = Text | RecordShown | CountShown | Notice | Failure


def say(*lines: str) -> Text:
    """A Text of these lines."""
    return Text(lines)
