"""TRANSACTIONS: one pass over the trail that keeps the largest transactions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from heapq import heappush, heapreplace
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.transactions.model import TransactionListed, TransactionsListed
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword
from logdump.language.parameters import File, Number, OneOf
from logdump.session.chosen_trail import name_over, refuse_filter, trail_title, whole_trail_of
from logdump.session.events import Event
from logdump.session.files import FileNames
from logdump.session.reading import Reading, answered, reading_of
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand
from trailformat.transactions.extent import DamagedPlaces, Extent
from trailformat.transactions.header_promises import mismatches_in

with on_demand:
    import numpy as np

    from logdump.session import defined_names
    from trailformat.transactions import extent_columns, extents

if TYPE_CHECKING:
    from trailformat.scan.batch import BatchColumn
    from trailformat.scan.rows.row_bytes import Array
    from trailformat.transactions.not_applied import NotApplied
    from trailformat.transactions.whole_trail import FileBatch

_MOST = 20


class TransactionsOptions(NamedTuple):
    """The files (None: the open trail), the number listed, and whether only records that pass the filter count."""

    over: FileNames | None = None
    most: int = _MOST
    filtered: bool = False


class TransactionsRun:
    """One run of TRANSACTIONS over a whole trail; ``not_applied`` reuses the result of another walk."""

    def __init__(self, session: Session, options: TransactionsOptions, not_applied: NotApplied | None = None) -> None:
        self._session, self._options = session, options
        self._whole = whole_trail_of(session, options.over, "TRANSACTIONS")
        self._not_applied = not_applied
        self._largest: list[tuple[int, int, TransactionListed]] = []
        self._damage = DamagedPlaces(self._whole)
        self._transactions = self._effective = 0

    def events(self) -> Iterator[Event]:
        """Yield the largest transactions, largest first, then the summary."""
        return answered(self._read(), self._reading, self._results)

    def _read(self) -> Iterator[Event]:
        from trailformat.transactions.not_applied import NotApplied  # noqa: PLC0415 - as above

        not_applied, has_file = self._not_applied or NotApplied(self._whole), len(self._whole) > 1
        chosen = self._passes if self._options.filtered else lambda _: None
        for item in extents.large_transactions_of(self._whole, self._least, chosen):
            if isinstance(item, extent_columns.PlainTransactions):
                self._transactions += len(item.begins)
                self._effective += not_applied.applied_among(item.path, item.begins)
                continue
            self._damage.take(item)
            if isinstance(item, Extent) and item.tables:
                is_effective = not_applied.applies(item)
                copy_of = not_applied.first_copy(item.begin) if item.begin is not None and not is_effective else None
                is_after_damage = (
                    not is_effective and item.first is not None and not_applied.is_after_damage(item.first)
                )
                self._take(TransactionListed(item, is_effective, copy_of, is_after_damage, has_file))
        yield from ()

    def _least(self, sizes: Array) -> int:
        """Return the bytes of data up to which a transaction is not listed, given those of some in a batch."""
        most = self._options.most
        least = self._largest[0][0] if len(self._largest) == most else -1
        return max(least, int(np.partition(sizes, -most)[-most]) - 1) if len(sizes) > most else least

    def _take(self, listed: TransactionListed) -> None:
        self._transactions += 1
        self._effective += listed.is_effective
        # of transactions of equal size the earlier one is kept
        item = (listed.extent.data_size, -self._transactions, listed)
        if len(self._largest) < self._options.most:
            heappush(self._largest, item)
        elif item > self._largest[0]:
            heapreplace(self._largest, item)

    def _passes(self, file_batch: FileBatch) -> BatchColumn | None:
        """Return the rows of a batch that pass the filter; None if it is not active."""
        selection = self._session.selection(file_batch.trail)
        return selection.rows(file_batch.batch) if selection.is_active else None

    def _reading(self) -> Reading:
        return reading_of(self._whole, self._damage.number, mismatches_in(self._whole))

    def _results(self, reading: Reading) -> Iterator[Event]:
        for _, _, listed in sorted(self._largest, reverse=True):
            yield listed
        if not self._transactions:
            yield from defined_names.undefined_names(self._session, self._whole.paths)
        yield TransactionsListed(
            trail_title(name_over(self._session, self._options.over), len(self._whole)),
            self._transactions,
            self._effective,
            len(self._largest),
            self._options.filtered,
            reading.is_partial,
        )


def run_transactions(session: Session, options: TransactionsOptions) -> Iterator[Event]:
    """List the largest transactions of the whole trail; the read position does not change."""
    refuse_filter(session, "TRANSACTIONS", filtered=options.filtered)
    yield from TransactionsRun(session, options).events()


COMMANDS = (
    Command(
        "TRANSACTIONS",
        AnyOrder(
            TransactionsOptions,
            {
                "over": Keyword("OVER", File("<wildcard>")),
                "most": Alternatives(Number("<count>", least=1), OneOf({"ALL": sys.maxsize})),
                "filtered": OneOf({"FILTERED": True}),
            },
            wrong="{!r} is not a number of transactions and none of ALL, OVER, FILTERED.",
        ),
        "List the largest transactions: RBA, time, CSN, XID, records, bytes, tables, whether Replicat applies them",
        run_transactions,
        details=(
            "All files of the open trail, or those of <wildcard>. 20 transactions unless <count> or ALL is given, the",
            "largest first, by the data bytes of their records. A transaction cut by a restart and its copy are listed",
            "separately, as in SAFE and RECOVERY; the largest ones of COUNT (TRANSHIST) are those of Logdump.",
            "FILTERED: the records that pass the filter are counted, and transactions with none are left out.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
