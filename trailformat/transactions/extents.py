"""The transactions of a trail with all that is known of each, one after the other over its files.

Restart records, and damage where no transaction is open, stand among them in the order of the trail. How a transaction
ends: :mod:`trailformat.transactions.extent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from trailformat.errors import NotATrail, refuse_denied
from trailformat.scan import BAD_SPAN, PARTIAL, Batch, scan
from trailformat.scan.nearby import NEARBY
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import Spot, next_file
from trailformat.transactions.details import ExtentWalk
from trailformat.transactions.extent import Damage, Extent, Restart, Walked
from trailformat.transactions.whole_trail import FileBatch, WholeTrail


class TransactionWalk:
    """The transactions from a place on, over the files of the trail.

    Args:
        trail: one of the files, open; others are opened one at a time.
        start: where to begin, between two records.
        until: the last file in which transactions are begun; one that is open at its end is read to its own end. None:
            all files.
        asked: the place up to which ``before`` of a transaction counts.
        missing: the file before ``start`` that is not there, where the trail lacks one.
        nearby: the number of records that is probably enough.
        following: gives the file after one and, where that is not there, the name it should have.
    """

    def __init__(
        self,
        trail: TrailFile,
        start: Spot,
        *,
        until: Path | None = None,
        asked: Spot | None = None,
        missing: Path | None = None,
        nearby: int = 0,
        following: Callable[[Path], tuple[Path | None, Path | None]] = next_file,
    ) -> None:
        self._trail = trail
        self._start = start
        self._until = until
        self._nearby = nearby or NEARBY
        self._following = following
        self._paths: list[Path] = []
        is_ahead = asked is not None and asked.path != start.path
        self._walk: ExtentWalk = ExtentWalk(self._paths.__getitem__, asked=asked, is_ahead=is_ahead, missing=missing)
        self._is_past_until = self._is_done = False
        self._next: tuple[Path | None, Path | None] | None = None
        self._read = 0

    def __iter__(self) -> Iterator[Extent | Damage | Restart]:
        """The same without how far the walk is."""
        return (walked for walked in self.steps() if not isinstance(walked, Walked))

    def steps(self) -> Iterator[Extent | Damage | Restart | Walked]:
        """Every transaction as soon as its end is known, damage where no transaction is open, and restart records.

        Between some thousands of records stands how far the walk is.

        Raises:
            NotATrail: a file cannot be read, and no transaction goes on in it.
        """
        path, missing = self._start.path, None
        while True:
            self._paths.append(path)
            self._next = None
            try:
                yield from self._file(path)
            except NotATrail as error:
                refuse_denied(error)
                if path == self._trail.path or not self._walk.is_open:
                    raise
                missing = path
                break
            if self._is_done:
                return
            yield from self._walk.end_file()
            self._is_past_until = self._is_past_until or path == self._until
            if self._is_past_until and not self._walk.is_open:
                return
            following, missing = self._file_after(path)
            if following is None:
                break
            path = following
        yield from self._walk.end(missing)

    def _file_after(self, path: Path) -> tuple[Path | None, Path | None]:
        """The file after one, asked for once."""
        if self._next is None:
            self._next = self._following(path)
        return self._next

    def _file(self, path: Path) -> Iterator[Extent | Damage | Restart | Walked]:
        start = self._start.rba if path == self._start.path else 0
        if path == self._trail.path:
            yield from self._records(self._trail, start)
            return
        with TrailFile(path) as other:
            yield from self._records(other, start)

    def _records(self, trail: TrailFile, start: int) -> Iterator[Extent | Damage | Restart | Walked]:
        before: Batch | None = None
        ordinal = len(self._paths) - 1
        for batch in _batches(trail, start, self._nearby):
            if before is not None:
                self._read += len(before)
                yield Walked(self._read, Spot(trail.path, before.end), int(before.io_time[-1]))
            if batch.kind[-1] == PARTIAL and self._file_after(trail.path) != (None, None):
                batch.kind[-1] = BAD_SPAN  # type: ignore[index]  # arrays and numpy columns both take it
            before = batch
            yield from self._taken(FileBatch(ordinal, trail, batch, begins=False, breaks=False))
            if self._is_done:
                return

    def _taken(self, found: FileBatch) -> Iterator[Extent | Damage | Restart]:
        """What a batch gives; behind the last file that is the end of what is open, and what has cut it."""
        items = self._walk.take(found)
        for item in items:
            yield item
            if self._is_past_until and isinstance(item, Extent):
                self._is_done = True
                yield from (one for one in islice(items, 1) if not isinstance(one, Extent))
                return


def _batches(trail: TrailFile, start: int, nearby: int) -> Iterator[Batch]:
    first = scan(trail, start, batch_size=nearby)
    yield from islice(first, 1)
    yield from scan(trail, first.position.rba)


def transactions_of(
    whole: WholeTrail, chosen: Callable[[FileBatch], Any] = lambda _: None
) -> Iterator[Extent | Damage | Restart]:
    """Those of a whole trail, in their order; files that are no trail are stepped over. ``chosen``: see ExtentWalk.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    walk, reached = ExtentWalk(whole.paths.__getitem__, chosen=chosen), -1
    for found in whole.batches():
        if found.breaks:
            yield from walk.end(whole.missing_after(reached))
        if found.begins:
            yield from walk.end_file()
        yield from walk.take(found)
        reached = found.ordinal
    yield from walk.end(whole.missing_after(reached))
