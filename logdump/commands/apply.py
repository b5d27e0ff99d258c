"""APPLY: the changes of a trail into the tables of a database or a lake; and the words that PUBLISH shares with it."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.filters.words import FilterError
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword, Sequence
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.language.reader import Context, Form
from logdump.notation.names import listed_names
from logdump.notation.text import amount
from logdump.session.errors import ArgumentError, CommandError, ExitStatus
from logdump.session.events import Event, Notice, Pause, say
from logdump.session.session import Session
from logdump.tables import errors
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.filters import csn_criteria
    from logdump.tables import options as source_options
    from logdump.targets import in_process, load, run, target

if TYPE_CHECKING:
    from logdump.targets.target import ApplyProgress

MOST_SECONDS = 10**6


class ApplyOptions(NamedTuple):
    """The options of APPLY.

    Attributes:
        over: the trail; ``target``: the URL of the target.
        tables: names of tables, or wildcards.
        first: first CSN of tables that have no position; ``adopt``: of those whose position is not one of this trail.
        is_once: whether it ends at the end of the trail.
        creates: whether missing tables are created.
        collisions, ddl, errors, write, deletes: as the arguments of ``logdump.apply``.
        load: URL of the database that tables without a position are copied from; ``load_csn``: the CSN of its rows;
            ``load_snapshot``: the snapshot of PostgreSQL with these.
        retries: whether noted changes are applied again, and nothing else.
        batch: bytes of trail in one transaction of the target.
        interval: seconds between checks of the trail; ``patience``: seconds to wait for a target that is lost.
        options: the path of a file with more options; what is given beside it takes precedence.
    """

    over: str
    target: str
    tables: tuple[str, ...] = ()
    first: str | None = None
    adopt: str | None = None
    is_once: bool = False
    creates: bool = False
    collisions: str | None = None
    ddl: str | None = None
    errors: str | None = None
    write: str | None = None
    deletes: str | None = None
    load: str | None = None
    load_csn: str | None = None
    load_snapshot: str | None = None
    retries: bool = False
    batch: str | None = None
    interval: int | None = None
    patience: int | None = None
    options: str | None = None


def run_apply(session: Session, options: ApplyOptions) -> Iterator[Event]:
    """Apply a trail until it ends, or until a signal stops it after the current transaction."""
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("APPLY needs all records of the trail: use FILTER OFF; TABLES names tables.")
    stop = threading.Event()
    with stopped_by_signals(stop), kept_log() as log:
        with stopped_by_errors():
            given = arguments_of(options, _OWN)
            started = in_process.apply_run(options.over, options.target, options.tables or "*", **given, stop=stop)
        steps = started.retries() if options.retries else started.commits()
        yield from narrated(steps, log, started.patience, "" if options.retries else "applied")
    done = started.progress
    if options.retries:
        yield say(f"{amount(done.rows, 'noted change')} applied.")
    if done.refused:
        yield _noted(done.refused)
    if stop.is_set():
        applied = "" if options.retries else f", {amounts(done, 'applied')}"
        yield Notice((f"Stopped after a transaction{applied}; the same command continues.",), ExitStatus.INTERRUPTED)
    elif not done.rows and not done.refused and not options.retries:
        yield say("No change to apply.")


_OWN = ("collisions", "ddl", "errors", "write", "deletes", "load", "load_csn", "load_snapshot")
"""The arguments of a run that PUBLISH has not."""


def _noted(number: int) -> Notice:
    return Notice(
        (f"{amount(number, 'change')} not applied: logdump_errors in the target has them; RETRY applies them.",),
        ExitStatus.FINDINGS,
    )


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


COMMANDS = (
    Command(
        "APPLY",
        AnyOrder(
            ApplyOptions,
            {
                **FOLLOWING,
                "collisions": OneOf({"OVERWRITE": "overwrite"}),
                "ddl": Keyword("DDL", OneOf({"IGNORE": "ignore"})),
                "errors": Keyword("ERRORS", OneOf({"TABLE": "table"})),
                "write": Keyword("WRITE", OneOf({"MIRROR": "mirror", "APPEND": "append", "HISTORY": "history"})),
                "deletes": Keyword("DELETES", OneOf({"SOFT": "soft"})),
                "load": Keyword("LOAD", Word("<url>")),
                "load_csn": Keyword("AT", CsnWord("<csn>")),
                "load_snapshot": Keyword("SNAPSHOT", Word("<name>")),
                "retries": OneOf({"RETRY": True}),
            },
            needed={"over": "wants OVER <trail>.", "target": "wants TO <url>, the target."},
            wrong="{!r} is not an option of APPLY.",
        ),
        "Apply the changes of a trail to the tables of a database or a lake, each once, until Ctrl+C",
        run_apply,
        details=(
            "Targets: postgresql://, mysql://, mariadb://, oracle://, sqlite:///file, delta:folder, iceberg:catalog.",
            "The position is in the target (logdump_position) and is committed with the rows: the same command",
            "continues there, whatever has ended it. A password may be in the variable LOGDUMP_PASSWORD.",
            "TABLES: names, * and ? are allowed; all that the trail defines, unless given. CREATE: make missing ones.",
            "FROM: the first CSN of tables that have no position. ADOPT: of those whose position is of another trail.",
            "ONCE: end at the end of the trail. OVERWRITE: replace rows that exist, leave out changes of missing rows.",
            "DDL IGNORE: pass over statements, at which APPLY stops otherwise, with all before them applied.",
            "ERRORS TABLE: a change that the target refuses is noted in its table logdump_errors, with the later ones",
            "of the row, and the rest goes on; status 3. RETRY: apply what is noted there again, and nothing else.",
            "WRITE APPEND: a row for each change, with its operation. WRITE HISTORY: a row for each version of a row,",
            "with CSN and time of its begin and end. DELETES SOFT: rows that are deleted stay, with CSN and time.",
            "LOAD: tables without a position are copied from that database first, as of the CSN AT; their changes are",
            "those of later transactions. PostgreSQL wants the SNAPSHOT of a new replication slot, too.",
            "BATCH: bytes of trail in a transaction of the target, 32m. INTERVAL: seconds between checks of the trail,",
            "1. PATIENCE: seconds to wait for a target that is lost, 60. OPTIONS: a file of YAML with more options, of",
            "which this line takes precedence: columns, names, masks, tables that change. docs/pipeline.md has them.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops after the current transaction",
    ),
)
