"""Whatever part of the model changes, panes show it at once: a view that is composed anew looks the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.features.diff.model import DiffLevel
from logdump.features.diff.side_by_side import AlignedListing, AlignedSoFar
from logdump.features.row.model import RowStoryShown
from logdump.features.timeline.open_transactions import BrRefusal
from logdump.features.timeline.timeline import Timeline
from logdump.features.timeline.volume import TrailShape, Volume, VolumeInterval
from logdump.notation.times import GMT
from logdump.session.reading import Reading
from logdump.session.session import Mark, Session
from logdump.tui.keys.keys import Area
from logdump.tui.model.model import SIDE_BY_SIDE, TIMELINE, Model, Observable, Part, ScanProgress, TablesRead
from logdump.tui.panes.shape_strip import ShapeStrip
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.reading.messages import ListedTrail, StoryRead, TrailsListed
from logdump.tui.reading.state import ListedFile, State
from logdump.tui.text.styled import Line
from tests.logdump.tui.resting import resize
from tests.logdump.tui.stepped import Stepped
from tests.logdump.tui.twin import PARTS, painted_anew
from trailformat.index import TrailIndex

_OTHERS = {"findings", "sizes", "questions", "is_over", "where", "crossings", "pane"}
"""Parts that lead the keyboard elsewhere or say where it is, end the view, tell what a pane shows, let it move on."""


def _marked(model: Model) -> State:
    here = model.state.path or Path()
    return model.state._replace(marks=(Mark("a", here, 1811, "begin"),), filter_text="Rectypes Insert", switches="")


def _indexed(model: Model) -> ScanProgress:
    tables = model.tables_read.tables
    model.tables_read = TablesRead({**tables, "HR.JOBS": next(iter(tables.values()))})
    return ScanProgress(5000, 4711, is_done=False)


def _opened(model: Model) -> int:
    model.index = TrailIndex()
    return model.opened + 1


CHANGES: dict[tuple[str, str], Callable[[Model], Any]] = {
    ("state", "records"): _marked,
    ("state", "marks"): _marked,
    ("prompt", "records"): lambda _: "Really? ",
    ("output", "records"): lambda model: model.output + 1,
    ("busy", "records"): lambda _: "index 40 %",
    ("opened", "records"): _opened,
    ("opened", "tables"): _opened,
    ("listing", "records"): lambda model: model.listing + 1,
    ("summary", "records"): lambda model: model.summary._replace(size=123_456_789, release="99.1"),
    ("neighbours", "records"): lambda model: model.neighbours._replace(after=Path("/t/et000000001")),
    ("files", "files"): lambda model: (*model.files[:1], ListedFile(Path("/t/et000000001"), 12)),
    ("warning", "records"): lambda _: "FILE TRUNCATED",
    ("indexed", "records"): _indexed,
    ("indexed", "tables"): _indexed,
    ("lacks", "tables"): lambda _: {"index": Reading(is_stopped=True)},
    ("matched", "records"): lambda _: ScanProgress(5000, 4712, is_done=False),
    ("transactions", "records"): lambda model: model.transactions[:1],
    ("transactions", "transactions"): lambda model: model.transactions[:1],
    ("timeline", "records"): lambda _: Timeline(0, (), None, None, is_filtered=False),
    ("open_transactions", "records"): lambda _: BrRefusal(("Bounded Recovery is for Oracle alone.",)),
    ("aligned", "records"): lambda _: AlignedSoFar(AlignedListing(DiffLevel.BYTES, ("a", "b")), 0, is_ended=False),
    ("shape", "records"): lambda model: TrailShape(model.rba, (Volume(0, 1, (VolumeInterval(0, 9, 9, 0),)),)),
    ("follows", "records"): lambda model: not model.follows,
    ("row", "records"): lambda model: model.row._replace(rba=1811) if model.row is not None else None,
    ("upper", "records"): lambda _: "transactions",
    ("columns", "records"): lambda model: model.columns[::-1],
    ("trails", "trails"): lambda _: TrailsListed("dirdat", "", (ListedTrail("et", (Path("/t/et000000001"),), 12),)),
    ("story", "story"): lambda _: StoryRead((), RowStoryShown("T", ("A",), 2, True, False, False, 0, "")),
    ("order", "transactions"): lambda _: "duration",
    ("shown", "records"): lambda model: model.shown._replace(name="hex", times=model.shown.times + 1),
    ("places", "records"): lambda _: (Area.PANES,),
    ("offers", "records"): lambda _: "POSITION  POSITIONS",
}
"""Another value of each part, with a pane above the pages."""
_LAID_OUT = ("timeline", "open_transactions", "aligned", "shape", "opened")
"""Parts whose change leads to another page, or lays the screen out otherwise."""
GROUPS = [
    *([known_change] for known_change in CHANGES if known_change[0] in _LAID_OUT),
    *(
        [known_change for known_change in CHANGES if known_change[1] == upper and known_change[0] not in _LAID_OUT]
        for upper in dict.fromkeys(upper for _, upper in CHANGES)
    ),
]
"""The changes that are made in one screen, one after another."""


@contextmanager
def screen(folder: Path, held: str = "") -> Iterator[Stepped]:
    """A view of a trail, one of its threads held."""
    shutil.copy(TRAILS / "et000000000", folder)
    session = Session()
    session.settings.time_offset = GMT
    with ExitStack() as ends:
        ends.enter_context(chdir(folder))
        ends.callback(session.end)
        stepped = Stepped(session, (120, 36))
        ends.callback(stepped.close)
        if held:
            stepped.threads.hold_work(held)
        stepped.run(lambda: stepped.app.enter("open et000000000; n 3"))
        yield stepped


def change(screen: Stepped, name: str, upper: str) -> None:
    """Give a part another value where it can be seen."""
    model = screen.app.model
    screen.run(lambda: setattr(model, "upper", upper))
    if name == "matched":
        screen.run(lambda: setattr(model, "state", _marked(model)))
    if name in ("timeline", "open_transactions"):
        screen.app.query_one(TimelinePane).has_transactions = name == "open_transactions"
        screen.run(lambda: model.show_page(TIMELINE))
    if name == "aligned":
        screen.run(lambda: model.show_page(SIDE_BY_SIDE))
    if name == "output":
        screen.app.mode.transcript.begin("", "").print("more")
    if name == "shape":
        screen.app.query_one(ShapeStrip).add_class("-shown")
    screen.painted()
    screen.run(lambda: setattr(model, name, CHANGES[name, upper](model)))


def _take_back(model: Model, name: str, state: State, value: object) -> None:
    model.state = state
    if name not in ("state", "upper"):
        setattr(model, name, value)


def test_the_table_of_changes_has_every_part() -> None:
    assert {name for name, _ in CHANGES} | _OTHERS == {*PARTS}


@pytest.mark.parametrize("names_by_pane", GROUPS)
def test_a_change_is_shown_at_once(names_by_pane: list[tuple[str, str]], tmp_path: Path) -> None:
    missed = []
    with screen(tmp_path) as stepped:
        model = stepped.app.model
        for name, upper in names_by_pane:
            before = model.state, getattr(model, name)
            change(stepped, name, upper)
            if stepped.painted() != painted_anew(stepped.app):
                missed.append(name)
            stepped.run(lambda: _take_back(model, name, *before))  # noqa: B023 - it is called here
    assert missed == []


def test_the_names_that_the_index_tells_come_into_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.tui.reading.rows.NEAR", 0)
    with screen(tmp_path, "index") as stepped:
        stepped.run(lambda: stepped.app.enter("pos 2008"))
        assert any("(index 2)" in line for line in stepped.painted())
        stepped.run(lambda: stepped.threads.release("index"))
        assert not any("(index 2)" in line for line in stepped.painted())


def test_the_rows_of_a_filter_come_into_the_list_as_they_are_found(tmp_path: Path) -> None:
    with screen(tmp_path) as stepped:
        stepped.threads.hold_work("filter")
        stepped.run(lambda: stepped.app.enter("filter include rectype insert"))
        assert any("looking for more" in line for line in stepped.painted())
        stepped.run(lambda: stepped.threads.release("filter"))
        assert not any("looking for more" in line for line in stepped.painted())


def test_the_page_that_had_to_wait_for_the_index_is_read_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.tui.reading.open_file.NEAR", 0)
    with screen(tmp_path, "index") as stepped:
        stepped.run(lambda: stepped.app.enter("pos 2170"))
        stepped.run(lambda: stepped.app.model.show_page("detail"))
        assert "are being read" in stepped.app.pages.shown.whole_text
        stepped.run(lambda: stepped.threads.release("index"))
        assert "TEAHOUSE.SALES" in stepped.app.pages.shown.whole_text


def test_a_page_is_read_again_for_other_switches_and_for_another_file_with_the_same_row(tmp_path: Path) -> None:
    data = (TRAILS / "et000000000").read_bytes()
    (tmp_path / "et000000001").write_bytes(data.replace(b"samovar", b"teapots"))
    with screen(tmp_path) as stepped:
        stepped.run(lambda: stepped.app.enter("pos 0; detail data"))
        stepped.run(lambda: stepped.app.model.show_page("detail"))
        assert "samovar" in (before := stepped.app.pages.shown.whole_text)
        stepped.run(lambda: stepped.app.enter("open et000000001"))
        assert "teapots" in stepped.app.pages.shown.whole_text
        stepped.run(lambda: stepped.app.enter("reclen 16"))
        assert len(stepped.app.pages.shown.whole_text) < len(before)


MOVES = [
    *(("records", "detail", key) for key in ("j", "k", "pagedown")),
    *((pane, "detail", "j") for pane in ("tables", "transactions")),
    *(("", page, "j") for page in ("detail", "hex")),
    ("", TIMELINE, "left"),
]
"""The pane above that has the keyboard, or else the page below has it; and a key."""


def test_what_a_key_or_another_size_of_the_screen_changes_is_painted(tmp_path: Path) -> None:
    missed: list[object] = []
    with screen(tmp_path) as stepped:
        app = stepped.app

        def check(name: object, act: Callable[[], object]) -> None:
            stepped.painted()
            stepped.run(act)
            if stepped.painted() != painted_anew(app):
                missed.append(name)

        for pane, page, key in MOVES:
            stepped.run(partial(setattr, app.model, "upper", "records"), partial(app.model.show_page, page))
            if pane in ("", "records"):
                stepped.run((app.records if pane else app.pages.shown).focus)
            else:
                stepped.run(partial(app.action_show_choices, pane))
            check((pane, page, key), partial(app.simulate_key, key))
        for size in ((100, 30), (60, 20)):
            check(size, partial(resize, stepped.pilot, *size))
    assert missed == []


def test_a_page_of_which_one_character_changes_is_painted(tmp_path: Path) -> None:
    with screen(tmp_path) as stepped:
        page = stepped.app.pages.shown
        for text in ("a page", "a cage"):
            stepped.run(partial(page.show, [Line(((text, ""),))]))
            assert any(text in painted_text for painted_text in stepped.painted())


FORGOTTEN = [
    ("Title", "follows", "records"),
    ("Sidebar", "state", "records"),
    ("RecordList", "state", "records"),
    ("LogStrip", "output", "records"),
    ("TimelinePane", "timeline", "records"),
    ("CurrentChoices", "order", "transactions"),
]


@pytest.mark.parametrize(("pane", "name", "upper"), FORGOTTEN)
def test_a_pane_that_does_not_observe_a_part_is_found(
    pane: str, name: str, upper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = Observable.observe

    def forget(model: Model, observer: Any, *parts: Part[Any]) -> None:
        is_forgetful = type(getattr(observer, "__self__", None)).__name__ == pane and model.opened == 0
        observe(model, observer, *(part for part in parts if not (is_forgetful and part is PARTS[name])))

    monkeypatch.setattr(Observable, "observe", forget)
    with screen(tmp_path) as stepped:
        change(stepped, name, upper)
        assert stepped.painted() != painted_anew(stepped.app)
