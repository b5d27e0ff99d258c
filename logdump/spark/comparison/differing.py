"""What a task does that is given transactions of both trails: their differences, by the comparison of DIFF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from logdump.arrow.records.objects import plain
from logdump.features.diff.comparison import TrailComparison
from logdump.features.diff.json import DIFFERENCE
from logdump.features.diff.model import DifferenceShown
from logdump.features.diff.side import Side, SideTransaction
from logdump.spark.comparison.compared_trail import Compared, ComparedTrail, as_changed
from logdump.spark.comparison.transactions import transaction_of

Trails = tuple[ComparedTrail, ComparedTrail]


def difference_rows(trails: Trails, compared: Compared, rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """The differences of the transactions in the rows with ``a``, ``b``, ``later``.

    Raises:
        FileChanged: a file has gone, or become shorter.
    """
    with ExitStack() as stack:
        stack.enter_context(as_changed(trails[0]))
        sides = [stack.enter_context(trail.side(compared)) for trail in trails]
        comparison = TrailComparison(sides[0], sides[1], compared.rows, is_any_order=compared.is_any_order)
        for row in rows:
            for found in _differences(trails, sides, comparison, row):
                yield tuple(map(plain, DIFFERENCE.build(found).values()))


def _differences(
    trails: Trails, sides: list[Side], comparison: TrailComparison, row: Mapping[str, Any]
) -> Iterator[DifferenceShown]:
    ones: list[SideTransaction | None] = []
    for trail, side in zip(trails, sides, strict=True):
        one = row[trail.letter]
        if one is not None and one["key"] is None:
            yield side.damaged(side.spot(trail.place(one["at"])), one["size"])
            return
        ones.append(None if one is None else transaction_of(trail, one))
    yield from comparison.of(ones[0], ones[1], later=row["later"] or 0)
