"""WATCH over trails that grow, roll over, are damaged, purged and replaced, by a model that knows their pieces."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as classic_text

from fixtures import TRAILS
from logdump.features.watch import metrics, place
from logdump.features.watch.command import Watch
from logdump.session.events import Notice
from logdump.session.state_file import StateFile
from tests.logdump.program import logdump
from tests.logdump.watch.model import NO_LABELS, Samples, Watcher, without_kinds
from tests.logdump.watch.written_trail import HeartbeatPieces, WrittenTrail
from tests.searching import IS_LONG, Random, examples, part_of
from trailformat.trail.command_files import one_reading

MOST_TABLES = 3
FREE = 123_456_789
PROMTOOL = shutil.which("promtool")


class Disk(NamedTuple):
    """What shutil.disk_usage returns."""

    free: int


def page_of(watch: Watch) -> Samples:
    """The samples of a page, which has the same in both forms; none is there twice."""
    pages = [
        [sample for family in parse(watch.page(is_open_metrics=is_open)) for sample in family.samples]
        for parse, is_open in ((classic_text, False), (open_metrics, True))
    ]
    page, other = (
        {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples} for samples in pages
    )
    assert page == other
    assert [len(samples) for samples in pages] == [len(page), len(page)]
    return page


@pytest.fixture(autouse=True)
def few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_TABLES", MOST_TABLES)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(FREE))


class Clock:
    """A clock that mostly goes on, and sometimes back."""

    def __init__(self, draw: Random) -> None:
        self._draw, self.now = draw, 1_577_836_800.0

    def __call__(self) -> float:
        return self.now

    def go_on(self) -> None:
        """Let time pass."""
        self.now = round(self.now + self._draw.choice([0, 1, 30, 3600.5, -7200.25]), 6)


def said(events: Iterable[object]) -> list[str]:
    """The lines of notices."""
    return [line for event in events if isinstance(event, Notice) for line in event.lines]


def looked(watch: Watch) -> list[str]:
    """Look as WATCH does, each time with files of its own; return what is said."""
    with one_reading() as files:
        files.goes_on = True
        events = list(watch.look())
    return said(events)


class Scene:
    """Trails that are written, and two watchers of all of them, each with a state and a model."""

    def __init__(self, folder: Path, draw: Random) -> None:
        self._draw = draw
        beats = HeartbeatPieces(folder, draw)
        (folder / "dirdat").mkdir()
        self.trails = [
            WrittenTrail(folder / "dirdat", name, draw, beats) for name in ("wt", "xt")[: draw.randint(1, 2)]
        ]
        self.clock, self._paths = Clock(draw), [trail.path for trail in self.trails]
        self._states = [StateFile(folder / name, "watch") for name in ("one", "two")]
        self.watches = [self._watch(state) for state in self._states]
        self.models = [[Watcher(path, MOST_TABLES) for path in self._paths] for _ in self._states]

    def _watch(self, state: StateFile) -> Watch:
        return Watch(self._paths, None, state, self.clock)

    def go_on(self) -> None:
        """Let something happen to each trail."""
        for trail in self.trails:
            for _ in range(self._draw.choice([0, 1, 1, 2, 3])):
                trail.step()
            trail.write()
        self.clock.go_on()

    def look(self, at: int) -> None:
        """Let a watcher and its model look."""
        for trail, model in zip(self.trails, self.models[at], strict=True):
            model.look(trail.written())
        looked(self.watches[at])

    def expected(self, at: int) -> Samples:
        """The page of a watcher, by its model."""
        page = Samples(
            {
                ("logdump_watch_last_look_timestamp_seconds", NO_LABELS): self.clock.now,
                ("logdump_watch_write_failures_total", frozenset({("file", "state")})): 0,
            }
        )
        for model in self.models[at]:
            page |= model.samples(self.clock.now, FREE)
        return page

    def restart(self, at: int) -> None:
        """Let another run go on from the state of a watcher."""
        assert list(self.watches[at].written()) == []
        self.watches[at] = self._watch(self._states[at])
        assert list(self.watches[at].resume(self._states[at])) == []
        for model in self.models[at]:
            model.restart()


@pytest.mark.parametrize("case", range(examples(24)))
def test_each_number_is_that_of_the_model(case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several trails and two watchers, whatever happens between two looks, also if they go on from their states."""
    draw = Random(f"watch {case}")
    monkeypatch.setattr(place, "_PROOF", draw.choice([300, 1 << 16]))
    scene = Scene(tmp_path, draw)
    scene.go_on()
    for _ in range(200 if IS_LONG else 25):
        scene.go_on()
        for at in [number for number in range(len(scene.watches)) if draw.random() < 0.7]:
            scene.look(at)
            page, kinds = without_kinds(page_of(scene.watches[at]))
            assert page == scene.expected(at)
            for model in scene.models[at]:
                assert kinds.get(str(model.path), set()) <= model.kinds
            if draw.random() < 0.3:
                scene.restart(at)


@pytest.mark.parametrize("case", range(examples(8)))
def test_the_program_follows_trails_whatever_happens_to_them(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is replaced or shorter is another one at the next look, not one that changed during a command."""
    scene, target = Scene(tmp_path, Random(f"program {case}")), tmp_path / "trails.prom"
    rounds = iter(range(200 if IS_LONG else 20))
    moment = re.compile(r"logdump_(trail_\w+_age_seconds|watch_last_look_\w+)")

    def happens(seconds: float) -> None:
        """What happens while the program sleeps; threads that others have left behind sleep as ever."""
        if threading.current_thread() is not threading.main_thread():
            sleep(seconds)
            return
        page = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in classic_text(target.read_text(encoding="utf-8"))
            for sample in family.samples
        }
        expected = Samples({("logdump_watch_write_failures_total", frozenset({("file", "textfile")})): 0})
        for model in scene.models[0]:
            expected |= model.samples(scene.clock.now, FREE)
        timeless = [
            {key: samples[key] for key in samples if not moment.match(key[0])}
            for samples in (without_kinds(page)[0], expected)
        ]
        assert timeless[0] == timeless[1]
        if next(rounds, None) is None:
            raise KeyboardInterrupt
        scene.go_on()
        for trail, model in zip(scene.trails, scene.models[0], strict=True):
            model.look(trail.written())

    for trail, model in zip(scene.trails, scene.models[0], strict=True):
        trail.write()
        model.look(trail.written())
    sleep = time.sleep
    monkeypatch.setattr(time, "sleep", happens)
    answer = logdump("watch", *(str(trail.path) for trail in scene.trails), "--textfile", str(target))
    assert next(rounds, None) is None
    assert (answer.status, answer.out) == (130, "")


TRAIL_NAMES = sorted({path.name.rstrip("0123456789") for path in TRAILS.iterdir()})


@pytest.mark.parametrize("name", part_of(TRAIL_NAMES, 0))
def test_a_trail_that_grows_has_the_numbers_of_one_that_is_read_at_once(name: str, tmp_path: Path) -> None:
    """Trails of all shapes, cut anywhere, by watchers that go on from each other's states."""
    draw, now = Random(f"grows {name}"), 1_600_000_000.0
    watch = Watch([tmp_path / name], clock=lambda: now)
    for path in sorted(TRAILS.glob(f"{name}[0-9]*")):
        data = path.read_bytes()
        for cut in sorted({*(draw.randint(0, len(data)) for _ in range(5)), len(data)}):
            (tmp_path / path.name).write_bytes(data[:cut])
            looked(watch)
            if draw.random() < 0.3:
                state = StateFile(tmp_path / "state", "watch")
                state.write({"trails": {str(tmp_path / name): watch._trails[0].as_values()}})
                watch = Watch([tmp_path / name], None, None, lambda: now)
                assert said(watch.resume(state)) == []
    looked(watch)
    whole = Watch([tmp_path / name], clock=lambda: now)
    looked(whole)
    assert page_of(watch) == page_of(whole)


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool, of Debian's package prometheus")
def test_promtool_has_nothing_to_say_of_any_page(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Random("promtool"))
    for _ in range(8 if IS_LONG else 3):
        for _ in range(4):
            scene.go_on()
            scene.look(0)
        page = scene.watches[0].page(is_open_metrics=False)
        words = [str(PROMTOOL), "check", "metrics"]
        done = subprocess.run(words, input=page, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
