"""Enter on a field of a record leads to what HELP says of its word."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands.help import meaning_of
from logdump.tui.panes.record_pane import HexPane, RecordPane
from logdump.tui.text.hex_text import _HEADER
from tests.logdump.tui.drive import WIDE, Screen, drive
from tests.searching import Random, examples

_GLOSSARY = Path(__file__).parents[3] / "docs" / "glossary.md"


def _words() -> dict[str, str]:
    """The words of the glossary without blanks, in lower case, each with the beginning of its meaning."""
    rows = [row.split("|") for row in _GLOSSARY.read_text().splitlines() if row.startswith("|")]
    return {word.strip().replace(" ", "").lower(): row[1].strip() for row in rows for word in row[1].split(",")}


@pytest.mark.parametrize("name", _HEADER.values())
def test_every_field_of_a_record_header_is_a_word_of_help(name: str) -> None:
    assert meaning_of(name)


@pytest.mark.parametrize("seed", range(examples(3)))
def test_enter_on_a_field_of_the_bytes_explains_it_or_says_that_there_is_no_word(seed: int) -> None:
    draw, words = Random(f"field {seed}"), _words()

    async def steps(screen: Screen) -> None:
        await screen.type(f"pos {draw.choice((1811, 3491, 2008))}")
        await screen.press("escape", "h")
        page = screen.app.pages.page("hex")
        assert isinstance(page, HexPane)
        for _ in range(6):
            await screen.press(*["right"] * draw.randrange(1, 6))
            assert page.field is not None
            name, kind = page.field.name, page.field.kind
            await screen.press("enter")
            row = words.get(name.replace(" ", "").lower())
            if row is not None:
                assert f"{row}: " in screen.text
            elif kind == "column":
                assert "A column of the table: S shows its definition." in screen.text
            else:
                assert f"There is no word {name} in HELP." in screen.text
            await screen.press("escape", "h")

    drive(steps, size=WIDE, place="records")


def test_enter_on_a_line_of_the_detail_explains_all_its_fields() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 1811")
        screen.app.records.focus()
        await screen.press("enter")
        page = screen.app.pages.page("detail")
        assert isinstance(page, RecordPane)
        index = next(index for index, row in enumerate(page.rows) if len(row.fields) == 2)
        await screen.press(*["down"] * index)
        names = page.current_line.fields
        await screen.press("enter")
        text = "\n".join(screen.lines("output"))
        assert all(f"{name}: " in text for name in names)
        await screen.press("escape", "up", "enter")
        assert "This line is about no field." in screen.text or page.current_line.fields

    drive(steps, size=WIDE, place="records")
