"""Changes applied to PostgreSQL beside COPY of the same rows: ``python -m benchmarks.apply URL --transactions 20000``.

The five tables of the tests' simulated bank; in the database of the URL they are dropped and made.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import logdump.spark
from logdump.spark.targets.applier import by_table
from logdump.spark.targets.dialects import DatabaseDialect, dialect_for
from logdump.spark.targets.stream import target_for
from tests.logdump.spark.targets.bank import NAMES, changes_of, end_of, opened, parts, transactions_in
from tests.simulated.five_tables import bank_trail


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--transactions", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=5_000, help="transactions of the source in one of the target")
    given = parser.parse_args()
    if (dialect := dialect_for(given.url)) is None:
        parser.error("the URL is of no database")
    with tempfile.TemporaryDirectory() as folder:
        trail = Path(folder)
        bank_trail(trail, given.transactions, roll_chance=0.00005, cut_chance=0.01)
        rows, sources = changes_of(trail)
        print(f"{len(rows):,} changes, {sum(path.stat().st_size for path in trail.iterdir()) / 1e6:.0f} MB of trail")

        def copy() -> None:
            target = dialect.connect()
            cursor = target.cursor()
            for name, own in by_table(rows, [*NAMES]).items():
                columns = next(source.columns for source in sources if source.name == name)
                table = name.rpartition(".")[2].lower()
                cursor.execute(f"CREATE TEMPORARY TABLE copied_{table} AS SELECT * FROM {table} WHERE false")
                dialect.load(cursor, f"copied_{table}", own.select([*columns]))
            target.commit()
            target.close()

        def here() -> None:
            target = target_for(given.url)
            applier = opened(target, sources)
            found = transactions_in(rows)
            for at in range(0, len(found), given.batch):
                batch = pa.concat_tables(found[at : at + given.batch])
                applier.apply(parts(batch, 10_000), end_of(batch))
            target.close()

        clear(dialect)
        alone = timed("applied, without Spark", here, len(rows))
        copied = timed("COPY of the same rows", copy, len(rows))
        print(f"{alone / copied:.1f} times the seconds of COPY")
        spark = logdump.spark.session("local[2]")
        for run in ("first run", "applied by Spark"):
            clear(dialect)
            timed(run, lambda: in_spark(spark, trail, given.url), len(rows))
        spark.stop()


def in_spark(spark: Any, trail: Path, url: str) -> None:
    logdump.spark.apply(spark, f"{trail}/sm*", url, [*NAMES], create=True, once=True)


def clear(dialect: DatabaseDialect) -> None:
    connection = dialect.connect()
    for name in [*NAMES, "logdump_position"]:
        connection.execute(f"DROP TABLE IF EXISTS {name.rpartition('.')[2].lower()}")
    connection.commit()
    connection.close()


def timed(label: str, run: Callable[[], object], rows: int) -> float:
    start, cpu = time.perf_counter(), time.process_time()
    run()
    seconds = time.perf_counter() - start
    print(f"{label}: {seconds:.1f} s, {rows / seconds:,.0f} rows/s, {time.process_time() - cpu:.1f} s of this CPU")
    return seconds


if __name__ == "__main__":
    main()
