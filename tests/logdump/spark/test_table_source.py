"""``logdump.spark.table`` in a real Spark: a table's rows with its columns and types."""

from __future__ import annotations

import shutil
from datetime import UTC
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException

from fixtures import TRAILS
from logdump.spark import register, table
from tests.logdump.tables.test_tables import rows_of
from tests.trailformat.samples import header, metadata_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import (
    ByteOrder,
    ColumnDefinition,
    Images,
    Record,
    TableDefinition,
    encode_value,
    make_column,
    make_record,
)
from trailformat.definitions.metadata import build_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
BIG = ByteOrder.BIG
TEAS, TEA_TRAIL = "TEAHOUSE.TEAS", TRAILS / "et000000000"


def _plain(row: Any, zoned: set[str]) -> dict[str, Any]:
    """A collected row; Spark gives times with a zone in that of the machine, without one."""
    values: dict[str, Any] = row.asDict(recursive=True)
    times = {name: values[name].astimezone(UTC) for name in ("time", *zoned) if values[name] is not None}
    return values | times


def test_the_real_table_has_its_columns_types_and_rows(spark: SparkSession, evidence: Path) -> None:
    orders = table(spark, evidence / "tr000000000", "QASOURCE.TCUSTORD")
    assert dict(orders.dtypes)["after_PRODUCT_PRICE"] == "decimal(20,2)"
    assert dict(orders.dtypes)["after_ORDER_DATE"] == "timestamp_ntz"
    prices = orders.select("op", "after_CUST_CODE", "after_ORDER_DATE", "after_PRODUCT_PRICE").collect()
    assert ("INSERT", "WILL", "1994-09-30 15:33:00", "17520.00") in [tuple(map(str, row)) for row in prices]


_LATE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=3, suppress_health_check=_LATE)
@given(rows=st.lists(st.tuples(*(kind.values for kind in KINDS.values())), min_size=1, max_size=3))
def test_values_of_all_types_come_through_as_they_were_made(
    rows: list[tuple[Any, ...]], spark: SparkSession, tmp_path: Path
) -> None:
    columns = tuple(kind.definition._replace(name=f"C{number}") for number, kind in enumerate(KINDS.values()))
    path = trail_of(tmp_path, metadata_record(2, 1, TEAS, build_table(TableDefinition(1, 1, columns), BIG), BIG))
    with path.open("ab") as file:
        file.writelines(_inserted(row, columns).raw for row in rows)
    zoned = {f"after_C{number}" for number, name in enumerate(KINDS) if "zone" in name}
    found = [_plain(row, zoned) for row in table(spark, path, TEAS, undecodable="null").collect()]
    assert found == rows_of(path, TEAS, undecodable="null")


def _inserted(row: tuple[Any, ...], columns: tuple[ColumnDefinition, ...]) -> Record:
    stored = (encode_value(value, definition, BIG) for value, definition in zip(row, columns, strict=True))
    image = tuple(make_column(index, data) for index, data in enumerate(stored))
    return make_record(header(1, BIG), Images(None, image), order=BIG)


def test_a_statement_of_sql_takes_the_rows_of_a_table(spark: SparkSession) -> None:
    register(spark)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW teas USING trail OPTIONS (path '{TEA_TRAIL}', rowsOf '{TEAS}')")
    found = spark.sql("SELECT op, after_PRICE FROM teas LIMIT 1").collect()
    assert [tuple(row) for row in found] == [("INSERT", Decimal("8.90"))]


def test_a_stream_takes_the_rows_of_a_table(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "dirdat").mkdir()
    shutil.copy(TEA_TRAIL, tmp_path / "dirdat")
    changes = spark.readStream.format("trail").option("rowsOf", TEAS).load(str(tmp_path / "dirdat"))
    query = changes.writeStream.format("memory").queryName("streamed_teas").trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    found = [row.rba for row in spark.sql("SELECT rba FROM streamed_teas ORDER BY rba").collect()]
    assert found == [row["rba"] for row in rows_of(TEA_TRAIL, TEAS)]


def test_a_schema_of_ones_own_takes_fewer_columns(spark: SparkSession) -> None:
    reader = spark.read.format("trail").option("rowsOf", TEAS).schema("op string, after_STOCK_KG int")
    assert reader.load(str(TEA_TRAIL)).first() == ("INSERT", 120)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("TEAHOUSE.TEA", {}, "there is no table TEAHOUSE.TEA; did you mean TEAHOUSE.TEAS?"),
        (TEAS, {"columns": "after_PRIZE"}, "there is no column after_PRIZE; did you mean after_PRICE?"),
        (TEAS, {"summary": "true"}, "rows of a table do not go with summary"),
    ],
)
def test_what_a_table_has_not_is_refused_in_one_line(
    name: str, options: dict[str, str], message: str, spark: SparkSession
) -> None:
    with pytest.raises(AnalysisException) as refusal:
        table(spark, TEA_TRAIL, name, **options).collect()
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("op string, PRICE int", "there is no column PRICE"),
        ("after_PRICE array<int>", "column after_PRICE is one of"),
        ("time string", "column time is timestamp"),
    ],
)
def test_a_schema_that_no_table_has_is_refused(schema: str, message: str, spark: SparkSession) -> None:
    reader = spark.read.format("trail").option("rowsOf", TEAS).schema(schema)
    with pytest.raises(AnalysisException) as refusal:
        reader.load(str(TEA_TRAIL)).collect()
    assert message in str(refusal.value)
