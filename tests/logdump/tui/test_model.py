"""The model of the screen: what another file, another filter, a line and a look at the file leave of it, by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from logdump.features.doctor.findings_scan import TrailFindings
from logdump.filters.filter_set import CriterionSet, FilterSet
from logdump.filters.integer_criteria import Int16
from logdump.session.reading import Reading
from logdump.session.session import Mark
from logdump.session.settings import Across
from logdump.tui.model import model as tui_model
from logdump.tui.model.model import Model, ScanProgress, TablesRead
from logdump.tui.reading.background import FILTER, INDEX, OVER_TIME, SHAPE
from logdump.tui.reading.messages import FilePolled
from logdump.tui.reading.state import ListedFile, NeighbourFiles, State, Summary
from tests.logdump.tui.twin import PARTS
from trailformat.index import TableTotals, TrailIndex

HERE, NEXT, BEFORE = Path("/t/et000000005"), Path("/t/et000000006"), Path("/t/et000000004")
OTHERS = [Path("/t/et000000007"), Path("/t/st000000006"), Path("/u/et000000006"), Path("/t/et000000005")]
STOPPED = Reading(is_stopped=True)
OF_FILE: dict[str, object] = {
    "summary": Summary(),
    "busy": "",
    "warning": "",
    "indexed": None,
    "matched": None,
    "transactions": (),
    "timeline": None,
    "open_transactions": None,
    "shape": None,
    "lacks": {},
    "files": (),
    "neighbours": NeighbourFiles(),
}
"""The parts that tell of a file, and what they are in a model that knows nothing of it."""
COUNTED = ("opened", "listing")


def _filled() -> Model:
    """A model in which each part has been set to what none is at first."""
    model = Model()
    for name in PARTS:
        model.__dict__[name] = ("set", name)
    model.__dict__.update(state=State(path=HERE, opened=3), opened=3, listing=7)
    model.__dict__.update(files=(ListedFile(BEFORE, 1),), lacks={INDEX: STOPPED})
    model.__dict__.update(findings=TrailFindings((), (BEFORE,), is_whole=True))
    return model


def _parts(model: Model) -> dict[str, object]:
    return {name: getattr(model, name) for name in PARTS}


def test_another_file_leaves_nothing_of_what_was_known_of_the_former_one() -> None:
    model, index = _filled(), TrailIndex()
    before = _parts(model)
    model.open(index)
    assert _parts(model) == before | OF_FILE | {"opened": 4, "listing": 8, "findings": None}
    assert model.index is index


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_files_of_a_trail_stay_listed_if_the_file_is_any_of_them(number: int) -> None:
    files = [ListedFile(path, 1) for path in (BEFORE, NEXT, OTHERS[0])]
    files[number] = ListedFile(HERE, 1)
    model = Model()
    model.state, model.files = State(path=HERE), tuple(files)
    model.open(TrailIndex())
    assert model.files == tuple(files)


def test_the_files_beside_another_file_are_those_of_its_state() -> None:
    model, neighbours = Model(), NeighbourFiles(before=BEFORE, after=NEXT)
    model.state = State(path=HERE, neighbours=neighbours)
    model.open(TrailIndex())
    assert model.neighbours == neighbours


def test_another_filter_leaves_nothing_of_the_rows_that_passed_the_former_one() -> None:
    model = _filled()
    model.lacks = dict.fromkeys((INDEX, FILTER, SHAPE, OVER_TIME), STOPPED)
    before = _parts(model)
    model.list_others()
    lacks = {INDEX: STOPPED, SHAPE: STOPPED}
    assert _parts(model) == before | {"matched": None, "timeline": None, "listing": 8, "lacks": lacks}


LINES: dict[str, tuple[State, bool, int, bool]] = {
    "the cursor stays": (State(HERE, rba=100, opened=3), False, 100, True),
    "the cursor stays, where the user has moved": (State(HERE, rba=100, opened=3), True, 100, True),
    "the cursor moves": (State(HERE, rba=200, opened=3), False, 200, False),
    "the cursor moves, but the user has moved": (State(HERE, rba=200, opened=3), True, 100, True),
    "the same file again": (State(HERE, rba=0, opened=4), False, 0, False),
    "the same file again, and the user has moved": (State(HERE, rba=0, opened=4), True, 0, False),
    "the next file": (State(NEXT, rba=0, opened=4), False, 0, True),
    "the next file, and the user has moved": (State(NEXT, rba=0, opened=4), True, 0, True),
    "the file before": (State(BEFORE, rba=100, opened=4), False, 100, False),
    **{f"{path} with the same RBA": (State(path, rba=100, opened=4), True, 100, False) for path in OTHERS},
    "no file": (State(None, rba=0, opened=4), False, 0, True),
}
"""The state behind a line, and whether the user has moved; the RBA of the cursor, and whether the view follows on."""


@pytest.mark.parametrize("name", LINES)
def test_where_a_line_leaves_the_cursor(name: str) -> None:
    after, has_moved, rba, follows = LINES[name]
    model = Model()
    model.state, model.rba, model.has_moved = State(HERE, rba=50, opened=3), 100, has_moved
    model.busy, model.is_landing, model.follows = "searching", True, True
    model.end_line(after)
    assert (model.rba, model.follows, model.busy, model.is_landing) == (rba, follows, "", False)
    assert model.state is after


PAGES = [
    (["detail", "hex", "output"], "hex", "hex"),
    (["hex", "timeline", "output", "side-by-side"], "timeline", "hex"),
    (["timeline", "tokens", "side-by-side", "output"], "tokens", "tokens"),
    (["output", "timeline"], "timeline", "values"),
    (["header", "detail", "timeline"], "timeline", "detail"),
]
"""Pages in the order in which they were shown; the last that is not of commands, and the last about the record."""


@pytest.mark.parametrize(("pages", "before", "of_record"), PAGES)
def test_the_page_before_is_the_last_that_is_not_of_commands(pages: list[str], before: str, of_record: str) -> None:
    model = Model()
    for page in pages:
        model.show_page(page)
    assert (model.page, model.page_before, model.record_page, model.shown.times) == (
        pages[-1],
        before,
        of_record,
        len(pages),
    )
    model.follows = True
    model.move()
    assert (model.page, model.follows) == (before if pages[-1] == "output" else pages[-1], False)


def _polled(*events: str) -> FilePolled:
    return FilePolled(
        HERE, 10, 10, "gone" in events, None, is_rewritten="rewritten" in events, is_replaced="replaced" in events
    )


LOOKS = [
    (["", "gone", "gone", ""], ["", "FILE REMOVED", "FILE REMOVED", ""]),
    (["replaced", "gone", "replaced", ""], ["FILE REPLACED", "FILE REMOVED", "FILE REPLACED", ""]),
    (["cut", "", ""], ["FILE TRUNCATED"] * 3),
    (["rewritten", "cut", "", "rewritten"], ["FILE REWRITTEN", *["FILE TRUNCATED"] * 2, "FILE REWRITTEN"]),
    (["cut", "gone", "", "cut"], ["FILE TRUNCATED", "FILE REMOVED", "", "FILE TRUNCATED"]),
    (["cut rewritten", ""], ["FILE TRUNCATED"] * 2),
    (["gone", "rewritten gone", "gone"], ["FILE REMOVED", "FILE REWRITTEN", "FILE REMOVED"]),
    (["gone replaced"], ["FILE REMOVED"]),
]
"""What became of the file at looks one after another, and the warnings."""


@pytest.mark.parametrize(("looks", "warnings"), LOOKS)
def test_truncation_is_told_for_good_and_what_can_pass_while_it_lasts(looks: list[str], warnings: list[str]) -> None:
    model, told = Model(), []
    for look in looks:
        model.warn(_polled(*look.split()), is_cut="cut" in look)
        told.append(model.warning)
    assert told == warnings


def _read(tables: dict[str, int]) -> TablesRead:
    return TablesRead({name: TableTotals(records, 10 * records) for name, records in tables.items()})


@pytest.mark.parametrize(("most", "names"), [(5, "DBACE"), (3, "DBA"), (1, "D")])
def test_the_tables_with_the_most_records_come_first(most: int, names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal ones by name; the parts are those of all, not of the ones listed."""
    monkeypatch.setattr(tui_model, "MOST_TABLES", most)
    model = Model()
    model.tables_read = first = _read({"E": 1, "C": 2, "D": 4, "B": 3, "A": 2})
    parts = {"D": 33, "B": 25, "A": 17, "C": 17, "E": 8}
    assert [(table.name, round(table.part)) for table in model.tables] == [(name, parts[name]) for name in names]
    model.tables_read = _read({"B": 1, "F": 2})
    assert [table.name for table in model.tables] == ["F", "B"][:most]
    model.tables_read = TablesRead({"G": TableTotals(7, 0)})
    assert [table.name for table in model.tables] == ["G"]
    model.tables_read = first
    assert [table.name for table in model.tables] == [*names]
    model.tables_read = _read({})
    assert list(model.tables) == []


def test_the_marks_here_are_those_of_the_open_file() -> None:
    model = Model()
    marks = (Mark("a", NEXT, 7), Mark("b", HERE, 8), Mark("c", BEFORE, 9), Mark("d", HERE, 1))
    model.state = State(path=HERE, marks=marks)
    assert [mark.name for mark in model.marks_here] == ["b", "d"]


def test_observers_are_called_once_behind_the_outermost_block_and_see_all() -> None:
    model, seen = Model(), list[tuple[str, bool, str, int]]()
    model.observe(lambda: seen.append(("first", model.follows, model.busy, model.output)), Model.follows, Model.busy)
    model.observe(lambda: setattr(model, "output", 5), Model.busy)
    model.observe(lambda: seen.append(("last", model.follows, model.busy, model.output)), Model.output)
    with model.changing():
        model.follows = True
        with model.changing():
            model.busy = "a"
        assert seen == []
        model.busy = "b"
        assert seen == []
    assert seen == [("first", True, "b", 0), ("last", True, "b", 5)]
    model.matched = ScanProgress(1, 1, is_done=True)
    model.busy = "b"
    assert len(seen) == 2
    model.follows = False
    assert seen[2:] == [("first", False, "b", 5)]


def test_what_a_scan_lacks_is_told_of_that_scan() -> None:
    model = Model()
    assert (model.has_more(INDEX), model.has_more(FILTER)) == (True, True)
    model.lacks = {INDEX: Reading(), FILTER: STOPPED, SHAPE: Reading(damaged=1)}
    assert [model.has_more(name) for name in (INDEX, FILTER, SHAPE, OVER_TIME)] == [False, True, False, True]
    told = [model.partial(name) for name in (INDEX, FILTER, SHAPE)]
    assert [text.endswith("Ctrl+L continues.") for text in told] == [False, True, False]
    assert [bool(text) for text in told] == [False, True, True]


@pytest.mark.parametrize("across", Across)
@pytest.mark.parametrize("gaps", [(None, None), (Path("/t/et000000001"), None), (None, Path("/t/et000000006"))])
def test_the_list_goes_on_in_a_file_that_no_gap_is_before(across: Across, gaps: tuple[Any, Any]) -> None:
    before, after = gaps
    model = Model()
    model.neighbours = NeighbourFiles(BEFORE, before, NEXT, after)
    model.state = State(path=HERE, across=across)
    within = [model.file_within_reach(step) for step in (-1, 1)]
    is_reached = [across is Across.GAPS or (gap is None and across is Across.ON) for gap in gaps]
    assert within == [path if reached else None for path, reached in zip((BEFORE, NEXT), is_reached, strict=True)]


def test_the_file_before_has_this_one_behind_it_and_the_gap_between_them() -> None:
    gap, later = Path("/t/et000000003"), Path("/t/et000000008")
    assert NeighbourFiles(BEFORE, gap, NEXT, later, 5, 2, 3).to_this(HERE) == NeighbourFiles(None, None, HERE, gap)


@pytest.mark.parametrize(
    ("filters", "sources", "has_others"),
    [
        (("", ""), "ab", False),
        (("5", "5"), "ab", True),
        (("5", "5"), "aa", False),
        (("5", "7"), "aa", True),
        (("5", ""), "aa", True),
        (("", "7"), "aa", True),
    ],
)
def test_rows_are_others_under_another_filter_and_by_other_definitions_of_it(
    filters: tuple[str, str], sources: str, has_others: bool
) -> None:
    """Whatever the title says of the filter."""
    files: dict[str, Any] = {name: SimpleNamespace(name=name) for name in "ab"}
    before, after = (
        State(
            filters=FilterSet(include=CriterionSet([Int16(int(number))])) if number else None,
            filter_text="INT16" if number else "",
            source=files[name],
        )
        for number, name in zip(filters, sources, strict=True)
    )
    assert after.has_other_rows(before) == has_others
