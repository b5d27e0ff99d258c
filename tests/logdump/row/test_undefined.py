"""A change of a table that is not defined may be one of the row: ROW does not call its story whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.program import logdump
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random


@pytest.mark.parametrize("undo", ["", "undo "])
@pytest.mark.parametrize("case", range(6))
def test_a_change_without_a_table_makes_the_story_partial(case: int, undo: str, tmp_path: Path) -> None:
    random = Random(f"undefined {case} {undo}")
    trail = Trail({"S.A": {"ID": "INT64"}, "S.B": {"ID": "INT64"}})
    changes = [*random.choices(("S.A", "S.B"), k=random.randint(1, 5)), "S.A"]
    random.shuffle(changes)
    for number, table in enumerate(changes):
        trail.insert(table, number)
    trail.undefine("S.B")
    path = trail.write(tmp_path)
    answer = logdump(str(path), "-c", f"row {undo}S.A ID={changes.index('S.A')}")
    assert answer.status == (4 if "S.B" in changes else 0)
    assert answer.err.count("is not defined before it: it and those after it") == ("S.B" in changes)
    if not undo:
        assert ("not all was read, so there may be more" in answer.out) == ("S.B" in changes)
