"""No kernel reads or writes a byte that it was not given: pages behind and before all of it cannot be touched."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kernels import needs_native

ROOT = Path(__file__).parents[4]
pytestmark = [needs_native, pytest.mark.skipif(sys.platform == "win32", reason="mprotect is POSIX")]

NAMES = (
    "fill",
    "count",
    "count_rows",
    "find",
    "next_frame",
    "own_tokens",
    "gather",
    "mark_rows",
    "count_fields",
    "take_fields",
    "pick_columns",
    "locate",
    "measure",
    "read_headers",
    "find_metadata",
    "unmarked",
    "make_columns",
    "drop_high_bytes",
    "write_lines",
    "join_runs",
    "spell_values",
    "spell_short_values",
    "count_lines",
)


class Run(NamedTuple):
    """One run of the program: its status, the kernel called last, and the calls of each if it came to its end."""

    status: int
    last: str
    calls: dict[str, int]
    said: str


def run(report: Path, *short_of: str) -> Run:
    command = [sys.executable, "-m", "tests.trailformat.scan.kernels.guarded", str(report), *short_of]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    calls = json.loads(done.stdout) if done.returncode == 0 else {}
    return Run(done.returncode, report.read_text().strip(), calls, done.stderr[-2000:])


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run over all kernels."""
    return run(tmp_path_factory.mktemp("guarded") / "report")


@pytest.mark.parametrize("name", NAMES)
def test_it_stays_within_what_it_was_given(name: str, guarded: Run) -> None:
    assert guarded.status == 0 or guarded.last not in ("", name), guarded.said
    assert guarded.status != 0 or guarded.calls[name] > 0


def test_every_kernel_is_run() -> None:
    from trailformat.native.loaded import kernels

    assert {*kernels()} == {*NAMES}


def test_a_byte_too_far_ends_the_process_with_the_name_of_the_kernel(tmp_path: Path) -> None:
    ended = run(tmp_path / "report", "find")
    assert (ended.status, ended.last) in ((-signal.SIGSEGV, "find"), (-signal.SIGBUS, "find"))
