"""A transaction made by hand, and what it becomes when it lacks its end or its beginning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from trailformat.records.record_header import DELETE, INSERT, Transaction
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Ended, Extent, Moment

BEFORE, HERE, NEXT = (Path(f"dirdat/et{number:09}") for number in (6, 7, 8))
WHOLE = Extent(
    transaction=Transaction("4188", "5.2.88"),
    begin=FilePosition(HERE, 100),
    first=FilePosition(HERE, 100),
    last=FilePosition(HERE, 300),
    after=FilePosition(HERE, 400),
    ended=Ended.LAST,
    marker=None,
    has_end=True,
    records=3,
    size=300,
    before=0,
    first_moment=Moment(),
    last_moment=Moment(),
    latest=0,
    has_one_time=True,
    tables={"SHOP.TEAS": Counter({INSERT: 1}), "SHOP.SALES": Counter({INSERT: 1, DELETE: 1})},
    data_size=240,
    damage=(),
    missing=None,
)
OVERTAKEN = WHOLE._replace(ended=Ended.OVERTAKEN, has_end=False)
OPEN = WHOLE._replace(after=None, ended=Ended.FILE_END, has_end=False)
