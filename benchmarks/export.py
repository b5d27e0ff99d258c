"""EXPORT compared with the header scan and with pyarrow for the same rows: ``python -m benchmarks.export``.

Prints seconds, records/s and GB/s of trail, the ratio to the header scan and that to EXPORT PARQUET with SNAPPY; best
of three, warm page cache. pyarrow writes the exported tables from memory on one core, and reads the files.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import ours
from benchmarks.generate import LargeTrail, large_trail
from benchmarks.measure import best, peak_memory

AIM = 0.1
EXPORTS = {
    "PARQUET SNAPPY": "parquet to {target} by table compression snappy",
    "CSV BY TABLE": "csv to {target} by table",
    "JSONL BY TABLE": "jsonl to {target} by table",
    "CSV": "csv to {target}",
    "JSONL": "jsonl to {target}",
    "SQL": "sql to {target}",
    "SQL UNDO": "sql to {target} undo",
    "PARQUET ZSTD": "parquet to {target} by table compression zstd",
    "PARQUET NONE": "parquet to {target} by table compression none",
}
"""Exports to measure, by label; the last leaves the tables for pyarrow."""
_MEMORY_AIM = 600
_MEASURED_MEMORY = ("PARQUET SNAPPY", "CSV BY TABLE", "JSONL", "SQL")


def folder(trail: LargeTrail) -> Path:
    return trail.path.with_name("exported")


def report(trail: LargeTrail) -> None:
    """Measure and print."""
    with ours.LINES[0].on(trail) as scan:
        scanned = best(scan)
    _print("header scan", scanned, trail, scanned)
    seconds = {label: _export(words, trail) for label, words in EXPORTS.items()}
    parquet = seconds["PARQUET SNAPPY"]
    for label, duration in seconds.items():
        _print(f"EXPORT {label}", duration, trail, scanned, parquet / duration)
    redo = best(lambda: _redo(trail))
    _print("REDO, a process from nothing", redo, trail, scanned, parquet / redo)
    for label, run in _pyarrow(trail):
        duration = best(run)
        _print(label, duration, trail, scanned, parquet / duration)
    verdict = "reached" if scanned / parquet >= AIM else "missed"
    print(f"aim: EXPORT PARQUET at {AIM} of the header scan  {verdict}")
    for label in _MEASURED_MEMORY:
        command = f"open {trail.path}; {_command(EXPORTS[label], trail)}"
        memory = peak_memory([sys.executable, "-m", "logdump", "-c", command], trail.path)
        beyond = memory.beyond_mapping if memory.beyond_mapping is not None else memory.resident
        print(f"peak memory: {label} {beyond / 1e6:.0f} MB beyond the mapping (aim: under {_MEMORY_AIM})")
    _clear(trail)


def _command(words: str, trail: LargeTrail) -> str:
    """Return the command of an export, after removing its target."""
    _clear(trail)
    return f"export {words.format(target=folder(trail))} replace"


def _clear(trail: LargeTrail) -> None:
    target = folder(trail)
    shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)


def _export(words: str, trail: LargeTrail) -> float:
    with ours.commands("", f"position 0; {_command(words, trail)}")(trail) as export:
        return best(export)


def _redo(trail: LargeTrail) -> None:
    """Print the script for the whole trail to the null device."""
    command = [sys.executable, "-m", "logdump", "-c", f'open "{trail.path}"; redo {trail.facts.records}']
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def _pyarrow(trail: LargeTrail) -> list[tuple[str, Callable[[], object]]]:
    import pyarrow.parquet as pq  # noqa: PLC0415 - main has checked that it is installed

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


def _print(label: str, seconds: float, trail: LargeTrail, scanned: float, of_parquet: float | None = None) -> None:
    rate = trail.facts.records / seconds / 1e6
    ratio = "" if of_parquet is None else f"{of_parquet:8.3f}"
    scan = f"{trail.size / seconds / 1e9:8.3f} GB/s {scanned / seconds:8.3f}"
    print(f"{label:32}{seconds:9.3f} s {rate:8.3f} Mrec/s {scan}{ratio}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.export", description="Measure EXPORT.")
    parser.add_argument("--megabytes", type=int, default=300, help="size of the trail (default 300)")
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("pyarrow") is None:
        print("skipped: pyarrow is not installed")
        return
    report(large_trail(options.megabytes))


if __name__ == "__main__":
    main()
