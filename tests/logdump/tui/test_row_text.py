"""The columns of the record list, at every width."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from fixtures import TRAILS
from logdump.display.record_row import RecordKind, RecordRow
from logdump.notation.times import GMT
from logdump.session.settings import Settings
from logdump.tui.panes.row_text import ColumnNeeds, ColumnWidths, clock_text, columns_for, heading, row_pieces
from logdump.tui.reading.rows import ListRow, RowKind, RowReader
from logdump.tui.text.styled import ASCII, UNICODE
from trailformat import TrailFile
from trailformat.trail.row_definitions import RowDefinitions

SETTINGS = Settings(time_offset=GMT)
ROW = ListRow(
    RowKind.RECORD, 2014, 175, "GGSUnifiedPKUpdate", "HR." + "EMPLOYEES" * 20, 212577168000000386, 0, 28, "4881203"
)
STORY = RecordRow(RecordKind.UPDATE, ROW.operation, ROW.rba, ROW.length, ROW.time, ROW.table, note="x" * 300)
ROW = ROW._replace(story=STORY)


def columns_of(row: ListRow, width: int) -> ColumnWidths:
    return columns_for(width, 9_999_999_999, ColumnNeeds().of([row], UNICODE))


def text_of(row: ListRow, width: int, *, plain: bool = False) -> str:
    columns = columns_of(row, width)
    return "".join(text for text, _ in row_pieces(row, columns, SETTINGS, ASCII if plain else UNICODE))


@pytest.mark.parametrize("width", range(20, 160, 7))
def test_a_row_fits_beside_the_cursor_and_the_scroll_bar(width: int) -> None:
    columns = columns_of(ROW, width)
    assert cell_len(heading(columns)) <= width
    assert cell_len(text_of(ROW, width)) == len(heading(columns)) - 1
    assert cell_len(text_of(ROW, width)) <= width - 2


def named(table: str) -> ListRow:
    return ROW._replace(table=table, story=STORY._replace(table=table))


def test_a_name_of_wide_characters_takes_its_two_cells() -> None:
    assert cell_len(text_of(named("茶" * 80), 80)) == cell_len(text_of(ROW, 80))


def test_control_characters_of_a_name_are_escaped() -> None:
    assert "\x1b" not in text_of(named("A\x1b[2J"), 120)
    assert "A\\x1b[2J" in text_of(named("A\x1b[2J"), 120)


def test_ascii_alone_is_enough() -> None:
    assert text_of(ROW, 120, plain=True).isascii()


@pytest.mark.parametrize(("place", "glyph"), [(0, "┌"), (1, "│"), (2, "└"), (3, "─"), (9, "?"), (None, " ")])
def test_the_place_in_the_transaction(place: int | None, glyph: str) -> None:
    assert f"  {glyph} U " in text_of(ROW._replace(place=place), 120)


def told(**facts: Any) -> ListRow:
    """A row of an update that says this much."""
    story = RecordRow(RecordKind.UPDATE, "FieldComp", 2014, 175, ROW.time, "HR.EMPLOYEES", **facts)
    return ROW._replace(operation="FieldComp", table="HR.EMPLOYEES", story=story)


def test_what_a_record_says_is_cut_with_a_mark_and_only_where_it_must() -> None:
    assert text_of(told(note="short"), 80).rstrip().endswith("EMPLOYEES  short")
    assert text_of(told(note="y" * 99), 80).endswith("y…")


def test_the_schema_that_all_tables_have_goes_first_and_the_table_stays_whole() -> None:
    assert " EMPLOYEES  " in text_of(told(note="y" * 99), 60)
    assert " HR.EMPLOYEES  " in text_of(told(note="y" * 99), 140)
    columns = columns_for(60, 9999, ColumnNeeds().of([told(note="y" * 99), named("OE.ORDERS")], UNICODE))
    assert columns.schema == ""


def test_the_time_has_a_fraction_where_a_record_has_one() -> None:
    whole = told(note="y" * 99)._replace(time=212577168000000000)
    assert columns_of(whole, 160).clock == len("09:33:00")
    assert columns_of(told(note="y" * 99), 160).clock == len("09:33:00.000386")


def test_values_before_and_after_have_styles_of_their_own() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        reader = RowReader(trail, RowDefinitions(trail))
        [row] = reader.for_screen([reader.at(3522)])
    styles = {style: text for text, style in row_pieces(row, columns_of(row, 100), SETTINGS, UNICODE)}
    assert (styles["key"], styles["before"], styles["after"], styles["update"]) == ("ASS02", "260", "310", " U")


def test_a_time_that_is_none_is_shown_as_hex() -> None:
    assert clock_text(ROW._replace(time=2**63 - 1), SETTINGS) == "x7fffffffffffffff"


def test_damage_says_what_it_is_and_how_to_go_on() -> None:
    row = ListRow(RowKind.BAD, 2575, 236, problem="no record starts here, found x00")
    assert "! bad record, 236 bytes: no record starts here, found x00 - SFH continues" in text_of(row, 120)
