"""NEXT of many records, as text and as JSON lines: ``python -m benchmarks.records [--megabytes N] [--records N]``.

Prints records/s, compared with records that are read one by one and not printed, and with `pg_waldump`, which prints
as many records of write-ahead log. Best of three; processor time of whole processes less that of their start; output to
the null device.
"""

from __future__ import annotations

import argparse
import resource
import sys

from benchmarks.generate import CACHE, LargeTrail, large_trail
from benchmarks.measure import RUNS, Missing, run_silently
from benchmarks.wal import find_pg_waldump, wal_of

SWITCHES = {
    "NEXT": "",
    "NEXT, all switches": "ghdr on; detail data; ggstoken detail; usertoken detail; ",
    "NEXT, JSON lines": "format jsonl; ",
    "NEXT, JSON without columns": "format jsonl; ",
}
AIMS = {"NEXT": 60_000, "NEXT, all switches": 20_000, "NEXT, JSON lines": 60_000, "NEXT, JSON without columns": 25_000}
MOST = {"NEXT, JSON without columns": 7_000}
"""Maximum number of records of a line, if more of them would be processed in another way."""
_READ = "records that are read alone"
_READ_ALONE = """
from itertools import islice
from trailformat import TrailFile
with TrailFile({path!r}) as source:
    for record in islice(source.records(), {records}):
        record.raw
"""


def report(trail: LargeTrail, records: int) -> None:
    """Measure and print."""
    records = min(records, trail.facts.records)
    read = _least([sys.executable, "-c", _READ_ALONE.format(path=str(trail.path), records=records)])
    read -= _least([sys.executable, "-c", _READ_ALONE.format(path=str(trail.path), records=1)])
    _print(_READ, records, read, read)
    for label, switches in SWITCHES.items():
        count = min(records, MOST.get(label, records))
        seconds = _least(_process(trail, switches, count)) - _least(_process(trail, switches, 1))
        aim = "reached" if count / seconds >= AIMS[label] else "missed"
        _print(label, count, seconds, read * count / records, f"aim: {AIMS[label]:,} {aim}")
    try:
        seconds = _least(_pg_waldump(trail, records))
    except Missing as missing:
        print(f"pg_waldump: {missing}")
    else:
        _print("pg_waldump", records, seconds, read)


def _least(command: list[str]) -> float:
    """Return the least processor time of some runs, in seconds."""
    return min(_processor_time(command) for _ in range(RUNS))


def _processor_time(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_silently(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _process(trail: LargeTrail, switches: str, records: int) -> list[str]:
    return [sys.executable, "-m", "logdump", "-c", f'{switches}open "{trail.path}"; next {records}']


def _pg_waldump(trail: LargeTrail, records: int) -> list[str]:
    """Return the command line. Raises Missing if PostgreSQL is not installed."""
    path, wal = find_pg_waldump(), wal_of(trail.size, CACHE)
    return [path, "-n", str(records), "-p", str(wal.folder), "-s", wal.start, "-e", wal.end]


def _print(label: str, records: int, seconds: float, read: float, note: str = "") -> None:
    print(f"{label:<28} {seconds:7.2f} s  {records / seconds:>9,.0f} records/s  {read / seconds:5.2f}  {note}".rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.records", description="Print many records.")
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--records", type=int, default=100_000)
    options = parser.parse_args()
    report(large_trail(options.megabytes), options.records)


if __name__ == "__main__":
    main()
