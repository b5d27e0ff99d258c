"""Any event, as one JSON object on one line: ``--format jsonl`` and FORMAT JSONL.

The names of members are API; docs/json.md lists them, made from the same tables as the objects.
"""

from __future__ import annotations

import importlib
from functools import cache

from logdump.notation.escape import Harmless, ascii_json
from logdump.render.json_shape import Shape, encoded, member
from logdump.session.events import Event, Failure, Notice, RecordsInLines, RowsShown, Text
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from trailformat import BadRecord, PartialRecord

_LINES = member("lines", "list of string", "The text, line by line")
_TROUBLE = (
    member("status", "number", "The exit status that it causes: 1 a command failed, 4 bad data"),
    member("file", "string or null", "Path of the file", "bad?.error.path"),
    member("rba", "number or null", "Byte offset in the file", "bad?.error.rba"),
    member(
        "length",
        "number or null",
        "Bytes up to the next good record or the end, of a record that is there its length",
        "bad?.length",
    ),
    member("error", "string or null", "The error", "bad?.error.problem"),
    member("expected", "string or null", "The bytes that were expected", "bad?.error.expected"),
    member("found", "string or null", "The bytes that were found", "bad?.error.found"),
    _LINES,
)
TEXT = Shape("text", "Text of a command.", (_LINES,), Text)
BAD_RECORD = Shape("bad_record", "Bytes that cannot be read as a record, met by any command.", _TROUBLE)
FAILURE = Shape("failure", "A command that could not be carried out.", _TROUBLE, Failure)
NOTICE = Shape("notice", "Something about the record before it that does not make sense.", _TROUBLE, Notice)
_OF_MODULES = {
    "json_count": "CountShown IntervalShown EmptyIntervals TransactionsShown Progress",
    "json_statement": "StatementShown",
    "json_places": "PositionShown NoRecordThere MarksShown FilesShown EnvironmentShown",
    "json_safe": "SafePointShown",
    "json_lob": "LobsShown",
    "json_check": "GapShown CheckShown",
    "json_parameters": "ParametersShown CoverageShown",
    "json_ddl": "DdlEvaluated DdlCounted",
    "json_heartbeat": (
        "HeartbeatsShown PathLagShown BeatShown BeatIntervalShown BeatGapShown HeartbeatRowShown RestartPositionShown"
    ),
    "json_recovery": (
        "RecoveryShown RestartShown CutShown SecondCopyShown OrderBreakShown ProducerChangeShown OverwriteShown "
        "TrailFileShown KeepShown"
    ),
    "json_diff": "DifferenceShown DiffShown",
    "json_repair": "RepairLoss RepairShown",
    "json_compression": "CompressionShown Compression ImagesShown ImageSaving",
    "json_bounded_recovery": (
        "BoundedRecoveryShown CheckpointShown BrRestartShown LongTransactionShown LongTransactionsEnd BrIntervalShown"
    ),
    "json_explanation": "Explained",
    "json_spark": "JobProgress",
    "json_lines": "Text Failure Notice",
}
"""The events whose objects a module has, which is loaded with the first of them."""
_MODULES = {name: module for module, names in _OF_MODULES.items() for name in names.split()}
_UNTOLD = frozenset({"RecoveryEnd"})
"""Events without an object: that of RECOVERY holds what they tell."""


def render(event: Event, _settings: Settings) -> list[Harmless]:
    """The lines of ``event``: an object in ASCII each. Display switches and RECLEN do not matter."""
    if isinstance(event, RecordsInLines):
        return event.take()
    if isinstance(event, RowsShown):
        from logdump.render.json_spark import ROW  # noqa: PLC0415 - few sessions have rows of SQL

        return [_object(ROW, (event.columns, row)) for row in event.rows]
    return [] if type(event).__name__ in _UNTOLD else [_object(_shape(event), event)]


def _object(shape: Shape, source: object) -> Harmless:
    described = {"type": shape.name, **shape.build_what_decodes(source)}
    return ascii_json(encoded(described))


def _shape(event: Event) -> Shape:
    if isinstance(event, KnownRecord):
        return _of_record(is_file_header=event.record.is_file_header)
    if isinstance(event, Failure | Notice) and event.bad and isinstance(event.bad.error, BadRecord | PartialRecord):
        return BAD_RECORD
    kind: type = type(event)
    return shape_of(kind)


@cache
def _of_record(*, is_file_header: bool) -> Shape:
    from logdump.render.json_header import FILE_HEADER  # noqa: PLC0415 - many commands show no record
    from logdump.render.json_record import RECORD  # noqa: PLC0415 - likewise

    return FILE_HEADER if is_file_header else RECORD


@cache
def shape_of(kind: type) -> Shape:
    """The object of events of a class."""
    module = importlib.import_module(f"logdump.render.{_MODULES[kind.__name__]}")
    return next(one for one in vars(module).values() if isinstance(one, Shape) and one.event is kind)
