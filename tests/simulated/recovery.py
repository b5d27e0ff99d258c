"""An Extract that recovers in append or in overwrite mode, and a pump that writes a part of its trail again."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import NamedTuple

from fixtures.capture import OPENING
from fixtures.changes import Change
from fixtures.flavour import MYSQL_21, Flavour
from fixtures.headers import file_header
from fixtures.shop import Row
from tests.searching import Random
from tests.simulated.extract import Extract, Written
from tests.simulated.source import Rows, Source
from trailformat import FileHeader
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record import make_file_header_record
from trailformat.records.record_header import FIRST, LAST, ONLY, RESTART_ABEND, RESTART_OK

_SECOND = 1_000_000


class Kill(NamedTuple):
    """A failure: how many records of a transaction it has let through, and how the next run begins."""

    records: int
    rolls: bool
    marker: int | None


class RecoveringExtract(Extract):
    """Writes files with headers; one that it has closed says so, one that a failure has left does not.

    Attributes:
        kills: those that have cut a transaction.
        first_rows: of the source, in front of the trail.
    """

    def __init__(self, folder: Path, random: Random, flavour: Flavour = MYSQL_21, *, roll_chance: float = 0.1) -> None:
        self.kills: list[Kill] = []
        self.first_rows: Rows = {}
        self._heads: list[FileHeader] = []
        super().__init__(
            folder, random, roll_chance=roll_chance, flavour=flavour, tables=(flavour.teas,), is_headed=True
        )

    def _head(self) -> FileHeader:
        values: dict[str, Value] = {"CreationTime": OPENING + len(self.paths) * _SECOND}
        self._heads.append(replace_values(file_header(self._flavour), "TrailInfo", values))
        return self._heads[-1]

    def roll(self) -> None:
        """Close the file and go on in the next."""
        super().roll()
        self._closed(len(self.paths) - 2)

    @property
    def head(self) -> FileHeader:
        """The header of the first file, as it was begun."""
        values: dict[str, Value] = {"FileName": str(self.paths[0])}
        return replace_values(self._heads[0], "TrailInfo", values)

    def _closed(self, number: int) -> None:
        path, name = self.paths[number], str(self.paths[number])
        values: dict[str, Value] = {"LastCSN": "1", "LastIOTime": OPENING, "FileName": name, "Seqno": number}
        head = make_file_header_record(replace_values(self._heads[number], "TrailInfo", values)).raw
        path.write_bytes(head + path.read_bytes()[len(head) :])

    def fail(self, changes: list[Change], kill: Kill) -> None:
        """The first records of the transaction under way, and what a run in append mode does after a failure."""
        self.rows(changes, kill.records)
        if kill.records:
            self.kills.append(kill)
        if kill.rolls:
            # the file before stays as the failure has left it
            super().roll()
        if kill.marker is not None:
            self.marker(kill.marker)

    def whole(self, changes: list[Change], number: int | None = None) -> None:
        """One transaction; with a number, one that stood in the trail before."""
        self.begin(number)
        self.rows(changes, len(changes))


def killed_recovery(folder: Path, seed: int, flavour: Flavour) -> RecoveringExtract:
    """A trail like that of ``append_recovery`` in which Extract was killed, in a folder of this folder."""
    for attempt in itertools.count():
        place = folder / str(attempt)
        place.mkdir()
        extract = append_recovery(place, Random(f"{seed} {attempt}"), flavour)
        if extract.kills:
            return extract
    raise AssertionError


def append_recovery(folder: Path, random: Random, flavour: Flavour, *, most_kills: int = 5) -> RecoveringExtract:
    """A trail of some transactions, whose Extract has failed up to so many times inside of them."""
    source, extract = Source(random, flavour.teas), RecoveringExtract(folder, random, flavour)
    kills = random.randint(0, most_kills)
    for _ in range(random.randint(2, 9)):
        changes = source.transaction()
        extract.begin()
        while len(extract.kills) < kills and random.random() < 0.5:
            marker = random.choice((RESTART_ABEND, RESTART_ABEND, RESTART_OK, None))
            extract.fail(changes, Kill(random.randrange(len(changes)), random.random() < 0.3, marker))
        extract.rows(changes, len(changes))
    extract.close()
    extract.first_rows = source.first_rows
    return extract


class Rebuilt(NamedTuple):
    """A trail of which a part was written again, and the numbers of the transactions that stand in it twice."""

    extract: RecoveringExtract
    source: Source
    again: list[int]


def rebuilt(folder: Path, random: Random, flavour: Flavour) -> Rebuilt:
    """A pump has gone back some transactions and written on from there into a new file."""
    source, extract = Source(random, flavour.teas), RecoveringExtract(folder, random, flavour)
    done = [source.transaction() for _ in range(random.randint(3, 9))]
    for changes in done:
        extract.whole(changes)
    first = random.randint(1, len(done))
    extract.roll()
    for number in range(first, len(done) + 1):
        extract.whole(done[number - 1], number)
    for _ in range(random.randint(0, 3)):
        extract.whole(source.transaction())
    extract.close()
    return Rebuilt(extract, source, list(range(first, len(done) + 1)))


class Overwritten(NamedTuple):
    """A file over whose records others were written from a checkpoint on.

    Attributes:
        path: the file.
        end: where the new records end.
        newest: the number of the last new transaction.
        left: the old records that begin behind the new ones.
        written: all records that stand in the file whole.
        is_broken: whether an old record lost its beginning.
    """

    path: Path
    end: int
    newest: int
    left: list[Written]
    written: list[Written]
    is_broken: bool

    def _first_whole(self) -> int | None:
        """The first old transaction that is left whole."""
        for at, record in enumerate(self.left):
            ends = (last for last in self.left[at:] if last.transaction == record.transaction)
            if record.trans_ind in (FIRST, ONLY) and any(last.trans_ind in (LAST, ONLY) for last in ends):
                return record.transaction
        return None

    @property
    def is_followed(self) -> bool:
        """Whether an old transaction is left whole."""
        return self._first_whole() is not None

    @property
    def tells(self) -> bool:
        """Whether the first old transaction that is left whole is one that the new ones have passed."""
        first = self._first_whole()
        return first is not None and first <= self.newest


def overwritten(folder: Path, random: Random, flavour: Flavour) -> Overwritten:
    """A trail in overwrite mode: from a drawn checkpoint on new records, with other images, stand over the old ones."""
    old, new = folder / "old", folder / "new"
    old.mkdir()
    new.mkdir()
    source = Source(random, flavour.teas)
    done = [source.transaction() for _ in range(random.randint(4, 9))]
    first, second = (RecoveringExtract(file, random, flavour, roll_chance=0) for file in (old, new))
    kept = random.randint(1, len(done) - 2)
    for extract in (first, second):
        for changes in done[:kept]:
            extract.whole(changes)
    checkpoint = first.written[-1].rba + first.written[-1].length
    newest = random.randint(kept + 1, len(done))
    for changes in done[kept:]:
        first.whole(changes)
    for changes in done[kept:newest]:
        second.whole([_with_other_images(change, random) for change in changes])
    first.close()
    second.close()
    data, later = first.paths[0].read_bytes(), second.paths[0].read_bytes()[checkpoint:]
    end = checkpoint + len(later)
    path = folder / "ow000000000"
    path.write_bytes(_in_overwrite_mode(data[:checkpoint], first) + later + data[end:])
    left = [record for record in first.written if record.rba >= end]
    starts = {record.rba for record in first.written}
    kept_records = [record for record in first.written if record.rba < checkpoint]
    written = [*kept_records, *(record for record in second.written if record.rba >= checkpoint), *left]
    written = [record._replace(path=path) for record in written]
    return Overwritten(path, end, newest, left, written, end < len(data) and end not in starts)


def _with_other_images(change: Change, random: Random) -> Change:
    """The change with shorter texts: what is captured anew need not be what was captured first."""

    def shorter(row: Row | None) -> Row | None:
        return (row[0], random.choice(("x", None)), *row[2:]) if row is not None else None

    return change._replace(before=shorter(change.before), after=shorter(change.after))


def _in_overwrite_mode(data: bytes, extract: RecoveringExtract) -> bytes:
    head = extract.head
    raw = make_file_header_record(replace_values(head, "ContinunityInfo", {"RecoveryMode": 0})).raw
    return raw + data[len(raw) :]
