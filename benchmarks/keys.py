"""Time in which the screen answers a key on a large trail: ``python -m benchmarks.keys [--megabytes 2000]``.

The real program runs at a pseudo-terminal of 120x36. ``first`` is the time from the key to the first byte painted,
``all`` to the last byte that the key causes; medians and the slowest of ``RUNS`` presses each. The aim is 50 ms to the
first repaint.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.generate import large_trail
from benchmarks.measure import ENVIRONMENT
from benchmarks.startup import FIRST_RECORD

RUNS = 20
AIM = 0.050
_STILL = 0.12
"""Seconds without a byte after which the answer to a key is complete."""
_PATIENCE = 60.0
_INDEXED = 15.0
"""Seconds in which a trail of this size is indexed."""
_OF_SCREEN = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "GMT", "LOGDUMP_HISTORY": "", "LOGDUMP_KEYMAP": ""}
_KEYS = (
    *(("j", b"j"), ("k", b"k"), ("n", b"n"), ("PgDn", b"\x1b[6~"), ("PgUp", b"\x1b[5~")),
    *(("] next transaction", b"]"), ("[ transaction before", b"["), ("} same table", b"}")),
    *(("h hex", b"h"), ("d detail", b"d"), ("o tokens", b"o"), ("i file header", b"i"), ("r row", b"r")),
    *(("End", b"\x1b[F"), ("Home", b"\x1b[H"), ("g to the middle", b"gMIDDLE\r"), ("t tables", b"t"), ("x", b"x")),
    *(("Ctrl+O back", b"\x0f"), ("B begin", b"B"), ("E end", b"E"), ("S definition", b"S")),
)
"""Names and bytes of the keys; Esc is pressed after ``t`` and ``x``."""
_OVER_THE_LIST = (b"t", b"x")


class Answer(NamedTuple):
    """Seconds until the first and until the last byte that a key causes."""

    first: float
    whole: float


class Screen:
    """The program at a terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal

    def answer(self, keys: bytes) -> Answer:
        """Press keys, and read the answer."""
        start = time.perf_counter()
        os.write(self._terminal, keys)
        first = last = 0.0
        while select.select([self._terminal], [], [], _STILL if first else 2.0)[0]:
            os.read(self._terminal, 1 << 16)
            last = time.perf_counter() - start
            first = first or last
        return Answer(first, last)

    def read_until(self, text: bytes, seconds: float = _PATIENCE) -> None:
        """Read until a text has come; raises TimeoutError after ``seconds``."""
        output, deadline = b"", time.monotonic() + seconds
        while text not in output:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the screen does not show {text.decode()}")
            if select.select([self._terminal], [], [], 0.2)[0]:
                output = (output + os.read(self._terminal, 1 << 16))[-(1 << 18) :]

    def rest(self, seconds: float) -> None:
        """Read what the screen shows for some seconds, in which the trail is indexed."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if select.select([self._terminal], [], [], 0.2)[0]:
                os.read(self._terminal, 1 << 16)


@contextmanager
def screen_of(path: Path) -> Iterator[Screen]:
    """Start the screen of a trail, and yield it when it shows records."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    program = [sys.executable, "-m", "logdump", "--tui", str(path)]
    environment = {**ENVIRONMENT, **_OF_SCREEN}
    process = subprocess.Popen(
        program, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    os.close(slave)
    try:
        screen = Screen(master)
        screen.read_until(FIRST_RECORD)
        yield screen
    finally:
        process.kill()
        process.wait()
        os.close(master)


def measure(screen: Screen, size: int, runs: int) -> None:
    """Print one line for each key."""
    for name, keys in _KEYS:
        answers = []
        for run in range(runs):
            middle = str(size * (3 + run % 5) // 11).encode()
            answers.append(screen.answer(keys.replace(b"MIDDLE", middle)))
            if keys in _OVER_THE_LIST:
                screen.answer(b"\x1b")
        first, whole = ([answer[index] for answer in answers] for index in (0, 1))
        mark = "" if statistics.median(first) <= AIM else "  over"
        print(
            f"{name:22}{statistics.median(first) * 1000:8.0f}{max(first) * 1000:8.0f}"
            f"{statistics.median(whole) * 1000:8.0f}{max(whole) * 1000:8.0f}{mark}"
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.keys", description="Measure the keys of the screen.")
    parser.add_argument("--megabytes", type=int, default=2000, help="the size of the trail (default 2000)")
    parser.add_argument("--path", type=Path, default=None, help="where the trail is, or is made")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args(arguments)
    trail = large_trail(options.megabytes, path=options.path)
    print(f"{'milliseconds':22}{'first':>8}{'slowest':>8}{'all':>8}{'slowest':>8}  aim {AIM * 1000:.0f}")
    with screen_of(trail.path) as screen:
        screen.rest(_INDEXED)
        measure(screen, trail.size, options.runs)


if __name__ == "__main__":
    main()
