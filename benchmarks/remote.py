"""COUNT of a trail on a local S3 server beside downloading it with the store's own client, each from nothing.

python -m benchmarks.remote [--megabytes 1000]

The server gives parts of a file as they are. moto is none to measure by: it copies the whole object for each part
that it is asked for, under a lock, so that it measures the number of requests alone.
"""

from __future__ import annotations

import argparse
import mmap
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

from benchmarks.generate import large_trail
from benchmarks.measure import ENVIRONMENT, best, run_silently
from tests.logdump.stores.servers import CREDENTIALS, serving

_CLIENT = "import sys, s3fs; s3fs.S3FileSystem().get_file('bench/lt000000000', sys.argv[1])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        _serve(arguments.serve)
        return
    trail = large_trail(arguments.megabytes).path
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.remote", "--serve", str(trail)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:  # it ends with its standard input
        assert server.stdout is not None
        ENVIRONMENT.update(CREDENTIALS, AWS_ENDPOINT_URL=server.stdout.readline().strip())
        _measure(trail)


def _serve(trail: str) -> None:

    with Path(trail).open("rb") as file, serving() as server:
        server.files["/bench/lt000000000"] = cast("bytes", mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        print(server.url, flush=True)
        sys.stdin.read()


def _measure(trail: Path) -> None:

    count = [sys.executable, "-m", "logdump", "count"]
    with tempfile.TemporaryDirectory() as folder:
        download = [sys.executable, "-c", _CLIENT, str(Path(folder, "copy"))]
        client = best(lambda: run_silently(download))
        ours = best(lambda: run_silently([*count, "s3://bench/lt000000000"]))
    local = best(lambda: run_silently([*count, str(trail)]))
    first = best(lambda: run_silently([*count[:-1], "-c", "open s3://bench/lt000000000; n"]))
    print(f"{trail.stat().st_size >> 20} MB: client {client:.2f} s, COUNT {ours:.2f} s, ratio {ours / client:.2f}")
    print(f"COUNT of the local file {local:.2f} s; the first record from the server {first:.2f} s")


if __name__ == "__main__":
    main()
