"""A call that fails: the output is absent or whole, the status true, nothing stays behind, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.logdump.faults.commands import COMMANDS
from tests.logdump.program import ENVIRONMENT, ROOT
from tests.searching import IS_LONG, Random

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each trial is a fork")
_MOST, _MANY = ("60", "300") if IS_LONG else ("1", "8")
_SEED = str(Random("faults").getrandbits(32))
"""All of the calls, with each failure, would be 100,000 trials and hours: the long form draws others in each run."""


def test_each_command_with_calls_that_fail(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.logdump.faults.trials", str(tmp_path), _SEED, _MOST, _MANY]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert {report["command"] for report in reports} == {tried.name for tried in COMMANDS}
    assert {report["command"]: report["failures"] for report in reports if report["failures"]} == {}
