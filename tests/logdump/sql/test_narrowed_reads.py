"""What a statement reads: the columns and rows that its conditions need, each row once, and no more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.sql import local_query
from logdump.features.sql.trail_table import Narrowed, TrailTable
from logdump.tables.slice import END_OF_FILE, RbaRange
from tests.logdump.sql.told import Asked
from tests.logdump.tables.bytes_read import counted
from tests.searching import IS_LONG, in_turn
from trailformat.scan import parallel

SHOP = TRAILS / "et000000000"


def write_large(path: Path) -> Path:
    """A trail of some 400,000 records."""
    head, rows = SHOP.read_bytes()[:1811], SHOP.read_bytes()[1811:2722]
    path.write_bytes(head + rows * 100_000)
    return path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Narrowed]:
    """What the scans of a statement were asked for."""
    asked_for: list[Narrowed] = []
    narrowed = TrailTable.narrowed

    def noted(self: TrailTable, to: Narrowed, observer: object = None) -> object:
        asked_for.append(to)
        return narrowed(self, to, observer)  # type: ignore[arg-type]

    monkeypatch.setattr(TrailTable, "narrowed", noted)
    return asked_for


@pytest.mark.parametrize("name", ["zt000000000", "et000000000", "st000000001", "yt000000000"])
def test_threads_read_the_rows_that_one_reads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(TRAILS / name)
    alone = TrailTable({"path": path}).to_arrow()
    monkeypatch.setattr(parallel, "PIECE", 700)
    monkeypatch.setattr(parallel, "cores", lambda: 3)
    assert TrailTable({"path": path}).to_arrow().to_pylist() == alone.to_pylist()


@pytest.mark.parametrize(
    ("statement", "columns", "rbas", "options"),
    [
        ("select count(*) from records where rba >= 2000 and rba <= 3000", {"rba"}, (2000, 3000), {}),
        ("select op from records where rba = 1811", {"op", "rba"}, (1811, 1811), {}),
        ("select op from records where rba = 1811 or op = 'Insert'", {"op", "rba"}, (0, END_OF_FILE), {}),
        ("select rba from records where op = 'Insert'", {"op"}, (0, END_OF_FILE), {"where": "IOTYPE 5"}),
        ("select rba from records where op_code in (5, 3)", {"op_code"}, (0, END_OF_FILE), {"where": "IOTYPE 3,5"}),
        (
            "select rba from records where op in ('Insert', 'Delete') and rba < 3000",
            {"op"},
            (0, 2999),
            {"where": "IOTYPE 3,5"},
        ),
        ("select rba from records where op in ('Insert', 'FileHeader')", {"op"}, (0, END_OF_FILE), {}),
        ("select rba from records where op <> 'Insert'", {"op"}, (0, END_OF_FILE), {}),
        ("select op from teahouse.teas where op = 'INSERT'", {"op"}, (0, END_OF_FILE), {"where": "IOTYPE 5"}),
        (
            "select op from records where csn = '41882317'",
            {"op", "csn"},
            (0, END_OF_FILE),
            {"startCsn": "41882317", "endCsn": "41882317"},
        ),
        ("select op from records where not rba = 1811", {"op", "rba"}, (0, END_OF_FILE), {}),
        (
            """select op from records where "table" = 'TEAHOUSE.TEAS'""",
            {"op", "table"},
            (0, END_OF_FILE),
            {"table": "TEAHOUSE.TEAS"},
        ),
        ("""select op from records where "table" = 'TEA*'""", {"op", "table"}, (0, END_OF_FILE), {}),
        (
            "select op from records where time >= '2024-03-14 09:31:00Z'",
            {"op", "time"},
            (0, END_OF_FILE),
            {"startTimestamp": "2024-03-14T09:31:00Z"},
        ),
        ("select op from records where csn = 'x) AND (0.rba = 5'", {"op", "csn"}, (0, END_OF_FILE), {}),
        ("select op from (select * from records limit 9) where rba > 2000", {"op"}, (0, END_OF_FILE), {}),
        (
            "select op from (select * from records order by rba desc limit 9) where op = 'Insert' and rba < 3000",
            {"op"},
            (0, END_OF_FILE),
            {},
        ),
        (
            "select op from (select * from records where rba >= 2000 limit 9) where rba < 3000",
            {"op"},
            (2000, END_OF_FILE),
            {},
        ),
        (
            "select op from (select *, lag(op) over (order by rba) p from records where rba < 3000) where rba > 2000",
            {"op"},
            (0, 2999),
            {},
        ),
        (
            "select n from (select op, count(*) n from records where rba > 9 group by op) where op = 'Insert'",
            {"op"},
            (10, END_OF_FILE),
            {"where": "IOTYPE 5"},
        ),
        (
            """select op from (select op, length as "0.rba" from records limit 9) where "0.rba" > 200""",
            {"op", "length"},
            (0, END_OF_FILE),
            {},
        ),
        (
            """select 1 from (select "table" "0.op" from records where rba < 4000 limit 9) where "0.op" = 'Insert'""",
            {"table"},
            (0, 3999),
            {},
        ),
    ],
)
def test_only_what_a_statement_needs_is_read(
    statement: str,
    columns: set[str],
    rbas: tuple[int, int],
    options: dict[str, str],
    asked: Asked,
    read: list[Narrowed],
) -> None:
    asked.rows(statement)
    [narrowed] = read
    assert narrowed.columns is not None
    assert narrowed.columns >= columns - {"rba"}
    assert "raw" not in narrowed.columns
    assert (narrowed.rbas, dict(narrowed.options)) == (RbaRange(*rbas), options)


@pytest.mark.parametrize(
    ("column", "place"),
    in_turn(
        ["op", "op_code", "csn", "time", "rba"],
        in_turn(["records", "teahouse.teas", "teahouse.sales"], ["et000000000", "at00000000?"]),
    ),
)
def test_a_scan_that_is_narrowed_has_all_rows_of_a_condition(column: str, place: tuple[str, str]) -> None:
    view, path = place
    asked = Asked()
    over = f"over {TRAILS}/{path} "
    asked(f"sql {over}select rba from {view} where {column} is null")
    if asked.failures:
        return  # the trail has no such table
    values = [value for (value,) in asked.rows(f"{over}select distinct {column}::varchar from {view}") if value]
    for value in values[:: len(values) // (5 if IS_LONG else 2) + 1]:
        found = asked.rows(f"{over}select file, rba from {view} where {column} = '{value}' order by all")
        everything = f"select file, rba from {view} where {column}::varchar = '{value}' order by all"
        assert found == asked.rows(over + everything)
        assert found


@pytest.mark.parametrize("view", ["records", "teahouse.teas"])
def test_the_first_and_the_last_row_are_found_by_their_place(asked: Asked, view: str) -> None:
    rbas = [rba for (rba,) in asked.rows(f"select rba from {view} order by rba")]
    for number, sign in ((0, "="), (0, "<="), (-1, "="), (-1, ">=")):
        assert asked.rows(f"select rba from {view} where rba {sign} {rbas[number]}") == [(rbas[number],)]


def test_the_filter_of_the_session_goes_before_a_condition(asked: Asked) -> None:
    asked("filter include iotype delete")
    assert asked.rows("select op from records where op = 'Insert'") == []
    assert asked.rows("select distinct op from records where op_code = 3") == [("Delete",)]


def test_two_reads_of_one_view_are_not_narrowed_by_the_conditions_of_one(asked: Asked, read: list[Narrowed]) -> None:
    found = asked.rows("select count(*) from records a, records b where a.rba = 1811 and b.rba > a.rba")
    assert found == [(18,)]
    assert {narrowed.rbas for narrowed in read} == {RbaRange()}


def test_a_limit_ends_the_read_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = write_large(tmp_path / "lt000000000")
    made: list[int] = []
    batch_of = local_query.ViewScan._batches

    def noted(self: local_query.ViewScan) -> Iterator[object]:
        for batch in batch_of(self):
            made.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(local_query.ViewScan, "_batches", noted)
    asked = Asked(f"open {large}")
    [(everything,)] = asked.rows("select count(*) from records")
    assert sum(made) == everything
    made.clear()
    assert len(asked.rows("select rba from records limit 1")) == 1
    assert sum(made) < everything / 2


@pytest.mark.parametrize("view", ["records", "teahouse.teas"])
@pytest.mark.parametrize("cores", [1, 2])
def test_what_begins_after_the_wanted_records_is_not_read(
    view: str, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = tmp_path / "lt000000000"
    large.write_bytes(SHOP.read_bytes()[:1811] + SHOP.read_bytes()[1811:2170] * 60_000)
    monkeypatch.setattr(parallel, "PIECE", 1 << 22)
    monkeypatch.setattr(parallel, "cores", lambda: cores)
    os.utime(large, (0, 0))  # nobody is writing it
    table = TrailTable({"path": str(large)} | ({} if view == "records" else {"rowsOf": view}), ["rba"])
    everything = [rba for batch in table for rba in batch.column("rba").to_pylist()]
    for last in (everything[3], everything[len(everything) // 3]):
        with counted() as read:
            batches = [*table.narrowed(Narrowed(frozenset({"rba"}), RbaRange(0, last)))]
        rbas = [rba for batch in batches for rba in batch.column("rba").to_pylist()]
        assert rbas == everything[: len(rbas)]
        assert rbas[-1] == last
        assert read.number < 2 * last + (1 << 22)
