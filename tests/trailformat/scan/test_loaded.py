"""Which kernels run, and what is loaded for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels import WAYS, Kernels, needs_native, run
from trailformat import TrailFile
from trailformat.native.loaded import kernels
from trailformat.scan import scan

ROOT = Path(__file__).parents[3]
TRAIL = ROOT / "fixtures" / "trails" / "et000000000"


def test_a_batch_of_no_rows_is_refused() -> None:
    with TrailFile(TRAIL) as trail, pytest.raises(ValueError, match="at least one row"):
        scan(trail, batch_size=0)


@needs_native
def test_each_kernel_of_the_library_has_its_source() -> None:
    native = {*kernels()}
    with run(Kernels.INTERPRETED):
        assert {*kernels()} == native
    assert len(WAYS) == len(Kernels)


@needs_native
def test_a_count_of_a_file_loads_nothing_heavy(tmp_path: Path) -> None:
    code = f"from logdump.cli import main; main(['-c', 'open {TRAIL}; count detail']); import sys; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    environment = {"PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment, timeout=600)
    assert not {*done.stdout.split()} & {"numpy", "numba", "pyarrow"}
