"""Whole LOBs out of pieces: of several columns, over files, with gaps, damage and hostile numbers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.trailformat.samples import BOTH, header, row, trail_of
from trailformat import BadData, ByteOrder, Record, TrailFile
from trailformat import lobs as module
from trailformat.io_types import LARGE_OBJECT
from trailformat.lob_pieces import PIECE_BYTES, PieceHeader, build_piece
from trailformat.lobs import Lob, Missing, lobs_of, read_lob
from trailformat.record import make_record
from trailformat.trail_sequence import Spot

GARBAGE = b"\xee" * 40
TEXT, BYTES = b"The first cup moistens my lips and throat; " * 5, bytes(range(256))


def pieces(
    column: int, value: bytes, size: int = 64, order: ByteOrder = ByteOrder.BIG, image: str = "A"
) -> list[Record]:
    """The pieces of a LOB in the assumed layout."""
    count = -(-len(value) // size)
    made = []
    for n in range(count):
        data = build_piece(
            PieceHeader(column, n + 1, count, n * size, len(value)), value[n * size : (n + 1) * size], order
        )
        head = header(io_type=LARGE_OBJECT, continued=int(n < count - 1), rec_count=min(count, 255), order=order)
        made.append(make_record(head._replace(before_after=ord(image)), data, order=order))
    return made


def plain(*parts: bytes, rec_count: int | None = None) -> list[Record]:
    """Pieces in a layout that nobody knows."""
    count = rec_count or len(parts)
    heads = [
        header(io_type=LARGE_OBJECT, continued=int(n < len(parts) - 1), rec_count=count) for n in range(len(parts))
    ]
    return [make_record(head, part) for head, part in zip(heads, parts, strict=True)]


def alternating(first: list[Record], second: list[Record]) -> Iterator[Record]:
    for number in range(max(len(first), len(second))):
        yield from first[number : number + 1]
        yield from second[number : number + 1]


def look(path: Path, rba: int) -> list[Lob]:
    with TrailFile(path) as trail:
        return lobs_of(trail, rba)


def value_of(path: Path, rba: int, ordinal: int) -> bytes:
    parts: list[bytes] = []
    with TrailFile(path) as trail:
        read_lob(trail, rba, ordinal, parts.append)
    return b"".join(parts)


@pytest.mark.parametrize("order", BOTH)
def test_the_pieces_of_two_columns_may_alternate(order: ByteOrder, tmp_path: Path) -> None:
    base = row(order=order)
    parts = list(alternating(pieces(1, TEXT, order=order), pieces(4, BYTES, order=order)))
    path = trail_of(tmp_path, row(order=order), base, *parts, row(order=order))
    for rba in (base.length, 2 * base.length, 2 * base.length + parts[0].length):
        found = look(path, rba)
        assert [(one.column, one.size, one.total, one.is_whole) for one in found] == [
            (1, len(TEXT), len(TEXT), True),
            (4, len(BYTES), len(BYTES), True),
        ]
        assert {one.base for one in found} == {Spot(path, base.length)}
        assert [value_of(path, rba, ordinal) for ordinal in (1, 2)] == [TEXT, BYTES]


@pytest.mark.parametrize("files", [2, 3])
def test_a_lob_goes_on_in_the_next_files(files: int, tmp_path: Path) -> None:
    parts = list(alternating(pieces(1, TEXT), pieces(4, BYTES)))
    share = -(-len(parts) // files)
    paths = []
    for number in range(files):
        some = parts[number * share : (number + 1) * share]
        records = [*([row()] if not number else []), *some, *([row()] if number == files - 1 else [])]
        paths.append(trail_of(tmp_path, *records, name=f"tt{number:09}"))
    for path, rba in [(paths[0], 0), (paths[-1], 0)]:
        assert [value_of(path, rba, ordinal) for ordinal in (1, 2)] == [TEXT, BYTES]
        assert look(path, rba)[0].base == Spot(paths[0], 0)


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_a_lost_piece_is_named_to_the_byte(how: str, lost: int, tmp_path: Path) -> None:
    parts: list[Record | bytes] = list(pieces(1, TEXT))
    size = min(64, len(TEXT) - 64 * lost)
    parts[lost : lost + 1] = [GARBAGE] if how == "damaged" else []
    path = trail_of(tmp_path, row(), *parts, row())
    (lob,) = look(path, 0)
    assert lob.missing == (Missing(64 * lost, size),)
    assert not lob.is_whole
    with pytest.raises(BadData, match="not whole"):
        value_of(path, 0, 1)


def test_a_missing_file_is_a_gap_up_to_the_end(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), *pieces(1, TEXT)[:2], name="tt000000000")
    trail_of(tmp_path, row(), name="tt000000002")
    (lob,) = look(path, 0)
    assert lob.missing == (Missing(128, len(TEXT) - 128),)


def test_a_lost_base_leaves_the_lob_readable_where_offsets_tell(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *pieces(1, TEXT), row())
    (lob,) = look(path, 0)
    assert (lob.base, lob.is_whole) == (None, True)


def test_the_next_row_s_lob_is_another_one(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), *pieces(1, TEXT), row(), *pieces(1, BYTES))
    assert value_of(path, 0, 1) == TEXT
    assert len(look(path, 0)) == 1


def test_a_lob_that_begins_again_behind_damage_is_another_row_s(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), *pieces(1, TEXT)[:2], GARBAGE, *pieces(1, BYTES))
    (lob,) = look(path, 0)
    assert (lob.pieces, lob.missing) == (2, (Missing(128, len(TEXT) - 128),))


def test_before_and_after_image_of_a_column_are_two(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), *pieces(1, TEXT, image="B"), *pieces(1, BYTES))
    assert [(one.is_before, one.total) for one in look(path, 0)] == [(True, len(TEXT)), (False, len(BYTES))]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda numbers: numbers._replace(total=999), "disagree about its length"),
        (lambda numbers: numbers._replace(offset=1), "comes behind byte 64"),
    ],
)
def test_pieces_that_contradict_each_other_are_told(
    change: Callable[[PieceHeader], PieceHeader], problem: str, tmp_path: Path
) -> None:
    parts = pieces(1, TEXT)
    numbers = change(PieceHeader(1, 2, len(parts), 64, len(TEXT)))
    head = header(io_type=LARGE_OBJECT, continued=1, rec_count=len(parts))
    parts[1] = make_record(head, build_piece(numbers, bytes(64), ByteOrder.BIG))
    (lob,) = look(trail_of(tmp_path, row(), *parts), 0)
    assert any(problem in one for one in lob.problems)
    assert not lob.is_whole


def test_pieces_of_an_unknown_layout_are_taken_in_order(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), *plain(b"one ", b"two ", b"three"), *plain(b"other"), row())
    assert [(one.column, one.pieces, one.total, one.is_whole) for one in look(path, 0)] == [
        (None, 3, None, True),
        (None, 1, None, True),
    ]
    assert [value_of(path, 0, ordinal) for ordinal in (1, 2)] == [b"one two three", b"other"]


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ([row(), *plain(b"a", b"b", b"c")[:2], row()], "its last piece is not there"),
        ([row(), *plain(b"a", b"c", rec_count=3), row()], "2 pieces are there, RecCount says 3"),
        ([*plain(b"a", b"b"), row()], "its base record is not found"),
    ],
)
def test_what_is_wrong_with_an_unknown_layout_is_told(records: list[Record], problem: str, tmp_path: Path) -> None:
    (lob,) = look(trail_of(tmp_path, *records), 0)
    assert any(problem in one for one in lob.problems)


def test_damage_between_pieces_of_an_unknown_layout_is_told(tmp_path: Path) -> None:
    first, second = plain(b"a", b"b")
    (lob,) = look(trail_of(tmp_path, row(), first, GARBAGE, second), 0)
    assert any("damage at RBA" in one for one in lob.problems)


def test_a_row_without_pieces_has_no_lob(tmp_path: Path) -> None:
    assert look(trail_of(tmp_path, row(), row()), 0) == []


def test_what_is_no_row_has_no_lobs(trails: Path) -> None:
    with pytest.raises(BadData, match="belongs to no row"):
        look(trails / "et000000000", 1130)


def test_more_lobs_than_a_row_can_have_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LOBS", 3)
    path = trail_of(tmp_path, row(), *(one for _ in range(4) for one in plain(b"x")))
    with pytest.raises(BadData, match="more LOBs"):
        look(path, 0)


def test_a_large_lob_takes_little_memory(tmp_path: Path) -> None:
    value = bytes(range(256)) * 16_000
    path = trail_of(tmp_path, row(), *pieces(1, value, size=PIECE_BYTES), row())
    size = 0

    def count(data: bytes) -> None:
        nonlocal size
        size += len(data)

    with TrailFile(path) as trail:
        tracemalloc.start()
        try:
            read_lob(trail, 0, 1, count)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert size == len(value)
    assert peak < len(value) // 4
