"""The same by strace's fault injection: the calls of the process itself, whoever makes them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures import TRAILS
from tests.logdump.program import ENVIRONMENT, ROOT
from tests.searching import IS_LONG, Random

_STRACE = shutil.which("strace")
_TRACE = ["-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none"]
_CALLS = {
    "pread64": ("EIO", "EINTR"),
    "write": ("EIO", "ENOSPC", "EFBIG", "EINTR"),
    "fsync": ("EIO", "ENOSPC"),
    "unlink": ("EIO", "EACCES"),
    "rename": ("EIO", "EACCES"),
    "link": ("EIO", "EACCES"),
    "openat": ("EIO", "EACCES"),
}
_FORMATS = ("csv", "jsonl", "sql", "arrow") if IS_LONG else ("csv",)


class Ended(NamedTuple):
    """A process: its status, what it said, and what stands in its folder besides the trail."""

    status: int
    out: str
    err: str
    made: dict[str, bytes]


def _run(folder: Path, format_: str, *options: str) -> Ended:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(TRAILS / "et000000000", folder)
    commands = f"timeoffset gmt; open et000000000; export {format_} to target"
    command = [str(_STRACE), *_TRACE, *options, sys.executable, "-m", "logdump", "-c", commands]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    made = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "et000000000"}
    return Ended(done.returncode, done.stdout, done.stderr, made)


def _is_permitted(folder: Path) -> bool:
    if _STRACE is None:
        return False
    command = [_STRACE, *_TRACE, "-o", str(folder / "trace"), "-e", "inject=fsync:error=EIO:when=1", "true"]
    # a strace older than 5.3 knows no --seccomp-bpf
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Traced(NamedTuple):
    """An export in which nothing fails: its folder, which is in what it writes, how it ends, and its calls."""

    folder: Path
    good: Ended
    lines: list[str]


@pytest.fixture(scope="module", params=_FORMATS)
def traced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Traced]:
    """The format, and its export with all calls that are to fail."""
    folder = tmp_path_factory.mktemp("traced")
    if not _is_permitted(folder):
        pytest.skip("strace is not installed, or may not trace here")
    trace = folder / "trace"
    work = folder / "work"
    good = _run(work, request.param, "-o", str(trace), "-e", f"trace={','.join(_CALLS)}")
    lines = [line for line in trace.read_text(errors="replace").splitlines() if re.search(r"\b\w+\(", line)]
    return request.param, Traced(work, good, lines)


def _is_of_the_export(line: str, folder: Path) -> bool:
    """Whether a call concerns the folder of the export or the program's output; other calls load the program."""
    return str(folder) in line.replace(f"AT_FDCWD<{folder}>", "") or bool(re.search(r"\bwrite\([12]<", line))


@pytest.mark.parametrize("call", _CALLS)
def test_a_call_that_fails_leaves_the_export_whole_or_absent(
    call: str, traced: tuple[str, Traced], tmp_path: Path
) -> None:
    format_, (work, good, lines) = traced
    trace = tmp_path / "trace"
    begins = next(number for number, line in enumerate(lines) if '/et000000000"' in line)
    calls = [number for number, line in enumerate(lines) if re.search(rf"\b{call}\(", line)]
    numbers = [
        position
        for position, number in enumerate(calls, 1)
        if number >= begins and _is_of_the_export(lines[number], work)
    ]
    assert numbers or call in {"rename", "unlink", "link"}
    trials = [(number, error) for number in numbers for error in _CALLS[call]]
    chosen = Random(call + format_).sample(trials, min(len(trials), 60 if IS_LONG else 1))
    for number, error in chosen:
        ended = _run(work, format_, "-o", str(trace), "-e", f"trace={call}", *_inject(call, error, number))
        if "(INJECTED)" not in trace.read_text(errors="replace"):
            continue  # strace counts the calls of each thread by itself
        about = (call, error, number, ended)
        assert "Traceback" not in ended.err, about
        assert "Exception ignored" not in ended.err, about
        assert ended.made in ({}, good.made), about
        assert ended.status in {0, 1, 2, 4}, about
        if not ended.status:
            assert ended.made == good.made, about
            assert error == "EINTR" or call != "pread64", about
        else:
            assert ended.err.strip(), about
            assert not ended.made or "was written completely before this" in ended.err, about


def _inject(call: str, error: str, number: int) -> tuple[str, str]:
    return "-e", f"inject={call}:error={error}:when={number}"
