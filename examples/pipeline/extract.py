"""A simulated Extract: it captures a shop of one table into a trail, until it is killed.

    python examples/pipeline/extract.py FOLDER [TRANSACTIONS_A_SECOND]

It does what is hard about a real one. It rolls over to the next file wherever it likes, also inside a transaction. When
it is started again after a kill it begins a new file with a restart marker, and writes the transaction that was cut
once more from its beginning: a reader must leave the first part out. It knows from the trail alone where it was.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from trailformat import (
    ByteOrder,
    Column,
    ColumnDefinition,
    Images,
    TableDefinition,
    TrailFile,
    encode_value,
    from_datetime,
    make_column,
    make_header,
    make_record,
    make_token,
)
from trailformat.definitions.metadata import KEY, build_table
from trailformat.records.record_header import (
    COMPRESSED,
    DELETE,
    FIELD_COMP,
    FIRST,
    INSERT,
    LAST,
    METADATA,
    MIDDLE,
    NAME_IS_INDEX,
    ONLY,
    RESTART_ABEND,
    name_field,
)

TABLE, PREFIX, ORDER = "SHOP.ORDERS", "sh", ByteOrder.BIG
CITIES, STATES = ("Kyoto", "Uji", "Assam", "Leipzig"), ("new", "paid", "sent", "returned")
_SIZE = 40_000
"""Bytes of a file, more or less: those of a real trail have 500 MB."""
_FIRST_CSN = 41_000_000


def _column(name: str, data_type: int, size: int, flags: int) -> ColumnDefinition:
    return ColumnDefinition(name, data_type, size, size, 8, 8, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0x22 | flags)


COLUMNS = (
    _column("ID", 134, 8, KEY),
    _column("CITY", 64, 40, 0),
    _column("CENTS", 134, 8, 0),
    _column("STATE", 64, 40, 0),
)
Row = tuple[int, str, int, str]


class Change(NamedTuple):
    """A change of a row: its IO type, and the values of its columns; None is a column that the record does not have."""

    io_type: int
    values: tuple[int | str | None, ...]


class Shop:
    """The source: transaction ``n`` is always the same one, so that anybody can know its rows after ``n``."""

    def __init__(self) -> None:
        self.number = 0
        self.rows: dict[int, Row] = {}

    def transaction(self) -> list[Change]:
        """Commit the next transaction, and return its changes."""
        self.number += 1
        draw = random.Random(self.number)  # noqa: S311 - a shop, no secret
        return [self._change(draw, self.number * 10 + step) for step in range(draw.randint(1, 6))]

    def _change(self, draw: random.Random, new: int) -> Change:
        kind = draw.random()
        if kind < 0.5 or not self.rows:
            row: Row = (new, draw.choice(CITIES), draw.randint(100, 100_000), "new")
            self.rows[new] = row
            return Change(INSERT, row)
        _, city, cents, state = self.rows[number := draw.choice([*self.rows])]
        if kind < 0.9:
            state = draw.choice(STATES)
            self.rows[number] = (number, city, cents, state)
            return Change(FIELD_COMP, (number, None, None, state))
        return Change(DELETE, self.rows.pop(number))

    def go_to(self, number: int) -> None:
        """Go on to the state after a transaction."""
        while self.number < number:
            self.transaction()


class Extract:
    """Writes the trail, each record by one call, so that a kill leaves whole records."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        files = files_in(folder)
        self._seqno, self._size, self._file = len(files) - 1, 0, -1
        self.last = last_transaction(files)
        self._roll()
        if files:
            self._write(RESTART_ABEND, b"", ONLY)

    def _roll(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._seqno, self._size = self._seqno + 1, 0
        path = self._folder / f"{PREFIX}{self._seqno:09}"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        definition = build_table(TableDefinition(1, 1, COLUMNS), ORDER)
        header = make_header(
            METADATA, orig_node=2, audit_rba=0x10001, io_time=_now(), name_field=name_field(TABLE, ORDER)
        )
        self._append(make_record(header, definition, order=ORDER).raw)

    def _append(self, data: bytes) -> None:
        os.write(self._file, data)
        self._size += len(data)

    def _write(self, io_type: int, data: bytes | Images, place: int, number: int | None = None) -> None:
        header = make_header(
            io_type,
            partition=COMPRESSED | NAME_IS_INDEX,
            orig_node=255,
            io_time=_now(),
            trans_ind=place,
            before_after=ord("B" if io_type == DELETE else "A"),
            name_field=name_field(1, ORDER),
        )
        texts = {} if number is None else {"L": f"{_FIRST_CSN + number}", "6": f"7.1.{number}"}
        tokens = [make_token(name, text.encode()) for name, text in texts.items()]
        self._append(make_record(header, data, tokens, order=ORDER).raw)

    def write(self, number: int, changes: list[Change]) -> None:
        """Write a transaction."""
        for at, change in enumerate(changes):
            if self._size > _SIZE:
                self._roll()
            place = ONLY if len(changes) == 1 else FIRST if at == 0 else LAST if at == len(changes) - 1 else MIDDLE
            columns = tuple(_columns(change))
            images = Images(columns, None) if change.io_type == DELETE else Images(None, columns)
            self._write(change.io_type, images, place, number if at == 0 else None)


def _columns(change: Change) -> Iterator[Column]:
    for at, (value, definition) in enumerate(zip(change.values, COLUMNS, strict=True)):
        if value is not None:
            yield make_column(at, encode_value(value, definition, ORDER))


def _now() -> int:
    return from_datetime(datetime.now(UTC))


def files_in(folder: Path) -> list[Path]:
    """Return the files of the trail; one that a kill has left empty is removed."""
    files = sorted(folder.glob(f"{PREFIX}*"))
    if files and not files[-1].stat().st_size:
        files.pop().unlink()
    return files


def last_transaction(files: list[Path]) -> int:
    """Return the number of the last transaction whose end is in the files; 0 without one."""
    last = current = 0
    for path in files:
        with TrailFile(path) as trail:
            for record in trail.records():
                if record.csn is not None:
                    current = int(record.csn) - _FIRST_CSN
                if record.header.io_type in (INSERT, FIELD_COMP, DELETE) and record.header.trans_ind in (LAST, ONLY):
                    last = current
    return last


def main(folder: str, rate: str = "40") -> None:
    shop, extract = Shop(), Extract(Path(folder))
    shop.go_to(extract.last)
    while True:
        changes = shop.transaction()
        extract.write(shop.number, changes)
        time.sleep(random.random() * 2 / float(rate))  # noqa: S311 - a shop, no secret


if __name__ == "__main__":
    main(*sys.argv[1:])
