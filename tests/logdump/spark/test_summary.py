"""Summaries put together again are what COUNT counts, however the files are split."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.spark.jobs.counting import count_of
from logdump.spark.source import summary as summary_module
from logdump.spark.source.options import Use, parse_options
from logdump.spark.source.slice import selection_of
from logdump.spark.source.slices import wanted_rows
from tests.logdump.spark.reads import planned, rows
from tests.oracles.count_by_record import RecordTotals
from tests.searching import in_turn, some_trails
from tests.trailformat.samples import IO_TIME, row, trail_of
from trailformat import TrailFile
from trailformat.totals.counting import Totals, TransactionHistory

WHOLE = some_trails((path for path in TRAILS.iterdir() if path.name[0] in "eondrpuvhs"), __name__)
LIMITS = {"transHist": 4, "transRecLimit": 2, "transByteLimit": 300}


def history() -> TransactionHistory:
    return TransactionHistory(4, 2, 300)


def counted(paths: list[Path], where: str | None = None) -> Totals:
    """What the local engine counts."""
    count = RecordTotals(history())
    for path in paths:
        with TrailFile(path) as trail:
            selection = selection_of(trail, parse_options({"where": where} if where else {}, Use.READ))
            for rba in trail.sound_rbas(0, trail.size):
                record = trail.record_at(rba)
                assert record is not None
                if selection.accepts(record):
                    count.add(record, trail.name_of(record), int(path.name[2:]))
                else:
                    count.pass_over(record)
    return count


def outcome(count: Totals) -> dict[str, Any]:
    tables = {key: vars(tally) for key, tally in count.tables.items()}
    open_one = vars(count.open_transaction) if count.open_transaction else None
    totals = (count.transactions, count.table_visits, count.history.largest, count.bytes_per_transaction, open_one)
    return {"total": vars(count.total), "tables": tables, "totals": totals}


@pytest.mark.parametrize(("size", "path"), in_turn([0, 300, 1000], WHOLE), ids=lambda one: getattr(one, "name", None))
def test_it_comes_to_the_count_of_the_local_engine(path: Path, size: int) -> None:
    summary = rows(path, summary="true", maxPartitionBytes=size, **LIMITS)
    assert outcome(count_of(summary, history())) == outcome(counted([path]))


@pytest.mark.parametrize(
    ("size", "where"),
    in_turn([0, 500], ["IOTYPE Insert", "FILENAME *.SALES", "TRANSIND = 0", "RBA < 0", "EXCLUDE RECLEN > 90"]),
)
def test_it_comes_to_the_filtered_count(where: str, size: int) -> None:
    paths = [TRAILS / "st000000000", TRAILS / "st000000001"]
    summary = rows(TRAILS / "st*", summary="true", where=where, maxPartitionBytes=size, **LIMITS)
    assert outcome(count_of(summary, history())) == outcome(counted(paths, where))


def test_a_transaction_may_span_splits_and_files() -> None:
    paths = [TRAILS / "st000000000", TRAILS / "st000000001"]
    for size in range(50, 3000, 150):
        summary = rows(TRAILS / "st*", summary="true", maxPartitionBytes=size, **LIMITS)
        assert outcome(count_of(summary, history())) == outcome(counted(paths)), size


def test_a_row_tells_where_and_when_its_records_are() -> None:
    path = TRAILS / "et000000000"
    records = rows(path)
    for one in rows(path, summary="true"):
        mine = [row for row in records if (row["table"], row["op"], row["before_after"]) == _key(one)]
        assert (one["first_rba"], one["last_rba"]) == (mine[0]["rba"], mine[-1]["rba"])
        assert (one["first_csn"], one["last_csn"]) == (mine[0]["csn"], mine[-1]["csn"])
        times = [row["time"] for row in mine]
        assert (one["first_time"], one["last_time"]) == ((min(times), max(times)) if times[0] else (None, None))
        assert one["records"] == len(mine)
        assert one["length"] == sum(row["length"] for row in mine)
        assert one["bytes"] == sum(row["record_length"] for row in mine)


def test_times_are_the_earliest_and_the_latest_though_records_come_out_of_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_module, "wanted_rows", partial(wanted_rows, batch_size=1))
    hours = (3, 1, 4, 2)
    path = trail_of(tmp_path, *(row(io_time=IO_TIME + hour * 3_600_000_000) for hour in hours))
    [one] = rows(path, summary="true")
    assert (one["last_time"] - one["first_time"], one["records"]) == (timedelta(hours=3), 4)
    assert one["last_time"] == max(record["time"] for record in rows(path))


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["table"], row["op"], row["before_after"]


def test_every_part_of_a_file_tells_its_transactions_once() -> None:
    slices = [one for lot in planned(TRAILS / "st*", maxPartitionBytes=400) for one in lot]
    pieces = [one for one in rows(TRAILS / "st*", summary="true", maxPartitionBytes=400) if one["piece"] is not None]
    assert [(one["file"], one["start_rba"]) for one in pieces] == [(one.path, one.start) for one in slices]


def test_damage_is_a_row_without_records() -> None:
    summary = rows(TRAILS / "ft000000000", summary="true", mode="PERMISSIVE")
    damage = [one for one in summary if one["_corrupt_record"] is not None]
    assert [(one["records"], one["length"] > 0) for one in damage] == [(0, True)]
