"""Tables, transactions and marks."""

from __future__ import annotations

import heapq
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.tui.model.model import TablesRead
from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.reading.state import ListedFile, read_transactions, trail_files
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import WIDE, Screen, drive, rba_of
from trailformat import Record, TrailFile
from trailformat.changes.transactions import place_of
from trailformat.index import TableTotals, TrailIndex, attach, build

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


def test_of_very_many_tables_the_largest_are_listed_and_the_page_says_so() -> None:
    tables = {f"S.T{number}": TableTotals(number, 1) for number in range(1 << 16)}

    async def steps(screen: Screen) -> None:
        screen.app.model.tables_read = TablesRead(tables, 12_345)
        await screen.press("escape", "t")
        assert "The 1,000 largest of 65,536 tables. 12,345 records are of tables beyond these." in screen.text
        assert screen.text.splitlines()[3].split()[:2] == ["▶S.T65535", "65,535"]
        assert len(screen.app.model.tables) == 1000

    drive(steps)


def test_tables_are_sorted_once_for_all_panes_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_, nsmallest = [], heapq.nsmallest

    def counted(*arguments: Any, **named: Any) -> Any:
        sorted_.append(arguments)
        return nsmallest(*arguments, **named)

    async def steps(screen: Screen) -> None:
        monkeypatch.setattr(heapq, "nsmallest", counted)
        screen.app.model.tables_read = TablesRead(dict(screen.app.model.tables_read.tables))
        await screen.press("escape", "t", "j", "k", "escape", "t", "j", "escape")
        assert len(sorted_) == 1

    drive(steps, size=WIDE)


def test_transactions_are_read_once_however_often_a_growing_trail_reports() -> None:
    read = []

    class Watched(TrailFile):
        def record_at(self, rba: int) -> Record | None:
            read.append(rba)
            return super().record_at(rba)

    with Watched(TRAILS / "et000000000") as trail:
        index = TrailIndex()
        attach(trail, index)
        for _ in build(trail, index):
            pass
        known = read_transactions(trail, index)
        read.clear()
        assert read_transactions(trail, index, known) == known
        assert read == []


def test_the_tables_are_listed_by_their_records() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "t")
        rows = [line.split() for line in screen.text.splitlines()[1:5]]
        assert rows == [
            ["table", "records", "%", "bytes"],
            ["▶TEAHOUSE.TEAS", "12", "57.1", "1,257"],
            ["TEAHOUSE.SALES", "8", "38.1", "1,125"],
            ["(no", "name)", "1", "4.8", "80"],
        ]

    drive(steps)


def test_a_table_becomes_the_filter() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "t", "j", "enter")
        assert screen.app.mode.transcript.entries[-1].line == 'FILTER INCLUDE FILENAME "TEAHOUSE.SALES"'
        assert "FILTER 8: Filename TEAHOUSE.SALES" in screen.text

    drive(steps)


@pytest.mark.parametrize("moves", [0, 1, 2])
def test_a_cursor_that_was_moved_stays_on_its_line_while_a_trail_grows(moves: int, tmp_path: Path) -> None:
    """Larger transactions come above it; a cursor that nobody has moved stays at the top."""
    growing, data = tmp_path / "et000000000", (TRAILS / "et000000000").read_bytes()
    growing.write_bytes(data[:3629])

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x", *["j"] * moves)
        pane = screen.app.query_one("#transactions", ChoicePane)
        listed = [choice.sends["enter"] for choice in pane._choices]
        assert len(listed) > moves
        wanted = listed[moves]
        for size in (4635, 4989, len(data)):
            growing.write_bytes(data[:size])
            screen.app._poll()
            await screen.settle()
        now = [choice.sends["enter"] for choice in pane._choices]
        assert now.index(listed[1]) > 1
        await screen.press("enter")
        assert screen.app.mode.transcript.entries[-1].line == (wanted if moves else now[0])

    drive(steps, growing)


def test_the_header_of_a_file_is_read_again_when_another_one_takes_its_place(tmp_path: Path) -> None:
    path, smaller, larger = tmp_path / "lt000000000", TRAILS / "et000000000", TRAILS / "zl000000000"
    firsts = {trail: trail_files(trail)[0].first_csn for trail in (smaller, larger)}
    assert firsts[smaller] != firsts[larger]
    listed: tuple[ListedFile, ...] = ()
    for trail in (smaller, larger, larger, smaller, larger):
        (tmp_path / "new").write_bytes(trail.read_bytes())
        (tmp_path / "new").replace(path)
        listed = trail_files(path, listed)
        assert [file.first_csn for file in listed] == [firsts[trail]]


def test_a_cursor_on_a_file_stays_on_it_when_those_before_it_are_purged() -> None:
    async def steps(screen: Screen) -> None:
        model, paths = screen.app.model, [Path(f"/t/et00000000{number}") for number in range(6)]
        model.files = tuple(ListedFile(path, 1) for path in paths)
        screen.app.action_show_choices("files")
        pane = screen.app.query_one("#files", ChoicePane)
        await screen.settle()
        model.files = tuple(ListedFile(path, 1) for path in paths)
        pane.action_choose(3)
        chosen = []
        for kept in (range(6), range(2, 6), range(3, 6), (4, 5), (1, 3, 4)):
            model.files = tuple(ListedFile(paths[number], number) for number in kept)
            assert pane.choice is not None
            chosen.append(pane.choice.sends["enter"][-2:-1])
        assert chosen == ["3", "3", "3", "4", "4"]  # one that is gone leaves the cursor where it is

    drive(steps)


def test_a_transaction_leads_to_its_begin_and_end() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x", "enter")
        assert rba_of(screen) == 3987
        await screen.press("x", "e")
        assert rba_of(screen) == 4427

    drive(steps)


def test_a_whole_transaction_is_saved_and_nothing_else(tmp_path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("x", "s")
        assert screen.app.prompt.value == "save  648 bytes"
        screen.app.prompt.insert_text_at_cursor(f"{tmp_path}/sv000000000")
        await screen.press("enter")

    drive(steps, place="records")
    with TrailFile(tmp_path / "sv000000000") as trail:
        rows = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
        assert [place_of(record) for record in rows] == [0, 1, 2]


def test_transactions_are_sorted_by_bytes_then_records_then_duration() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x", "r", "enter")
        assert screen.app.mode.transcript.entries[-1].line == "POS 1811"

    drive(steps)


def test_a_transaction_that_has_not_ended_is_marked(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x")
        golden("open-transaction-120x36", screen.text)
        assert "(open)" in screen.text

    drive(steps, "st000000000", size=WIDE)


def test_a_mark_is_set_listed_and_gone_back_to() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "m", "a", "G")
        assert "a  1261" in screen.text
        await screen.press("apostrophe", "a")
        assert rba_of(screen) == 1261
        assert screen.app.mode.transcript.entries[-1].line == "POSITION MARK a"

    drive(steps, size=WIDE)


def test_two_quotes_lead_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "m", "a", "j", "j", "apostrophe", "a")
        app = screen.app
        app.simulate_key("apostrophe")
        await screen.settle()
        await screen.pilot.press("'")
        await screen.settle()
        assert rba_of(screen) == 1811

    drive(steps)


def test_a_letter_that_is_no_mark_goes_nowhere_and_says_so() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "apostrophe", "z")
        assert rba_of(screen) == 1130
        last = screen.app.mode.transcript.last
        assert last is not None
        assert last.printed

    drive(steps)


def test_the_story_of_a_row_names_user_tokens_where_there_are_some() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(f"sourcedefs {DEFINITIONS}")
        await screen.type("pos 941")
        await screen.press("escape", "R")
        heading, *rows = [line.rstrip() for line in screen.text.splitlines()[2:6]]
        at = heading.index("user tokens")
        assert rows[0][at:].startswith("TKN-HOST=")
        assert "2024/03/14 09:32:00" in rows[0]
        assert "5.2.8802" in rows[0]
        assert [row[at:] for row in rows[1:]] == ["", ""]

    drive(steps, "ot000000")


def test_the_story_of_a_row_leads_to_its_records_and_to_what_takes_them_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 3522")
        await screen.press("escape", "R")
        rows = [line.split()[:5] for line in screen.text.splitlines()[1:7]]
        assert " ".join(rows[0]).startswith("TEAHOUSE.TEAS ASS02 → ASS01")
        assert [row[0] for row in rows[2:]] == ["▶3069", "3522", "4635", "4767"]
        assert "undo row" in screen.text
        await screen.press("u")
        undone = screen.lines("output")
        assert sum(statement.startswith("COMMIT") for statement in undone) == 4
        assert screen.app.model.upper == "story"
        await screen.press("j", "U")
        assert [line for line in screen.lines("output")[-4:] if line.startswith("UPDATE")] == [
            'UPDATE "TEAHOUSE"."TEAS" SET "STOCK_KG" = 260 WHERE "TEA_CODE" = \'ASS02\';'
        ]
        await screen.press("j", "enter")
        assert rba_of(screen) == 4635

    drive(steps)
