"""The transactions of a script, from a position of a trail on, in trail order or backwards.

For transactions that are undone only positions are kept, 20 bytes each; nothing else grows with the trail.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from logdump.display.sql.script_files import ScriptFiles
from trailformat import TrailFile
from trailformat.changes.row_changes import OPERATIONS
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.scan.nearby import NEARBY
from trailformat.trail.sequence import Spot, next_file
from trailformat.transactions.around import start_at
from trailformat.transactions.extent import Damage, Extent, Restart, Walked
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.not_applied import NotApplied

_MANY_RECORDS = 1 << 15
"""Of neighbours that are read once more together."""


class ScriptReach(NamedTuple):
    """The part of a trail that a script covers.

    Attributes:
        not_applied: the transactions that a Replicat does not apply; None: copies are not looked for.
        later: the files in which transactions may begin besides the open one, in order; it may raise at one that is
            missing. None: transactions begin in the open file alone.
        following: returns the file after one, or the name that it should have if it is missing.
    """

    not_applied: NotApplied | None = None
    later: Iterator[Path] | None = None
    following: Callable[[Path], tuple[Path | None, Path | None]] = next_file


class ScriptWalk:
    """Walks over the transactions of a script that have changes.

    Args:
        trail: the open file.
        files: the files.
        reach: the part of the trail that the script covers.

    Attributes:
        end: the end of the last transaction, in a file where transactions may begin; None before one.
    """

    def __init__(self, trail: TrailFile, files: ScriptFiles, reach: ScriptReach) -> None:
        self._trail = trail
        self._files = files
        self._reach = reach
        self._ordinals = {trail.path: 0}
        self._last = trail.path
        self._missing: Path | None = None
        self._damage: Damage | None = None
        self.end: Spot | None = None

    def extents(self, rba: int, transactions: int | None, *, is_backwards: bool) -> Iterator[Extent | Walked]:
        """Yield the transactions from the one on that is open at ``rba``, or the next; at most ``transactions``.

        Raises:
            TrailError: at damage: the records lost in it are unknown. Nothing is undone across it.
        """
        wanted = _first_extents(self._extents(rba), transactions)
        yield from self._last_first(wanted) if is_backwards else wanted
        self._fail_at_damage()

    def _extents(self, rba: int) -> Iterator[Extent | Walked]:
        here = self._trail.path
        spot, _, missing = start_at(self._trail, rba)
        before = {**dict.fromkeys(_files_before(spot.path, here), None), here: rba}
        for walked in self._walked(spot, missing):
            if isinstance(walked, Walked):
                yield walked
            if isinstance(walked, Restart | Walked):
                continue
            damages = walked.damage if isinstance(walked, Extent) else (walked,)
            ahead = (damage for damage in damages if not damage.is_partial and not _precedes(damage, before))
            self._damage = next(ahead, None)
            if isinstance(walked, Extent) and changes_in(walked):
                self.end = self._end_of(walked)
                yield walked
            if self._damage is not None:
                return

    def _walked(self, spot: Spot, missing: Path | None) -> Iterator[Extent | Damage | Restart | Walked]:
        """Yield the walk from a position on; after missing files it begins anew."""
        later = self._reach.later
        until = None if later is not None else self._trail.path
        while True:
            self._missing = None
            walk = TransactionWalk(self._trail, spot, until=until, missing=missing, following=self._following)
            yield from walk.steps()
            following = next((path for path in later or () if path not in self._ordinals), None)
            if following is None:
                return
            self._go_on_in(following)
            spot, missing = Spot(following, 0), self._missing

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        following, self._missing = self._reach.following(path)
        if following is not None and self._reach.later is not None:
            self._go_on_in(following)
        return following, self._missing

    def _go_on_in(self, path: Path) -> None:
        """Transactions begin in this file from now on."""
        self._last = path
        self._ordinals.setdefault(path, len(self._ordinals))

    def _end_of(self, extent: Extent) -> Spot:
        """Return the end of a transaction; the end of the last file if it is beyond that."""
        if extent.after is not None and extent.after.path in self._ordinals:
            return extent.after
        return Spot(self._last, self._files.of(self._last).trail.end_of_records())

    def _last_first(self, extents: Iterator[Extent | Walked]) -> Iterator[Extent | Walked]:
        """The transactions backwards: all but the first begin in files walked over, and are read there once more."""
        first, rbas, sizes, files = None, array("Q"), array("Q"), array("I")
        for extent in extents:
            if isinstance(extent, Walked):
                yield extent
            elif first is None:
                first = extent
            elif extent.first is not None:
                rbas.append(extent.first.rba)
                sizes.append(extent.records)
                files.append(self._ordinals[extent.first.path])
        self._fail_at_damage()
        paths = list(self._ordinals)
        end = len(rbas)
        while end:
            begin, records = end - 1, sizes[end - 1]
            while begin and files[begin - 1] == files[begin] and records < _MANY_RECORDS:
                begin -= 1
                records += sizes[begin]
            yield from reversed(self._again(paths[files[begin]], rbas[begin:end], records))
            end = begin
        if first is not None:
            yield first

    def _again(self, path: Path, rbas: array[int], records: int) -> list[Extent]:
        """Return the transactions of a file that begin at these RBAs and have up to ``records`` records."""
        nearby = records + 1 if records < NEARBY else 1
        walk = TransactionWalk(self._files.of(path).trail, Spot(path, rbas[0]), until=path, nearby=nearby)
        wanted = {Spot(path, rba) for rba in rbas}
        extents = (one for one in walk if isinstance(one, Extent) and one.first in wanted)
        return list(islice(extents, len(rbas)))

    def _fail_at_damage(self) -> None:
        if self._damage is not None:
            self._files.of(self._damage.path).trail.record_at(self._damage.rba)


def _first_extents(extents: Iterator[Extent | Walked], number: int | None) -> Iterator[Extent | Walked]:
    """Yield the first ``number`` transactions; None: all."""
    if number is None:
        yield from extents
        return
    for extent in extents if number else ():
        yield extent
        number -= isinstance(extent, Extent)
        if not number:
            return


def _files_before(first: Path, here: Path) -> Iterator[Path]:
    """The files of a trail from one to before another."""
    path: Path | None = first
    while path is not None and path != here:
        yield path
        path = next_file(path)[0]


def _precedes(damage: Damage, before: dict[Path, int | None]) -> bool:
    """Return True if damage is before a position: in an earlier file, or before its RBA."""
    rba = before.get(damage.path, 0)
    return rba is None or damage.rba < rba


def changes_in(extent: Extent) -> int:
    """The number of its records with changes; pieces of large objects belong to the rows before them."""
    rows = pieces = 0
    for types in extent.tables.values():
        for io_type, number in types.items():
            if io_type == LARGE_OBJECT:
                pieces += number
            elif io_type in OPERATIONS:
                rows += number
    return rows or pieces
