"""LIST and FOLLOW: records as one short line each, and as they come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from logdump.commands.records.first_match import show_record
from logdump.display.record_row import RecordRows
from logdump.features.list.follow import Follower
from logdump.features.list.model import RecordListed
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword, Sequence
from logdump.language.parameters import Number, OneOf, Word
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.scan import DamagePassed, over_damage
from logdump.session.session import Session
from logdump.session.settings import Across
from trailformat import Record, TrailFile

_SCREENFUL = 20
_MOST_SECONDS = 24 * 60 * 60

ShowRecord = Callable[[Session, Record], Iterator[Event]]
"""Makes the events of a record that was just read."""


class Lister:
    """Makes the lines of records: of one file at a time, whose definitions and transactions are known by then.

    Args:
        columns: names, in capitals, of those to be shown; None: those of the key, and what changed.
    """

    def __init__(self, columns: frozenset[str] | None = None) -> None:
        self._columns = columns
        self._made: tuple[TrailFile, RecordRows] | None = None

    def __call__(self, session: Session, record: Record) -> Iterator[Event]:
        """The line of a record that was just read."""
        trail = session.trail
        if self._made is None or self._made[0] is not trail:
            self._made = trail, RecordRows(trail, session.row_definitions, session.cursor.transactions)
        has_file = session.settings.across is not Across.OFF
        row = self._made[1].of(record)
        if self._columns is not None:
            row = row._replace(columns=tuple(one for one in row.columns if one.name.upper() in self._columns))
        yield RecordListed(trail.path, row, has_file)


class ListOptions(NamedTuple):
    """How many records LIST shows, and which columns of them."""

    most: int = _SCREENFUL
    columns: frozenset[str] | None = None


def run_list(session: Session, options: ListOptions) -> Iterator[Event]:
    """List the next records that pass the filter, in the read direction; over damage it goes on."""
    done, lister = 0, Lister(options.columns)
    with closing(over_damage(session)) as items:
        for item in items:
            if isinstance(item, DamagePassed):
                if item.good is None:
                    raise item.error
                yield Notice((item.text,))
            elif isinstance(item, Record):
                yield from lister(session, item)
                done += 1
                if done == options.most:
                    return
            else:
                yield item
    yield from _not_there(session, options, is_empty=not done)


def _not_there(session: Session, options: ListOptions, *, is_empty: bool) -> Iterator[Event]:
    """What the filter, where nothing has passed it, and COLUMNS name and the trail does not define."""
    from logdump.session.defined_names import undefined_column, undefined_names  # noqa: PLC0415 - for a slip alone

    if is_empty:
        yield from undefined_names(session)
    for column in sorted(options.columns or ()):
        if (undefined := undefined_column(session, column)) is not None:
            yield Notice((undefined,), ExitStatus.OK)


class FollowOptions(NamedTuple):
    """How FOLLOW shows records, how often it looks, and after how many seconds without any it ends."""

    lists: bool = False
    every: int = 1
    idle: int | None = None


def run_follow(session: Session, options: FollowOptions) -> Iterator[Event]:
    """Show the records from the position on, and those that come, until Ctrl+C."""
    if session.standard_output is None:
        raise CommandError("The screen follows the trail by the key w.")
    show = Lister() if options.lists else show_record
    yield from Follower(session, show, every=options.every, idle=options.idle).run()


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip().upper() for name in text.split(",") if name.strip())


COMMANDS = (
    Command(
        "LIST",
        AnyOrder(
            ListOptions,
            {
                "most": Alternatives(Number("<count>", least=1), OneOf({"ALL": sys.maxsize})),
                "columns": Keyword("COLUMNS", Sequence(_names, Word("<column>,..."))),
            },
            wrong="{!r} is not a number of records and none of ALL, COLUMNS.",
        ),
        "List the next records as one line each: RBA, time, operation, table, CSN, XID, key, what changed",
        run_list,
        details=(
            "20 records unless <count> or ALL is given; the filter applies. A field that is not known is -.",
            "Under ACROSS the name of the file is before the RBA. Damage is said, and LIST reads on behind it.",
            "COLUMNS: of the key and of what changed these columns alone, with commas between them.",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "FOLLOW",
        AnyOrder(
            FollowOptions,
            {
                "lists": OneOf({"LIST": True}),
                "every": Keyword("EVERY", Number("<seconds>", 1, _MOST_SECONDS, "a number of seconds")),
                "idle": Keyword("IDLE", Number("<seconds>", 1, _MOST_SECONDS, "a number of seconds")),
            },
            wrong="{!r} is not an option of FOLLOW.",
        ),
        "Show records from the position on, and those that come, over the files of the trail",
        run_follow,
        details=(
            "As NEXT shows them, with LIST one line each; the filter applies. POSITION EOF; FOLLOW: new ones alone.",
            "A record that is half written is shown when it is whole. A file that shrinks, is replaced or removed is",
            "named, and FOLLOW goes on. EVERY: seconds between two looks, 1 unless given. IDLE: it ends after so many",
            "seconds without a new record. Ctrl+C ends it; the position is after the record shown last.",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C ends it",
    ),
)
