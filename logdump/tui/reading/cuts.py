"""The transaction that a restart of Extract has cut: the one that is open where its record stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from trailformat import Record, TrailError, TrailFile
from trailformat.changes.transaction_context import TransactionContext
from trailformat.changes.transactions import ENDS, Transaction, is_transactional
from trailformat.records.io_types import RESTARTS
from trailformat.trail.sequence import previous_file
from trailformat.transactions.around import is_fragment

_NEAR = 1 << 8
"""Records outside of transactions that are walked over."""
_SEARCHED = 1 << 12


def cut_at(trail: TrailFile, rba: int) -> Transaction | None:
    """The transaction that the restart at ``rba`` cuts, which may stand in the file before; None where none is open."""
    try:
        for file, record in islice(_records_before(trail, rba), _NEAR):
            if record.is_file_header:
                continue
            if record.header.io_type in RESTARTS:
                return None
            if is_transactional(record) and not is_fragment(record):
                is_open = record.header.trans_ind not in ENDS
                return TransactionContext(file, _SEARCHED).of(record) if is_open else None
    except TrailError:
        return None
    return None


def _records_before(trail: TrailFile, rba: int) -> Iterator[tuple[TrailFile, Record]]:
    """The records before a place, last first, on into the file before."""
    for record in trail.records_backwards(rba):
        yield trail, record
    earlier, _ = previous_file(trail.path)
    if earlier is not None:
        with TrailFile(earlier) as file:
            for record in file.records_backwards():
                yield file, record
