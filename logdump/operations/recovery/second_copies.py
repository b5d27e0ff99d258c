"""Whether the second copy of a cut transaction holds what the first one held."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from logdump.session.recovery_events import SecondCopy, TransactionRef
from trailformat.changes.canonical import canonical
from trailformat.search.transaction_records import TransactionRecord, TransactionRecords
from trailformat.search.whole_trail import TrailPlace, WholeTrail


def records_of(records: TransactionRecords, whole: WholeTrail, ref: TransactionRef) -> Iterator[TransactionRecord]:
    """The records of a transaction, in their order; none where its beginning is not there."""
    if ref.begin is None:
        return iter(())
    return records.of(TrailPlace(whole.ordinals[ref.begin.path], ref.begin.rba), ref.records)


def compared(whole: WholeTrail, cut: TransactionRef, again: TransactionRef) -> SecondCopy:
    """The second copy, compared with the records of the first."""
    with TransactionRecords(whole) as records, TransactionRecords(whole) as others:
        for first, second in zip_longest(records_of(records, whole, cut), records_of(others, whole, again)):
            if first is None:
                return SecondCopy(again, "prefix")
            if second is None or not _is_equal(first, second):
                return SecondCopy(again, "differs", (first.spot, second.spot if second else None))
    return SecondCopy(again, "equal")


def _is_equal(one: TransactionRecord, other: TransactionRecord) -> bool:
    return one.is_same(other) or canonical(one.trail, one.record) == canonical(other.trail, other.record)
