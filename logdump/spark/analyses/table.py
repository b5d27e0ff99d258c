"""The analyses of the data source; adding one is a module with it, and a line here."""

from __future__ import annotations

from logdump.spark.analyses.analysis import Analysis
from logdump.spark.analyses.ddl import DDL
from logdump.spark.analyses.heartbeats import HEARTBEATS
from logdump.spark.analyses.open_transactions import OPEN_TRANSACTIONS
from logdump.spark.analyses.restarts import RESTARTS
from logdump.spark.analyses.transactions import TRANSACTIONS

ANALYSES: dict[str, Analysis] = {one.name: one for one in (RESTARTS, TRANSACTIONS, OPEN_TRANSACTIONS, DDL, *HEARTBEATS)}
"""By name, in the order in which docs/spark.md has them."""
