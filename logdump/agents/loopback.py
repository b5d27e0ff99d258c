"""The transport over HTTP: on loopback only, with a token, for clients that name this host and no foreign origin."""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import os
import socket
import stat
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response

from logdump.agents.calls import TOKEN
from logdump.agents.folders import shown
from logdump.agents.stdio import MOST_BYTES
from logdump.session.errors import CommandError

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

Ended = Callable[[], Awaitable[None]]

_LEAST_TOKEN, _MOST_TOKEN = 16, 4096
_SECONDS_OF_A_BODY = 20.0
_MOST_CONNECTIONS = 64
_MOST_SESSIONS = 32
_SECONDS_OF_A_SESSION = 1800.0
_PATH = "/mcp"
_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Address(NamedTuple):
    """The address of the service."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> Address:
        """Return the address in ``HOST:PORT`` or ``PORT``. Raises CommandError if it is none, or not of loopback."""
        host, _, port = text.rpartition(":")
        host = host.strip("[]") or "127.0.0.1"
        if not (port.isascii() and port.isdecimal() and int(port) <= 0xFFFF):
            raise CommandError(f"{shown(text)} is no address: write a port, or 127.0.0.1:8765.")
        if host == "localhost":
            host = "127.0.0.1"
        try:
            is_loopback = ipaddress.ip_address(host).is_loopback
        except ValueError:
            is_loopback = False
        if not is_loopback:
            raise CommandError(f"{shown(host)} is not an address of loopback, and the service is there only.")
        return cls(host, int(port))


def token_from(path: str | None) -> str:
    """Return the token of the service: of a file that only its owner can read, or of the environment.

    Raises:
        CommandError: there is none, or it is too short, or others can read it.
    """
    if path is None:
        token = os.environ.get(TOKEN, "")
        where = f"the variable {TOKEN}"
    else:
        where = shown(path)
        try:
            with Path(path).open("rb") as file:
                status = os.fstat(file.fileno())
                token = file.read(_MOST_TOKEN + 2).decode("ascii", "replace").strip()
        except OSError as error:
            raise CommandError(f"{where}: {error.strerror}.") from error
        if not stat.S_ISREG(status.st_mode) or status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise CommandError(f"{where}: others can read it. chmod 600 makes it a secret.")
    if not _LEAST_TOKEN <= len(token) <= _MOST_TOKEN or not (token.isascii() and token.isprintable()):
        what = f"a token of {_LEAST_TOKEN} to {_MOST_TOKEN} printable characters"
        raise CommandError(f"The service over HTTP needs {what} in --token-file FILE or in {TOKEN}; {where} has none.")
    return token


class TokenGate:
    """Lets only requests with the token through, and ends bodies that do not come.

    Args:
        app: the service.
        token: the token.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._expected):
            refusal = Response("The token is missing or wrong", 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        await self._app(scope, _in_time(receive), send)


def _in_time(receive: Receive) -> Receive:
    """Return a receiver that reports the client as gone if its body does not come in time."""
    deadline = anyio.current_time() + _SECONDS_OF_A_BODY
    is_whole = False

    async def receive_in_time() -> Message:
        nonlocal is_whole
        if is_whole:
            return await receive()
        message: Message = {"type": "http.disconnect"}
        with anyio.move_on_at(deadline):
            message = await receive()
        is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    return receive_in_time


class _Service(uvicorn.Server):
    """A server that leaves signals to its caller."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield


def listening(address: Address) -> socket.socket:
    """Return a socket that listens there. Raises CommandError if it cannot."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        where = f"{address.host}:{address.port}"
        raise CommandError(f"{where}: the tools cannot be served there: {error.strerror or error}.") from error


async def serve_http(server: Server[Any], own: socket.socket, token: str, ended: Ended) -> None:
    """Serve clients on a socket until ``ended`` returns."""
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in _NAMES] + [*_NAMES],
        allowed_origins=[f"http://{name}:*" for name in _NAMES] + [f"http://{name}" for name in _NAMES],
    )
    app = server.streamable_http_app(
        streamable_http_path=_PATH,
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=_SECONDS_OF_A_SESSION,
        max_sessions=_MOST_SESSIONS,
        transport_security=security,
        host=own.getsockname()[0],
    )
    config = uvicorn.Config(
        TokenGate(app, token),
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        ws="none",
    )
    service = _Service(config)

    async def end() -> None:
        await ended()
        service.should_exit = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end)
        await service.serve(sockets=[own])
        tasks.cancel_scope.cancel()
