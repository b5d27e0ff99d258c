"""The page of metrics over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET6, SHUT_RDWR, socket
from typing import Protocol

from logdump.features.watch.exposition import CLASSIC, OPEN_METRICS, wants_open_metrics
from logdump.session.errors import CommandError


class PageMaker(Protocol):
    """Makes the page."""

    def __call__(self, *, is_open_metrics: bool) -> str:
        """Return the page in one of two forms."""


_PATIENCE = 5
"""Seconds for a request and its answer."""
_MOST = 16
"""Requests at a time; others are closed."""


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "logdump", ""

    def __init__(self, page: PageMaker, *arguments: object) -> None:
        self._page = page
        super().__init__(*arguments)  # type: ignore[arg-type]  # what the server gives

    def do_GET(self) -> None:
        """Answer with the page of metrics, for any other path with an error."""
        self._answer(has_body=True)

    def do_HEAD(self) -> None:
        """Answer with the header of the page."""
        self._answer(has_body=False)

    def _answer(self, *, has_body: bool) -> None:
        if self.path.partition("?")[0] not in ("/metrics", "/"):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        is_open = wants_open_metrics(self.headers.get("Accept", ""))
        data = self._page(is_open_metrics=is_open).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", OPEN_METRICS if is_open else CLASSIC)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if has_body:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Write nothing about requests."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: Callable[..., BaseHTTPRequestHandler]) -> None:
        self._free = threading.BoundedSemaphore(_MOST)
        self.address_family = AF_INET6 if ":" in address[0] else self.address_family
        super().__init__(address, handler)

    def process_request(self, request: object, client_address: object) -> None:
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)  # type: ignore[arg-type]  # a socket
            return
        super().process_request(request, client_address)  # type: ignore[arg-type]  # as above

    def process_request_thread(self, request: object, client_address: object) -> None:
        # not a timeout of the socket, which begins anew with each byte
        end = threading.Timer(_PATIENCE, _shut, [request])
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]  # as above
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Write nothing about clients that go away."""


def _shut(request: socket) -> None:
    """End the connection of a client whose time is over: whatever is read or written then ends."""
    with suppress(OSError):
        request.shutdown(SHUT_RDWR)


class MetricsServer:
    """Serves the page of metrics until it is closed.

    Raises:
        CommandError: the address is none, or is in use.
    """

    def __init__(self, address: str, page: PageMaker) -> None:
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 0xFFFF:
            raise CommandError(f"{address} is no address: write host:port, as 127.0.0.1:9464.")
        try:
            self._server = _Server((host.strip("[]"), int(port)), partial(_Handler, page))
        except OSError as error:
            raise CommandError(f"{address}: the metrics cannot be served there: {error.strerror or error}.") from error
        threading.Thread(target=self._server.serve_forever, daemon=True, name="metrics").start()

    @property
    def port(self) -> int:
        """The port, which the system has chosen for port 0."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """End the service."""
        self._server.shutdown()
        self._server.server_close()
