"""How long `logdump -c 'open F; n'` takes from nothing, beside `python -c 'import construct, argparse'`.

Both run in turn with their bytecode cached, and the medians are printed with their ratio; the aim is a ratio of 1.3.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 30
TRAIL = Path(__file__).parents[1] / "fixtures" / "trails" / "et000000000"
BASELINE = [sys.executable, "-c", "import construct, argparse"]
LOGDUMP = [sys.executable, "-m", "logdump", "-c", f"open {TRAIL}; n"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return time.perf_counter() - start


def main() -> None:
    seconds(LOGDUMP)
    pairs = [(seconds(BASELINE), seconds(LOGDUMP)) for _ in range(RUNS)]
    baseline, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"import construct, argparse   {baseline * 1000:6.1f} ms")
    print(f"logdump -c 'open F; n'       {ours * 1000:6.1f} ms")
    print(f"ratio                        {ours / baseline:6.2f}")


if __name__ == "__main__":
    main()
