"""What the tests of WATCH share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.features.watch.watched_trail import WatchedTrail
from trailformat import TrailFile


@pytest.fixture(autouse=True)
def files_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what a watcher holds open as long as it lives: tests have hundreds of them."""
    opening, opened = WatchedTrail._opened, list[TrailFile]()

    def keeping(watched: WatchedTrail, path: Path) -> TrailFile:
        opened.append(opening(watched, path))
        return opened[-1]

    monkeypatch.setattr(WatchedTrail, "_opened", keeping)
    yield
    for trail in opened:
        trail.close()
