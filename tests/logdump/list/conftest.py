"""FOLLOW with a clock of its own: the file changes at each look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.logdump.program import logdump

Change = Callable[[], object]


@pytest.fixture
def follows(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[str], list[str]]]:
    """Follows a file, and changes something at each look; gives the RBAs of the records and what was said."""

    def run(path: Path, *changes: Change, words: str = "") -> tuple[list[str], list[str]]:
        left = list(changes)
        clock = [0.0]

        def sleep(seconds: float) -> None:
            clock[0] += seconds
            if left:
                left.pop(0)()
                clock[0] = 0

        # The clock of this module alone: a thread that another test has left sleeps too, and would take a change.
        time = SimpleNamespace(sleep=sleep, monotonic=lambda: clock[0])
        monkeypatch.setattr("logdump.features.list.command.time", time)
        answer = logdump(str(path), "-c", f"{words}; follow list idle 5")
        said = [line for line in answer.err.splitlines() if line]
        return [line.split()[0] for line in answer.out.splitlines() if line.split()[0].isdigit()], said

    return run
