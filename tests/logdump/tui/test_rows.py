"""Rows and pages of the list against the pieces that a file is made of, each byte, step and width."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.session.session import Session
from logdump.tui.reading.rows import (
    Matches,
    MatchingRows,
    Page,
    PageRequest,
    RowKind,
    RowReader,
    read_page,
    with_neighbours,
)
from tests.logdump.line import Line
from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, TrailFile

INSERT, DELETE, UPDATE = (row(text, io_type=io_type) for text, io_type in ((b"leaf", 5), (b"leaves", 3), (b"le", 15)))
HALF = INSERT.raw[:20]
FILES: dict[str, list[Record | bytes]] = {
    "plain": [INSERT, DELETE, UPDATE, INSERT, DELETE],
    "damaged": [INSERT, GARBAGE, DELETE, UPDATE, GARBAGE, INSERT],
    "ends in damage": [INSERT, DELETE, GARBAGE],
    "ends in half a record": [INSERT, GARBAGE, DELETE, INSERT, HALF],
    "begins with damage": [GARBAGE, DELETE, UPDATE, GARBAGE],
    "one record": [UPDATE],
}


class Piece(NamedTuple):
    """A row of the list, as it has to be."""

    kind: RowKind
    rba: int
    length: int

    @property
    def end(self) -> int:
        return self.rba + self.length


def _pieces(contents: list[Record | bytes]) -> list[Piece]:
    """The rows of a file, the last of them its end."""
    pieces, rba = [], 0
    for content in contents:
        kind = RowKind.RECORD if isinstance(content, Record) else RowKind.PARTIAL if content == HALF else RowKind.BAD
        length = content.length if isinstance(content, Record) else len(content)
        pieces.append(Piece(kind, rba, length))
        rba += length
    return [*pieces, Piece(RowKind.END, rba, 0)]


def _shown(page: Page) -> list[tuple[RowKind, int, int]]:
    return [(shown.kind, shown.rba, shown.length) for shown in page.rows]


def _expected(pieces: list[Piece], at: int, request: PageRequest) -> tuple[list[Piece], int, bool, bool]:
    """The rows of a page, which of them is the one that was asked for, and whether they reach both ends."""
    here = min(max(at + request.step, 0), len(pieces) - 1)
    first = max(here - request.around, 0)
    stop = here + request.around + 1
    return pieces[first:stop], here - first, first == 0, stop >= len(pieces)


def _at(pieces: list[Piece], rba: int) -> int:
    """The row with the byte at an RBA, or the first one behind it."""
    return next((number for number, piece in enumerate(pieces) if rba < piece.end), len(pieces) - 1)


@pytest.mark.parametrize("name", FILES)
def test_a_page_has_the_rows_around_any_byte_and_step(name: str, tmp_path: Path) -> None:
    pieces, path, draw = _pieces(FILES[name]), trail_of(tmp_path, *FILES[name]), Random(name)
    with TrailFile(path) as trail:
        reader, end = RowReader(trail), trail.size
        for rba in (*(piece.rba for piece in pieces), *(draw.randrange(end) for _ in range(8)), end + 50, None):
            at = _at(pieces, end if rba is None else rba)
            for step in range(-3, 4):
                request = PageRequest(rba, step, draw.randrange(4))
                page = read_page(reader, request, end)
                expected = _expected(pieces, at, request)
                assert (_shown(page), page.at, page.is_first, page.is_last) == expected, request
        for number, piece in enumerate(pieces):
            before = reader.before(piece.rba)
            assert (before.rba if before is not None else None) == (pieces[number - 1].rba if number else None)


PASSING = {
    "filter include rectype insert": (5,),
    "filter exclude rectype insert": (3, 15),
    "filter include rectype 200": (),
}


def _passing(name: str, types: tuple[int, ...]) -> list[Piece]:
    """The rows under a filter: damage passes always."""
    shown = _pieces(FILES[name])
    kinds = {INSERT.length: 5, DELETE.length: 3, UPDATE.length: 15}
    return [piece for piece in shown if piece.kind is not RowKind.RECORD or kinds[piece.length] in types]


@pytest.mark.parametrize("filters", PASSING)
@pytest.mark.parametrize("name", FILES)
def test_a_page_under_a_filter_has_the_rows_that_pass_however_the_file_has_grown(
    name: str, filters: str, tmp_path: Path
) -> None:
    """The file is written in three parts, cut at any byte behind the first record; the scan goes on after each."""
    content, draw = trail_of(tmp_path, *FILES[name]).read_bytes(), Random(name + filters)
    path = tmp_path / "gg000000000"
    line = Line()
    line(filters)
    given = line.session.filters_in_use
    assert given is not None
    matches, session = Matches(given), Session()
    least = next(piece.end for piece in _pieces(FILES[name]) if piece.kind is RowKind.RECORD)
    for size in sorted([draw.randint(least, len(content)), draw.randint(least, len(content)), len(content)]):
        path.write_bytes(content[:size])
        session.open(path)
        for _ in matches.extend(session):
            pass
    pieces = _passing(name, PASSING[filters])
    records = sum(piece.kind is RowKind.RECORD for piece in pieces)
    assert (matches.records, matches.covered) == (records, len(content))
    assert matches.lacks().damaged == sum(piece.kind is RowKind.BAD for piece in pieces)
    rows = MatchingRows(RowReader(session.trail), matches, len(content))
    for rba in (0, *(draw.randrange(len(content)) for _ in range(8)), len(content)):
        request = PageRequest(rba, draw.randrange(-2, 3), draw.randrange(4))
        page = read_page(rows, request, len(content))
        assert (_shown(page), page.at, page.is_first, page.is_last) == _expected(pieces, _at(pieces, rba), request)
    session.end()


def test_a_scan_that_has_not_reached_the_end_says_that_there_may_be_more(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *FILES["plain"])
    with TrailFile(path) as trail:
        line = Line()
        line("filter include rectype insert")
        given = line.session.filters_in_use
        assert given is not None
        matches = Matches(given)
        matches.rbas.append(0)
        matches.covered = pieces_end = INSERT.length + DELETE.length
        rows = MatchingRows(RowReader(trail), matches, trail.size)
        page = read_page(rows, PageRequest(0, 5, 2), trail.size)
        assert _shown(page) == [(RowKind.RECORD, 0, INSERT.length), (RowKind.MORE, pieces_end, 0)]
        assert (page.at, page.is_last) == (1, True)


@pytest.mark.parametrize("around", [1, 2, 9])
def test_a_page_at_the_end_of_a_file_has_rows_of_the_files_beside_it(around: int, tmp_path: Path) -> None:
    names = ["damaged", "plain", "ends in damage"]
    paths = [trail_of(tmp_path, *FILES[name], name=f"tt{number:09}") for number, name in enumerate(names)]
    before, here, after = (_pieces(FILES[name]) for name in names)
    session = Session()
    trail = session.open(paths[1])
    for at in range(len(here)):
        request = PageRequest(here[at].rba, 0, around, paths[0], paths[2])
        page = with_neighbours(read_page(RowReader(trail), request, trail.size), request, session)
        rows, place, is_first, is_last = _expected(here, at, request)
        above = before[max(0, len(before) - around - 1) :] if is_first else []
        below = after[: around + 1] if is_last else []
        assert (_shown(page), page.at) == (rows, place)
        assert [row.rba for row in page.above] == [piece.rba for piece in above]
        assert [row.rba for row in page.below] == [piece.rba for piece in below]
        known = [*((number - len(above), piece) for number, piece in enumerate(above)), *enumerate([*rows, *below])]
        assert [page.row_at(number).rba for number, _ in known] == [piece.rba for _, piece in known]
    session.end()
