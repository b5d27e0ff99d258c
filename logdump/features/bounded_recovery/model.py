"""Bounded Recovery: checkpoints, open transactions, and how far back a restart reads; the events of BR.

Times and durations are Julian microseconds and microseconds.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

if TYPE_CHECKING:
    from trailformat.codec.timestamps import Julian, Microseconds

from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import Rule
from logdump.parameters.tree import options_of
from logdump.session.errors import ArgumentError, CommandError, ExitStatus
from logdump.tables.heartbeat_tables import BASE_NAME, table_of
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.redo_clock import RedoPlace

_SECOND = 1_000_000
_MINUTE, _HOUR = 60 * _SECOND, 3600 * _SECOND
_UNITS = {"M": _MINUTE, "H": _HOUR}
_DURATION = re.compile(r"([0-9]{1,9})([MmHh])")
DEFAULT_INTERVAL = 4 * _HOUR


class DurationBounds(NamedTuple):
    """The least and the greatest value of a duration in microseconds, and both as text."""

    least: int
    most: int
    text: str


INTERVAL_BOUNDS = DurationBounds(20 * _MINUTE, 96 * _HOUR, "BRINTERVAL is 20M to 96H")
LONGER_BOUNDS = DurationBounds(1, 10**9 * _HOUR, "LONGER is 1M at least")


def read_duration(text: str, bounds: DurationBounds) -> int:
    """Parse a duration in the form of BRINTERVAL, such as ``20M`` or ``4H``, to microseconds.

    Raises:
        ArgumentError: it is not a duration, or out of bounds.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ArgumentError(f"{text!r} is not a duration such as 20M or 4H.")
    value = int(match[1]) * _UNITS[match[2].upper()]
    if not bounds.least <= value <= bounds.most:
        raise ArgumentError(f"{text} is out of range: {bounds.text}.")
    return value


class BrOptions(NamedTuple):
    """The options of BR; times are Julian microseconds, durations microseconds.

    ``parameter`` is the BR statement of a parameter file, ``is_off`` is True if it has BROFF; ``heartbeat_table`` is
    the name of the heartbeat tables.
    """

    interval: int = DEFAULT_INTERVAL
    first: int | None = None
    restart: int | None = None
    fails: bool = False
    begins: str | None = None
    slack: int = _SECOND
    log_size: int | None = None
    longer: int | None = None
    compare: tuple[int, ...] = ()
    over: str | None = None
    filtered: bool = False
    parameter: Rule | None = None
    is_off: bool = False
    heartbeat_table: str = BASE_NAME


def with_parameters(options: BrOptions, parameters: ParametersInUse) -> BrOptions:
    """Return the options with BRINTERVAL and BROFF of the last BR statement, if any, and with HEARTBEATTABLE.

    Raises:
        CommandError: BRINTERVAL is not a duration, or out of bounds.
    """
    options = options._replace(heartbeat_table=table_of(parameters).name)
    said, off = options_of(parameters.extract, "BR", "BRINTERVAL", "BROFF")
    if said is not None:
        try:
            options = options._replace(interval=read_duration(said.word, INTERVAL_BOUNDS))
        except ArgumentError as error:
            raise CommandError(f"{said.rule.path}, line {said.rule.line}: BRINTERVAL: {error}") from error
    statement = said or off
    return options if statement is None else options._replace(parameter=statement.rule, is_off=off is not None)


class BeginSource(enum.Enum):
    """The source of the moment at which a transaction began: a file, times of its operations, the redo clock, none."""

    GIVEN = "given"
    OPERATIONS = "operations"
    REDO_CLOCK = "redo_clock"
    NONE = "none"


class FirstSource(enum.Enum):
    """The source of the first checkpoint: the user, a restart record, the file header, the first commit."""

    GIVEN = "given"
    RESTART = "restart"
    CREATED = "created"
    COMMIT = "commit"


_FIRST = {
    FirstSource.GIVEN: "",
    FirstSource.RESTART: "the last restart",
    FirstSource.CREATED: "the beginning of the first file",
    FirstSource.COMMIT: "the first commit",
}


class ClockState(enum.Enum):
    """State of the redo clock; MIXED: several redo threads or sources, ABSENT: no positions."""

    USED = "used"
    MIXED = "mixed"
    ABSENT = "absent"


class RestartKind(enum.Enum):
    """The kind of recovery: from Extract's read position, the oldest open transaction, or a BR checkpoint."""

    READ_CHECKPOINT = "read_checkpoint"
    NORMAL = "normal"
    BOUNDED = "bounded"


class TransactionInterval(NamedTuple):
    """A transaction from its begin to its end; calculations use the latest begin, ``high``.

    Attributes:
        place, last_place: the redo positions of its first and its last record.
        last_position: its last record; None if not in the trail.
    """

    csn: Annotated[str | None, "LOGCSN; null where it is not in the trail"]
    xid: Annotated[str | None, "TRANID"]
    low: Annotated[Julian | None, "It did not begin before this; null: not known", "begin_low"]
    high: Annotated[Julian, "It began by this", "begin_high"]
    source: Annotated[BeginSource, "`given`, `operations`, `redo_clock`, `none`", "begin_source"]
    end: Annotated[Julian | None, "Its commit; null while it is open"]
    place: RedoPlace | None
    last_place: RedoPlace | None
    position: Annotated[FilePosition | None, "Its first record", "place", "spot"]
    records: Annotated[int, "Its records"]
    size: Annotated[int, "Their bytes in the trail", "bytes"]
    last_position: FilePosition | None = None


class RedoStart(NamedTuple):
    """The position from which redo is read: the begin of a transaction, or a time without a transaction.

    ``place`` is None if no transaction provides a redo position.
    """

    time: Annotated[Julian, "The moment of it"]
    place: RedoPlace | None = None
    csn: Annotated[str | None, "LOGCSN of the transaction that begins there; null where none does"] = None
    xid: Annotated[str | None, "Its TRANID"] = None


class BoundedRecoveryShown(NamedTuple):
    """BR: the summary.

    Attributes:
        first_position: record of the first checkpoint; None without any time.
        sources: number of transactions by source of their begin.
        parameter: the BR statement of the parameter file of Extract that PARAMS has read.
        unknown_vendor: True if no header names Oracle as the source.
        is_partial: True if not all was read.
    """

    title: Annotated[str, "The trail, as in the text"]
    interval: Annotated[Microseconds, "BRINTERVAL, seconds"]
    first: Annotated[Julian | None, "The first checkpoint"]
    first_source: Annotated[FirstSource, "Its source: `given`, `restart`, `created`, `commit`"]
    first_position: FilePosition | None
    clock: Annotated[ClockState, "The redo clock: `used`, `mixed` (several threads or sources), `absent`"]
    sources: dict[BeginSource, int]
    checkpoints: Annotated[int, "Checkpoints"]
    busy: Annotated[int, "Those with an open transaction, one `br_checkpoint` each"]
    parameter: Rule | None
    unknown_vendor: bool
    damaged: Annotated[int, "Places of damage"]
    copies: Annotated[int, "Whole transactions that came before; the first copy alone counts"]
    is_partial: bool

    @property
    def assumed(self) -> str:
        """The assumptions of the answer, and the options that would replace them by facts."""
        is_given = bool(self.sources.get(BeginSource.GIVEN))
        only = "committed transactions and those given" if is_given else "committed transactions"
        parts = [f"{only} only, so that all figures are lower bounds"]
        parts += [f"a BR checkpoint at {what}"] if (what := _FIRST[self.first_source]) else []
        parts += ["the source is Oracle"] if self.unknown_vendor else []
        would = ([] if is_given else ["BEGINS <file>"]) + (["FIRST <time>"] if what else [])
        return f"{'; '.join(parts)} (to be exact, give {' and '.join(would)})" if would else "; ".join(parts)

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage."""
        return ExitStatus.BAD_DATA if self.damaged else ExitStatus.OK


class CheckpointShown(NamedTuple):
    """BR: a checkpoint."""

    number: Annotated[int, "Its number, from 0"]
    time: Annotated[Julian, "Its moment"]
    open: Annotated[int, "Transactions that are open"]
    persisted: Annotated[int, "Those of them that are written to disk"]
    dirty: Annotated[int, "The number of these that are written again"]
    persisted_bytes: Annotated[int, "Bytes of the persisted ones up to here, as in the trail"]
    restart: Annotated[RedoStart | None, "From where a restart after it reads; null in a partial reading"]


class RestartReach(NamedTuple):
    """The redo that a restart reads: from where, how far back, in how many logs, and about how many bytes."""

    start: Annotated[RedoStart, "From where"]
    back: Annotated[Microseconds, "How far back that is, seconds"]
    logs: Annotated[int | None, "Redo logs, the first and the last too"]
    bytes: Annotated[int | None, "Bytes; over several logs only with LOGSIZE, as if all were full"]
    recaptured: Annotated[int, "Transactions that are captured again"]


class ObservedRestart(NamedTuple):
    """A restart position that Extract itself has written: in a heartbeat, or in a file header."""

    position: Annotated[FilePosition, "The heartbeat row, or the file", "place", "spot"]
    written: Annotated[Julian, "When: its commit, or CreationTime"]
    csn: Annotated[str | None, "The CSN of the position"]
    time: Annotated[Julian | None, "Its time"]


class BrRestartShown(NamedTuple):
    """BR RESTART: the redo that a restart at a moment reads."""

    at: Annotated[Julian, "The moment"]
    kind: Annotated[RestartKind, "With BR: `read_checkpoint`, `normal`, `bounded`"]
    checkpoint: Annotated[Julian | None, "The checkpoint; null before the first"]
    with_br: Annotated[RestartReach, "The redo that is read with BR"]
    without_br: Annotated[RestartReach, "The redo that is read without BR"]
    from_disk: Annotated[int, "Transactions that are restored from disk"]
    bound: Annotated[Microseconds | None, "How far back BR reads at most; null with BROFF, seconds"]
    fails: Annotated[bool, "Whether the last checkpoint is taken as failed"]
    heartbeat: Annotated[ObservedRestart | None, "Of the last heartbeat", "observed"]
    header: Annotated[ObservedRestart | None, "Of the last file header", "logbsn"]

    @property
    def older(self) -> int | None:
        """Time of the restart position in the heartbeat if it is before the start of ``without_br``, else None.

        Transactions that the trail does not show reach back to it.
        """
        if self.heartbeat is None or self.heartbeat.time is None:
            return None
        return self.heartbeat.time if self.heartbeat.time < self.without_br.start.time else None


class LongTransactionShown(NamedTuple):
    """BR: a transaction that was, or may have been, open for longer than LONGER or the interval.

    Attributes:
        began: the transaction.
        persisted: True if a checkpoint writes it to disk.
        reach: how far back a restart reads at most because of it, with BR.
    """

    began: TransactionInterval
    certain: Annotated[bool, "Whether it is long for any begin between the two"]
    intervals: Annotated[int, "How many intervals it was open at least"]
    persisted: bool
    reach: int


class LongTransactionsEnd(NamedTuple):
    """BR: the number of long transactions."""

    longer: Annotated[Microseconds, "Longer than this, seconds"]
    certain: Annotated[int, "For certain"]
    possible: Annotated[int, "Possibly"]
    listed: Annotated[int, "Those that are listed"]


class BrIntervalShown(NamedTuple):
    """BR COMPARE: cost and gain of an interval."""

    interval: Annotated[Microseconds, "The interval, seconds"]
    checkpoints: Annotated[int, "Checkpoints"]
    persisted: Annotated[int, "Transactions that are ever written to disk"]
    written: Annotated[int, "Bytes written to disk"]
    greatest: Annotated[Microseconds, "Greatest reach of a restart, seconds"]
    mean: Annotated[Microseconds, "Mean reach, over all moments, seconds"]
