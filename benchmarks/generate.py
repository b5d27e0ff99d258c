"""Make large realistic trails: ``python -m benchmarks.generate [PATH] --megabytes 2000 --seed 1 --order big``.

Twelve tables with rows of 60 to 900 bytes, transactions of 1 to some 2000 records, inserts, updates (FieldComp and
unified), deletes, pieces of large objects; a file header, a DDR and TDRs in front. The same arguments give the same
bytes. Blocks of transactions are built once and written again and again with new times, CSNs and positions: 2 GB take
seconds.

A trail that is there already, with the facts beside it (``PATH.json``), is not made again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.blocks import Clock, Facts, Source
from fixtures.capture import OPENING
from trailformat import ByteOrder

CACHE = Path(tempfile.gettempdir()) / "logdump-benchmarks"
"""Where trails go when no path is given."""

MEGABYTE = 1_000_000
_NAMES = {"big": "bt000000000", "little": "bl000000000"}
_GENERATION = 2
"""Counts the changes to what comes out, so that a trail of an older generator is not taken for a new one."""


class LargeTrail(NamedTuple):
    """A trail on disk, and what is in it."""

    path: Path
    size: int
    facts: Facts
    order: str


def large_trail(megabytes: int, seed: int = 1, order: str = "big", path: Path | None = None) -> LargeTrail:
    """The trail for these arguments: the one that is there, or a new one."""
    if path is None:
        path = CACHE / f"{order}-{megabytes}-{seed}" / _NAMES[order]
    wanted: dict[str, Any] = {"generation": _GENERATION, "megabytes": megabytes, "seed": seed, "order": order}
    found = _read_facts(path)
    if found is None or {key: found.get(key) for key in wanted} != wanted:
        found = wanted | _make(path, megabytes * MEGABYTE, seed, ByteOrder[order.upper()])
        _facts_path(path).write_text(json.dumps(found), encoding="utf-8")
    return LargeTrail(path, found["bytes"], Facts(*(found[name] for name in Facts._fields)), order)


def _facts_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _read_facts(path: Path) -> dict[str, Any] | None:
    """What was noted about the trail; None when there is none, or it is not the one that was noted."""
    try:
        found: dict[str, Any] = json.loads(_facts_path(path).read_text(encoding="utf-8"))
        return found if path.stat().st_size == found["bytes"] else None
    except (OSError, ValueError, KeyError):
        return None


def _make(path: Path, size: int, seed: int, order: ByteOrder) -> dict[str, int]:
    """Write the trail under a temporary name, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source, clock = Source(order, seed), Clock(order, OPENING)
    facts, written = source.opening_facts, len(source.opening)
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(source.opening)
            while count := (block := source.next_block()).fitting(size - written):
                facts = facts.plus(clock.stamp(block, count))
                written += file.write(memoryview(block.data)[: block.transactions[count - 1].end])
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return {"bytes": written, **facts._asdict()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description="Make a large trail.")
    parser.add_argument("path", nargs="?", type=Path, help=f"the file (default: below {CACHE})")
    parser.add_argument("--megabytes", type=int, default=2000, help="size, at most (default 2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", choices=("big", "little"), default="big")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    trail = large_trail(options.megabytes, options.seed, options.order, options.path)
    seconds = time.perf_counter() - start
    sys.stderr.write(f"{trail.size} bytes, {trail.facts.records} records, {seconds:.1f} s\n")
    print(trail.path)


if __name__ == "__main__":
    main()
