"""The prompt: numbers, history, completion, FC, pastes.

While a line is typed: whether it would run, and how it may go on.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste

from logdump.commands import REGISTRY
from logdump.language.reader import Context, Validity
from logdump.language.words import complete as offers
from logdump.language.words import completed, validity
from logdump.line.history_file import KeptHistory, save_history
from logdump.session.session import History, Session
from logdump.tui.panes.prompt import suggestion
from tests.logdump.tui.drive import Screen, drive

TABLES = ["TEAHOUSE.SALES", "TEAHOUSE.TEAS", ""]
TRAIL = Context(tables=TABLES)


@pytest.mark.parametrize(
    "text",
    ["", "n", "next 5", "ghdr on", "pos 2014", "pos rev", "filter include filename hr.*", "ghdr on; n", "sft Insert"],
)
def test_a_line_that_would_run(text: str) -> None:
    assert validity(REGISTRY, text) is Validity.VALID


@pytest.mark.parametrize(
    "text", ["fil", "ghdr o", "filter inc", "filter include", "filter include filen", "sft", "pos eo"]
)
def test_a_line_that_lacks_something(text: str) -> None:
    assert validity(REGISTRY, text) is Validity.INCOMPLETE


@pytest.mark.parametrize(
    "text", ["zzz", "ghdr maybe", "pos here", "filter include colour red", "n x", "n; zzz", "fil x"]
)
def test_a_line_that_would_fail(text: str) -> None:
    assert validity(REGISTRY, text) is Validity.ERROR


def test_every_command_is_valid_by_its_name() -> None:
    assert [command.name for command in REGISTRY.commands if validity(REGISTRY, command.name) is Validity.ERROR] == []


def test_tables_of_the_trail_are_offered_where_a_name_is_meant() -> None:
    assert offers(REGISTRY, "filter include filename tea", TRAIL)[:2] == ["TEAHOUSE.SALES", "TEAHOUSE.TEAS"]


def test_record_types_are_offered() -> None:
    assert offers(REGISTRY, "sft Ins", TRAIL) == ["Insert"]
    assert "Insert" in offers(REGISTRY, "filter rectype ", TRAIL)


def test_filter_options_and_the_words_of_the_registry_are_offered() -> None:
    assert "FILENAME" in offers(REGISTRY, "filter inc ", TRAIL)
    assert "INCLUDE" in offers(REGISTRY, "filter ", TRAIL)
    assert offers(REGISTRY, "sfm", TRAIL) == ["SFMD"]


def test_a_line_is_completed_as_far_as_all_offers_go() -> None:
    assert completed("n; filter inc filename tea", TABLES[:2]) == "n; filter inc filename TEAHOUSE."
    assert completed("sft Ins", ["Insert"]) == "sft Insert "
    assert completed("open fixt", ["fixtures/"]) == "open fixtures/"
    assert completed("zz", []) == "zz"


def test_the_newest_line_of_the_history_is_suggested_first() -> None:
    history = ["count detail", "count", "open a"]
    assert suggestion("cou", history, ["COUNT"]) == "count"
    assert suggestion("scan", history, ["SCANFORHEADER"]) == "scanFORHEADER"
    assert suggestion("", history, ["COUNT"]) is None


def test_the_number_goes_on_with_every_line() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("ghdr off; detail off")
        assert "\nLogdump 3 >" in screen.text

    drive(steps)


def test_a_colon_before_a_command_is_that_of_the_key() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(":reclen 77")
        assert "Unknown command" not in screen.text
        assert screen.app.session.settings.reclen == 77

    drive(steps)


def test_up_and_down_go_through_the_history_and_back_to_the_draft() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("reclen 11")
        await screen.type("reclen 22")
        await screen.press("x", "up", "up")
        assert screen.app.prompt.value == "reclen 11"
        await screen.press("down", "down")
        assert screen.app.prompt.value == "x"

    drive(steps)


def test_the_history_is_searched_for_what_is_typed() -> None:
    async def steps(screen: Screen) -> None:
        for command in ("reclen 11", "ghdr on", "reclen 22", "ghdr off"):
            await screen.type(command)
        await screen.press("r", "e", "c", "ctrl+r")
        assert screen.app.prompt.value == "reclen 22"
        await screen.press("ctrl+r")
        assert screen.app.prompt.value == "reclen 11"

    drive(steps)


def test_the_history_outlives_the_session(tmp_path: Path) -> None:
    path = tmp_path / "logdump.hst"
    save_history(path, History(["reclen 11"]))

    kept = KeptHistory(path)

    async def steps(screen: Screen) -> None:
        screen.app.mode._kept = kept
        await screen.type("reclen 22")

    session = Session()
    session.history = kept.recall()
    drive(steps, first="", session=session)
    assert path.read_text() == "logdump history, next 3\nreclen 11\nreclen 22\n"


def test_tab_completes_a_table_of_the_trail() -> None:
    async def steps(screen: Screen) -> None:
        for key in "filter inc filename tea":
            await screen.press(key)
        await screen.press("tab", "tab")
        assert screen.text.splitlines()[-1] == " TEAHOUSE.SALES  TEAHOUSE.TEAS"
        assert screen.app.prompt.value == "filter inc filename TEAHOUSE."

    drive(steps)


def test_a_line_that_would_fail_says_why_when_it_is_entered() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 99999")
        assert "RBA 99999 is past the end of the file, which is at RBA 5453." in screen.text

    drive(steps)


def test_fc_asks_for_edit_lines() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("reclen 11")
        await screen.type("fc")
        assert "\n.." in screen.text
        await screen.type("       22")
        await screen.type("")
        assert screen.app.session.settings.reclen == 22

    drive(steps)


def test_escape_calls_fc_off() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("reclen 11")
        await screen.type("fc")
        await screen.press("escape")
        assert screen.app.mode.is_idle
        assert screen.app.session.history.lines[-1] == "fc"

    drive(steps)


def test_enter_on_an_empty_line_leads_to_the_records_and_a_colon_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("enter")
        assert screen.app.records.has_focus
        await screen.press("colon")
        assert screen.app.prompt.has_focus

    drive(steps)


LEFT = ["s", "f", "slash"]
"""Keys that begin a line in the prompt."""


@pytest.mark.parametrize("begins", LEFT)
@pytest.mark.parametrize("leaves", ["escape", "ctrl+c", "colon"])
def test_what_a_key_has_begun_never_runs_with_the_next_line(begins: str, leaves: str, tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        screen.app.enter(f"cd {tmp_path}")
        await screen.settle()
        screen.app.records.focus()
        await screen.press(begins)
        assert screen.app.prompt.value
        if leaves == "colon":
            screen.app.records.focus()
            await screen.press("colon")
        else:
            await screen.press(leaves)
        assert screen.app.prompt.value == ""
        screen.app.records.focus()
        await screen.press("colon")
        await screen.type("reclen 77")
        assert screen.app.session.settings.reclen == 77
        assert screen.app.session.history.lines[-1] == "reclen 77"
        assert [*tmp_path.iterdir()] == []

    drive(steps)


def test_ctrl_c_stops_the_command_before_it_clears_the_line() -> None:
    async def steps(screen: Screen) -> None:
        stopped: list[bool] = []
        screen.app.prompt.focus()
        await screen.press("n")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(screen.app.mode), "is_idle", property(lambda _: False))
            patch.setattr(screen.app.mode, "stop", lambda: stopped.append(True))
            screen.app.action_stop()
        assert stopped == [True]
        assert screen.app.prompt.value == "n"
        screen.app.action_stop()
        assert screen.app.prompt.value == ""

    drive(steps)


@pytest.mark.parametrize(
    ("pasted", "value"),
    [
        ("pos 2014\nn\nn\n", "pos 2014; n; n"),
        ("-- a comment\nn\n", "n"),
        ("one line", "one line"),
        ("ghdr\x1b[2J on", "ghdr[2J on"),
    ],
)
def test_pasted_lines_become_one_line_that_waits_for_enter(pasted: str, value: str) -> None:
    async def steps(screen: Screen) -> None:
        screen.app.prompt.post_message(Paste(pasted))
        await screen.settle()
        assert screen.app.prompt.value == value
        assert len(screen.app.mode.transcript.entries) == 1

    drive(steps)


def test_a_pasted_text_of_goldengate_is_explained_and_said_to_be() -> None:
    text = "2024-03-14 01:10:04  ERROR   OGG-01296  Error mapping.\nReading et000000000, current RBA 3987, 3 records\n"

    async def steps(screen: Screen) -> None:
        screen.app.prompt.post_message(Paste(text))
        await screen.settle()
        assert "A paste of 2 lines that are no commands: EXPLAIN reads it." in screen.text
        assert screen.app.prompt.value == ""
        lines = [str(line) for entry in screen.app.mode.transcript.entries for line in entry.lines()]
        assert any("EXTRBA 3987" in line for line in lines)

    drive(steps)


def test_a_paste_of_100_kilobytes_is_refused_with_a_word() -> None:
    async def steps(screen: Screen) -> None:
        screen.app.prompt.post_message(Paste("next; " * 17_000))
        await screen.settle()
        assert screen.app.prompt.value == ""
        assert "A paste of 102,000 characters is too long for the prompt" in screen.text

    drive(steps)


def test_the_palette_finds_a_command_and_begins_its_line() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("ctrl+p")
        await screen.pilot.press(*"largest")
        await screen.settle()
        assert "▶TRANSACTIONS" in screen.text
        assert " TRANSHIST" in screen.text
        await screen.press("enter")
        assert screen.app.prompt.value == "TRANSACTIONS "
        assert len(screen.app.mode.transcript.entries) == 1

    drive(steps)
