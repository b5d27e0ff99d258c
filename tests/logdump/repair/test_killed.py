"""A REPAIR that is killed leaves no copy, or a whole one; what it had written goes with the next run."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tests.logdump.program import COMMAND, ENVIRONMENT, logdump
from tests.searching import Random
from tests.simulated.pairs import drawn, written

pytestmark = pytest.mark.slow


def test_a_killed_repair_leaves_a_whole_copy_or_none(tmp_path: Path) -> None:
    source = written(tmp_path / "a", drawn(Random(1), 400))
    command = [*COMMAND, "-c", f'repair over "{source}" to {tmp_path / "cp000000000"}']
    started = time.monotonic()
    subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    seconds = time.monotonic() - started
    target = tmp_path / "cp000000000"
    whole = target.read_bytes()
    for number in range(20):
        target.unlink(missing_ok=True)
        with subprocess.Popen(
            command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            time.sleep(seconds * number / 20)
            running.kill()
        assert not target.exists() or target.read_bytes() == whole
    target.unlink(missing_ok=True)
    logdump("-c", f'repair over "{source}" to {target}')
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "cp000000000"]
