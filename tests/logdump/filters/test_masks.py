"""A filter on columns lets the same rows pass as the test on each record."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.filters import FilterSet, apply
from logdump.selection import Selection
from logdump.times import GMT
from trailformat import TrailFile
from trailformat.scan import Batch, Engine, scan

pytest.importorskip("numpy", reason="masks need numpy")

FILES = sorted(path for path in TRAILS.iterdir() if path.suffix != ".md")
FILTERS = [
    ["RECTYPE insert"],
    ["RECTYPE 3, fieldcomp, 170"],
    ["EXCLUDE RECTYPE insert"],
    ["FILENAME teahouse.t*"],
    ["FILENAME *sales", "IOTYPE insert", "MATCH ALL"],
    ["FILENAME *sales", "IOTYPE insert"],
    ["ANSINAME TEAHOUSE.TEAS"],
    ["INCLUDE RECLEN > 80", "EXCLUDE FILENAME *teas"],
    ["EXCLUDE RECLEN < 80", "EXCLUDE RECTYPE insert", "EXCLUDE MATCH ALL"],
    ["RBA >= 3000"],
    ["AUDITRBA <> 211"],
    ["TRANSIND last", "TRANSIND only"],
    ["STARTTIME 2024-03-14 09:31:00", "ENDTIME 2024-03-14 09:33:00", "MATCH ALL"],
    ['STRING "SEN01"'],
    ['STRING BOTH "sen01"'],
    ['STRING "S"'],
    ['STRING "e"', "RECTYPE insert", "MATCH ALL"],
    ['EXCLUDE STRING "a"'],
    ['STRING "SEN01" 4:10'],
    ["HEX 0000 0:1"],
    ["HEX 53454e, 00ff"],
    ["CSN > 41882317"],
    ["CSN > 41882317", "RECTYPE insert", "MATCH ALL"],
    ["EXCLUDE CSN <= 41882317"],
    ["CSN <> 41882317", "USERTOKEN TKN-HOST"],
    ["CSN > 41882317", "UNDOFLAG = 0", "MATCH ALL"],
    ["CSN >= 00000000/1"],
    ["CSN > 7:2900"],
    ["GGSTOKEN LOGCSN"],
    ["GGSTOKEN LOGCSN > 41882317"],
    ["GGSTOKEN TRANID = 5.1.8801"],
    ["GGSTOKEN TRANID >= 5.1"],
    ["GGSTOKEN TRANID"],
    ["GGSTOKEN ORAROWID"],
    ["GGSTOKEN ORAROWID > AAATeaAAFAAAAHo002"],
    ["GGSTOKEN ORAROWID = AAATeaAAFAAAAHo002"],
    ["EXCLUDE GGSTOKEN ORAROWID"],
    ['GGSTOKEN ORATAG = ""'],
    ["GGSTOKEN DDL = TEAHOUSE"],
    ["GGSTOKEN DDL <> TEAHOUSE"],
    ["GGSTOKEN DDL > 1"],
    ["GGSTOKEN xff"],
    ["USERTOKEN TKN-HOST"],
    ["INT32 5"],
    ["INT16 5"],
    ["INT64 -1"],
    ["UNDOFLAG = 0"],
]


def _with_numpy(batch: Batch) -> Batch:
    import numpy as np

    columns: dict[str, Any] = {
        field.name: np.array(getattr(batch, field.name)) for field in fields(batch) if field.name != "names"
    }
    return Batch(**columns, names=batch.names)


@pytest.mark.parametrize("statements", FILTERS, ids="; ".join)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_same_records_pass(size: int, statements: list[str]) -> None:
    filters = FilterSet()
    for statement in statements:
        apply(filters, statement, GMT)
    for path in FILES:
        with TrailFile(path) as trail:
            one_by_one = Selection(trail, [filters])
            records = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
            expected = [record.rba for record in records if record and one_by_one.accepts(record)]
            by_columns = Selection(trail, [filters])
            found = []
            for batch in scan(trail, engine=Engine.PYTHON, batch_size=size):
                numbers: Any = _with_numpy(batch)
                found += numbers.rba[by_columns.rows(numbers)].tolist()
            assert found == expected, path.name
