"""Any event, as the lines that Logdump prints."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from logdump.notation.escape import Harmless, escape_lines
from logdump.session.events import Event, Failure, Notice, Text
from logdump.session.settings import Settings

_RENDERERS = {
    "KnownRecord": ("record_text", "record_lines"),
    "RecordsInLines": ("record_text", "many_lines"),
    "CountShown": ("count_text", "count_lines"),
    "IntervalShown": ("count_text", "interval_lines"),
    "EmptyIntervals": ("count_text", "empty_lines"),
    "TransactionsShown": ("count_text", "history_lines"),
    "StatementShown": ("statement_text", "statement_lines"),
    "ScriptPart": ("statement_text", "part_lines"),
    "Progress": ("progress_text", "progress_lines"),
    "LobsShown": ("lob_text", "lob_lines"),
    "PositionShown": ("places_text", "position_lines"),
    "NoRecordThere": ("places_text", "no_record_lines"),
    "FilesShown": ("places_text", "files_lines"),
    "EnvironmentShown": ("places_text", "environment_lines"),
    "MarksShown": ("places_text", "mark_lines"),
    "SafePointShown": ("safe_text", "safe_lines"),
    "GapShown": ("check_text", "gap_lines"),
    "CheckShown": ("check_text", "check_lines"),
    "ParametersShown": ("parameters_text", "parameters_lines"),
    "CoverageShown": ("parameters_text", "coverage_lines"),
    "DdlEvaluated": ("ddl_text", "evaluation_lines"),
    "DdlCounted": ("ddl_text", "counted_lines"),
    "HeartbeatsShown": ("heartbeat_text", "heartbeats_lines"),
    "PathLagShown": ("heartbeat_text", "path_lines"),
    "RestartPositionShown": ("heartbeat_text", "restart_position_lines"),
    "BeatShown": ("heartbeat_text", "beat_lines"),
    "BeatIntervalShown": ("heartbeat_text", "interval_lines"),
    "HeartbeatRowShown": ("heartbeat_text", "row_lines"),
    "BeatGapShown": ("heartbeat_text", "gap_lines"),
    "RecoveryShown": ("recovery_text", "recovery_lines"),
    "RestartShown": ("recovery_text", "restart_lines"),
    "CutShown": ("recovery_text", "cut_lines"),
    "SecondCopyShown": ("recovery_text", "second_copy_lines"),
    "OrderBreakShown": ("recovery_text", "order_break_lines"),
    "ProducerChangeShown": ("recovery_text", "producer_change_lines"),
    "OverwriteShown": ("recovery_text", "overwrite_lines"),
    "TrailFileShown": ("recovery_text", "trail_file_lines"),
    "KeepShown": ("recovery_text", "keep_lines"),
    "RecoveryEnd": ("recovery_text", "end_lines"),
    "DifferenceShown": ("diff_text", "difference_lines"),
    "DiffShown": ("diff_text", "diff_lines"),
    "RepairLoss": ("repair_text", "loss_lines"),
    "RepairShown": ("repair_text", "repair_lines"),
    "CompressionShown": ("compression_text", "compression_lines"),
    "Compression": ("compression_text", "result_lines"),
    "ImagesShown": ("compression_text", "images_lines"),
    "ImageSaving": ("compression_text", "saving_lines"),
    "BoundedRecoveryShown": ("bounded_recovery_text", "recovery_lines"),
    "CheckpointShown": ("bounded_recovery_text", "checkpoint_lines"),
    "BrRestartShown": ("bounded_recovery_text", "restart_lines"),
    "LongTransactionShown": ("bounded_recovery_text", "long_lines"),
    "LongTransactionsEnd": ("bounded_recovery_text", "end_lines"),
    "BrIntervalShown": ("bounded_recovery_text", "interval_lines"),
    "Explained": ("explanation_text", "explanation_lines"),
    "JobProgress": ("progress_text", "job_lines"),
    "SearchProgress": ("progress_text", "search_lines"),
    "RowsShown": ("rows_text", "rows_lines"),
}
"""The module and the function that render an event of a class; a module is loaded with the first event of its kind."""
_IN_WORDS = {kind.__name__ for kind in (Text, Notice, Failure)}
"""The classes of events that are lines already."""
_HARMLESS = {"KnownRecord", "RecordsInLines", "ScriptPart"}
"""Those whose function escapes each line where it is made."""


def render(event: Event, settings: Settings) -> list[Harmless]:
    """The lines of ``event``."""
    return _renderer(type(event).__name__)(event, settings)


@cache
def _renderer(kind: str) -> Callable[[Any, Settings], list[Harmless]]:
    """The function that renders events of a class."""
    if kind in _IN_WORDS:
        return lambda event, _: escape_lines(event.lines)
    module, name = _RENDERERS[kind]
    lines: Callable[[Any, Settings], Any] = getattr(importlib.import_module(f"logdump.render.{module}"), name)
    return lines if kind in _HARMLESS else lambda event, settings: escape_lines(lines(event, settings))
