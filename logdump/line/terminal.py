"""The standard streams: all text is written here, and only text without terminal control sequences."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from logdump.notation.text import Harmless, escape
from trailformat.errors import reason_of


class OutputLost(Exception):
    """Standard output cannot be written, for the system's reason."""


def write_line(line: Harmless, *, is_narration: bool = False) -> None:
    """Write a line to standard output or standard error, after all earlier output."""
    write_lines((line,), is_narration=is_narration)


def write_lines(lines: Sequence[Harmless], *, is_narration: bool = False) -> None:
    """Write lines together. Raises OutputLost, and BrokenPipeError."""
    if not lines:
        return
    text = "\n".join((*lines, ""))
    if is_narration:
        try:
            flush()
        finally:
            sys.stderr.write(text)
        return
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(reason_of(error)) from error


def flush() -> None:
    """Have standard output written. Raises OutputLost, and BrokenPipeError."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(reason_of(error)) from error


def give_up_output() -> None:
    """Let what standard output still holds go nowhere, so that the end of the process does not try to write it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stdout.flush()


def write_prompt(prompt: Harmless) -> None:
    """Put a prompt, with no end of the line, where it can be seen before anything is read."""
    sys.stdout.write(prompt)
    flush()


def write_over(line: Harmless, width: int) -> None:
    """Put a line on standard error in place of the former one, which had ``width`` characters."""
    sys.stderr.write(f"\r{line:<{width}}")
    sys.stderr.flush()


def wipe(width: int) -> None:
    """Take away what :func:`write_over` has left."""
    write_over(escape(""), width)
    sys.stderr.write("\r")


class ArgumentParser(argparse.ArgumentParser):
    """The parser of a command line; what it says of words that a shell's wildcard may have found is harmless."""

    def _print_message(self, message: str, file: Any = None) -> None:
        for line in message.splitlines():
            write_line(escape(line), is_narration=file is not sys.stdout)
