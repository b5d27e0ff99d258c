"""A pager at a terminal, as git has it."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def paged(*, wanted: bool) -> Iterator[None]:
    """While it lasts, standard output is that of a pager, where it is a terminal and a pager is there.

    ``LOGDUMP_PAGER``, else ``PAGER``, names it; ``cat`` or nothing is none. ``LESS`` is ``FRX`` unless it is set: what
    fits on the screen stays there.
    """
    command = os.environ.get("LOGDUMP_PAGER", os.environ.get("PAGER", "less"))
    if not wanted or command.strip() in ("", "cat") or not sys.stdout.isatty():
        yield
        return
    try:
        pager = subprocess.Popen(  # noqa: S603 - the user's own program
            shlex.split(command),
            stdin=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
            env={"LESS": "FRX", **os.environ},
        )
    except (OSError, ValueError):
        yield
        return
    former, sys.stdout = sys.stdout, pager.stdin
    try:
        yield
    finally:
        sys.stdout = former
        with contextlib.suppress(BrokenPipeError):
            if pager.stdin is not None:
                pager.stdin.close()
        while pager.poll() is None:
            with contextlib.suppress(KeyboardInterrupt):
                pager.wait()
