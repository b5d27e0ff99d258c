"""Places in files and among files: each bound at each record, each moment, each number that a file has."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.features.ddl.model import DdlEvaluated
from logdump.features.diff.model import DiffLevel
from logdump.features.diff.rows import RowOptions
from logdump.features.diff.side import CsnBounds
from logdump.features.heartbeat.model import HeartbeatsShown
from logdump.features.sql.view_table import VIEWS, views_in
from logdump.spark.comparison.compared_trail import Compared, compared_trail, transaction_rows
from logdump.spark.write.target import Mode, Target
from logdump.tables.errors import NoTrailFiles
from tests.logdump.commands.test_params import written
from tests.logdump.line import Line
from tests.logdump.repair.repaired import rows as transaction
from tests.logdump.tables.reads import planned, rows
from tests.searching import examples
from tests.simulated import late_replication as late
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import MINUTE
from tests.trailformat.samples import trail_of
from trailformat import Record, TrailFile, from_datetime

SHOP = TRAILS / "st000000000"


@pytest.mark.parametrize("size", [300, 700, 2000])
def test_a_bound_at_any_record_leaves_each_wanted_record_in_one_slice(size: int) -> None:
    """Also at one with which a slice begins or ends."""
    with TrailFile(SHOP) as trail:
        rbas = [record.rba for record in trail.records()]
    begins = {part.start for lot in planned(SHOP, maxPartitionBytes=size) for part in lot}
    assert len(begins) > 2
    for at, rba in enumerate(rbas):
        for bounds, wanted in (
            ({"endSeqno": 0, "endRba": rba}, rbas[: at + 1]),
            ({"startSeqno": 0, "startRba": rba}, rbas[at:]),
        ):
            slices = [part for lot in planned(SHOP, maxPartitionBytes=size, **bounds) for part in lot]
            held = [record_rba for piece in slices for record_rba in rbas if piece.start <= record_rba < piece.stop]
            assert [record_rba for record_rba in held if record_rba in wanted] == wanted
            assert all(piece.only.first <= wanted[-1] and piece.only.last >= wanted[0] for piece in slices)


SCENARIOS: tuple[Callable[[HeartbeatTrail], None], ...] = (
    late.stopped_for_good,
    late.late_pump,
    late.restarted_in_time,
)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("created", [0, 90 * MINUTE])
def test_the_moment_of_gg_lag_is_the_newest_that_heartbeat_knows(
    scenario: Callable[[HeartbeatTrail], None], created: int, line: Line, tmp_path: Path
) -> None:
    """Whatever tells it: a beat, another transaction, or the file itself."""
    path = tmp_path / "hb000000000"
    trail = HeartbeatTrail(path, created=created)
    scenario(trail)
    trail.close()
    line(f"open {path}; heartbeat")
    (shown,) = (event for event in line.events if isinstance(event, HeartbeatsShown))
    found = {from_datetime(row["current_local_ts"].replace(tzinfo=None)) for row in rows(path, analysis="gg_lag")}
    assert found == {shown.at}
    assert shown.at is not None
    assert shown.at >= BEGUN + created


@given(
    there=st.sets(st.integers(0, 6)),
    first=st.integers(0, 7),
    mode=st.sampled_from(list(Mode)),
    number=st.integers(1, 3),
)
@settings(max_examples=examples(60), deadline=None)
def test_files_that_are_added_to_a_trail_come_behind_all_that_it_has(
    there: set[int], first: int, mode: Mode, number: int
) -> None:
    """From the first name on; APPEND never takes the name of a file that is there."""
    with tempfile.TemporaryDirectory() as folder:
        for seqno in there:
            (Path(folder) / f"rt{seqno:09}").write_bytes(b"trail")
        target = Target.parse(str(Path(folder) / f"rt{first:09}"))
        names = target.names(mode, [])
        given_names = [int(next(names).name[2:]) for _ in range(number)]
    begins = max([first, *(seqno + 1 for seqno in there)]) if mode is Mode.APPEND else first
    assert given_names == [*range(begins, begins + number)]


@pytest.mark.parametrize("second", [-1, 0, 1])
def test_a_file_of_exactly_that_moment_was_modified_neither_after_nor_before_it(second: int, tmp_path: Path) -> None:
    """As Spark's own sources have it."""
    path = tmp_path / "st000000000"
    shutil.copyfile(SHOP, path)
    os.utime(path, (1_710_500_000 + second,) * 2)
    moment = "2024-03-15T10:53:20+00:00"
    for option, is_wanted in (("modifiedAfter", second > 0), ("modifiedBefore", second < 0)):
        if is_wanted:
            assert planned(path, **{option: moment})
            continue
        with pytest.raises(NoTrailFiles):
            planned(path, **{option: moment})


@pytest.mark.parametrize(
    ("statement", "views"),
    [
        ("select * from ddl", {"ddl"}),
        ("select sum(records), max(transactions) from summary", {"summary"}),
        ("select records from transactions where records > 1 order by records", {"transactions"}),
        ("select records.rba, t.records from transactions t, records", {"transactions", "records"}),
        ("summarize records", {"records"}),
        ("select max(ddl) from heartbeats", {"heartbeats"}),
        ("select * from (select ddl from heartbeats)", {"heartbeats"}),
        ("select 1 from heartbeats join (ddl) on (1 = 1)", {"heartbeats", "ddl"}),
        ("select coalesce(op, (ddl)) from (heartbeats)", {"heartbeats"}),
        ("select f((ddl), (select max(ddl) from ddl)) from heartbeats", {"heartbeats", "ddl"}),
        ("select (ddl) from heartbeats where x in (select (ddl) from heartbeats)", {"heartbeats"}),
    ],
)
def test_what_stands_in_parentheses_is_a_view_only_where_tables_stand(statement: str, views: set[str]) -> None:
    assert set(views_in(statement)) == views


def test_a_view_that_a_column_is_called_like_is_one_where_tables_stand_alone() -> None:
    alike = {name for view in VIEWS.values() for name in view.columns if name in VIEWS}
    assert {"records", "transactions", "ddl"} <= alike
    for name in alike:
        assert views_in(f"select {name} from heartbeats") == ["heartbeats"]
        assert name in views_in(f"select 1 from heartbeats, {name}")


@pytest.mark.parametrize("name", ["zl", "zt"])
def test_of_an_extract_with_several_trails_the_view_has_what_is_for_the_trail_that_is_read(
    name: str, line: Line, tmp_path: Path
) -> None:
    extract = written(
        tmp_path,
        *("EXTRACT e", "USERIDALIAS x", "DDL INCLUDE ALL", "EXTTRAIL dirdat/zl", "TABLE teahouse.*;"),
        *("EXTTRAIL dirdat/zt", "TABLE other.*;", "EXTTRAIL dirdat/yy", "TABLE teahouse.*;"),
        name="e.prm",
    )
    path = TRAILS / f"{name}000000000"
    line(f"open {path}; params {extract}; ddl all")
    told = [(evaluation.scope, evaluation.trail) for evaluation in line.events if isinstance(evaluation, DdlEvaluated)]
    found = [(row["scope"], row["trail"]) for row in rows(path, analysis="ddl", params=str(extract))]
    assert found == told
    assert len({trail for _, trail in told}) == 1


@pytest.mark.parametrize("size", [0, 60, 150, 400])
def test_each_place_of_damage_and_each_file_that_is_no_trail_is_told_by_one_stretch(size: int, tmp_path: Path) -> None:
    """With its bytes, wherever the stretches begin."""
    garbage = (b"no record at all, but bytes " * 4, b"nor is this")
    expected = []
    for number in range(4):
        parts: list[Record | bytes] = [*transaction("ab"), garbage[number % 2], *transaction("cde"), *transaction("f")]
        if number == 2:
            parts = [garbage[0]]
            expected.append((number, 0, 0))
        else:
            at = sum(record.length for record in parts[:2] if isinstance(record, Record))
            expected.append((number, at, len(garbage[number % 2])))
        trail_of(tmp_path, *parts, name=f"tt{number:09}")
    trail = compared_trail("a", {"path": str(tmp_path / "tt*"), "maxPartitionBytes": str(size)})
    compared = Compared(RowOptions(DiffLevel.RECORDS), CsnBounds(), is_any_order=False)
    found = [
        row for row in transaction_rows(trail, compared, zip(range(len(trail.starts)), strict=True)) if row.key is None
    ]
    assert sorted((*trail.place(row.at), row.size) for row in found) == expected
