"""``python -m scripts.draw_tests --minutes 15``: run the tests that draw, round robin, with a new seed each time.

A failure is printed with its module and the seed that draws it again; the other modules go on. The status is 1 if one
has failed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from scripts.marked import ROOT

_DRAWS = re.compile(r"^from (?:hypothesis|tests\.searching|tests\.simulated)\b", re.MULTILINE)
_NEEDS_SPARK = "mark.spark"


class Run(NamedTuple):
    """One run of a module: its path, its seed, and the end of its output if a test failed; else empty."""

    module: str
    seed: int
    failure: str


def main(*arguments: str) -> int:
    """Run modules until the time is over; return 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.draw_tests")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args(arguments or sys.argv[1:])
    end = time.monotonic() + chosen.minutes * 60
    failures = number = 0
    with ThreadPoolExecutor(chosen.workers) as pool:
        due = itertools.cycle(drawing_modules())
        while time.monotonic() < end:
            for run in pool.map(drawn, itertools.islice(due, chosen.workers)):
                number += 1
                if run.failure:
                    failures += 1
                    sys.stdout.write(f"SEED={run.seed} pytest -n 0 {run.module}\n{run.failure}\n")
                    sys.stdout.flush()
    sys.stdout.write(f"{number} runs of modules that draw, {failures} failed\n")
    return int(failures > 0)


def drawing_modules() -> list[str]:
    """Return the test modules that draw, but those that need Spark, beginning at another one each time."""
    modules = sorted(_drawing(ROOT / "tests"))
    first = secrets.randbelow(len(modules))
    return modules[first:] + modules[:first]


def _drawing(folder: Path) -> Iterator[str]:
    for path in folder.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if _DRAWS.search(text) and _NEEDS_SPARK not in text:
            yield path.relative_to(ROOT).as_posix()


def drawn(module: str) -> Run:
    """Run a module with a new seed."""
    seed = secrets.randbits(32)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", module]
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=ROOT, env={**os.environ, "SEED": str(seed)}, capture_output=True, text=True, check=False
    )
    return Run(module, seed, "\n".join((done.stdout + done.stderr).splitlines()[-30:]) if done.returncode == 1 else "")


if __name__ == "__main__":
    raise SystemExit(main())
