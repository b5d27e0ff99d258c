"""``spark.readStream.format("trail")``: micro-batches of a trail that grows, from file to file.

From Spark 4.2 on, the options ``max…PerTrigger`` limit a micro-batch; in 4.0 and 4.1 it takes all that there is.

Offsets are those of :mod:`logdump.tables.stream_trail`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from logdump.arrow.records.schema import Selected
from logdump.spark.source.worker import read_in_worker
from logdump.tables.before import NeededBefore
from logdump.tables.options import Options
from logdump.tables.planner import packed
from logdump.tables.slice import Slice, filters_of
from logdump.tables.stream_trail import StreamTrail
from logdump.tables.stream_walk import Limit, Offset
from trailformat.transactions.applied import AppliedState

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

    from logdump.arrow.tables.layout import TableLayout
else:
    try:
        from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
    except ImportError:  # before Spark 4.2
        SupportsTriggerAvailableNow = object


StoredOffset = dict[str, Any]
"""An offset in a checkpoint: ``seqno`` and ``rba``; with ``effective`` also ``rises`` and ``damaged``."""

_MOST_XIDS = 1_000
"""Most TRANIDs with the highest CSN that an offset keeps; with more, a restart reads the existing files again."""


class TrailStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Follows one trail; its offsets are ``{"seqno": …, "rba": …}``, places at which no transaction is open."""

    def __init__(
        self, options: Options, selected: tuple[Selected, ...], foreseen: tuple[TableLayout, ...] = ()
    ) -> None:
        filters_of(options)
        self._options = options
        self._selected = selected
        self._foreseen = foreseen
        wanted = [chosen.column.name for chosen in selected if chosen.is_wanted]
        self._trail = StreamTrail(options, NeededBefore.of(options, wanted))
        self._end: Offset | None = None
        self._target: Offset | None = None

    def initialOffset(self) -> StoredOffset:  # noqa: N802 - Spark's name
        """Return the offset at which a new query begins."""
        return self._trail.first()._asdict()

    def latestOffset(self, start: StoredOffset | None = None, limit: Any = None) -> StoredOffset:  # noqa: N802
        """Return the end of the next micro-batch; before Spark 4.2 neither argument is given."""
        if start is None and self._end is None:
            self._end = self._trail.newest()
            return self._end._asdict()
        before = Offset.of(start) if start is not None else self._end
        state = _state_of(start) if start is not None else None
        assert before is not None  # noqa: S101 - it is one of the two
        end = self._trail.after(before, self._limit(limit), self._target, state)
        self._end = end
        if end == before and start is not None:
            return start
        return end._asdict() | (_stored(self._trail.state) if start is not None else {})

    def _limit(self, requested: Any) -> Limit:
        """Return the limits of the options, unless Spark requests everything."""
        if requested is None or type(requested).__name__ == "ReadAllAvailable":
            return Limit()
        options = self._options
        return Limit(options.max_bytes_per_trigger, options.max_files_per_trigger, options.max_transactions_per_trigger)

    def getDefaultReadLimit(self) -> Any:  # noqa: N802 - Spark's name
        """Return a limit of the options; if several are set, all are applied."""
        from pyspark.sql.streaming import datasource  # noqa: PLC0415 - Spark 4.2 on

        if (most := self._options.max_bytes_per_trigger) is not None:
            return datasource.ReadMaxBytes(most)
        if (files := self._options.max_files_per_trigger) is not None:
            return datasource.ReadMaxFiles(files)
        if (transactions := self._options.max_transactions_per_trigger) is not None:
            return datasource.ReadMaxRows(transactions)
        return datasource.ReadAllAvailable()

    def reportLatestOffset(self) -> StoredOffset | None:  # noqa: N802 - Spark's name
        """Return the current end of the trail, for the status of the query; only the last records are read.

        ``bytesBehind`` is the number of bytes from the end of the last micro-batch to there, ``secondsBehind`` that of
        seconds from the last commit read to the last record there.
        """
        if self._end is None:
            return None
        lag = self._trail.written_after(self._end)
        return {**lag.end._asdict(), "bytesBehind": lag.bytes, "secondsBehind": lag.seconds}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Limit the query to what is in the trail now."""
        self._target = self._trail.written()

    def partitions(self, start: StoredOffset, end: StoredOffset) -> list[InputPartition]:
        """Return the slices between two offsets, with small ones packed together."""
        slices = self._trail.slices(Offset.of(start), Offset.of(end), _state_of(start))
        return [InputPartition(lot) for lot in packed(slices, self._options.max_partition_bytes)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the record batches of a partition."""
        from logdump.tables.slices import Request  # noqa: PLC0415 - it loads pyarrow and numpy

        slices: tuple[Slice, ...] = partition.value or ()
        return read_in_worker(slices, Request(self._selected, self._options, foreseen=self._foreseen))


def _stored(state: AppliedState | None) -> StoredOffset:
    """Return the state of applied transactions in the form of a checkpoint; empty if it is too large."""
    if state is None or sum(len(xids) for _, xids in state.rises) > _MOST_XIDS:
        return {}
    return {"rises": [[csn, *xids] for csn, xids in state.rises], "damaged": state.is_damaged}


def _state_of(stored: StoredOffset) -> AppliedState | None:
    """Return the state of applied transactions of a checkpoint; None if it has none."""
    if "rises" not in stored:
        return None
    return AppliedState(tuple((csn, tuple(xids)) for csn, *xids in stored["rises"]), bool(stored["damaged"]))
