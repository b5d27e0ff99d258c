"""Servers on loopback that have trails: HTTP, with faults at will, and S3."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import paramiko

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "known",
    "AWS_SECRET_ACCESS_KEY": "hidden-from-all",
    "AWS_DEFAULT_REGION": "us-east-1",
}
DATE = "Mon, 02 Jan 2023 10:00:00 GMT"


@lru_cache(4)
def _tag(data: bytes) -> str:
    return f'"{md5(data).hexdigest()}"'


def _hdfs_status(files: dict[str, bytes], path: str, suffix: str) -> dict[str, object]:
    kind = "FILE" if path in files else "DIRECTORY"
    changed = 1_672_653_600_000 + len(files.get(path, b""))
    return {"pathSuffix": suffix, "type": kind, "length": len(files.get(path, b"")), "modificationTime": changed}


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
        dates: when a file was written, if not at the usual time.
        before_bytes: is called with the path and the first place of a range, before the bytes go out.
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
        self.dates: dict[str, str] = {}
        self.before_bytes: Callable[[str, int], object] = lambda _path, _start: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def trails(self) -> TrailServer:
        return cast("TrailServer", self.server)

    def _answer_webhdfs(self) -> None:
        """What a name node and a data node say, as the reference of WebHDFS has it."""
        address = urlsplit(self.path)
        path, asked = address.path.removeprefix("/webhdfs/v1"), {k: v[0] for k, v in parse_qs(address.query).items()}
        files = self.trails.files
        inside = sorted({name[len(path) :].strip("/").partition("/")[0] for name in files if name.startswith(path)})
        if "datanode" not in asked:
            self.trails.requests.append((asked["op"], path, asked.get("offset", "")))
        if path not in files and not inside:
            problem = {"exception": "FileNotFoundException", "message": f"File does not exist: {path}"}
            self._say_json(404, {"RemoteException": problem})
        elif asked["op"] == "OPEN" and "datanode" not in asked:
            self._send_head(307, {"Location": f"{self.trails.url}{self.path}&datanode=1", "Content-Length": "0"})
        elif asked["op"] == "OPEN":
            start = int(asked["offset"])
            part = files[path][start : start + int(asked["length"])]
            self.trails.sent += len(part)
            self._say(200, part, {}, len(part))
        elif asked["op"] == "LISTSTATUS":
            names = [""] if path in files else inside
            statuses = [_hdfs_status(files, f"{path.rstrip('/')}/{name}" if name else path, name) for name in names]
            self._say_json(200, {"FileStatuses": {"FileStatus": statuses}})
        else:
            self._say_json(200, {"FileStatus": _hdfs_status(files, path, "")})

    def _say_json(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self._say(status, body, {"Content-Type": "application/json"}, len(body))

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        if self.path.startswith("/webhdfs/v1/"):
            self._answer_webhdfs()
        else:
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
            self._give(path, fault, with_body=with_body)
        elif server.lists and any(name.startswith(path.rstrip("/") + "/") for name in server.files):
            folder = path.rstrip("/") + "/"
            names = sorted({name[len(folder) :].partition("/")[0] for name in server.files if name.startswith(folder)})
            page = "".join(f'<a href="{name}">{name}</a>\n' for name in names).encode()
            self._say(200, page if with_body else b"", {"Content-Type": "text/html"}, len(page))
        else:
            self._say(404)

    def _give(self, path: str, fault: str | None, *, with_body: bool) -> None:
        server = self.trails
        data = server.files[path]
        headers = {"ETag": _tag(data), "Last-Modified": server.dates.get(path, DATE)}
        if server.endless:
            self._send_head(200, {**headers, "Connection": "close"})
            with suppress(ConnectionError):  # until the client has had enough
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
            if with_body:
                server.before_bytes(path, start)
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


class _Login(paramiko.ServerInterface):  # type: ignore[misc]
    """Lets joe in with his password."""

    def get_allowed_auths(self, *_: Any) -> str:
        return "password"

    def check_auth_password(self, username: str, password: str) -> int:
        known = (username, password) == ("joe", "geheim")
        return int(paramiko.AUTH_SUCCESSFUL if known else paramiko.AUTH_FAILED)

    def check_channel_request(self, *_: Any) -> int:
        return int(paramiko.OPEN_SUCCEEDED)


class _Files(paramiko.SFTPServerInterface):  # type: ignore[misc]
    """The files of a folder."""

    root = Path()

    def _asked(self, path: str) -> Path:
        return self.root / str(self.canonicalize(path)).strip("/")

    def list_folder(self, path: str) -> Any:
        try:
            found = [(file.name, file.stat()) for file in self._asked(path).iterdir()]
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)
        return [paramiko.SFTPAttributes.from_stat(status, name) for name, status in found]

    def stat(self, path: str) -> Any:
        try:
            return paramiko.SFTPAttributes.from_stat(self._asked(path).stat())
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)

    lstat = stat

    def open(self, path: str, flags: int, *_: Any) -> Any:
        try:
            file = os.fdopen(os.open(self._asked(path), flags, 0o600), "rb" if not flags & os.O_WRONLY else "wb")
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)
        handle = paramiko.SFTPHandle(flags)
        handle.readfile = handle.writefile = file
        return handle

    def remove(self, path: str) -> Any:
        self._asked(path).unlink()
        return paramiko.SFTP_OK

    def posix_rename(self, oldpath: str, newpath: str) -> Any:
        self._asked(oldpath).replace(self._asked(newpath))
        return paramiko.SFTP_OK


@contextmanager
def serving_sftp(folder: Path) -> Iterator[str]:
    """An SSH server of the files of a folder until the context ends; its URL, with joe's password."""
    files = type("Files", (_Files,), {"root": folder})
    transports: list[paramiko.Transport] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                transport = paramiko.Transport(connection)
                transport.add_server_key(paramiko.ECDSAKey.generate())
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, files)
                transport.start_server(server=_Login())
                transports.append(transport)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"sftp://joe:geheim@127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for transport in transports:
                transport.close()
