"""Copies of a row and of a value, and the value as a whole: what a terminal's clipboard and a file get."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.tui import navigation
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.panes.value_screen import ValueScreen
from logdump.tui.text import row_copies, shown_value
from logdump.tui.text.appearance import copied_value
from logdump.tui.text.row_copies import WholeValue
from logdump.tui.text.shown_value import ValuePart
from logdump.tui.text.styled import UNICODE
from tests.logdump.tui.drive import Screen, drive
from tests.searching import Random, examples
from trailformat import TrailFile
from trailformat.records.record_header import LARGE_OBJECT


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
        await _to_column(screen, 3987, "GRAMS")  # 50 before
        await screen.press("y")
        assert screen.app.clipboard == "100"

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
        assert "Sencha Fukamushi" in screen.text
        await screen.press("h")
        assert "5365 6e63 6861" in screen.text
        await screen.press("h", "slash", *"nowhere", "enter")
        assert "Not found: nowhere" in screen.text
        await screen.press("s", *str(saved), "enter")
        assert saved.read_text() == "Sencha Fukamushi"
        assert f"Saved 16 bytes to {saved}"[:60] in screen.text
        saved.write_text("another")
        await screen.press("s", *str(saved), "enter")  # never over a file
        assert saved.read_text() == "another"
        await screen.press("escape")
        assert not isinstance(screen.app.screen, ValueScreen)

    drive(steps, page="values", place="records")


async def _viewer(screen: Screen, *parts: ValuePart) -> TextPane:
    """Show a value; return the pane with its text."""
    await screen.app.push_screen(ValueScreen(WholeValue("NOTE", "CLOB", parts), UNICODE))
    await screen.settle()
    return screen.app.screen.query_one(TextPane)


def _marked(page: TextPane) -> list[str]:
    """The visible rows with the match."""
    return [row.text for row in page.shown_lines() if any("match" in style for _, style in row.pieces)]


@pytest.mark.parametrize("seed", range(examples(4)))
def test_the_key_goes_to_each_match_over_rows_and_windows_and_to_the_first_again(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also to those on the last rows, which cannot be the top of the page, and to those that a wrapped row divides."""
    monkeypatch.setattr(shown_value, "MOST_SHOWN", 1500)
    draw = Random(f"viewer {seed}")
    places = [*draw.sample(range(5, 399), 7), 399]
    words = [f"N{number}DLE" if number in places else "word" for number in range(400)]
    text = "".join(word + draw.choice(" \n.") for word in words)
    expected = [match.start() for match in re.finditer("DLE", text)]

    async def steps(screen: Screen) -> None:
        page = await _viewer(screen, ValuePart("after", "", text, text.encode()))
        viewer = screen.app.screen
        assert isinstance(viewer, ValueScreen)
        await screen.press("slash", *"dle", "enter")
        for number, start in enumerate([*expected, expected[0]]):
            assert viewer._hit is not None
            assert viewer._hit.start == start
            assert _marked(page)
            assert ("From the beginning again." in screen.text) == (number == len(expected))
            await screen.press("greater_than_sign")

    drive(steps, place="records")


def test_a_long_value_goes_on_where_it_is_scrolled_over_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_value, "MOST_SHOWN", 400)
    text = "".join(f"line {number}\n" for number in range(200))

    async def steps(screen: Screen) -> None:
        page = await _viewer(screen, ValuePart("after", "", text, text.encode()))
        seen = []
        for _ in range(60):
            seen += [row.text for row in page.shown_lines() if row.text.startswith("line")]
            await screen.press("pagedown")
        assert "line 199" in seen
        windows = -(-len(text) // 400)
        assert f"window {windows} of {windows}" in screen.text
        await screen.press("home")
        assert page.shown_lines()[1].text == "line 0"
        await screen.press("h")
        assert f"bytes 1 to 400 of {len(text):,}" in screen.text
        await screen.press("end")
        assert f"to {len(text):,} of {len(text):,}" in "".join(row.text for row in page.rows)
        assert page.shown_lines()[-1].text.endswith("99.")

    drive(steps, place="records")


def test_json_is_shown_with_its_own_letters_and_as_it_is() -> None:
    text = '{"id":12345678901234567890,"id":1.10}'

    async def steps(screen: Screen) -> None:
        page = await _viewer(screen, ValuePart("after", "", text, text.encode()))
        assert [row.text for row in page.rows] == [
            "after, JSON indented",
            *("{", '  "id":12345678901234567890,', '  "id":1.10', "}"),
        ]
        await screen.press("i")
        assert [row.text for row in page.rows] == ["after", text]

    drive(steps, place="records")


_EXACT = "a茶\t\r\n\xa0\u3000\u200d\U0001f375\\x1b"
_CONTROLS = "\x00\x07\x1b\x7f\x9b\u202e\u2066"


@pytest.mark.parametrize("seed", range(examples(20)))
def test_a_copy_is_the_text_itself_but_for_controls_which_are_counted(seed: int) -> None:
    draw = Random(f"copy {seed}")
    exact = "".join(draw.choices(_EXACT, k=draw.randrange(30)))
    assert copied_value(exact) == (exact, 0)
    controls = draw.choices(_CONTROLS, k=draw.randrange(1, 9))
    mixed = "".join(exact[:3] + control for control in controls)
    written = "".join(
        exact[:3] + f"\\{f'u{ord(control):04x}' if ord(control) > 255 else f'x{ord(control):02x}'}"
        for control in controls
    )
    assert copied_value(mixed) == (written, len(controls))


@pytest.mark.parametrize(
    ("value", "copied", "said"),
    [
        ("tab\tand\u3000blank", "tab\tand\u3000blank", "Copied: the value of NOTE"),
        ("\x1b[2J\x07", "\\x1b[2J\\x07", "Copied: the value of NOTE; 2 control characters as \\xNN"),
        (b"\x00\xff", "00ff", "Copied: the value of NOTE as hex digits"),
        ("茶" * 24_998, "茶" * 24_998, "Copied: the value of NOTE"),
        ("茶" * 24_999, None, "74,997 bytes are too many for the clipboard of a terminal."),
    ],
)
def test_what_is_copied_is_the_value_or_it_is_said(value: str | bytes, copied: str | None, said: str) -> None:
    async def steps(screen: Screen) -> None:
        notices: list[str] = []
        screen.app.notify = lambda message, **_: notices.append(message)  # type: ignore[method-assign]
        screen.app._clipboard = "before"
        await _viewer(screen, ValuePart("after", "", value, b""))
        await screen.press("y")
        assert (screen.app.clipboard, notices) == (copied or "before", [said])

    drive(steps, place="records")


def test_terminals_take_what_is_copied() -> None:
    """Its sequence has 100,000 bytes at most, of which 7 are around the base64."""
    assert 4 * -(-navigation._MOST_COPIED // 3) + 7 <= 100_000 < 4 * -(-(navigation._MOST_COPIED + 1) // 3) + 7


def test_null_is_neither_copied_nor_saved(tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await _to_column(screen, 3629, "ORIGIN")
        screen.app._clipboard = "before"
        await screen.press("y")
        assert screen.app.clipboard == "before"
        assert "The value is NULL. Nothing is copied." in screen.text
        await screen.press("enter")
        assert "after: NULL" in screen.text
        await screen.press("s", *str(tmp_path / "null"), "enter")
        assert not (tmp_path / "null").exists()

    drive(steps, page="values", place="records")


_POEM = "The first cup moistens my lips and throat"


@pytest.mark.parametrize("at", ["the row", "a piece"])
def test_a_large_object_in_pieces_is_shown_whole_and_saved(at: str, tmp_path: Path) -> None:
    saved = tmp_path / "poem"
    trail, rbas = "kt000000000", {}
    with TrailFile(TRAILS / trail) as file:
        rows = [record for record in file.records() if not record.is_file_header and not record.is_metadata]
        rbas = {"the row": rows[0].rba, "a piece": rows[3].rba}

    async def steps(screen: Screen) -> None:
        await screen.type(f"pos {rbas[at]}")
        screen.app.records.focus()
        await screen.press("enter")
        page = screen.app.pages.page("values")
        index = next(index for index, row in enumerate(page.rows) if "Enter shows" in row.text)
        await screen.press(*["down"] * (index - page.current), "enter")  # type: ignore[attr-defined]
        assert _POEM in screen.text
        assert "NAME, 219 bytes in 4 pieces" in screen.text
        await screen.press("s", *str(saved), "enter")
        assert saved.read_text().startswith(_POEM)
        assert saved.stat().st_size == 219

    drive(steps, trail, page="values", place="records")


def test_a_large_object_that_is_not_whole_says_what_is_missing_and_is_not_saved(tmp_path: Path) -> None:
    with TrailFile(TRAILS / "kt000000000") as file:
        last = [record.rba for record in file.records()][-1]

    async def steps(screen: Screen) -> None:
        await screen.type(f"pos {last}")
        screen.app.records.focus()
        await screen.press("enter", "enter")
        assert "missing: 64 bytes from byte 64 on" in screen.text
        await screen.press("s", *str(tmp_path / "x"), "enter")
        assert "NAME is not whole. Nothing is saved." in screen.text
        assert not (tmp_path / "x").exists()
        await screen.press("y")
        assert "The first cup" not in screen.app.clipboard

    drive(steps, "kt000000000", page="values", place="records")


def test_a_large_object_that_is_too_large_is_shown_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_copies, "_MOST_BYTES", 200)
    with TrailFile(TRAILS / "kt000000000") as file:
        rows = (record for record in file.records() if not record.is_file_header)
        piece = next(record.rba for record in rows if record.header.io_type == LARGE_OBJECT)

    async def steps(screen: Screen) -> None:
        await screen.type(f"pos {piece}")
        screen.app.records.focus()
        await screen.press("enter", "enter")
        assert "the first 100 of 219 bytes" in screen.text
        assert _POEM in screen.text
        await screen.press("s", *str(tmp_path / "x"), "enter")
        assert f"Not all of it is here: LOB {piece} 1 TO <filename> writes it." in screen.text

    drive(steps, "kt000000000", page="values", place="records")


@pytest.mark.parametrize("tabs", range(4))
def test_the_image_that_is_chosen_is_copied_and_saved(tabs: int, tmp_path: Path) -> None:
    parts = [ValuePart(name, "", f"text of {name}\n" * 30, name.encode()) for name in ("after", "before", "third")]

    async def steps(screen: Screen) -> None:
        page = await _viewer(screen, *parts)
        await screen.press(*["tab"] * tabs)
        chosen = parts[tabs % 3]
        assert page.shown_lines()[0].text == chosen.name or chosen is parts[2]
        await screen.press("y", "s", *str(tmp_path / "x"), "enter")
        assert screen.app.clipboard == chosen.value
        assert (tmp_path / "x").read_text() == chosen.value
        assert f" of {chosen.name} to " in screen.text
        await screen.press("slash", *"of before", "enter", "y")
        assert screen.app.clipboard == parts[1].value

    drive(steps, place="records")
