"""Keys that lead from a record to others that it depends on, and back.

Keys that find a place: text, transactions, the same table, the safe position.
The rows of a filter are those that NEXT stops at, and damage.
The filter: which rows the list shows, and what the title says of it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.filters import FilterSet
from logdump.filters.statement import apply
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.keys.places import Jumps
from logdump.tui.reading.messages import FilePolled
from logdump.tui.reading.rows import ListRow, Matches, MatchingRows, RowKind, RowReader
from tests.logdump.line import Line
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import Screen, drive, rba_of
from trailformat import TrailFile
from trailformat.trail.sequence import FilePosition

TO_ANOTHER_RECORD = [
    ("pos 2008", "right_square_bracket", "SFNT", 3069),
    ("pos 3260", "left_square_bracket", "TRANSACTION PREVIOUS", 3069),
    ("pos 2008", "right_curly_bracket", "SAMETABLE NEXT", 3069),
    ("pos 3069", "left_curly_bracket", "SAMETABLE PREVIOUS", 2008),
]


def test_a_key_leads_to_another_record() -> None:
    async def steps(screen: Screen) -> None:
        for start, key, line, rba in TO_ANOTHER_RECORD:
            await screen.type(start)
            await screen.press("escape", key)
            assert (screen.app.mode.transcript.entries[-1].line, rba_of(screen)) == (line, rba)

    drive(steps)


def test_a_text_is_found_and_looked_for_on_and_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "slash")
        assert screen.app.prompt.value == "find "
        await screen.type("find SEN01")
        found = [rba_of(screen)]
        for key in ("greater_than_sign", "less_than_sign"):
            await screen.press("escape", key)
            found.append(rba_of(screen))
        assert found[0] == found[2] == 1811
        assert found[1] is not None
        assert found[1] > 1811

    drive(steps)


def test_bytes_and_values_are_found() -> None:
    async def steps(screen: Screen) -> None:
        for line in ("find HEX 53454e3031", "find TEAHOUSE.TEAS.TEA_CODE = SEN01"):
            await screen.type("pos 0")
            await screen.type(line)
            assert rba_of(screen) == 1811, line

    drive(steps)


def test_what_is_not_there_leaves_the_cursor_where_it_is() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2008")
        await screen.type("find nowhere")
        assert rba_of(screen) == screen.app.session.cursor.current == 2008

    drive(steps)


def test_the_safe_position_in_the_middle_of_a_transaction(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2008")
        await screen.press("escape", "a")
        golden("safe-80x24", screen.text)
        assert rba_of(screen) == 2008

    drive(steps)


def filters(*statements: str) -> FilterSet:
    found = FilterSet()
    for statement in statements:
        apply(found, statement, GMT)
    return found


def extend(found: Matches, trail: TrailFile) -> None:
    """Look through the file as the thread behind the list does, which has a session of its own."""
    session = Session()
    session.open(trail.path)
    list(found.extend(session))
    session.close()


def matches(trail: TrailFile, *statements: str) -> Matches:
    found = Matches(filters(*statements))
    extend(found, trail)
    return found


@pytest.mark.parametrize("statement", ["include filename TEAHOUSE.TEAS", "include rectype 5", "exclude csn > 41882385"])
def test_they_are_those_that_next_stops_at(line: Line, statement: str) -> None:
    line(f"open {TRAILS / 'et000000000'}")
    line(f"filter {statement}")
    stops = []
    while " RBA " in "".join(line("next")):
        stops.append(line.session.cursor.current)
    with TrailFile(TRAILS / "et000000000") as trail:
        assert matches(trail, statement).rbas.tolist() == stops


def test_no_filter_hides_damage() -> None:
    with TrailFile(TRAILS / "gt000000000") as trail:
        found = matches(trail, "include filename NOBODY.*")
        assert [RowReader(trail).at(rba).kind for rba in found.rbas] == [RowKind.BAD]
        assert found.records == 0


def test_a_file_that_grows_is_looked_through_from_where_it_ended(tmp_path: Path) -> None:
    whole = (TRAILS / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:2100])
    with TrailFile(path) as trail:
        found = matches(trail, "include rectype 5")
        path.write_bytes(whole)
        extend(found, trail)
        assert found.rbas.tolist() == matches(trail, "include rectype 5").rbas.tolist()


def walked(rows: MatchingRows) -> list[ListRow]:
    row: ListRow | None = rows.containing(0)
    found = []
    while row is not None:
        found.append(row)
        row = rows.after(row)
    return found


def test_the_rows_go_both_ways_and_end_with_the_file() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = matches(trail, "include filename TEAHOUSE.SALES")
        rows = MatchingRows(RowReader(trail), found, trail.size)
        there = walked(rows)
        assert [row.rba for row in there] == [*found.rbas, trail.size]
        assert rows.before(there[2].rba) == there[1]
        assert rows.before(there[0].rba) is None


def test_rows_that_are_not_found_yet_are_waited_for() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = Matches(filters("include rectype 5"))
        rows = MatchingRows(RowReader(trail), found, trail.size)
        assert rows.containing(0) == ListRow(RowKind.MORE, 0, 0)
        assert rows.after(rows.containing(0)) is None


DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


def test_the_list_shows_the_records_that_pass() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.SALES")
        assert "FILTER 8: Filename TEAHOUSE.SALES" in screen.text
        assert [line.split()[2] for line in screen.text.splitlines()[3:8]] == ["│", "└", "└", "┌", "└"]
        assert all(" SALES " in line for line in screen.text.splitlines()[2:8])

    drive(steps)


def test_next_and_the_cursor_agree_about_the_rows() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 15")
        stops = []
        for _ in range(3):
            await screen.type("n")
            stops.append(rba_of(screen))
        await screen.press("escape", "home")
        seen = []
        for _ in range(3):
            seen.append(rba_of(screen))
            await screen.press("j")
        assert seen == stops

    drive(steps)


def test_two_terms_stand_in_the_title_and_one_can_be_cleared() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 5; filter include filename TEAHOUSE.TEAS; filter match all")
        assert "FILTER 4: Rectypes Insert and Filename TEAHOUSE.TEAS" in screen.text
        await screen.type("filter clear rectype")
        assert "FILTER 12: Filename TEAHOUSE.TEAS" in screen.text
        await screen.press("escape", "F")
        assert "FILTER off" in screen.text

    drive(steps, size=(120, 36))


def test_a_filter_that_nothing_passes_says_how_to_go_on() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename NOBODY.*")
        assert "No record passes the filter. FILTER CLEAR ALL (F) shows all records again." in screen.text
        assert screen.app.pages.shown.count == 0
        await screen.press("escape", "F")
        assert rba_of(screen) == 0

    drive(steps)


def test_damage_stays_visible_under_any_filter() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename NOBODY.*")
        assert "! bad record" in screen.text

    drive(steps, "gt000000000")


def test_records_that_are_added_pass_the_filter_too(tmp_path: Path) -> None:
    whole = (TRAILS / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:2008])

    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 5")
        assert "FILTER 1:" in screen.text
        path.write_bytes(whole)
        screen.app.post_message(
            FilePolled(path, screen.app.model.summary.size, len(whole), is_gone=False, following=None)
        )
        await screen.settle()
        assert "FILTER 7:" in screen.text

    drive(steps, path)


def test_the_list_reads_values_by_the_definitions_of_a_file() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include value STOCK_KG > 0")
        assert re.search(r"FILTER 0, [1-9]\d* not known", screen.text), "their table is not defined"
        await screen.type(f"sourcedefs {DEFINITIONS}")
        assert "FILTER 5:" in screen.text
        await screen.type("sourcedefs off")
        assert "FILTER 0" in screen.text

    drive(steps, "ot000000", size=(120, 36))


def test_the_rows_of_the_list_are_read_again_with_each_change_of_the_definitions() -> None:
    async def steps(screen: Screen) -> None:
        def shown() -> list[str]:
            return screen.text.splitlines()[2 : screen.app.records.size.height]

        without = shown()
        await screen.type(f"sourcedefs {DEFINITIONS}")
        named = shown()
        assert any("STOCK_KG" in text or "NAME" in text for text in named)
        assert not any("STOCK_KG" in text or "NAME" in text for text in without)
        await screen.type("sourcedefs off")
        assert shown() == without
        await screen.type(f"sourcedefs {DEFINITIONS}")
        assert shown() == named

    drive(steps, "ot000000", size=(120, 36))


@pytest.mark.parametrize(
    ("trail", "start", "key", "rba"),
    [
        ("et000000000", 2722, "B", 1811),
        ("et000000000", 1811, "E", 2892),
        ("et000000000", 2722, "S", 2170),
        ("kt000000000", 2388, "L", 1811),
        ("pt000000000", 2599, "L", 2407),
    ],
)
def test_a_key_leads_to_what_a_record_depends_on_and_another_one_back(
    trail: str, start: int, key: str, rba: int
) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("g", *str(start), "enter", key)
        assert rba_of(screen) == rba
        await screen.press("ctrl+o")
        assert rba_of(screen) == start

    drive(steps, trail, page="values", place="records")


def test_back_works_after_every_line_that_moves_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        for jump in ("pos 3522", "find STOCK_KG = 310", "sfmd tdr 1", "pos first", "pos csn 41882402"):
            await screen.type("pos 2722")
            await screen.type(jump)
            assert rba_of(screen) != 2722, jump
            await screen.press("escape", "ctrl+o")
            assert rba_of(screen) == 2722, jump

    drive(steps)


def test_back_in_the_file_in_which_the_jump_began() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2722")
        await screen.type("nexttrail")
        await screen.press("escape", "ctrl+o")
        path = screen.app.model.state.path
        assert (path is not None and path.name, rba_of(screen)) == ("st000000000", 2722)

    drive(steps, "st000000000")


def test_a_record_without_such_another_says_so() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("g", *"1130", "enter", "S", "L")
        assert "This record has no definition." in screen.text
        assert "This record has no row of its LOB." in screen.text

    drive(steps, place="records")


def test_steps_and_lines_that_move_nothing_are_no_jumps() -> None:
    jumps, here = Jumps(), FilePosition(Path("a"), 1)
    for number, now in enumerate([here, here._replace(rba=9), here._replace(rba=20)]):
        jumps.begin(number, here, 9)
        jumps.end(number, now)
    assert (jumps.back(), jumps.back()) == (here, None)


def test_a_key_tells_the_story_of_the_row_under_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("g", *"3522", "enter", "R")
        assert screen.app.model.upper == "story"
        assert "TEAHOUSE.TEAS ASS02 → ASS01 → ASS09: 4 changes; after them the row exists." in screen.text
        assert rba_of(screen) == 3522

    drive(steps, page="values", place="records")


def test_two_apostrophes_lead_from_a_mark_back_and_to_it_again() -> None:
    """From wherever the last way to a mark has begun; of several marks the last one counts."""

    async def steps(screen: Screen) -> None:
        for rba, letter in ((1811, "a"), (2722, "b"), (3069, "c")):
            await screen.type(f"pos {rba}; mark {letter}")
        await screen.type("pos 4635")
        await screen.press("escape", "escape")
        reached = []
        for key in ("a", "b", "apostrophe", "apostrophe", "apostrophe", "c", "apostrophe", "apostrophe"):
            await screen.press("apostrophe")
            await screen.pilot.press(key)
            await screen.settle()
            reached.append(rba_of(screen))
        assert reached == [1811, 2722, 1811, 2722, 1811, 3069, 1811, 3069]

    drive(steps)
