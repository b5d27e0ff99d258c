"""Tests of times and of screens pass in another time zone, and where the folder for temporary files lies deep."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.searching import IS_LONG

_ROOT = Path(__file__).parents[1]
_TIMES = ("tests/trailformat/test_timestamps.py", "tests/logdump/test_times.py", "tests/logdump/test_conversions.py")
_LAGS = "tests/logdump/heartbeats/test_lags.py"
_SCREENS = (
    "tests/logdump/tui/test_records.py::test_moving_shows_the_record_under_the_cursor",
    "tests/logdump/tui/test_records.py::test_a_missing_file_is_told_and_the_view_stays",
)
"""The zone of the sessions of both is set or does not matter, so that one other zone of the machine is enough."""

_NARROW = () if IS_LONG else ("-k", "not 200x50 and not 120x36")

_PROGRAM = """
import os, sys, time, pytest
for zone, *options in {runs!r}:
    os.environ["TZ"] = zone
    time.tzset()
    if pytest.main(["-q", "-p", "no:cacheprovider", *options]):
        sys.exit(1)
    for name in [name for name in sys.modules if name.startswith("tests.")]:
        del sys.modules[name]
"""


def test_neither_the_zone_nor_the_path_of_the_machine_matters(tmp_path: Path) -> None:
    """West of Greenwich and east of it; one process imports the program once, and the tests in each zone."""
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    runs = [("America/New_York", *_TIMES, _LAGS, *_SCREENS, *_NARROW), ("Asia/Kolkata", *_TIMES)]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(runs=runs)],
        env={**os.environ, "TZ": runs[0][0], "TMPDIR": str(folder)},
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("[100%]") == len(runs), done.stdout
