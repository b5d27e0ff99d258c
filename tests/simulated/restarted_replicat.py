"""A Replicat that is started at any place of a drawn trail: what it applies from there, worked out from the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.simulated.extract import Written
from trailformat.records.record_header import FIRST, LAST, ONLY
from trailformat.trail.sequence import FilePosition


class Zeros(NamedTuple):
    """Bytes of a file that were overwritten with zeros."""

    path: Path
    start: int
    stop: int


class Gap(NamedTuple):
    """The place of missing files: before this one."""

    path: Path


Event = Written | Zeros | Gap


class Applied(NamedTuple):
    """What one run of a Replicat has done.

    Attributes:
        whole: the transactions that it has applied, by number.
        begins: where each of them begins.
        rows: the places of their records.
        halves: those of which it has met the end but not the beginning.
        starts_inside: whether the first row that it met belongs to a transaction that began before.
        starts_with_damage: whether it met damage before any row.
        abended: whether damage has ended it.
    """

    whole: list[int]
    begins: list[FilePosition]
    rows: set[FilePosition]
    halves: list[int]
    starts_inside: bool
    starts_with_damage: bool
    abended: bool


class Occurrence(NamedTuple):
    """A transaction where it stands once: its number, its rows, and how it ends, in the words of RECOVERY."""

    number: int
    rows: list[Written]
    ended: str

    @property
    def begin(self) -> FilePosition | None:
        """Its first row, where it begins with that."""
        return self.first if self.rows[0].trans_ind in (FIRST, ONLY) else None

    @property
    def first(self) -> FilePosition:
        """Its first row that is there."""
        return FilePosition(self.rows[0].path, self.rows[0].rba)

    @property
    def last(self) -> FilePosition:
        """Its last row that is there."""
        return FilePosition(self.rows[-1].path, self.rows[-1].rba)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it lacks."""
        return self.begin is not None and self.ended == "last"


@dataclass(frozen=True, eq=False)
class History:
    """A drawn trail: its files in order, the records in it, and the bytes that were destroyed."""

    paths: Sequence[Path]
    written: Sequence[Written]
    zeros: Sequence[Zeros] = ()

    def order(self, position: FilePosition) -> tuple[int, int]:
        """A place as a pair that sorts."""
        return self._numbers[position.path], position.rba

    @cached_property
    def _numbers(self) -> dict[Path, int]:
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def events(self) -> list[Event]:
        """What stands in the trail, in order; records that were destroyed are not there."""
        events: list[Event] = [record for record in self.written if not self._is_lost(record)]
        events += self.zeros
        numbers = [int(path.name[2:]) for path in self.paths]
        events += [
            Gap(path)
            for path, (number, other) in zip(self.paths[1:], pairwise(numbers), strict=True)
            if other > number + 1
        ]
        return sorted(events, key=self._place)

    def _place(self, part: Event) -> tuple[int, int]:
        if isinstance(part, Gap):
            return self._numbers[part.path], -1
        return self.order(FilePosition(part.path, part.rba if isinstance(part, Written) else part.start))

    def _is_lost(self, record: Written) -> bool:
        return any(
            zeros.path == record.path and zeros.start < record.rba + record.length and record.rba < zeros.stop
            for zeros in self.zeros
        )

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """The transactions of the trail, in the order in which they begin."""
        found: list[Occurrence] = []
        rows: list[Written] = []
        is_lost = False

        def end(ended: str) -> None:
            nonlocal rows, is_lost
            if rows:
                found.append(Occurrence(rows[0].transaction, rows, "damage" if is_lost else ended))
            rows, is_lost = [], False

        for part in self.events:
            if isinstance(part, Zeros):
                is_lost = True
            elif isinstance(part, Gap):
                end("file_end")
            elif part.change is None:
                end("cut")
            else:
                if part.trans_ind in (FIRST, ONLY):
                    end("overtaken")
                rows.append(part)
                if part.trans_ind in (LAST, ONLY):
                    end("last")
        end("file_end")
        return found

    def run(self, start: FilePosition, stop: FilePosition | None = None, *, past_damage: bool = False) -> Applied:
        """A Replicat from a place on, which remembers nothing from before, up to another place or the end.

        It skips a transaction that is not above the last one applied (FILTERDUPTRANSACTIONS). ``past_damage``: where it
        abends, it is started again behind the damage, and skips those that it has applied, whatever their order.
        """
        asked = start, stop, past_damage
        if asked not in self._runs:
            self._runs[asked] = _Run(past_damage=past_damage).over(self._between(start, stop))
        return self._runs[asked]

    @cached_property
    def _runs(self) -> dict[tuple[FilePosition, FilePosition | None, bool], Applied]:
        return {}

    def _between(self, start: FilePosition, stop: FilePosition | None) -> Iterator[Event]:
        first, end = self.order(start), self.order(stop) if stop is not None else None
        for at, part in self._placed:
            if at >= first and (end is None or at < end):
                yield part

    @cached_property
    def _placed(self) -> list[tuple[tuple[int, int], Event]]:
        """Each event with its place; that of destroyed bytes is their last one."""
        return [
            (self.order(FilePosition(part.path, part.stop - 1)) if isinstance(part, Zeros) else self._place(part), part)
            for part in self.events
        ]


class _Run:
    def __init__(self, *, past_damage: bool) -> None:
        self._past_damage = past_damage
        self._waiting: list[Written] = []
        self._is_lost = False
        self._applied = {0}

    def over(self, events: Iterator[Event]) -> Applied:
        done = Applied([], [], set(), [], starts_inside=False, starts_with_damage=False, abended=False)
        is_first = True
        for part in events:
            if isinstance(part, Zeros):
                done = done._replace(abended=True, starts_with_damage=done.starts_with_damage or is_first)
                if not self._past_damage:
                    return done
                self._waiting, self._is_lost, is_first = [], True, False
                continue
            if isinstance(part, Gap):
                self._waiting, self._is_lost = [], True
                continue
            if is_first and part.change is not None and part.trans_ind not in (FIRST, ONLY):
                done = done._replace(starts_inside=True)
            is_first = False
            self._take(part, done)
        return done

    def _is_skipped(self, transaction: int) -> bool:
        return transaction in self._applied if self._past_damage else transaction <= max(self._applied)

    def _take(self, record: Written, done: Applied) -> None:
        if record.change is None or record.trans_ind in (FIRST, ONLY):
            self._waiting, self._is_lost = [], False
        if record.change is None:
            return
        self._waiting.append(record)
        if record.trans_ind not in (LAST, ONLY):
            return
        waiting, self._waiting = self._waiting, []
        if waiting[0].trans_ind not in (FIRST, ONLY):
            done.halves.extend([] if self._is_lost else [record.transaction])
        elif not self._is_skipped(record.transaction):
            self._applied.add(record.transaction)
            done.whole.append(record.transaction)
            done.begins.append(FilePosition(waiting[0].path, waiting[0].rba))
            done.rows.update(FilePosition(row.path, row.rba) for row in waiting)
