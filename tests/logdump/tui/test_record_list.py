"""The record list by itself: pages that come late, steps while rows are read, and where a filter leaves the cursor.

The columns of the list that the user has chosen: order, width, hidden ones; kept from one session to the next.
Walking over the rows of a file: the same rows in either direction, and from any byte.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fixtures import TRAILS
from logdump.session.session import Session
from logdump.tui.keys.kept_choices import COLUMNS, KeptChoices, ListColumn, parse_columns
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.row_text import ColumnNeeds, columns_for, heading, row_pieces
from logdump.tui.reading.rows import ListRow, PageRequest, RowKind, RowReader, read_page
from logdump.tui.reading.state import state_of
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.styled import UNICODE
from tests.logdump.line import Line
from tests.logdump.tui.drive import Screen, drive, rba_of
from tests.logdump.tui.test_row_text import SETTINGS, told
from tests.searching import some_trails
from trailformat import TrailFile

CHOSEN = st.permutations(COLUMNS).flatmap(
    lambda columns: st.tuples(
        *(st.builds(ListColumn, st.just(column.name), st.integers(-300, 300), st.booleans()) for column in columns)
    )
)
ROW = told(note="y" * 40)


@given(CHOSEN)
def test_columns_are_kept_as_they_are(columns: tuple[ListColumn, ...]) -> None:
    assert parse_columns(" ".join(column.text for column in columns)) == columns


@pytest.mark.parametrize("text", ["", "nothing +5 -", "what+9999", "clock clock -clock", "\0"])
def test_every_column_is_there_whatever_the_file_says(text: str) -> None:
    columns = parse_columns(text)
    assert sorted(column.name for column in columns) == sorted(column.name for column in COLUMNS)
    assert max(abs(column.more) for column in columns) <= 300


@given(CHOSEN, st.integers(20, 200))
def test_whatever_is_chosen_fits_into_the_list_in_its_order(columns: tuple[ListColumn, ...], width: int) -> None:
    widths = columns_for(width, 9999, ColumnNeeds().of([ROW], UNICODE), columns)
    shown = [name for name, _ in widths.shown]
    assert shown == [column.name for column in columns if column.name in shown]
    assert not {column.name for column in columns if column.is_hidden} & {*shown}
    row = "".join(text for text, _ in row_pieces(ROW, widths, SETTINGS, UNICODE))
    assert cell_len(row) == cell_len(heading(widths)) - 1 <= width - 2


def test_a_wider_column_takes_its_cells_from_what_the_records_say() -> None:
    needs = ColumnNeeds().of([ROW], UNICODE)
    usual = columns_for(120, 9999, needs)
    wider = columns_for(120, 9999, needs, parse_columns("table+6"))
    assert (wider.table - usual.table, wider.what - usual.what) == (6, -6)


def test_keys_hide_widen_and_move_a_column_and_the_next_session_has_it_so(tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "screen"

    async def choose(screen: Screen) -> None:
        await screen.press("C", "enter", "j", "j", "j", "j", "right", "right", "less_than_sign", "escape")
        assert screen.app.focused is screen.app.records

    async def see(screen: Screen) -> None:
        [head] = [line for line in screen.text.splitlines() if line.lstrip().startswith("RBA ")]
        assert "time" not in head
        assert head.index("T") < head.index("table") < head.index("key, what")

    drive(choose, place="records", appearance=Appearance(choices=KeptChoices(kept)))
    assert "columns = -clock csn kind table+4 operation what" in kept.read_text()
    drive(see, place="records", appearance=Appearance(choices=KeptChoices(kept)))


def test_a_choice_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def steps(screen: Screen) -> None:
        await screen.press("C", "minus")
        assert "The choice is not kept: File exists." in screen.text

    drive(steps, place="records", appearance=Appearance(choices=KeptChoices(tmp_path / "file" / "screen")))


NAMES = some_trails((path.name for path in TRAILS.iterdir() if path.is_file()), __name__)


def forwards(walk: RowReader) -> list[ListRow]:
    row: ListRow | None = walk.at(0)
    found = []
    while row is not None:
        found.append(row)
        row = walk.after(row)
    return found


def backwards(walk: RowReader, end: int) -> list[ListRow]:
    found = [walk.at(end)]
    while (row := walk.before(found[-1].rba)) is not None:
        found.append(row)
    return found[::-1]


@pytest.mark.parametrize("name", NAMES)
def test_back_and_forth_are_the_same_rows(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        assert backwards(RowReader(trail), trail.size) == forwards(RowReader(trail))


@pytest.mark.parametrize("name", NAMES)
def test_rows_lie_end_to_end_up_to_the_size_of_the_file(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        rows = forwards(RowReader(trail))
        assert [row.rba for row in rows] == [0, *(row.end for row in rows[:-1])]
        assert rows[-1] == ListRow(RowKind.END, trail.size, 0)


@pytest.mark.parametrize("name", ["et000000000", "gt000000000", "ct000000000", "fl000000000"])
def test_every_byte_leads_to_the_row_that_holds_it(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        walk = RowReader(trail)
        rows = forwards(walk)
        for row in rows[:-1]:
            assert walk.containing(row.rba) == walk.containing(row.end - 1) == row


def test_damage_is_one_row_up_to_the_next_good_header() -> None:
    with TrailFile(TRAILS / "gt000000000") as trail:
        (bad,) = [row for row in forwards(RowReader(trail)) if row.kind is RowKind.BAD]
        assert trail.next_good_header(bad.rba) == bad.end
        assert bad.problem.startswith("no record starts here")


def test_half_a_record_at_the_end_is_a_row() -> None:
    with TrailFile(TRAILS / "ct000000000") as trail:
        assert forwards(RowReader(trail))[-2].kind is RowKind.PARTIAL


def test_a_name_that_would_take_a_scan_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.tui.reading.rows.NEAR", 0)
    with TrailFile(TRAILS / "et000000000") as trail:
        row = RowReader(trail).at(1811)
        assert (row.table, row.table_index) == ("", 1)


def test_a_file_that_grows_has_more_rows(tmp_path: Path) -> None:
    whole = (TRAILS / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:2008])
    with TrailFile(path) as trail:
        walk = RowReader(trail)
        assert walk.at(2008).kind is RowKind.END
        path.write_bytes(whole)
        assert walk.at(2008).kind is RowKind.RECORD


def test_a_page_that_nobody_waits_for_any_more_changes_nothing() -> None:
    async def steps(screen: Screen) -> None:
        records = screen.app.records
        with TrailFile(TRAILS / "et000000000") as trail:
            late = read_page(RowReader(trail), PageRequest(3260), trail.size)
        assert records.take(PageRequest(3260), late) is None
        assert rba_of(screen) == 0

    drive(steps)


def test_steps_while_rows_are_read_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(screen: Screen) -> None:
        records, asked = screen.app.records, []
        monkeypatch.setattr(RecordList, "post_message", lambda _self, message: asked.append(message.request))
        records.go_to(None, -1)
        records.action_move(-1)
        records.action_move(-2)
        assert [(question.rba, question.step) for question in asked] == [(None, -1), (None, -2), (None, -4)]
        monkeypatch.undo()
        records.go_to(0)

    drive(steps)


def test_a_filter_that_goes_when_the_user_has_moved_shows_rows_all_the_same() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.TEAS")
        await screen.press("escape", "j", "j", "j")
        moved_to = rba_of(screen)
        screen.app.mode.submit("filter clear all")
        await screen.settle()
        assert rba_of(screen) == screen.app.session.cursor.current == moved_to

    drive(steps)


def test_the_filter_of_a_state_is_not_that_of_the_session(shop: Line) -> None:
    shop("filter include filename TEAHOUSE.TEAS")
    state = state_of(shop.session, 1)
    text = state.filter_text
    shop("filter include filename TEAHOUSE.SALES")
    assert state.filters is not None
    assert state.filters is not shop.session.filters_in_use
    assert len(list(state.filters.entries())) == 1
    assert text != state_of(shop.session, 1).filter_text


OTHER_VALUES = {
    "RECTYPE": ("insert", "update"),
    "FILENAME": ("TEAHOUSE.TEAS", "TEAHOUSE.SALE"),
    "STRING": ('"ASS01"', '"ASS02"'),
    "HEX": ("41535330", "53454e30"),
    "INT16": ("5", "7"),
    "INT32": ("5", "7"),
    "STARTTIME": ("2024-03-14 09:31:00", "2024-03-14 09:31:00.000001"),
    "CSN": ("> 41882317", ">= 41882317"),
    "GGSTOKEN": ("TRANID = 5.1.8801", "TRANID = 5.1.8802"),
    "USERTOKEN": ("TKN-HOST", "TKN-HOST = 1"),
    "RBA": ("> 2000", "< 2000"),
    "TRANSIND": ("first", "last"),
    "VALUE": ("STOCK_KG > 0", "STOCK_KG >= 0"),
}
"""Two values of each kind of criterion, as like each other as they can be."""


@pytest.mark.parametrize("option", OTHER_VALUES)
def test_a_line_that_puts_a_filter_in_place_of_another_brings_other_rows(option: str, shop: Line) -> None:
    states = []
    for which, value in itertools.product(("include", "exclude"), OTHER_VALUES[option]):
        shop(f"filter clear all; filter {which} {option} {value}")
        states.append(state_of(shop.session, 1))
    for before, after in itertools.product(states, repeat=2):
        assert after.has_other_rows(before) == (after is not before)
    assert len({state.filter_text for state in states}) == len(states)


def test_the_list_has_the_rows_of_the_filter_that_a_line_puts_in_place_of_another() -> None:
    """Each of them looks for as many bytes as the one before."""

    async def steps(screen: Screen) -> None:
        with TrailFile(TRAILS / "et000000000") as trail:
            data = {record.rba: record.data for record in trail.records() if not record.is_file_header}
        for text in (b"ASS0", b"SEN0", b"GYO0", b"ASS0"):
            await screen.type(f"filter clear all; filter include hex {text.hex()}")
            passing = [rba for rba, content in data.items() if text in content]
            rows = [row.rba for row in screen.app.records._page.rows if row.kind is RowKind.RECORD]
            assert rows == passing
            assert f"FILTER {len(rows)}: HEX ( 4) {text[:2].hex()}" in screen.text

    drive(steps)


@pytest.mark.parametrize(
    ("position", "rba"),
    [("2800", 2722), ("2722", 2722), ("999999", 5453), ("5453", 5453), ("3068", 2892), ("1", 0)],
)
def test_the_cursor_stands_on_the_record_around_a_position_or_at_the_end(position: str, rba: int) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(f"pos {position}")
        assert rba_of(screen) == rba
        row = screen.app.records.row
        assert row is not None
        assert (row.kind is RowKind.END) == (rba == 5453)
        await screen.press("escape", "escape")
        assert bool(screen.lines("detail")) == (rba != 5453)

    drive(steps)


def test_with_a_filter_the_cursor_stands_on_the_record_around_a_position_if_it_passes() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.SALES")
        found = []
        for position in (2800, 2000):
            await screen.type(f"pos {position}")
            found.append(rba_of(screen))
        assert found == [2722, 2170]

    drive(steps)


def test_a_session_without_a_trail_has_nothing_current() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "n", "h")
        assert screen.app.records.row is None
        assert not screen.app.pages.page("hex").count

    drive(steps, first="", session=Session())
