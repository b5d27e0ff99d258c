"""Processes that try inputs, a line a minute about all of them, and one line of JSON at the end in ``log.jsonl``."""

from __future__ import annotations

import gc
import json
import multiprocessing as mp
import shutil
import signal
import tempfile
import time
from dataclasses import asdict
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.fuzzer import Fuzzer, Totals

_REPORTED = 5
_MINUTE = 60
_WORKER = 40
"""The bit of a number from which on it says which worker, and which life of it, has drawn the input."""
_GARBAGE = 20_000


class Worker:
    """One process, begun anew when an input has ended it."""

    def __init__(self, seed: int, home: Path, number: int) -> None:
        self._seed, self._home, self._number = seed, home, number
        self._lives = 0
        self.totals = Totals()
        self._before: list[Totals] = []
        self.begin()

    def begin(self) -> None:
        """Start it, or start it again."""
        self._lives += 1
        self.work = Path(tempfile.mkdtemp(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        self.reports, theirs = mp.Pipe(duplex=False)
        first = (self._number << 8 | self._lives) << _WORKER
        context = mp.get_context("spawn")
        self.process = context.Process(target=_work, args=(self._seed, self.work, self._home, first, theirs))
        self.process.start()
        theirs.close()

    def take_report(self) -> None:
        """Read how far it has come; what has ended it is a failure."""
        try:
            self.totals = self.reports.recv()
        except EOFError:
            self.process.join()
            folder = self._home / "failures"
            folder.mkdir(parents=True, exist_ok=True)
            inputs = [path for path in self.work.glob("lt*") if path.is_file()]
            for path in inputs:
                shutil.copy(path, folder / f"ended-{self._seed}-{self._number}-{self._lives}")
            self.totals.failures += 1
            self.totals.by_kind[f"ended by {self.process.exitcode}"] = 1
            self._before.append(self.totals)
            self.totals = Totals()
            self.end()
            self.begin()

    def lives(self) -> list[Totals]:
        """What each of its lives has come to."""
        return [*self._before, self.totals]

    def end(self) -> None:
        """End it and remove its folder."""
        self.process.kill()
        self.process.join()
        self.reports.close()
        shutil.rmtree(self.work, ignore_errors=True)


def _work(seed: int, work: Path, home: Path, first: int, reports: Connection) -> None:
    fuzzer = Fuzzer(seed, work, home)
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE, 20, 100)
    due = time.monotonic()
    for totals in fuzzer.run(first, first + (1 << _WORKER)):
        if time.monotonic() > due:
            reports.send(totals)
            due = time.monotonic() + _REPORTED


class Summary(NamedTuple):
    """What a campaign has come to; memory is that of the largest process, in MB."""

    seed: int
    seconds: float
    workers: int
    inputs: int
    commands: int
    slowest: float
    memory: int
    kinds: int
    kills: int
    failures: int
    by_kind: dict[str, int]


def run(seconds: float, seed: int, workers: int, home: Path) -> Summary:
    """A campaign of so many seconds; SIGINT and SIGTERM end it before, its figures are the same."""
    home.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    running = [Worker(seed, home, number) for number in range(workers)]
    due = begun + _MINUTE
    try:
        while (now := time.monotonic()) < begun + seconds:
            by_report: dict[Any, Worker] = {running_worker.reports: running_worker for running_worker in running}
            for ready in wait(list(by_report), timeout=min(_REPORTED, begun + seconds - now)):
                by_report[ready].take_report()
            if now >= due:
                _tell(_summary(seed, now - begun, running))
                due += _MINUTE
    except KeyboardInterrupt:
        pass
    finally:
        for worker in running:
            worker.end()
    summary = _summary(seed, time.monotonic() - begun, running)
    _tell(summary)
    with (home / "log.jsonl").open("a") as log:
        log.write(json.dumps(summary._asdict()) + "\n")
    return summary


def _summary(seed: int, seconds: float, running: list[Worker]) -> Summary:
    every = [asdict(totals) for worker in running for totals in worker.lives()]
    by_kind: dict[str, int] = {}
    for result in every:
        for kind, number in result["by_kind"].items():
            by_kind[kind] = by_kind.get(kind, 0) + number
    sums = {
        name: sum(worker_result[name] for worker_result in every)
        for name in ("inputs", "commands", "kills", "failures")
    }
    most = {name: max(worker_result[name] for worker_result in every) for name in ("slowest", "kinds")}
    memory = max(worker_result["memory"] for worker_result in every) // 1024
    return Summary(
        seed=seed,
        seconds=round(seconds),
        workers=len(running),
        memory=memory,
        by_kind=by_kind,
        inputs=sums["inputs"],
        commands=sums["commands"],
        kills=sums["kills"],
        failures=sums["failures"],
        slowest=round(most["slowest"], 3),
        kinds=most["kinds"],
    )


def _tell(summary: Summary) -> None:
    rate = summary.inputs / max(1, summary.seconds)
    print(  # noqa: T201
        f"{summary.seconds:.0f} s: {summary.inputs} inputs, {rate:.0f}/s, {summary.commands} commands, slowest "
        f"{summary.slowest} s, {summary.memory} MB, {summary.kinds} kinds of behaviour, {summary.kills} kills, "
        f"{summary.failures} failures {summary.by_kind or ''}",
        flush=True,
    )
