"""Spark reads, streams and takes tables of a trail in a bucket: workers get the store's options with the query."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fixtures import TRAILS
from tests.logdump.stores.conftest import put, s3, s3_server  # noqa: F401 - fixtures
from tests.logdump.stores.servers import CREDENTIALS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

NAMES = ("at000000000", "at000000001", "at000000002")


@pytest.fixture
def options(s3_server: str) -> dict[str, str]:  # noqa: F811
    given = {"endpoint_url": s3_server, "key": CREDENTIALS["AWS_ACCESS_KEY_ID"]}
    return {"storageOptions": json.dumps(given | {"secret": CREDENTIALS["AWS_SECRET_ACCESS_KEY"]})}


@pytest.fixture
def bucket(s3: str, put: Callable[[str, bytes], None]) -> str:  # noqa: F811
    for name in NAMES:
        put(f"{s3}/dirdat/{name}", (TRAILS / name).read_bytes())
    return s3


def _rows(frame: DataFrame) -> list[Any]:
    return sorted(str(row) for row in frame.collect())


def _streamed(spark: SparkSession, folder: str, checkpoint: Path, options: dict[str, str]) -> list[str]:
    found: list[str] = []
    stream = spark.readStream.format("trail").options(**options).load(folder).select("seqno", "rba", "op")
    query = (
        stream.writeStream.foreachBatch(lambda frame, _: found.extend(_rows(frame)))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return sorted(found)


def test_a_read_a_stream_and_a_table_have_the_rows_of_the_local_trail(
    spark: SparkSession, bucket: str, options: dict[str, str], tmp_path: Path
) -> None:
    here = tmp_path / "dirdat"
    here.mkdir()
    for name in NAMES:
        (here / name).write_bytes((TRAILS / name).read_bytes())
    remote, local = f"{bucket}/dirdat/at*", f"{here}/at*"
    columns = ("seqno", "rba", "op", "csn")
    read = spark.read.format("trail").options(**options).load(remote).select(*columns)
    assert _rows(read) == _rows(spark.read.format("trail").load(local).select(*columns))
    table = {"table": "TEAHOUSE.TEAS"}
    assert _rows(spark.read.format("trail").options(**options, **table).load(remote).drop("file")) == _rows(
        spark.read.format("trail").options(**table).load(local).drop("file")
    )
    streamed = [
        _streamed(spark, f"{bucket}/dirdat", tmp_path / "there", options),
        _streamed(spark, str(here), tmp_path / "here", {}),
    ]
    assert streamed[0] == streamed[1]
    assert len(streamed[0]) > 20
