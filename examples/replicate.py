"""Keep tables of a database equal to those of a trail's source, until Ctrl+C; committed changes remain.

    python examples/replicate.py 'dirdat/lt*' postgresql://user@host/database TEAHOUSE.TEAS TEAHOUSE.SALES

Missing tables are created. A second run continues after the changes in the database; ``--once`` stops at the end.
"""

from __future__ import annotations

import sys

import logdump.spark


def main(trail: str, target: str, *words: str) -> None:
    spark = logdump.spark.session()
    tables = [word for word in words if word != "--once"]
    try:
        logdump.spark.apply(spark, trail, target, tables, create=True, once="--once" in words, progress=show)
    finally:
        spark.stop()


def show(progress: logdump.spark.ApplyProgress) -> None:
    sys.stdout.write(f"{progress.rows:,} rows up to {progress.time}, {progress.rate:,.0f} a second\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
