"""The service in a process of its own, clients of the SDK for it, and what is left of its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from shutil import copy
from typing import Any

import anyio
import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from fixtures import TRAILS
from tests.logdump.program import ENVIRONMENT

TOKEN = "a token of a test, in no file"
PATIENCE = 60.0
"""Seconds after which a test that waits has failed."""
COMMAND = [sys.executable, "-m", "logdump", "mcp"]
PARAMETERS = "REPLICAT r1\nMAP TEAHOUSE.*, TARGET TEAHOUSE.*;\nDDL INCLUDE ALL\n"


def trails_in(folder: Path) -> Path:
    """A folder with the sample trails and a parameter file, to be served; returned without links."""
    folder.mkdir()
    for path in TRAILS.iterdir():
        if path.is_file():
            copy(path, folder)
    (folder / "r1.prm").write_text(PARAMETERS)
    return folder.resolve()


@asynccontextmanager
async def over_stdio(folder: Path, *arguments: str) -> AsyncIterator[Client]:
    """A client of a server that it has started."""
    environment = {name: ENVIRONMENT[name] for name in ("PYTHONPATH", "TZ", "PATH")}
    command = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(folder), *arguments], env=environment)
    async with Client(stdio_client(command), read_timeout_seconds=PATIENCE) as client:
        yield client


@contextmanager
def http_server(folder: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The URL of a server over HTTP, and its process."""
    environment = {**ENVIRONMENT, "LOGDUMP_MCP_TOKEN": TOKEN}
    command = [*COMMAND, str(folder), "--http", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True) as server:
        assert server.stderr is not None
        try:
            said = server.stderr.readline()
            yield said.split()[2].rstrip(","), server
        finally:
            server.terminate()
            assert server.wait(PATIENCE) == 0


@asynccontextmanager
async def over_http(url: str) -> AsyncIterator[Client]:
    """A client of a server over HTTP, with its token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE) as web,
        Client(streamable_http_client(url, http_client=web), read_timeout_seconds=PATIENCE) as client,
    ):
        yield client


@asynccontextmanager
async def client_over(transport: str, folder: Path, *arguments: str) -> AsyncIterator[Client]:
    """A client over one of the transports."""
    if transport == "stdio":
        async with over_stdio(folder, *arguments) as client:
            yield client
        return
    with http_server(folder, *arguments) as (url, _server):
        async with over_http(url) as client:
            yield client


def workers_in(folder: Path) -> list[int]:
    """The processes of calls whose first folder this is."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            is_worker = b"logdump.agents.worker" in (entry / "cmdline").read_bytes()
            if is_worker and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:  # it has ended, or is another user's
            continue
    return found


async def begun(folder: Path) -> list[int]:
    """Wait until there are processes of calls whose first folder this is."""
    with anyio.fail_after(PATIENCE):
        while not (processes := workers_in(folder)):
            await anyio.sleep(0.02)
    return processes


async def gone(processes: list[int]) -> None:
    """Wait until processes have ended, and are not even zombies."""
    with anyio.fail_after(PATIENCE):
        while still_there(processes):
            await anyio.sleep(0.02)


def still_there(processes: list[int]) -> bool:
    """Whether any of these processes exists, if only as a zombie."""
    return any(Path(f"/proc/{process}").exists() for process in processes)


def halt(processes: list[int]) -> None:
    """Let processes hang: they take no signal but the one that nobody can refuse."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)


def facts(answer: Any) -> dict[str, Any]:
    """The structured content of an answer."""
    content = answer.structured_content
    assert isinstance(content, dict)
    return content
