"""The results of BR as text: checkpoints, the redo that a restart reads, long transactions."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, as_read, redo_text
from logdump.features.bounded_recovery.model import (
    BeginSource,
    BoundedRecoveryShown,
    BrIntervalShown,
    BrRestartShown,
    CheckpointShown,
    ClockState,
    FirstSource,
    LongTransactionsEnd,
    LongTransactionShown,
    ObservedRestart,
    RedoStart,
    RestartKind,
    RestartReach,
)
from logdump.notation.text import amount, escape
from logdump.notation.times import format_timestamp, span_text
from logdump.session.settings import Settings
from trailformat.trail.sequence import FilePosition

_SOURCES = {
    BeginSource.GIVEN: "given",
    BeginSource.OPERATIONS: "by times of operations",
    BeginSource.REDO_CLOCK: "by the redo clock",
    BeginSource.NONE: "unknown, assumed to be short",
}
_FIRST = {
    FirstSource.GIVEN: "given",
    FirstSource.RESTART: "the last restart, {}",
    FirstSource.CREATED: "CreationTime of {}",
    FirstSource.COMMIT: "the first commit",
}
_CLOCKS = {
    ClockState.USED: "",
    ClockState.MIXED: "The redo clock is not used: positions of several redo threads or several sources.",
    ClockState.ABSENT: "The redo clock is not used: the records have no redo positions.",
}
_KINDS = {
    RestartKind.READ_CHECKPOINT: "no transaction is open: from the position that Extract has reached",
    RestartKind.NORMAL: "no persisted transaction is open: normal recovery",
    RestartKind.BOUNDED: "",
}


def recovery_lines(shown: BoundedRecoveryShown, settings: Settings) -> Iterator[str]:
    """Yield the assumptions, then the summary."""
    yield f"Assumed: {shown.assumed}."
    partial = as_read(is_partial=shown.is_partial)
    if shown.first is None:
        if not shown.is_partial:
            yield f"Bounded Recovery of {escape(shown.title)}: no transaction with a time"
        return
    begin = format_timestamp(shown.first, settings.time_offset)
    position, is_file = shown.first_position, shown.first_source is FirstSource.CREATED
    where = "" if position is None else escape(position.path.name) if is_file else _place(position)
    first = _FIRST[shown.first_source].format(where)
    yield (
        f"Bounded Recovery of {escape(shown.title)}{partial}: interval {span_text(shown.interval)}, "
        f"{amount(shown.checkpoints, 'checkpoint')} from {begin} ({first}), "
        f"{shown.busy} with open transactions"
    )
    if shown.parameter is not None:
        rule = shown.parameter
        yield f"{escape(rule.path.name)}, line {rule.line}: {escape(rule.text)}"
    sources = [f"{number} {_SOURCES[source]}" for source in BeginSource if (number := shown.sources.get(source))]
    if sources:
        yield f"Begins of transactions: {', '.join(sources)}"
    if _CLOCKS[shown.clock]:
        yield _CLOCKS[shown.clock]
    if shown.copies:
        yield f"Second copies are not counted: {amount(shown.copies, 'transaction')} (see RECOVERY TWICE)."
    if shown.damaged:
        yield f"Damage at {amount(shown.damaged, 'place')}, see CHECK: transactions there are not known."


def checkpoint_lines(shown: CheckpointShown, settings: Settings) -> Iterator[str]:
    """Yield the open transactions at a checkpoint, and the position from which a restart after it reads."""
    anew = f"{shown.dirty} written again, " if shown.dirty else ""
    size = f" ({anew}{amount(shown.persisted_bytes, 'byte')})" if shown.persisted else ""
    time = format_timestamp(shown.time, settings.time_offset)
    persisted = f"{shown.persisted} persisted{size}"
    restart = ""
    if shown.restart is not None:
        start = _start(shown.restart, settings)
        restart = f", restart {start if start.startswith('after') else f'at {start}'}"
    yield f"Checkpoint {shown.number}, {time}: {shown.open} open, {persisted}{restart}"


def restart_lines(shown: BrRestartShown, settings: Settings) -> Iterator[str]:
    """Yield the redo that a restart reads with BR and without, and the positions that Extract itself has written."""
    yield f"Restart at {format_timestamp(shown.at, settings.time_offset)}"
    disk = f"; {amount(shown.from_disk, 'transaction')} from disk" if shown.from_disk else ""
    why = f"; {_KINDS[shown.kind]}" if _KINDS[shown.kind] else ""
    yield _line("With BR", f"{_reach(shown.with_br, settings)}{disk}{why}")
    yield _line("Without BR", _reach(shown.without_br, settings))
    if shown.checkpoint is not None:
        which = "the one before that which failed" if shown.fails else "the last"
        yield _line("Checkpoint", f"{format_timestamp(shown.checkpoint, settings.time_offset)}, {which}")
    if shown.bound is None:
        yield _line("Bound", "none: BROFF")
    else:
        yield _line("Bound", f"less than {span_text(shown.bound)} back, regardless of the first checkpoint")
    for observed, what in ((shown.heartbeat, "heartbeat"), (shown.header, "LOGBSN of the file begun")):
        if observed is not None:
            yield _line("Observed", _observed(observed, what, settings))
    if shown.older is not None:
        back = format_timestamp(shown.older, settings.time_offset)
        yield _line("", f"open or rolled-back transactions that this trail does not show reach back to {back}")


def long_lines(shown: LongTransactionShown, settings: Settings) -> Iterator[str]:
    """Yield one transaction: its begin and end, and how certain they are."""
    transaction = shown.began
    offset = settings.time_offset
    begin = format_timestamp(transaction.high, offset)
    end = (
        f"to {format_timestamp(transaction.end, offset)}, {span_text(transaction.end - transaction.high)}"
        if transaction.end is not None
        else "still open"
    )
    earlier = f"from {format_timestamp(transaction.low, offset)} on" if transaction.low is not None else "earlier"
    sure = "long for certain" if shown.certain else f"long if it began {earlier}"
    where = f", {_place(transaction.position)}" if transaction.position is not None else ""
    what = f"{amount(transaction.records, 'record')}, begin {_SOURCES[transaction.source]}"
    yield f"  {escape(transaction.xid or 'without TRANID')}  {begin} {end}, {what}, {sure}{where}"


def end_lines(shown: LongTransactionsEnd, _settings: Settings) -> Iterator[str]:
    """Yield the number of transactions open for longer than LONGER or the interval."""
    more = f", {shown.listed} listed" if shown.listed < shown.certain + shown.possible else ""
    numbers = f"{shown.certain} for certain, {shown.possible} possibly{more}"
    yield f"Open for longer than {span_text(shown.longer)}: {numbers}"


def interval_lines(shown: BrIntervalShown, _settings: Settings) -> Iterator[str]:
    """Yield cost and gain of one interval."""
    yield (
        f"Interval {span_text(shown.interval)}: {amount(shown.checkpoints, 'checkpoint')}, "
        f"{amount(shown.persisted, 'transaction')} ever persisted, {amount(shown.written, 'byte')} written to disk, "
        f"greatest reach {span_text(shown.greatest)}, mean {span_text(shown.mean)}"
    )


def _reach(reach: RestartReach, settings: Settings) -> str:
    logs = f", {amount(reach.logs, 'log')}" if reach.logs is not None else ""
    size = f", about {amount(reach.bytes, 'byte')}" if reach.bytes is not None else ""
    again = f"; {amount(reach.recaptured, 'transaction')} captured again"
    return f"from {_start(reach.start, settings)} ({span_text(reach.back)} back{logs}{size}){again}"


def _start(start: RedoStart, settings: Settings) -> str:
    time = format_timestamp(start.time, settings.time_offset)
    if start.place is None:
        return time
    after = "" if start.xid is not None else "after "
    who = f", the begin of {escape(start.xid)}" if start.xid is not None else ""
    return f"{after}{redo_text(start.place)}, {time}{who}"


def _observed(observed: ObservedRestart, what: str, settings: Settings) -> str:
    written = format_timestamp(observed.written, settings.time_offset)
    csn = f"CSN {escape(observed.csn)}" if observed.csn is not None else "no CSN"
    time = f" of {format_timestamp(observed.time, settings.time_offset)}" if observed.time is not None else ""
    return f"{what} {written}: restart {csn}{time}, {_place(observed.position)}"


def _place(position: FilePosition) -> str:
    return f"RBA {position.rba} of {escape(position.path.name)}"


def _line(label: str, text: str) -> str:
    return f"  {label:<14} {text}"


LINES: Renderers = {
    BoundedRecoveryShown: recovery_lines,
    CheckpointShown: checkpoint_lines,
    BrRestartShown: restart_lines,
    LongTransactionShown: long_lines,
    LongTransactionsEnd: end_lines,
    BrIntervalShown: interval_lines,
}
