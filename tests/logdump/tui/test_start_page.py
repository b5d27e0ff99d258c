"""The start page: the trails of a folder, of a wildcard, of a name that is not there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.session import Session
from logdump.tui.model.model import Model
from logdump.tui.panes.choices import PANES, PaneContext
from logdump.tui.reading.messages import ListedTrail, TrailsListed
from logdump.tui.reading.start_page import StartPage, StartPlace, _with_headers, start_place
from logdump.tui.text.styled import UNICODE
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.resting import come_to_rest
from tests.searching import some_trails
from trailformat import TrailFile
from trailformat.changes.transaction_context import TransactionContext


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files of one trail, one of another that is cut, and a file that is no trail."""
    for name in ("at000000000", "at000000001", "at000000002", "ct000000000"):
        shutil.copy(TRAILS / name, tmp_path)
    (tmp_path / "notes.txt").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [[], ["."], ["*"], ["at*", "ct*"], ["at000000000", "at000000001", "ct000000000"]])
def test_a_folder_and_several_files_have_a_start_page(words: list[str]) -> None:
    assert start_place(words) == StartPlace(tuple(words))


@pytest.mark.parametrize("word", ["at000000000", "at"])
def test_a_file_and_a_trail_by_its_name_are_opened(word: str) -> None:
    assert start_place([word]) is None


def test_a_file_that_is_not_there_has_the_page_of_its_folder_and_the_nearest_names() -> None:
    place = start_place(["at0000001"])
    assert place is not None
    assert place.words == (".",)
    assert place.note == "No file matches at0000001. Nearest: at000000001."


def test_what_is_known_of_each_trail() -> None:
    reports: list[object] = []
    page = StartPage(reports.append)
    page.read(StartPlace())
    while not page.is_idle:
        pass
    page.close()
    [first, second] = reports[-1].trails  # type: ignore[attr-defined]
    assert (first.name, len(first.paths), first.records, first.restarts) == ("at", 3, 30, 3)
    assert (first.damaged, first.ends_in_record, first.first_csn) == (0, False, "41882317")
    assert (second.name, second.records, second.ends_in_record) == ("ct", 21, True)
    assert reports[0].trails[0].records is None  # type: ignore[attr-defined]
    percents = [one.percent for one in reports]  # type: ignore[attr-defined]
    assert percents[0] == 0
    assert percents[-1] is None
    assert percents[:-1] == sorted(percents[:-1])


def test_the_age_of_the_newest_heartbeat_where_there_is_one(folder: Path) -> None:
    shutil.copy(TRAILS / "yt000000000", folder)
    reports: list[object] = []
    page = StartPage(reports.append)
    page.read(StartPlace(("at*", "yt*")))
    while not page.is_idle:
        pass
    page.close()
    listed = reports[-1]
    assert isinstance(listed, TrailsListed)
    [without, beating] = listed.trails
    assert without.last_beat is None
    assert beating.last_beat is not None
    listed.now = beating.last_beat + 90_000_000
    model = Model()
    model.trails = listed
    heading, [_, line] = PANES["trails"].lines(PaneContext(model, UNICODE, 200))
    assert heading.index("newest") < heading.index("beat")
    assert (line.text.count(" 28 s "), line.text.count(" 1 min ")) == (1, 1)


@pytest.mark.parametrize("name", some_trails((path.name for path in TRAILS.glob("?[tl]000000000")), __name__))
def test_the_last_csn_is_that_of_the_last_record_as_long_as_the_header_has_none(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        records = (one for one in trail.records_backwards() if not one.is_file_header and not one.is_metadata)
        last = next(records, None)
        csn = TransactionContext(trail).of(last).csn if last is not None else None
        header = trail.file_header
    shown = _with_headers(ListedTrail(name, (TRAILS / name,), 0)).last_csn
    assert shown == ((header.last_csn if header is not None else None) or csn or "")


def test_enter_opens_a_trail_and_a_key_leads_back() -> None:
    async def steps(screen: Screen) -> None:
        await come_to_rest(lambda: screen.app.is_quiet)
        assert "ends in half a record" in screen.text
        await screen.press("j", "enter")
        path = screen.app.model.state.path
        assert path is not None
        assert path.name == "ct000000000"
        await screen.press("O")
        assert "1 lost transaction, 4 restarts" in screen.text

    drive(steps, first="", session=Session(), start=StartPlace(), place="trails")
