"""The records of cut transactions and copies: their tables, and whether a second copy holds what the first one held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from types import TracebackType
from typing import Self

from logdump.features.recovery.model import SecondCopy, TransactionRef
from trailformat.changes.canonical import canonical
from trailformat.transactions.records import TransactionRecord, TransactionRecords
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


def records_of(records: TransactionRecords, whole: WholeTrail, ref: TransactionRef) -> Iterator[TransactionRecord]:
    """The records of a transaction, in their order; none where its beginning is not there."""
    if ref.begin is None:
        return iter(())
    return records.of(TrailPosition(whole.ordinals[ref.begin.path], ref.begin.rba), ref.records)


class FoundRecords:
    """Reader of the records of findings in trail order. A context manager.

    First and second copies have a reader each, so that the definitions of a file are read once for all findings.
    """

    def __init__(self, whole: WholeTrail) -> None:
        self._whole = whole
        self._records, self._others = TransactionRecords(whole), TransactionRecords(whole)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._records.close()
        self._others.close()

    def tables(self, ref: TransactionRef) -> dict[str, int]:
        """The number of records of a transaction by table."""
        return dict(Counter(one.trail.name_of(one.record) for one in records_of(self._records, self._whole, ref)))

    def compared(self, cut: TransactionRef, again: TransactionRef) -> SecondCopy:
        """The second copy, compared with the records of the first."""
        ours, theirs = (
            records_of(records, self._whole, ref) for records, ref in ((self._records, cut), (self._others, again))
        )
        for first, second in zip_longest(ours, theirs):
            if first is None:
                return SecondCopy(again, "prefix")
            if second is None or not _is_equal(first, second):
                return SecondCopy(again, "differs", (first.spot, second.spot if second else None))
        return SecondCopy(again, "equal")


def _is_equal(one: TransactionRecord, other: TransactionRecord) -> bool:
    return one.is_same(other) or canonical(one.trail, one.record) == canonical(other.trail, other.record)
