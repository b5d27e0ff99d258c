"""The page of two trails side by side: every difference in its place, the ways to it and from it to the record."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.features.diff.comparison import TrailComparison
from logdump.features.diff.model import DifferenceKind as Kind
from logdump.features.diff.model import DifferenceShown, DiffLevel, PairedTransaction, PartDifference, PassedOver
from logdump.features.diff.side_by_side import AlignedListing, AlignedSoFar
from logdump.session.events import Progress
from logdump.tui.model.model import SIDE_BY_SIDE
from logdump.tui.panes.side_by_side_pane import SideBySidePane
from logdump.tui.text.aligned_text import AlignedCursor, SideBySidePage
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.styled import ASCII, UNICODE
from tests.hostile import nasty, raw_characters
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import WIDE, Screen, drive, rba_of
from tests.logdump.tui.test_harmless import characters
from tests.searching import Random, in_turn
from tests.short_folder import short_folder
from tests.simulated.pairs import Committed, drawn, restocked, written
from trailformat.trail.sequence import FilePosition

LINE = "diff sm ../b/sm values"


@pytest.fixture(scope="module")
def path() -> Path:
    """A file, its name short wherever tests run; beside it a copy with every kind of difference."""
    transaction, two, three, *rest, last = drawn(Random(1, is_fixed=True), 10)
    long = Committed(last.number, tuple(change for each in rest for change in each.changes))
    changed = long._replace(changes=(*long.changes[:6], restocked(long.changes[6]), *long.changes[8:]))
    folder = short_folder()
    written(folder / "a", [transaction, two, three, *rest, long])
    written(
        folder / "b", [transaction, three, two, rest[0], rest[0], *rest[2:], Committed(5, transaction.changes), changed]
    )
    return folder / "a" / "sm000000000"


def pane(screen: Screen) -> SideBySidePane:
    return screen.app.query_one(SideBySidePane)


def here(screen: Screen) -> object:
    """The row under the cursor."""
    so_far = screen.app.model.aligned
    assert so_far is not None
    return so_far.listing.rows[pane(screen).cursor.at]


def test_both_trails_stand_side_by_side_and_what_differs_below(path: Path, golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(LINE)
        await screen.press("escape", *["right_square_bracket"] * 9, "left_square_bracket")
        golden("two-trails-80x24", screen.text)

    drive(steps, path)


def test_the_keys_go_from_difference_to_difference(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(LINE)
        so_far = screen.app.model.aligned
        assert so_far is not None
        found = [row for row in so_far.listing.rows if isinstance(row, DifferenceShown)]
        assert {event.kind.value for event in found} >= {"missing", "extra", "changed", "moved"}
        await screen.press("escape")
        for at, difference in enumerate(found, 1):
            assert here(screen) == difference
            assert f"difference {at}/{len(found)} " in screen.text
            await screen.press("right_square_bracket")
        assert here(screen) == found[-1]
        await screen.press("left_square_bracket")
        assert here(screen) == found[-2]

    drive(steps, path)


def test_a_click_puts_the_cursor_on_the_row_and_the_side_under_the_mouse(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(LINE)
        region = pane(screen).region
        for side, x in enumerate((region.x + 2, region.right - 3)):
            for row in (1, 3):
                await screen.pilot.click(offset=(x, region.y + row))
                await screen.settle()
                cursor = pane(screen).cursor
                assert (cursor.side, cursor.at) == (side, cursor.top + row - 1)

    drive(steps, path, WIDE)


def test_enter_opens_the_record_of_the_first_and_proposes_the_line_for_that_of_the_second(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(LINE)
        await screen.press("escape", *["right_square_bracket"] * 9, "left_square_bracket")
        row = here(screen)
        assert isinstance(row, DifferenceShown)
        assert row.a is not None
        assert row.b is not None
        await screen.press("enter")
        assert (rba_of(screen), screen.app.model.page) == (row.a.rba, "detail")
        await screen.press("D")
        pane(screen).focus()
        await screen.press("right", "enter")
        assert screen.app.prompt.value == f'OPEN "{row.b.path}"; POS {row.b.rba}'
        await screen.press("enter")
        assert (screen.app.session.trail.path.resolve(), rba_of(screen)) == (row.b.path.resolve(), row.b.rba)

    drive(steps, path)


def test_escape_stops_a_comparison_under_way_and_keeps_what_was_found(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = TrailComparison.differences

    def endless(comparison: TrailComparison) -> Iterator[DifferenceShown | Progress]:
        yield from itertools.islice(differences(comparison), 1)
        while True:
            time.sleep(0.001)
            yield Progress(1, 1, 1, 2)

    monkeypatch.setattr(TrailComparison, "differences", endless)

    async def steps(screen: Screen) -> None:
        screen.app.enter(LINE)
        while screen.app.model.page != SIDE_BY_SIDE or "%, Ctrl+C stops" not in screen.text:
            await screen.pilot.pause(0.01)
        assert "The rest is being compared." in screen.text
        pane(screen).focus()
        await screen.pilot.pause()
        screen.app.simulate_key("escape")
        await screen.settle()
        assert "Not everything was read: the findings are partial, and there is no verdict." in pane(screen).whole_text
        assert "difference 1/1 " in screen.text

    drive(steps, path)


def test_every_row_has_its_sign_and_its_sides_at_any_width() -> None:
    a, b, other = (FilePosition(Path("dir") / name, rba) for name, rba in (("a", 70), ("b", 1200), ("b", 900)))
    part = PartDifference("after", "NAME", "x" * 500 + "Uji", "x" * 500 + "Sencha")
    row = DifferenceShown(Kind.CHANGED, a, b, "77", "5.1.1", "T.TEAS", "Insert", parts=(part,))
    twice = DifferenceShown(Kind.TWICE, other, b, "78", records=2, side="b")
    damage = DifferenceShown(Kind.DAMAGE, a, None, records=20, side="a")
    listing = AlignedListing(DiffLevel.RECORDS, ("dirdat/" + "a" * 90, "b"))
    for item in (PassedOver(transactions=3), PairedTransaction(a, b, "77", "5.1.1"), row, twice, damage):
        listing.add(item)
    page = SideBySidePage(AlignedSoFar(listing, 5, is_ended=False), (80, 16), UNICODE)
    heading, *rows, text, parts = [line.text.rstrip() for line in page.lines(AlignedCursor(2))]
    assert heading.startswith(" …aaa")
    assert rows == [
        " … 3 transactions equal",
        " Transaction 5.1.1 CSN 77",
        "▶  70 Insert       T.TEAS               ! 1200 Insert       T.TEAS",
        " " * 40 + "= 1200 transaction, 2 records",
        "   70 20 bytes of damage                x",
        " The rest is being compared.",
        *[""] * (page.room - 6),
    ]
    assert text == "! RBA 70 of a | RBA 1200 of b, T.TEAS Insert"
    assert parts == " NAME  …xxxxxxxxUji | …xxxxxxxxSencha"
    narrow = SideBySidePage(AlignedSoFar(listing, 5, is_ended=True), (30, 10), ASCII)
    assert narrow.lines(AlignedCursor(3))[3].text == "   70 Insert ~ ! 1200 Insert ~"


DETAILS = {4: (1, 2, 2, 2), 12: (1, 2, 5, 5), 22: (1, 2, 6, 9), 60: (1, 2, 6, 14)}
"""Lines about a difference of 0, 1, 5 and 40 parts by the height of the page: two fifths of it, at most 14."""
ROOM = {4: (1, 1, 1, 1), 12: (7, 7, 6, 6), 22: (17, 17, 15, 12), 60: (55, 55, 53, 45)}
"""Rows beside them: four lines are kept for the details where the page has them."""


@pytest.mark.parametrize(("height", "parts"), in_turn(list(ROOM), [0, 1, 5, 40]))
def test_rows_have_all_lines_that_what_differs_does_not_need(parts: int, height: int) -> None:
    position = FilePosition(Path("dir") / "a", 70)
    listing = AlignedListing(DiffLevel.RECORDS, ("a", "b"))
    differing = tuple(PartDifference("after", f"C{number}", "1", "2") for number in range(parts))
    for _ in range(100):
        listing.add(
            DifferenceShown(Kind.CHANGED, position, position, "77", "5.1.1", "T.TEAS", "Insert", parts=differing)
        )
    page = SideBySidePage(AlignedSoFar(listing, 100, is_ended=False), (80, height), UNICODE, 0)
    shown = page.lines(AlignedCursor(0))
    column = (0, 1, 5, 40).index(parts)
    assert (page.room, len(shown) - 1 - page.room) == (ROOM[height][column], DETAILS[height][column])


def test_values_are_harmless_and_plain_characters_enough(tmp_path: Path) -> None:
    (transaction,) = drawn(Random(1, is_fixed=True), 1)
    row = transaction.changes[1].after or ()
    hostile = transaction.changes[1]._replace(after=(row[0], nasty("tea"), *row[2:]))
    changed = transaction._replace(changes=(transaction.changes[0], hostile, *transaction.changes[2:]))
    written(tmp_path / "a", [transaction])
    written(tmp_path / "b", [changed])

    async def steps(screen: Screen) -> None:
        await screen.type(LINE)
        for size in ((20, 8), (40, 12), (80, 24)):
            await screen.resize(*size)
            assert raw_characters(characters(screen)) == []
            assert screen.text.isascii()
            assert max(map(len, screen.text.splitlines())) <= size[0]
        assert "tea" in pane(screen).whole_text

    drive(steps, tmp_path / "a" / "sm000000000", appearance=Appearance(glyphs=ASCII))
