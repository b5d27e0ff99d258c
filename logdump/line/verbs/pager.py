"""A pager and colour at a terminal, as git has them; colour is that of parts of lines, by the verb."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TextIO

_BOLD, _RED, _GREEN, _YELLOW, _DIM = "1", "31", "32", "33", "2"
_OPERATION = (
    (r"^ *\S+ \S+ (?:\S+ )?(INSERT)\b", _GREEN),
    (r"^ *\S+ \S+ (?:\S+ )?(UPDATE)\b", _YELLOW),
    (r"^ *\S+ \S+ (?:\S+ )?(DELETE|TRUNCATE|DDL|RESTART)\b", _RED),
    (r"^ *\S+ \S+ (?:\S+ )?(METADATA|FILE_HEADER|LOB|FRAGMENT)\b", _DIM),
)
_DAMAGE = ((r"^(Gap) in ", _RED),)
_PLACES = ((r"^  (ALTER .*)$", _BOLD), (r"(is not safe)\.$", _RED), (r"^(Verdict:)", _BOLD))
_PARTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "list": _OPERATION,
    "tail": _OPERATION,
    "row": _OPERATION,
    "check": _DAMAGE,
    "safe": _PLACES,
    "explain": (*_PLACES, *_DAMAGE),
    "doctor": (
        (r"^  (!! .*)$", _RED),
        (r"^   (! .*)$", _YELLOW),
        (r"^(Trail|Findings|Table|Columns|Largest|File)\b", _BOLD),
    ),
}
"""By verb the parts that are coloured: the group of each pattern that a line has, and its colour."""


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


class PaintedText:
    """A stream that colours the lines that are written to it; each call writes whole lines."""

    def __init__(self, stream: TextIO, verb: str) -> None:
        self._stream = stream
        self._parts = [(re.compile(pattern, re.MULTILINE), code) for pattern, code in _PARTS[verb]]

    def write(self, text: str) -> int:
        """Write lines."""
        for pattern, code in self._parts:
            text = pattern.sub(partial(_painted, code), text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _painted(code: str, found: re.Match[str]) -> str:
    whole, (begin, end) = found[0], (place - found.start() for place in found.span(1))
    return f"{whole[:begin]}\x1b[{code}m{whole[begin:end]}\x1b[0m{whole[end:]}"


def has_colour(verb: str) -> bool:
    """Whether the answer of a verb is coloured: at a terminal that can, unless ``NO_COLOR`` is set."""
    return (
        verb in _PARTS
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )
