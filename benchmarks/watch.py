"""The program ``logdump watch`` for an hour, over trails that grow, roll over, are damaged, purged and replaced.

    python -m benchmarks.watch [--minutes 60] [--seed 1]

Right after each look something is written, and after the next one each number of the page is compared with a model of
the pieces that were written. Now and then the process is killed, and another one goes on from its state. It prints
looks, numbers that differ, processor time and memory.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.logdump.watch.model import NO_LABELS, Samples, Watcher, without_kinds
from tests.logdump.watch.written_trail import HeartbeatPieces, Written, WrittenTrail
from tests.searching import Random

EVERY = 2
LOOK = ("logdump_watch_last_look_timestamp_seconds", NO_LABELS)
_MOST_TABLES = 20
_PAGE = 4096
_PATIENCE = 300


class Hour:
    """Three trails, a process that watches them, and the models.

    Attributes:
        looks, samples, wrong, restarts, late: looks, numbers compared, those that differ, new processes, and looks that
            came while something was being written, after which all begins anew.
        processor: seconds of the processes that have ended.
        memory: resident bytes after each look.
    """

    def __init__(self, folder: Path, draw: Random) -> None:
        self._draw, self._folder = draw, folder
        beats = HeartbeatPieces(folder, draw, 300)
        (folder / "dirdat").mkdir()
        self._trails = [WrittenTrail(folder / "dirdat", name, draw, beats) for name in ("wt", "xt", "yt")]
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._address = f"127.0.0.1:{server.getsockname()[1]}"
        self.looks = self.samples = self.wrong = self.restarts = self.late = 0
        self.processor, self.memory = 0.0, list[int]()
        self._there: list[dict[int, Written]] = []
        self._models: list[Watcher] = []
        self._write()
        self._begin()

    def _begin(self) -> None:
        """Let a process begin without a state."""
        (self._folder / "state").unlink(missing_ok=True)
        self._models = [Watcher(trail.path, _MOST_TABLES) for trail in self._trails]
        self._former = Samples()
        self._start()

    def _start(self) -> None:
        words = [*(str(trail.path) for trail in self._trails), "--every", str(EVERY), "--listen", self._address]
        files = ["--state", str(self._folder / "state"), "--textfile", str(self._folder / "trails.prom")]
        self._process = subprocess.Popen([sys.executable, "-m", "logdump", "watch", *words, *files])
        self._look()

    def _look(self) -> None:
        for model, files in zip(self._models, self._there, strict=True):
            model.look(files)

    def _write(self) -> None:
        for trail in self._trails:
            trail.write()
        self._there = [trail.written() for trail in self._trails]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the process."""
        self.processor += self._used()
        self._process.send_signal(how)
        self._process.wait()

    def _used(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _page(self, last: float | None) -> Samples:
        """Return the page of a look that is another than the last one."""
        begun = time.monotonic()
        while time.monotonic() - begun < _PATIENCE and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://{self._address}/metrics", timeout=30) as answer:
                    text = answer.read().decode()
            except OSError:
                text = ""
            samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
            page = Samples({(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples})
            if page.get(LOOK, last) != last:
                return page
            time.sleep(0.1)
        raise SystemExit(f"no look for {_PATIENCE} seconds, or the process has ended: {self._process.returncode}")

    def _compare(self, page: Samples) -> None:
        own, kinds = without_kinds({key: value for key, value in page.items() if key[0].startswith("logdump_trail")})
        expected = Samples()
        for model in self._models:
            free = own["logdump_trail_disk_free_bytes", frozenset({("trail", str(model.path))})]
            expected |= model.samples(page[LOOK], int(free))
            if not kinds.get(str(model.path), set()) <= model.kinds:
                self._note(f"{model.path}: {kinds} wait, not {model.kinds}")
        for key in {*own, *expected}:
            near = 1 if "_age_" in key[0] else 0
            if key not in own or key not in expected or abs(own[key] - expected[key]) > near:
                self._note(f"{key}: {own.get(key)}, not {expected.get(key)}")
        for key, value in self._former.items():
            if key[0].endswith("_total") and page.get(key, -1) < value:
                self._note(f"{key}: {page.get(key)} after {value}")
        self.samples += len(own)
        self._former = Samples({key: value for key, value in page.items() if key in own})

    def _note(self, text: str) -> None:
        self.wrong += 1
        print(f"look {self.looks}: {text}", flush=True)

    def go_on(self, last: float | None) -> float:
        """Compare the look after the last one, and let something happen; return when that look was."""
        begun = time.monotonic()
        for trail in self._trails:
            for _ in range(self._draw.choice([0, 1, 2, 5])):
                trail.step()
            if self._draw.random() < 0.01:
                for _ in range(1_500):
                    trail.transaction()
                trail.flush()
        page = self._page(last)
        if time.monotonic() - begun > EVERY / 4:  # the look may have ended while the steps were made
            page = self._page(page[LOOK])
        self.looks += 1
        self._compare(page)
        self.memory.append(int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE)
        if self._draw.random() < 0.02:
            time.sleep(EVERY / 4)  # until the state is written
            self.stop(self._draw.choice([signal.SIGTERM, signal.SIGKILL]))
            self.restarts += 1
            for model in self._models:
                model.restart()
            self._start()
            return page[LOOK]
        self._write()
        if self._page(None)[LOOK] != page[LOOK]:
            self.late += 1
            self.stop(signal.SIGKILL)
            self._begin()
        else:
            self._look()
        return page[LOOK]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        hour = Hour(Path(folder), Random(f"hour {given.seed}"))
        begun, last = time.monotonic(), None
        while time.monotonic() - begun < 60 * given.minutes:
            last = hour.go_on(last)
        hour.stop()
    memory = [size >> 20 for size in hour.memory]
    print(f"{hour.looks:,} looks, {hour.samples:,} numbers, {hour.wrong} wrong, {hour.restarts} restarts")
    print(
        f"{hour.processor:.1f} s of processor time; MiB: {memory[0]} at first, {max(memory)} at most, {memory[-1]} last"
    )
    raise SystemExit(hour.wrong > 0)


if __name__ == "__main__":
    main()
