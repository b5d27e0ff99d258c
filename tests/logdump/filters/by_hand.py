"""A trail whose records stand beside it in plain words, so that a test can say itself which of them are meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.trailformat.samples import column, header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import (
    ByteOrder,
    Column,
    Images,
    Record,
    TableDefinition,
    make_file_header,
    make_file_header_record,
    make_record,
    make_token,
)
from trailformat.definitions.metadata import build_table
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import COMPRESSED, NAME_IS_INDEX

MINUTE = 60_000_000
NINE = 212_577_166_800_000_000
"""2024-03-14 09:00 GMT as Julian microseconds: day 2460383.875 from the noon that begins day 0."""
FIRST, MIDDLE, LAST, ONLY = range(4)
INSERT, DELETE, UPDATE, UPDATE_OF_BOTH, DDL, METADATA = 5, 3, 10, 134, 160, 170

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Plain(NamedTuple):
    """What is known of a record without reading it.

    Attributes:
        csn, xid: of its transaction.
        tokens, user: its own tokens, by letter and by name.
        values: under a column's name what its images hold; "" for NULL.
        header_size: what the file header has between its first token and its trailer: it has no data.
    """

    name: str = ""
    io_type: int = INSERT
    data: bytes = b""
    trans_ind: int = ONLY
    minute: int = 0
    audit_rba: int = 211
    undo_flag: int = 0
    syskey_len: int = 0
    csn: int | None = None
    xid: str | None = None
    tokens: Mapping[str, bytes] = NOTHING
    user: Mapping[str, str] = NOTHING
    values: Mapping[str, tuple[int | str, ...]] = NOTHING
    header_size: int = 0
    rba: int = 0

    @property
    def is_header(self) -> bool:
        """Whether it is a file header."""
        return self.header_size > 0


def _begin(csn: int, xid: str) -> dict[str, bytes]:
    return {"R": b"AAAT" + b"x" * 14 + b"\1\2", "L": b"%d" % csn, "6": xid.encode()}


RECORDS = (
    Plain("TEA.LEAVES", DELETE, b"Denver", FIRST, 1, 99, csn=100, xid="5.1.7", tokens=_begin(100, "5.1.7")),
    Plain("TEA.LEAVES", INSERT, b"xxDenverxx", MIDDLE, 2, 100, csn=100, xid="5.1.7"),
    Plain("TEA.CUPS", INSERT, b"denver", MIDDLE, 3, 101, csn=100, xid="5.1.7", tokens={"R": b"AAAT" + b"y" * 14}),
    Plain("TEA.CUPS", UPDATE, b"Denve", LAST, 4, 211, csn=100, xid="5.1.7", user={"TK-HOST": "Denver", "N": "9"}),
    Plain("Tea.Leaves", INSERT, b"\x01\x02", ONLY, 5, csn=1000, xid="5.2.7", tokens=_begin(1000, "5.2.7")),
    Plain("HR.JOBS", INSERT, b"\x02\x01", ONLY, 5, csn=99, xid="5.3.8", tokens=_begin(99, "5.3.8")),
    Plain("HR.JOBS", INSERT, b"\0\0\0\x6b", ONLY, 6, undo_flag=1, csn=101, xid="5.4", tokens=_begin(101, "5.4")),
    Plain("HR.JOBS", DELETE, b"\0\0\0\0\0\0\0\x6b", ONLY, 7, csn=101, xid="x", tokens=_begin(101, "x")),
    Plain("HR.JOBS", DELETE, b"\0\0\0\x6bkey", ONLY, 7, syskey_len=4),
    Plain("HR.JOBS", INSERT, b"k", ONLY, 8, syskey_len=4),
    Plain("", DDL, b"Denver Denver", ONLY, 9, tokens={"D": b"one\0two\0", "t": b""}),
    Plain("\\TRILL.$QA01.A.ACCT1", INSERT, b"DENVER", ONLY, 10, 0xFFFFFFFF, tokens={"t": b"Denver"}),
    Plain("TEA.LEAVES", INSERT, b"", ONLY, 11, user={"N": "11", "n": "Denver"}),
)
VALUES: tuple[dict[str, tuple[int | str, ...]], ...] = (
    {"QTY": (7,), "NOTE": ("leaf",)},
    {"QTY": (8,), "NOTE": ("",)},
    {"QTY": (8, 7), "NOTE": ("leaf", "Leaf ")},
    {"QTY": ("",)},
    {"NOTE": ("leaf",)},
    {"QTY": (-7,), "NOTE": ("",)},
)
"""Of rows of TEA.POTS: with one value an insert, with two before and after."""
DAMAGE = b"no record: Denver\0\0\0\x6b" * 3


def trail_in(folder: Path, order: ByteOrder) -> tuple[Path, list[Plain]]:
    """The trail with all of them, and each with its RBA, in the order of the file."""
    made = list(_made(order))
    path = trail_of(folder, *(raw for _, raw in made))
    records, rba = [], 0
    for plain, raw in made:
        if plain is not None:
            records.append(plain._replace(rba=rba))
        rba += len(raw)
    return path, records


def _made(order: ByteOrder) -> Iterator[tuple[Plain | None, bytes]]:
    file_header = make_file_header_record(make_file_header({"TrailInfo": {"FileName": "Denver"}})).raw
    yield Plain(header_size=len(file_header) - 8), file_header
    for at, plain in enumerate(RECORDS):
        yield plain, _record(plain, plain.data, order).raw
        if at == 7:
            yield None, DAMAGE
    columns = (column("QTY", scale=0), of(64)._replace(name="NOTE"))
    data = build_table(TableDefinition(1, 1, columns), order)
    stored = metadata_record(2, 1, "TEA.POTS", data, order)
    yield Plain("TEA.POTS", METADATA, data, ONLY, 0, 0x10001), _timed(stored, 0, order).raw
    for row in VALUES:
        yield _row(row, order)
    yield None, _record(RECORDS[0], b"Denver", order).raw[:-3]


def _timed(record: Record, minute: int, order: ByteOrder) -> Record:
    return make_record(record.header._replace(io_time=NINE + minute * MINUTE), record.data, order=order)


def _record(plain: Plain, data: bytes | Images, order: ByteOrder, name: str | int = "") -> Record:
    stored = header(
        name or plain.name,
        order,
        io_type=plain.io_type,
        partition=COMPRESSED * isinstance(data, Images) | NAME_IS_INDEX * isinstance(name, int),
        trans_ind=plain.trans_ind,
        io_time=NINE + plain.minute * MINUTE,
        audit_rba=plain.audit_rba,
        undo_flag=plain.undo_flag,
        syskey_len=plain.syskey_len,
    )
    tokens = [make_token(letter, payload) for letter, payload in plain.tokens.items()]
    user = build_user_tokens([(name.encode(), value.encode()) for name, value in plain.user.items()])
    return make_record(stored, data, tokens, user, order)


def _row(row: dict[str, tuple[int | str, ...]], order: ByteOrder) -> tuple[Plain, bytes]:
    """A row of TEA.POTS."""
    images = [
        tuple(Column(at, _stored(row[name][image], order)) for at, name in enumerate(("QTY", "NOTE")) if name in row)
        for image in range(len(next(iter(row.values()))))
    ]
    data = Images(images[0], images[1], 4) if len(images) == 2 else Images(None, images[0])
    plain = Plain("TEA.POTS", UPDATE_OF_BOTH if len(images) == 2 else INSERT, minute=20, values=row)
    record = _record(plain, data, order, 1)
    return plain._replace(data=record.data), record.raw


def _stored(value: int | str, order: ByteOrder) -> bytes:
    """The bytes of a column: an integer is big-endian in any trail, the length of a text in the order of the file."""
    if value == "":
        return b"\xff\xff\0\0"
    if isinstance(value, int):
        return b"\0\0" + value.to_bytes(8, "big", signed=True)
    return b"\0\0" + len(value).to_bytes(2, order.word) + value.encode()
