"""Any event, as one JSON object on one line: ``--format jsonl`` and FORMAT JSONL.

The names of members are API; docs/json.md lists them, made from the same tables as the objects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from logdump.notation.escape import Harmless, escape
from logdump.render import (
    json_check,
    json_count,
    json_files,
    json_header,
    json_heartbeat,
    json_lob,
    json_metadata,
    json_position,
    json_record,
    json_recovery,
    json_safe,
    json_spark,
    json_statement,
)
from logdump.render.json_shape import Field, Shape, exact
from logdump.session.events import (
    CheckShown,
    CountShown,
    EmptyIntervals,
    EnvironmentShown,
    Event,
    Failure,
    FilesShown,
    GapShown,
    IntervalShown,
    JobProgress,
    LobsShown,
    MarksShown,
    NoRecordThere,
    Notice,
    PositionShown,
    Progress,
    RowsShown,
    SafePointShown,
    StatementShown,
    Text,
    TransactionsShown,
)
from logdump.session.heartbeats import (
    BeatGapShown,
    BeatIntervalShown,
    BeatShown,
    HeartbeatRowShown,
    HeartbeatsShown,
    PathLagShown,
)
from logdump.session.known_record import KnownRecord
from logdump.session.recovery_events import (
    CutShown,
    KeepShown,
    OrderBreakShown,
    OverwriteShown,
    ProducerChangeShown,
    RecoveryEnd,
    RecoveryShown,
    RestartShown,
    SecondCopyShown,
    TrailFileShown,
)
from logdump.session.settings import Settings
from trailformat import BadRecord, PartialRecord, TrailError

_LINES = Field("lines", "list of string", "The text, line by line", lambda event: list(event.lines))


def _error(get: Callable[[TrailError], Any]) -> Callable[[Failure | Notice], Any]:
    return lambda event: get(event.bad.error) if event.bad else None


def _path(error: TrailError) -> str | None:
    return str(error.path) if error.path else None


_TROUBLE = (
    Field(
        "status",
        "number",
        "What it makes of the exit status: 1 a command failed, 4 bad data",
        lambda event: int(event.status),
    ),
    Field("file", "string or null", "Path of the file", _error(_path)),
    Field("rba", "number or null", "Byte offset in the file", _error(lambda error: error.rba)),
    Field(
        "length",
        "number or null",
        "Bytes up to the next good record or the end, of a record that is there its length",
        lambda event: event.bad.length if event.bad else None,
    ),
    Field("error", "string or null", "What is wrong", _error(lambda error: error.problem)),
    Field("expected", "string or null", "What should stand there", _error(lambda error: error.expected)),
    Field("found", "string or null", "What stands there", _error(lambda error: error.found)),
    _LINES,
)
TEXT = Shape("text", "What a command says in its own words.", (_LINES,))
BAD_RECORD = Shape("bad_record", "Bytes that cannot be read as a record, met by any command.", _TROUBLE)
FAILURE = Shape("failure", "A command that could not be carried out.", _TROUBLE)
NOTICE = Shape("notice", "Something about the record before it that does not make sense.", _TROUBLE)
SHAPES = (
    json_record.RECORD,
    json_header.FILE_HEADER,
    json_count.COUNT,
    json_count.INTERVAL,
    json_count.EMPTY_INTERVALS,
    json_count.TRANSACTIONS,
    json_count.PROGRESS,
    json_statement.STATEMENT,
    json_position.POSITION,
    json_position.NO_RECORD,
    json_position.MARKS,
    json_files.FILES,
    json_files.ENVIRONMENT,
    json_safe.SAFE_POINT,
    json_lob.LOBS,
    json_check.GAP,
    json_check.CHECK,
    json_heartbeat.HEARTBEATS,
    json_heartbeat.HEARTBEAT_LAG,
    json_heartbeat.HEARTBEAT,
    json_heartbeat.HEARTBEAT_INTERVAL,
    json_heartbeat.HEARTBEAT_GAP,
    json_heartbeat.HEARTBEAT_ROW,
    *json_recovery.SHAPES,
    json_spark.JOB_PROGRESS,
    json_spark.ROW,
    TEXT,
    BAD_RECORD,
    FAILURE,
    NOTICE,
)
"""The objects that stand on a line; each begins with ``type``, the name of its shape."""
PARTS = (
    json_record.COLUMN,
    json_record.GGS_TOKEN,
    json_record.USER_TOKEN,
    json_record.OTHER_TOKEN,
    json_record.DDL_PART,
    json_lob.SEGMENT,
    json_lob.LOB,
    json_lob.MISSING,
    json_metadata.METADATA,
    json_metadata.DATABASE_DEFINITION,
    json_metadata.TABLE_DEFINITION,
    json_metadata.COLUMN_DEFINITION,
    json_count.TYPE_COUNT,
    json_count.TABLE_COUNT,
    json_count.LARGE_TRANSACTION,
    json_position.MARK,
    json_files.FILE_ENTRY,
    json_safe.SPOT,
    json_safe.TABLE_RECORDS,
    json_safe.DAMAGE,
    json_heartbeat.LAG_SUMMARY,
    *json_recovery.PARTS,
)
"""The objects inside those."""

_SHAPE_OF: dict[type, Shape] = {
    CountShown: json_count.COUNT,
    IntervalShown: json_count.INTERVAL,
    EmptyIntervals: json_count.EMPTY_INTERVALS,
    TransactionsShown: json_count.TRANSACTIONS,
    StatementShown: json_statement.STATEMENT,
    Progress: json_count.PROGRESS,
    PositionShown: json_position.POSITION,
    NoRecordThere: json_position.NO_RECORD,
    FilesShown: json_files.FILES,
    EnvironmentShown: json_files.ENVIRONMENT,
    MarksShown: json_position.MARKS,
    SafePointShown: json_safe.SAFE_POINT,
    LobsShown: json_lob.LOBS,
    GapShown: json_check.GAP,
    CheckShown: json_check.CHECK,
    HeartbeatsShown: json_heartbeat.HEARTBEATS,
    PathLagShown: json_heartbeat.HEARTBEAT_LAG,
    BeatShown: json_heartbeat.HEARTBEAT,
    BeatIntervalShown: json_heartbeat.HEARTBEAT_INTERVAL,
    BeatGapShown: json_heartbeat.HEARTBEAT_GAP,
    HeartbeatRowShown: json_heartbeat.HEARTBEAT_ROW,
    RecoveryShown: json_recovery.RECOVERY,
    RestartShown: json_recovery.RESTART,
    CutShown: json_recovery.CUT,
    SecondCopyShown: json_recovery.SECOND_COPY,
    OrderBreakShown: json_recovery.ORDER_BREAK,
    ProducerChangeShown: json_recovery.PRODUCER_CHANGE,
    OverwriteShown: json_recovery.OVERWRITE,
    TrailFileShown: json_recovery.TRAIL_FILE,
    KeepShown: json_recovery.KEEP,
    JobProgress: json_spark.JOB_PROGRESS,
    Text: TEXT,
}


def render(event: Event, _settings: Settings) -> Iterator[Harmless]:
    """The lines of ``event``: an object in ASCII each. Display switches and RECLEN do not matter.

    A RecoveryEnd has none: the object of RECOVERY holds what it tells.
    """
    if isinstance(event, RowsShown):
        yield from (_object(json_spark.ROW, (event.columns, row)) for row in event.rows)
    elif not isinstance(event, RecoveryEnd):
        yield _object(_shape(event), event)


def _object(shape: Shape, source: object) -> Harmless:
    described = {"type": shape.name, **shape.build_what_decodes(source)}
    return escape(json.dumps(exact(described), ensure_ascii=True, allow_nan=False, separators=(",", ":")))


def _shape(event: Event) -> Shape:
    if isinstance(event, KnownRecord):
        return json_header.FILE_HEADER if event.record.is_file_header else json_record.RECORD
    if isinstance(event, Failure | Notice):
        if event.bad and isinstance(event.bad.error, BadRecord | PartialRecord):
            return BAD_RECORD
        return FAILURE if isinstance(event, Failure) else NOTICE
    return _SHAPE_OF[type(event)]
