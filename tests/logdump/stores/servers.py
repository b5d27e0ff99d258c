"""Servers on loopback that have trails: HTTP, with faults at will, and S3."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "known",
    "AWS_SECRET_ACCESS_KEY": "hidden-from-all",
    "AWS_DEFAULT_REGION": "us-east-1",
}
DATE = "Mon, 02 Jan 2023 10:00:00 GMT"


@lru_cache(4)
def _tag(data: bytes) -> str:
    return f'"{md5(data).hexdigest()}"'


class TrailServer(ThreadingHTTPServer):
    """Gives files by GET and HEAD; of an object store, the objects.

    Attributes:
        files: the bytes by path.
        endless, redirects: whether a file has no end, whether each answer is that it is elsewhere.
        ranges: whether it gives parts of files.
        lists: whether a folder is answered with a page of links.
        faults: what befalls the next requests for bytes, one each: a status, ``reset``, ``short``, ``slow`` or None.
        requests: the methods, paths and ranges that came.
        sent: the bytes of files that went out.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.ranges = self.lists = True
        self.endless = self.redirects = False
        self.faults: list[int | str | None] = []
        self.wanted_header: tuple[str, str] | None = None
        self.requests: list[tuple[str, str, str]] = []
        self.sent = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def trails(self) -> TrailServer:
        return cast("TrailServer", self.server)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self, *, with_body: bool) -> None:
        server, path = self.trails, self.path.partition("?")[0]
        self.close_connection = False
        server.requests.append((self.command, self.path, self.headers.get("Range", "")))
        wanted = server.wanted_header
        if wanted is not None and self.headers.get(wanted[0]) != wanted[1]:
            self._say(401)
            return
        fault = server.faults.pop(0) if with_body and server.faults else None
        if isinstance(fault, int) or server.redirects:
            self._say(fault if isinstance(fault, int) else 301)
        elif fault == "reset":
            self.close_connection = True
        elif path in server.files:
            self._give(server.files[path], fault, with_body=with_body)
        elif server.lists and any(name.startswith(path.rstrip("/") + "/") for name in server.files):
            folder = path.rstrip("/") + "/"
            names = sorted({name[len(folder) :].partition("/")[0] for name in server.files if name.startswith(folder)})
            page = "".join(f'<a href="{name}">{name}</a>\n' for name in names).encode()
            self._say(200, page if with_body else b"", {"Content-Type": "text/html"}, len(page))
        else:
            self._say(404)

    def _give(self, data: bytes, fault: str | None, *, with_body: bool) -> None:
        server = self.trails
        headers = {"ETag": _tag(data), "Last-Modified": DATE}
        if server.endless:
            self._send_head(200, {**headers, "Connection": "close"})
            while with_body:
                self.wfile.write(bytes(1 << 16))
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if server.ranges else None
        part, status = memoryview(data), 200
        if asked is not None:
            start, stop = int(asked[1]), int(asked[2] or len(data) - 1) + 1
            if start >= len(data):
                self._say(416)
                return
            part, status = part[start:stop], 206
            headers["Content-Range"] = f"bytes {start}-{start + len(part) - 1}/{len(data)}"
        body = part if with_body else part[:0]
        if fault == "slow":
            time.sleep(0.5)
        if fault == "short":
            body = body[: len(body) // 2]
            self.close_connection = True
        server.sent += len(body)
        self._say(status, body, headers, len(part))

    def _say(
        self, status: int, body: bytes | memoryview = b"", headers: dict[str, str] | None = None, size: int = 0
    ) -> None:
        self._send_head(status, {**(headers or {}), "Content-Length": str(size)})
        self.wfile.write(body)

    def _send_head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


@contextmanager
def serving() -> Iterator[TrailServer]:
    """A server until the context ends."""
    with TrailServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
