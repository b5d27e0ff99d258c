"""Files that change while they are shown: growing, rotated, cut, removed."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.text import PARTIAL
from logdump.session.reading import Reading
from logdump.tui.model.reports import Reports
from logdump.tui.reading.background import OPEN_TRANSACTIONS
from logdump.tui.reading.messages import FilePolled, Report
from logdump.tui.reading.rows import RowKind
from logdump.tui.reading.state import NeighbourFiles, NeighbourLookup
from tests.logdump.tui.drive import Screen, drive, rba_of
from tests.logdump.tui.growing_trail import GrowingTrail

WHOLE = (TRAILS / "et000000000").read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the first half of the records."""
    path = tmp_path / "et000000000"
    path.write_bytes(WHOLE[:3069])
    return path


async def look(screen: Screen) -> None:
    screen.app._poll()
    await screen.settle()


def test_new_records_are_counted_and_can_be_walked_to(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        path.write_bytes(WHOLE)
        await look(screen)
        assert "22 recs" in screen.text
        await screen.press("j")
        assert rba_of(screen) == 3260

    drive(steps, path)


def test_new_records_are_counted_without_a_key(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.tui.app._POLL_EVERY", 0.01)

    async def steps(screen: Screen) -> None:
        path.write_bytes(WHOLE)
        for _ in range(500):
            if "22 recs" in screen.text:
                return
            await screen.pilot.pause(0.001)
        pytest.fail("it does not look")

    drive(steps, path)


def test_a_position_behind_the_end_stays_there_until_the_file_reaches_it(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 3260")
        assert rba_of(screen) == 3069
        path.write_bytes(WHOLE[:3135])
        await look(screen)
        assert rba_of(screen) == 3135
        path.write_bytes(WHOLE)
        await look(screen)
        assert rba_of(screen) == 3260

    drive(steps, path)


def test_following_stays_at_the_last_record(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        assert rba_of(screen) == 2892
        path.write_bytes(WHOLE)
        await look(screen)
        assert rba_of(screen) == 5352
        assert "FOLLOW" in screen.text

    drive(steps, path)


def test_moving_ends_following(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w", "k")
        assert "FOLLOW" not in screen.text

    drive(steps, path)


def test_following_goes_on_in_the_next_file(tmp_path: Path) -> None:
    for name in ("st000000000", "st000000001"):
        shutil.copy(TRAILS / name, tmp_path / name)

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        await look(screen)
        await look(screen)
        assert screen.app.model.state.path == tmp_path / "st000000001"
        assert any(entry.line == "NEXTTRAIL" for entry in screen.app.mode.transcript.entries)

    drive(steps, tmp_path / "st000000000")


def test_following_goes_on_once_however_long_the_look_at_the_folder_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        shutil.copy(TRAILS / "st000000000", tmp_path / f"st00000000{number}")
    taken, look_at, take = threading.Event(), NeighbourLookup.of, Reports.take

    def slow(self: NeighbourLookup, path: Path) -> NeighbourFiles:
        taken.wait(5)
        return look_at(self, path)

    def noted(self: Reports, report: Report) -> None:
        take(self, report)
        if isinstance(report, FilePolled):
            taken.set()

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        monkeypatch.setattr(NeighbourLookup, "of", slow)
        monkeypatch.setattr(Reports, "take", noted)
        taken.clear()
        screen.app._poll()
        await screen.settle()
        assert screen.app.model.state.path == tmp_path / "st000000001"

    drive(steps, tmp_path / "st000000000")


def test_a_poll_that_comes_while_the_session_is_busy_does_not_pass_over_a_file(tmp_path: Path) -> None:
    for number in range(3):
        shutil.copy(TRAILS / "st000000000", tmp_path / f"st00000000{number}")

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        size = screen.app.model.summary.size
        first = FilePolled(tmp_path / "st000000000", size, size, is_gone=False, following=tmp_path / "st000000001")
        gate = threading.Event()

        def wait() -> None:
            gate.wait(20)

        screen.app.mode._thread.do("gate", wait)
        for _ in range(2):
            screen.app._reports.take(first)
        gate.set()
        await screen.settle()
        screen.app._reports.take(first)
        screen.app._reports.take(first)
        await screen.settle()
        assert screen.app.model.state.path == tmp_path / "st000000001"

    drive(steps, tmp_path / "st000000000")


def test_a_file_that_is_removed_is_told_and_can_still_be_read(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        path.unlink()
        await look(screen)
        assert "FILE REMOVED" in screen.text
        await screen.press("escape", "j", "j")
        assert rba_of(screen) == 1261

    drive(steps, path)


def test_a_file_that_is_cut_is_told_and_shown_as_it_is(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        path.write_bytes(WHOLE[:2008])
        await look(screen)
        assert "FILE TRUNCATED" in screen.text
        await screen.press("G")
        assert rba_of(screen) == 2008
        await screen.press("n")

    drive(steps, path)


def test_a_file_that_is_cut_keeps_its_filter(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 5")
        path.write_bytes(WHOLE[:2722])
        await look(screen)
        assert "FILTER 2:" in screen.text
        assert "FileHeader" not in screen.text

    drive(steps, path)


def test_a_file_that_becomes_empty_is_told(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        path.write_bytes(b"")
        await look(screen)
        await screen.press("escape", "j", "n", "h", "G")
        assert "FILE" in screen.text

    drive(steps, path)


def test_following_keeps_to_the_last_row_through_halves_of_records_and_over_files(tmp_path: Path) -> None:
    trail = GrowingTrail(tmp_path, "et", 8, is_damaged=False)

    async def keeps_to_the_end(screen: Screen) -> None:
        for _ in range(3):
            await look(screen)
        assert screen.app.model.follows
        assert screen.app.model.state.path == trail.path
        size, row = trail.path.stat().st_size, screen.app.records.row
        assert row is not None
        assert (row.end, row.kind in (RowKind.RECORD, RowKind.FILE_HEADER, RowKind.PARTIAL)) == (size, True)
        assert screen.app.session.cursor.current == row.rba
        if row.kind is RowKind.RECORD:
            assert f"RBA {row.rba}" in " ".join(screen.lines("detail"))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "w")
        for halves in (1, 1, 2, 3, 1):
            trail.grow(halves)
            await keeps_to_the_end(screen)
        for halves in (2, 5):
            trail.roll_over(halves)
            await keeps_to_the_end(screen)
            trail.grow(2)
            await keeps_to_the_end(screen)

    drive(steps, trail.path)


@pytest.mark.parametrize("longer", [0, 1], ids=["equal length", "longer"])
def test_a_file_that_is_rewritten_in_place_is_read_again(longer: int, tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    records = [WHOLE[begin:end] for begin, end in ((1811, 2008), (2008, 2170))]
    path.write_bytes(WHOLE[:1811] + b"".join(records))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        path.write_bytes(WHOLE[:1811] + b"".join((*reversed(records), *records[:longer])))
        await look(screen)
        assert "FILE REWRITTEN" in screen.text
        assert screen.text.index("GYO01") < screen.text.index("SEN01")
        await screen.type("pos 1811")
        await screen.press("escape", "j")
        assert rba_of(screen) == 1811 + len(records[1])
        await screen.type("pos 1811; next")
        assert screen.app.model.rba == 1811

    drive(steps, path)


def test_a_file_that_is_replaced_is_said(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        other = path.with_name("other")
        other.write_bytes(WHOLE)
        other.replace(path)
        await look(screen)
        assert "FILE REPLACED" in screen.text
        await screen.type(f"open {path}")
        await look(screen)
        assert "FILE REPLACED" not in screen.text

    drive(steps, path)


def test_what_a_reading_of_the_former_file_lacks_is_not_said_of_the_next_one(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        model = screen.app.model
        model.lacks = {OPEN_TRANSACTIONS: Reading(is_stopped=True, damaged=3)}
        assert model.partial(OPEN_TRANSACTIONS) != PARTIAL
        await screen.type(f"open {TRAILS / 'st000000000'}")
        assert model.partial(OPEN_TRANSACTIONS) == PARTIAL

    drive(steps, path)
