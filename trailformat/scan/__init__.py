"""Bulk reading: the records of a trail as columns.

from trailformat import TrailFile
from trailformat.scan import scan

with TrailFile("dirdat/lt000000000") as trail:
    for batch in scan(trail):
        print(len(batch), batch.names[batch.table[0]], sum(batch.record_length))
"""

from __future__ import annotations

from trailformat.scan.batch import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, Batch, BatchColumn, StringColumn
from trailformat.scan.counting import (
    HEADER_BYTES,
    Breakdown,
    CountBounds,
    KernelTotals,
    RecordGroup,
    RowCount,
    TransactionPart,
)
from trailformat.scan.names import Names
from trailformat.scan.parallel import (
    ParallelScan,
    Workers,
    parallel_batches,
    parallel_counts,
    parallel_scan,
    scan_in_threads,
)
from trailformat.scan.position import FileRange, ScanPosition
from trailformat.scan.scanning import Scan, occurrences, scan, scan_range

__all__ = [
    "BAD_SPAN",
    "FILE_HEADER",
    "HEADER_BYTES",
    "PARTIAL",
    "RECORD",
    "Batch",
    "BatchColumn",
    "Breakdown",
    "CountBounds",
    "FileRange",
    "KernelTotals",
    "Names",
    "ParallelScan",
    "RecordGroup",
    "RowCount",
    "Scan",
    "ScanPosition",
    "StringColumn",
    "TransactionPart",
    "Workers",
    "occurrences",
    "parallel_batches",
    "parallel_counts",
    "parallel_scan",
    "scan",
    "scan_in_threads",
    "scan_range",
]
