"""The totals of one batch that the sums of an index add up; its rows or its numpy columns give them."""

from __future__ import annotations

from typing import NamedTuple

from trailformat.records.io_types import METADATA
from trailformat.scan.batch import FILE_HEADER, Batch
from trailformat.totals.transaction_spans import MOST_NAMES, TransactionSpan


class BatchTotals(NamedTuple):
    """The totals of one batch.

    Attributes:
        tables: records and data bytes by key of the table's name.
        times: the least and the greatest IO Time; None without a row whose time counts.
        transactions: the first of the batch, the last, and between them those above ``least``; an ``end`` of None for
            the last where it goes on.
        ended: how many transactions end in the batch.
    """

    tables: dict[int, tuple[int, int]]
    times: tuple[int, int] | None
    transactions: list[TransactionSpan]
    ended: int


class Run(NamedTuple):
    """The rows of a batch that belong to one transaction: the first, the last, their number, their bytes."""

    first: int
    last: int
    records: int
    data_bytes: int


def without_time(batch: Batch) -> list[int]:
    """The rows whose time does not count: metadata, which carries a later one, and what has none."""
    kinds, types = (bytes(memoryview(one)) for one in (batch.kind, batch.io_type))  # type: ignore[arg-type]
    found = batch.spans()
    for wanted, column in ((FILE_HEADER, kinds), (METADATA, types)):
        at = -1
        while (at := column.find(wanted, at + 1)) >= 0:
            found.append(at)
    return found


def span_of(batch: Batch, run: Run, keys: list[int], *, has_ended: bool) -> TransactionSpan:
    """The transaction of a run; ``keys`` are the distinct keys of its tables."""
    return TransactionSpan(
        begin=int(batch.rba[run.first]),
        end=int(batch.rba[run.last]) if has_ended else None,
        records=run.records,
        data_bytes=run.data_bytes,
        tables=frozenset(batch.names[key] for key in keys[:MOST_NAMES]),
        first_time=int(batch.io_time[run.first]),
        last_time=int(batch.io_time[run.last]),
    )
