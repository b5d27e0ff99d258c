"""Copies of a row and of a value, and the value as a whole: what a terminal's clipboard and a file get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logdump.tui.panes.text_pane import TextPane
from logdump.tui.panes.value_screen import ValueScreen, text_of
from tests.logdump.tui.drive import Screen, drive
from trailformat import Value


def test_a_row_is_copied_as_json_sql_and_csv() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 3522")
        screen.app.records.focus()
        await screen.press("J")
        copied = json.loads(screen.app.clipboard)
        assert (copied["rba"], copied["operation"]) == (3522, "UPDATE")
        await screen.press("Q")
        sql = screen.app.clipboard
        assert sql.startswith('UPDATE "TEAHOUSE"."TEAS" SET "STOCK_KG" = 310')
        assert sql.endswith(";")
        await screen.press("V")
        names, values = screen.app.clipboard.splitlines()
        assert dict(zip(names.split(","), values.split(","), strict=True)) == {
            '"TEA_CODE"': '"ASS02"',
            '"STOCK_KG"': "310",
        }

    drive(steps, place="records")


def test_what_is_no_row_is_not_copied() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 1130")  # a definition
        screen.app.records.focus()
        before = screen.app.clipboard
        await screen.press("Q")
        assert screen.app.clipboard == before
        assert "This record is no row that can be copied as SQL." in screen.text

    drive(steps, place="records")


async def _to_column(screen: Screen, rba: int, name: str) -> None:
    """Put the keyboard on the line of a column of the page of a row."""
    await screen.type(f"pos {rba}")
    screen.app.records.focus()
    await screen.press("enter")
    page = screen.app.pages.page("values")
    wanted = next(index for index, row in enumerate(page.rows) if f" {name} " in f" {row.text} ")
    await screen.press(*["down"] * (wanted - page.current))  # type: ignore[attr-defined]


def test_the_value_of_a_column_is_copied_as_it_is() -> None:
    async def steps(screen: Screen) -> None:
        await _to_column(screen, 1811, "NAME")
        await screen.press("y")
        assert screen.app.clipboard == "Sencha Fukamushi"
        await _to_column(screen, 3260, "PRICE")  # both images
        await screen.press("y")
        assert screen.app.clipboard == "9.40"

    drive(steps, page="values", place="records")


def test_a_line_of_an_answer_is_copied_without_its_indent() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("safe 2008")
        await screen.press("escape")
        page = screen.app.pages.page("output")
        wanted = next(index for index, row in enumerate(page.rows) if "EXTRBA 1811" in row.text)
        await screen.press(*["down"] * (wanted - page.current), "y")  # type: ignore[attr-defined]
        assert screen.app.clipboard == "ALTER REPLICAT <group>, EXTSEQNO 0, EXTRBA 1811"

    drive(steps, place="records")


def test_a_value_is_shown_as_a_whole_searched_and_saved(tmp_path: Path) -> None:
    saved = tmp_path / "name.txt"

    async def steps(screen: Screen) -> None:
        await _to_column(screen, 1811, "NAME")
        await screen.press("enter")
        viewer = screen.app.screen
        assert isinstance(viewer, ValueScreen)
        page = viewer.query_one(TextPane)
        assert "Sencha Fukamushi" in screen.text
        await screen.press("h")
        assert "5365 6e63 6861" in screen.text
        await screen.press("h", "slash", *"nowhere", "enter")
        assert "Not found: nowhere" in screen.text
        await screen.press("s", *str(saved), "enter")
        assert saved.read_text() == "Sencha Fukamushi"
        assert f"Saved 16 bytes to {saved}"[:60] in "".join(row.text for row in page.rows)
        saved.write_text("another")
        await screen.press("s", *str(saved), "enter")  # never over a file
        assert saved.read_text() == "another"
        await screen.press("escape")
        assert not isinstance(screen.app.screen, ValueScreen)

    drive(steps, page="values", place="records")


@pytest.mark.parametrize(
    ("text", "shown"),
    [('{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'), ("{no json}", "{no json}"), ("plain", "plain")],
)
def test_json_is_indented_and_other_text_stays(text: str, shown: str) -> None:
    assert text_of(Value(text.encode(), text)) == shown
