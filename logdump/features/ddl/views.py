"""View ``ddl``: the DDL statements of a trail, and their evaluation by the rules of Extract and Replicat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdump.arrow.records.schema import BIGINT, INT, STRING, TIMESTAMP, RowColumn
from logdump.display.json_shape import RULE, columns_of, struct_of
from logdump.features.ddl.evaluation import evaluate
from logdump.features.ddl.fate import StatementFates
from logdump.features.ddl.json import EVALUATION
from logdump.features.ddl.statement import ddl_records, subject_of_record
from logdump.notation.times import iso_time
from logdump.session.events import Notice
from logdump.tables.analysis import Analysis
from logdump.tables.named_files import parameters_of
from trailformat import BadRecord, PartialRecord, Record, TrailError, TrailFile

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.arrow.records.objects import Row
    from logdump.parameters.in_use import ParametersInUse
    from logdump.tables.analysed_trail import AnalysedTrail

_NEVER = 1 << 62
_OF_THE_RECORD = (
    RowColumn("file", STRING, "Path of the trail file"),
    RowColumn("rba", BIGINT, "Byte offset of the record"),
    RowColumn("time", TIMESTAMP, "IO Time"),
    RowColumn("csn", STRING, "LOGCSN of the record"),
    RowColumn("xid", STRING, "TRANID of the record"),
    RowColumn("operation", STRING, "`CREATE`, `ALTER`, …"),
    RowColumn("object_type", STRING, "`TABLE`, `INDEX`, …"),
    RowColumn("base", STRING, "Name of the base object"),
    RowColumn("derived", STRING, "Name of the derived object"),
    RowColumn("statement", STRING, "The statement as the trail has it"),
)
_RESULT = RowColumn("result", STRING, "`statement` of the JSON object: the statement that would be written or run")
_TOLD_OTHERWISE = {"steps", *(column.name for column in _OF_THE_RECORD)}
_VERDICT = EVALUATION._replace(
    members=tuple(member for member in EVALUATION.members if member.name not in _TOLD_OTHERWISE)
)


def _rows(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the statements of the files; with parameter files a row for each process and each target of a statement."""
    parameters, fates = parameters_of(trail.options), StatementFates(trail.whole)
    for file in trail.open():
        for item in ddl_records(file, 0, trail.selection(file), _NEVER):
            if isinstance(item, Record):
                yield from _of_record(file, item, parameters, fates)
            elif isinstance(item, Notice):
                known = item.bad.error if item.bad is not None else None
                _see_damage(trail, file.path, known if isinstance(known, TrailError) else BadRecord(*item.lines))


def _see_damage(trail: AnalysedTrail, path: Path, error: TrailError) -> None:
    """Report damage, but not an incomplete record in the newest file. Raises like ``AnalysedTrail.damaged``."""
    if not (isinstance(error, PartialRecord) and trail.whole.is_newest(trail.whole.ordinals[path])):
        trail.damaged(error, path)


def _of_record(file: TrailFile, record: Record, parameters: ParametersInUse, fates: StatementFates) -> Iterator[Row]:
    subject = subject_of_record(file, record)
    row = {
        "file": file.path,
        "rba": record.rba,
        "time": iso_time(record.header.io_time),
        "csn": record.csn,
        "xid": record.xid,
        "operation": subject.operation,
        "object_type": subject.object_type,
        "base": subject.base and str(subject.base),
        "derived": subject.derived and str(subject.derived),
        "statement": subject.text,
    }
    results = [*fates.judged(evaluate(subject, parameters.for_trail(file.path)), file.path, record.rba)]
    yield from ({**_VERDICT.build(result), **row, "result": result.statement} for result in results)
    if not results:
        yield row


DDL = Analysis(
    "ddl",
    "each DDL statement; with the option `params` for each process and each of its targets",
    (*_OF_THE_RECORD, *columns_of(_VERDICT, {"rule": struct_of(RULE, {"line": INT})}), _RESULT),
    _rows,
    frozenset({"where", "table", "start_csn", "end_csn", "start_timestamp", "end_timestamp"}),
)

VIEWS = (DDL,)
