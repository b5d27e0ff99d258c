"""What each report of a thread changes in the model, and what it has the threads do, by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from logdump.session.events import Progress, SearchProgress
from logdump.session.reading import Reading, ReadSoFar
from logdump.tui.model.model import Model, ScanProgress
from logdump.tui.model.reports import Reports
from logdump.tui.reading.background import FILTER, INDEX, OPEN_TRANSACTIONS, OVER_TIME, SHAPE
from logdump.tui.reading.messages import (
    CommandEnded,
    Crossed,
    FilePolled,
    NeighboursRead,
    OutputGrew,
    Scanned,
    TrailFilesRead,
)
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.reading.state import ListedFile, NeighbourFiles, State, Summary
from logdump.tui.reading.transcript import TranscriptEntry
from trailformat.index import TrailIndex

HERE, NEXT = Path("/t/et000000000"), Path("/t/et000000001")
STOPPED, DAMAGED = Reading(is_stopped=True), Reading(damaged=1)


class Screen:
    """The model with its reports, and in place of the threads what they were asked to do."""

    def __init__(self, **state: Any) -> None:
        self.model, self.asked = Model(), list[tuple[str, ...]]()
        self.model.state = State(**{"path": HERE, "opened": 1, "rba": 100, **state})
        self.model.opened, self.model.rba, self.model.summary = 1, 100, Summary(name=HERE.name, size=1000)
        self.entry = TranscriptEntry("", "a line")
        self.has_room = True
        self.mode = SimpleNamespace(
            prompt="Logdump 2 >",
            session=SimpleNamespace(history=SimpleNamespace(lines=["a", "b"])),
            transcript=SimpleNamespace(last=self.entry),
            entered=1,
            submit=lambda text, **_: self.asked.append(("submit", text)),
            stand_at=lambda *where: self.asked.append(("stand at", *map(str, where))),
            share=lambda _index, is_rewritten: self.asked.append(("share", str(is_rewritten))),
        )
        self.file = SimpleNamespace(
            index=TrailIndex(),
            is_stopped=False,
            is_read=True,
            timeline=SimpleNamespace(timeline="the timeline"),
            shape=SimpleNamespace(shape="the shape"),
            open_transactions=SimpleNamespace(answer="what is open"),
            matches=SimpleNamespace(records=7, undecided=2),
            open=lambda path: self.asked.append(("open", str(path))),
            filter=lambda filters, source: self.asked.append(("filter", str(filters), str(source))),
            go_on=lambda: self.asked.append(("go on",)),
            ask_transactions=lambda _known: self.asked.append(("transactions",)),
        )
        mode: Any = self.mode
        file: Any = self.file
        self.reports = Reports(self.model, mode, file, lambda _entry, _moved: self.has_room)

    def end(self, records: int = 0, number: int = 1, **state: Any) -> None:
        """A line ends with the session in another state."""
        self.reports.take(CommandEnded(self.model.state._replace(**state), records, number, was_stopped=False))


OPENED = [("open", str(NEXT)), ("filter", "the filter", "the file"), ("share", "False")]
CHANGES: dict[str, tuple[dict[str, Any], list[tuple[str, ...]], int]] = {
    "nothing": ({}, [], 0),
    "a move": ({"rba": 200}, [], 0),
    "switches": ({"switches": "others"}, [], 0),
    "another filter": ({"filters": "f", "filter_text": "text"}, [("filter", "f", "None")], 1),
    "no filter": ({"filters": None, "filter_text": ""}, [], 0),
    "another file": ({"path": NEXT, "opened": 2, "filters": "the filter", "source": "the file"}, OPENED, 1),
    "the same file again": ({"opened": 2}, [("open", str(HERE)), ("filter", "None", "None"), ("share", "False")], 1),
}
"""What a line changes, what the threads are asked for, and how many new lists there are."""


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("is_crossing", [False, True])
def test_another_file_or_filter_is_read_when_a_line_or_a_crossing_has_brought_it(
    name: str, *, is_crossing: bool
) -> None:
    state, asked, lists = CHANGES[name]
    screen = Screen()
    screen.model.has_moved = False
    after = screen.model.state._replace(**state)
    screen.reports.take(Crossed(after) if is_crossing else CommandEnded(after, 0, 1, was_stopped=False))
    model = screen.model
    assert (screen.asked, model.listing, model.opened) == (asked, lists, 1 + ("opened" in state))
    assert (model.state, model.rba, model.output) == (after, after.rba, 1)
    assert (model.crossings, model.is_landing) == (int(is_crossing), is_crossing and "opened" in state)
    assert (model.ended, model.prompt) == ((0, "") if is_crossing else (1, "Logdump 2 >"))


def test_the_line_that_ends_the_session_ends_the_view() -> None:
    screen = Screen()
    screen.end(is_over=True, rba=300)
    assert (screen.model.is_over, screen.model.ended, screen.model.rba) == (True, 1, 100)


ANSWERS: list[tuple[dict[str, Any], str, str]] = [
    ({}, "values", "values"),
    ({"has_room": False}, "values", "output"),
    ({"has_room": False, "is_on_page": True}, "values", "values"),
    ({"records": [100]}, "values", "values"),
    ({"records": [300]}, "values", "output"),
    ({"records": [50, 100]}, "values", "output"),
    ({"count": 1, "records": [100]}, "output", "hex"),
    ({"count": 1, "records": [100]}, "timeline", "timeline"),
    ({"count": 1, "records": [100]}, "side-by-side", "hex"),
    ({"count": 2, "records": [50, 100]}, "values", "output"),
    ({"rba": 200}, "output", "hex"),
    ({}, "output", "output"),
    ({"rba": 200}, "side-by-side", "side-by-side"),
    ({"opened": 2}, "output", "hex"),
    ({"opened": 2, "has_room": False}, "values", "values"),
    ({"opened": 2, "has_room": False, "is_long": True}, "values", "output"),
    ({"opened": 2, "has_room": False, "has_failed": True}, "values", "output"),
]
"""How a line has ended, the page that was shown (the hex page before it), and the page that is shown then."""


@pytest.mark.parametrize(("answer", "before", "page"), ANSWERS)
def test_an_answer_is_shown_where_it_can_be_read(answer: dict[str, Any], before: str, page: str) -> None:
    screen = Screen()
    screen.model.show_page("hex")
    screen.model.show_page(before)
    if before in ("values", "timeline"):
        assert screen.model.page_before == before
    screen.has_room = answer.get("has_room", True)
    screen.entry.is_on_page = answer.get("is_on_page", False)
    screen.entry.has_failed = answer.get("has_failed", False)
    screen.entry.records.extend(answer.get("records", []))
    for number in range(30 * answer.get("is_long", False)):
        screen.entry.print(f"line {number}")
    screen.end(answer.get("count", 0), **{name: answer[name] for name in ("rba", "opened") if name in answer})
    assert screen.model.page == page


SCANS = [
    (INDEX, 900, None, {"indexed": ScanProgress(900, 0, is_done=False)}, "index 90 %, Ctrl+C stops, RBA 900"),
    (INDEX, 1000, Reading(), {"indexed": ScanProgress(1000, 0, is_done=True)}, ""),
    (INDEX, 500, STOPPED, {"indexed": ScanProgress(500, 0, is_done=False)}, "index 50 %, Ctrl+C stops, RBA 500"),
    (
        FILTER,
        100,
        None,
        {"matched": ScanProgress(100, 7, is_done=False, undecided=2)},
        "filter 10 %, Ctrl+C stops, RBA 100",
    ),
    (FILTER, 1000, DAMAGED, {"matched": ScanProgress(1000, 7, is_done=True, undecided=2)}, ""),
    (OVER_TIME, 1000, Reading(), {"timeline": "the timeline"}, ""),
    (SHAPE, 1000, Reading(), {"shape": "the shape"}, ""),
    (OPEN_TRANSACTIONS, 1000, Reading(), {"open_transactions": "what is open"}, ""),
    (OPEN_TRANSACTIONS, 2000, None, {"open_transactions": "what is open"}, "2,000 records read"),
]
"""A scan, how far it is, what it lacks (None: it is running), the part of the model that it changes, the progress."""


@pytest.mark.parametrize(("name", "covered", "reading", "changed", "busy"), SCANS)
@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_scan_changes_its_part_alone(
    name: str, covered: int, reading: Reading | None, changed: dict[str, Any], busy: str, *, is_stopped: bool
) -> None:
    screen = Screen()
    model, screen.file.is_stopped = screen.model, is_stopped
    model.busy = "before"
    model.lacks = {INDEX: STOPPED, FILTER: DAMAGED, OVER_TIME: STOPPED}
    parts = ("indexed", "matched", "timeline", "shape", "open_transactions")
    before = {part: getattr(model, part) for part in parts}
    screen.reports.take(Scanned(name, covered, 1000, reading))
    assert {part: getattr(model, part) for part in parts} == before | changed
    others = {
        scan: lack for scan, lack in {INDEX: STOPPED, FILTER: DAMAGED, OVER_TIME: STOPPED}.items() if scan != name
    }
    assert model.lacks == (others if reading is None else {**others, name: reading})
    is_running = reading is None or reading.is_stopped
    assert busy in model.busy if is_running and not is_stopped else model.busy == ("before" if is_running else "")
    assert screen.asked == ([("transactions",)] if name == INDEX else [])


def _poll(**changes: Any) -> FilePolled:
    told: dict[str, Any] = {"path": HERE, "known": 1000, "size": 1000, "is_gone": False, "following": None, **changes}
    return FilePolled(**told)


REWRITTEN = [("open", str(HERE)), ("filter", "None", "None"), ("share", "True")]
LOOKS: dict[str, tuple[dict[str, Any], list[tuple[str, ...]], str, int]] = {
    "as before": ({}, [], "", 1000),
    "of another file": ({"path": NEXT, "size": 10}, [], "", 1000),
    "asked for before the last look": ({"known": 900, "size": 10}, [], "", 1000),
    "cut": ({"size": 999}, REWRITTEN, "FILE TRUNCATED", 0),
    "rewritten": ({"is_rewritten": True}, REWRITTEN, "FILE REWRITTEN", 0),
    "rewritten and longer": ({"is_rewritten": True, "size": 2000}, REWRITTEN, "FILE REWRITTEN", 0),
    "longer": ({"size": 1001}, [("go on",)], "", 1001),
    "longer, with a next file": ({"size": 1001, "following": NEXT}, [("go on",)], "", 1001),
    "removed": ({"is_gone": True}, [], "FILE REMOVED", 1000),
    "a next file": ({"following": NEXT}, [("submit", "NEXTTRAIL")], "", 1000),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_a_look_at_the_file_has_found(name: str) -> None:
    look, asked, warning, size = LOOKS[name]
    screen = Screen()
    screen.model.follows, screen.model.ended = True, 1
    screen.reports.take(_poll(**look))
    assert (screen.asked, screen.model.warning, screen.model.summary.size) == (asked, warning, size)


@pytest.mark.parametrize("lacking", ["follows", "is read", "has answered", "is summarized"])
def test_following_goes_on_in_the_next_file_once_all_is_read_and_answered(lacking: str) -> None:
    screen = Screen()
    screen.model.follows = lacking != "follows"
    screen.model.ended = int(lacking != "has answered")
    screen.file.is_read = lacking != "is read"
    if lacking == "is summarized":
        screen.model.summary = Summary(size=1000)
    screen.reports.take(_poll(following=NEXT))
    assert screen.asked == []


def test_a_file_that_is_longer_is_not_read_on_where_the_user_has_stopped() -> None:
    screen = Screen()
    screen.file.is_stopped = True
    screen.reports.take(_poll(size=1500))
    assert (screen.asked, screen.model.summary.size) == ([], 1500)


def test_what_is_told_of_another_file_is_passed_over() -> None:
    screen, neighbours = Screen(), NeighbourFiles(after=NEXT)
    for path in (NEXT, HERE, NEXT):
        here = neighbours if path == HERE else NeighbourFiles(before=NEXT)
        screen.reports.take(NeighboursRead(path, here))
        screen.reports.take(TrailFilesRead(path, (ListedFile(path, 1),)))
    assert (screen.model.neighbours, screen.model.files) == (neighbours, (ListedFile(HERE, 1),))


def test_a_line_begins_where_the_cursor_is_and_a_step_says_where_it_is_now() -> None:
    screen = Screen()
    screen.model.has_moved = screen.model.is_landing = True
    screen.reports.enter("count")
    assert (screen.model.has_moved, screen.model.rba) == (False, 100)
    screen.reports.stand_at(ListRow(RowKind.RECORD, 200, 50))
    assert (screen.model.has_moved, screen.model.is_landing, screen.model.rba) == (True, False, 200)
    screen.reports.stand_at(ListRow(RowKind.BAD, 300, 50))
    screen.reports.stand_at(ListRow(RowKind.FILE_HEADER, 0, 50))
    expected = [("submit", "count"), ("stand at", "200", "50", "1"), ("stand at", "300", "None", "1")]
    assert screen.asked == [*expected, ("stand at", "0", "50", "1")]


def test_reports_that_wait_are_taken_in_their_order() -> None:
    screen = Screen()
    release = screen.reports.hold()
    for covered, reading in ((10, None), (20, None), (1000, Reading())):
        screen.reports.take(Scanned(FILTER, covered, 1000, reading))
    assert screen.model.matched is None
    release()
    assert screen.model.matched == ScanProgress(1000, 7, is_done=True, undecided=2)
    screen.reports.take(Scanned(FILTER, 5, 1000, None))
    assert screen.model.matched == ScanProgress(5, 7, is_done=False, undecided=2)


PROGRESS = [
    (None, "before"),
    (SearchProgress(77), "RBA 77"),
    (ReadSoFar(HERE, 77, 10, 40, "Ctrl+C stops and shows"), "25 %, Ctrl+C stops and shows, RBA 77 of et000000000"),
    (Progress(4000, 77, 0, 308), "25 %, Ctrl+C stops, 4,000 scanned, RBA 77"),
    (Progress(4000, 77, 0), "Ctrl+C stops, 4,000 scanned, RBA 77"),
]


@pytest.mark.parametrize(("progress", "busy"), PROGRESS)
@pytest.mark.parametrize(
    ("has_moved", "records", "page"), [(False, 1, "values"), (False, 2, "output"), (True, 2, "values")]
)
def test_output_that_grows_is_shown_unless_the_user_has_moved(
    progress: Any, busy: str, records: int, page: str, *, has_moved: bool
) -> None:
    screen = Screen()
    screen.model.busy, screen.model.has_moved = "before", has_moved
    screen.entry.records.extend(range(records))
    screen.reports.take(OutputGrew(progress))
    assert screen.model.busy.endswith(busy)
    assert (screen.model.page, screen.model.output) == (page, 1)
