"""The columns of the list that the user has chosen: order, width, hidden ones; kept from one session to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from logdump.tui.keys.kept_choices import COLUMNS, KeptChoices, ListColumn, parse_columns
from logdump.tui.panes.row_text import ColumnNeeds, columns_for, heading, row_pieces
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.styled import UNICODE
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.test_row_text import SETTINGS, told

CHOSEN = st.permutations(COLUMNS).flatmap(
    lambda columns: st.tuples(
        *(st.builds(ListColumn, st.just(one.name), st.integers(-300, 300), st.booleans()) for one in columns)
    )
)
ROW = told(note="y" * 40)


@given(CHOSEN)
def test_columns_are_kept_as_they_are(columns: tuple[ListColumn, ...]) -> None:
    assert parse_columns(" ".join(one.text for one in columns)) == columns


@pytest.mark.parametrize("text", ["", "nothing +5 -", "what+9999", "clock clock -clock", "\0"])
def test_every_column_is_there_whatever_the_file_says(text: str) -> None:
    columns = parse_columns(text)
    assert sorted(one.name for one in columns) == sorted(one.name for one in COLUMNS)
    assert max(abs(one.more) for one in columns) <= 300


@given(CHOSEN, st.integers(20, 200))
def test_whatever_is_chosen_fits_into_the_list_in_its_order(columns: tuple[ListColumn, ...], width: int) -> None:
    widths = columns_for(width, 9999, ColumnNeeds().of([ROW], UNICODE), columns)
    shown = [name for name, _ in widths.shown]
    assert shown == [one.name for one in columns if one.name in shown]
    assert not {one.name for one in columns if one.is_hidden} & {*shown}
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
        [head] = [one for one in screen.text.splitlines() if one.lstrip().startswith("RBA ")]
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
