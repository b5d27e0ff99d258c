"""Output to the standard streams: all text is written here, without terminal control sequences."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TextIO

from logdump.notation.text import Harmless, cut_names, escape
from trailformat.codec.on_demand import on_demand
from trailformat.errors import reason_of

with on_demand:
    import difflib


class OutputLost(Exception):
    """Standard output cannot be written; the message is the system's reason."""


def write_line(line: Harmless, *, is_narration: bool = False) -> None:
    """Write a line to standard error if ``is_narration``, after all earlier output, else to standard output."""
    write_lines((line,), is_narration=is_narration)


def write_lines(lines: Sequence[Harmless], *, is_narration: bool = False) -> None:
    """Write lines in one call. Raises OutputLost and BrokenPipeError."""
    if not lines:
        return
    text = "\n".join((*(map(cut_names, lines) if is_narration else lines), ""))
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
    """Flush standard output. Raises OutputLost and BrokenPipeError."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(reason_of(error)) from error


class ClosedStream(io.RawIOBase):
    """A standard stream that was closed when the process began: nothing can be written to it."""

    def __init__(self) -> None:
        self._handle = os.open(os.devnull, os.O_WRONLY)

    def fileno(self) -> int:
        """Return the descriptor of the null device."""
        return self._handle

    def writable(self) -> bool:
        """Return True: only writing fails."""
        return True

    def write(self, _data: object, /) -> int:
        """Raise OSError."""
        raise OSError(errno.EBADF, "it is closed")


def closed_stream() -> TextIO:
    """Return a closed standard stream as a text stream."""
    return io.TextIOWrapper(io.BufferedWriter(ClosedStream()), encoding="utf-8", errors="backslashreplace")


def give_up_output() -> None:
    """Redirect standard output to the null device, so that the exit of the process does not try to write its buffer."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    if isinstance(getattr(sys.stdout.buffer, "raw", None), ClosedStream):
        sys.stdout = os.fdopen(null, "w")
    sys.stdout.flush()


def write_prompt(prompt: Harmless) -> None:
    """Write a prompt, without a line end, and flush it."""
    sys.stdout.write(prompt)
    flush()


def write_over(line: Harmless, width: int) -> None:
    """Overwrite the last line on standard error, which had ``width`` characters."""
    sys.stderr.write(f"\r{line:<{width}}")
    sys.stderr.flush()


def wipe(width: int) -> None:
    """Erase a line of ``width`` characters that :func:`write_over` has written."""
    write_over(escape(""), width)
    sys.stderr.write("\r")


class ArgumentParser(argparse.ArgumentParser):
    """A parser of arguments whose messages are escaped: a shell's wildcard may have put any file name into them.

    An option or a value that it does not know is answered with the nearest ones.
    """

    def _print_message(self, message: str, file: Any = None) -> None:
        for line in message.splitlines():
            write_line(escape(line), is_narration=file is not sys.stdout)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action, f"{value!r} is not one of {', '.join(choices)}{_nearest(value, choices)}"
            )

    def error(self, message: str) -> NoReturn:
        """Print the usage and a message, and exit."""
        unknown = message.removeprefix(_UNKNOWN)
        if unknown != message:
            name = unknown.split(" ")[0].partition("=")[0]
            message = f"there is no option {unknown}{_nearest(name, list(self._option_string_actions))}"
        super().error(message)


_UNKNOWN = "unrecognized arguments: "
"""The beginning of the message of argparse for what no option takes."""


def _nearest(word: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, names, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""
