"""The transport over standard input and output: lines of JSON, each bounded, and as many calls at a time as fit.

What the SDK does not do is done here: a line that is no JSON or too long gets an answer, and a client that asks and
does not read its answers is not worked for without end.
"""

from __future__ import annotations

import json
import os
import re
import select
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

MOST_BYTES = 1 << 20
"""Bytes of a message of a client."""
_MOST_READ = 64 << 20
"""Bytes of a line that are looked through for the number of its request; of a longer one nothing is answered."""
_MOST_WAITING = 64
"""Calls that run or wait, or whose answers are not read."""
_AT_ONCE = 1 << 16
_NEVER_BLOCKS = select.PIPE_BUF
"""Bytes that a pipe takes at once if it takes any (PIPE_BUF of POSIX)."""
_PARSE_ERROR, _INVALID_REQUEST, _BUSY = -32700, -32600, -32000
_ANSWERED = re.compile(r'\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+),"(?:result|error)"')
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]]', re.DOTALL)
_NUMBER = re.compile(rb'\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})', re.DOTALL)

RequestNumber = str | int


def number_in(line: bytes) -> RequestNumber | None:
    """Return the number of the request in a line that is not parsed, because it is too long; None if it has none."""
    depth = 0
    for match in _TOKEN.finditer(line):
        token = match[0]
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        elif depth == 1 and token == b'"id"' and (found := _NUMBER.match(line, match.end())):
            number = json.loads(found[1])
            return cast("RequestNumber", number)
    return None


class StdioWire:
    """Standard input and output as the SDK takes them: an iterator of lines, and a writer.

    Args:
        source: the file descriptor of the lines of the client.
        target: that of ours.
    """

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target
        self._buffer = bytearray()
        self._is_over = False
        self._lock = anyio.Lock()
        self._waiting: OrderedDict[RequestNumber, None] = OrderedDict()

    def __aiter__(self) -> StdioWire:
        return self

    async def __anext__(self) -> str:
        """Return the next line that the SDK is to see."""
        while True:
            line = await self._line()
            if line is None:
                raise StopAsyncIteration
            if (text := await self._seen(line)) is not None:
                return text

    async def _line(self) -> bytes | None:
        """Return the next line; of one that is too long its beginning. None at the end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0 and not self._is_over:
            searched = len(self._buffer)
            await _ready(anyio.wait_readable, self._source)
            part = os.read(self._source, _AT_ONCE)
            self._is_over = not part
            if len(self._buffer) < _MOST_READ or b"\n" in part:
                self._buffer += part
        if end < 0:
            end = len(self._buffer)
            if not end:
                return None
        line = bytes(memoryview(self._buffer)[:end])
        del self._buffer[: end + 1]
        return line

    async def _seen(self, line: bytes) -> str | None:
        """Return a line for the SDK; None if it is blank, or answered here."""
        if not line.strip():
            return None
        if len(line) > MOST_BYTES:
            number = await anyio.to_thread.run_sync(number_in, line) if len(line) < _MOST_READ else None
            await self._refuse(number, _INVALID_REQUEST, f"A message has at most {MOST_BYTES:,} bytes")
            return None
        text = line.decode("utf-8", "replace")
        try:
            message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValidationError as error:
            is_json = not any(detail["type"] == "json_invalid" for detail in error.errors(include_input=False))
            code, said = (_INVALID_REQUEST, "a message of JSON-RPC") if is_json else (_PARSE_ERROR, "JSON")
            await self._refuse(number_in(line) if is_json else None, code, f"The line is not {said}")
            return None
        return text if await self._has_room(message) else None

    async def _has_room(self, message: types.JSONRPCMessage) -> bool:
        """Note a request; return False if it is refused, because too many wait."""
        if isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            if isinstance(cancelled, str | int):
                self._waiting.pop(cancelled, None)
        if not isinstance(message, types.JSONRPCRequest):
            return True
        if len(self._waiting) >= _MOST_WAITING:
            await self._refuse(message.id, _BUSY, f"{_MOST_WAITING} calls are waiting: ask again when one is answered")
            return False
        self._waiting[message.id] = None
        return True

    async def _refuse(self, number: RequestNumber | None, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        await self._write(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}) + "\n")

    async def write(self, text: str) -> None:
        """Write a message of the SDK."""
        await self._write(text)
        if (match := _ANSWERED.match(text)) is not None:
            self._waiting.pop(json.loads(match[1]), None)

    async def _write(self, text: str) -> None:
        async with self._lock:
            view = memoryview(text.encode("utf-8", "replace"))
            try:
                while view:
                    await _ready(anyio.wait_writable, self._target)
                    view = view[os.write(self._target, view[:_NEVER_BLOCKS]) :]
            except OSError:  # the client is gone
                self._is_over = True

    async def flush(self) -> None:
        """Do nothing: everything is written at once."""


async def _ready(wait: Callable[[int], Awaitable[None]], handle: int) -> None:
    """Wait until a file descriptor can be read or written; no thread waits, which could not be ended."""
    try:
        await wait(handle)
    except PermissionError:
        await anyio.lowlevel.checkpoint()  # a regular file, which is always ready


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it closes them; nothing else is written there."""
    source, target = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - it never waits
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    wire = cast("Any", StdioWire(source, target))
    async with stdio_server(wire, wire) as (calls, replies):
        await server.run(calls, replies, server.create_initialization_options())
