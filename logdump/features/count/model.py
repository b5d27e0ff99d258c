"""The events of COUNT: intervals, large transactions, and the whole count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

if TYPE_CHECKING:
    from trailformat.totals.counting import LargeTransaction, Totals, TypeTotals


class CountShown(NamedTuple):
    """The result of COUNT under its title, such as ``LogTrail dirdat/lt000008``; with ``detail`` every table."""

    title: Annotated[str, "The trail, as in the text: `LogTrail <path>`"]
    counted: Totals
    detail: bool


class TransactionsShown(NamedTuple):
    """The largest transactions of a COUNT by bytes, and the limits above which they are listed."""

    transactions: Annotated[tuple[LargeTransaction, ...], "The transactions"]
    record_limit: Annotated[int, "TRANSRECLIMIT"]
    byte_limit: Annotated[int, "TRANSBYTELIMIT"]


class IntervalShown(NamedTuple):
    """COUNT INTERVAL: one interval, its bounds (Julian) and its totals."""

    start: int
    end: int
    tally: TypeTotals


class EmptyIntervals(NamedTuple):
    """COUNT INTERVAL: consecutive intervals without records: their bounds (Julian) and their number."""

    start: int
    end: int
    number: Annotated[int, "How many", "intervals"]
