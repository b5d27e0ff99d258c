"""Makes ``format("trail")`` known: PySpark imports packages named ``pyspark_*`` and uses their ``DefaultSource``."""

from __future__ import annotations

from logdump.spark.source.data_source import TrailSource as DefaultSource

__all__ = ["DefaultSource"]
