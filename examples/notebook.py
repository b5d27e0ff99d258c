"""A notebook as a script: each cell begins with ``# %%``, as Jupytext, VS Code and Spyder expect.

TRAIL names the files, TABLE a table in them: ``TRAIL='dirdat/lt*' TABLE=SALES.ORDERS python examples/notebook.py``.
"""

# %% A session that suits trails
from __future__ import annotations

import os

from pyspark.sql import functions as F  # noqa: N812 - as everyone writes it

import logdump.spark

TRAIL = os.environ.get("TRAIL", "fixtures/trails/st*")
TABLE = os.environ.get("TABLE", "TEAHOUSE.TEAS")
spark = logdump.spark.session()

# %% Contents: each task returns a few rows of sums, not the records
summary = spark.read.format("trail").option("summary", "true").load(TRAIL)
sizes = summary.groupBy("table", "op").agg(F.sum("records").alias("records"), F.sum("bytes").alias("bytes"))
sizes.orderBy(F.desc("bytes")).show(truncate=False)

# %% The inserts of one schema: filter and columns are options of the source, which decodes nothing else
reader = spark.read.format("trail").option("where", "FILENAME teahouse.*; IOTYPE INSERT; MATCH ALL")
inserts = reader.option("columns", "table,csn,time,after").load(TRAIL)
columns = inserts.select("table", "csn", F.explode("after").alias("column"))
columns.select("table", "csn", "column.name", "column.value").show(5, truncate=False)

# %% One table: its own columns, with their types
sales = logdump.spark.table(spark, TRAIL, TABLE)
sales.orderBy("rba").show(3, vertical=True, truncate=False)

# %% Transactions, largest first
records = spark.read.format("trail").option("columns", "xid,csn,record_length").load(TRAIL)
transactions = records.where("xid IS NOT NULL").groupBy("xid", "csn")
transactions.agg(F.count("*").alias("records"), F.sum("record_length").alias("bytes")).orderBy(F.desc("bytes")).show(3)

# %% The same in SQL
spark.sql("CREATE TEMPORARY VIEW changes USING trail OPTIONS (path '" + TRAIL + "', columns 'op')")
spark.sql("SELECT op, count(*) AS records FROM changes GROUP BY op ORDER BY op").show()
