"""The columns of the record list, at every width.

A CSN, an XID, an RBA and a name are whole, or end with a mark: at every width, in every pane of columns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment

from fixtures import TRAILS
from logdump.display.listing.stated import marked_story
from logdump.display.record_row import RecordKind, RecordRow
from logdump.notation.times import GMT
from logdump.session.session import Mark
from logdump.session.settings import Settings
from logdump.tui.model.model import Model, TablesRead
from logdump.tui.panes.choice_pane import Choice
from logdump.tui.panes.choices import PANES, PaneContext
from logdump.tui.panes.row_text import GAPS, ColumnNeeds, ColumnWidths, clock_text, columns_for, heading, row_pieces
from logdump.tui.reading.rows import ListRow, RowKind, RowReader
from logdump.tui.reading.state import ORDERS, ListedTransaction, State
from logdump.tui.text.styled import ASCII, UNICODE, Glyphs, cut_line, fit, fit_name, harmless
from tests.searching import examples
from trailformat import TrailFile
from trailformat.index import TableTotals, TransactionSpan
from trailformat.trail.row_definitions import RowDefinitions

SETTINGS = Settings(time_offset=GMT)
_SIZE = 9_999_999_999
WIDTHS = st.integers(60, 200)
GLYPHS = st.sampled_from([UNICODE, ASCII])
NAMES = st.one_of(
    st.text("ABCDEF_.茶é\x1b\u202e", min_size=1, max_size=70),
    st.sampled_from(["TEAHOUSE.ORDERS", "TEAHOUSE.ORDER_LINES", "A", "茶" * 40]),
)
CSNS = st.one_of(st.integers(0, 10**20).map(str), st.text("0123456789ABCDEF:-.\x1b", min_size=1, max_size=60))
RBAS = st.integers(0, _SIZE)
ROWS = st.builds(
    ListRow,
    st.just(RowKind.RECORD),
    RBAS,
    st.integers(1, 1 << 20),
    st.sampled_from(["Insert", "GGSUnifiedUpdate", "GGSUnifiedPKUpdate"]),
    NAMES,
    st.sampled_from([212577168000000386, 2**63 - 1]),
    st.sampled_from([None, 0, 1, 2, 3]),
    st.integers(0, 1 << 31),
    st.none() | CSNS,
    table_index=st.none(),
    is_csn_known=st.just(True),
    is_restart=st.just(False),
    facts=st.none(),
    story=st.just(""),
)
SPANS = st.builds(
    TransactionSpan,
    RBAS,
    st.none() | RBAS,
    st.integers(1, 10**8),
    st.integers(0, 10**10),
    st.sampled_from([frozenset("A"), frozenset("ABCDEFGHIJKL")]),
    st.just(0),
    st.integers(0, 10**12),
)
TRANSACTIONS = st.lists(st.builds(ListedTransaction, SPANS, CSNS, CSNS | st.just("")), min_size=1, max_size=4)


def is_whole_or_marked(cell: str, value: str, glyphs: Glyphs) -> bool:
    """Whether a cell shows all of a value, or as much as there is room for and the mark."""
    shown, full = cell.strip(), harmless(value, glyphs).strip()
    return shown == full or (shown.endswith(glyphs.cut) and full.startswith(shown[:-1].strip()))


def cells_of(text: str, columns: ColumnWidths) -> dict[str, str]:
    """The cells of a row's text, by the places of their columns; wide characters stand for two of them."""
    padded = "".join(character + "\0" * (cell_len(character) - 1) for character in text)
    found, at = {}, 0
    for name, width, gap in [("rba", columns.rba, 0), *((name, width, GAPS[name]) for name, width in columns.shown)]:
        found[name] = padded[at + gap : at + gap + width].replace("\0", "")
        at += gap + width
    assert padded[at:].strip() == ""
    return found


@settings(max_examples=examples(40))
@given(st.lists(ROWS, min_size=1, max_size=5), WIDTHS, GLYPHS)
def test_every_cell_of_the_list(rows: list[ListRow], width: int, glyphs: Glyphs) -> None:
    columns = columns_for(width, _SIZE, ColumnNeeds().of(rows, glyphs))
    assert cell_len(heading(columns)) <= width - 1
    for row in rows:
        cells = cells_of("".join(text for text, _ in row_pieces(row, columns, SETTINGS, glyphs)), columns)
        assert cells["rba"].strip() == str(row.rba)
        assert is_whole_or_marked(cells.get("operation", row.operation), row.operation, glyphs)
        table = row.table.removeprefix(f"{columns.schema}.") if columns.schema else row.table
        shown, name = cells.get("table", harmless(table, glyphs)).strip(), table.rpartition(".")[2]
        assert is_whole_or_marked(shown, table, glyphs) or is_whole_or_marked(
            shown.removeprefix(glyphs.cut), name, glyphs
        )
        assert is_whole_or_marked(cells.get("csn", harmless(row.csn or "", glyphs)), row.csn or "", glyphs)
        clock = clock_text(row, SETTINGS)
        shown = cells.get("clock", clock)
        assert shown == clock[:8] or is_whole_or_marked(shown, clock, glyphs)


@settings(max_examples=examples(40))
@given(st.lists(ROWS, min_size=1, max_size=5), WIDTHS)
def test_a_csn_that_is_shown_is_whole(rows: list[ListRow], width: int) -> None:
    needs = ColumnNeeds().of(rows, UNICODE)
    assert columns_for(width, _SIZE, needs).csn in (0, max(4, needs.csn))


def lines_of(pane: str, model: Model, width: int, glyphs: Glyphs) -> tuple[str, list[Choice]]:
    """Heading and lines of a pane of choices."""
    return PANES[pane].lines(PaneContext(model, glyphs, width))


@settings(max_examples=examples(40))
@given(TRANSACTIONS, st.sampled_from(sorted(ORDERS)), WIDTHS, GLYPHS)
def test_every_cell_of_the_transactions(
    transactions: list[ListedTransaction], order: str, width: int, glyphs: Glyphs
) -> None:
    model = Model()
    model.transactions, model.order = tuple(transactions), order
    title, choices = lines_of("transactions", model, width, glyphs)
    assert f"[{order}]" in title or "begin RBA" in title
    for transaction, choice in zip(sorted(transactions, key=ORDERS[order], reverse=True), choices, strict=True):
        words = choice.text.split()
        assert cell_len(choice.text) <= width - 1
        assert words[0] == str(transaction.span.begin)
        for value in (transaction.csn, transaction.xid):
            whole = harmless(value, glyphs)
            assert whole in choice.text or choice.text.rstrip().endswith(glyphs.cut) or "xid" not in title


@settings(max_examples=examples(40))
@given(st.dictionaries(NAMES, st.builds(TableTotals, RBAS, RBAS), min_size=1, max_size=4), WIDTHS, GLYPHS)
def test_every_cell_of_the_tables(tables: dict[str, TableTotals], width: int, glyphs: Glyphs) -> None:
    model = Model()
    model.tables_read = TablesRead(tables)
    _, choices = lines_of("tables", model, width, glyphs)
    names = sorted(tables, key=lambda name: (-tables[name].records, name))
    for name, choice in zip(names, choices, strict=True):
        assert cell_len(choice.text) <= width - 1
        assert f"{tables[name].records:,}" in choice.text
        assert harmless(name, glyphs) in choice.text or glyphs.cut in choice.text


@settings(max_examples=examples(40))
@given(st.lists(st.builds(Mark, NAMES, st.builds(Path, NAMES), RBAS, NAMES), min_size=1, max_size=3), WIDTHS, GLYPHS)
def test_every_cell_of_the_marks(marks: list[Mark], width: int, glyphs: Glyphs) -> None:
    model = Model()
    model.state = State(marks=tuple(marks))
    _, choices = lines_of("marks", model, width, glyphs)
    for mark, choice in zip(sorted(marks), choices, strict=True):
        assert cell_len(choice.text) <= width - 1
        assert str(mark.rba) in choice.text
        assert harmless(mark.note, glyphs) in choice.text or glyphs.cut in choice.text


@settings(max_examples=examples(40))
@given(NAMES, st.integers(1, 90), GLYPHS)
def test_a_text_is_whole_or_marked_in_any_number_of_cells(text: str, width: int, glyphs: Glyphs) -> None:
    shown = fit(text, width, glyphs)
    assert cell_len(shown) == width
    assert is_whole_or_marked(shown, text, glyphs)


@settings(max_examples=examples(40))
@given(st.lists(NAMES, min_size=1, max_size=4), st.integers(1, 120))
def test_a_line_is_whole_or_marked(texts: list[str], width: int) -> None:
    texts = [harmless(text, UNICODE) for text in texts]
    shown = "".join(segment.text for segment in cut_line([Segment(text) for text in texts], width, "…"))
    assert cell_len(shown) <= width
    assert is_whole_or_marked(shown, "".join(texts), UNICODE)


@given(st.integers(8, 60), GLYPHS)
def test_tables_of_a_long_schema_are_told_apart(width: int, glyphs: Glyphs) -> None:
    names = [f"{'WAREHOUSE' * 6}.{name}" for name in ("TEAS", "SALES", "STOCK")]
    shown = [fit_name(name, width, glyphs) for name in names]
    assert len({*shown}) == len(names)
    assert {cell_len(text) for text in shown} == {width}


ROW = ListRow(
    RowKind.RECORD, 2014, 175, "GGSUnifiedPKUpdate", "HR." + "EMPLOYEES" * 20, 212577168000000386, 0, 28, "4881203"
)
STORY = RecordRow(RecordKind.UPDATE, ROW.operation, ROW.rba, ROW.length, ROW.time, ROW.table, note="x" * 300)
ROW = ROW._replace(facts=STORY, story=marked_story(STORY))


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
    return ROW._replace(table=table, facts=STORY._replace(table=table))


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
    return ROW._replace(operation="FieldComp", table="HR.EMPLOYEES", facts=story, story=marked_story(story))


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
