"""Drawn lives of processes, and the reports and the log that they leave: what each does now is known by its life."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from tests.searching import Random

_MOST_AGED = 10
"""Aged reports that GoldenGate keeps."""
_LAST_FILE = 69
_PLACES = (3260, 3391, 3987, 4635)
"""Begins of transactions of the sample."""


class Life(NamedTuple):
    """What a process does at the end of its life.

    Attributes:
        state: what it does, by its reports and its log; a normal stop is in the log alone.
        seqno, rba: of its last error, else of the file that it reads; ``rba`` is None where it says none.
        reports: the texts of its reports, the newest last.
        log: what it writes to ggserr.log, with times.
    """

    name: str
    state: str
    seqno: int
    rba: int | None
    reports: list[str]
    log: list[tuple[datetime, str]]

    def write(self, folder: Path) -> None:
        """Write its reports as GoldenGate names them: of the aged ones 0 is the newest."""
        for age, text in enumerate(reversed(self.reports[-_MOST_AGED - 1 :])):
            (folder / f"{self.name}{age - 1 if age else ''}.rpt").write_text(text)


def write_log(path: Path, lives: list[Life]) -> None:
    """Write the log of all processes, in the order of time."""
    said = sorted((line for life in lives for line in life.log), key=lambda line: line[0])
    path.write_text("".join(text for _, text in said))


class DrawnLife:
    """Draws a life: runs that end in an error or a stop, and of the last one also none of these.

    Args:
        name: the process.
        draw: draws.
        rolls: True if its reports roll over while it runs, too: the next one has no parameters.
    """

    def __init__(self, name: str, draw: Random, *, rolls: bool = False) -> None:
        self._name, self._draw, self._rolls = name, draw, rolls
        self._time = datetime(2024, 3, 14, 1, tzinfo=UTC) + timedelta(minutes=draw.randrange(600))
        self._log: list[tuple[datetime, str]] = []
        self._reports: list[str] = []
        self._seqno = 67

    def life(self) -> Life:
        """Let it live."""
        runs, error, rba, end, waits = self._draw.randint(1, 4), None, 0, "", False
        for run in range(runs):
            self._start()
            waits = self._wait()
            ends = ["stop"] * (not waits) + ["none"] * (run == runs - 1)
            end = self._draw.choice(["error", "error", *ends])
            rba = self._draw.choice(_PLACES)
            if end == "error":
                self._say("ERROR", "01296", "Error mapping from A.B to A.B.")
                self._say("ERROR", "01668", "PROCESS ABENDING.")
                error = self._seqno, rba
            elif end == "stop":
                self._say("INFO", "00994", f"REPLICAT {self._name} stopped normally.", in_report=False)
            if end != "none":
                self._reports[-1] += f"\nReading ./dirdat/rt{self._seqno:09}, current RBA {rba}, 3 records\n"
            self._time += timedelta(minutes=self._draw.randrange(2, 30))
        now = (
            "abended, and was started again" if error else "waits" if waits else "stopped" if end == "stop" else "reads"
        )
        state = "abended" if end == "error" else now
        seqno, place = error or (self._seqno, rba if end == "stop" else None)
        return Life(self._name, state, seqno, place, self._reports, self._log)

    def _start(self) -> None:
        draw = self._draw
        banner = f"Starting at {self._time:%Y-%m-%d %H:%M:%S}\n" * draw.randrange(2)
        self._reports.append(f"***\n{banner}***\nREPLICAT {self._name.lower()}\nMAP A.*, TARGET A.*;\n\n")
        self._say("INFO", "00995", f"REPLICAT {self._name} starting.", in_report=False)
        self._say("INFO", "00996", f"REPLICAT {self._name} started.", in_report=False)
        self._open(draw.choice((67, 68)))

    def _wait(self) -> bool:
        """Wait at the end of a file, or not, and maybe go on; return whether it waits now."""
        draw = self._draw
        while draw.randrange(2) and self._seqno < _LAST_FILE:
            text = f"Waiting at EOF on input trail file ./dirdat/rt{self._seqno:09}, which is not marked as complete; "
            self._say("WARNING", "01519", f"{text}but succeeding trail file ./dirdat/rt{self._seqno + 1:09} exists.")
            if draw.randrange(2):
                return True
            self._open(self._seqno + 1)
        return False

    def _open(self, seqno: int) -> None:
        self._seqno = seqno
        self._time += timedelta(seconds=1)
        self._say("INFO", "02243", f"Opened trail file ./dirdat/rt{seqno:09} at {self._time:%Y-%m-%d %H:%M:%S}.")
        self._time += timedelta(minutes=self._draw.randrange(5, 60))
        if self._rolls and self._draw.randrange(2):
            self._reports.append("***\n")

    def _say(self, severity: str, number: str, text: str, *, in_report: bool = True) -> None:
        if in_report:
            self._reports[-1] += f"{self._time:%Y-%m-%d %H:%M:%S}  {severity:7} OGG-{number}  {text}\n"
        product = f"Oracle GoldenGate Delivery for Oracle, {self._name.lower()}.prm:"
        head = f"{self._time:%Y-%m-%dT%H:%M:%S}.123+0000  {severity:7} OGG-{number}"
        self._log.append((self._time, f"{head}  {product}  {text}\n"))
