"""Whatever the bytes: a record, or a TrailError; never another exception, never without end.

The files that once broke something, as the scan and the record see them.
"""

from __future__ import annotations

import pickle
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
from trailformat import (
    IO_TYPES,
    BadData,
    BadRecord,
    BadToken,
    ByteOrder,
    CannotWrite,
    NotATrail,
    PartialRecord,
    RecordHeader,
    Token,
    TrailError,
    TrailFile,
)
from trailformat.codec.tokens import build_tokens
from trailformat.records.record import build_record
from trailformat.records.record_header import build_header
from trailformat.scan import scan
from trailformat.transactions.tracker import TransactionTracker


@pytest.mark.parametrize("kind", [BadData, BadRecord, BadToken, CannotWrite, NotATrail, PartialRecord])
def test_every_error_is_a_trail_error(kind: type[TrailError]) -> None:
    assert issubclass(kind, TrailError)


def test_the_text_names_file_rba_problem_expected_and_found() -> None:
    error = BadRecord("no record starts here", path=Path("lt000000"), rba=42, expected="x47", found="x00")
    assert str(error) == "lt000000, RBA 42: no record starts here; expected x47; found x00"


def test_the_text_leaves_out_what_is_not_known() -> None:
    assert str(BadToken("token too long")) == "token too long"
    assert str(BadToken("token too long", rba=7)) == "RBA 7: token too long"
    assert str(BadToken("token too long", path=Path("lt000000"), found="9")) == "lt000000: token too long; found 9"


def test_at_fills_in_the_place_that_is_missing() -> None:
    error = BadData("no columns").at(Path("lt000000"), 9)
    assert (error.path, error.rba) == (Path("lt000000"), 9)


def test_at_keeps_the_place_that_is_known() -> None:
    error = BadData("no columns", path=Path("lt000000"), rba=0).at(Path("other"), 9)
    assert (error.path, error.rba) == (Path("lt000000"), 0)


def test_an_error_survives_the_way_to_another_process() -> None:
    error = BadRecord("no record starts here", path=Path("lt000000"), rba=42, expected="x47", found="x00")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is BadRecord
    assert str(copy) == str(error)


@pytest.mark.usefixtures("kernels")
def test_a_token_that_misses_its_payload_gives_no_csn_in_any_way(evidence: Path) -> None:
    with TrailFile(evidence.parent / "hostile" / "tokenend000000") as trail:
        (record,) = trail.records(trail.first_rba)
        with pytest.raises(BadToken):
            _ = record.gg_tokens
        tracker = TransactionTracker(trail)
        found = [transaction.csn for batch in scan(trail) for transaction in tracker.of(batch).transactions]
    assert found
    assert set(found) == {None}


_STEP = stride(199)
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
    raw = row(order=order).raw
    walk_bytes(folder, raw + data + raw)


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
