"""Trails as DataFrames.

    import logdump.spark

    spark = logdump.spark.session()
    spark.read.format("trail").load("dirdat/lt*").groupBy("table", "op").count().show()

PySpark is imported when something here is used, not before.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logdump.spark.comparison.diff import diff
    from logdump.spark.jobs.local_session import register, session
    from logdump.spark.source.data_source import TrailSource
    from logdump.spark.stream.apply import apply, publish
    from logdump.spark.stream.latest import latest
    from logdump.spark.tables import changes, heartbeats, table
    from logdump.spark.write.publish import SavedFile
    from logdump.spark.write.save import save
    from logdump.targets.target import ApplyProgress

_HOMES = {
    "SavedFile": "spark.write.publish",
    "ApplyProgress": "targets.applier",
    "apply": "spark.stream.apply",
    "changes": "spark.tables",
    "TrailSource": "spark.source.data_source",
    "diff": "spark.comparison.diff",
    "heartbeats": "spark.tables",
    "latest": "spark.stream.latest",
    "publish": "spark.stream.apply",
    "register": "spark.jobs.local_session",
    "save": "spark.write.save",
    "session": "spark.jobs.local_session",
    "table": "spark.tables",
}
"""The module of each public name."""

__all__ = [
    "ApplyProgress",
    "SavedFile",
    "TrailSource",
    "apply",
    "changes",
    "diff",
    "heartbeats",
    "latest",
    "publish",
    "register",
    "save",
    "session",
    "table",
]

_MISSING = "Spark is an extra: pip install 'logdump[spark]' (pyspark 4 and pyarrow)"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"logdump.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in {"pyspark", "pyarrow", "numpy"}:
            raise ModuleNotFoundError(f"{error}. {_MISSING}", name=error.name) from error
        raise
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
