"""The peers of the bulk work: programs that every machine has, numpy over the mapping, capinfos and pg_waldump."""

from __future__ import annotations

import importlib
import mmap
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.blocks import NEEDLE
from benchmarks.generate import CACHE, LargeTrail
from benchmarks.measure import Measured, Missing, best, program, run_process, run_silently
from benchmarks.pcap import pcap_of
from benchmarks.wal import find_pg_waldump, wal_of

SUM, SUM_OPENING = "numpy sum of the mapping", "    numpy sum, opening included"
CAPINFOS, PG_WALDUMP = "capinfos -c", "pg_waldump --stats=record"
GREP, COPY = "grep -c", "cp"
_PACKETS = re.compile(rb"Number of packets:\s+(\d+)")
_WAL_TOTAL = re.compile(rb"^Total\s+(\d+)", re.MULTILINE)
_WORD = 8


def wc_lines(trail: LargeTrail) -> Measured:
    """``wc -l``."""
    command = [program("wc"), "-l", str(trail.path)]
    return Measured("wc -l", best(lambda: run_silently(command)), trail.size)


def cat(trail: LargeTrail) -> Measured:
    """``cat`` into the null device."""
    command = [program("cat"), str(trail.path)]
    return Measured("cat >/dev/null", best(lambda: run_silently(command)), trail.size)


def _numpy() -> Any:
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise Missing("numpy is not installed") from None


def numpy_sum(trail: LargeTrail) -> Measured:
    """The sum of the mapped bytes as 64-bit words, with every page already mapped."""
    numpy = _numpy()
    with trail.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        words = numpy.frombuffer(mapped, numpy.uint64, len(mapped) // _WORD)
        seconds = best(words.sum)
        del words
    return Measured(SUM, seconds, trail.size)


def numpy_sum_opening(trail: LargeTrail) -> Measured:
    """The sum over a new mapping, whose pages must be mapped first."""
    numpy = _numpy()

    def run() -> None:
        with trail.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            numpy.frombuffer(mapped, numpy.uint64, len(mapped) // _WORD).sum()

    return Measured(SUM_OPENING, best(run), trail.size)


def capinfos(trail: LargeTrail) -> Measured:
    """``capinfos -c`` on a capture of the same size and record count."""
    command = [program("capinfos"), "-c", "-M", str(pcap_of(trail))]
    counted = _PACKETS.search(run_process(command))
    records = int(counted[1]) if counted else 0
    note = "" if records == trail.facts.records else f"WRONG: {records} packets instead of {trail.facts.records}"
    return Measured(CAPINFOS, best(lambda: run_silently(command)), trail.size, records, note)


def pg_waldump(trail: LargeTrail) -> Measured:
    """``pg_waldump --stats=record`` on as much write-ahead log, from its first record to its last."""
    path = find_pg_waldump()
    wal = wal_of(trail.size, CACHE)
    command = [path, "--stats=record", "-p", str(wal.folder), "-s", wal.start, "-e", wal.end]
    total = _WAL_TOTAL.search(run_process(command))
    note = f"{wal.size / 1e6:.0f} MB of log"
    return Measured(PG_WALDUMP, best(lambda: run_silently(command)), wal.size, int(total[1]) if total else None, note)


def grep(trail: LargeTrail) -> Measured:
    """``grep -c`` for the text of FILTER STRING, into a pipe: with the null device it stops at the first match."""
    command = [program("grep"), "-c", "-a", "-F", NEEDLE, str(trail.path)]
    lines = int(run_process(command))
    return Measured(GREP, best(lambda: run_process(command)), trail.size, note=f"-a -F, LC_ALL=C; {lines} lines")


def copy(trail: LargeTrail) -> Measured:
    """``cp`` into the folder where SAVE writes."""
    return _copy(trail, COPY, lambda _path: None)


def copy_and_sync(trail: LargeTrail) -> Measured:
    """``cp``, then ``fsync`` as in SAVE."""
    return _copy(trail, "    cp, then fsync", _sync)


def _copy(trail: LargeTrail, label: str, after: Callable[[Path], None]) -> Measured:
    target = trail.path.with_name("copy000000000")
    command = [program("cp"), str(trail.path), str(target)]

    def run() -> None:
        target.unlink(missing_ok=True)
        run_silently(command)
        after(target)

    try:
        return Measured(label, best(run), trail.size)
    finally:
        target.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)


PEERS: tuple[tuple[str, Callable[[LargeTrail], Measured]], ...] = (
    (SUM, numpy_sum),
    (SUM_OPENING, numpy_sum_opening),
    ("wc -l", wc_lines),
    ("cat", cat),
    (CAPINFOS, capinfos),
    (PG_WALDUMP, pg_waldump),
    (GREP, grep),
    (COPY, copy),
    ("cp, then fsync", copy_and_sync),
)
