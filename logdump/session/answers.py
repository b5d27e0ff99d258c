"""The order of an answer: first the gaps of the reading, then findings, then verdicts if there are no gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.session.events import Event, Notice
from logdump.session.reading import Reading


def answered(
    run: Iterator[Event], reading: Callable[[], Reading], results: Callable[[Reading], Iterator[Event]]
) -> Iterator[Event]:
    """Run a reading, report its gaps, then yield the results that it allows.

    Args:
        run: the reading; Ctrl+C ends it with the results so far.
        reading: returns the gaps of the reading, Ctrl+C excepted.
        results: returns the results, without verdicts if the reading is partial.

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
