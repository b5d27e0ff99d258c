"""Whatever the bytes: a record, or a TrailError; never another exception, never without end."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import examples, stride
from tests.trailformat.samples import IO_TIME, metadata_record, row, table_record
from tests.trailformat.strategies import BYTE, HEADERS, INFOS, ORDERS
from trailformat import (
    IO_TYPES,
    ByteOrder,
    Record,
    RecordHeader,
    Token,
    TrailError,
    TrailFile,
    change_of,
    parse_ddl,
    to_datetime,
)
from trailformat.changes.lobs import lobs_of, read_lob
from trailformat.changes.segments import SegmentContext, whole_record
from trailformat.changes.transaction_context import TransactionContext
from trailformat.codec.tokens import build_tokens
from trailformat.records.record import build_record
from trailformat.records.record_header import build_header
from trailformat.search.extent import extent_at
from trailformat.search.time import first_at_or_after

_SMALL = 1200
_STEP = stride(97)
_FLIPS = examples(30)
_PARTS = (
    *("tokens", "header", "data", "data_length", "gg_tokens", "user_tokens", "metadata", "name", "images"),
    *("csn", "xid", "row_id", "table_index", "is_metadata", "metadata_indexes", "trailer", "frame", "file_header"),
)
_DECODED: set[tuple[ByteOrder, bytes]] = set()
"""Records that were taken apart already: the same bytes need not be looked at in every damaged copy of a file."""


@contextlib.contextmanager
def only_trail_error() -> Iterator[None]:
    with contextlib.suppress(TrailError):
        yield


def decode_every_part(record: Record) -> None:
    for part in _PARTS:
        with only_trail_error():
            getattr(record, part)
    with only_trail_error():
        assert record.build() == record.raw
    with only_trail_error():
        _ = [token.value for group in record.file_header.groups for token in group.tokens]
    with only_trail_error():
        to_datetime(record.header.io_time)
        parse_ddl(record.data)
    repr(record)


def decode_row(trail: TrailFile, record: Record) -> None:
    trail.name_of(record)
    change = change_of(trail, record)
    for column in change.columns if change else ():
        for value in (column.before, column.after):
            assert value is None or isinstance(value.text, str)


def decode_parts(trail: TrailFile, record: Record) -> None:
    SegmentContext(trail).of(record)
    with only_trail_error():
        whole_record(trail, record)
    for lob in lobs_of(trail, record.rba):
        with only_trail_error():
            read_lob(trail, record.rba, lob.ordinal, len)


def walk(path: Path) -> None:
    """All that a reader does: forwards and on beyond damage, every part of every record, and backwards."""
    with only_trail_error(), TrailFile(path) as trail:
        rba: int | None = 0
        while rba is not None and rba < trail.size:
            rba = walk_from(trail, rba)
        assert trail.end_of_records() <= trail.size
        assert trail.file_header is None or trail.first_rba > 0
        first_at_or_after(trail, IO_TIME)
        for place in (0, trail.first_rba, trail.size // 2, trail.end_of_records()):
            with only_trail_error():
                extent_at(trail, place)
        for _ in trail.records_backwards():
            pass


def walk_from(trail: TrailFile, rba: int) -> int | None:
    last = rba
    transactions = TransactionContext(trail)
    with only_trail_error():
        for record in trail.records(rba):
            last = record.rba + record.length
            transactions.of(record)
            if (record.order, record.raw) not in _DECODED:
                _DECODED.add((record.order, record.raw))
                decode_every_part(record)
                with only_trail_error():
                    decode_row(trail, record)
                with only_trail_error():
                    decode_parts(trail, record)
    return trail.next_good_header(max(last, rba + 1))


def walk_bytes(folder: Path, data: bytes) -> None:
    path = folder / "lt000000000"
    path.write_bytes(data)
    walk(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("garbage")


@pytest.mark.parametrize("name", names())
def test_a_fixture_as_it_is(name: str) -> None:
    walk(TRAILS / name)


@pytest.mark.parametrize("name", names())
def test_a_fixture_that_is_cut_anywhere(folder: Path, name: str) -> None:
    data = (TRAILS / name).read_bytes()
    for size in range(0, len(data), 1 if len(data) < _SMALL else _STEP):
        walk_bytes(folder, data[:size])


@pytest.mark.parametrize("name", [name for name in names() if name[0] in "eonrdpkuv"])
def test_a_fixture_with_bits_turned_over(folder: Path, name: str) -> None:
    data = (TRAILS / name).read_bytes()
    chance = random.Random(name)
    for _ in range(_FLIPS):
        changed = bytearray(data)
        for _ in range(chance.choice([1, 1, 1, 2, 8])):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        walk_bytes(folder, bytes(changed))


@given(st.binary(max_size=300))
def test_garbage(folder: Path, data: bytes) -> None:
    walk_bytes(folder, data)


@given(
    st.lists(
        st.sampled_from([b"G", b"F", b"H", b"Z", b"E", b"\0", b"\1", b"\x40", b"\xff", b"0", b"\x08"]), max_size=80
    )
)
def test_garbage_of_the_letters_of_the_format(folder: Path, data: list[bytes]) -> None:
    walk_bytes(folder, b"".join(data))


@given(st.binary(max_size=200), ORDERS)
def test_garbage_between_records(folder: Path, data: bytes, order: ByteOrder) -> None:
    one = row(order=order).raw
    walk_bytes(folder, one + data + one)


def _as_tokens(parts: list[tuple[int, int, bytes]]) -> bytes:
    return build_tokens([Token(*part) for part in parts], ByteOrder.BIG)


PAYLOADS = st.binary(max_size=60) | st.recursive(
    st.binary(max_size=20),
    lambda inner: st.lists(st.tuples(BYTE | st.integers(0, 5), INFOS, inner), max_size=4).map(_as_tokens),
    max_leaves=6,
)
ROW_HEADERS = st.builds(
    RecordHeader._replace,
    HEADERS,
    hdr_ind=st.just(0x45),
    io_type=st.sampled_from(sorted(IO_TYPES)),
    orig_node=st.sampled_from([0, 1, 2, 3, 255]),
)


@settings(max_examples=examples(200))
@given(ROW_HEADERS, st.lists(st.tuples(st.sampled_from(b"DTU?"), INFOS, PAYLOADS), max_size=4), ORDERS)
def test_garbage_in_a_sound_frame(
    folder: Path, header: RecordHeader, parts: list[tuple[int, int, bytes]], order: ByteOrder
) -> None:
    tokens = [Token(ord("H"), 0, build_header(header, order)), *(Token(*part) for part in parts)]
    raw = build_record(0x01, build_tokens(tokens, order), order)
    walk_bytes(folder, table_record(1, "TEAS", order).raw + raw + row(name=1, order=order).raw)


@settings(max_examples=examples(150))
@given(PAYLOADS)
def test_garbage_in_a_metadata_tree(folder: Path, payload: bytes) -> None:
    data = build_tokens([Token(0x30, 0, payload)], ByteOrder.BIG)
    walk_bytes(folder, b"".join(metadata_record(kind, 1, "TEAS", data).raw for kind in (1, 2, 3)) + row(name=1).raw)


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(st.integers(0x30, 0x42), INFOS, PAYLOADS), max_size=5), PAYLOADS)
def test_garbage_in_a_file_header(folder: Path, parts: list[tuple[int, int, bytes]], rest: bytes) -> None:
    body = build_tokens([Token(0x30, 0, _as_tokens(parts))], ByteOrder.BIG) + rest
    walk_bytes(folder, build_record(0, body, ByteOrder.BIG, kind="F") + row().raw)
