"""Restarts of Extract on the screen: how many a file has, where they are, and which transactions they have cut."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21
from logdump.tui.panes.one_line import OneLine
from logdump.tui.reading import rows
from logdump.tui.text.styled import UNICODE
from tests.logdump.tui.drive import WIDE, Screen, drive, rba_of
from tests.searching import Random
from tests.simulated.recovery import Kill, RecoveringExtract
from tests.simulated.source import Source
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.index import build, index_of
from trailformat.records.record_header import MIDDLE, NO_TRANSACTION, RESTART_ABEND

MARKERS = [
    f"3083  09:31:00  {UNICODE.restart} RestartAbend cuts CSN 41882334",
    f"3691  09:32:00  {UNICODE.restart} RestartOK",
]


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    """A file with two restarts, the first of which has cut a transaction."""
    return Path(shutil.copy(TRAILS / "at000000000", tmp_path))


def test_the_list_marks_restarts_and_names_the_transaction_that_each_has_cut(trail: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 3691")
        assert [marker for marker in MARKERS if marker not in screen.text] == []

    drive(steps, trail, WIDE)


def test_a_restart_at_the_beginning_of_a_file_names_the_transaction_of_the_file_before(tmp_path: Path) -> None:
    random = Random(3)
    extract = RecoveringExtract(tmp_path, random, roll_chance=0)
    changes = next(group for group in iter(Source(random, MYSQL_21.teas).transaction, None) if len(group) > 1)
    extract.begin()
    extract.fail(changes, Kill(1, rolls=True, marker=RESTART_ABEND))
    extract.close()

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        assert f"RestartAbend cuts CSN {MYSQL_21.csn(1)}" in screen.text

    drive(steps, extract.paths[1], WIDE)


def test_a_restart_cuts_a_transaction_whose_beginning_is_too_far_back_to_be_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "_SEARCHED", 3)
    path = trail_of(tmp_path, *[row(trans_ind=MIDDLE)] * 9, row(io_type=RESTART_ABEND))
    with TrailFile(path) as file:
        assert rows.cut_at(file, file.size - row(io_type=RESTART_ABEND).length) == NO_TRANSACTION


def test_the_title_counts_the_restarts_of_the_file(trail: Path) -> None:
    async def steps(screen: Screen) -> None:
        assert "  2 restarts  " in screen.app.query_one("#title", OneLine).text

    drive(steps, trail, WIDE)


def test_a_click_on_a_restart_in_the_side_pane_goes_to_it(trail: Path) -> None:
    async def steps(screen: Screen) -> None:
        lines = screen.text.splitlines()
        y = next(at for at, line in enumerate(lines) if line.startswith(" RestartAbend  3083"))
        await screen.pilot.click(offset=(3, y))
        await screen.settle()
        assert rba_of(screen) == 3083

    drive(steps, trail, WIDE)


def test_a_cut_transaction_ends_at_its_restart_and_its_second_copy_is_another(trail: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x")
        rows = [line[1:].split()[:3] for line in screen.text.splitlines() if "41882334" in line]
        assert rows == [["3130", "3491", "3"], ["2722", "cut", "3083"]]
        await screen.press("j", "e")
        assert rba_of(screen) == 3083

    drive(steps, trail)


@pytest.mark.usefixtures("kernels")
def test_the_index_counts_all_restarts_and_lists_a_bounded_number(trail: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.index.record_index.MOST_RESTARTS", 1)
    with TrailFile(trail) as file:
        index = index_of(file)
        for _ in build(file, index):
            pass
        assert index.places.restart_count == 2
        assert [restart.rba for restart in index.places.restarts] == [3083]
