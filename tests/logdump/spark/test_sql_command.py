"""SQL over trails: views that hold what the other commands tell, tables and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21
from logdump.arrow.records.schema import COLUMNS
from logdump.display import json_lines
from logdump.features.recovery.model import RecoveryShown
from logdump.features.sql import command as sql
from logdump.features.sql.model import RowsShown
from logdump.session.errors import ExitStatus
from logdump.session.events import Failure, Notice
from logdump.spark.views import Views, needed_columns
from tests.logdump.commands.test_bounded_recovery import HISTORY
from tests.logdump.line import Line
from tests.logdump.spark.engines import ENGINE, Told
from tests.logdump.tables.reads import rows
from tests.searching import IS_LONG
from tests.simulated.bounded_recovery import HOUR, write_trail
from tests.simulated.recovery import killed_recovery

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHOP = TRAILS / "et000000000"
DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
OFFERED = frozenset(column.name for column in COLUMNS)


@pytest.fixture
def told(spark: SparkSession) -> Iterator[Told]:  # noqa: ARG001 - the one that SQL finds
    opened = Told(f"{ENGINE}; open {SHOP}")
    yield opened
    opened.session.end()


def result(told: Told, line: str) -> list[tuple[Any, ...]]:
    """The rows that a statement gives."""
    told(f"sql {line}")
    [shown] = [event for event in told.events if isinstance(event, RowsShown)]
    return [tuple(row) for row in shown.rows]


def failure(told: Told, line: str) -> Failure:
    told(f"sql {line}")
    [found] = [event for event in told.events if isinstance(event, Failure)]
    return found


def test_a_table(told: Told) -> None:
    assert told("sql select table, op, count(*) n from records where op = 'Insert' group by all order by n") == [
        "table           op      n",
        "--------------  ------  -",
        "TEAHOUSE.SALES  Insert  3",
        "TEAHOUSE.TEAS   Insert  4",
        "2 rows",
    ]


@pytest.mark.parametrize("name", ["sl000000000", "ot000000"] if IS_LONG else ["ot000000"])
def test_records_and_summary_are_what_count_counts(told: Told, name: str) -> None:
    grouped = "coalesce(table, ''), partition, op, before_after"
    counted = result(
        told, f"over {TRAILS / name} select {grouped}, count(*), sum(record_length) from records group by all"
    )
    summed = result(told, f"over {TRAILS / name} select {grouped}, sum(records), sum(bytes) from summary group by all")
    assert sorted(counted, key=str) == sorted(summed, key=str)
    assert f"has {sum(row[-2] for row in counted)} records" in told(f"count {TRAILS / name}")[0]


def test_the_real_trail(told: Told, evidence: Path) -> None:
    path = evidence / "tr000000000"
    assert result(told, f"over {path} select count(*) from records") == [(len(rows(path, "rba")),)]
    count = told(f"open {path}; count")[1:]
    [ended] = result(told, "select count(*) from transactions where is_whole")
    assert f"Average of {ended[0]} Transactions" in count


@pytest.mark.parametrize("size", ["0", "500"] if IS_LONG else ["500"])
def test_a_row_for_every_transaction(spark: SparkSession, size: str) -> None:
    views = Views(spark, str(TRAILS / "st*"), {"maxPartitionBytes": size})
    found = [row.asDict() for row in views.query("select * from transactions order by begin_file, begin_rba").collect()]
    assert found == transactions_of(TRAILS / "st*")


def transactions_of(path: Path) -> list[dict[str, Any]]:
    """The transactions, put together from records one by one."""
    found: list[dict[str, Any]] = []
    is_open = False
    for row in rows(path):
        if row["op_code"] is None or row["op"] == "Metadata":
            continue
        if not is_open:
            begin = {"begin_file": row["file"], "begin_rba": row["rba"], "first_time": row["time"].replace(tzinfo=None)}
            found.append({"csn": row["csn"], "xid": row["xid"], **begin, "records": 0, "bytes": 0, "tables": set()})
            found[-1]["is_whole"] = row["trans_ind"] in (0, 3)
        transaction, is_open = found[-1], row["trans_ind"] not in (2, 3)
        transaction |= {"end_file": row["file"], "end_rba": row["rba"], "last_time": row["time"].replace(tzinfo=None)}
        transaction["records"] += 1
        transaction["bytes"] += row["record_length"]
        transaction["tables"] |= {row["table"]}
    found[-1]["is_whole"] &= not is_open
    return [
        {
            **found_transaction,
            "tables": sorted(found_transaction["tables"]),
            "ended": "last",
            "is_effective": found_transaction["is_whole"],
        }
        for found_transaction in found
    ]


def test_transactions_tell_how_they_ended_and_whether_they_are_applied(
    spark: SparkSession, line: Line, tmp_path: Path
) -> None:
    path = killed_recovery(tmp_path, 1, MYSQL_21).paths[0]
    line(f"open {path}; recovery")
    numbers = next(event for event in line.events if isinstance(event, RecoveryShown))
    columns = "count(*), count_if(is_effective), count_if(ended = 'cut' or ended = 'overtaken')"
    query = f"select {columns} from transactions"
    told = (numbers.transactions, numbers.effective, numbers.cut)
    assert numbers.cut
    assert Views(spark, str(path.parent), {}).query(query).collect() == [told]
    second = {"where": "TRANSIND = 0"}
    query = "select ended, is_effective from transactions where is_effective = (ended <> 'last')"
    assert Views(spark, str(path.parent), second).query(query).collect() == []


def test_a_transaction_goes_on_where_the_numbers_start_over(spark: SparkSession, tmp_path: Path) -> None:
    columns = "csn, xid, begin_rba, end_rba, records, bytes, tables, is_whole"
    query = f"select {columns} from transactions order by first_time, begin_rba"
    for name, wrapped in (("st000000000", "lt999999"), ("st000000001", "lt000000")):
        (tmp_path / wrapped).write_bytes((TRAILS / name).read_bytes())
    found = Views(spark, str(tmp_path / "lt*"), {}).query(query).collect()
    assert found == Views(spark, str(TRAILS / "st*"), {}).query(query).collect()


def test_transactions_without_csn_and_xid(told: Told) -> None:
    path = TRAILS / "ut000000000"
    assert result(told, f"over {path} select count(csn), count(xid), count(*) from transactions") == [(2, 2, 8)]
    assert "Average of 8 Transactions" in told(f"count {path}")


def test_the_filter_applies(told: Told) -> None:
    told("filter include iotype insert")
    assert result(told, "select distinct op from records") == [("Insert",)]
    assert told.asides == ["The FILTER applies to the views."]


def test_json_lines_hold_all_rows_and_whole_values(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MOST_ROWS", 2)
    told("format jsonl; sql select * from records")
    events = [event for event in told.events if isinstance(event, RowsShown)]
    lines = [line for event in events for line in json_lines.render(event, told.session.settings)]
    shown = [json.loads(line)["values"] for line in lines]
    assert [item["raw"] for item in shown] == [row["raw"].hex() for row in rows(SHOP)]
    assert shown[3]["gg_tokens"]["LOGCSN"] == b"41882317".hex()
    assert shown[3]["user_tokens"] == {}


def test_a_table_is_cut_with_a_notice(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MOST_ROWS", 2)
    assert told("sql select op from records")[-1] == "2 rows"
    hint = "LIMIT and WHERE choose others, FORMAT JSONL shows all, TO <file> writes all"
    assert told.asides == [f"Only the first 2 rows are shown: {hint}."]


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("selec", "Syntax error at or near 'selec'."),
        ("select 1 from nowhere", "The table or view `nowhere` cannot be found. Verify the spelling and correctness"),
        ("select 1 div 0", "Division by zero."),
    ],
)
def test_errors_are_one_line(told: Told, statement: str, line: str) -> None:
    found = failure(told, statement)
    assert len(found.lines) == 1
    assert found.lines[0].startswith(line)
    assert found.status is ExitStatus.COMMAND_FAILED


def test_a_path_that_no_file_matches_is_bad_data(told: Told) -> None:
    found = failure(told, f"over {TRAILS / 'xy*'} select * from records")
    assert found.lines == (f"no trail files match {TRAILS / 'xy*'}",)
    assert found.status is ExitStatus.BAD_DATA


def test_damage_is_bad_data(told: Told) -> None:
    found = failure(told, f"over {TRAILS / 'ft000000000'} select count(*) from records")
    assert found.lines[0].startswith(f"Error: {TRAILS / 'ft000000000'}, seqno 0, RBA 3522: ")
    assert found.status is ExitStatus.BAD_DATA


def test_the_format_as_a_table_is_there(told: Told) -> None:
    statement = f"select count(*) from trail with (path='{SHOP}', where=\"FILENAME *.SALES; IOTYPE INSERT; MATCH ALL\")"
    assert result(told, statement) == [(3,)]


def test_views_of_the_users_own_rest_on_ours(told: Told) -> None:
    assert told("sql create or replace temporary view inserts as select * from records where op = 'Insert'") == []
    assert result(told, "select count(*), count(raw) from inserts") == [(7, 7)]
    told(f"open {TRAILS / 'st000000000'}")
    assert result(told, "select min(file) from inserts") == [(str(TRAILS / "st000000000"),)]


def test_statements_without_views_need_no_trail(spark: SparkSession) -> None:  # noqa: ARG001 - the one that SQL finds
    told = Told(ENGINE)
    assert result(told, 'select 1 one, "a;b"') == [(1, "a;b")]
    assert not [event for event in told.events if isinstance(event, Notice)]


NEEDED: tuple[tuple[str, set[str] | frozenset[str]], ...] = (
    ("select table, count(*) from records group by table", {"table"}),
    ("select * from records", OFFERED),
    ("from records |> where rba > 0 |> limit 1", OFFERED),
    ("select count(*) from records", set()),
    ("select a.op from records a join records b on a.rba = b.audit_rba", {"op", "rba", "audit_rba"}),
    ("select op from records where xid in (select max(xid) from records)", {"op", "xid"}),
    ("select (select max(csn) from records), op from records", {"op", "csn"}),
    ("select op, rba from records union all select table, seqno from records", {"op", "rba", "table", "seqno"}),
    ("with w as (select * from records) select w.op, v.time from w join w v using (rba)", {"op", "time", "rba"}),
    ("select op, lag(rba) over (partition by table order by time) from records", {"op", "rba", "table", "time"}),
    ("select c.name from records lateral view explode(after) as c", {"after"}),
    ("select rba from records intersect select length from records", {"rba", "length"}),
    ("select op from records order by time limit 1", {"op", "time"}),
)


def test_only_what_a_query_needs_is_read(spark: SparkSession) -> None:
    spark.read.format("trail").option("columns", "all").load(str(SHOP)).createOrReplaceTempView("records")
    for query, needed in NEEDED:
        assert needed_columns(spark.sql(query), OFFERED) == needed, query


def test_reading_less_gives_the_same(told: Told) -> None:
    queries = (
        "select a.op, b.table from records a join records b on a.rba = b.rba order by a.rba",
        "select op, rba from records union all select table, seqno from records order by 2, 1",
    )
    for query in queries if IS_LONG else queries[:1]:
        everything = result(told, f"{query} -- ".replace("records", "(select * from records where raw is not null)"))
        assert result(told, query) == everything


def test_images_have_the_values_that_sourcedefs_tells(told: Told) -> None:
    told(f"open {TRAILS / 'ot000000'}; sourcedefs {DEFINITIONS}")
    columns = "select explode(after) one from records where op = 'Insert'"
    assert ("Sencha Fukamushi",) in result(told, f"select one.value from ({columns}) where one.name = 'NAME'")


def test_restarts_are_a_view_of_the_whole_trail(told: Told) -> None:
    told(f"open {TRAILS / 'at000000002'}")
    columns = "kind, rba, cut.csn, cut.records, cut.ended, again.begin.rba, typeof(time), unix_seconds(time)"
    [restart] = result(told, f"select {columns} from restarts")
    time = "timestamp", datetime(2024, 3, 14, 9, 35, tzinfo=UTC).timestamp()
    assert restart == ("abend", 2556, "41882402", 1, "cut", None, *time)
    told("filter include iotype insert")
    [refusal] = failure(told, "select * from restarts").lines
    assert refusal == "restarts needs whole trails: option where (a FILTER) cannot be used with it"


def test_open_transactions_are_a_view_with_the_numbers_of_br(told: Told, tmp_path: Path) -> None:
    told(f"open {write_trail(tmp_path / 'br000000000', HISTORY, created=-HOUR)}")
    [row] = result(told, "select xid, end - begin_high, duration, reach, begin_redo.log from open_transactions")
    assert row == ("9.9.2", timedelta(hours=8), 28_800.0, 21_600.0, 59)


def test_open_transactions_go_by_params(told: Told, tmp_path: Path) -> None:
    path = tmp_path / "ext.prm"
    path.write_text("EXTRACT ext\nBR BROFF\nEXTTRAIL lt\nTABLE *.*;\n")
    told(f"open {write_trail(tmp_path / 'br000000000', HISTORY, created=-HOUR)}; params {path}")
    assert result(told, "select persisted, reach from open_transactions") == [(False, 28_800.0)]


def test_ddl_is_a_view_that_goes_by_params(told: Told, tmp_path: Path) -> None:
    path = tmp_path / "r.prm"
    path.write_text("REPLICAT r\nDDL INCLUDE MAPPED\nMAP teahouse.*, TARGET tea2.*;\n")
    told(f"open {TRAILS / 'zt000000000'}; params {path}")
    by_outcome = "select outcome, count(*), min(rule.line) from ddl group by all order by all"
    assert result(told, by_outcome) == [("applied", 25, None), ("left_out", 2, 2)]
