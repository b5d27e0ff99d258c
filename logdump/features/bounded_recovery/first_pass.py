"""The first pass of BR over a trail: the redo clock, the first checkpoint, and whether the source is Oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from logdump.features.bounded_recovery.damaged_places import DamagedPlaces
from logdump.features.bounded_recovery.model import ClockState, FirstSource
from logdump.features.bounded_recovery.sources import place_of
from logdump.session.errors import CommandError
from trailformat.changes.csn import csn_key
from trailformat.records.file_header import ORACLE
from trailformat.trail.sequence import Spot
from trailformat.transactions.extent import Damage, Extent, Restart
from trailformat.transactions.redo_clock import RedoClock
from trailformat.transactions.whole_trail import WholeTrail

_ORACLE_CSN = "number"


class FirstCheckpoint(NamedTuple):
    """The first checkpoint, and what tells it."""

    time: int
    source: FirstSource
    spot: Spot | None


class FirstPass:
    """What has to be known of a trail before checkpoints are reckoned.

    Args:
        whole: the trail.
        slack: that of the redo clock.
        at: the moment of a restart; markers behind it do not count. None: all count.
        see_damage: takes each place of damage.

    Attributes:
        clock: set by all whole transactions.
        commits: the first and the last commit; None before one.
        unknown_vendor: whether no header says that the source is Oracle.
    """

    def __init__(
        self,
        whole: WholeTrail,
        slack: int,
        at: int | None,
        see_damage: Callable[[Damage], object] = lambda _: None,
    ) -> None:
        self.clock = RedoClock(slack)
        self.commits: tuple[int, int] | None = None
        self._whole, self._damaged = whole, DamagedPlaces(whole)
        self.unknown_vendor = True
        self._at, self._see_damage = at, see_damage
        self._created: FirstCheckpoint | None = None
        self._marker: FirstCheckpoint | None = None

    @property
    def damaged(self) -> int:
        """Places of damage."""
        return self._damaged.number

    def read_headers(self) -> None:
        """Look at the header of each file.

        Raises:
            CommandError: one names another source than Oracle.
        """
        for ordinal in range(len(self._whole)):
            trail = self._whole.open(ordinal)
            if trail is None:
                continue
            with trail:
                header = trail.file_header
            if header is None:
                continue
            if header.vendor not in ("", ORACLE):
                raise not_oracle(f"DatabaseInfo of {trail.path.name} names vendor {header.vendor}")
            self.unknown_vendor = self.unknown_vendor and header.vendor != ORACLE
            if self._created is None and header.created is not None:
                self._created = FirstCheckpoint(header.created, FirstSource.CREATED, Spot(trail.path, 0))

    def take(self, one: Extent | Damage | Restart) -> None:
        """Take in what stands next.

        Raises:
            CommandError: a CSN is none of Oracle.
        """
        for damage in self._damaged.take(one):
            self._see_damage(damage)
        if isinstance(one, Restart):
            if self._at is None or one.time <= self._at:
                self._marker = FirstCheckpoint(one.time, FirstSource.RESTART, one.spot)
        elif isinstance(one, Extent) and one.is_whole:
            self._learn(one)

    def _learn(self, extent: Extent) -> None:
        csn, commit = extent.transaction.csn, extent.last_moment.time
        if self.unknown_vendor and csn is not None:
            key = csn_key(csn)
            if key is not None and key.kind != _ORACLE_CSN:
                raise not_oracle(f"{csn} is a {key.kind}")
        first, last = self.commits or (commit, commit)
        self.commits = min(first, commit), max(last, commit)
        place, last_place = place_of(extent.first_moment), place_of(extent.last_moment)
        if place is not None:
            self.clock.learn(place, last_place or place, commit, is_one=extent.records == 1)

    def first_checkpoint(self, given: int | None) -> FirstCheckpoint | None:
        """As given; else the last restart, the beginning of the first file, the first commit; None without any."""
        if given is not None:
            return FirstCheckpoint(given, FirstSource.GIVEN, None)
        commit = FirstCheckpoint(self.commits[0], FirstSource.COMMIT, None) if self.commits is not None else None
        return self._marker or self._created or commit

    @property
    def clock_state(self) -> ClockState:
        """Whether the clock is used."""
        if self.clock.is_set:
            return ClockState.USED
        return ClockState.MIXED if self.clock.transactions else ClockState.ABSENT


def not_oracle(why: str) -> CommandError:
    """The refusal of a trail from another database."""
    return CommandError(f"Bounded Recovery is for Oracle alone: {why}.")
