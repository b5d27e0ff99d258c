"""The files of a trail as one list: over their ends with the keys of the list, one row for each crossing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.test_across import records, split, trail_of
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.test_records import rba_of
from trailformat import TrailFile

ACROSS = "timeoffset gmt; ghdr on; detail data; across on"


def opened(path: Path) -> str:
    return f"open {path}; {ACROSS}"


def record_of(screen: Screen) -> bytes | None:
    """The bytes of the record under the cursor; None at the end of a file."""
    rba = rba_of(screen)
    assert rba is not None
    with TrailFile(screen.app.session.trail.path) as trail:
        record = trail.record_at(rba) if rba < trail.size else None
    return record.raw if record is not None else None


async def met(screen: Screen, key: str) -> list[bytes]:
    """The records under the cursor while a key is pressed until nothing moves any more."""
    found, before = [record_of(screen)], None
    while before != (before := (screen.app.session.trail.path, rba_of(screen))):
        await screen.press(key)
        found.append(record_of(screen))
    return [one for one in found[:-1] if one is not None]


@pytest.fixture
def cut(tmp_path: Path) -> tuple[Path, list[Path]]:
    """A trail in one file, and the same in three."""
    whole = trail_of("big", tmp_path)
    (folder := tmp_path / "cut").mkdir()
    return whole, split(whole, (4, 9), folder)


def test_down_meets_the_records_of_all_files_in_their_order_and_up_the_other_way(cut: tuple[Path, list[Path]]) -> None:
    whole, paths = cut
    expected = [one.raw for one in records(whole)]

    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        assert await met(screen, "j") == expected
        assert screen.app.session.trail.path == paths[-1]
        assert await met(screen, "k") == expected[::-1]

    drive(steps, paths[0], first=opened(paths[0]))
