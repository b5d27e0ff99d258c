"""The transactions of both trails as rows of Spark: found by a task for each stretch, and back from a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from logdump.features.diff.side import Side, SideTransaction
from logdump.spark.comparison.compared_trail import Compared, ComparedTrail, as_changed
from logdump.spark.comparison.stretches import StretchWalk
from trailformat.changes.csn import csn_key
from trailformat.transactions.batches import DAMAGE, TransactionSummary
from trailformat.transactions.extent import Ended
from trailformat.transactions.whole_trail import TrailPosition


class TransactionRow(NamedTuple):
    """A transaction, or damage.

    Attributes:
        at: where it stands in its trail.
        stretch: the number of the stretch in which it begins.
        size: its bytes.
        key: what it has in common with its other half; None of damage.
        csn, xid, has_begin, ended, records: as of TransactionSummary.
        after: where it ends.
        is_named: whether it is whole and has a name by which copies are told.
    """

    at: int
    stretch: int
    size: int
    key: str | None = None
    csn: str | None = None
    xid: str | None = None
    has_begin: bool = False
    ended: str | None = None
    records: int = 0
    after: int | None = None
    is_named: bool = False


def transaction_rows(
    trail: ComparedTrail, compared: Compared, numbers: Iterable[tuple[int]]
) -> Iterator[TransactionRow]:
    """The transactions and the damage in the stretches with these numbers: what a task does.

    Raises:
        FileChanged: a file has gone, or become shorter.
        SplitMismatch: a stretch does not end where the next begins.
    """
    with trail.side(compared) as side, as_changed(trail):
        for (number,) in numbers:
            yield from _rows(trail, side, compared, number)


def _rows(trail: ComparedTrail, side: Side, compared: Compared, number: int) -> Iterator[TransactionRow]:
    walk = StretchWalk(side.whole, trail.stretches[number])
    for batch, rows, marks in walk.batches():
        for row in range(rows):
            one = batch.transaction(row)
            # copies are told when the transactions of all stretches are joined
            if compared.bounds.takes(one, is_applied=one.is_whole):
                yield _row(trail, number, one, repr(side.key(one)))
        for mark in marks:
            if mark.io_type == DAMAGE:
                yield TransactionRow(trail.offset(mark.place), number, mark.after - mark.place.rba)
    for path in walk.unreadable():
        yield TransactionRow(trail.offset(TrailPosition(side.whole.ordinals[path], 0)), number, 0)


def _row(trail: ComparedTrail, number: int, one: TransactionSummary, key: str) -> TransactionRow:
    is_named = one.is_whole and one.xid is not None and one.csn is not None and csn_key(one.csn) is not None
    after = None if one.after is None else trail.offset(one.after)
    known = key, one.csn, one.xid, one.has_begin, one.ended.value, one.records, after, is_named
    return TransactionRow(trail.offset(one.first), number, one.size, *known)


def transaction_of(trail: ComparedTrail, row: Mapping[str, Any]) -> SideTransaction:
    """The transaction of a row that has a column ``copy_of`` too."""
    first, copy_of = trail.place(row["at"]), row["copy_of"]
    after, ended = None if row["after"] is None else trail.place(row["after"]), Ended(row["ended"])
    one = TransactionSummary(row["csn"], row["xid"], first, row["has_begin"], after, row["records"], row["size"], ended)
    return SideTransaction(one, row["key"], None if copy_of is None else trail.place(copy_of))
