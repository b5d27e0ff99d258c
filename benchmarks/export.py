"""EXPORT PARQUET beside the header scan, and pyarrow with the same rows: ``python -m benchmarks.export``.

Prints seconds, records/s and GB/s of trail, and the ratio to the header scan; best of three, warm page cache. pyarrow
writes the tables that were exported from memory, one core, and reads the files.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import ours
from benchmarks.generate import LargeTrail, large_trail
from benchmarks.measure import best, peak_memory

AIM = 0.1
_MEMORY_AIM = 600


def folder(trail: LargeTrail) -> Path:
    """Where the tables go."""
    return trail.path.with_name("exported")


def report(trail: LargeTrail) -> None:
    """Measure and print."""
    with ours.LINES[0].on(trail) as scan:
        scanned = best(scan)
    _print("header scan", scanned, trail, scanned)
    for words in ("snappy", "zstd", "none"):
        command = f'position 0; export parquet to "{folder(trail)}" by table replace compression {words}'
        with ours.commands("", command)(trail) as export:
            seconds = best(export)
        _print(f"EXPORT PARQUET, {words}", seconds, trail, scanned)
        if words == "snappy":
            verdict = "reached" if scanned / seconds >= AIM else "missed"
    for label, run in _pyarrow(trail):
        _print(label, best(run), trail, scanned)
    print(f"aim: EXPORT PARQUET at {AIM} of the header scan  {verdict}")
    command = f"open {trail.path}; export parquet to {folder(trail)} by table replace"
    memory = peak_memory([sys.executable, "-m", "logdump", "-c", command], trail.path)
    beyond = memory.beyond_mapping if memory.beyond_mapping is not None else memory.resident
    print(f"peak memory: {beyond / 1e6:.0f} MB beyond the mapping (aim: under {_MEMORY_AIM})")
    shutil.rmtree(folder(trail))


def _pyarrow(trail: LargeTrail) -> list[tuple[str, Callable[[], object]]]:
    import pyarrow.parquet as pq  # noqa: PLC0415 - looked for before

    files = sorted(folder(trail).iterdir())
    tables = [pq.read_table(path) for path in files]
    target = trail.path.with_name("written.parquet")

    def write() -> None:
        for table in tables:
            pq.write_table(table, target, row_group_size=1 << 17)
        target.unlink()

    return [
        ("pyarrow writes the same rows", write),
        ("pyarrow reads them, one thread", lambda: [pq.read_table(path, use_threads=False) for path in files]),
    ]


def _print(label: str, seconds: float, trail: LargeTrail, scanned: float) -> None:
    rate = trail.facts.records / seconds / 1e6
    print(
        f"{label:32}{seconds:9.3f} s {rate:8.3f} Mrec/s {trail.size / seconds / 1e9:8.3f} GB/s {scanned / seconds:8.3f}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.export", description="Measure EXPORT PARQUET.")
    parser.add_argument("--megabytes", type=int, default=300, help="size of the trail (default 300)")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("pyarrow") is None:
        print("skipped: pyarrow is not installed")
        return
    report(large_trail(options.megabytes))


if __name__ == "__main__":
    main()
