"""Long work shows how far it is, says what it has done when Ctrl+C stops it, and leaves nothing half."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.features.export import batch_walk
from logdump.language.execute import run_line
from logdump.line.line_mode import Script
from logdump.session import passing
from logdump.session import scan as session_scan
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, Progress
from tests.logdump.line import Line
from tests.logdump.writers import WRITERS
from trailformat.transactions import extents

LONG = {
    **{name: (writer.command, "nothing was ") for name, writer in WRITERS.items()},
    "check": ("check", "this is partial"),
    "find": ("find nowhere-at-all", "no record with nowhere-at-all"),
    "find back": ("pos eof; find nowhere-at-all; find previous", "no record with nowhere-at-all"),
    "redo": ("redo 99", "the position stays"),
    "repair": ("repair to T", "nothing was written"),
    "undo": ("undo 99", "the position stays"),
}
"""Commands that write to T, or nothing, and what they say in the end."""


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", 4)
    monkeypatch.setattr(extents, "NEARBY", 7)
    monkeypatch.setattr(passing, "BATCH_SIZE", 4)
    monkeypatch.setattr(session_scan, "_LARGEST", 1)


def _stopped(line: Line, command: str) -> list[Event]:
    """What a command yields when Ctrl+C comes at its first progress."""
    events = run_line(line.session, REGISTRY, command)
    for event in events:
        if isinstance(event, Progress):
            break
    else:
        pytest.fail("no progress")
    return _what_is_still_told(events)


def _what_is_still_told(events: Generator[Event, None, None]) -> list[Event]:
    told = [events.throw(KeyboardInterrupt)]
    with pytest.raises(KeyboardInterrupt):
        told += events
    return told


@pytest.mark.parametrize(("command", "said"), LONG.values(), ids=LONG)
def test_ctrl_c_at_the_first_progress(command: str, said: str, shop: Line, tmp_path: Path) -> None:
    *before, command = command.split("; ")
    shop("; ".join(["notify 5", "pos 1811", *before]))
    position = shop.session.cursor.next
    notices = [
        notice
        for notice in _stopped(shop, command.replace("T", str(tmp_path / "xx000000000")))
        if isinstance(notice, Notice)
    ]
    (told,) = [notice for notice in notices if notice.status is ExitStatus.INTERRUPTED]
    assert told.lines[0].startswith("Stopped ")
    assert said in told.lines[0]
    assert list(tmp_path.iterdir()) == []
    assert shop.session.cursor.next == position


def test_ctrl_c_between_two_files_of_a_count(line: Line) -> None:
    events = run_line(line.session, REGISTRY, f"count log {TRAILS}/?t000000000")
    first = next(events)
    assert "counted" in str(first)
    first, *_ = _what_is_still_told(events)
    assert isinstance(first, Notice)
    assert first.lines[0].endswith("records: this count is partial.")


def test_ctrl_c_while_a_line_is_printed(
    trails: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script([f"open {trails / 'et000000000'}; notify 5; check"])

    def interrupted(_event: Progress) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(script, "_show_progress", interrupted)
    with pytest.raises(KeyboardInterrupt):
        script.run()
    assert "this is partial" in capsys.readouterr().err
