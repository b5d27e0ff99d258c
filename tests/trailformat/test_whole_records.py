"""Records that are put together from their fragments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.samples import BOTH, row, table_record, trail_of
from tests.trailformat.test_segments import GARBAGE, cut_row, piece
from trailformat import (
    BadData,
    ByteOrder,
    Record,
    TrailFile,
    make_column,
    make_file_header,
    make_file_header_record,
)
from trailformat.changes import segments as module
from trailformat.changes.segments import (
    Kind,
    SegmentContext,
    joined,
    whole_record,
)
from trailformat.records.columns import build_columns
from trailformat.records.record import make_record
from trailformat.records.record_header import RECORD_FRAGMENT

from .samples import header


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
        found = [context.of(one) for one in trail.records()]
    assert [(one.kind, one.number, one.pieces) for one in found if one] == [
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
        assert [whole_record(trail, one) for one in trail.records()] == [None, None, None]


def test_neither_a_file_header_nor_a_part_has_fragments(tmp_path: Path) -> None:
    first = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}}))
    fragment = make_record(header(io_type=RECORD_FRAGMENT), b"rest")
    with TrailFile(trail_of(tmp_path, first, piece(), fragment)) as trail:
        assert [whole_record(trail, one) for one in trail.records()] == [None, None, None]


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
    assert [one.id for one in whole.tokens] == [one.id for one in base.tokens]


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
