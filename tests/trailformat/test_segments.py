"""Which base record a part belongs to, and the record that its fragments come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.samples import BOTH, row, table_record, trail_of
from trailformat import BadData, ByteOrder, Record, TrailFile, make_column
from trailformat import segments as module
from trailformat.columns import build_columns
from trailformat.io_types import LARGE_OBJECT, RECORD_FRAGMENT
from trailformat.record import make_record
from trailformat.segments import Kind, SegmentContext, whole_record
from trailformat.trail_sequence import Spot

from .samples import header

GARBAGE = b"\xee" * 40


def piece(*, continued: int = 1, rec_count: int = 3, data: bytes = b"some of it") -> Record:
    return make_record(header(io_type=LARGE_OBJECT, continued=continued, rec_count=rec_count), data)


def cut_row(data: bytes, *cuts: int, order: ByteOrder = ByteOrder.BIG) -> list[Record]:
    """A row of this data, cut into a base record and fragments."""
    parts = [data[a:b] for a, b in zip((0, *cuts), (*cuts, len(data)), strict=True)]
    base = make_record(header(order=order, continued=1), parts[0], order=order)
    rest = [
        make_record(header(order=order, io_type=RECORD_FRAGMENT, continued=int(at < len(parts) - 2)), part, order=order)
        for at, part in enumerate(parts[1:])
    ]
    return [base, *rest]


def places(path: Path, *, backwards: bool = False) -> list[tuple[int | None, int | None, int | None]]:
    """Base RBA, number and count of each part, one after the other, or each found for itself."""
    with TrailFile(path) as trail:
        records = list(trail.records())
        context = SegmentContext(trail)
        if backwards:
            found = [context.of(one) for one in reversed(records)][::-1]
        else:
            found = [context.of(one) for one in records]
    return [(one.base.rba if one.base else None, one.number, one.pieces) for one in found if one is not None]


@pytest.mark.parametrize("backwards", [False, True])
def test_pieces_are_counted_from_their_base_record_on(backwards: bool, tmp_path: Path) -> None:
    base = row()
    path = trail_of(tmp_path, row(), base, piece(), piece(), piece(continued=0), row())
    assert places(path, backwards=backwards) == [(base.length, 1, 3), (base.length, 2, 3), (base.length, 3, 3)]


@pytest.mark.parametrize("backwards", [False, True])
def test_behind_the_last_piece_of_a_lob_the_next_begins(backwards: bool, tmp_path: Path) -> None:
    two = [piece(rec_count=2), piece(rec_count=2, continued=0)]
    path = trail_of(tmp_path, row(), *two, piece(rec_count=1, continued=0), *two)
    assert [place[1:] for place in places(path, backwards=backwards)] == [(1, 2), (2, 2), (1, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_definition_between_base_and_piece_does_not_matter(backwards: bool, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), table_record(1, "TEA.CUPS"), piece(rec_count=2), table_record(2, "A.B"), piece())
    assert [place[:2] for place in places(path, backwards=backwards)] == [(0, 1), (0, 2)]


def test_without_a_base_nothing_is_counted(tmp_path: Path) -> None:
    assert places(trail_of(tmp_path, piece(), piece())) == [(None, None, 3), (None, None, 3)]


def test_damage_hides_the_base(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), GARBAGE, piece(continued=0))
    with TrailFile(path) as trail:
        record = trail.record_at(row().length + len(GARBAGE))
        assert record is not None
        found = SegmentContext(trail).of(record)
    assert found is not None
    assert found.base is None


def test_a_base_in_an_earlier_file_is_found(tmp_path: Path) -> None:
    first = trail_of(tmp_path, row(), name="tt000000000")
    trail_of(tmp_path, piece(), name="tt000000001")
    path = trail_of(tmp_path, piece(), name="tt000000002")
    with TrailFile(path) as trail:
        record = trail.record_at(0)
        assert record is not None
        found = SegmentContext(trail).of(record)
    assert found is not None
    assert (found.base, found.number) == (Spot(first, 0), 2)


def test_the_way_back_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FARTHEST", 5)
    path = trail_of(tmp_path, row(), *(piece() for _ in range(9)))
    assert places(path, backwards=True)[-1][0] is None


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
