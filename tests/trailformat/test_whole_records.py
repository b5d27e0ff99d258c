"""Records that are put together from their fragments.

Records that are left in their file: the same records, read part by part.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.searching import some_trails
from tests.sparse import GIGABYTE, Hole, head, rest, with_large_record
from tests.trailformat.samples import BOTH, row, table_record, trail_of
from tests.trailformat.test_segments import GARBAGE, cut_row, piece
from trailformat import (
    BadData,
    BadRecord,
    ByteOrder,
    Record,
    TrailFile,
    make_column,
    make_file_header,
    make_file_header_record,
    make_token,
)
from trailformat.changes import segments as module
from trailformat.changes.segments import (
    Kind,
    SegmentContext,
    joined,
    whole_record,
)
from trailformat.codec.tokens import build_tokens
from trailformat.records import large_record
from trailformat.records.columns import build_columns
from trailformat.records.large_record import LargeRecord
from trailformat.records.record import LARGEST, make_record
from trailformat.records.record_header import RECORD_FRAGMENT, build_header
from trailformat.trail import file as trail_file
from trailformat.trail.file import record_of

from .samples import header


@pytest.mark.parametrize("path", some_trails(TRAILS.glob("*0"), __name__), ids=lambda path: path.name)
def test_a_record_that_is_left_in_its_file_is_the_same_record(path: Path) -> None:
    with TrailFile(path) as trail:
        for rba in trail.sound_rbas(0, trail.size):
            record = trail.record_at(rba)
            assert record is not None
            left = LargeRecord(trail.bytes, record.rba, record.length, record.order, path)
            assert _facts(left) == _facts(record)
            assert b"".join(left.pieces()) == record.raw
            assert left.has_bytes_of(record)


def _facts(record: Record) -> tuple[object, ...]:
    facts = (record.length, record.is_file_header, record.frame[:2], record.trailer, record.parts, record.tokens)
    data = record.data_size, record.data, record.head("D", 7), [*record.stretches("D", 3)]
    if record.is_file_header:
        return *facts, *data
    return *facts, *data, record.header, record.cut(3, 17)


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Record]:
    """An insert with a gigabyte of zeros."""
    rba = with_large_record(tmp_path / "wd000000", head(), Hole("D"), rest("T"))
    with TrailFile(tmp_path / "wd000000") as trail:
        record = trail.record_at(rba)
        assert record is not None
        yield record


def test_a_part_that_is_too_large_is_an_error_and_the_others_are_there(large: Record) -> None:
    for part in ("raw", "body", "tokens", "data", "images"):
        with pytest.raises(BadData, match="bytes: more than 8388608 are not taken apart"):
            getattr(large, part)
    assert large.data_length == GIGABYTE
    assert large.csn is not None
    assert len(large.head("D", GIGABYTE)) == LARGEST


def test_stretches_have_so_many_bytes_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_record, "PIECE", 10)
    with TrailFile(TRAILS / "et000000000") as trail:
        record = max(trail.records(trail.first_rba), key=lambda trail_record: trail_record.data_size)
        left = LargeRecord(trail.bytes, record.rba, record.length, record.order, None)
        stretches = [*left.stretches("D", overlap=3, start=5)]
    assert b"".join(stretch[:10] for stretch in stretches) == record.data[5:]
    assert all(stretch[10:] == other[:3] for stretch, other in pairwise(stretches))


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("is_large", [True, False])
def test_of_several_tokens_of_one_kind_the_first_counts(order: ByteOrder, *, is_large: bool) -> None:
    """Three of each, between others; the lengths differ, so that no other place fits."""
    head = build_header(header(order=order), order)
    payloads = {letter: [letter.encode() * size for size in (3, 5, 4)] for letter in "DTU"}
    tokens = [make_token("H", head)]
    for number in range(3):
        tokens += [make_token(letter, payloads[letter][number]) for letter in "UDT"]
    body = build_tokens(tokens, order)
    length = order.encode(len(body) + 8, 2)
    raw = b"G\0" + length + body + b"Z\0" + length
    record = LargeRecord(raw, 0, len(raw), order, None) if is_large else Record(raw, order=order)
    for letter, (first, *_) in payloads.items():
        token, part = record.token(letter), record.part(letter)
        assert token is not None
        assert part is not None
        assert (token.payload, record.payload(letter), record.head(letter, 2)) == (first, first, first[:2])
        assert raw[part.at : part.at + part.size] == first
    assert record.token("X") is None
    assert record.part("X") is None


def test_a_record_of_a_batch_stays_when_the_file_has_grown(tmp_path: Path) -> None:
    path = tmp_path / "wd000000"
    rba = with_large_record(path, head(), Hole("D", LARGEST), rest("T"))
    with TrailFile(path) as trail:
        record = record_of(trail.buffer, rba, trail.record_length(rba), trail.order, path)
        with path.open("ab") as file:
            file.write(b"more")
        trail.refresh()
        assert (record.data_size, record.frame.id, record.csn) == (LARGEST, ord("G"), "41882317")


@pytest.mark.parametrize(("letter", "problem"), [("H", "record header too long"), ("T", "GGS tokens too long")])
def test_a_header_or_ggs_tokens_of_more_than_64_kb_are_damage(letter: str, problem: str, tmp_path: Path) -> None:
    parts = {"H": (Hole("H", 0x10000),), "T": (head(), Hole("T", 0x10000))}[letter]
    rba = with_large_record(tmp_path / "wd000000", *parts)
    with TrailFile(tmp_path / "wd000000") as trail, pytest.raises(BadRecord, match=problem):
        trail.record_at(rba)


def test_the_largest_record_that_is_held_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail_file, "LARGEST", 1000)
    kinds = [type(record_of(bytes(2000), 0, length, ByteOrder.BIG, None)) for length in (1000, 1001)]
    assert kinds == [Record, LargeRecord]


@pytest.mark.parametrize("order", BOTH)
def test_fragments_continue_their_record(order: ByteOrder, tmp_path: Path) -> None:
    columns = (make_column(0, b"leaf"), make_column(1, bytes(range(200))))
    data = build_columns(columns, order)
    path = trail_of(tmp_path, *cut_row(data, 7, 30, order=order), row(order=order))
    with TrailFile(path) as trail:
        base = trail.record_at(0)
        assert base is not None
        whole = whole_record(trail, base)
        assert whole is not None
        assert (whole.rba, whole.data, whole.gg_tokens) == (0, data, base.gg_tokens)
        assert whole.images is not None
        assert whole.images.after == columns
        context = SegmentContext(trail)
        found = [context.of(record) for record in trail.records()]
    assert [(segment.kind, segment.number, segment.pieces) for segment in found if segment] == [
        (Kind.FRAGMENT, 1, None),
        (Kind.FRAGMENT, 2, 2),
    ]


def test_a_record_of_more_than_64_kilobytes_is_put_together(tmp_path: Path) -> None:
    data = build_columns((make_column(0, b"a" * 60_000), make_column(1, b"b" * 60_000)), ByteOrder.BIG)
    path = trail_of(tmp_path, *cut_row(data, 50_000, 100_000))
    with TrailFile(path) as trail:
        base = trail.record_at(0)
        assert base is not None
        whole = whole_record(trail, base)
    assert whole is not None
    assert whole.data == data


def test_fragments_go_on_in_the_next_file(tmp_path: Path) -> None:
    data = build_columns((make_column(0, b"leaf" * 9),), ByteOrder.BIG)
    base, *rest = cut_row(data, 9, 20)
    path = trail_of(tmp_path, base, name="tt000000000")
    trail_of(tmp_path, *rest, name="tt000000001")
    with TrailFile(path) as trail:
        record = trail.record_at(0)
        assert record is not None
        whole = whole_record(trail, record)
    assert whole is not None
    assert whole.data == data


@pytest.mark.parametrize("missing", [1, 2])
def test_a_missing_fragment_is_told(missing: int, tmp_path: Path) -> None:
    parts = cut_row(bytes(90), 20, 40)
    if missing == 1:
        parts[1] = make_record(header(io_type=RECORD_FRAGMENT, continued=1), b"")
    path = trail_of(tmp_path, *parts[:2], row())
    with TrailFile(path) as trail:
        base = trail.record_at(0)
        assert base is not None
        with pytest.raises(BadData, match="fragment is missing"):
            whole_record(trail, base)


def test_a_record_that_grows_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 50)
    path = trail_of(tmp_path, *cut_row(bytes(90), 20, 40))
    with TrailFile(path) as trail:
        base = trail.record_at(0)
        assert base is not None
        with pytest.raises(BadData, match="too large"):
            whole_record(trail, base)


def test_other_records_have_no_fragments(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row(continued=1), piece(continued=0))
    with TrailFile(path) as trail:
        assert [whole_record(trail, record) for record in trail.records()] == [None, None, None]


def test_neither_a_file_header_nor_a_part_has_fragments(tmp_path: Path) -> None:
    first = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}}))
    fragment = make_record(header(io_type=RECORD_FRAGMENT), b"rest")
    with TrailFile(trail_of(tmp_path, first, piece(), fragment)) as trail:
        assert [whole_record(trail, record) for record in trail.records()] == [None, None, None]


@pytest.mark.parametrize(
    ("between", "is_whole"),
    [(table_record(1, "A.B"), True), (GARBAGE, False), (row(), False), (piece(), False)],
    ids=["a definition", "damage", "a row", "a LOB piece"],
)
def test_what_stands_between_fragments(between: Record | bytes, is_whole: bool, tmp_path: Path) -> None:
    base, first, second = cut_row(bytes(90), 20, 40)
    path = trail_of(tmp_path, base, first, between, second)
    with TrailFile(path) as trail:
        record = trail.record_at(0)
        assert record is not None
        if is_whole:
            assert joined(trail, record).data == bytes(90)
            return
        assert joined(trail, record) is record
        with pytest.raises(BadData) as caught:
            whole_record(trail, record)
    problem = "a record fragment is missing; expected one with Continued N"
    assert str(caught.value) == f"{path}, RBA 0: {problem}"


@pytest.mark.parametrize("order", BOTH)
def test_the_whole_record_is_the_base_but_for_its_data(order: ByteOrder, tmp_path: Path) -> None:
    columns = build_columns((make_column(0, b"leaf" * 9),), order)
    path = trail_of(tmp_path, row(order=order), *cut_row(columns, 7, 30, order=order))
    with TrailFile(path) as trail:
        base = trail.record_at(row().length)
        assert base is not None
        whole = joined(trail, base)
    assert (whole.rba, whole.path, whole.order, whole.data) == (row().length, path, order, columns)
    assert (whole.header, whole.frame.info) == (base.header, base.frame.info)
    assert [token.id for token in whole.tokens] == [token.id for token in base.tokens]


@pytest.mark.parametrize(("largest", "is_whole"), [(90, True), (89, False)])
def test_a_record_is_put_together_up_to_so_many_bytes(
    largest: int, is_whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", largest)
    path = trail_of(tmp_path, row(), *cut_row(bytes(90), 20, 40))
    with TrailFile(path) as trail:
        base = trail.record_at(row().length)
        assert base is not None
        if is_whole:
            assert joined(trail, base).data == bytes(90)
            return
        with pytest.raises(BadData) as caught:
            whole_record(trail, base)
    problem = "the record is too large with its fragments; expected at most 89 bytes"
    assert str(caught.value) == f"{path}, RBA {row().length}: {problem}"
