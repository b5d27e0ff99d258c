"""View ``transactions``: each transaction of a trail, and whether a Replicat applies it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.column_types import BIGINT, BOOLEAN, STRING, STRINGS, TIMESTAMP
from logdump.arrow.records.schema import RowColumn
from logdump.notation.times import iso_time
from logdump.spark.analyses.analysis import Analysis
from trailformat.transactions.extent import DamagedPlaces, Extent

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.session.selection import Selection
    from logdump.spark.analyses.analysed_trail import AnalysedTrail
    from trailformat.trail.sequence import Spot
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


def _rows(trail: AnalysedTrail) -> Iterator[Row]:
    """The transactions with a record in the files read that options choose; the whole trail tells of each."""
    from trailformat.transactions.extents import transactions_of  # noqa: PLC0415 - SQL names the views before it needs numpy
    from trailformat.transactions.not_applied import NotApplied  # noqa: PLC0415 - SQL names the views before it needs numpy

    not_applied, places = NotApplied(trail.whole), DamagedPlaces(trail.whole)
    for one in transactions_of(trail.whole, _Chosen(trail).rows):
        for damage in places.take(one):
            trail.damaged_at(damage.path, damage.rba)
        if isinstance(one, Extent) and one.tables:
            is_effective = not_applied.applies(one)
            if is_effective or not trail.options.effective:
                yield _row(one, is_effective=is_effective)
    trail.check_files()


def _row(one: Extent, *, is_effective: bool) -> Row:
    return {
        "csn": one.transaction.csn,
        "xid": one.transaction.xid,
        **_place("begin", one.first),
        **_place("end", one.last),
        "records": one.chosen,
        "bytes": one.data_size,
        "tables": sorted(one.tables),
        "first_time": iso_time(one.first_moment.time),
        "last_time": iso_time(one.last_moment.time),
        "is_whole": one.is_whole,
        "ended": one.ended.value,
        "is_effective": is_effective,
    }


def _place(name: str, spot: Spot | None) -> Row:
    return {f"{name}_file": spot and spot.path, f"{name}_rba": spot and spot.rba}


class _Chosen:
    """The records that options choose, in the order of the trail."""

    def __init__(self, trail: AnalysedTrail) -> None:
        self._trail = trail
        self._ordinal = -1
        self._selection: Selection | None = None

    def rows(self, found: FileBatch) -> Any:
        """The mask of those of a batch; None where all are."""
        trail = self._trail
        if found.ordinal != self._ordinal:
            self._ordinal = found.ordinal
            is_read = trail.whole.paths[found.ordinal] in trail.paths
            self._selection = trail.selection(found.trail) if is_read else None
        if self._selection is None:
            import numpy as np  # noqa: PLC0415 - SQL names the views before it needs numpy

            return np.zeros(len(found.batch), bool)
        return self._selection.rows(found.batch) if self._selection.is_active else None


TRANSACTIONS = Analysis(
    "transactions",
    "each transaction",
    _COLUMNS,
    _rows,
    frozenset({"where", "table", "effective", "start_csn", "end_csn", "start_timestamp", "end_timestamp"}),
)
