from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from trailformat import TrailFile
from trailformat.trail.time_search import first_at_or_after

SECOND = 1_000_000


def rows_of(tmp_path: Path, number: int, gap: bytes = b"") -> Path:
    """Rows a second apart, each of the same length; ``gap`` stands behind each."""
    return trail_of(tmp_path, *(row(io_time=IO_TIME + at * SECOND).raw + gap for at in range(number)))


@pytest.mark.parametrize("number", [10, 5000], ids=["small", "large"])
@pytest.mark.parametrize("gap", [b"", b"junk"], ids=["sound", "damaged"])
def test_every_row_is_found_by_its_time(tmp_path: Path, number: int, gap: bytes) -> None:
    size = row().length + len(gap)
    with TrailFile(rows_of(tmp_path, number, gap)) as trail:
        for at in range(0, number, number // 5):
            assert first_at_or_after(trail, IO_TIME + at * SECOND) == at * size


@pytest.mark.parametrize("number", [10, 5000], ids=["small", "large"])
def test_a_time_between_two_rows_finds_the_later(tmp_path: Path, number: int) -> None:
    with TrailFile(rows_of(tmp_path, number)) as trail:
        assert first_at_or_after(trail, IO_TIME + 7 * SECOND + 1) == 8 * row().length


def test_a_time_before_all_rows_finds_the_first(tmp_path: Path) -> None:
    with TrailFile(rows_of(tmp_path, 10)) as trail:
        assert first_at_or_after(trail, 0) == 0


def test_a_time_after_all_rows_finds_the_end(tmp_path: Path) -> None:
    with TrailFile(rows_of(tmp_path, 10)) as trail:
        assert first_at_or_after(trail, IO_TIME + 10 * SECOND) == trail.size


def test_definitions_are_passed_over(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), table_record(1, "TEAS"), row(io_time=IO_TIME + SECOND))
    with TrailFile(path) as trail:
        assert first_at_or_after(trail, IO_TIME + 1) == trail.size - row().length
