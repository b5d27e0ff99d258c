"""Any event, as the lines that Logdump prints."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from logdump.notation.escape import Harmless, escape
from logdump.session import evaluation, events, heartbeats, recovery_events
from logdump.session.events import Event, Failure, Notice, Text
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings

_RENDERERS = {
    KnownRecord: ("record_text", "record_lines"),
    events.CountShown: ("count_text", "count_lines"),
    events.IntervalShown: ("count_text", "interval_lines"),
    events.EmptyIntervals: ("count_text", "empty_lines"),
    events.TransactionsShown: ("count_text", "history_lines"),
    events.StatementShown: ("statement_text", "statement_lines"),
    events.Progress: ("progress_text", "progress_lines"),
    events.LobsShown: ("lob_text", "lob_lines"),
    events.PositionShown: ("places_text", "position_lines"),
    events.NoRecordThere: ("places_text", "no_record_lines"),
    events.FilesShown: ("places_text", "files_lines"),
    events.EnvironmentShown: ("places_text", "environment_lines"),
    events.MarksShown: ("places_text", "mark_lines"),
    events.SafePointShown: ("safe_text", "safe_lines"),
    events.GapShown: ("check_text", "gap_lines"),
    events.CheckShown: ("check_text", "check_lines"),
    evaluation.ParametersShown: ("parameters_text", "parameters_lines"),
    evaluation.CoverageShown: ("parameters_text", "coverage_lines"),
    evaluation.DdlEvaluated: ("ddl_text", "evaluation_lines"),
    evaluation.DdlCounted: ("ddl_text", "counted_lines"),
    heartbeats.HeartbeatsShown: ("heartbeat_text", "heartbeats_lines"),
    heartbeats.PathLagShown: ("heartbeat_text", "path_lines"),
    heartbeats.BeatShown: ("heartbeat_text", "beat_lines"),
    heartbeats.BeatIntervalShown: ("heartbeat_text", "interval_lines"),
    heartbeats.HeartbeatRowShown: ("heartbeat_text", "row_lines"),
    heartbeats.BeatGapShown: ("heartbeat_text", "gap_lines"),
    recovery_events.RecoveryShown: ("recovery_text", "recovery_lines"),
    recovery_events.RestartShown: ("recovery_text", "restart_lines"),
    recovery_events.CutShown: ("recovery_text", "cut_lines"),
    recovery_events.SecondCopyShown: ("recovery_text", "second_copy_lines"),
    recovery_events.OrderBreakShown: ("recovery_text", "order_break_lines"),
    recovery_events.ProducerChangeShown: ("recovery_text", "producer_change_lines"),
    recovery_events.OverwriteShown: ("recovery_text", "overwrite_lines"),
    recovery_events.TrailFileShown: ("recovery_text", "trail_file_lines"),
    recovery_events.KeepShown: ("recovery_text", "keep_lines"),
    recovery_events.RecoveryEnd: ("recovery_text", "end_lines"),
    events.JobProgress: ("progress_text", "job_lines"),
    events.RowsShown: ("rows_text", "rows_lines"),
}
"""The module and the function that render an event; a module is loaded with the first event of its kind."""


def render(event: Event, settings: Settings) -> Iterator[Harmless]:
    """The lines of ``event``."""
    if isinstance(event, Text | Notice | Failure):
        return map(escape, event.lines)
    module, name = _RENDERERS[type(event)]
    lines: Callable[[Any, Settings], Iterator[str]] = getattr(importlib.import_module(f"logdump.render.{module}"), name)
    return map(escape, lines(event, settings))
