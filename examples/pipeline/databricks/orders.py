"""The table of orders in a pipeline of Databricks, kept equal to its source by AUTO CDC. It has not been run there.

docs/clusters.md has the recipe; a test runs it with Spark as far as Spark goes without a format that merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark import pipelines as dp
from pyspark.sql import SparkSession

import logdump.spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

spark = SparkSession.active()
logdump.spark.register(spark)
TRAIL = spark.conf.get("shop.trail", "/Volumes/main/shop/dirdat/sh") or ""
OF_THE_CHANGE = ["_table", "_op", "_sequence", "_absent", "_csn", "_xid", "_time", "_file", "_rba", "_problems"]


@dp.temporary_view
def orders_changes() -> DataFrame:
    return logdump.spark.changes(spark, TRAIL, "SHOP.ORDERS", stream=True, effective=True)


dp.create_streaming_table("orders")
dp.create_auto_cdc_flow(
    target="orders",
    source="orders_changes",
    keys=["ID"],
    sequence_by="_sequence",
    apply_as_deletes="_op = 'delete'",
    except_column_list=OF_THE_CHANGE,
)
