"""What EXPLAIN names as the first, the last and the largest of several transactions in the time of a lag."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from logdump.features.explain.lag_facts import LagWindow, TransactionsAround
from tests.logdump.extents import WHOLE
from tests.searching import Random, examples
from trailformat.records.record_header import DDL_OP, INSERT
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Extent, Moment
from trailformat.transactions.whole_trail import WholeTrail


@pytest.mark.parametrize("case", range(examples(8)))
def test_of_several_statements_the_first_in_the_window_is_named(case: int, trails: Path) -> None:
    """The window begins behind some of them and ends before others."""
    path, random = trails / "et000000000", Random(case)
    extents = [_extent(path, at, random) for at in range(12)]
    around = TransactionsAround(WholeTrail([path]), LagWindow(3_000, 9_000))
    for extent in extents:
        around.take(extent)
    inside = [extent for extent in extents if 3_000 <= extent.last_moment.time <= 9_000]
    statements = [extent for extent in inside if DDL_OP in extent.tables[""]]
    assert len(statements) >= 3
    facts = around.facts()
    assert facts.first_ddl == statements[0].begin
    assert facts.ddl == sum(extent.tables[""][DDL_OP] for extent in statements)
    assert facts.transactions == len(inside)
    most = max(extent.records for extent in inside)
    assert facts.largest == next(extent for extent in inside if extent.records == most)


def _extent(path: Path, at: int, random: Random) -> Extent:
    begin, time = FilePosition(path, 1000 + 100 * at), at * 1_000
    types = Counter({INSERT: 1}) if at % 3 == 1 else Counter({DDL_OP: random.randint(1, 2)})
    return WHOLE._replace(
        begin=begin,
        first=begin,
        records=random.randint(1, 3),
        first_moment=Moment(time),
        last_moment=Moment(time),
        tables={"": types},
    )
