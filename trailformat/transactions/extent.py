"""The extent of a transaction and the way it ended.

    RBA 2374  only                        LAST: it has its last record
        2733  first   begin
        2900  middle  last
        3094  RestartAbend   marker       CUT: Extract restarted inside it
        3141  first   begin
        3500  first                       OVERTAKEN: the next one begins before this one has ended
        3679  the end of the last file    FILE_END: further records do not exist (yet)

Metadata and comments may be inside a transaction without belonging to it. A record fragment belongs to the record
before it, whatever its TransInd. With damage inside, it is unknown which records were lost, whatever follows: DAMAGE.
"""

from __future__ import annotations

import enum
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from trailformat.records.record_header import Transaction
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


class Ended(enum.Enum):
    """The way a transaction ended."""

    LAST = "last"
    CUT = "cut"
    OVERTAKEN = "overtaken"
    FILE_END = "file_end"
    DAMAGE = "damage"


class Damage(NamedTuple):
    """Bytes that are not a sound record; ``is_partial``: they are the incomplete end of the last file."""

    path: Path
    rba: int
    length: int
    is_partial: bool


class Restart(NamedTuple):
    """A restart record of Extract: its position, IOType and IO Time, and the RBA after it."""

    position: FilePosition
    io_type: int
    time: int = 0
    after: int = 0


class Walked(NamedTuple):
    """Progress of a walk: the number of records read, the position after the last of them, its IO Time."""

    records: int
    position: FilePosition
    time: int


class Moment(NamedTuple):
    """The time fields in the header of a record: IO Time (Julian microseconds), AuditRBA, AuditPos."""

    time: int = 0
    audit_rba: int = 0
    audit_pos: int = 0


class Extent(NamedTuple):
    """A transaction with the records of it that exist.

    Attributes:
        transaction: LOGCSN and TRANID.
        begin: its first record; None if that is missing (an earlier file is missing, damage).
        first, last: the first and the last record that was found; None if damage hides all of them.
        after: the first RBA after it and after the marker that cut it; None while it is open.
        ended: the way it ended.
        marker: the restart record that cut it, or None.
        has_end: True if its last record has TransInd 2 or 3.
        records, size: the number of its records, and their bytes.
        before: the number of its records before the given position; 0 without one.
        first_moment, last_moment: of its first and its last record; ``latest`` is the latest IO Time of all.
        has_one_time: True if all its records have one IO Time, which is then that of its commit.
        tables: number of the chosen records by table and IOType.
        data_size: bytes of the data of these.
        damage: the damage between its begin and ``after``; after MOST_DAMAGE spans the last of a file covers the rest.
        missing: the missing file in which it begins or continues, or None.
    """

    transaction: Transaction
    begin: FilePosition | None
    first: FilePosition | None
    last: FilePosition | None
    after: FilePosition | None
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
        """Number of its chosen records."""
        return sum(types.total() for types in self.tables.values())

    @property
    def is_whole(self) -> bool:
        """True if it has its first and its last record, and no damage or missing file is between them."""
        return self.begin is not None and self.ended is Ended.LAST


class DamagedPlaces:
    """Counts spans of damage, each once.

    A walk yields damage between transactions when it is found, and again in a transaction whose begin it may hide. An
    incomplete record is damage unless it is at the end of the trail.

    Attributes:
        number: the number of spans so far.
    """

    def __init__(self, whole: WholeTrail) -> None:
        self._whole = whole
        self._last = TrailPosition(-1, 0)
        self.number = 0

    def take(self, item: Extent | Damage | Restart) -> list[Damage]:
        """Add the next item of the walk; return the damage that has not been counted before."""
        damages = [item] if isinstance(item, Damage) else item.damage if isinstance(item, Extent) else ()
        added = []
        for damage in damages:
            place = TrailPosition(self._whole.ordinals[damage.path], damage.rba)
            if place > self._last and not (damage.is_partial and self._whole.is_newest(place.ordinal)):
                self._last = place
                added.append(damage)
        self.number += len(added)
        return added
