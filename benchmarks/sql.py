"""SQL in this process beside COUNT DETAIL, EXPORT PARQUET and DuckDB's own reading of the Parquet of the same rows.

    python -m benchmarks.sql [--megabytes 1000] [--seed 1] [--order big|little]

Each line is a whole process from nothing, best of three with a warm page cache; its memory is the peak of its resident
pages. All have their bytecode, as installed packages have. The aims are ratios: an answer over the small trail of the
fixtures in 0.1 s more than `import duckdb, pyarrow`; counts by operation within 1.5 of
COUNT DETAIL; the sum of a column within 0.5 of EXPORT PARQUET of its table, and within its memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.generate import large_trail

FIXTURE = Path(__file__).parents[1] / "fixtures" / "trails" / "et000000000"
RUNS = 3
_TABLE = "TEAHOUSE.ORDER_LINES"
_BYTECODE = tempfile.TemporaryDirectory(prefix="logdump-bytecode-")
_ENVIRONMENT = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": _BYTECODE.name}
_COUNTS = "select op, count(*) from records group by op"


class Run(NamedTuple):
    """The fastest of some runs of a process: seconds, processor seconds, megabytes of memory."""

    seconds: float
    processor: float
    megabytes: float


def run(*words: str) -> Run:
    """Run a command RUNS times; return the fastest run."""
    return min(_once(words) for _ in range(RUNS))


def _once(words: tuple[str, ...]) -> Run:
    start = time.perf_counter()
    process = os.posix_spawn(words[0], words, _ENVIRONMENT, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, 1, 0)])
    _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(words)}: exit status {status}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6)


def logdump(*words: str) -> Run:
    return run(sys.executable, "-m", "logdump", *words)


def shown(label: str, measured: Run, ratio: float | None = None, aim: float | None = None) -> None:
    text = f"{label:44} {measured.seconds:7.2f} s {measured.processor:7.2f} s {measured.megabytes:6.0f} MB"
    print(text + ("" if ratio is None else f"   {ratio:5.2f} (aim {aim})"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", choices=("big", "little"), default="big")
    options = parser.parse_args()
    trail = str(large_trail(options.megabytes, options.seed, options.order).path)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{'':44} {'time':>9} {'processor':>9} {'memory':>9}")
    bare = run(sys.executable, "-c", "import duckdb, pyarrow")
    shown("import duckdb, pyarrow", bare)
    small = logdump("sql", _COUNTS, str(FIXTURE))
    shown("counts by operation of a small trail", small, small.seconds - bare.seconds, 0.1)
    detail = logdump(trail, "-c", "count detail")
    shown("COUNT DETAIL", detail)
    counts = logdump("sql", _COUNTS, trail)
    shown("counts by operation", counts, counts.seconds / detail.seconds, 1.5)
    with tempfile.TemporaryDirectory() as folder:
        parquet = f"{folder}/rows"
        export = logdump(trail, "-c", f"filter include filename {_TABLE}; export parquet to {parquet} by table replace")
        shown(f"EXPORT PARQUET of {_TABLE}", export)
        column = f'"{_TABLE}"'
        summed = logdump("sql", f"select sum(after_AMOUNT) from {column}", trail)
        shown(f"sum of a column of {_TABLE}", summed, summed.seconds / export.seconds, 0.5)
        program = "import duckdb, sys; duckdb.sql(sys.argv[1]).fetchall()"
        query = f"select sum(after_AMOUNT) from '{parquet}/*.parquet'"
        shown("the same of DuckDB over that Parquet", run(sys.executable, "-c", program, query))


if __name__ == "__main__":
    main()
