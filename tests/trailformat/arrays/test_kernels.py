"""The kernels of arrays come from the user's cache: only the process that fills it loads numba."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS
from trailformat.scan import Engine, is_available

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(not is_available(Engine.NUMBA), reason="numba is not installed")

EXPORT = """
import sys
from logdump.cli import main
main(["-c", "open {trail}; export parquet to {target} by table replace"])
print("numba" in sys.modules)
"""
READ = """
import sys
from trailformat.arrays.kernels.loaded import kernels
kernels()
from tests.logdump.spark.reads import rows
assert rows({trail!r})
print("numba" in sys.modules)
"""


def _loads_numba(program: str, cache: Path) -> bool:
    environment = {"XDG_CACHE_HOME": str(cache), "PATH": "", "HOME": str(cache)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment, timeout=600)
    return done.stdout.split()[-1] == "True"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's cache after an export."""
    cache = tmp_path_factory.mktemp("cache")
    export = EXPORT.format(trail=TRAILS / "et000000000", target=cache / "out")
    assert _loads_numba(export, cache)
    return cache


def test_the_next_export_does_without_numba(cache: Path) -> None:
    export = EXPORT.format(trail=TRAILS / "ot000000", target=cache / "out")
    assert not _loads_numba(export, cache)


def test_so_does_a_read_in_spark(cache: Path) -> None:
    assert not _loads_numba(READ.format(trail=str(TRAILS / "ot000000")), cache)
