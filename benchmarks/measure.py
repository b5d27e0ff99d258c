"""Measuring: the best time of three runs, processes with their exit status checked, peak memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

RUNS = 3
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["LC_ALL"] = "C"
_SAMPLE_SECONDS = 0.02


class Missing(Exception):
    """A line cannot be measured here; the message says why."""


class TooLong(Exception):
    """A run has exceeded its time limit."""


class Measured(NamedTuple):
    """The best run of one line.

    Attributes:
        size: bytes read, or written by a copy.
        records: number of records; None if the line does not count them.
        scale: factor of the seconds for the whole file, above 1 if a smaller one was measured.
    """

    label: str
    seconds: float
    size: int
    records: int | None = None
    note: str = ""
    scale: float = 1.0

    @property
    def gigabytes_per_second(self) -> float:
        """Throughput in 10^9 bytes per second."""
        return self.size / self.seconds / 1e9


def best(run: Callable[[], object], runs: int = RUNS, limit: float = 0) -> float:
    """Return the seconds of the fastest run.

    Raises:
        TooLong: a run takes more than ``limit`` seconds; 0: no limit.
    """
    fastest = float("inf")
    for _ in range(runs):
        with _limited(limit):
            start = time.perf_counter()
            run()
            fastest = min(fastest, time.perf_counter() - start)
    return fastest


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def program(name: str) -> str:
    """Return the path of a program.

    Raises:
        Missing: it is not installed.
    """
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{name} is not installed")
    return path


def run_process(command: list[str], accepted: tuple[int, ...] = (0,)) -> bytes:
    """Run a program to its end; return its output.

    Raises:
        Missing: it fails.
    """
    done = subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    if done.returncode not in accepted:
        raise Missing(f"{Path(command[0]).name} failed: {done.stderr.decode(errors='replace').strip()[:200]}")
    return done.stdout


def run_silently(command: list[str]) -> None:
    """Run a program with its output on the null device."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)


class Memory(NamedTuple):
    """Peak memory of a process in bytes: resident, and (sampled) resident without the pages of the mapped file."""

    resident: int
    beyond_mapping: int | None


def peak_memory(command: list[str], mapped: Path) -> Memory:
    """Run a program; return its peak memory. The program and its children are sampled 50 times a second."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    beyond = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        beyond = max(beyond, _beyond_mapping(process.pid, str(mapped)))
        time.sleep(_SAMPLE_SECONDS)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return Memory(usage.ru_maxrss * unit, beyond or None)


def _beyond_mapping(pid: int, mapped: str) -> int:
    """Return the resident bytes of a process and its children outside of the mapping of a file; 0 if unknown."""
    folder = Path("/proc", str(pid))
    try:
        children = (folder / "task" / str(pid) / "children").read_text().split()
        lines = (folder / "smaps").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    total, counts = 0, True
    for line in lines:
        first, *rest = line.split(maxsplit=5)
        if not first.endswith(":"):
            counts = rest[-1:] != [mapped]
        elif first == "Rss:" and counts:
            total += int(rest[0]) * 1024
    return total + sum(_beyond_mapping(int(child), mapped) for child in children)
