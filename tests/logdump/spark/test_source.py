"""``format("trail")`` in a real Spark: found, read, filtered, asked in SQL, refused in one line."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PythonException

from fixtures import TRAILS
from logdump.spark import TrailSource, register
from logdump.spark.jobs.counting import count_of as counted_from
from tests.logdump.tables.reads import rows
from tests.oracles.count_by_record import RecordTotals
from tests.searching import IS_LONG
from trailformat import TrailFile
from trailformat.totals.counting import OTHERS, Totals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[3]
MAPS = ("gg_tokens", "user_tokens", "ddl")


def frame(spark: SparkSession, path: Path | str, **options: Any) -> DataFrame:
    return spark.read.format("trail").options(**{"columns": "all", **options}).load(str(path))


def count_of(path: Path) -> Totals:
    count = RecordTotals()
    with TrailFile(path) as trail:
        for record in map(trail.record_at, trail.sound_rbas(0, trail.size)):
            assert record is not None
            count.add(record, trail.name_of(record))
    return count


def test_records_by_table_and_operation_are_those_of_count_detail(spark: SparkSession, evidence: Path) -> None:
    path = evidence / "tr000000000"
    frame(spark, path).createOrReplaceTempView("real")
    rows = spark.sql("SELECT table, op_code, count(*) FROM real GROUP BY table, op_code").collect()
    expected: Counter[tuple[str | None, int]] = Counter()
    for (name, _), tally in count_of(path).tables.items():
        for io_type, records in tally.types.items():
            expected[None if io_type == OTHERS or not name else name, io_type] += records
    assert {(name, OTHERS if code is None else code): records for name, code, records in rows} == dict(expected)


def test_count_from_the_summary_is_the_local_count(spark: SparkSession, evidence: Path) -> None:
    path = evidence / "tr000000000"
    summary = frame(spark, path, summary=True, maxPartitionBytes=900).collect()
    count, local = counted_from(row.asDict(recursive=True) for row in summary), count_of(path)
    assert {key: vars(tally) for key, tally in count.tables.items()} == {
        key: vars(tally) for key, tally in local.tables.items()
    }
    assert (count.transactions, count.table_visits) == (local.transactions, local.table_visits)


def test_rows_come_through_as_they_were_made(spark: SparkSession) -> None:
    found = [row.asDict(recursive=True) for row in frame(spark, TRAILS / "dt*").collect()]
    for row, made in zip(found, rows(TRAILS / "dt*"), strict=True):
        maps = {name: dict(made[name]) if made[name] is not None else None for name in MAPS}
        made_naive = {**made, **maps, "time": made["time"] and made["time"].astimezone().replace(tzinfo=None)}
        assert row == made_naive


def test_all_columns_of_all_fixtures_pass(spark: SparkSession) -> None:
    df = frame(spark, TRAILS, mode="PERMISSIVE", maxPartitionBytes=3000 if IS_LONG else 9000)
    expected = rows(TRAILS, "rba", "raw", mode="PERMISSIVE")
    assert df.count() == len(expected)
    assert sorted(bytes(row.raw) for row in df.select("raw").collect()) == sorted(row["raw"] for row in expected)
    df.write.format("noop").mode("overwrite").save()


def test_two_filters_on_one_frame_are_both_right(spark: SparkSession) -> None:
    df = frame(spark, TRAILS / "st*")
    inserts, updates = df.filter("op = 'Insert'"), df.filter("op = 'FieldComp'")
    assert (inserts.count(), df.count(), updates.count()) == (10, 26, 8)
    both = inserts.union(updates).groupBy("op").count().collect()
    assert {row.op: row["count"] for row in both} == {"Insert": 10, "FieldComp": 8}


@pytest.fixture
def pushdown(spark: SparkSession) -> Iterator[None]:
    name = "spark.sql.python.filterPushdown.enabled"
    spark.conf.set(name, "true")
    yield
    spark.conf.unset(name)


@pytest.mark.usefixtures("pushdown")
def test_filters_are_left_to_spark(spark: SparkSession) -> None:
    df = frame(spark, TRAILS / "st*")
    assert (df.filter("op = 'Insert'").count(), df.count()) == (10, 26)


def test_a_schema_and_columns_select(spark: SparkSession) -> None:
    found = spark.read.format("trail").schema("OP string, rba bigint").load(str(TRAILS / "et000000000"))
    assert found.columns == ["OP", "rba"]
    assert found.first() == ("FileHeader", 0)
    assert frame(spark, TRAILS / "et000000000", columns="rba,table").columns == ["rba", "table"]


def test_lists_of_paths(spark: SparkSession) -> None:
    paths = [str(TRAILS / name) for name in ("st000000000", "et000000000")]
    assert spark.read.format("trail").load(paths).select("file").distinct().count() == 2


def test_a_view_has_its_options(spark: SparkSession) -> None:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW v USING trail OPTIONS (path '{TRAILS}/st*', columns 'op,table')")
    found = spark.sql("SELECT op, count(*) AS n FROM v GROUP BY op").collect()
    assert {row.op: row.n for row in found} == {"FileHeader": 2, "Metadata": 6, "Insert": 10, "FieldComp": 8}


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    spark.sql("CREATE TABLE trail USING trail")
    yield "trail"
    spark.sql("DROP TABLE trail")


def test_with_gives_a_table_its_options(spark: SparkSession, table: str) -> None:
    source = f"FROM {table} WITH (path='{TRAILS}/st*', where='IOTYPE Insert', columns='op')"
    assert spark.sql(f"SELECT op, rba {source}").collect() == [("Insert", None)] * 10


def test_two_filters_in_one_statement(spark: SparkSession, table: str) -> None:
    parts = [f"SELECT op FROM {table} WITH (path='{TRAILS}/st*') WHERE op = '{op}'" for op in ("Insert", "FieldComp")]
    found = spark.sql(" UNION ALL ".join(parts)).groupBy("op").count().collect()
    assert {row.op: row["count"] for row in found} == {"Insert": 10, "FieldComp": 8}


def test_a_table_that_lost_its_options_names_the_form_that_keeps_them(spark: SparkSession) -> None:
    spark.sql(f"CREATE TABLE lost USING trail OPTIONS (path '{TRAILS}/st*')")
    try:
        with pytest.raises(AnalysisException, match=r"SELECT … FROM trail WITH \(path='…'\)"):
            spark.sql("SELECT * FROM lost").collect()
    finally:
        spark.sql("DROP TABLE lost")


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        (TRAILS / "zz*", {}, r"NoTrailFiles: no trail files match .*/zz\*"),
        (TRAILS / "st*", {"wher": "x"}, "BadOption: there is no option wher; did you mean where"),
        (TRAILS / "st*", {"maxPartitionBytes": "x"}, "BadOption: option maxPartitionBytes takes a number of bytes"),
        (
            TRAILS / "st*",
            {"columns": "tabel"},
            "BadOption: option columns: there is no column tabel; did you mean table",
        ),
        (TRAILS / "st*", {"where": "RECTYPE"}, "BadOption: option where: RECTYPE: "),
        (TRAILS / "ot*", {"sourceDefs": "zz.def"}, "BadOption: option sourceDefs: .*/zz.def: No such file"),
    ],
)
def test_a_read_that_cannot_be_planned(spark: SparkSession, path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(AnalysisException, match=message):
        frame(spark, path, **options).count()


@pytest.mark.parametrize("options", [{"sumary": "true"}, {"summary": "perhaps"}, {"where": "RECTYPE"}])
def test_a_wrong_option_is_a_line_in_a_session_of_ones_own(spark: SparkSession, options: dict[str, str]) -> None:
    """One that shows tracebacks, as Spark does by default; those of a user's own functions it goes on to show."""
    hides = "spark.sql.execution.pyspark.udf.hideTraceback.enabled"
    spark.conf.set(hides, "false")
    try:
        with pytest.raises(AnalysisException, match="BadOption: ") as caught:
            frame(spark, TRAILS / "st*", **options).count()
        text = str(caught.value)
        assert "Traceback" not in text
        assert [line for line in text.splitlines() if line.lstrip().startswith("File ")] == []
    finally:
        spark.conf.set(hides, "true")


def test_a_schema_that_does_not_fit(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match="BadSchema: schema: column rba is bigint, not string"):
        spark.read.format("trail").schema("rba string").load(str(TRAILS / "st*")).count()


def test_damage_is_one_line_with_its_place(spark: SparkSession) -> None:
    with pytest.raises(PythonException) as caught:
        frame(spark, TRAILS / "ft000000000").count()
    text = str(caught.value)
    assert "Traceback" not in text
    assert re.search(rf"BadTrail: {TRAILS}/ft000000000, seqno 0, RBA \d+: .*; mode PERMISSIVE shows them", text)


def test_the_log_of_spark_has_no_line_of_a_task_that_failed(spark: SparkSession) -> None:
    """Each would have some thirty of the JVM, and three kilobytes of JSON."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    for name in ("org.apache.spark.scheduler.TaskSetManager", "org.apache.spark.executor.Executor"):
        logger = jvm.org.apache.logging.log4j.LogManager.getLogger(name)
        assert not logger.isErrorEnabled()
    assert not logging.getLogger("SQLQueryContextLogger").isEnabledFor(logging.CRITICAL)


def test_the_corrupt_record_counts_alike_in_every_query(spark: SparkSession) -> None:
    df = frame(spark, TRAILS / "ft000000000", mode="PERMISSIVE")
    assert df.filter("_corrupt_record IS NOT NULL").count() == 1
    assert df.select("_corrupt_record").filter("_corrupt_record IS NOT NULL").count() == 1
    renamed = frame(spark, TRAILS / "ft000000000", mode="PERMISSIVE", columnNameOfCorruptRecord="damage")
    assert renamed.filter("damage IS NOT NULL").count() == 1


def test_a_hundred_pieces_in_spark(spark: SparkSession) -> None:
    df = frame(spark, TRAILS / "st*", maxPartitionBytes=70)
    found = [tuple(row) for row in df.select("seqno", "rba", "table", "csn").collect()]
    assert found == [tuple(row.values()) for row in rows(TRAILS / "st*", "seqno", "rba", "table", "csn")]


def test_the_format_is_discovered_without_registration(spark: SparkSession) -> None:
    class Other(TrailSource):
        @classmethod
        def name(cls) -> str:
            return "other"

    spark.dataSource.register(Other)
    unregistered = spark.newSession()
    assert frame(unregistered, TRAILS / "et000000000").count() == 22
    with pytest.raises(Py4JJavaError, match="DATA_SOURCE_NOT_FOUND"):
        unregistered.read.format("other").load("x")


def test_registering_twice_does_nothing(spark: SparkSession) -> None:
    register(spark)
    register(spark)
