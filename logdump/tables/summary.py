"""Option ``summary``: tasks add up the slices they read, so that Spark gets a few rows instead of all records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.columns.header import FILE_HEADER_OP, reason, timestamps
from logdump.arrow.records.rows import Array
from logdump.session.selection import Selection
from logdump.tables.slice import Undecided, filters_of, selection_of, where_filter
from logdump.tables.slices import OpenSlice, wanted_rows
from trailformat import io_type_name
from trailformat.scan import FILE_HEADER, RECORD, Batch, CountBounds, RowCount
from trailformat.totals.counting import (
    LargeTransaction,
    OpenTransaction,
    Totals,
    TransactionHistory,
    add_counted,
    add_later,
    breakdown_of,
    joined,
)
from trailformat.totals.row_groups import first_rows, group_keys
from trailformat.transactions.not_applied import rows_not_applied

Row = dict[str, Any]
"""A row of the summary by column name; missing columns are null."""
_NO_RECORDS: Row = {"records": 0, "bytes": 0, "length": 0, "transactions": 0}
_CSN = frozenset({"first_csn", "last_csn"})


def summary_of(source: OpenSlice, wanted: frozenset[str]) -> list[Row]:
    """Return the rows of one slice, at least one; the first has the column ``piece``, if that is wanted."""
    tallies, transactions = _Tallies(source, has_csn=bool(_CSN & wanted)), _Transactions(source)
    suppressed, has_piece = _Suppressed(source), "piece" in wanted
    for batch, numbers in wanted_rows(source):
        tallies.add(batch, numbers)
        if has_piece:
            suppressed.add(batch, numbers)
            transactions.add(batch, numbers[np.asarray(batch.kind)[numbers] == RECORD])
    undecided = [_undecided(stretch) for stretch in source.undecided if source.options.shows_damage]
    rows = [*tallies.rows, *tallies.damage, *undecided] or [{**_NO_RECORDS}]
    part = source.part
    for row in rows:
        row |= {"file": part.path, "seqno": part.seqno, "start_rba": part.start}
    rows[0]["piece"] = {**transactions.piece(), "suppressed": suppressed.records} if has_piece else None
    return rows


def _undecided(stretch: Undecided) -> Row:
    """Return the row of a stretch, which has no length as damage has one."""
    place = {"first_rba": stretch.first, "last_rba": stretch.last}
    return {**_NO_RECORDS, **place, "_corrupt_record": stretch.reason}


def arrow_rows(rows: list[Row], selected: Any, schema: Any) -> Any:
    """Return the rows as a record batch."""
    arrays = []
    for chosen, field in zip(selected, schema, strict=True):
        values = [row.get(chosen.column.name) if chosen.is_wanted else None for row in rows]
        if chosen.column.name in ("first_time", "last_time"):
            known = np.array([value is not None for value in values])
            arrays.append(timestamps(np.array([value or 0 for value in values], np.int64), known))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


class _Tallies:
    """The rows of the summary: one for each group of records, and for each damage."""

    def __init__(self, source: OpenSlice, *, has_csn: bool) -> None:
        self._source = source
        self._has_csn = has_csn
        self._groups: dict[tuple[Any, ...], Row] = {}
        self.damage: list[Row] = []

    @property
    def rows(self) -> list[Row]:
        """Groups in order of first occurrence."""
        return list(self._groups.values())

    def add(self, batch: Batch, numbers: Array) -> None:
        kinds = np.asarray(batch.kind)[numbers]
        for row in numbers[kinds > FILE_HEADER].tolist():
            self._add_damage(batch, row)
        for row in numbers[kinds == FILE_HEADER].tolist():
            self._merge((None,), self._file_header(batch, row))
        rows = numbers[kinds == RECORD]
        if len(rows):
            for key, group in self._groups_of(batch, rows):
                self._merge(key, group)

    def _merge(self, key: tuple[Any, ...], group: Row) -> None:
        known = self._groups.get(key)
        if known is None:
            self._groups[key] = group
            return
        for name in ("records", "bytes", "length", "transactions"):
            known[name] += group[name]
        known["last_rba"], known["last_csn"] = group["last_rba"], group["last_csn"]
        if group["first_time"] is not None:
            known["first_time"] = min(known["first_time"], group["first_time"])
            known["last_time"] = max(known["last_time"], group["last_time"])

    def _groups_of(self, batch: Batch, rows: Array) -> Iterator[tuple[tuple[Any, ...], Row]]:
        columns = {name: np.asarray(getattr(batch, name))[rows] for name in _GROUPED}
        keys, width = group_keys([columns[name] for name in _KEYS], len(rows))
        records = np.bincount(keys, minlength=width)
        firsts, lasts = first_rows(keys, width), len(rows) - 1 - first_rows(keys[::-1], width)
        sums = {name: np.bincount(keys, columns[name], width) for name in ("record_length", "length")}
        sums["ends"] = np.bincount(keys, batch.ends()[rows], width)
        earliest, latest = _extremes(keys, width, columns["io_time"])
        for key in np.flatnonzero(records).tolist():
            first, last = rows[firsts[key]], rows[lasts[key]]
            name, kind = batch.names[batch.table[first]], int(batch.io_type[first])
            partition, image = int(batch.partition[first]), int(batch.before_after[first])
            yield (
                (name, partition, kind, image),
                {
                    "table": name or None,
                    "partition": partition,
                    "op": io_type_name(kind),
                    "op_code": kind,
                    "before_after": chr(image),
                    "records": int(records[key]),
                    "bytes": int(sums["record_length"][key]),
                    "length": int(sums["length"][key]),
                    "first_rba": int(batch.rba[first]),
                    "last_rba": int(batch.rba[last]),
                    "first_time": int(earliest[key]),
                    "last_time": int(latest[key]),
                    "first_csn": self._csn(batch, first),
                    "last_csn": self._csn(batch, last),
                    "transactions": int(sums["ends"][key]),
                },
            )

    def _csn(self, batch: Batch, row: int) -> str | None:
        if not self._has_csn:
            return None
        return self._source.owners(batch).of_row(row).csn

    def _file_header(self, batch: Batch, row: int) -> Row:
        size, rba = int(batch.record_length[row]), int(batch.rba[row])
        place = {"length": int(batch.length[row]), "first_rba": rba, "last_rba": rba}
        unknown = dict.fromkeys(("first_time", "last_time", "first_csn", "last_csn"))
        return {"op": FILE_HEADER_OP, "records": 1, "bytes": size, "transactions": 0, **place, **unknown}

    def _add_damage(self, batch: Batch, row: int) -> None:
        rba, length = int(batch.rba[row]), int(batch.length[row])
        why = reason(self._source.trail, rba, int(batch.kind[row]))
        place = {"first_rba": rba, "last_rba": rba, "length": length}
        self.damage.append({**_NO_RECORDS, **place, "_corrupt_record": why})


class _Suppressed:
    """Counts the records of a slice that ``where`` and ``effective`` drop, but not those dropped by bounds alone."""

    def __init__(self, source: OpenSlice) -> None:
        options = source.options
        self.records = 0
        alone = [where_filter(options.where)] if options.where is not None else []
        self._is_filtered = bool(alone) or options.effective
        has_bounds = self._is_filtered and len(filters_of(options)) > len(alone)
        self._alone = (
            selection_of(source.trail, options, source.definitions, alone, source.owners) if has_bounds else None
        )
        self._not_applied = source.not_applied if options.effective else None

    def add(self, batch: Batch, numbers: Array) -> None:
        if self._is_filtered:
            kinds = np.asarray(batch.kind)
            passing = self._passing(self._alone, batch) if self._alone else (kinds[numbers] <= FILE_HEADER).sum()
            self.records += int((kinds <= FILE_HEADER).sum() - passing)

    def _passing(self, alone: Selection, batch: Batch) -> int:
        passing = alone.rows(batch)
        if self._not_applied is not None:
            passing = passing & ~rows_not_applied(self._not_applied, batch)
        return int(passing.sum())


_KEYS = ("table", "partition", "io_type", "before_after")
_GROUPED = (*_KEYS, "record_length", "length", "io_time")


def _extremes(keys: Array, width: int, values: Array) -> tuple[Array, Array]:
    """Return the least and the greatest value of each key."""
    least = np.full(width, np.iinfo(np.int64).max)
    greatest = np.full(width, np.iinfo(np.int64).min)
    np.minimum.at(least, keys, values)
    np.maximum.at(greatest, keys, values)
    return least, greatest


class _Transactions:
    """The transactions of a slice; the first is kept apart, since it may have begun before."""

    def __init__(self, source: OpenSlice) -> None:
        options, self._seqno = source.options, source.part.seqno or 0
        self._count = Totals(TransactionHistory(options.trans_hist, options.trans_rec_limit, options.trans_byte_limit))
        self._sums = RowCount(CountBounds(), breakdown_of(self._count))
        self._first: OpenTransaction | None = None
        self._ended = False

    def add(self, batch: Batch, rows: Array) -> None:
        mask = np.zeros(len(batch), np.bool_)
        mask[rows] = True
        for counted in self._sums.of(batch, mask):
            if self._ended:
                add_counted(self._count, CountBounds(), self._seqno, counted)
                continue
            self._first = joined(self._first, self._seqno, counted.first, counted.names)
            self._ended = counted.first_ended
            if self._ended:
                add_later(self._count, self._seqno, counted)

    def piece(self) -> Row:
        count = self._count
        return {
            "first": _part(self._first),
            "ended": self._ended,
            "transactions": count.transactions,
            "table_visits": count.table_visits,
            "open": _part(count.open_transaction),
            "largest": [_large(transaction) for transaction in count.history.largest],
        }


def _part(transaction: OpenTransaction | None) -> Row | None:
    if transaction is None:
        return None
    place = {"time": transaction.time, "seqno": transaction.seqno, "rba": transaction.rba}
    return {
        "records": transaction.records,
        "bytes": transaction.data_bytes,
        "tables": sorted(transaction.tables),
        **place,
    }


def _large(transaction: LargeTransaction) -> Row:
    place = {"time": transaction.time, "seqno": transaction.seqno, "rba": transaction.rba}
    return {"records": transaction.records, "bytes": transaction.data_bytes, "tables": transaction.tables, **place}
