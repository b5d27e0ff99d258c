"""Trails of which one dimension has a size: the number of cut transactions, of files of a transaction, of columns.

Each function of ``DIMENSIONS`` writes a trail into a folder and returns its first file. All else is as small as it can
be. ``twin`` of a trail is another one in which few things differ, for DIFF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fixtures import column_kinds as kind
from fixtures.changes import Change, insert, update, update_pair
from fixtures.flavour import ORACLE_11, ORACLE_12, Flavour
from fixtures.shop import SENCHA, ShopTable, tea
from fixtures.statements import Ddl, write_statement
from tests.searching import Random
from tests.simulated.bounded_recovery import MINUTE, Worked, write_trail
from tests.simulated.extract import Extract
from tests.simulated.heartbeat_trails import target_trail
from trailformat.records.columns import HEADER_BYTES, PieceHeader, build_columns, build_piece
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import (
    FIRST,
    INSERT,
    LARGE_OBJECT,
    LAST,
    MIDDLE,
    ONLY,
    RECORD_FRAGMENT,
    RESTART_ABEND,
    RESTART_OK,
)

_SECOND = 1_000_000


class SizedExtract(Extract):
    """An Extract that does what it is told, nothing by chance."""

    def __init__(self, folder: Path, flavour: Flavour = ORACLE_12, tables: tuple[ShopTable, ...] | None = None) -> None:
        shown = (flavour.teas,) if tables is None else tables
        super().__init__(folder, Random(0), roll_chance=0, flavour=flavour, tables=shown, is_headed=True)

    @property
    def first(self) -> Path:
        """The first file, when all are written."""
        self.close()
        return self.paths[0]

    def change(self, at: int = 0, table: ShopTable | None = None) -> Change:
        """The row with this number of the transaction under way; that of a copy is the same."""
        row = tea(f"{self._number}.{at}", "x", "Uji", grade="A ", price="1.00", stock=1)
        return insert(table or self._flavour.teas, row)

    def whole(self, records: int = 1, number: int | None = None, table: ShopTable | None = None) -> None:
        """A transaction with its end."""
        self.begin(number)
        changes = [self.change(at, table) for at in range(records)]
        self.rows(changes, records)

    def part(self, records: int = 1, number: int | None = None) -> None:
        """A transaction without its end."""
        self.begin(number)
        self.rows([self.change(at) for at in range(records + 1)], records)

    def defined(self, table: ShopTable) -> None:
        """The definition of a table."""
        self._capture.table(table)

    def defined_as(self, name: str, index: int) -> None:
        """A reference: a table that looks like the one with this index."""
        self._capture.reference(name, index)

    def statement(self, ddl: Ddl) -> None:
        """A DDL record."""
        self.begin()
        self._capture.go_on_behind(1)
        write_statement(self._capture, ddl)

    def row_of_bytes(self, io_type: int, data: bytes, trans_ind: int, user_tokens: bytes = b"", **fields: Any) -> None:
        """A record of the transaction under way whose data is given."""
        header = self._capture.header(io_type, self._flavour.teas.number, partition=self._capture.partition)
        header = header._replace(before_after=ord("A"), orig_node=255, trans_ind=trans_ind, **fields)
        tokens = self._tokens if io_type == INSERT else ()
        self._writer.write_values(header, data, tokens, user_tokens)

    def image(self) -> bytes:
        """The columns of a new tea."""
        return build_columns(self.images(self.change()).after or (), self._flavour.order)


def rows(folder: Path, size: int) -> Path:
    """Rows of one transaction."""
    extract = SizedExtract(folder)
    extract.whole(size)
    return extract.first


def transactions(folder: Path, size: int) -> Path:
    """Transactions of one row."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.whole()
    return extract.first


def cut_transactions(folder: Path, size: int) -> Path:
    """Transactions without their ends."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.part()
    extract.whole()
    return extract.first


def cut_and_again(folder: Path, size: int) -> Path:
    """Transactions without their ends, then all of them whole."""
    extract = SizedExtract(folder)
    for number in range(1, size + 1):
        extract.part(number=number)
    for number in range(1, size + 1):
        extract.whole(2, number)
    return extract.first


def cut_by_restarts(folder: Path, size: int) -> Path:
    """Transactions that RestartAbend has cut, each again behind it."""
    extract = SizedExtract(folder)
    for number in range(1, size + 1):
        extract.part(number=number)
        extract.marker(RESTART_ABEND)
        extract.whole(2, number)
    return extract.first


def cut_by_restarts_again_late(folder: Path, size: int) -> Path:
    """Transactions that RestartAbend has cut, then all of them whole."""
    extract = SizedExtract(folder)
    for number in range(1, size + 1):
        extract.part(number=number)
        extract.marker(RESTART_ABEND)
    for number in range(1, size + 1):
        extract.whole(2, number)
    return extract.first


def cut_again_and_again(folder: Path, size: int) -> Path:
    """One transaction that was begun many times before it is whole."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.part(number=1)
    extract.whole(2, 1)
    extract.whole()
    return extract.first


def cut_before_a_long_trail(folder: Path, size: int) -> Path:
    """A few transactions that were cut and never come again, and many behind them."""
    extract = SizedExtract(folder)
    for number in range(1, 6):
        extract.part(number=number)
    for number in range(6, size + 6):
        extract.whole(number=number)
    return extract.first


def copies(folder: Path, size: int) -> Path:
    """Transactions, then all of them once more."""
    extract = SizedExtract(folder)
    for _ in range(2):
        for number in range(1, size + 1):
            extract.whole(number=number)
    return extract.first


def copies_of_one(folder: Path, size: int) -> Path:
    """One transaction many times."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.whole(number=1)
    return extract.first


def late_transactions(folder: Path, size: int) -> Path:
    """Transactions in the reverse order of their CSNs."""
    extract = SizedExtract(folder)
    for number in range(size, 0, -1):
        extract.whole(number=number)
    return extract.first


def restarts(folder: Path, size: int) -> Path:
    """Restart records between transactions."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.whole()
        extract.marker(RESTART_OK)
    return extract.first


def restarts_together(folder: Path, size: int) -> Path:
    """Restart records in front of the first transaction."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.marker(RESTART_ABEND)
    extract.whole()
    return extract.first


def files(folder: Path, size: int) -> Path:
    """Files with a transaction each."""
    extract = SizedExtract(folder)
    for number in range(size):
        if number:
            extract.roll()
        extract.whole()
    return extract.first


def files_of_a_transaction(folder: Path, size: int) -> Path:
    """Files that one transaction goes over."""
    extract = SizedExtract(folder)
    extract.begin()
    changes = [extract.change(at) for at in range(size)]
    for at in range(size):
        if at:
            extract.roll()
        extract.write_record(changes, at)
    extract.whole()
    return extract.first


def _spoil(extract: SizedExtract, wanted: Callable[[int], bool]) -> Path:
    """The first file, in which records have lost the byte with which they begin."""
    first = extract.first
    data = bytearray(first.read_bytes())
    for at, record in enumerate(extract.written):
        if wanted(at):
            data[record.rba : record.rba + 2] = b"?!"
    first.write_bytes(data)
    return first


def damaged_places(folder: Path, size: int) -> Path:
    """Damage between transactions."""
    extract = SizedExtract(folder)
    for _ in range(2 * size):
        extract.whole()
    return _spoil(extract, lambda at: at % 2 == 0)


def damage_in_a_transaction(folder: Path, size: int) -> Path:
    """Damage in one transaction."""
    extract = SizedExtract(folder)
    extract.whole(2 * size + 2)
    extract.whole()
    return _spoil(extract, lambda at: at % 2 == 1 and at < 2 * size)


def damage_between_copies(folder: Path, size: int) -> Path:
    """Transactions and all of them once more, with damage in front of each copy."""
    extract = SizedExtract(folder)
    for number in range(1, size + 1):
        extract.whole(number=number)
    for number in range(1, size + 1):
        extract.whole(number=size + number)
        extract.whole(number=number)
    return _spoil(extract, lambda at: at >= size and (at - size) % 2 == 0)


def _table(number: int, columns: int = 2) -> ShopTable:
    made = [kind.varchar2(f"C{at}", 6) for at in range(columns)]
    return ShopTable(f"TEAHOUSE.T{number}", number, kind.placed(made, 1, oracle=True))


def _row_of(table: ShopTable) -> Change:
    return insert(table, ("x",) * len(table.columns))


def tables(folder: Path, size: int) -> Path:
    """Tables with a row each."""
    made = [_table(number) for number in range(1, size + 1)]
    extract = SizedExtract(folder, tables=tuple(made))
    for table in made:
        extract.begin()
        extract.rows([_row_of(table)], 1)
    return extract.first


def references(folder: Path, size: int) -> Path:
    """Tables that look like one that is defined, with a row each."""
    table = _table(1)
    extract = SizedExtract(folder, tables=(table,))
    for number in range(2, size + 2):
        extract.defined_as(f"TEAHOUSE.T{number}", 1)
        extract.begin()
        extract.rows([_row_of(table._replace(number=number))], 1)
    return extract.first


def tables_of_a_transaction(folder: Path, size: int) -> Path:
    """Tables of which one transaction changes a row each."""
    made = [_table(number) for number in range(1, size + 1)]
    extract = SizedExtract(folder, tables=tuple(made))
    extract.begin()
    extract.rows([_row_of(table) for table in made], size)
    return extract.first


def names(folder: Path, size: int) -> Path:
    """Tables whose names stand in the records, of a release without definitions."""
    teas = ORACLE_11.teas
    extract = SizedExtract(folder, ORACLE_11)
    for number in range(size):
        extract.whole(table=teas._replace(name=f"TEAHOUSE.T{number}"))
    return extract.first


def columns(folder: Path, size: int) -> Path:
    """Columns of a table: a few rows, and updates of all of them."""
    table = _table(1, size)
    extract = SizedExtract(folder, tables=(table,))
    old, new = ("x",) * size, ("x", *("y",) * (size - 1))
    for changes in ([insert(table, old)], [update(table, old, new)], list(update_pair(table, new, old))):
        extract.begin()
        extract.rows(changes, len(changes))
    return extract.first


def user_tokens(folder: Path, size: int) -> Path:
    """User tokens of a record."""
    extract = SizedExtract(folder)
    extract.begin()
    pairs = [(f"TK{number}".encode(), b"x") for number in range(size)]
    extract.row_of_bytes(INSERT, extract.image(), ONLY, build_user_tokens(pairs))
    extract.whole()
    return extract.first


def definitions(folder: Path, size: int) -> Path:
    """Definitions of one table, with a row behind each."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.defined(extract._flavour.teas)
        extract.whole()
    return extract.first


def fragments(folder: Path, size: int) -> Path:
    """Fragments of a record."""
    extract = SizedExtract(folder)
    extract.begin()
    data = extract.image()
    step = 1
    pieces = [data[at : at + step] for at in range(0, len(data), step)][: size + 1]
    pieces += [b"\0"] * (size + 1 - len(pieces))
    for at, piece in enumerate(pieces):
        io_type = RECORD_FRAGMENT if at else INSERT
        extract.row_of_bytes(io_type, piece, ONLY, continued=int(at < size), rec_count=min(size + 1, 255))
    extract.whole()
    return extract.first


def lob_pieces(folder: Path, size: int) -> Path:
    """Pieces of a LOB of one row."""
    extract = SizedExtract(folder)
    extract.begin()
    extract.row_of_bytes(INSERT, extract.image(), FIRST)
    for number in range(1, size + 1):
        numbers = PieceHeader(1, number, size, (number - 1) * 8, size * 8)
        data = build_piece(numbers, b"x" * 8, extract._flavour.order)
        assert len(data) == HEADER_BYTES + 8
        place, more = (MIDDLE, 1) if number < size else (LAST, 0)
        extract.row_of_bytes(LARGE_OBJECT, data, place, continued=more, rec_count=min(size, 255))
    extract.whole()
    return extract.first


def pairs(folder: Path, size: int) -> Path:
    """Updates whose images are two records."""
    extract = SizedExtract(folder)
    for _ in range(size):
        extract.begin()
        row = extract.change().after or SENCHA
        extract.rows(list(update_pair(extract._flavour.teas, row, (row[0], "y", *row[2:]))), 2)
    return extract.first


def ddl(folder: Path, size: int) -> Path:
    """DDL statements, with a row between."""
    extract = SizedExtract(folder)
    for number in range(size):
        text = f"create table teahouse.T{number} (code varchar(6) primary key)"
        extract.statement(Ddl("CREATE", "TABLE", f"T{number}", text))
        extract.whole()
    return extract.first


def beats(folder: Path, size: int) -> Path:
    """Beats at the target."""
    return target_trail(folder / "hb000000000", (number * 60 * _SECOND for number in range(size)))


def open_transactions(folder: Path, size: int) -> Path:
    """Transactions that are open at the same time for hours, as their redo positions and times say."""
    history = [
        Worked(number, (number * MINUTE, (number + 1) * MINUTE), (number + size) * MINUTE) for number in range(size)
    ]
    return write_trail(folder / "bn000000000", history)


def checkpoints(folder: Path, size: int) -> Path:
    """Checkpoints at which the same transactions are open."""
    end = size * 4 * 60 * MINUTE
    history = [Worked(number, (number * MINUTE,), end + number * MINUTE) for number in range(8)]
    history += [Worked(8 + number, (number * 240 * MINUTE,), number * 240 * MINUTE) for number in range(1, size)]
    return write_trail(folder / "bn000000000", history)


def _all() -> Iterator[Callable[[Path, int], Path]]:
    yield from (rows, transactions, cut_transactions, cut_and_again, cut_by_restarts, cut_by_restarts_again_late)
    yield from (cut_again_and_again, cut_before_a_long_trail, copies, copies_of_one, late_transactions, restarts)
    yield from (restarts_together, files, files_of_a_transaction, damaged_places, damage_in_a_transaction)
    yield from (
        damage_between_copies,
        tables,
        references,
        tables_of_a_transaction,
        names,
        columns,
        user_tokens,
        definitions,
    )
    yield from (fragments, lob_pieces, pairs, ddl, beats, open_transactions, checkpoints)


DIMENSIONS = {dimension.__name__: dimension for dimension in _all()}
