"""Running the program: in this process where that is enough, else in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.cli import main

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "logdump"]
ENVIRONMENT = {**os.environ, "TZ": "GMT", "PYTHONPATH": str(ROOT), "LOGDUMP_HISTORY": ""}


class Answer(NamedTuple):
    """What the program did."""

    status: int
    out: str
    err: str


def logdump(*arguments: str, typed: str | bytes = "", is_one_stream: bool = False) -> Answer:
    """Run it with these arguments and ``typed`` on its standard input, which is a pipe.

    ``is_one_stream``: standard error goes where standard output goes, as after ``2>&1``.
    """
    status, out, err = answered_in_bytes(*arguments, typed=typed, is_one_stream=is_one_stream)
    return Answer(status, out.decode(), err.decode())


def answered_in_bytes(
    *arguments: str, typed: str | bytes = "", is_one_stream: bool = False
) -> tuple[int, bytes, bytes]:
    """The same, for what is not text."""
    data = typed.encode() if isinstance(typed, str) else typed
    streams = [
        io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", write_through=True) for content in (data, b"", b"")
    ]
    if is_one_stream:
        streams[2] = streams[1]
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            status = int(main(list(arguments)))
        except SystemExit as ended:
            status = int(ended.code or 0)
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    return status, out, b"" if is_one_stream else err


def process(*arguments: str, typed: str = "") -> Answer:
    """The same in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments], input=typed, capture_output=True, text=True, env=ENVIRONMENT, check=False, timeout=60
    )
    return Answer(done.returncode, done.stdout, done.stderr)
