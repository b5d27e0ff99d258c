"""PySpark looks for packages named ``pyspark_*`` and takes their ``DefaultSource``: so ``format("trail")`` is known."""

from __future__ import annotations

from logdump.spark.source.data_source import TrailSource as DefaultSource

__all__ = ["DefaultSource"]
