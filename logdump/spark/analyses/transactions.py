"""Views ``transactions``, ``open_transactions`` (long ones, as BR finds them) and ``restarts`` (as RECOVERY does)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.schema import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
    STRINGS,
    TIMESTAMP,
    UNSIGNED,
    RowColumn,
    mapping,
    struct,
)
from logdump.display.json_shape import SPOT, columns_of, struct_of
from logdump.features.bounded_recovery.json import TRANSACTION
from logdump.features.bounded_recovery.model import BrOptions, with_parameters
from logdump.features.recovery.json import DIFFERENCE, RESTART, TRANSACTION_REF
from logdump.notation.times import iso_time
from logdump.session.errors import CommandError
from logdump.spark.analyses.analysis import Analysis
from logdump.spark.errors import BadOption, BadTrail, report
from logdump.spark.source.named_files import parameters_of
from trailformat.scan import Workers
from trailformat.transactions.extent import DamagedPlaces, Extent

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.features.bounded_recovery.model import LongTransactionShown
    from logdump.session.selection import Selection
    from logdump.spark.analyses.analysed_trail import AnalysedTrail
    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.extent import Damage
    from trailformat.transactions.whole_trail import FileBatch


_SPOT = {"place": struct_of(SPOT, {"seqno": INT})}
_PARTS = {
    "transaction_ref": struct_of(TRANSACTION_REF, {**_SPOT, "object": mapping(STRING, BIGINT)}),
    "first_difference": struct_of(DIFFERENCE, _SPOT),
}


def _restart_rows(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the restarts in the files read; cut transactions and their copies are found in the whole trail."""
    from logdump.features.recovery.report import RecoveryReport  # noqa: PLC0415 - SQL names the views before it needs numpy
    from logdump.features.recovery.survey import Survey  # noqa: PLC0415 - SQL names the views before it needs numpy

    survey = Survey(trail.whole)
    with Workers() as workers:
        for batch in survey.run(workers):
            trail.check(batch)
    trail.check_files()
    if not survey.restarts.is_listed:
        number, listed = survey.restarts.number, len(survey.restarts.listed)
        report(f"{trail.whole.paths[0]}: only the first {listed} of {number} restarts are rows")
    for shown in RecoveryReport(survey).restarts():
        if shown.spot.path in trail.paths:
            yield RESTART.build(shown)


RESTARTS = Analysis(
    "restarts",
    "each restart of Extract, with the transaction that it cut and the whole copy of that",
    columns_of(RESTART, {**_SPOT, **_PARTS, "time": TIMESTAMP}),
    _restart_rows,
)


_NEVER = 1 << 62
_SECOND = 1_000_000
_REDO = struct({"log": BIGINT, "position": UNSIGNED})
_OF_REDO = (
    RowColumn("begin_redo", _REDO, "Redo position of its first record; null where the trail has none"),
    RowColumn("end_redo", _REDO, "Redo position of its last record"),
    RowColumn("duration", DOUBLE, "From `begin_high` to `end`, seconds"),
    RowColumn("persisted", BOOLEAN, "Whether a checkpoint of Bounded Recovery writes it to disk"),
    RowColumn("reach", DOUBLE, "How far back a restart reads at most because of it, with Bounded Recovery, seconds"),
)


def _open_rows(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the long transactions that begin in the files read; times and checkpoints are found in the whole trail."""
    from logdump.features.bounded_recovery.survey import BrSurvey  # noqa: PLC0415 - SQL names the views before it needs numpy

    def see_damage(damage: Damage) -> None:
        trail.damaged_at(damage.path, damage.rba)

    try:
        options = with_parameters(BrOptions(), parameters_of(trail.options))
    except CommandError as error:
        raise BadOption(f"option params: {' '.join(error.lines)}") from None
    survey = BrSurvey(trail.whole, options, {}, see_damage=see_damage)
    try:
        for _ in survey.run(_NEVER):
            pass
    except CommandError as error:
        raise BadTrail(f"{trail.whole.paths[0]}: {' '.join(error.lines)}") from None
    trail.check_files()
    end = survey.end
    if end.listed < end.certain + end.possible:
        number = end.certain + end.possible
        report(f"{trail.whole.paths[0]}: only the first {end.listed} of {number} long transactions are rows")
    for shown in survey.long_transactions:
        if shown.began.spot is not None and shown.began.spot.path in trail.paths:
            yield {**TRANSACTION.build(shown), **_of_redo(shown)}


def _of_redo(shown: LongTransactionShown) -> Row:
    transaction = shown.began
    return {
        "begin_redo": transaction.place and transaction.place._asdict(),
        "end_redo": transaction.last_place and transaction.last_place._asdict(),
        "duration": None if transaction.end is None else (transaction.end - transaction.high) / _SECOND,
        "persisted": shown.persisted,
        "reach": shown.reach / _SECOND,
    }


_TIMES = {"begin_low": TIMESTAMP, "begin_high": TIMESTAMP, "end": TIMESTAMP}
OPEN_TRANSACTIONS = Analysis(
    "open_transactions",
    "each transaction that was, or may have been, open for longer than BRINTERVAL: that of `params`, or 4 hours",
    (*columns_of(TRANSACTION, {**_TIMES, "place": struct_of(SPOT, {"seqno": INT})}), *_OF_REDO),
    _open_rows,
)


_COLUMNS = (
    RowColumn("csn", STRING, "LOGCSN; null where it is not in the trail"),
    RowColumn("xid", STRING, "TRANID"),
    RowColumn("begin_file", STRING, "File of its first record that is there"),
    RowColumn("begin_rba", BIGINT, "RBA of that"),
    RowColumn("end_file", STRING, "File of its last record that is there"),
    RowColumn("end_rba", BIGINT, "RBA of that"),
    RowColumn("records", BIGINT, "Its records; of those that options choose"),
    RowColumn("bytes", BIGINT, "Sum of their `record_length`"),
    RowColumn("tables", STRINGS, "Names of their tables"),
    RowColumn("first_time", TIMESTAMP, "IO Time of its first record"),
    RowColumn("last_time", TIMESTAMP, "IO Time of its last record"),
    RowColumn("is_whole", BOOLEAN, "Whether its first and its last record are there, and nothing between was lost"),
    RowColumn("ended", STRING, "As of records"),
    RowColumn("is_effective", BOOLEAN, "Whether a Replicat applies it"),
)


def _transaction_rows(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the transactions with a chosen record in the files read; their extents are found in the whole trail."""
    from trailformat.transactions.extents import transactions_of  # noqa: PLC0415 - SQL names the views before it needs numpy
    from trailformat.transactions.not_applied import NotApplied  # noqa: PLC0415 - SQL names the views before it needs numpy

    not_applied, places = NotApplied(trail.whole), DamagedPlaces(trail.whole)
    for item in transactions_of(trail.whole, _ChosenRecords(trail).rows):
        for damage in places.take(item):
            trail.damaged_at(damage.path, damage.rba)
        if isinstance(item, Extent) and item.tables:
            is_effective = not_applied.applies(item)
            if is_effective or not trail.options.effective:
                yield _row(item, is_effective=is_effective)
    trail.check_files()


def _row(extent: Extent, *, is_effective: bool) -> Row:
    return {
        "csn": extent.transaction.csn,
        "xid": extent.transaction.xid,
        **_place("begin", extent.first),
        **_place("end", extent.last),
        "records": extent.chosen,
        "bytes": extent.data_size,
        "tables": sorted(extent.tables),
        "first_time": iso_time(extent.first_moment.time),
        "last_time": iso_time(extent.last_moment.time),
        "is_whole": extent.is_whole,
        "ended": extent.ended.value,
        "is_effective": is_effective,
    }


def _place(name: str, spot: FilePosition | None) -> Row:
    return {f"{name}_file": spot and spot.path, f"{name}_rba": spot and spot.rba}


class _ChosenRecords:
    """The records that options choose, in the order of the trail."""

    def __init__(self, trail: AnalysedTrail) -> None:
        self._trail = trail
        self._ordinal = -1
        self._selection: Selection | None = None

    def rows(self, file_batch: FileBatch) -> Any:
        """Return the mask of the chosen rows of a batch; None if all are chosen."""
        trail = self._trail
        if file_batch.ordinal != self._ordinal:
            self._ordinal = file_batch.ordinal
            is_read = trail.whole.paths[file_batch.ordinal] in trail.paths
            self._selection = trail.selection(file_batch.trail) if is_read else None
        if self._selection is None:
            import numpy as np  # noqa: PLC0415 - SQL names the views before it needs numpy

            return np.zeros(len(file_batch.batch), bool)
        return self._selection.rows(file_batch.batch) if self._selection.is_active else None


TRANSACTIONS = Analysis(
    "transactions",
    "each transaction",
    _COLUMNS,
    _transaction_rows,
    frozenset({"where", "table", "effective", "start_csn", "end_csn", "start_timestamp", "end_timestamp"}),
)
