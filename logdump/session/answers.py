"""An answer made of what was read: what the reading lacks first, then findings, and verdicts where it lacks nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.session.events import Event, Notice
from logdump.session.reading import Reading


def answered(
    run: Iterator[Event], reading: Callable[[], Reading], results: Callable[[Reading], Iterator[Event]]
) -> Iterator[Event]:
    """Read, say what the reading lacks, then give the results that it allows.

    Args:
        run: reads; Ctrl+C ends it with what it has.
        reading: tells what lacks, but for Ctrl+C.
        results: what there is to say; without verdicts where the reading is partial.

    Raises:
        KeyboardInterrupt: after the results, when Ctrl+C has come.
    """
    is_stopped = False
    try:
        yield from run
    except KeyboardInterrupt:
        is_stopped = True
    lacks = reading()._replace(is_stopped=is_stopped)
    yield from _said(lacks)
    try:
        yield from results(lacks)
    except KeyboardInterrupt:
        if not is_stopped:
            yield from _said(Reading(is_stopped=True))
        raise
    if is_stopped:
        raise KeyboardInterrupt


def _said(reading: Reading) -> Iterator[Notice]:
    if reading.is_partial:
        yield Notice((reading.text,), reading.status)
