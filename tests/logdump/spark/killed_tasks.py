"""Saves a trail in both ways while tasks die: ``python -m tests.logdump.spark.killed_tasks SOURCE OUT``.

Prints a JSON line: how many tasks failed, and the process that owns the folder of the DataFrame's job.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.spark import save, session
from logdump.spark.write.job_folder import driver_pid

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _failed_tasks(spark: SparkSession) -> int:
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(one) for one in tracker.getJobIdsForGroup(None)]
    stages = [tracker.getStageInfo(number) for job in jobs if job is not None for number in job.stageIds]
    return sum(one.numFailedTasks for one in stages if one is not None)


def main(source: Path, out: Path) -> None:
    """Save ``source`` to two directories in ``out``."""
    spark = session("local[2,4]", spark_python_daemon_module="tests.logdump.spark.killing_daemon")
    saved = save(spark, source, out / "direct")
    by_save = _failed_tasks(spark)
    rows = spark.read.format("trail").option("maxPartitionBytes", "0").load(str(source))
    rows.select("file", "rba", "raw").write.format("trail").mode("append").save(str(out / "frame"))
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    found = {
        "saved": [one.records for one in saved],
        "by_save": by_save,
        "by_frame": _failed_tasks(spark) - by_save,
        "owner": spark.sparkContext.parallelize([0], 1).map(lambda _: driver_pid()).collect()[0],
        "jvm": jvm.ProcessHandle.current().pid(),
    }
    spark.stop()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
