"""Kernels, native and interpreted, give the rows of the serial walk: fixtures, generated trails, damage, garbage."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.kernels import WAYS, Kernels, run
from tests.searching import Random, examples, in_turn, part_of, some_trails
from tests.trailformat.samples import BOTH, header, metadata_record, row, table_record, trail_of
from tests.trailformat.scan.reference import assert_same
from tests.trailformat.strategies import BYTE, HEADERS, INFOS, ORDERS
from trailformat import ByteOrder, NotATrail, Token, TrailFile, make_record, make_token
from trailformat.codec.tokens import build_tokens
from trailformat.records.framing import MOST_TOKENS
from trailformat.records.record import build_record
from trailformat.records.record_header import METADATA, RecordHeader, build_header
from trailformat.scan import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, kernel_run, scan
from trailformat.scan.names import Names

FILE_HEADER_BYTES = (TRAILS / "el000000000").read_bytes()[
    : int.from_bytes((TRAILS / "el000000000").read_bytes()[2:4], "big")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scan")


def everything(order: ByteOrder) -> list[bytes]:
    """Records of every shape that a scan tells apart."""
    other = order.other
    wide_header = build_record(
        0x01, build_tokens([Token(0x48, 0x40, build_header(header(order=order), order))], order), order
    )
    return [
        FILE_HEADER_BYTES,
        row(name=7, order=order).raw,
        table_record(1, "SHOP.TEA", order).raw,
        row(name=1, order=order, trans_ind=0).raw,
        table_record(2, "SHOP.CUPS", order).raw,
        row(name=2, order=order, trans_ind=1).raw,
        row(name=1, order=order, trans_ind=2).raw,
        metadata_record(3, 1, "SHOP.POTS", order=order).raw,
        row(name=3, order=order).raw,
        table_record(1, "SHOP.COFFEE", order).raw,
        row(name=1, order=order).raw,
        b"no record at all" * 9,
        make_record(header(order=order), b"x" * 70_000, order=order).raw,
        row(name="12345678", order=order).raw,
        row(name="1234567", order=order).raw,
        row(name="", order=order).raw,
        make_record(header(order=order, name_field=b"no end"), b"", order=order).raw,
        make_record(header(1, order=order, name_field=b"\1"), b"", order=order).raw,
        make_record(header(order=order), b"d", [make_token("R", b"row")], b"a\0b\0", order=order).raw,
        wide_header,
        *[row(order=other).raw, row(name=1, order=other).raw, metadata_record(2, 1, "T.U", order=other).raw],
        *[row(order=order).raw, FILE_HEADER_BYTES, row(name=1, order=order).raw],
        row(order=order).raw[:-3],
    ]


@pytest.mark.parametrize(("batch_size", "name"), in_turn([1, 7, 1 << 16], some_trails(names(), __name__)))
def test_a_fixture(name: str, batch_size: int) -> None:
    assert assert_same(TRAILS / name, batch_size)


def test_the_real_trail(evidence: Path) -> None:
    assert assert_same(evidence / "tr000000000")


@pytest.mark.parametrize(("batch_size", "order"), in_turn([1, 3, 1 << 16], BOTH))
def test_everything(tmp_path: Path, order: ByteOrder, batch_size: int) -> None:
    rows = assert_same(trail_of(tmp_path, *everything(order)), batch_size)
    kinds = {found_row["kind"] for found_row in rows}
    assert kinds >= {RECORD, BAD_SPAN, PARTIAL}
    assert {found_row["name"] for found_row in rows} >= {
        "SHOP.TEA",
        "SHOP.CUPS",
        "SHOP.POTS",
        "SHOP.COFFEE",
        "T.U",
        "no end",
    }


@pytest.mark.parametrize("order", BOTH)
def test_everything_in_any_order_with_bits_turned_over(folder: Path, order: ByteOrder) -> None:
    chance = Random(order.value)
    shapes = everything(order)
    for _ in range(examples(20)):
        data = bytearray(b"".join(chance.choices(shapes, k=12)))
        for _ in range(chance.choice([0, 1, 3, 20])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert_same(trail_of(folder, bytes(data)), chance.choice([2, 1 << 10]))


@pytest.mark.parametrize("order", BOTH)
def test_a_trail_that_is_cut_anywhere(folder: Path, order: ByteOrder) -> None:
    data = row(order=order).raw + row(name=1, order=order.other).raw + row(order=order).raw
    for size in part_of(range(1, len(data)), BOTH.index(order)):
        assert_same(trail_of(folder, data[:size]))


@pytest.mark.parametrize(("order", "missing"), in_turn(BOTH, range(1, 6)))
def test_a_record_is_partial_up_to_its_last_byte(folder: Path, order: ByteOrder, missing: int) -> None:
    """Though zeros, which the memory behind the end of the file holds, would make it whole."""
    rows = assert_same(trail_of(folder, row(order=order), row(order=order).raw[:-missing]))
    assert [found_row["kind"] for found_row in rows] == [RECORD, PARTIAL]


@given(st.lists(st.sampled_from([b"G", b"F", b"H", b"Z", b"E", b"\0", b"\1", b"\x40", b"\xff", b"0"]), max_size=60))
def test_garbage_between_records(folder: Path, data: list[bytes]) -> None:
    assert_same(trail_of(folder, row(), b"".join(data), row()))


@settings(max_examples=examples(50))
@given(
    HEADERS.map(lambda drawn_header: drawn_header._replace(hdr_ind=0x45)),
    st.lists(st.builds(Token, st.sampled_from(b"DTU?") | BYTE, INFOS, st.binary(max_size=30)), max_size=5),
    INFOS,
    ORDERS,
)
def test_any_record(folder: Path, head: RecordHeader, parts: list[Token], info: int, order: ByteOrder) -> None:
    raw = build_record(info, build_tokens([Token(0x48, info, build_header(head, order)), *parts], order), order)
    assert_same(trail_of(folder, table_record(1, "TEAS", order), raw, row(name=1, order=order)))


def test_what_a_file_header_holds_is_no_data_whatever_its_number(tmp_path: Path) -> None:
    tokens = [Token(0x30, 0, b"info"), Token(0x44, 0, b"data"), Token(0x54, 0, b"tokens")]
    raw = bytearray(build_record(0, build_tokens(tokens, ByteOrder.BIG), ByteOrder.BIG))
    raw[0] = ord("F")
    kinds = [found_row["kind"] for found_row in assert_same(trail_of(tmp_path, bytes(raw), row()))]
    assert kinds == [FILE_HEADER, RECORD]


def test_the_most_tokens(tmp_path: Path) -> None:
    def full_of(count: int) -> bytes:
        tokens = [Token(0x48, 0, build_header(header(), ByteOrder.BIG)), *[Token(0x44, 0, b"")] * (count - 1)]
        return build_record(1, build_tokens(tokens, ByteOrder.BIG), ByteOrder.BIG)

    rows = assert_same(trail_of(tmp_path, row(), full_of(MOST_TOKENS), full_of(MOST_TOKENS + 1), row()))
    assert [found_row["kind"] for found_row in rows] == [RECORD, RECORD, BAD_SPAN, RECORD]


@pytest.mark.parametrize(("length", "order"), in_turn([0xFFFE, 0xFFFF, 0x10000, 0x10001], BOTH))
def test_the_length_of_data_in_a_record_that_is_just_as_long_as_a_short_length_tells(
    tmp_path: Path, order: ByteOrder, length: int
) -> None:
    head = make_token("H", build_header(header(order=order)._replace(record_length=7), order))
    info = 0x40 if length > 0xFFFF else 0
    tokens = [head, make_token("D", b"")]
    empty = len(build_record(info, build_tokens(tokens, order), order))
    tokens[1] = make_token("D", bytes(length - empty))
    raw = build_record(info, build_tokens(tokens, order), order)
    assert len(raw) == length
    rows = assert_same(trail_of(tmp_path, row(order=order), raw, row(order=order)))
    assert [found_row["kind"] for found_row in rows] == [RECORD] * 3


def test_more_names_than_the_first_table_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {"_SLOTS": 16, "_WORDS": 64, "_INDEXES": 16}.items():
        monkeypatch.setattr(kernel_run, name, size)
    chance = Random(1)
    texts = [f"S.{'T' * chance.randrange(30)}{number}" for number in range(300)]
    rows = assert_same(trail_of(tmp_path, *[row(name=text) for text in texts + texts[::-1]]))
    assert [found_row["name"] for found_row in rows] == texts + texts[::-1]


@pytest.mark.usefixtures("kernels")
def test_one_key_for_one_name(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(), row(name="B"), table_record(1, "B"), row(name=1), row())) as trail:
        (batch,) = scan(trail)
        assert list(batch.table) == [1, 2, 2, 2, 1]
        assert [batch.names[key] for key in range(len(batch.names))] == ["", "TEA.LEAVES", "B"]


@pytest.mark.usefixtures("kernels")
def test_an_index_without_a_definition(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(name=9), row())) as trail:
        (batch,) = scan(trail)
        assert [batch.names.unknown_index(key) for key in batch.table] == [9, None]
        assert batch.names[batch.table[0]] == ""


@pytest.mark.usefixtures("kernels")
def test_from_the_middle(tmp_path: Path) -> None:
    first = [table_record(1, "A"), table_record(4, "B")]
    rest = [row(name=1), row(name=3), metadata_record(3, 4, "C"), row(name=5), table_record(1, "D"), row(name=1)]
    with TrailFile(trail_of(tmp_path, *first, *rest)) as trail:
        start = sum(record.length for record in first)
        stop = trail.size - 1
        (batch,) = scan(trail, start, stop)
        assert [batch.names[key] for key in batch.table] == ["A", "", "C", "C", "D", "D"]
        assert [batch.names.unknown_index(key) for key in batch.table] == [None, 3, None, None, None, None]
        assert list(scan(trail, start, start)) == []
        assert [len(found_batch) for found_batch in scan(trail, start, start + 1)] == [1]


@pytest.mark.usefixtures("kernels")
def test_a_file_that_grows_while_it_is_scanned(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    with TrailFile(path) as trail:
        batches = scan(trail, batch_size=2)
        first = next(batches)
        with path.open("ab") as file:
            file.write(row().raw)
        assert [len(first), *map(len, batches)] == [2, 1]
        assert trail.record_at(0) is not None


@pytest.mark.usefixtures("kernels")
def test_a_closed_file(tmp_path: Path) -> None:
    trail = TrailFile(trail_of(tmp_path, row(), row()))
    batches = scan(trail, batch_size=1)
    first = next(batches)
    trail.close()
    assert list(first.length) == [row().length]
    with pytest.raises(NotATrail, match="closed"):
        next(batches)


@pytest.mark.usefixtures("kernels")
def test_columns_have_their_types(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(audit_pos=2**64 - 1, io_time=-1))) as trail:
        (batch,) = scan(trail)
        sizes = [memoryview(column).itemsize for _, column in batch.columns()]  # type: ignore[arg-type]
        assert sizes == [8, 8, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 4, 8, 8, 4, 4, 4, 4]
        assert (batch.audit_pos[0], batch.io_time[0]) == (2**64 - 1, -1)


@pytest.mark.parametrize("way", WAYS)
def test_a_definition_that_changes_no_name_is_not_taken_in_again(
    way: Kernels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    define = Names.define

    def noted(own: Names, kind: int, index: int, key: int) -> dict[int, int]:
        taken.append(index)
        return define(own, kind, index, key)

    monkeypatch.setattr(Names, "define", noted)
    tables = [table_record(1, name) for name in ("TEAS", "TEAS", "SALES", "SALES", "TEAS", "TEAS")]
    path = trail_of(tmp_path, *(record for table in tables for record in (table, row(name=1))))
    with run(way), TrailFile(path) as trail:
        [batch] = scan(trail)
    told = [batch.names[key] for key, io_type in zip(batch.table, batch.io_type, strict=True) if io_type != METADATA]
    assert told == ["TEAS", "TEAS", "SALES", "SALES", "TEAS", "TEAS"]
    assert taken == [1, 1, 1]
