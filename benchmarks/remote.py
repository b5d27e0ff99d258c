"""COUNT of a trail on a local S3 server beside downloading it with the store's own client, each from nothing.

python -m benchmarks.remote [--megabytes 200]
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boto3

from fixtures import TRAILS
from trailformat import TrailFile

_SERVER = "import sys; from moto.server import main; main(['-p', sys.argv[1]])"
_PORT = "5077"
_CLIENT = "import sys, s3fs; s3fs.S3FileSystem().get_file('bench/lt000000000', sys.argv[1])"


def main() -> None:
    """Print the seconds of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    size = parser.parse_args().megabytes << 20
    credentials = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ.update(credentials, AWS_ENDPOINT_URL=f"http://127.0.0.1:{_PORT}")
    with subprocess.Popen([sys.executable, "-c", _SERVER, _PORT], stderr=subprocess.DEVNULL) as server:
        try:
            _measure(size)
        finally:
            server.terminate()


def _measure(size: int) -> None:

    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder, "lt000000000"), Path(folder, "copy")
        header, rest = _parts((TRAILS / "gt000000000").read_bytes())
        path.write_bytes(header + rest * (size // len(rest)))
        _wait()
        boto3.client("s3").create_bucket(Bucket="bench")
        boto3.client("s3").upload_file(str(path), "bench", "lt000000000")
        client = min(_seconds([sys.executable, "-c", _CLIENT, str(target)]) for _ in range(3))
        count = [sys.executable, "-m", "logdump", "count", "s3://bench/lt000000000"]
        ours = min(_seconds(count) for _ in range(3))
        local = min(_seconds([*count[:-1], str(path)]) for _ in range(3))
        print(f"{path.stat().st_size >> 20} MB: client {client:.2f} s, COUNT {ours:.2f} s, ratio {ours / client:.2f}")
        print(f"COUNT of the local file {local:.2f} s")


def _parts(data: bytes) -> tuple[bytes, bytes]:

    with TrailFile(TRAILS / "at000000001") as trail:
        first = trail.first_rba
        whole = trail.bytes[0 : trail.size]
    return whole[:first], whole[first:] or data


def _seconds(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def _wait() -> None:

    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(_PORT))) == 0:
                return
        time.sleep(0.1)


if __name__ == "__main__":
    main()
