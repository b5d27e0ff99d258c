"""Every command that reads more than a batch tells how far it is, in bytes of all files, from one place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.language.command import Command
from logdump.line import line_mode
from logdump.line.line_mode import Script
from logdump.session import reading as read_progress
from logdump.session.events import JobProgress, Progress, SearchProgress
from logdump.session.reading import Hint, ReadSoFar
from trailformat.native import loaded
from trailformat.scan import Scan

FILES = f"{TRAILS}/at00000000?"
COMMANDS = (
    *("count", "count detail", f"count log {FILES}", "count effective", f"check {FILES}", "safe"),
    *("explain lag", "explain restart", "recovery", "recovery files keep", "br", f"heartbeat over {FILES}"),
    *(
        f"compress over {FILES}",
        f"diff {FILES} {FILES}",
        "find nowhere-at-all",
        "redo 99",
        "undo 99",
        "export csv to T",
    ),
    *("export jsonl to T by table", "export sql to T", "save T", f"repair over {FILES} to T", "repair to T dry"),
    "redact to T",
    *("filter include filename NO.SUCH; n", "pos 2722; transaction next", "pos csn 99999999", "pos time 2099-01-01"),
    *(
        "pos 2722; row",
        "doctor",
        "report to T.html",
        "list all",
        "pos 2722; transaction end",
        "pos 1811; sametable next",
    ),
    *(
        "sql select count(*) from records",
        "transactions",
        "explain restart at 0 2722",
        "sft delete",
        "sfts 2099-01-01",
        "skip 99",
    ),
    *("pos record 9", "begin 2099-01-01", "pos 2722; sfnt", "pos 2722; sfet", "sfmd"),
)


NEEDS_MORE = frozenset({"FOLLOW", "WATCH", "APPLY", "PUBLISH", "DDL", "SCANFORHEADER", "SCANFORRBA"})
"""Commands that end at no size or need parameter files, and print as they go; searches for a header tell their RBA."""


def test_every_command_that_can_be_stopped_with_a_result_is_here() -> None:
    held = {REGISTRY.find(command.split("; ")[-1].split()[0]).name for command in COMMANDS}
    stopped = {command.name for command in REGISTRY.commands if command.stops != Command._field_defaults["stops"]}
    assert stopped - held == NEEDS_MORE


class Told(Script):
    """A script that keeps how far reading was in its last line."""

    def __init__(self, *lines: str) -> None:
        super().__init__([*lines])
        self.so_far: list[ReadSoFar] = []

    def enter(self, line: str) -> None:
        self.so_far.clear()
        super().enter(line)

    def _show_progress(self, event: Progress | SearchProgress | JobProgress | ReadSoFar) -> None:
        if isinstance(event, ReadSoFar):
            self.so_far.append(event)


def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a trail read in small batches, and every report of progress shown."""
    made = Scan.__init__

    def small(self: Scan, *arguments: Any, **options: Any) -> None:
        options.pop("batch_size", None)
        made(self, *arguments[:3], 3, *arguments[4:], **options)  # type: ignore[arg-type, call-arg]

    monkeypatch.setattr(Scan, "__init__", small)
    for module in ("cursor", "scan"):
        monkeypatch.setattr(f"logdump.session.{module}.REPORTED", 1)
    for name in ("_FIRST", "_EVERY"):
        monkeypatch.setattr(read_progress, name, 0.0)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_reads_more_than_a_batch_tells_how_far_it_is(command: str, tmp_path: Path) -> None:
    *before, last = command.replace(" T", f" {tmp_path}/xx000000000").split("; ")
    script = Told(f"open {TRAILS / 'at000000000'}; n", *before, last)
    script.run()
    assert script.so_far
    assert all(0 <= progress.read <= progress.size and progress.size > 0 for progress in script.so_far)
    assert all(progress.stops.startswith("Ctrl+C stops") for progress in script.so_far)


@pytest.mark.parametrize(
    "command", ["recovery", "br", f"check {FILES}", f"count log {FILES}", f"compress over {FILES}"]
)
def test_the_part_is_that_of_all_files(command: str) -> None:
    script = Told(f"open {TRAILS / 'at000000000'}", command)
    script.run()
    size = sum(path.stat().st_size for path in TRAILS.glob("at00000000?"))
    assert {progress.size for progress in script.so_far if progress.read} <= {size}
    assert max(progress.percent for progress in script.so_far) == 100


def test_a_faster_build_is_named_once_and_of_large_files_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded, "why_interpreted", lambda: "it was not built")
    hint = Hint()
    assert [hint.due(size) for size in (49_000_000, 51_000_000, 51_000_000)] == [False, True, False]
    monkeypatch.setattr(loaded, "why_interpreted", lambda: None)
    assert not Hint().due(51_000_000)


def test_what_a_terminal_shows_for_ctrl_c_is_wiped_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = line_mode.Scroller()
    settings = Told().session.settings
    shown.show(ReadSoFar(Path("lt000000000"), 5, 50, 100, "Ctrl+C stops"), settings)
    line = capsys.readouterr().err.strip("\r")
    assert line.startswith("50 %, Ctrl+C stops")
    shown.clear()
    assert len(capsys.readouterr().err.strip("\r")) >= len(line) + len("^C")
