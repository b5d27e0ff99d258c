"""A job for spark-submit: the number of changes of each table in each hour, as Parquet.

    spark-submit --master 'local[*]' examples/changes_per_hour.py 'dirdat/lt*' changes

On a cluster every worker needs ``logdump[spark]`` and must be able to open the files.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everyone writes it

import logdump.spark

COLUMNS = "table,op,time,record_length"


def main(source: str, target: str) -> None:
    spark = SparkSession.builder.appName("changes per hour").getOrCreate()
    logdump.spark.register(spark)
    changes = spark.read.format("trail").option("columns", COLUMNS).load(source).where("table IS NOT NULL")
    hourly = changes.groupBy("table", "op", F.date_trunc("hour", "time").alias("hour"))
    summed = hourly.agg(F.count("*").alias("changes"), F.sum("record_length").alias("bytes"))
    summed.orderBy("hour", "table", "op").coalesce(1).write.mode("overwrite").parquet(target)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
