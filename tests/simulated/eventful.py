"""Trails of a few small files in which much happens at once, and what stands in them, piece by piece.

Restarts, cuts with and without copies, copies, old CSNs, rows without a begin, damage, missing files, files that are no
trails, writers that change, an open end: all beside each other, so that of each kind there may be several.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.searching import Random
from tests.trailformat.samples import IO_TIME, header, table_record
from trailformat import Images, make_column, make_file_header, make_file_header_record, make_record, make_token
from trailformat.records.file_header import SIGNATURE, Value
from trailformat.records.record_header import FIRST, INSERT, LAST, MIDDLE, ONLY, RESTART_ABEND, RESTART_OK

GARBAGE = b"no record at all, but bytes " * 4
TABLES = ("TEA.LEAVES", "TEA.POTS", "TEA.CUPS")
_SECOND = 1_000_000
_STEPS = (
    *("whole", "whole", "whole", "cut", "cut", "overtaken", "again", "again", "copy", "old", "over", "over"),
    *("headless", "damage", "restart", "nameless", "torn"),
)


class Row(NamedTuple):
    """A row of a transaction, before it is written."""

    table: str
    text: bytes
    time: int


class Planned(NamedTuple):
    """A transaction as it is to be written: its name and its rows."""

    csn: int
    xid: str | None
    rows: tuple[Row, ...]


class Piece(NamedTuple):
    """What stands at a place: a ``row``, a ``restart``, ``damage`` or ``half`` a record; of a row whose it is.

    ``data`` is the number of bytes of its data.
    """

    kind: str
    file: int
    rba: int
    length: int
    time: int = 0
    planned: Planned | None = None
    trans_ind: int = ONLY
    table: str = ""
    number: int = 0
    io_type: int = 0
    data: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """The number of the file, and the RBA."""
        return self.file, self.rba

    @property
    def after(self) -> tuple[int, int]:
        """The place after it."""
        return self.file, self.rba + self.length

    @property
    def begins(self) -> bool:
        """Whether it is the first row of a transaction."""
        return self.trans_ind in (FIRST, ONLY)

    @property
    def ends(self) -> bool:
        """Whether it is the last row of one."""
        return self.trans_ind in (LAST, ONLY)


class Head(NamedTuple):
    """A file header: what RECOVERY reads of it; ``last_csn`` is set when the file is closed."""

    version: int
    mode: int
    host: str
    created: int
    last_csn: str | None = None


class EventfulFile(NamedTuple):
    """A file of the trail: its state is ``trail``, ``missing`` or ``no trail``.

    ``last_time`` is that of its last record, ``head_size`` the bytes of its file header, ``definitions`` those of
    the data of each definition.
    """

    path: Path
    state: str
    head: Head | None
    pieces: tuple[Piece, ...]
    size: int
    last_time: int | None = None
    head_size: int = 0
    definitions: tuple[int, ...] = ()


class Eventful:
    """Draws and writes a trail in a folder.

    Args:
        folder: where it is written.
        random: the draws.
        is_sound: whether there is no damage, and no file is missing or no trail.
        steps: what may happen.

    Attributes:
        files: those that were drawn, the missing ones too; none is missing at the beginning or the end.
        unborn: the newest file, if it has no records yet.
    """

    def __init__(
        self, folder: Path, random: Random, *, is_sound: bool = False, steps: tuple[str, ...] = _STEPS
    ) -> None:
        self._random, self._folder, self._is_sound = random, folder, is_sound
        self._csn, self._serial, self._time = 100, 0, IO_TIME
        self._done: list[Planned] = []
        self._cut: list[Planned] = []
        self._over: list[tuple[Planned, int]] = []
        self.files: list[EventfulFile] = []
        self.unborn: Path | None = None
        self._by_index = self._has_beginning = False
        self._steps = (*steps, *[random.choice(steps)] * len(steps))  # so that of one kind there are several
        number = random.randint(1, 4)
        states = [self._state(at, number) for at in range(number)]
        for at, state in enumerate(states):
            self._write(at, state, is_last=at == number - 1)
        if random.random() < 0.3:
            self.unborn = folder / f"tt{number:09}"
            self.unborn.write_bytes(b"")

    @property
    def name(self) -> str:
        """The name of the trail, without a number."""
        return str(self._folder / "tt")

    @property
    def there(self) -> list[EventfulFile]:
        """The files that are there, in order."""
        return [file for file in self.files if file.state != "missing"]

    def _state(self, at: int, number: int) -> str:
        is_inside = 0 < at < number - 1
        kinds = ("trail", "trail", "trail", *(("missing",) if is_inside else ()), *(("no trail",) if at else ()))
        return "trail" if self._is_sound else self._random.choice(kinds)

    def _write(self, at: int, state: str, *, is_last: bool) -> None:
        random, path = self._random, self._folder / f"tt{at:09}"
        head = self._head()
        raw, begin = [_head_record(path, at, head)] if head is not None else [], 0
        self._by_index = random.random() < 0.5
        order = random.sample(TABLES, len(TABLES))
        tables = [table_record(index, table) for index, table in enumerate(order)] if self._by_index else []
        raw += [table.raw for table in tables]
        self._index = {table: index for index, table in enumerate(order)}
        begin = sum(map(len, raw))
        pieces: list[Piece] = []
        self._has_beginning = bool(raw)
        for made, piece in self._contents(is_last=is_last):
            pieces.append(piece._replace(file=at, rba=begin, length=len(made)))
            raw.append(made)
            begin += len(made)
        begun = [piece.planned for piece in pieces if piece.kind == "row" and piece.begins and piece.planned]
        is_old = bool(self._over) and begun[-1].csn < max(
            planned.csn for planned in begun
        )  # its end has no one last CSN
        if (
            head is not None
            and begun
            and not is_old
            and not is_last
            and pieces[-1].kind == "row"
            and random.random() < 0.5
        ):
            raw[0] = _head_record(path, at, head._replace(last_csn=str(begun[-1].csn)))
            head = head._replace(last_csn=str(begun[-1].csn))
            pieces = _closed(pieces, _head_record(path, at, head._replace(last_csn=None)), raw[0])
        data = b"no trail" if state == "no trail" else b"".join(raw)
        if state != "missing":
            path.write_bytes(data)
        times = [piece.time for piece in pieces if piece.time]
        sizes = tuple(len(table.data) for table in tables)
        last_time = times[-1] if times else IO_TIME if self._by_index else None
        self.files.append(
            EventfulFile(
                path, state, head, tuple(pieces), len(data), last_time, len(raw[0]) if head is not None else 0, sizes
            )
        )

    def _head(self) -> Head | None:
        random = self._random
        if self.files and (self.files[0].head is None) and random.random() < 0.8:
            return None
        if not self.files and random.random() < 0.25:
            return None
        before = next((file.head for file in reversed(self.files) if file.head is not None), Head(5, 1, "a", 0))
        created = self._time + random.choice((-_SECOND, _SECOND))
        head = before._replace(created=created, last_csn=None)
        for part in random.sample(("version", "mode", "host"), random.choice((0, 1, 1, 3))):
            head = {
                "version": head._replace(version=11 - head.version),
                "mode": head._replace(mode=1 - head.mode),
                "host": head._replace(host="ab"[head.host == "a"]),
            }[part]
        return head

    def _contents(self, *, is_last: bool) -> Iterator[tuple[bytes, Piece]]:
        random = self._random
        going, self._over = self._over, []
        for planned, number in going:
            if self._has_beginning and not self._is_sound and random.random() < 0.4:
                yield GARBAGE, Piece("damage", 0, 0, 0)
            yield from self._rows(planned, number, len(planned.rows))
            self._done.append(planned)
        is_damaged, steps = False, random.choices(self._steps, k=random.randint(1, 6))
        if not self._has_beginning:  # what begins with damage is no trail
            steps[0] = random.choice(("whole", "headless", "restart"))
        for step in steps:
            if step == "damage":
                if not is_damaged and not self._is_sound:
                    yield GARBAGE, Piece("damage", 0, 0, 0)
                    is_damaged = True
                continue
            is_damaged = False
            if step == "over" and not is_last:
                longer = [transaction for transaction in (*self._done, *self._cut) if len(transaction.rows) > 1]
                planned = random.choice((self._new(least=2), *longer[-3:]))
                number = random.randrange(1, len(planned.rows))
                yield from self._rows(planned, 0, number)
                self._over = [(planned, number)]
                return
            yield from self._step(step)
        if is_last:
            yield from self._end(is_damaged=is_damaged)

    def _step(self, step: str) -> Iterator[tuple[bytes, Piece]]:
        random = self._random
        if step in ("cut", "overtaken"):
            planned = self._new(least=2)
            for _ in range(random.choice((1, 1, 2))):
                yield from self._rows(planned, 0, random.randrange(1, len(planned.rows)))
                if step == "cut":
                    yield self._marker()
            self._cut.append(planned)
        elif step == "headless":
            planned = self._new(least=2)
            number = random.randrange(1, len(planned.rows))
            yield from self._rows(planned, number, random.randint(number + 1, len(planned.rows)))
        elif step == "torn" and not self._is_sound:
            planned = self._new(least=3)
            yield from self._rows(planned, 0, 1)
            yield GARBAGE, Piece("damage", 0, 0, 0)
            yield from self._rows(planned, 2, len(planned.rows))
        elif step == "restart":
            yield self._marker()
        else:
            planned = self._chosen(step)
            yield from self._rows(planned, 0, len(planned.rows))
            self._done.append(planned)

    def _chosen(self, step: str) -> Planned:
        """The transaction that a step writes whole."""
        random = self._random
        if step == "again" and self._cut:
            planned = random.choice(self._cut)
            return random.choice((planned, self._changed(planned), planned._replace(rows=planned.rows[:1])))
        if step == "copy" and self._done:
            return random.choice(self._done)
        if step == "old":
            return self._new()._replace(csn=random.randint(50, self._csn))
        return self._new()._replace(xid=None) if step == "nameless" else self._new()

    def _changed(self, planned: Planned) -> Planned:
        at = self._random.randrange(len(planned.rows))
        rows = (*planned.rows[:at], planned.rows[at]._replace(text=b"pots"), *planned.rows[at + 1 :])
        return planned._replace(rows=rows)

    def _end(self, *, is_damaged: bool) -> Iterator[tuple[bytes, Piece]]:
        end = self._random.choice(("", "open", "open half", *(() if is_damaged else ("half",))))
        planned = self._new(least=3)
        if "open" in end:
            yield from self._rows(planned, 0, self._random.randint(1, 2))
        if "half" in end:
            yield self._row(planned, 2)[0][:30], Piece("half", 0, 0, 0)

    def _new(self, least: int = 1) -> Planned:
        self._csn += self._random.randint(1, 3)
        self._serial += 1
        rows = []
        for number in range(self._random.randint(least, 3)):
            self._time += self._random.randint(0, 3) * _SECOND
            rows.append(Row(self._random.choice(TABLES), b"leaf%d" % number, self._time))
        return Planned(self._csn, f"1.1.{self._serial}", tuple(rows))

    def _rows(self, planned: Planned, start: int, stop: int) -> Iterator[tuple[bytes, Piece]]:
        for number in range(start, stop):
            yield self._row(planned, number)

    def _row(self, planned: Planned, number: int) -> tuple[bytes, Piece]:
        row, last = planned.rows[number], len(planned.rows) - 1
        trans_ind = ONLY if not last else FIRST if not number else LAST if number == last else MIDDLE
        tokens = [make_token("L", str(planned.csn).encode())] if not number else []
        tokens += [make_token("6", planned.xid.encode())] if not number and planned.xid is not None else []
        name = self._index[row.table] if self._by_index else row.table
        fields = header(name, trans_ind=trans_ind, io_time=row.time)
        record = make_record(fields, Images(None, (make_column(0, row.text),)), tuple(tokens))
        return record.raw, Piece(
            "row", 0, 0, 0, row.time, planned, trans_ind, row.table, number, INSERT, len(record.data)
        )

    def _marker(self) -> tuple[bytes, Piece]:
        io_type = self._random.choice((RESTART_ABEND, RESTART_OK))
        self._time += _SECOND
        record = make_record(header("", io_type=io_type, trans_ind=ONLY, partition=0, io_time=self._time), b"")
        return record.raw, Piece("restart", 0, 0, 0, self._time, io_type=io_type)


def _head_record(path: Path, number: int, head: Head) -> bytes:
    info: dict[str, Value] = {
        "Signature": SIGNATURE,
        "Compatibility": head.version,
        "CreationTime": head.created,
        "FileName": path.name,
        "Seqno": number,
        "FileSize": None,
        "FirstCSN": None,
        "LastCSN": head.last_csn,
    }
    groups: dict[str, dict[str, Value]] = {
        "TrailInfo": info,
        "MachineInfo": {"Nodename": head.host},
        "ContinunityInfo": {"RecoveryMode": head.mode},
    }
    return make_file_header_record(make_file_header(groups)).raw


def _closed(pieces: list[Piece], before: bytes, after: bytes) -> list[Piece]:
    """The pieces behind a header that has another length."""
    return [piece._replace(rba=piece.rba + len(after) - len(before)) for piece in pieces]
