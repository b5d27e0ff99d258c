"""Pages of scans that the user has stopped, or that met damage: what lacks first, what was found, and no verdict."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.features.timeline import open_transactions
from logdump.features.timeline.open_transactions import OpenTransactionsScan
from logdump.features.timeline.timeline import TimelineScan
from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.reading import background, open_file
from logdump.tui.reading.rows import Matches
from tests.logdump.test_partial import VERDICTS
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive, trails
from tests.logdump.tui.test_open_transactions import OLD, SHORT, YOUNG
from tests.searching import in_turn
from tests.simulated.bounded_recovery import write_trail
from tests.simulated.heartbeat_trails import target_trail
from trailformat import TrailFile
from trailformat.scan import Scan
from trailformat.trail import command_files


class Shown(NamedTuple):
    """A page: its trail, the scan behind it, the way to it, the pane, a finding, and what only a whole reading says."""

    trail: str
    scan: type[Any]
    way: tuple[str, ...]
    finding: str
    verdicts: tuple[str, ...]


PAGES = {
    "tables": Shown("et000000000", open_file._Indexing, ("t",), "(no name)", ()),
    "transactions": Shown("et000000000", open_file._Indexing, ("x",), "begin RBA", ("(open)",)),
    "timeline": Shown("hh000000000", TimelineScan, ("l",), " beats", ("old:", " old  ")),
    "volume": Shown("et000000000", TimelineScan, ("l",), "Records and bytes read, per", ("No heartbeat",)),
    "open transactions": Shown("br000000000", OpenTransactionsScan, ("l", "down"), "9.9.", ("Open for longer",)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("t")
    target_trail(folder / "hh000000000", [number * 60_000_000 for number in range(40) if number != 5])
    write_trail(folder / "br000000000", [OLD, YOUNG, *SHORT], commit_times=False)
    (folder / "et000000000").write_bytes((trails() / "et000000000").read_bytes())
    return folder


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Opened, it lets scans go on that were held in their middle; batches are small."""
    made = Scan.__init__

    def small(self: Scan, *arguments: Any, **options: Any) -> None:
        options.pop("batch_size", None)
        made(self, *arguments[:3], 4, *arguments[4:], **options)  # type: ignore[arg-type, call-arg]

    monkeypatch.setattr(Scan, "__init__", small)
    monkeypatch.setattr(open_transactions, "_RECORDS", 1)
    monkeypatch.setattr(background, "EVERY", 0.0)
    gate = threading.Event()
    yield gate
    gate.set()


def hold(monkeypatch: pytest.MonkeyPatch, scan: type[Any], steps: int, gate: threading.Event) -> None:
    """Have a scan wait after so many steps; it can be stopped there."""
    extend: Callable[..., Generator[int, None, None]] = scan.extend

    def held(self: object, session: Session) -> Generator[int, None, None]:
        with closing(extend(self, session)) as found:
            for at, covered in enumerate(found, 1):
                yield covered
                while at == steps and not gate.wait(0.002):
                    yield covered

    monkeypatch.setattr(scan, "extend", held)


class Whole(NamedTuple):
    """What a whole scan took and showed."""

    steps: int
    text: str


@functools.cache
def whole_scan(path: Path, shown: Shown) -> Whole:
    """A scan that nothing stops."""
    texts = list[str]()
    with pytest.MonkeyPatch.context() as patch:
        steps = list[int]()
        extend = shown.scan.extend

        def counted(self: object, session: Session) -> Generator[int, None, None]:
            for covered in extend(self, session):
                steps.append(covered)
                yield covered

        patch.setattr(shown.scan, "extend", counted)

        async def go(screen: Screen) -> None:
            await screen.press("escape", *shown.way)
            texts.append(screen.text)

        drive(go, path)
    return Whole(len(steps), texts[0])


def page_of(screen: Screen, name: str) -> list[str]:
    """The lines of the page, from its first."""
    name = name if name in ("tables", "transactions") else "timeline"
    widget = screen.app.query_one(f"#{name}")
    height, width = widget.size.height, widget.size.width
    left, top = widget.region.x, widget.region.y
    return [line[left : left + width].rstrip() for line in screen.text.splitlines()[top : top + height]]


@pytest.mark.parametrize(("name", "size"), in_turn(PAGES, [NARROW, WIDE, (40, 12)]))
def test_a_stopped_scan_says_so_first_and_gives_no_verdict(
    name: str, size: tuple[int, int], folder: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = PAGES[name]
    path = folder / shown.trail
    steps = whole_scan(path, shown).steps
    hold(monkeypatch, shown.scan, max(1, steps - 1), gate)
    whole = list[str]()

    async def go(screen: Screen) -> None:
        for key in ("escape", *shown.way):
            screen.app.simulate_key(key)
            for _ in range(20):
                await screen.pilot.pause(0.001)
        while "Ctrl+C stops" not in screen.app.model.busy:
            await screen.pilot.pause(0.001)
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        lines = page_of(screen, name)
        assert lines[0].startswith("Stopped a"), lines
        text = "\n".join(lines)
        if size != (40, 12):
            assert "this is partial, without a verdict. Ctrl+L continues." in " ".join(lines[:2])
            assert shown.finding in text
        assert [verdict for verdict in shown.verdicts if verdict in screen.text] == []
        assert VERDICTS.findall(text) == []
        if name not in ("tables", "transactions"):  # another page, and back
            await screen.press("escape", "d", "l")
            assert page_of(screen, name) == lines
        gate.set()
        await screen.press("ctrl+l")
        whole.extend(page_of(screen, name))

    drive(go, path, size, until=lambda screen: screen.app.model.row is not None)
    assert "Stopped" not in "".join(whole)
    if size == WIDE and shown.verdicts:
        assert any(verdict in "".join(whole) for verdict in (*shown.verdicts, "end RBA"))


@pytest.mark.parametrize("name", PAGES)
def test_damage_is_said_first(name: str, folder: Path, tmp_path: Path) -> None:
    shown = PAGES[name]
    path = tmp_path / shown.trail
    with TrailFile(folder / shown.trail) as trail:
        records = list(trail.records())
    content = bytearray((folder / shown.trail).read_bytes())
    for part in (3, 2):
        broken = records[len(records) // part].rba
        content[broken : broken + 8] = b"no start"
    path.write_bytes(content)

    async def go(screen: Screen) -> None:
        await screen.press("escape", *shown.way)
        lines = page_of(screen, name)
        assert lines[0].startswith("Damage at 2 places: this is partial, without a verdict."), lines
        assert shown.finding in "\n".join(lines)
        assert VERDICTS.findall("\n".join(lines)) == []

    drive(go, path)


@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize("name", PAGES)
def test_a_whole_scan_says_nothing_of_the_kind(name: str, folder: Path) -> None:
    shown = PAGES[name]
    text = whole_scan(folder / shown.trail, shown).text
    assert "partial" not in text
    assert "so far" not in text
    assert [verdict for verdict in shown.verdicts if verdict in text] or name in ("tables", "transactions")


def test_the_rows_of_a_filter_end_where_its_scan_was_stopped(
    folder: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(monkeypatch, Matches, 2, gate)

    async def go(screen: Screen) -> None:
        screen.app.prompt.focus()
        screen.app.prompt.begin("filter include filename NO.SUCH")
        screen.app.simulate_key("enter")
        while "filter " not in screen.app.model.busy:
            await screen.pilot.pause(0.001)
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        assert "stopped here, Ctrl+L continues" in screen.text
        assert "No record passes" not in screen.text
        assert "FILTER 0+: " in screen.text
        gate.set()
        await screen.press("escape", "ctrl+l")
        assert "No record passes" in screen.text
        assert "FILTER 0: " in screen.text

    drive(go, folder / "et000000000")


@pytest.mark.parametrize("name", ["timeline", "open transactions"])
def test_a_step_that_goes_over_the_whole_trail_can_be_stopped_too(
    name: str, folder: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timeline looks in all files for what a Replicat applies; BR tells of a thousand records at once."""
    monkeypatch.setattr(open_transactions, "_RECORDS", 1000)
    begun, following = threading.Event(), Scan.__next__

    def slow(scan: Scan) -> object:
        if threading.current_thread().name == f"logdump {name}":
            begun.set()
            for _ in range(2000):
                command_files.report(scan._trail.path, scan.position.rba)
                if gate.wait(0.002):
                    break
        return following(scan)

    async def go(screen: Screen) -> None:
        monkeypatch.setattr(Scan, "__next__", slow)
        for key in ("escape", *PAGES[name].way):
            screen.app.simulate_key(key)
            for _ in range(20):
                await screen.pilot.pause(0.001)
        while not begun.is_set():
            await screen.pilot.pause(0.001)
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        assert not gate.is_set()
        assert page_of(screen, name)[0].startswith("Stopped a"), page_of(screen, name)
        gate.set()
        await screen.press("ctrl+l")
        assert "Stopped" not in screen.text
        assert PAGES[name].finding in screen.text

    drive(go, folder / PAGES[name].trail)


def test_a_scan_stopped_in_one_file_is_not_stopped_in_the_next(
    folder: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(monkeypatch, TimelineScan, 2, gate)

    async def go(screen: Screen) -> None:
        screen.app.simulate_key("escape")
        screen.app.simulate_key("l")
        while "timeline " not in screen.app.model.busy:
            await screen.pilot.pause(0.001)
        screen.app.simulate_key("ctrl+c")
        await screen.settle()
        assert screen.app.file.is_stopped
        await screen.press("escape", "d")
        await screen.type(f"open {folder}/et000000000")
        assert not screen.app.file.is_stopped

    drive(go, folder / "hh000000000")


class Steps:
    """A scan of three steps, in the middle of which something is done; its result is its name."""

    def __init__(self, name: str, then: Callable[[], object] = lambda: None) -> None:
        self._name, self._then = name, then

    def extend(self, _session: Session) -> Generator[int, None, None]:
        """Yield the progress."""
        yield 10
        self._then()
        yield 20
        yield 30

    def lacks(self) -> Reading:
        """Return the name of the scan as its place."""
        return Reading(where=self._name)


ENDS: dict[str, tuple[tuple[str, ...], list[tuple[str, bool]]]] = {
    "nothing": ((), [("first", False)]),
    "given up": (("give_up",), []),
    "stopped": (("stop",), [("first", True)]),
    "another file": (("open",), []),
    "another scan": (("go_on",), [("second", False)]),
    "given up for another": (("give_up", "go_on"), [("second", False)]),
    "another one in another file": (("open", "go_on"), [("second", False)]),
    "stopped, then gone on": (("stop", "go_on"), [("second", False)]),
}
"""What is done in the middle of a scan; the scans whose results are told, and whether the user has stopped them."""


@pytest.mark.parametrize("name", ENDS)
def test_the_result_that_is_told_is_that_of_the_scan_in_force(name: str) -> None:
    acts, told = ENDS[name]
    posted: list[Any] = []
    running: list[bool] = []
    scan = background.BackgroundScan("index", Settings(), posted.append)
    second = Steps("second", lambda: running.append(scan.is_running))
    arguments: dict[str, tuple[Any, ...]] = {"open": (trails() / "at000000000",), "go_on": (second,)}

    def act() -> None:
        for what in acts:
            getattr(scan, what)(*arguments.get(what, ()))

    scan.open(trails() / "et000000000")
    scan.go_on(Steps("first", act))
    while not scan.is_idle:
        pass
    scan.close()
    results = [message.reading for message in posted if message.reading is not None]
    assert [(reading.where, reading.is_stopped) for reading in results] == told
    assert (running, scan.is_running) == ([True] * ("go_on" in acts), False)
