"""A driver to be killed: ``python -m tests.logdump.spark.targets.killed TRAIL URL TABLES BATCH [GIVEN]``."""

from __future__ import annotations

import json
import sys

import logdump.spark


def main(path: str, url: str, tables: str, batch: str, given: str = "{}") -> None:
    """Apply what is there, a line for each commit; ``given`` are more arguments as JSON."""
    more = {"create": True, "once": True, **json.loads(given)}
    spark = logdump.spark.session("local[2,4]")
    logdump.spark.apply(spark, path, url, tables.split(","), batch=batch, progress=_tell, **more)
    spark.stop()


def _tell(progress: logdump.spark.ApplyProgress) -> None:
    sys.stdout.write(f"{progress.rows} {progress.transactions} {progress.rate:.0f}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
