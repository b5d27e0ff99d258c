"""The bulk work compared with its peers, in one run: ``python -m benchmarks.bulk --megabytes 500``.

Prints seconds, records/s, GB/s and ratios of throughput, then the aims and whether this run reaches them. All times are
the best of three with a warm page cache. Peers that are not installed are skipped and named.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks import ours, peers
from benchmarks.generate import LargeTrail, large_trail
from benchmarks.measure import Measured, Memory, Missing, peak_memory

_SMALLER = 20
_BESIDE = (peers.SUM, peers.CAPINFOS, peers.PG_WALDUMP)
_HEAD = ("line", "seconds", "Mrec/s", "GB/s", "/ sum", "/ capinfos", "/ pg_waldump")
_MEMORY_AIM = 150


class Aim(NamedTuple):
    """A line must reach ``ratio`` times the throughput of a peer or of another line."""

    ours: str
    peer: str
    ratio: float


AIMS = (
    Aim(ours.SCAN, peers.SUM, 0.3),
    Aim(ours.SCAN, peers.CAPINFOS, 3),
    Aim(ours.COUNT, peers.CAPINFOS, 2),
    Aim(ours.COUNT, peers.PG_WALDUMP, 2),
    Aim(ours.PROCESS, peers.CAPINFOS, 1),
    Aim(ours.HEARTBEAT, ours.COUNT, 0.67),
    Aim(ours.CHECK, ours.COUNT, 0.67),
    Aim(ours.BY_STRING, peers.GREP, 0.5),
    Aim(ours.BY_VALUE, ours.BY_STRING, 0.5),
    Aim(ours.SAVE, peers.COPY, 0.5),
)


def measure_all(trail: LargeTrail, limit: float) -> Iterator[Measured | str]:
    """Measure and yield every line, the peers first; yield a text for a line that is skipped or fails."""
    for name, peer in peers.PEERS:
        try:
            yield peer(trail)
        except Missing as missing:
            yield f"{name} skipped: {missing}"
    smaller = large_trail(_SMALLER, order=trail.order)
    for line in ours.LINES:
        try:
            yield ours.measure(line, trail, smaller, limit)
        except Exception as error:  # noqa: BLE001 - the others are measured nevertheless
            yield f"{line.label} FAILED: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    yield ours.construct_itself(trail)
    ours.saved_path(trail).unlink(missing_ok=True)
    ours.saved_path(smaller).unlink(missing_ok=True)


def row(line: Measured, known: dict[str, Measured]) -> str:
    records = f"{line.records / line.seconds / 1e6:.3f}" if line.records else ""
    seconds = f"{'~' if line.scale > 1 else ''}{line.seconds * line.scale:.3f}"
    ratios = [_ratio(line, known.get(peer)) for peer in _BESIDE]
    return _columns(line.label, seconds, records, f"{line.gigabytes_per_second:.3f}", *ratios) + f"  {line.note}"


def _ratio(line: Measured, peer: Measured | None) -> str:
    return f"{line.gigabytes_per_second / peer.gigabytes_per_second:.3f}" if peer else "-"


def _columns(label: str, *values: str) -> str:
    widths = (9, 8, 8, 8, 11, 13)
    return f"{label:34}" + "".join(f"{value:>{width}}" for value, width in zip(values, widths, strict=True))


def aim_row(aim: Aim, known: dict[str, Measured]) -> str:
    """Return an aim with the ratio that this run has reached."""
    wanted = f"{aim.ours:34}{aim.ratio:>5} x {aim.peer:28}"
    if aim.peer not in known or aim.ours not in known:
        return f"{wanted}not measured"
    ratio = known[aim.ours].gigabytes_per_second / known[aim.peer].gigabytes_per_second
    return f"{wanted}{ratio:7.3f}  {'reached' if ratio >= aim.ratio else 'missed'}"


def memory_row(memory: Memory, trail: LargeTrail) -> str:
    """Return the line about the peak memory of the whole process, with and without the mapping."""
    resident = f"peak memory of (c) on {trail.size / 1e6:.0f} MB: {memory.resident / 1e6:.0f} MB resident"
    if memory.beyond_mapping is None:
        return f"{resident}; how much of it is the mapping cannot be told here"
    beyond = memory.beyond_mapping / 1e6
    verdict = "reached" if beyond < _MEMORY_AIM else "missed"
    return f"{resident}, {beyond:.0f} MB beyond the mapping (aim: under {_MEMORY_AIM})  {verdict}"


def report(trail: LargeTrail, limit: float) -> None:
    """Measure and print; rows are printed at the end, since ratios need the peers."""
    lines = [*measure_all(trail, limit)]
    known = {line.label: line for line in lines if isinstance(line, Measured)}
    print(_columns(*_HEAD))
    for line in known.values():
        print(row(line, known).rstrip())
    print(*(line for line in lines if isinstance(line, str)), sep="\n")
    print("Aims, as ratios of throughput:")
    for aim in AIMS:
        print(aim_row(aim, known))
    if process := known.get(ours.PROCESS):
        watched = trail if process.scale == 1 else large_trail(_SMALLER, order=trail.order)
        print(memory_row(peak_memory(ours.count_detail_command(watched), watched.path), watched))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description="Measure the bulk work.")
    parser.add_argument("--megabytes", type=int, default=500, help="size of the trail (default 500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", choices=("big", "little"), default="big")
    limit = f"seconds that a run of ours may take before a trail of {_SMALLER} MB is used instead (default 15)"
    parser.add_argument("--limit", type=float, default=15, help=limit)
    options = parser.parse_args(arguments)
    trail = large_trail(options.megabytes, options.seed, options.order)
    size, records = trail.size / 1e6, trail.facts.records
    print(
        f"{size:.1f} MB, {records} records, {trail.order}-endian, {os.cpu_count()} cores; best of 3, warm page cache\n"
    )
    report(trail, options.limit)


if __name__ == "__main__":
    main()
