"""Whatever the bytes: a record, or a TrailError; never another exception, never without end."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.fuzz.codec import walk
from tests.searching import examples, some_trails, stride
from tests.trailformat.samples import metadata_record, row, table_record
from tests.trailformat.strategies import BYTE, HEADERS, INFOS, ORDERS
from trailformat import IO_TYPES, ByteOrder, RecordHeader, Token
from trailformat.codec.tokens import build_tokens
from trailformat.records.record import build_record
from trailformat.records.record_header import build_header

_STEP = stride(97)
_SMALL_STEP = stride(7)
_SMALL = 1200


def walk_bytes(folder: Path, data: bytes) -> None:
    path = folder / "lt000000000"
    path.write_bytes(data)
    walk(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("garbage")


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture_as_it_is(name: str) -> None:
    walk(TRAILS / name)


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture_that_is_cut_anywhere(folder: Path, name: str) -> None:
    data = (TRAILS / name).read_bytes()
    for size in range(0, len(data), _SMALL_STEP if len(data) < _SMALL else _STEP):
        walk_bytes(folder, data[:size])


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


@settings(max_examples=examples(100))
@given(ROW_HEADERS, st.lists(st.tuples(st.sampled_from(b"DTU?"), INFOS, PAYLOADS), max_size=4), ORDERS)
def test_garbage_in_a_sound_frame(
    folder: Path, header: RecordHeader, parts: list[tuple[int, int, bytes]], order: ByteOrder
) -> None:
    tokens = [Token(ord("H"), 0, build_header(header, order)), *(Token(*part) for part in parts)]
    raw = build_record(0x01, build_tokens(tokens, order), order)
    walk_bytes(folder, table_record(1, "TEAS", order).raw + raw + row(name=1, order=order).raw)


@settings(max_examples=examples(80))
@given(PAYLOADS)
def test_garbage_in_a_metadata_tree(folder: Path, payload: bytes) -> None:
    data = build_tokens([Token(0x30, 0, payload)], ByteOrder.BIG)
    walk_bytes(folder, b"".join(metadata_record(kind, 1, "TEAS", data).raw for kind in (1, 2, 3)) + row(name=1).raw)


@settings(max_examples=examples(80))
@given(st.lists(st.tuples(st.integers(0x30, 0x42), INFOS, PAYLOADS), max_size=5), PAYLOADS)
def test_garbage_in_a_file_header(folder: Path, parts: list[tuple[int, int, bytes]], rest: bytes) -> None:
    body = build_tokens([Token(0x30, 0, _as_tokens(parts))], ByteOrder.BIG) + rest
    walk_bytes(folder, build_record(0, body, ByteOrder.BIG, kind="F") + row().raw)
