"""Values of a change that do not decode: of its key, of others, of the image that the change is not made of."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from logdump.targets.applier import Undecodable, decoded
from logdump.targets.target import SourceTable
from tests.searching import Random, examples

TABLE = SourceTable(
    "S.T", None, {"ID": pa.int64(), "PART": pa.int64(), "A": pa.string(), "B": pa.string()}, ("ID", "PART")
)
PROBLEM = pa.struct([(name, pa.string()) for name in ("column", "image", "reason")])
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("_op", "_file", "_rba")),
        ("_absent", pa.list_(pa.string())),
        ("_problems", pa.list_(PROBLEM)),
    ]
)


def _problem(random: Random) -> dict[str, Any]:
    column = random.choice((*TABLE.columns, *TABLE.columns, "id", "b", "OTHER", None))
    return {"column": column, "image": random.choice(("before", "after")), "reason": "odd"}


def _fate(row: dict[str, Any], *, keeps: bool) -> list[str] | None:
    """The columns that are absent of a change, or None if it stops; by the rules of docs/pipeline.md."""
    image = "before" if row["_op"] == "delete" else "after"
    problems = row["_problems"] or []
    is_whole_lost = any(problem["column"] is None for problem in problems)
    own = {problem["column"].upper() for problem in problems if problem["column"] and problem["image"] == image} & {
        *TABLE.columns
    }
    before = list(row["_absent"] or [])
    if not own and not is_whole_lost:
        return before
    if is_whole_lost or own & {*TABLE.keys}:
        return None
    if row["_op"] == "delete":
        return before
    return [*before, *own] if keeps else None


@pytest.mark.parametrize("keeps", [True, False])
def test_a_change_stops_or_lacks_what_does_not_decode(*, keeps: bool) -> None:
    random = Random(keeps)
    fates = set[bool]()
    for number in range(examples(600)):
        row = {
            "_op": random.choice(("insert", "update", "delete", "upsert")),
            "_file": "tt000000000",
            "_rba": f"{number}",
            "_absent": random.choice((None, ["A"], ["B"], ["A", "B"])),
            "_problems": random.choice((None, *[[_problem(random) for _ in range(random.randint(1, 3))]] * 3)),
        }
        sound = {**row, "_op": "insert", "_absent": ["B"], "_problems": None}
        rows = [sound, row, sound]
        fate = _fate(row, keeps=keeps)
        fates.add(fate is None)
        table = pa.Table.from_pylist(rows, SCHEMA)
        if fate is None:
            with pytest.raises(Undecodable):
                decoded(TABLE, table, keeps=keeps, reports=[])
            continue
        first, absent, last = decoded(TABLE, table, keeps=keeps, reports=[])["_absent"].to_pylist()
        assert (first, last) == (["B"], ["B"])
        assert {*(absent or ())} == {*fate}, row
    assert fates == {True, False}
