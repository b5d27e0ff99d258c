"""Which base record a part belongs to, and its place.

Rows of very many parts, read backwards.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.samples import row, table_record, trail_of
from trailformat import (
    ByteOrder,
    Record,
    TrailFile,
)
from trailformat.changes import segments as module
from trailformat.changes.segments import (
    Kind,
    Row,
    Segment,
    SegmentContext,
    followed_by_lob,
    records_from,
    row_before,
)
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record import make_record
from trailformat.records.record_header import LARGE_OBJECT, RECORD_FRAGMENT
from trailformat.trail.sequence import FilePosition

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
            found = [context.of(record) for record in reversed(records)][::-1]
        else:
            found = [context.of(record) for record in records]
    return [
        (segment.base.rba if segment.base else None, segment.number, segment.pieces)
        for segment in found
        if segment is not None
    ]


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
    assert (found.base, found.number) == (FilePosition(first, 0), 2)


def test_the_way_back_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FARTHEST", 5)
    path = trail_of(tmp_path, row(), *(piece() for _ in range(9)))
    assert places(path, backwards=True)[-1][0] is None


def rows_before(path: Path) -> dict[int, Row]:
    """What is found on the way back from each part of a file, by its RBA."""
    with TrailFile(path) as trail:
        parts = [record for record in trail.records() if module.kind_of(record) is not None]
        return {record.rba: row_before(trail, record.rba) for record in parts}


def test_the_way_back_tells_what_has_passed(tmp_path: Path) -> None:
    lob, last = piece(rec_count=2), piece(rec_count=2, continued=0)
    fragment = make_record(header(io_type=RECORD_FRAGMENT, continued=1), b"rest")
    records = [row(), fragment, fragment, lob, last, table_record(1, "A.B"), lob, lob]
    path = trail_of(tmp_path, *records)
    places = [sum(record.length for record in records[:at]) for at in range(len(records))]
    base = FilePosition(path, 0)
    assert rows_before(path) == {
        places[1]: Row(base, base, 0, 0),
        places[2]: Row(base, base, 1, 0),
        places[3]: Row(base, base, 2, 0),
        places[4]: Row(base, base, 2, 1),
        places[6]: Row(base, base, 2, 0),
        places[7]: Row(base, base, 2, 1),
    }


def test_without_a_base_the_way_back_ends_at_the_first_part(tmp_path: Path) -> None:
    path = trail_of(tmp_path, table_record(1, "A.B"), piece(), piece(), piece())
    first, second, third = rows_before(path).items()
    assert first == (first[0], Row(None, FilePosition(path, first[0]), 0, 0))
    assert second[1] == Row(None, FilePosition(path, first[0]), 0, 1)
    assert third[1] == Row(None, FilePosition(path, first[0]), 0, 2)


@pytest.mark.parametrize(("farthest", "is_found"), [(3, False), (4, True)])
@pytest.mark.parametrize("files", [1, 2])
def test_so_many_records_are_looked_at_on_the_way_back(
    files: int, farthest: int, is_found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FARTHEST", farthest)
    parts = [piece(), piece(), piece()]
    first = trail_of(tmp_path, row(), *(parts if files == 1 else parts[:1]), *([] if files == 2 else [piece()]))
    last = first if files == 1 else trail_of(tmp_path, *parts[1:], piece(), name="tt000000001")
    with TrailFile(last) as trail:
        found = row_before(trail, trail.size - piece().length)
    assert found.base == (FilePosition(first, 0) if is_found else None)
    assert found.pieces == (3 if is_found else farthest)


PLACES: dict[str, tuple[Record, Row, Segment]] = {
    "a fragment": (
        make_record(header(io_type=RECORD_FRAGMENT, continued=1)),
        Row(FilePosition(Path("tt"), 7), None, 2, 5),
        Segment(Kind.FRAGMENT, FilePosition(Path("tt"), 7), 3, None),
    ),
    "the last fragment": (
        make_record(header(io_type=RECORD_FRAGMENT, continued=0)),
        Row(FilePosition(Path("tt"), 7), None, 2, 5),
        Segment(Kind.FRAGMENT, FilePosition(Path("tt"), 7), 3, 3),
    ),
    "the last fragment of nothing": (
        make_record(header(io_type=RECORD_FRAGMENT, continued=0)),
        Row(None, None, 2, 5),
        Segment(Kind.FRAGMENT, None, None, None),
    ),
    "a piece": (
        piece(rec_count=6),
        Row(FilePosition(Path("tt"), 7), None, 2, 5),
        Segment(Kind.LOB, FilePosition(Path("tt"), 7), 6, 6),
    ),
    "a piece too many": (
        piece(rec_count=5),
        Row(FilePosition(Path("tt"), 7), None, 2, 5),
        Segment(Kind.LOB, FilePosition(Path("tt"), 7), 6, None),
    ),
    "a piece of nothing": (piece(rec_count=1), Row(), Segment(Kind.LOB, None, None, 1)),
    "a piece of none": (piece(rec_count=0), Row(), Segment(Kind.LOB, None, None, None)),
    "a piece of 254": (piece(rec_count=254), Row(), Segment(Kind.LOB, None, None, 254)),
    "a piece of more than can be counted": (piece(rec_count=255), Row(), Segment(Kind.LOB, None, None, None)),
    "a piece that says its place": (
        piece(rec_count=4, data=build_piece(PieceHeader(3, 3, 4, 4000, 7000), bytes(2000), ByteOrder.BIG)),
        Row(FilePosition(Path("tt"), 7)),
        Segment(Kind.LOB, FilePosition(Path("tt"), 7), 3, 4, PieceHeader(3, 3, 4, 4000, 7000)),
    ),
}


@pytest.mark.parametrize(("part", "known", "place"), PLACES.values(), ids=PLACES)
def test_the_place_of_a_part(part: Record, known: Row, place: Segment) -> None:
    assert known.place_of(part, place.kind) == place


def test_parts_are_counted() -> None:
    fragment = make_record(header(io_type=RECORD_FRAGMENT, continued=1))
    assert Row(None, None, 2, 5).with_part(fragment, Kind.FRAGMENT) == Row(None, None, 3, 5)
    assert Row(None, None, 2, 5).with_part(piece(), Kind.LOB) == Row(None, None, 2, 6)
    assert Row(None, None, 2, 5).with_part(piece(continued=0), Kind.LOB) == Row(None, None, 2, 0)


def test_parts_in_the_order_of_the_file_are_those_of_their_base(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), piece(), piece())
    with TrailFile(path) as trail:
        context = SegmentContext(trail)
        places = [context.of(record) for record in trail.records()]
    assert places == [
        None,
        Segment(Kind.LOB, FilePosition(path, 0), 1, 3),
        Segment(Kind.LOB, FilePosition(path, 0), 2, 3),
    ]


def test_a_jump_does_not_leave_what_was_known_behind(tmp_path: Path) -> None:
    base = row()
    path = trail_of(tmp_path, base, piece(), table_record(1, "A.B"), row(b"other"), piece(), piece())
    with TrailFile(path) as trail:
        records = list(trail.records())
        context = SegmentContext(trail)
        assert context.of(records[0]) is None
        assert context.of(records[2]) is None
        place = context.of(records[4])
        assert place is not None
        assert (place.base, place.number) == (FilePosition(path, records[3].rba), 1)
        assert context.of(records[1]) == Segment(Kind.LOB, FilePosition(path, 0), 1, 3)


def test_behind_a_jump_to_a_definition_the_base_is_the_one_before_it(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), piece(), row(), table_record(1, "A.B"), piece())
    with TrailFile(path) as trail:
        first, _, base, definition, part = trail.records()
        context = SegmentContext(trail)
        assert [context.of(first), context.of(definition)] == [None, None]
        assert context.of(part) == Segment(Kind.LOB, FilePosition(path, base.rba), 1, 3)


def test_records_come_over_files_with_what_cannot_be_read(tmp_path: Path) -> None:
    first = trail_of(tmp_path, row(), GARBAGE, row(b"b"), name="tt000000000")
    second = tmp_path / "tt000000001"
    second.write_bytes(b"no trail at all")
    trail_of(tmp_path, row(b"d"), name="tt000000003")
    with TrailFile(first) as trail:
        found = list(records_from(trail, FilePosition(first, row().length)))
    assert [position for position, _ in found] == [
        FilePosition(first, row().length),
        FilePosition(first, row().length + len(GARBAGE)),
        FilePosition(second, 0),
        FilePosition(tmp_path / "tt000000002", 0),
    ]
    said = [item.data[-1:] if isinstance(item, Record) else type(item).__name__ for _, item in found]
    assert said == ["BadRecord", b"b", "NotATrail", "NotATrail"]
    assert str(found[3][1]) == f"{tmp_path / 'tt000000002'}: the file is missing"


def test_a_record_behind_a_single_bad_byte_is_not_missed(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), b"\xee", row())
    with TrailFile(path) as trail:
        found = [position.rba for position, _ in records_from(trail, FilePosition(path, 0))]
    assert found == [0, row().length, row().length + 1]


def test_records_of_another_file_come_from_the_place_asked_for(tmp_path: Path) -> None:
    first = trail_of(tmp_path, row(), name="tt000000000")
    second = trail_of(tmp_path, row(), row(b"b"), name="tt000000001")
    third = trail_of(tmp_path, row(b"c"), name="tt000000002")
    with TrailFile(first) as trail:
        found = [position for position, _ in records_from(trail, FilePosition(second, row().length))]
    assert found == [FilePosition(second, row().length), FilePosition(third, 0)]


@pytest.mark.parametrize("has_base", [False, True])
def test_the_parts_of_a_row_are_counted_backwards_without_going_back_to_its_base_for_each(
    has_base: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lob = [piece(continued=int(number % 80 != 79)) for number in range(200)]
    parts = [*lob[:100], table_record(2, "B"), *lob[100:], *cut_row(b"data", 1, 2)[1:]]
    path = trail_of(tmp_path, table_record(1, "A"), *([row()] if has_base else []), *parts)
    forwards = places(path)
    read = 0

    def record_before(trail: TrailFile, rba: int) -> Record | None:
        nonlocal read
        read += 1
        return before(trail, rba)

    before = TrailFile.record_before
    monkeypatch.setattr(TrailFile, "record_before", record_before)
    assert places(path, backwards=True) == forwards
    assert read < 3 * len(parts)


@pytest.mark.parametrize("split", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("between", "last", "is_one"),
    [
        ("", "lob", True),
        ("m", "lob", True),
        ("mmm", "lob", True),
        ("f", "lob", True),
        ("mfm", "lob", True),
        ("m", "row", False),
        ("f", "row", False),
        ("r", "lob", False),
        ("x", "lob", False),
        ("mm", "", False),
    ],
)
def test_a_piece_of_a_lob_is_of_the_row_before_it_whatever_definitions_and_fragments_are_between(
    split: int, between: str, last: str, tmp_path: Path, *, is_one: bool
) -> None:
    """The rest is in the next file from the record ``split`` on; a row or damage is between them."""
    fragment = make_record(header(io_type=RECORD_FRAGMENT), b"rest")
    kinds: dict[str, Record | bytes] = {"m": table_record(3, "TEA.POTS"), "f": fragment, "r": row(), "x": GARBAGE}
    behind = [*(kinds[kind] for kind in between), *{"lob": [piece()], "row": [row()], "": []}[last]]
    path = trail_of(tmp_path, row(), *behind[:split], name="tt000000000")
    trail_of(tmp_path, *behind[split:], row(), name="tt000000001")
    with TrailFile(path) as trail:
        base = trail.record_at(0)
        assert base is not None
        assert followed_by_lob(trail, base) == is_one
