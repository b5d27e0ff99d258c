"""Any event, as one JSON object on one line: ``--format jsonl`` and FORMAT JSONL.

The names of members are API; docs/json.md lists them, made from the same tables as the objects.
"""

from __future__ import annotations

from logdump.notation.escape import Harmless, ascii_json
from logdump.render import (
    json_bounded_recovery,
    json_check,
    json_compression,
    json_count,
    json_ddl,
    json_diff,
    json_explanation,
    json_header,
    json_heartbeat,
    json_lob,
    json_metadata,
    json_parameters,
    json_places,
    json_record,
    json_recovery,
    json_repair,
    json_safe,
    json_spark,
    json_statement,
)
from logdump.render.json_shape import Shape, encoded, member
from logdump.session.events import Event, Failure, Notice, RecordsInLines, RowsShown, Text
from logdump.session.known_record import KnownRecord
from logdump.session.recovery_events import RecoveryEnd
from logdump.session.settings import Settings
from trailformat import BadRecord, PartialRecord

_LINES = member("lines", "list of string", "The text, line by line")
_TROUBLE = (
    member("status", "number", "What it makes of the exit status: 1 a command failed, 4 bad data"),
    member("file", "string or null", "Path of the file", "bad?.error.path"),
    member("rba", "number or null", "Byte offset in the file", "bad?.error.rba"),
    member(
        "length",
        "number or null",
        "Bytes up to the next good record or the end, of a record that is there its length",
        "bad?.length",
    ),
    member("error", "string or null", "What is wrong", "bad?.error.problem"),
    member("expected", "string or null", "What should stand there", "bad?.error.expected"),
    member("found", "string or null", "What stands there", "bad?.error.found"),
    _LINES,
)
TEXT = Shape("text", "What a command says in its own words.", (_LINES,), Text)
BAD_RECORD = Shape("bad_record", "Bytes that cannot be read as a record, met by any command.", _TROUBLE)
FAILURE = Shape("failure", "A command that could not be carried out.", _TROUBLE, Failure)
NOTICE = Shape("notice", "Something about the record before it that does not make sense.", _TROUBLE, Notice)
SHAPES = (
    json_record.RECORD,
    json_header.FILE_HEADER,
    json_count.COUNT,
    json_count.INTERVAL,
    json_count.EMPTY_INTERVALS,
    json_count.TRANSACTIONS,
    json_count.PROGRESS,
    json_statement.STATEMENT,
    json_places.POSITION,
    json_places.NO_RECORD,
    json_places.MARKS,
    json_places.FILES,
    json_places.ENVIRONMENT,
    json_safe.SAFE_POINT,
    json_lob.LOBS,
    json_check.GAP,
    json_check.CHECK,
    json_parameters.PARAMETERS,
    json_parameters.COVERAGE,
    json_ddl.EVALUATION,
    json_ddl.COUNTED,
    json_heartbeat.HEARTBEATS,
    json_heartbeat.HEARTBEAT_LAG,
    json_heartbeat.HEARTBEAT,
    json_heartbeat.HEARTBEAT_INTERVAL,
    json_heartbeat.HEARTBEAT_GAP,
    json_heartbeat.HEARTBEAT_ROW,
    *json_recovery.SHAPES,
    json_diff.DIFFERENCE,
    json_diff.DIFF,
    json_repair.REPAIR_LOSS,
    json_repair.REPAIR,
    *json_compression.SHAPES,
    *json_bounded_recovery.SHAPES,
    json_explanation.EXPLANATION,
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
    json_places.MARK,
    json_places.FILE_ENTRY,
    json_safe.SPOT,
    json_safe.TABLE_RECORDS,
    json_safe.DAMAGE,
    json_ddl.RULE,
    json_ddl.STEP,
    json_ddl.OUTCOME,
    json_parameters.STATEMENT,
    json_parameters.TAKING,
    json_heartbeat.LAG_SUMMARY,
    *json_recovery.PARTS,
    *json_diff.PARTS,
    *json_repair.PARTS,
    *json_bounded_recovery.PARTS,
    json_explanation.PART,
)
"""The objects inside those."""

_SHAPE_OF = {shape.event: shape for shape in SHAPES}


def render(event: Event, _settings: Settings) -> list[Harmless]:
    """The lines of ``event``: an object in ASCII each. Display switches and RECLEN do not matter.

    A RecoveryEnd has none: the object of RECOVERY holds what it tells.
    """
    if isinstance(event, RecordsInLines):
        return event.take()
    if isinstance(event, RowsShown):
        return [_object(json_spark.ROW, (event.columns, row)) for row in event.rows]
    return [] if isinstance(event, RecoveryEnd) else [_object(_shape(event), event)]


def _object(shape: Shape, source: object) -> Harmless:
    described = {"type": shape.name, **shape.build_what_decodes(source)}
    return ascii_json(encoded(described))


def _shape(event: Event) -> Shape:
    if isinstance(event, KnownRecord):
        return json_header.FILE_HEADER if event.record.is_file_header else json_record.RECORD
    if isinstance(event, Failure | Notice) and event.bad and isinstance(event.bad.error, BadRecord | PartialRecord):
        return BAD_RECORD
    return _SHAPE_OF[type(event)]
