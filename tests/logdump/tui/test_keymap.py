"""The keymap file, and the table of keys that it is about."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.tui.keys.kept_choices import keymap_path, load_keymap, parse_keymap
from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.panes.one_line import _GAP, footer_words
from logdump.tui.panes.overlays import actions_for, help_lines
from logdump.tui.text.appearance import Appearance
from tests.logdump.tui.drive import Screen, drive

ENTERING = [key for key in KEYS if key.sends or key.types]


def test_lines_name_other_keys() -> None:
    assert parse_keymap("# mine\nnext = x , space\n\nend=]", "map").keys == {
        "next": "x,space",
        "end": "right_square_bracket",
    }


@pytest.mark.parametrize("line", ["nothing = x", "next", "next = ", "= x"])
def test_a_line_that_makes_no_sense_is_told_and_the_others_count(line: str) -> None:
    found = parse_keymap(f"{line}\nend = e", "map")
    assert found.keys == {"end": "e"}
    assert found.problems == (f"map, line 1: {line.strip()!r} is not a key of docs/tui.md.",)


def test_where_the_file_is(tmp_path: Path) -> None:
    assert keymap_path({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "logdump" / "keymap"
    assert keymap_path({"XDG_CONFIG_HOME": "relative"}) == Path.home() / ".config" / "logdump" / "keymap"
    assert keymap_path({"LOGDUMP_KEYMAP": "/etc/keys"}) == Path("/etc/keys")
    assert keymap_path({"LOGDUMP_KEYMAP": ""}) is None


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "keymap"
    path.write_bytes(b"\xff\xfe")
    assert "cannot be read" in load_keymap(path).problems[0]


def test_a_key_of_the_keymap_does_what_its_name_says() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "z")
        assert screen.app.mode.transcript.entries[-1].line == "COUNT DETAIL"

    drive(steps, appearance=Appearance(keymap=parse_keymap("count = z", "map")))


def test_a_problem_of_the_keymap_is_told_in_the_view() -> None:
    async def steps(screen: Screen) -> None:
        assert any("is not a key of" in "".join(entry.said) for entry in screen.app.mode.transcript.entries)

    drive(steps, appearance=Appearance(keymap=parse_keymap("what = z", "map")))


@pytest.mark.parametrize("key", ENTERING, ids=[key.id for key in ENTERING])
def test_a_key_enters_a_command_that_there_is(key: Key) -> None:
    REGISTRY.find(key.command)


@pytest.mark.parametrize("word", ["follow", "sort", "theme", "columns", "damage", "definition", "mark", "hex", "strip"])
def test_the_palette_finds_an_action_by_a_word_of_its_name(word: str) -> None:
    assert any(word in text for _, text, _ in actions_for(word))


def test_no_key_is_there_twice_in_one_place() -> None:
    everywhere = {Area.PANES, Area.EVERYWHERE}
    for area in (Area.RECORDS, Area.TEXT, Area.HEX, Area.TIMELINE, Area.ANSWER, Area.PLACES, Area.ROW, Area.CHOICES):
        names = Counter(name for key in KEYS if key.area is area for name in key.keys.split(","))
        assert [name for name, times in names.items() if times > 1] == []
    names = Counter(name for key in KEYS if key.area in everywhere for name in key.keys.split(","))
    assert [name for name, times in names.items() if times > 1] == []


def test_names_are_unique() -> None:
    assert len({key.id for key in KEYS}) == len(KEYS)


def test_help_lists_every_key() -> None:
    text = "\n".join(line.text for line in help_lines({}))
    assert [key.what for key in KEYS if key.what not in text] == []


@pytest.mark.parametrize("width", [10, 40, 80, 200])
def test_the_bottom_line_fits_and_keeps_the_way_out(width: int) -> None:
    words = footer_words((Area.PANES,), {}, width)
    text = " " + _GAP.join(word for word, _ in words)
    assert len(text) <= width
    assert width < 40 or "? help" in text
