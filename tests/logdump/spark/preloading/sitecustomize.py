"""Run by each Python that Spark starts, if this folder is in its path: a daemon imports what its workers need.

Spark has a daemon for each kind of worker, and only that of tasks can be replaced by a setting. Workers are forks of
their daemon: what it has imported they need not import again. PySpark is that of the environment, with bytecode: the
archives of Spark have none, and before each task their directories are read for each package imported from them.
"""

from __future__ import annotations

import gc
import importlib
import sys
from contextlib import suppress

_MODULES = (
    "logdump.arrow.records.columns.parts",
    "logdump.arrow.records.texts",
    "logdump.filters.rows",
    "logdump.features.recovery.views",
    "logdump.spark.source.data_source",
    "logdump.tables.reader",
    "logdump.spark.write.writer",
    "pyspark.sql.worker.plan_data_source_read",
    "trailformat.totals.counting",
)

_USERS = (
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.plan_data_source_read",
    "pyspark.worker",
)

sys.path[:] = [folder for folder in sys.path if not folder.endswith(".zip")]
if sys.orig_argv[1:2] == ["-m"] and sys.orig_argv[2].endswith("daemon"):
    worker = sys.orig_argv[-1]
    for module in (*(_MODULES if worker in _USERS else ()), worker):
        with suppress(ImportError):
            importlib.import_module(module)
    gc.freeze()
