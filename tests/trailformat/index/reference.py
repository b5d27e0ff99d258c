"""What an index must know: sums of the serial walk, and indexes made in any way, as something to compare."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.trailformat.scan.reference import Rows, walk
from trailformat import TrailFile
from trailformat.index import IndexRow, RecordIndex, TrailIndex, TransactionSpan, build
from trailformat.index.trail_index import Sums
from trailformat.records.record_header import BEGINS, ENDS, METADATA, NOT_TRANSACTIONAL, RECORD_FRAGMENT, RESTARTS
from trailformat.scan import BAD_SPAN, PARTIAL, RECORD, scan


def walked(path: Path) -> list[IndexRow]:
    """The rows of the serial walk, a half-written end aside."""
    rows = [row for row in walk(path) if row["kind"] != PARTIAL]
    return [IndexRow(number, row["rba"], row["length"], row["kind"]) for number, row in enumerate(rows)]


def built(path: Path) -> TrailIndex:
    """The index of a whole file."""
    index = TrailIndex()
    with TrailFile(path) as trail:
        for _ in build(trail, index):
            pass
    return index


def fed(path: Path, batch_size: int) -> TrailIndex:
    """The same from the batches of a scan."""
    index = TrailIndex()
    with TrailFile(path) as trail:
        for batch in scan(trail, batch_size=batch_size):
            index.extend(batch)
    return index


def known(index: TrailIndex) -> dict[str, Any]:
    """All that an index knows."""
    spans = index.sums.transactions
    return {
        "covered": index.covered,
        "records": index.places.records,
        "partial": index.partial,
        "places": _held(index.places) | {"checkpoints": vars(index.places.checkpoints)},
        "sums": _held(index.sums) | {"transactions": (spans.open, spans.ended, spans.largest)},
    }


def _held(part: RecordIndex | Sums) -> dict[str, Any]:
    """The attributes of a part of an index, without its lock and what only tells how it was fed."""
    return {name: value for name, value in vars(part).items() if name not in {"_lock", "_tail", "_fitted_size"}}


def summed(path: Path) -> dict[str, Any]:
    """Sums over the rows of the serial walk."""
    tables: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    transactions: list[_Transaction] = []
    restarts: list[int] = []
    times: Rows = []
    metadata: Rows = []
    bad = []
    for row in walk(path):
        if row["kind"] == BAD_SPAN:
            bad.append((row["rba"], row["length"]))
        if row["kind"] == RECORD:
            tables[row["name"]][0] += 1
            tables[row["name"]][1] += row["record_length"]
            (metadata if row["io_type"] == METADATA else times).append(row)
            if row["io_type"] in RESTARTS:
                restarts.append(row["rba"])
        _add(transactions, row)
    spans = [_span(transaction) for transaction in transactions]
    whole = [span for span in spans if span.end is not None]
    closed = whole + [span for span in spans if span.cut_at is not None]
    return {
        "tables": {name: tuple(totals) for name, totals in tables.items()},
        "times": (min(time["io_time"] for time in times), max(time["io_time"] for time in times)) if times else None,
        "metadata": [entry["rba"] for entry in metadata],
        "bad": bad,
        "restarts": restarts,
        "open": next((span for span in spans if span not in closed), None),
        "largest": sorted(closed, key=lambda transaction: (-transaction.data_bytes, transaction.begin)),
        "ended": len(whole),
    }


class _Transaction:
    """Rows of one transaction; closed where nothing may follow, damaged where damage is behind its last record."""

    def __init__(self) -> None:
        self.rows: Rows = []
        self.end: int | None = None
        self.cut_at: int | None = None
        self.is_closed = False

    def close(self, rba: int) -> None:
        """End it here; it is cut where its last record has not come."""
        self.is_closed, self.cut_at = True, rba if self.end is None else None


def _add(transactions: list[_Transaction], row: dict[str, Any]) -> None:
    """Take in the next row of a file."""
    last = transactions[-1] if transactions and not transactions[-1].is_closed else None
    if row["kind"] == BAD_SPAN:
        if last is not None and last.end is not None:
            last.close(row["rba"])
    elif row["kind"] != RECORD:
        return
    elif row["io_type"] == RECORD_FRAGMENT and last is not None:
        last.rows.append(row)
    elif row["io_type"] in RESTARTS and last is not None:
        last.close(row["rba"])
    elif row["io_type"] not in {*NOT_TRANSACTIONAL, RECORD_FRAGMENT}:
        if last is None or last.end is not None or row["trans_ind"] in BEGINS:
            if last is not None:
                last.close(row["rba"])
            last = _Transaction()
            transactions.append(last)
        last.rows.append(row)
        last.end = row["rba"] if row["trans_ind"] in ENDS else None


def _span(transaction: _Transaction) -> TransactionSpan:
    rows = transaction.rows
    return TransactionSpan(
        rows[0]["rba"],
        transaction.end,
        len(rows),
        sum(row["record_length"] for row in rows),
        frozenset(row["name"] for row in rows),
        rows[0]["io_time"],
        rows[-1]["io_time"],
        transaction.cut_at,
    )
