"""The start page: the trails of a folder, of a wildcard, of a name that is not there."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fixtures import TRAILS
from logdump.session.session import Session
from logdump.tui.model.model import Model
from logdump.tui.panes.choices import PANES, PaneContext, _recent_first
from logdump.tui.reading.messages import ListedTrail, TrailsListed
from logdump.tui.reading.start_page import StartPage, StartPlace, _by_names, _with_headers, _with_records, start_place
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
    percents = [report.percent for report in reports]  # type: ignore[attr-defined]
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
    assert heading.index("age") < heading.index("beat")
    assert (line.text.count(" 28 s "), line.text.count(" 1 min ")) == (1, 1)


@pytest.mark.parametrize("name", some_trails((path.name for path in TRAILS.glob("?[tl]000000000")), __name__))
def test_the_last_csn_is_that_of_the_last_record_as_long_as_the_header_has_none(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        records = (
            record for record in trail.records_backwards() if not record.is_file_header and not record.is_metadata
        )
        last = next(records, None)
        csn = TransactionContext(trail).of(last).csn if last is not None else None
        header = trail.file_header
    shown = _with_headers(ListedTrail(name, (TRAILS / name,), 0)).last_csn
    assert shown == ((header.last_csn if header is not None else None) or csn or "")


def _listed(folder: Path, *contents: bytes) -> ListedTrail:
    """What is known of a trail of files with these contents."""
    paths = [folder / f"xx{number:09}" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    *_, (trail, _) = _with_records(_with_headers(_by_names(paths)))
    assert (trail.name, trail.paths, trail.size) == ("xx", tuple(paths), sum(map(len, contents)))
    assert trail.files_read == len(paths)
    return trail


class Facts(NamedTuple):
    """What a file adds to the facts of its trail: records, restarts, places of damage, the first and the last CSN."""

    name: str
    records: int
    restarts: int
    damaged: int
    csns: tuple[str, str] = ("", "")
    is_cut: bool = False


FILES = [
    Facts("et000000000", 22, 0, 0, ("41882317", "41882470")),
    Facts("ct000000000", 21, 0, 0, ("41882317", "41882453"), is_cut=True),
    Facts("gt000000000", 22, 0, 1, ("41882317", "41882470")),
    Facts("at000000000", 15, 2, 0, ("41882317", "41882368")),
    Facts("damaged", 12, 0, 2, ("41882317", "41882368")),
    Facts("st000000001", 7, 0, 0, ("", "41882453")),
]


def _content(name: str) -> bytes:
    if name != "damaged":
        return (TRAILS / name).read_bytes()
    shop = (TRAILS / "et000000000").read_bytes()
    return shop[:3069] + b"\xff" * 40 + shop[3069:3629] + b"\xff" * 30  # the second one may still become a record


@pytest.mark.parametrize("turn", range(6))
def test_each_fact_is_that_of_all_files_or_of_the_first_or_the_last(turn: int, tmp_path: Path) -> None:
    (inside := tmp_path / "inside").mkdir()
    files = [FILES[(turn + at) % 6] for at in range(3)]
    trail = _listed(inside, *(_content(file.name) for file in files))
    assert trail.records == sum(file.records for file in files)
    assert trail.restarts == sum(file.restarts for file in files)
    assert trail.damaged == sum(file.damaged for file in files)
    assert trail.ends_in_record == files[-1].is_cut
    assert trail.last_csn == files[-1].csns[1]
    assert trail.first_csn == files[0].csns[0]


@pytest.mark.parametrize("unread", [0, 1, 2])
def test_a_file_that_is_no_trail_is_damage_and_the_others_count(unread: int, tmp_path: Path) -> None:
    (inside := tmp_path / "inside").mkdir()
    contents = [(TRAILS / "et000000000").read_bytes()] * 2
    contents.insert(unread, b"nothing")
    trail = _listed(inside, *contents)
    assert (trail.records, trail.damaged) == (44, 1)


@pytest.mark.parametrize("empty", [1, 2])
@pytest.mark.parametrize("end", [1130, 1811])
def test_the_newest_row_is_that_of_the_last_file_that_has_one(end: int, empty: int, tmp_path: Path) -> None:
    """The newest files have a header alone, or definitions behind it."""
    (inside := tmp_path / "inside").mkdir()
    shop = (TRAILS / "et000000000").read_bytes()
    head = shop[:end]
    trail = _listed(inside, shop[:3069], shop[:3629], *[head] * empty)
    with TrailFile(TRAILS / "et000000000") as file:
        row = file.record_at(3522)
    assert row is not None
    assert (trail.last_csn, trail.last_time) == ("41882368", row.header.io_time)


@pytest.mark.parametrize("whole", [0, 1, 2])
def test_the_newest_beat_is_that_of_all_files(whole: int, tmp_path: Path) -> None:
    """The other files end before it."""
    (inside := tmp_path / "inside").mkdir()
    data = (TRAILS / "yt000000000").read_bytes()
    with TrailFile(TRAILS / "yt000000000") as file:
        records = [record for record in file.records() if not record.is_file_header]
        rows = [record for record in records if "HEARTBEAT" in file.name_of(record) and not record.is_metadata]
    contents = [data[: rows[3].rba], data[: rows[5].rba]]
    assert _listed(inside, data[: rows[0].rba]).last_beat is None  # the definition of the table is no beat
    contents.insert(whole, data)
    trail = _listed(inside, *contents)
    assert trail.last_beat == rows[-1].header.io_time > rows[4].header.io_time


def test_a_read_that_was_stopped_says_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[object] = []
    page = StartPage(reports.append)
    steps = StartPage._steps

    def stopped(_: StartPage, trails: list[ListedTrail]) -> Iterator[tuple[int | None, int]]:
        for number, step in enumerate(steps(trails)):
            if number == 2:
                page.stop()
            yield step

    monkeypatch.setattr(StartPage, "_steps", stopped)
    page._read(StartPlace(), page._number)
    assert len(reports) == 2
    page.close()


def test_a_file_that_is_no_trail_is_not_listed_and_one_alone_is_under_its_name(tmp_path: Path) -> None:
    shutil.copy(TRAILS / "et000000000", tmp_path / "saved.trail")
    reports: list[Any] = []
    page = StartPage(reports.append)
    page._read(StartPlace(("*",), "a note"), page._number)
    assert [trail.name for trail in reports[-1].trails] == ["at", "ct", "saved.trail"]
    assert {report.note for report in reports} == {"a note"}
    percents = [report.percent for report in reports[:-1]]
    assert percents == sorted(percents)
    sizes = [trail.size for trail in reports[-1].trails]
    assert max(report.percent or 0 for report in reports) >= 100 * (sizes[0] + sizes[1]) // sum(sizes)
    page._read(StartPlace(("nowhere*",), "the note"), page._number)
    assert (reports[-1].note, reports[-1].trails) == ("the note", ())
    page._read(StartPlace(("nowhere*",)), page._number)
    assert reports[-1].note == "No file matches nowhere*."
    page.close()


@pytest.mark.parametrize(
    ("words", "has_page"),
    [
        (["ct"], False),
        (["ct*"], True),
        (["ct?????????"], True),
        (["ct", "at"], True),
        (["at000000000", "at000000002"], True),
        (["ct,at"], True),
        (["only"], True),
        (["only/ct000000000"], False),
    ],
)
def test_one_name_of_one_trail_is_opened_and_a_folder_or_a_wildcard_has_a_page(
    words: list[str], has_page: bool, tmp_path: Path
) -> None:
    (tmp_path / "only").mkdir()
    shutil.copy(TRAILS / "ct000000000", tmp_path / "only")
    assert (start_place(words) == StartPlace(tuple(words))) == has_page
    assert (start_place(words) is None) != has_page


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


def _archive(folder: Path, names: list[str]) -> Path:
    """An archive of files of the folder, which go into it."""
    path = folder / "customer.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.add(folder / name, f"dirdat/{name}")
    return path


def test_an_archive_is_listed_and_leads_to_the_trails_in_it(folder: Path) -> None:
    _archive(folder, ["at000000000", "at000000001", "at000000002"])
    for name in ("at000000000", "at000000001", "at000000002"):
        (folder / name).unlink()

    async def steps(screen: Screen) -> None:
        assert "customer.tar.gz" in screen.text
        while "customer.tar.gz" not in (screen.app.query_one("#trails").choice.text):  # type: ignore[attr-defined]
            await screen.press("down")
        await screen.press("enter")
        assert "customer.tar.gz" not in screen.text
        [choice] = screen.app.query_one("#trails")._choices  # type: ignore[attr-defined]
        assert choice.text.split()[:2] == ["at", "3"]
        await screen.press("enter")
        assert screen.app.model.state.path is not None
        assert screen.app.model.state.path.name == "at000000000"
        assert "customer.tar.gz" in str(screen.app.model.state.path)

    drive(steps, first="timeoffset gmt", start=StartPlace(), place="trails")


def test_an_archive_has_a_start_page_and_one_alone_is_no_problem(folder: Path) -> None:
    path = _archive(folder, ["at000000000"])
    assert start_place([path.name]) == StartPlace((path.name,))
    alone = folder / "alone"
    alone.mkdir()
    shutil.move(path, alone)
    assert start_place([str(alone)]) == StartPlace((str(alone),))


def test_the_trail_that_was_opened_last_comes_first(folder: Path) -> None:
    trails = [ListedTrail(name, (folder / f"{name}000000000",), 1) for name in ("aa", "bb", "cc", "dd")]

    def names(*history: str) -> list[str]:
        return [trail.name for trail in _recent_first(trails, history)]

    assert names("count", "open nothing") == ["aa", "bb", "cc", "dd"]
    assert names(f'OPEN "{folder}/cc000000000"; ghdr on', "next", "open bb000000000", "n") == ["bb", "cc", "aa", "dd"]
    assert names(f"open {folder / 'dd'}", "open cc000000000", "open dd") == ["dd", "cc", "aa", "bb"]


def test_the_colour_of_a_trail_is_that_of_its_state(folder: Path) -> None:
    data = (folder / "ct000000000").read_bytes()
    (folder / "ct000000000").write_bytes(data[:1811] + bytes(60) + data[1871:])
    shutil.copy(TRAILS / "et000000000", folder)

    async def steps(screen: Screen) -> None:
        styles = {choice.text.split()[0]: choice.style for choice in screen.app.query_one("#trails")._choices}  # type: ignore[attr-defined]
        assert styles["ct"] == "warn"
        assert styles["et"] == ""
        assert styles["at"] == "changed"

    drive(steps, first="timeoffset gmt", start=StartPlace(), place="trails")
