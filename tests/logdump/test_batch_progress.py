"""NOTIFY's reports count on from batch to batch and from file to file."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.searching import in_turn
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from tests.trailformat.small_batches import in_batches
from trailformat import TrailFile
from trailformat.transactions import whole_trail

COMMANDS = ("recovery", "br", "explain restart", "heartbeat", "explain lag", "recovery keep")


@pytest.mark.parametrize(("notify", "command"), in_turn([1, 5, 11], COMMANDS))
def test_numbers_rise_to_that_of_all_records(
    notify: int, command: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that goes over a trail twice begins anew."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(2))
    records = 0
    for number in range(3):
        history = [Worked(10 * number + at, (at * HOUR,) * 3, at * HOUR) for at in range(1, 6)]
        path = write_trail(tmp_path / f"br{number:09}", history)
        with TrailFile(path) as trail:
            records += sum(1 for _ in trail.records())
    line(f"open {tmp_path / 'br000000000'}; across on; notify {notify}; {command}")
    numbers = [event.records for event in line.events if isinstance(event, Progress)]
    begun = [at for at, one in enumerate(numbers) if not at or one < numbers[at - 1]]
    passes = [numbers[begin:end] for begin, end in zip(begun, [*begun[1:], None], strict=True)]
    assert passes
    for one in passes:
        assert len(set(one)) == len(one)
        assert records * 3 // 4 - notify <= one[-1] <= records, command
