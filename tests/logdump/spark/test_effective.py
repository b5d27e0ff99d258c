"""Option ``effective``: the rows that a Replicat applies, whatever the slices."""

from __future__ import annotations

import pytest

from fixtures import TRAILS
from tests.logdump.spark.reads import rows

TRAIL = str(TRAILS / "at00000000*")
LEFT_OUT = {("at000000000", 2722), ("at000000000", 2913), ("at000000000", 3939), ("at000000002", 2363)}


def _places(**options: str) -> set[tuple[str, int]]:
    return {(row["file"].rpartition("/")[2], row["rba"]) for row in rows(TRAIL, "file", "rba", **options)}


@pytest.mark.parametrize("size", ["0", "500", "128m"])
def test_rows_that_are_cut_or_open_are_left_out(size: str) -> None:
    every, effective = _places(), _places(effective="true", maxPartitionBytes=size)
    assert effective < every
    assert every - effective >= LEFT_OUT
    assert len(every - effective) == 5


def test_the_trail_is_looked_at_as_a_whole_where_one_file_is_read() -> None:
    alone = rows(TRAILS / "at000000001", "rba", effective="true")
    assert len(alone) == len(rows(TRAILS / "at000000001", "rba"))


def test_the_summary_counts_what_is_left() -> None:
    def records(**options: str) -> int:
        return sum(row["records"] for row in rows(TRAIL, "op", "records", summary="true", **options))

    assert records() - records(effective="true") == 5
