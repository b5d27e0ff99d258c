"""The same statements in this process and in Spark: the same columns and rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS
from logdump.features.sql.model import RowsShown
from logdump.features.sql.view_table import VIEWS
from tests.logdump.spark.engines import ENGINE
from tests.logdump.sql.told import Asked
from tests.searching import IS_LONG

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHOP, RESTARTS, TWO = TRAILS / "et000000000", TRAILS / "at00000000?", TRAILS / "st*"
_PLAIN = [column.name for column in COLUMNS if column.name not in ("table", "schema", "rba", "before", "after")]
STATEMENTS = (
    (SHOP, "select op, count(*) n, min(rba) a from records group by op having count(*) > 2"),
    (SHOP, "select r.table, r.schema, r.catalog, r.name from records r"),
    (SHOP, f"select rba, {', '.join(_PLAIN)} from records"),
    (SHOP, "select sum(record_length) s, min(time) a, max(time) b from records"),
    (SHOP, "select a.op x, b.op y from records a join records b on a.rba = b.rba and a.rba > 2000"),
    (SHOP, "with w as (select * from records where op = 'Insert') select count(*) n, max(csn) c from w"),
    (SHOP, "select op from records where rba between 1000 and 3000 and op_code in (5, 170)"),
    (SHOP, "select rba from records where time >= timestamp '2024-03-14 09:31:00' order by rba limit 3"),
    (SHOP, "select rba from records where csn = (select max(csn) from records)"),
    (SHOP, "select s.table, op, records, bytes, first_rba, last_rba, first_csn, last_csn from summary s"),
    (TWO, "select seqno, file_order, file, min(rba) a, max(rba) b from records group by seqno, file_order, file"),
    (RESTARTS, "select kind, rba, cut.csn, cut.records, again_is from restarts"),
    (SHOP, "select row_number() over (partition by op order by rba) k, rba from records"),
    (TRAILS / "ot000000", "select op, count(*) n, sum(length) b from records group by op"),
)
MORE = (
    (SHOP, "select count(*) n from records where before is null and after is not null"),
    (SHOP, "select csn, xid, count(*) n from records where csn is not null group by csn, xid"),
    (SHOP, "select rba from records where op = 'Insert' union all select rba from records where op = 'Delete'"),
    (TRAILS / "zt000000000", "select count(*) n from records where ddl is not null"),
    (TRAILS / "sl000000000", "select op, count(*) n from records group by op"),
    (SHOP, "select rba from records r where r.table like 'TEAHOUSE.%' and op <> 'Metadata'"),
    (SHOP, "select r.op from records r left join transactions t on r.csn = t.csn where t.csn is null"),
    (SHOP, "select distinct before_after, trans_ind from records"),
    (SHOP, "select rba, lag(rba) over (order by rba) before_it from records"),
    (SHOP, "select op from records where rba >= 1811 and rba < 2722"),
    (SHOP, "select rba from records r where r.table = 'TEAHOUSE.TEAS'"),
    (SHOP, "select case when op like '%Update%' then 'U' else 'x' end k, count(*) n from records group by 1"),
    (SHOP, "select sum(records) r, sum(bytes) b, sum(transactions) t from summary"),
    (TWO, "select csn, xid, begin_rba, end_rba, records, bytes, tables, is_whole, ended from transactions"),
    (TWO, "select sum(records) n from transactions"),
    (RESTARTS, "select csn, ended, is_effective, records from transactions"),
    (RESTARTS, "select count(*) n from transactions where is_effective"),
    (SHOP, "select upper(op) u, length(op) l from records"),
    (SHOP, "select rba from records where csn is null order by rba desc limit 2"),
    (SHOP, "select coalesce(csn, 'none') c, count(*) n from records group by 1"),
    (SHOP, "select rba from records where rba in (select begin_rba from transactions)"),
    (SHOP, "select op from records where not (rba < 3000 or op = 'Delete')"),
    (SHOP, "select count(*) n from records where rba < 0"),
    (TWO, "select op from records intersect select op from records where rba > 2000"),
    (TWO, "select file, rba from records where rba < 1500"),
    (RESTARTS, "select count(*) n, count(distinct csn) c from records"),
    (TRAILS / "zt000000000", "select outcome, count(*) n from ddl group by outcome"),
)
"""Of the same kinds, for the long form: Spark takes most of a second for each."""


def answer(asked: Asked, line: str) -> tuple[tuple[str, ...], list[str]]:
    """The columns of a result, and its rows in an order of their own."""
    asked(line)
    assert not asked.failures, (line, asked.failures)
    shown = [event for event in asked.events if isinstance(event, RowsShown)]
    return shown[0].columns, sorted(repr(_plain(row)) for event in shown for row in event.rows)


def _plain(value: Any) -> Any:
    """A value as both engines have it: maps as sorted pairs, whole decimals as numbers."""
    if isinstance(value, dict):
        return sorted((str(key), _plain(inner)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return int(value) if type(value).__name__ == "Decimal" and value == int(value) else value


@pytest.fixture
def engines(spark: SparkSession) -> Iterator[tuple[Asked, Asked]]:  # noqa: ARG001 - the one that SQL finds
    local, in_spark = Asked(), Asked(ENGINE)
    yield local, in_spark
    local.session.end()
    in_spark.session.end()


def test_statements_have_the_same_rows_in_both(engines: tuple[Asked, Asked]) -> None:
    different = {}
    for path, statement in [*STATEMENTS, *(MORE if IS_LONG else ())]:
        local, in_spark = (answer(asked, f"sql over {path} {statement}") for asked in engines)
        if local != in_spark:
            different[statement] = local, in_spark
    assert different == {}


def test_every_view_has_the_same_columns_in_both(engines: tuple[Asked, Asked]) -> None:
    for view in VIEWS:
        path = TRAILS / ("yt000000000" if view.startswith(("gg", "heart")) else "at00000000?")
        local, in_spark = (answer(asked, f"sql over {path} select * from {view}") for asked in engines)
        assert local == in_spark, view


@pytest.mark.parametrize("table", ["TEAHOUSE.TEAS", "TEAHOUSE.SALES"])
def test_a_table_has_the_rows_that_spark_reads(table: str, engines: tuple[Asked, Asked], spark: SparkSession) -> None:
    import logdump.spark

    frame = logdump.spark.table(spark, str(TWO), table)
    arrow = frame.toArrow()
    rows = sorted(repr(_plain(tuple(row.values()))) for row in arrow.to_pylist())
    assert answer(engines[0], f'sql over {TWO} select * from "{table}"') == (tuple(arrow.schema.names), rows)
