"""The real program in a pseudo-terminal: keys in, bytes out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
_PATIENCE = 30.0
_STILL = 0.15
"""Seconds without a byte after which a program that sleeps says no more; Textual takes a lone Esc after 0.1."""


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self.process = process
        self.seen = b""

    def read(self, until: str | None = None) -> bytes:
        """What comes until nothing more does, or until a text has come (escape sequences aside)."""
        found = b""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self._master], [], [], _STILL)
            if not ready and (until is None or until in _plain(found)) and _sleeps(self.process.pid):
                break
            if ready:
                try:
                    data = os.read(self._master, 1 << 16)
                except OSError:
                    break
                if not data:
                    break
                found += data
        else:
            assert until is None, f"{until} does not come: {_plain(found)}"
        self.seen += found
        return found

    def press(self, keys: bytes, until: str | None = None) -> bytes:
        """Type bytes; returns what comes back."""
        os.write(self._master, keys)
        return self.read(until)

    def hang_up(self) -> None:
        """Take the terminal away without a signal, as a lost connection may."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._master)
        os.close(nothing)

    def end(self) -> int:
        """Wait for the end of the program; returns its status."""
        deadline = time.monotonic() + _PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read()
        self.read()
        return self.process.wait(_PATIENCE)


def _sleeps(pid: int) -> bool:
    """Whether no thread of a process and of those that it has started could go on: a busy machine only delays those."""
    threads = list(Path(f"/proc/{pid}/task").glob("*"))
    with contextlib.suppress(OSError):
        states = {(path / "stat").read_text().rpartition(")")[2].split()[0] for path in threads}
        children = [child for path in threads for child in (path / "children").read_text().split()]
        return states <= set("SZXtT") and all(_sleeps(int(child)) for child in children)
    return False  # a thread has just ended


def _plain(data: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode("utf-8", "replace"))


@contextlib.contextmanager
def terminal(
    *arguments: str, size: tuple[int, int] = (80, 24), in_shell: bool = False, **environment: str
) -> Iterator[Terminal]:
    """Run ``logdump`` with these arguments, or a shell that is told to run it."""
    command = [sys.executable, "-m", "logdump", *arguments]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    base = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "GMT", "LOGDUMP_HISTORY": "", "LOGDUMP_KEYMAP": ""}
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", "bash", "--norc", "-i"] if in_shell else command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **base, **environment},
        start_new_session=True,
    )
    os.close(slave)
    try:
        if in_shell:
            os.write(master, f"{shlex.join(command)}\n".encode())
        yield Terminal(master, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(master)
