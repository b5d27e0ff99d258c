"""View ``transactions``: each transaction of a trail, its extent and its fate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.schema import BIGINT, BOOLEAN, STRING, STRINGS, TIMESTAMP, RowColumn
from logdump.notation.times import iso_time
from logdump.tables.analysis import Analysis
from trailformat.codec.on_demand import on_demand
from trailformat.transactions.extent import DamagedPlaces, Extent

with on_demand:
    import numpy as np

    from trailformat.transactions import extents

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.session.selection import Selection
    from logdump.tables.analysed_trail import AnalysedTrail
    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.whole_trail import FileBatch

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
    from trailformat.transactions.not_applied import NotApplied  # noqa: PLC0415 - SQL names the views before it needs numpy

    not_applied, places = NotApplied(trail.whole), DamagedPlaces(trail.whole)
    for item in extents.transactions_of(trail.whole, _ChosenRecords(trail).rows):
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


def _place(name: str, position: FilePosition | None) -> Row:
    return {f"{name}_file": position and position.path, f"{name}_rba": position and position.rba}


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
            return np.zeros(len(file_batch.batch), bool)
        return self._selection.rows(file_batch.batch) if self._selection.is_active else None


TRANSACTIONS = Analysis(
    "transactions",
    "each transaction",
    _COLUMNS,
    _transaction_rows,
    frozenset({"where", "table", "effective", "start_csn", "end_csn", "start_timestamp", "end_timestamp"}),
)

VIEWS = (TRANSACTIONS,)
