"""What APPLY and PUBLISH share: their words, their lines, their signals, and the status of what ends them."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.filters.words import FilterError
from logdump.language.forms import Keyword, Sequence
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.language.reader import Context, Form
from logdump.notation.names import listed_names
from logdump.notation.text import amount
from logdump.session.errors import ArgumentError, CommandError, ExitStatus
from logdump.session.events import Event, Notice, Pause, say
from logdump.tables import errors
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.filters import csn_criteria
    from logdump.tables import options as source_options
    from logdump.targets import load, run, target

if TYPE_CHECKING:
    from logdump.targets.target import ApplyProgress

MOST_SECONDS = 10**6


def narrated(
    steps: Iterator[ApplyProgress | load.Loaded | run.Outage], log: KeptLog, patience: float, done: str
) -> Iterator[Event]:
    """Yield a line for each commit and each load of a run, and notices of outages and of what was not applied.

    Args:
        steps: those of the run.
        log: the log of what is not applied.
        patience: seconds for which it tries again.
        done: the word for what is done; empty for no line.

    Raises:
        StoppedByError: the run ends by an error.
    """
    try:
        for step in steps:
            yield from log.notices()
            if isinstance(step, run.Outage):
                yield Notice((f"{step.problem}: trying again for {patience:g} s.",), ExitStatus.OK)
            elif isinstance(step, load.Loaded):
                yield say(f"{step.table}: {amount(step.rows, 'row')} loaded, CSN {step.csn}")
            elif done:
                yield say(_line(step, done))
            yield Pause()
    except errors.SourceError as error:
        yield from log.notices()
        raise StoppedByError(error) from None
    yield from log.notices()


class StoppedByError(CommandError):
    """The end of a run by an error."""

    def __init__(self, error: errors.SourceError) -> None:
        super().__init__(str(error))
        self.status = _status_of(error)


@contextlib.contextmanager
def stopped_by_errors() -> Iterator[None]:
    """Context in which an error of a run is one of its command."""
    try:
        yield
    except errors.SourceError as error:
        raise StoppedByError(error) from None


def _status_of(error: errors.SourceError) -> ExitStatus:
    """Return the status for an error: of usage, of the trail, of a statement that stops; otherwise of a database."""
    if isinstance(error, errors.BadOption):
        return ExitStatus.USAGE
    if isinstance(error, run.DdlFound):
        return ExitStatus.FINDINGS
    is_of_target = isinstance(error, target.BadTarget | target.Refused | target.TargetLost | load.BadLoad)
    return ExitStatus.COMMAND_FAILED if is_of_target else ExitStatus.BAD_DATA


def _line(done: ApplyProgress, word: str) -> str:
    written = f", written {done.time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if done.time else ""
    lag = f", {done.lag:.0f} s ago" if done.lag is not None else ""
    csn = f"CSN {done.csn}" if done.csn is not None else "no CSN"
    return f"{csn}{written}{lag}: {amounts(done, word)}, {done.rate:,.0f}/s"


def amounts(done: ApplyProgress, word: str) -> str:
    """Return how many changes and transactions there were, with the word for what was done with them."""
    return f"{amount(done.rows, 'change')} of {amount(done.transactions, 'transaction')} {word}"


class CsnWord(Word):
    """A CSN."""

    def parse(self, text: str, context: Context) -> str:  # noqa: ARG002 - the context does not matter
        """Return the CSN as it is written. Raises ArgumentError if it is none."""
        try:
            return csn_criteria.check_csn(text)
        except FilterError as error:
            raise ArgumentError(f"{error}.") from None


class SizeWord(Word):
    """A number of bytes, with a unit or without."""

    def parse(self, text: str, context: Context) -> str:  # noqa: ARG002 - the context does not matter
        """Return the size as it is written. Raises ArgumentError if it is none."""
        try:
            source_options.POSITIVE_SIZE.read(text)
        except ValueError:
            raise ArgumentError(f"{text!r} is not {source_options.POSITIVE_SIZE.wants}.") from None
        return text


class KeptLog(logging.Handler):
    """Collects the lines about values that were not applied."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        self._lines.append(record.getMessage())

    def notices(self) -> Iterator[Notice]:
        """Yield a notice of the new lines, if there are any."""
        if lines := tuple(self._lines):
            self._lines.clear()
            yield Notice(lines, ExitStatus.BAD_DATA)


@contextlib.contextmanager
def kept_log() -> Iterator[KeptLog]:
    """Context with the log of what is not applied, which reaches no other handler meanwhile."""
    logger, handler = logging.getLogger(errors.LOG), KeptLog()
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield handler
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


@contextlib.contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """Context in which the first SIGINT or SIGTERM sets ``stop``; a second one has its usual effect."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def end(_number: int, _frame: object) -> None:
        stop.set()
        restore()

    try:
        for number in before:
            signal.signal(number, end)
    except ValueError:  # only the main thread gets signals
        yield
        return
    try:
        yield
    finally:
        restore()


def table_names(text: str) -> tuple[str, ...]:
    """Return the names in a list."""
    return tuple(filter(None, listed_names(text)))


FOLLOWING: dict[str, Form[Any]] = {
    "over": Keyword("OVER", File("<trail>")),
    "target": Keyword("TO", Word("<url>")),
    "tables": Keyword("TABLES", Sequence(table_names, Word("<table>,..."))),
    "is_once": OneOf({"ONCE": True}),
    "creates": OneOf({"CREATE": True}),
    "first": Keyword("FROM", CsnWord("<csn>")),
    "adopt": Keyword("ADOPT", CsnWord("<csn>")),
    "options": Keyword("OPTIONS", File("<file>")),
    "batch": Keyword("BATCH", SizeWord("<size>")),
    "interval": Keyword("INTERVAL", Number("<seconds>", 1, MOST_SECONDS, "a number of seconds")),
    "patience": Keyword("PATIENCE", Number("<seconds>", 0, MOST_SECONDS, "a number of seconds")),
}
"""The words of both, by the name of the option."""
_ARGUMENTS = {"first": "from_csn", "is_once": "once", "creates": "create"}
"""The arguments of a run by the names of the options that are called otherwise."""
_PLACES = ("over", "target", "tables")
"""Those that are no keywords."""


def arguments_of(options: NamedTuple, own: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of a run that are given: those that are not may be in the file of options.

    Args:
        options: those of the command; what is None or False is not given.
        own: the names of the arguments that are not shared.
    """
    names = {name: _ARGUMENTS.get(name, name) for name in (*FOLLOWING, *own) if name not in _PLACES}
    given = {argument: getattr(options, name) for name, argument in names.items()}
    return {name: value for name, value in given.items() if value is not None and value is not False}
