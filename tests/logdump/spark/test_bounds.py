"""Which records lie between the bounds, and which files need not be opened.

Transactions that have moved, found by parts of a trail: those that DIFF takes for moved.
"""

from __future__ import annotations

import shutil
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.features.diff.comparison import longest_common
from logdump.spark.comparison.moved import TangledPair, bounds_of, moves, out_of_order
from logdump.tables.errors import BadOption
from tests.logdump.tables.reads import Row, planned, rows
from tests.searching import Random
from trailformat import TrailFile, to_datetime
from trailformat.records.file_header import replace_values
from trailformat.records.record import make_file_header_record


def tangled(order: list[int], cuts: list[int]) -> list[TangledPair]:
    """What is out of order: transaction 0 stands first in ``a``, and at ``order[0]`` in ``b``; ``a`` is cut."""
    ends = [0, *sorted(cuts), len(order)]
    stretches = [(number, range(*cut)) for number, cut in enumerate(pairwise(ends)) if cut[0] < cut[1]]
    bounds = bounds_of((number, *_ends([order[a] for a in part])) for number, part in stretches)
    pairs = [(number, a, order[a]) for number, part in stretches for a in part]
    return sorted(out_of_order(bounds, pairs))


def found(order: list[int], cuts: list[int]) -> dict[int, int]:
    """What has moved, and by how many others."""
    told = [*moves(tangled(order, cuts))]
    assert len({move.moved for move in told}) == len(told)
    return dict(told)


def _ends(places: list[int]) -> tuple[int, int]:
    return min(places), max(places)


def test_they_are_those_of_diff_wherever_the_trail_is_cut() -> None:
    """Among them such in which a stretch is behind one that lies far behind it, with another between."""
    random = Random(0)
    for _ in range(300):
        order = random.sample(range(size := random.randrange(13)), size)
        cuts = [random.randrange(size + 1) for _ in range(random.randrange(5))]
        in_b = sorted(range(size), key=order.__getitem__)
        staying = {a for a, _ in longest_common(range(size), in_b)}
        assert set(found(order, cuts)) == {*range(size)} - staying, (order, cuts)


def test_pairs_whose_order_is_the_same_in_both_trails_are_left_out_wherever_the_trail_is_cut() -> None:
    """All others are told, and of which of them all that come before are before the rest in both."""
    random = Random(1)
    for _ in range(300):
        order = [*range(random.randrange(13))]
        for start in random.sample(range(len(order) + 1), len(order) // 4):
            part = order[start : start + 3]
            order[start : start + 3] = random.sample(part, len(part))
        cuts = [random.randrange(len(order) + 1) for _ in range(random.randrange(5))]
        expected = [
            TangledPair(a, b, begins=max(order[:a], default=-1) < min(order[a:]))
            for a, b in enumerate(order)
            if max(order[:a], default=-1) > b or min(order[a:]) < b
        ]
        assert tangled(order, cuts) == expected, (order, cuts)


def test_it_is_told_over_how_many_others_they_have_moved() -> None:
    assert found([3, 0, 1, 2, 4], [2]) == {0: 3}
    assert found([1, 2, 3, 0, 4], [2]) == {3: -3}


TRAIL = TRAILS / "st*"


def read(**given: Any) -> list[Row]:
    return rows(TRAIL, "seqno", "rba", "csn", "time", "table", "op", **given)


@pytest.mark.parametrize("size", [0, 300, 100_000])
def test_bounds_on_the_csn_are_inclusive(size: int) -> None:
    everything = read()
    csns = sorted({row["csn"] for row in everything if row["csn"]})
    low, high = csns[2], csns[5]
    wanted = [row for row in everything if row["csn"] and low <= row["csn"] <= high]
    assert read(startCsn=low, endCsn=high, maxPartitionBytes=size) == wanted


@pytest.mark.parametrize("size", [0, 300])
def test_bounds_on_the_time_are_inclusive(size: int) -> None:
    everything = [row for row in read() if row["time"]]
    times = sorted({row["time"] for row in everything})
    low, high = times[2], times[4]
    wanted = [row for row in everything if low <= row["time"] <= high]
    assert read(startTimestamp=low.isoformat(), endTimestamp=high.isoformat(), maxPartitionBytes=size) == wanted


@pytest.mark.parametrize("size", [0, 300])
def test_bounds_on_the_place_are_inclusive(size: int) -> None:
    everything = read()
    first, last = everything[4], everything[-3]
    bounds = {"startSeqno": 0, "startRba": first["rba"], "endSeqno": 1, "endRba": last["rba"]}
    assert read(**bounds, maxPartitionBytes=size) == everything[4:-2]
    assert read(startSeqno=1) == [row for row in everything if row["seqno"] == 1]
    assert read(endSeqno=0) == [row for row in everything if row["seqno"] == 0]


def test_pieces_without_a_wanted_record_are_not_planned() -> None:
    slices = [part for lot in planned(TRAIL, startSeqno=1, startRba=2000, maxPartitionBytes=500) for part in lot]
    assert slices
    assert all(part.seqno == 1 and part.stop > 2000 for part in slices)


def test_where_speaks_the_language_of_filter() -> None:
    sales = [row for row in read() if row["table"] == "TEAHOUSE.SALES" and row["op"] == "Insert"]
    where = "FILENAME teahouse.sales; IOTYPE Insert; MATCH ALL"
    assert read(where=where) == sales
    assert read(where=f"FILTER {where.replace('; ', '; FILTER ')}", maxPartitionBytes=300) == sales


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"where": "FILENAM x"}, "^option where: FILTER has no option FILENAM; did you mean FILENAME"),
        ({"where": "SHOW"}, "^option where takes criteria, not SHOW$"),
        ({"startCsn": "soon"}, "^option startCsn: 'soon' is not a CSN"),
        ({"startRba": 5}, "^startRba needs startSeqno"),
        ({"endRba": 5, "startSeqno": 1}, "endRba needs endSeqno"),
    ],
)
def test_a_wrong_bound_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOption, match=message):
        read(**given)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A copy of a trail's first file whose header tells its first and last CSN and time, as a closed file's does."""
    with TrailFile(TRAILS / "et000000000") as trail:
        records = list(trail.records())
    header = records[0].file_header
    values: dict[str, Any] = {"LastCSN": "41882402", "LastIOTime": records[-1].header.io_time}
    head = make_file_header_record(replace_values(header, "TrailInfo", values))
    path = tmp_path / "lt000000000"
    path.write_bytes(head.raw + b"".join(record.raw for record in records[1:]))
    return path


@pytest.mark.parametrize(
    ("given", "is_opened"),
    [
        ({"startCsn": "41882403"}, False),
        ({"startCsn": "41882402"}, True),
        ({"endCsn": "41882316"}, False),
        ({"endCsn": "41882317"}, True),
        ({"startTimestamp": "2024-03-15"}, False),
        ({"endTimestamp": "2024-03-13"}, False),
        ({"startTimestamp": "2024-03-14", "endTimestamp": "2024-03-15"}, True),
        ({"startCsn": "00000000/05002818"}, True),
        ({"startCsn": "41882403", "skipFiles": "false"}, True),
    ],
)
def test_a_file_outside_of_the_bounds_is_left_out(closed: Path, given: dict[str, str], *, is_opened: bool) -> None:
    assert bool(planned(closed, **given)) is is_opened


@pytest.mark.parametrize(
    ("given", "at", "seconds", "is_opened"),
    [
        ("startTimestamp", -1, 0, True),
        ("startTimestamp", -1, -1, True),
        ("startTimestamp", -1, 1, False),
        ("endTimestamp", 0, 0, True),
        ("endTimestamp", 0, 1, True),
        ("endTimestamp", 0, -1, False),
    ],
)
def test_a_file_whose_first_or_last_time_is_the_bound_is_opened(
    given: str, at: int, seconds: int, closed: Path, *, is_opened: bool
) -> None:
    with TrailFile(closed) as trail:
        header = trail.file_header
        assert header is not None
        moment = to_datetime((header.first_time, header.last_time)[at] or 0)
    assert moment is not None
    assert bool(planned(closed, **{given: (moment + timedelta(seconds=seconds)).isoformat()})) is is_opened


def test_a_bound_on_the_place_is_one_of_its_file_alone(tmp_path: Path) -> None:
    """Of four files, of which the first and the last have bounds."""
    for number in range(4):
        shutil.copy(TRAILS / "et000000000", tmp_path / f"et{number:09d}")
    everything = [(row["seqno"], row["rba"]) for row in rows(tmp_path / "et*", "seqno", "rba")]
    rbas = [rba for seqno, rba in everything if not seqno]
    for first, last in ((rbas[3], rbas[-3]), (rbas[-2], rbas[1]), (rbas[0], rbas[-1])):
        given = {"startSeqno": 1, "startRba": first, "endSeqno": 2, "endRba": last}
        found = rows(tmp_path / "et*", "seqno", "rba", **given)
        expected = [(seqno, rba) for seqno, rba in everything if (1, first) <= (seqno, rba) <= (2, last)]
        assert [(row["seqno"], row["rba"]) for row in found] == expected
        alone = rows(tmp_path / "et*", "seqno", "rba", startSeqno=2, startRba=last, endSeqno=2, endRba=last)
        assert [(row["seqno"], row["rba"]) for row in alone] == [(2, last)]


def test_a_file_that_goes_on_with_a_transaction_may_hold_lower_csns(tmp_path: Path) -> None:
    shutil.copy(TRAILS / "st000000000", tmp_path)
    with TrailFile(TRAILS / "st000000001") as trail:
        _, *records = trail.records()
        assert trail.file_header is not None
        head = make_file_header_record(replace_values(trail.file_header, "TrailInfo", {"FirstCSN": "99999999"}))
    (tmp_path / "st000000001").write_bytes(b"".join(record.raw for record in (head, *records)))
    later = [row for row in rows(tmp_path / "st*", "seqno", "csn", "rba") if row["seqno"] == 1 and row["csn"]]
    found = rows(tmp_path / "st*", "seqno", "csn", "rba", endCsn=later[0]["csn"])
    assert later[0] in found
    assert len(planned(tmp_path / "st000000001", endCsn=later[0]["csn"])) == 1
