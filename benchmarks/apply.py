"""Changes applied to PostgreSQL beside COPY of the same rows: ``python -m benchmarks.apply --transactions 50000``.

The five tables of the tests' simulated bank; in the database of the URL they are dropped and made. Without a URL a
server is started. The rate a processor second is that of all processes of the run but the server's.
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
from benchmarks.spark_peers import processor_seconds
from logdump.targets.applier import by_table
from logdump.targets.dialects import DatabaseDialect, dialect_for
from logdump.targets.run import target_for
from tests.logdump.spark.targets.bank import NAMES, changes_of, end_of, opened, parts, transactions_in
from tests.logdump.spark.targets.places import postgresql_place
from tests.logdump.statements.servers import postgresql_server
from tests.simulated.five_tables import bank_trail


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?")
    parser.add_argument("--transactions", type=int, default=50_000)
    parser.add_argument("--restarts", type=float, default=0.0005, help="chance that Extract cuts a transaction")
    parser.add_argument("--batch", type=int, default=5_000, help="transactions of the source in one of the target")
    given = parser.parse_args()
    started = (postgresql_place(server).url for server in postgresql_server())
    for url in [given.url] if given.url else started:
        given.url = url
        measure(parser, given)


def measure(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    if (dialect := dialect_for(given.url)) is None:
        parser.error("the URL is of no database")
    with tempfile.TemporaryDirectory() as folder:
        trail = Path(folder)
        bank_trail(trail, given.transactions, roll_chance=given.restarts / 100, cut_chance=given.restarts)
        rows, sources = changes_of(trail)
        sizes = [path.stat().st_size for path in trail.iterdir()]
        print(f"{len(rows):,} changes, {sum(sizes) / 1e6:.0f} MB of trail in {len(sizes)} files")

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
            transactions = transactions_in(rows)
            for start in range(0, len(transactions), given.batch):
                batch = pa.concat_tables(transactions[start : start + given.batch])
                applier.apply(parts(batch, 10_000), end_of(batch))
            target.close()

        clear(dialect)
        alone = timed("applied, without Spark", here, len(rows))
        copied = timed("COPY of the same rows", copy, len(rows))
        spark = logdump.spark.session("local[2]")
        for run in ("first run by Spark", "applied by Spark"):
            clear(dialect)
            by_spark = timed(run, lambda: in_spark(spark, trail, given.url), len(rows))
        spark.stop()
        print(f"rates: by Spark / COPY {copied / by_spark:.2f}, by Spark / without {alone / by_spark:.2f}")


def in_spark(spark: Any, trail: Path, url: str) -> None:
    logdump.spark.apply(spark, f"{trail}/sm*", url, [*NAMES], create=True, once=True)


def clear(dialect: DatabaseDialect) -> None:
    connection = dialect.connect()
    for name in [*NAMES, "logdump_position"]:
        connection.execute(f"DROP TABLE IF EXISTS {name.rpartition('.')[2].lower()}")
    connection.commit()
    connection.close()


def timed(label: str, run: Callable[[], object], rows: int) -> float:
    start, cpu = time.perf_counter(), processor_seconds()
    run()
    seconds, cpu = time.perf_counter() - start, processor_seconds() - cpu
    print(
        f"{label}: {seconds:.1f} s, {rows / seconds:,.0f} rows/s, {rows / cpu:,.0f} rows a processor second", flush=True
    )
    return seconds


if __name__ == "__main__":
    main()
