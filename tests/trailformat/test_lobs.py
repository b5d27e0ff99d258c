"""Whole LOBs out of pieces: of several columns, over files, with gaps, damage and hostile numbers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from trailformat import BadData, ByteOrder, CannotWrite, Record, RecordHeader, TrailFile
from trailformat.changes import lobs as module
from trailformat.changes.lobs import Lob, Missing, lobs_of, read_lob
from trailformat.records.columns import HEADER_BYTES, PIECE_BYTES, PieceHeader, build_piece, parse_piece
from trailformat.records.record import make_record
from trailformat.records.record_header import LARGE_OBJECT, RECORD_FRAGMENT
from trailformat.trail.sequence import FilePosition

MIDDLE = PieceHeader(3, 3, 4, 4000, 7000)


def _header(*, continued: int = 1, rec_count: int = 4) -> RecordHeader:
    return header(io_type=LARGE_OBJECT, continued=continued, rec_count=rec_count)


def test_a_piece_that_is_not_the_last_is_as_long_as_in_the_sessions() -> None:
    assert len(build_piece(MIDDLE, bytes(PIECE_BYTES), ByteOrder.BIG)) == 2020


@pytest.mark.parametrize("order", BOTH)
def test_a_piece_says_its_place(order: ByteOrder) -> None:
    data = build_piece(MIDDLE, bytes(2000), order)
    assert parse_piece(_header(), data, order) == MIDDLE
    assert data[HEADER_BYTES:] == bytes(2000)


@pytest.mark.parametrize(
    "numbers",
    [
        MIDDLE._replace(number=0),
        MIDDLE._replace(number=5),
        MIDDLE._replace(number=1),
        MIDDLE._replace(offset=0),
        MIDDLE._replace(total=5999),
        MIDDLE._replace(total=6000),
        MIDDLE._replace(column=70_000),
        MIDDLE._replace(pieces=5),
    ],
)
def test_numbers_that_do_not_agree_are_no_numbers(numbers: PieceHeader) -> None:
    assert parse_piece(_header(), build_piece(numbers, bytes(2000), ByteOrder.BIG), ByteOrder.BIG) is None


def test_continued_and_rec_count_have_to_agree_too() -> None:
    data = build_piece(MIDDLE, bytes(2000), ByteOrder.BIG)
    assert parse_piece(_header(continued=0), data, ByteOrder.BIG) is None
    assert parse_piece(_header(rec_count=3), data, ByteOrder.BIG) is None


def test_the_other_byte_order_does_not_fit() -> None:
    assert parse_piece(_header(), build_piece(MIDDLE, bytes(2000), ByteOrder.BIG), ByteOrder.LITTLE) is None


AGREE: dict[str, tuple[PieceHeader, int, int, int]] = {
    "the only one": (PieceHeader(0, 1, 1, 0, 1), 1, 0, 1),
    "the first": (PieceHeader(0xFFFF, 1, 2, 0, 5), 4, 1, 2),
    "the last": (PieceHeader(1, 2, 2, 4, 5), 1, 0, 2),
    "the last of 255": (PieceHeader(1, 255, 255, 4, 5), 1, 0, 255),
    "one of 300": (PieceHeader(1, 256, 300, 4, 50), 1, 1, 255),
}
"""Numbers of a piece, the size of its value, Continued and RecCount that agree."""


@pytest.mark.parametrize(("numbers", "size", "continued", "rec_count"), AGREE.values(), ids=AGREE)
def test_numbers_that_agree_are_taken(numbers: PieceHeader, size: int, continued: int, rec_count: int) -> None:
    data = build_piece(numbers, bytes(size), ByteOrder.BIG)
    assert data[:HEADER_BYTES] == b"".join(number.to_bytes(4, "big") for number in numbers)
    assert parse_piece(_header(continued=continued, rec_count=rec_count), data, ByteOrder.BIG) == numbers
    for other in (numbers._replace(column=0x10000), numbers._replace(total=numbers.offset + size - 1)):
        data = build_piece(other, bytes(size), ByteOrder.BIG)
        assert parse_piece(_header(continued=continued, rec_count=rec_count), data, ByteOrder.BIG) is None


def test_a_number_that_does_not_fit_is_named() -> None:
    with pytest.raises(CannotWrite) as caught:
        build_piece(MIDDLE._replace(total=1 << 32), b"", ByteOrder.BIG)
    assert caught.value.problem == "LOB piece cannot be written"


@pytest.mark.parametrize("data", [b"", bytes(HEADER_BYTES), b"The first cup moistens my lips and throat"])
def test_other_data_says_nothing(data: bytes) -> None:
    assert parse_piece(_header(), data, ByteOrder.BIG) is None


def test_a_piece_without_a_byte_says_nothing() -> None:
    data = build_piece(PieceHeader(3, 1, 1, 0, 0), b"", ByteOrder.BIG)
    assert parse_piece(_header(continued=0, rec_count=1), data, ByteOrder.BIG) is None


@given(st.binary(max_size=60), st.integers(0, 255), st.integers(0, 1))
def test_garbage_is_no_error(data: bytes, rec_count: int, continued: int) -> None:
    parse_piece(_header(continued=continued, rec_count=rec_count), data, ByteOrder.BIG)


def test_a_number_over_32_bits_cannot_be_written() -> None:
    with pytest.raises(CannotWrite):
        build_piece(MIDDLE._replace(total=1 << 32), b"", ByteOrder.BIG)


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
        assert [(lob.column, lob.size, lob.total, lob.is_whole) for lob in found] == [
            (1, len(TEXT), len(TEXT), True),
            (4, len(BYTES), len(BYTES), True),
        ]
        assert {lob.base for lob in found} == {FilePosition(path, base.length)}
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
        assert look(path, rba)[0].base == FilePosition(paths[0], 0)


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
    assert [(lob.is_before, lob.total) for lob in look(path, 0)] == [(True, len(TEXT)), (False, len(BYTES))]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda numbers: numbers._replace(total=999), "disagree about its length"),
        (lambda numbers: numbers._replace(offset=1), "comes after byte 64"),
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
    assert any(problem in text for text in lob.problems)
    assert not lob.is_whole


def test_pieces_of_an_unknown_layout_are_taken_in_order(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), *plain(b"one ", b"two ", b"three"), *plain(b"other"), row())
    assert [(lob.column, lob.pieces, lob.total, lob.is_whole) for lob in look(path, 0)] == [
        (None, 3, None, True),
        (None, 1, None, True),
    ]
    assert [value_of(path, 0, ordinal) for ordinal in (1, 2)] == [b"one two three", b"other"]


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ([row(), *plain(b"a", b"b", b"c")[:2], row()], "its last piece is missing"),
        ([row(), *plain(b"a", b"c", rec_count=3), row()], "2 pieces found, RecCount is 3"),
        ([*plain(b"a", b"b"), row()], "its base record was not found"),
    ],
)
def test_what_is_wrong_with_an_unknown_layout_is_told(records: list[Record], problem: str, tmp_path: Path) -> None:
    (lob,) = look(trail_of(tmp_path, *records), 0)
    assert any(problem in text for text in lob.problems)


def test_damage_between_pieces_of_an_unknown_layout_is_told(tmp_path: Path) -> None:
    first, second = plain(b"a", b"b")
    (lob,) = look(trail_of(tmp_path, row(), first, GARBAGE, second), 0)
    assert any("damage at RBA" in problem for problem in lob.problems)


def test_a_row_without_pieces_has_no_lob(tmp_path: Path) -> None:
    assert look(trail_of(tmp_path, row(), row()), 0) == []


def test_what_is_no_row_has_no_lobs(trails: Path) -> None:
    with pytest.raises(BadData, match="belongs to no row"):
        look(trails / "et000000000", 1130)


def test_more_lobs_than_a_row_can_have_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LOBS", 3)
    path = trail_of(tmp_path, row(), *(record for _ in range(4) for record in plain(b"x")))
    with pytest.raises(BadData, match="more LOBs"):
        look(path, 0)


def test_a_large_lob_takes_little_memory(tmp_path: Path) -> None:
    value = bytes(range(256)) * 6000
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


def made(rba: int, path: Path, **fields: object) -> Lob:
    """A LOB of the row at 0 of a file, whole unless ``fields`` say otherwise."""
    whole = Lob(1, 1, False, FilePosition(path, 0), FilePosition(path, rba), 1, 0, None, (), ())
    return whole._replace(**fields)  # type: ignore[arg-type]  # the fields of a Lob


def test_a_lob_says_all_that_is_known_of_it(tmp_path: Path) -> None:
    base = row()
    first, second = pieces(1, TEXT[:100]), plain(b"ab", b"cde")
    path = trail_of(tmp_path, base, *first, *second, *pieces(1, BYTES[:10], image="B"))
    at = base.length + sum(record.length for record in first)
    behind = at + sum(record.length for record in second)
    assert look(path, 0) == [
        made(base.length, path, pieces=2, size=100, total=100),
        made(at, path, ordinal=2, column=None, pieces=2, size=5),
        made(behind, path, ordinal=3, is_before=True, pieces=1, size=10, total=10),
    ]
    assert [value_of(path, at, ordinal) for ordinal in (1, 2, 3)] == [TEXT[:100], b"abcde", BYTES[:10]]


def placed(*places: tuple[int, int, int, int]) -> list[Record]:
    """Pieces of column 1: number, offset, size, total; of 9 of which the last is not there."""
    return [
        make_record(
            header(io_type=LARGE_OBJECT, continued=1, rec_count=9),
            build_piece(PieceHeader(1, number, 9, offset, total), bytes(size), ByteOrder.BIG),
        )
        for number, offset, size, total in places
    ]


WRONG = {
    "a gap": (placed((1, 0, 10, 99), (3, 20, 10, 99)), (Missing(10, 10), Missing(30, 69)), ()),
    "the beginning": (placed((2, 10, 10, 99)), (Missing(0, 10), Missing(20, 79)), ()),
    "another length": (
        placed((1, 0, 10, 99), (2, 10, 10, 98)),
        (Missing(20, 78),),
        ("its pieces disagree about its length, 99 and 98 bytes",),
    ),
    "a piece again": (
        placed((1, 0, 10, 99), (2, 10, 10, 99), (2, 5, 5, 99), (3, 20, 10, 99)),
        (Missing(30, 69),),
        ("a piece at byte 5 comes after byte 20",),
    ),
    "more than there is": (
        placed((1, 0, 10, 99), (3, 20, 10, 40)),
        (Missing(10, 10), Missing(30, 10)),
        ("its pieces disagree about its length, 99 and 40 bytes",),
    ),
}


@pytest.mark.parametrize(("parts", "missing", "problems"), WRONG.values(), ids=WRONG)
def test_what_is_missing_and_what_is_wrong_is_said(
    parts: list[Record], missing: tuple[Missing, ...], problems: tuple[str, ...], tmp_path: Path
) -> None:
    (lob,) = look(trail_of(tmp_path, row(), *parts, row()), 0)
    assert (lob.missing, lob.problems, lob.is_whole) == (missing, problems, False)


def test_no_more_gaps_and_problems_are_kept_than_anybody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_GAPS", 2)
    monkeypatch.setattr(module, "_MOST_PROBLEMS", 1)
    parts = placed((1, 0, 10, 99), (3, 20, 10, 98), (5, 40, 10, 97), (7, 60, 10, 97))
    (lob,) = look(trail_of(tmp_path, row(), *parts, row()), 0)
    assert lob.missing == (Missing(10, 10), Missing(30, 10))
    assert lob.problems == ("its pieces disagree about its length, 99 and 98 bytes",)


UNKNOWN: dict[str, tuple[list[Record], list[tuple[str, ...]]]] = {
    "the last piece is not there": (
        [row(), *plain(b"a", b"b", b"c")[:2], row()],
        [("its last piece is missing",)],
    ),
    "a piece is not there": ([row(), *plain(b"a", b"c", rec_count=3)], [("2 pieces found, RecCount is 3",)]),
    "of more than can be counted": ([row(), *plain(b"a", b"c", rec_count=255)], [()]),
    "of 254": ([row(), *plain(b"a", b"c", rec_count=254)], [("2 pieces found, RecCount is 254",)]),
    "without a base": (
        [*plain(b"a", b"b"), *plain(b"c", rec_count=2)],
        [
            ("its base record was not found; its first pieces may be missing too",),
            ("1 pieces found, RecCount is 2",),
        ],
    ),
}


@pytest.mark.parametrize(("records", "problems"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_wrong_with_lobs_of_an_unknown_layout_is_said(
    records: list[Record], problems: list[tuple[str, ...]], tmp_path: Path
) -> None:
    assert [lob.problems for lob in look(trail_of(tmp_path, *records), 0)] == problems


def test_a_missing_file_is_said_of_the_lob_that_goes_on_in_it(tmp_path: Path) -> None:
    first, second = plain(b"a", b"b")
    path = trail_of(tmp_path, row(), *plain(b"whole"), first, name="tt000000000")
    trail_of(tmp_path, second, row(), name="tt000000002")
    whole, lob = look(path, 0)
    missing = tmp_path / "tt000000001"
    assert whole.problems == ()
    assert lob.problems == (f"damage at RBA 0 of {missing}: the file is missing", "its last piece is missing")
    assert lob.pieces == 1


def test_what_cannot_be_read_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = trail_of(tmp_path, row(), *(record for _ in range(3) for record in plain(b"x")), row())
    with pytest.raises(BadData) as caught:
        value_of(path, 0, 4)
    assert str(caught.value) == f"{path}, RBA 0: LOB 4 is not whole"
    monkeypatch.setattr(module, "MOST_LOBS", 3)
    assert len(look(path, 0)) == 3
    monkeypatch.setattr(module, "MOST_LOBS", 2)
    at = row().length + 2 * plain(b"x")[0].length
    with pytest.raises(BadData) as caught:
        look(path, 0)
    assert str(caught.value) == f"{path}, RBA {at}: more LOBs in a row than there can be"


def test_a_record_that_is_none_of_a_row_is_named(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), table_record(1, "A.B"))
    for rba in (row().length, path.stat().st_size):
        with pytest.raises(BadData) as caught:
            look(path, rba)
        assert str(caught.value) == f"{path}, RBA {rba}: this record belongs to no row"


def columns_of(path: Path, rba: int) -> list[tuple[int | None, bool]]:
    """The LOBs of a row: their columns, and whether each is whole."""
    return [(lob.column, lob.is_whole) for lob in look(path, rba)]


def test_the_lobs_of_the_next_row_are_its_own(tmp_path: Path) -> None:
    records, two = pieces(1, TEXT), pieces(2, BYTES)
    path = trail_of(tmp_path, row(), *records, row(), *two)
    second = row().length + sum(piece.length for piece in records)
    places = (0, row().length, second, second + row().length)
    assert [columns_of(path, rba) for rba in places] == [[(1, True)]] * 2 + [[(2, True)]] * 2


def test_pieces_whose_row_is_not_there_end_where_the_next_row_begins(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *pieces(1, TEXT), row(), *pieces(2, BYTES))
    assert columns_of(path, 0) == [(1, True)]


def test_definitions_and_fragments_stand_between_the_pieces_of_a_row(tmp_path: Path) -> None:
    fragment = make_record(header(io_type=RECORD_FRAGMENT, continued=0), b"more of the row")
    first, *rest = pieces(1, TEXT)
    between = [table_record(1, "TEA.LEAVES"), fragment, fragment]
    path = trail_of(tmp_path, row(continued=1), fragment, first, *between, *rest, row(), *pieces(2, BYTES))
    assert columns_of(path, 0) == [(1, True)]
