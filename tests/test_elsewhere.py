"""Tests of times and of screens pass in another time zone, and where the folder for temporary files lies deep."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_TIMES = (
    "tests/trailformat/test_timestamps.py",
    "tests/logdump/test_times.py",
    "tests/logdump/test_conversions.py",
)
_LAGS = "tests/logdump/heartbeats/test_lags.py"
_SCREENS = (
    "tests/logdump/tui/test_records.py::test_moving_shows_the_record_under_the_cursor",
    "tests/logdump/tui/test_records.py::test_a_missing_file_is_told_and_the_view_stays",
)
"""The zone of the sessions of both is set or does not matter, so that one other zone of the machine is enough."""


@pytest.mark.parametrize(
    ("zone", "modules"),
    [("America/New_York", (*_TIMES, _LAGS, *_SCREENS)), ("Asia/Kolkata", _TIMES)],
    ids=["behind", "ahead"],
)
def test_neither_the_zone_nor_the_path_of_the_machine_matters(
    zone: str, modules: tuple[str, ...], tmp_path: Path
) -> None:
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *modules],
        env={**os.environ, "TZ": zone, "TMPDIR": str(folder)},
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
