"""The events of COUNT."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trailformat.totals.counting import LargeTransaction, Totals, TypeTotals


class CountShown(NamedTuple):
    """The result of COUNT under its title, such as ``LogTrail dirdat/lt000008``; with ``detail`` every table."""

    title: str
    counted: Totals
    detail: bool


class TransactionsShown(NamedTuple):
    """The largest transactions that COUNT met, by bytes; the limits are those they had to reach."""

    transactions: tuple[LargeTransaction, ...]
    record_limit: int
    byte_limit: int


class IntervalShown(NamedTuple):
    """COUNT of one interval: its bounds (Julian) and what fell into it."""

    start: int
    end: int
    tally: TypeTotals


class EmptyIntervals(NamedTuple):
    """COUNT INTERVAL: a number of intervals in a row without records, from the start of the first (Julian)."""

    start: int
    end: int
    number: int
