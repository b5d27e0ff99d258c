"""What is known of one transaction: from where to where it reaches, and how it ended.

    RBA 2374  only                        LAST: its last record is there
        2733  first   begin
        2900  middle  last
        3094  RestartAbend   marker       CUT: Extract restarted inside it
        3141  first   begin
        3500  first                       OVERTAKEN: the next one begins where this one has not ended
        3679  the end of the last file    FILE_END: what comes is not there (yet)

Metadata and comments may stand inside a transaction without belonging to it. A record fragment belongs to the record
before it, whatever its TransInd. Damage inside makes it unknown what was lost, however the records behind it look:
DAMAGE.
"""

from __future__ import annotations

import enum
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from trailformat.records.record_header import Transaction
from trailformat.trail.sequence import Spot
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


class Ended(enum.Enum):
    """The way a transaction ended."""

    LAST = "last"
    CUT = "cut"
    OVERTAKEN = "overtaken"
    FILE_END = "file_end"
    DAMAGE = "damage"


class Damage(NamedTuple):
    """Bytes that hold no sound record; ``is_partial`` when they are the unfinished end of the last file."""

    path: Path
    rba: int
    length: int
    is_partial: bool


class Restart(NamedTuple):
    """A record that says that Extract restarted: its place, its IOType and IO Time, and the RBA behind it."""

    spot: Spot
    io_type: int
    time: int = 0
    after: int = 0


class Walked(NamedTuple):
    """How far a walk is: the records read, the place behind the last of them, its IO Time."""

    records: int
    spot: Spot
    time: int


class Moment(NamedTuple):
    """The moment in the header of a record: IO Time (Julian microseconds), AuditRBA, AuditPos."""

    time: int = 0
    audit_rba: int = 0
    audit_pos: int = 0


class Extent(NamedTuple):
    """A transaction as far as its records are there.

    Attributes:
        transaction: LOGCSN and TRANID.
        begin: its first record; None when that is not there (an earlier file is missing, damage).
        first, last: the first and the last of its records that were found; None when damage hides all of them.
        after: the first RBA behind it, and behind the marker that cut it; None while its end has not come.
        ended: how it ended.
        marker: the restart record that cut it.
        has_end: whether its last record says that it is the last (TransInd 2 or 3).
        records, size: the number of its records, and their bytes.
        before: the number of them before the given place; 0 without one.
        first_moment, last_moment: of its first and its last record; ``latest`` is the latest IO Time of all.
        has_one_time: whether all its records have one IO Time, which is then that of its commit.
        tables: its records by table and IOType, of those that were chosen.
        data_size: the bytes of the data of these.
        damage: what cannot be read between its beginning and ``after``; the last of many spans reaches over the rest.
        missing: the file in which it begins or goes on, and which is not there.
    """

    transaction: Transaction
    begin: Spot | None
    first: Spot | None
    last: Spot | None
    after: Spot | None
    ended: Ended
    marker: Restart | None
    has_end: bool
    records: int
    size: int
    before: int
    first_moment: Moment
    last_moment: Moment
    latest: int
    has_one_time: bool
    tables: dict[str, Counter[int]]
    data_size: int
    damage: tuple[Damage, ...]
    missing: Path | None

    @property
    def chosen(self) -> int:
        """The number of its records, of those that were chosen."""
        return sum(types.total() for types in self.tables.values())

    @property
    def is_whole(self) -> bool:
        """Whether a Replicat applies it: its first and its last record are there, and nothing between was lost."""
        return self.begin is not None and self.ended is Ended.LAST


class DamagedPlaces:
    """Counts places of damage.

    A walk yields damage between transactions as it comes to it, and once more with a transaction whose beginning it
    may hide. Half a record is damage unless the trail ends with it.

    Attributes:
        number: the places so far.
    """

    def __init__(self, whole: WholeTrail) -> None:
        self._whole = whole
        self._last = TrailPosition(-1, 0)
        self.number = 0

    def take(self, one: Extent | Damage | Restart) -> list[Damage]:
        """Take in what the walk yields next; returns the damage that is new with it."""
        damages = [one] if isinstance(one, Damage) else one.damage if isinstance(one, Extent) else ()
        found = []
        for damage in damages:
            place = TrailPosition(self._whole.ordinals[damage.path], damage.rba)
            if place > self._last and not (damage.is_partial and self._whole.is_newest(place.ordinal)):
                self._last = place
                found.append(damage)
        self.number += len(found)
        return found
