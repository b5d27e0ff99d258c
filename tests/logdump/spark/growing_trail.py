"""Writes a trail as Extract does, a little at a time: ``python -m tests.logdump.spark.growing_trail DIRECTORY FILES``.

The files lt000000000, lt000000001, … are copies of a fixture; most steps end inside a record. After two thirds of every
file but the first it waits for a line of input.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fixtures import TRAILS

SAMPLE = TRAILS / "st000000000"
_STEP = 133
_PAUSE = 0.01


def main(directory: Path, files: int) -> None:
    """Write so many files, one after the other."""
    data = SAMPLE.read_bytes()
    for number in range(files):
        has_waited = number == 0
        with (directory / f"lt{number:09d}").open("wb", buffering=0) as file:
            for start in range(0, len(data), _STEP):
                file.write(data[start : start + _STEP])
                time.sleep(_PAUSE)
                if not has_waited and start > len(data) * 2 // 3:
                    has_waited = True
                    sys.stdin.readline()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
