"""Every verb over one trail, as a process from nothing: ``python -m benchmarks.verbs --transactions small``.

Prints for each verb the seconds to its first output, its processor seconds with all its children, its peak memory, and
the ratio of its processor time to that of COUNT DETAIL beside it: best of some rounds, in which all verbs take turns.
``--keep`` writes the ratios to ``verbs.json``; without it what has become a tenth slower than there is said at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.blocks import FILTERED, LARGE, SIZES
from benchmarks.generate import CACHE, large_trail
from benchmarks.measure import ENVIRONMENT

FIGURES = Path(__file__).with_name("verbs.json")
"""The ratios of the last release, by kind of trail and verb."""
COUNT = "count --detail"
_WORSE = 1.1
_TABLE = "TEAHOUSE.ORDERS"
VERBS = {
    COUNT: "-c 'open {trail}; count detail'",
    "count": "count {trail}",
    "count of a condition": "count {trail} --where 'AMOUNT > 900'",
    "list": "list {trail}",
    "list --limit 20": "list {trail} --limit 20",
    "list of one table": "list {trail} --table " + FILTERED,
    "list as JSON, 20,000": "list {trail} --limit 20000 --format jsonl",
    "show, 20,000": "show {trail} --limit 20000",
    "show as JSON, 20,000": "show {trail} --limit 20000 --format jsonl",
    "find what is not there": "find {trail} 'no such text'",
    "check": "check {trail}",
    "check --values": "check {trail} --values",
    "safe at the end": "-c 'open {trail}; position eof; position reverse; next; safe'",
    "recovery": "recovery {trail}",
    "heartbeat": "heartbeat {trail}",
    "doctor": "doctor {trail}",
    "tables": "tables {trail}",
    "transactions": "transactions {trail}",
    "show of metadata": "show {trail} --op metadata --limit 100",
    "info": "info {trail}",
    "report": "report {trail} -o {out}/page.html --replace",
    "compress": "compress {trail}",
    "row": "row {trail} " + _TABLE + " ID=1",
    "sql: counts": "sql 'select op, count(*) from records group by op' {trail}",
    "sql: a sum": "sql 'select sum(after_amount) from " + _TABLE + "' {trail}",
    "export of records as CSV": "export {trail} -o {out}/records.csv --replace",
    "export of records as JSON": "export {trail} -o {out}/records.jsonl --replace",
    "export by table as CSV": "export {trail} --by-table --format csv -o {out}/csv --replace",
    "export by table as Parquet": "export {trail} --by-table --format parquet -o {out}/parquet --replace",
    "export as SQL": "export {trail} -o {out}/changes.sql --replace",
    "redo": "redo {trail}",
    "undo": "undo {trail}",
    "diff of equal trails": "diff {trail} {copy}",
    "repair": "repair {trail} -o {out}/bt000000000 --replace",
}
"""The words of each verb, as entered in a shell."""
_ACCEPTED = frozenset({0, 1, 3, 4})
"""Exit statuses of a verb that has read the trail: 1 where FIND or ROW finds nothing, 3 for a warning, 4 for rows that
are left out: those with LOBs in pieces of an unknown layout."""


class Run(NamedTuple):
    """One run: seconds to the first output (None without any) and in all, processor seconds, peak memory in bytes."""

    first: float | None
    seconds: float
    processor: float
    memory: int


def run(words: str) -> Run:
    """Run a verb to its end with its output in a pipe.

    Raises:
        CalledProcessError: its status is none of a verb that has read the trail.
    """
    start, first = time.perf_counter(), None
    process = subprocess.Popen(
        f"exec {sys.executable} -m logdump {words}",
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    while os.read(process.stdout.fileno(), 1 << 20):
        first = time.perf_counter() - start if first is None else first
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode not in _ACCEPTED:
        raise subprocess.CalledProcessError(process.returncode, words)
    memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(first, time.perf_counter() - start, usage.ru_utime + usage.ru_stime, memory)


def measured(verbs: dict[str, str], trail: Path, rounds: int) -> dict[str, list[Run]]:
    """Return the runs of each verb, in turns; a verb that fails has none and is named."""
    out, copy = trail.with_name("verbs"), trail.with_name("copy") / trail.name
    shutil.rmtree(out, ignore_errors=True)
    for folder in (out, copy.parent):
        folder.mkdir(exist_ok=True)
    shutil.copyfile(trail, copy)
    runs: dict[str, list[Run]] = {label: [] for label in verbs}
    for _ in range(rounds):
        for label, words in verbs.items():
            try:
                runs[label].append(run(words.format(trail=trail, out=out, copy=copy)))
            except subprocess.CalledProcessError as error:
                print(f"{label} FAILED with status {error.returncode}: {words}")
    for folder in (out, copy.parent):
        shutil.rmtree(folder, ignore_errors=True)
    return runs


def ratios_of(runs: dict[str, list[Run]]) -> dict[str, float]:
    """Return the median, over the rounds, of the processor time of each verb to that of COUNT DETAIL."""
    counted = runs[COUNT]
    return {
        label: round(median(run.processor / count.processor for run, count in zip(own, counted, strict=True)), 2)
        for label, own in runs.items()
        if len(own) == len(counted)
    }


def report(runs: dict[str, list[Run]]) -> None:
    """Print a line for each verb."""
    ratios = ratios_of(runs)
    print(f"{'verb':28} {'first':>7} {'seconds':>8} {'CPU':>8} {'MB':>6} {'/ count':>8}  spread")
    for label, own in runs.items():
        if label not in ratios:
            continue
        firsts = [run.first for run in own if run.first is not None]
        first = f"{min(firsts):.2f}" if firsts else "-"
        processor = [run.processor for run in own]
        spread = f"{min(processor):.2f} to {max(processor):.2f}"
        seconds, memory = min(run.seconds for run in own), max(run.memory for run in own) / 1e6
        print(
            f"{label:28} {first:>7} {seconds:8.2f} {min(processor):8.2f} {memory:6.0f} {ratios[label]:8.2f}  {spread}"
        )


def worse_than_kept(ratios: dict[str, float], kept: dict[str, float]) -> list[str]:
    """Return a line for each verb whose ratio is more than a tenth above the one that is kept."""
    return [
        f"{label}: {ratio:.2f} of COUNT DETAIL, {kept[label]:.2f} at the last release"
        for label, ratio in ratios.items()
        if ratio > _WORSE * kept.get(label, ratio)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verbs", description="Measure every verb.")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--transactions", choices=tuple(SIZES), default=LARGE)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="names of verbs, separated by commas")
    parser.add_argument("--keep", action="store_true", help=f"write the ratios to {FIGURES.name}")
    options = parser.parse_args()
    CACHE.mkdir(exist_ok=True)
    trail = large_trail(options.megabytes, transactions=options.transactions)
    wanted = options.only.split(",") if options.only else list(VERBS)
    verbs = {label: words for label, words in VERBS.items() if label == COUNT or label in wanted}
    print(f"{trail.size} bytes, {trail.facts.records} records, {options.transactions} transactions", flush=True)
    runs = measured(verbs, trail.path, options.rounds)
    report(runs)
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    kind = f"{options.megabytes} MB, {options.transactions} transactions"
    ratios = ratios_of(runs)
    if options.keep:
        figures[kind] = figures.get(kind, {}) | ratios
        FIGURES.write_text(json.dumps(figures, indent=4) + "\n")
        return
    for line in worse_than_kept(ratios, figures.get(kind, {})):
        print(f"SLOWER: {line}")


if __name__ == "__main__":
    main()
