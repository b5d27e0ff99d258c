"""Bulk reading: the records of a trail as columns.

from trailformat import TrailFile
from trailformat.scan import scan

with TrailFile("dirdat/lt000000000") as trail:
for batch in scan(trail):
print(len(batch), batch.names[batch.table[0]], sum(batch.record_length))
"""

from __future__ import annotations

from trailformat.scan.batch import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, Batch, Column
from trailformat.scan.byte_search import occurrences
from trailformat.scan.counting import Counted, Group, Part, Taken
from trailformat.scan.engines import NUMBA_PAYS, Engine, choose_engine, is_available
from trailformat.scan.names import Names
from trailformat.scan.pieces import Piece, consistent_pieces, guess_pieces, scan_piece
from trailformat.scan.place import Place
from trailformat.scan.scanning import Scan, scan
from trailformat.scan.side_by_side import SideBySide, Workers, parallel_batches, parallel_counts, parallel_scan
from trailformat.scan.split import next_boundary, split_points
from trailformat.scan.texts import Texts
from trailformat.scan.token_rows import rows_with_token
from trailformat.scan.transactions import Owners, TransactionCarrier, told_by

__all__ = [
    "BAD_SPAN",
    "FILE_HEADER",
    "NUMBA_PAYS",
    "PARTIAL",
    "RECORD",
    "Batch",
    "Column",
    "Counted",
    "Engine",
    "Group",
    "Names",
    "Owners",
    "Part",
    "Piece",
    "Place",
    "Scan",
    "SideBySide",
    "Taken",
    "Texts",
    "TransactionCarrier",
    "Workers",
    "choose_engine",
    "consistent_pieces",
    "guess_pieces",
    "is_available",
    "next_boundary",
    "occurrences",
    "parallel_batches",
    "parallel_counts",
    "parallel_scan",
    "rows_with_token",
    "scan",
    "scan_piece",
    "split_points",
    "told_by",
]
