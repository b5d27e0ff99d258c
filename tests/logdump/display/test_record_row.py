"""A record as one short line, on the fixtures and on values of every form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.listing.lines import StoryRole
from logdump.display.listing.stated import marked_stories, row_text, story_pieces
from logdump.display.listing.values import ASCII_MARKS, UNICODE_MARKS
from logdump.display.record_row import RecordKind, RecordRow, RecordRows
from tests.oracles.listed_line import story_of
from tests.searching import some_trails
from trailformat import TrailFile
from trailformat.changes.transaction_context import TransactionContext
from trailformat.trail.row_definitions import RowDefinitions

ASSAM = "NAME 'Assam Golden Tips', ORIGIN 'Assam', GRADE 'B ', PRICE 6.40, STOCK_KG 260"
SENCHA = "NAME 'Sencha Fukamushi', ORIGIN 'Shizuoka', GRADE 'A ', PRICE 9.40, STOCK_KG 120"


def rows_of(name: str) -> Iterator[RecordRow]:
    with TrailFile(TRAILS / name) as trail:
        rows = RecordRows(trail, RowDefinitions(trail), TransactionContext(trail))
        yield from map(rows.of, trail.records())


def line_at(name: str, rba: int) -> tuple[str, str, str, str]:
    row = next(row for row in rows_of(name) if row.rba == rba)
    return row.kind.value, row.operation, row.table, row_text(row)


@pytest.mark.parametrize(
    ("rba", "line"),
    [
        (3069, ("I", "Insert", "TEAHOUSE.TEAS", "ASS02  " + ASSAM)),
        (3260, ("U", "FieldComp", "TEAHOUSE.TEAS", "SEN01  PRICE →9.40")),
        (3391, ("U", "FieldComp", "TEAHOUSE.TEAS", "ASS02  before image of the update at RBA 3522")),
        (3522, ("U", "FieldComp", "TEAHOUSE.TEAS", "ASS02  STOCK_KG 260→310")),
        (4427, ("U", "GGSUnifiedUpdate", "TEAHOUSE.SALES", "500003  NOTE NULL→'for a friend'")),
        (4767, ("U", "GGSUnifiedPKUpdate", "TEAHOUSE.TEAS", "ASS01→ASS09  PRICE 6.40→6.80")),
        (5183, ("D", "Delete", "TEAHOUSE.TEAS", "SEN01  " + SENCHA)),
        (5352, ("T", "GGSPurgedata", "TEAHOUSE.SALES", "")),
        (1261, ("M", "Metadata", "TEAHOUSE.TEAS", "6 columns, key TEA_CODE")),
        (1130, ("M", "Metadata", "", "database TEADB")),
        (0, ("F", "FileHeader", "", "ORACLE")),
    ],
)  # fmt: skip
def test_a_change_is_its_key_and_what_differs(rba: int, line: tuple[str, str, str, str]) -> None:
    assert line_at("et000000000", rba) == line


def test_a_ddl_record_is_its_statement_in_one_line_and_its_object() -> None:
    operation, table, statement = line_at("zt000000000", 1130)[1:]
    assert (operation, table) == ("CREATE TABLE", "TEAHOUSE.HERBS")
    assert statement == "create table HERBS (code varchar(6) primary key, name varchar(40))"


def test_a_statement_that_goes_on_in_fragments_is_shown_from_its_beginning() -> None:
    assert line_at("zt000000000", 7040)[3].startswith("comment on table TEAHOUSE.TEAS is 'a tea is steeped, not boiled")


def test_a_piece_names_the_column_of_its_lob() -> None:
    assert line_at("kt000000000", 2388) == ("L", "LargeObject", "TEAHOUSE.TEAS", "ORIGIN piece 2 of 3, 84 bytes")


def test_a_restart_is_a_row_of_its_own_kind() -> None:
    assert line_at("at000000000", 3083)[::3] == ("R", "Extract has started again after it abended")


def test_every_row_of_a_transaction_has_its_csn_and_xid() -> None:
    known = {row.rba: (row.csn, row.xid) for row in rows_of("et000000000")}
    assert known[2892] == ("41882317", "5.1.8801")
    assert known[2170] == (None, None)


def test_columns_without_a_definition_are_their_bytes() -> None:
    assert line_at("ot000000", 2032)[3] == "column 0 ?'000547594f3031'→?'000547594f3032'"


@pytest.mark.parametrize("path", some_trails(TRAILS.iterdir(), __name__), ids=lambda path: path.name)
def test_each_record_of_any_trail_has_a_line_that_a_terminal_can_be_given(path: Path) -> None:
    with TrailFile(path) as trail:
        rows = RecordRows(trail, RowDefinitions(trail), TransactionContext(trail))
        made = [
            rows.of(record) for rba in trail.sound_rbas(0, trail.size) if (record := trail.record_at(rba)) is not None
        ]
    for row, marked in zip(made, marked_stories(made), strict=True):
        assert row_text(row).isprintable()
        for marks in (UNICODE_MARKS, ASCII_MARKS):
            assert [*story_pieces(marked, marks)] == [piece for piece in story_of(row, marks) if piece.text]


def test_pieces_have_roles() -> None:
    row = next(row for row in rows_of("et000000000") if row.rba == 3522)
    roles = [(piece.role, piece.text) for piece in story_pieces(marked_stories([row])[0])]
    assert roles == [
        (StoryRole.KEY, "ASS02"),
        (StoryRole.GAP, "  "),
        (StoryRole.NAME, "STOCK_KG "),
        (StoryRole.BEFORE, "260"),
        (StoryRole.NOTE, "→"),
        (StoryRole.AFTER, "310"),
    ]


def test_a_terminal_with_ascii_alone_has_marks_of_its_own() -> None:
    row = next(row for row in rows_of("et000000000") if row.rba == 3522)
    assert row_text(row, ASCII_MARKS) == "ASS02  STOCK_KG 260->310"


def test_letters_are_different() -> None:
    letters = [kind.value for kind in RecordKind]
    assert len(set(letters)) == len(letters)
