"""Kernels come from the user's cache: only the process that fills it loads numba."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS
from trailformat.scan import Engine, is_available

ROOT = Path(__file__).parents[2]

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


SCAN = """
import sys
from trailformat import TrailFile
from trailformat.scan import Engine, choose_engine, scan
with TrailFile({trail!r}) as trail:
    list(scan(trail, engine={engine}))
print("numba" in sys.modules)
"""


def _loads_numba(program: str, cache: Path) -> bool:
    environment = {"XDG_CACHE_HOME": str(cache), "PATH": "", "HOME": str(cache)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment, timeout=600)
    return done.stdout.split()[-1] == "True"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's cache after an export; compiling what it needs takes seconds."""
    cache = tmp_path_factory.mktemp("cache")
    export = EXPORT.format(trail=TRAILS / "et000000000", target=cache / "out")
    assert _loads_numba(export, cache)
    return cache


@pytest.fixture
def cache(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it, for one test."""
    return Path(shutil.copytree(compiled, tmp_path / "cache"))


def test_the_next_export_does_without_numba(cache: Path) -> None:
    export = EXPORT.format(trail=TRAILS / "ot000000", target=cache / "out")
    assert not _loads_numba(export, cache)


def test_so_does_a_read_in_spark(cache: Path) -> None:
    assert not _loads_numba(READ.format(trail=str(TRAILS / "ot000000")), cache)


@pytest.mark.parametrize("engine", ["Engine.NUMBA", "choose_engine(1 << 40)"])
def test_a_scan_leaves_what_is_kept_as_it_is(cache: Path, engine: str) -> None:
    kept = {path: path.stat().st_mtime_ns for path in (cache / "logdump" / "kernels").iterdir()}
    assert not _loads_numba(SCAN.format(trail=str(TRAILS / "et000000000"), engine=engine), cache)
    assert {path: path.stat().st_mtime_ns for path in (cache / "logdump" / "kernels").iterdir()} == kept


def test_kernels_that_are_not_what_was_kept_are_compiled_anew(cache: Path) -> None:
    kept = {path: path.read_bytes() for path in (cache / "logdump" / "kernels").iterdir()}
    for path, good in kept.items():
        path.write_bytes(good[:-100])
    assert _loads_numba(SCAN.format(trail=str(TRAILS / "et000000000"), engine="choose_engine(1 << 40)"), cache)
    assert sum(path.read_bytes() != good[:-100] for path, good in kept.items()) == 1
