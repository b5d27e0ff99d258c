"""``logdump mcp``: the arguments, and the service until its client goes away."""

from __future__ import annotations

import argparse
import logging
import signal
import socket
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec

from logdump.agents.folders import Folders, RefusedPath
from logdump.line import terminal
from logdump.line.terminal import ArgumentParser
from logdump.line.verbs import PROGRAMS
from logdump.notation.text import escape
from logdump.session.errors import CommandError, ExitStatus
from trailformat.codec.on_demand import on_demand

with on_demand:
    import anyio

    from logdump.agents import calls, loopback, server, stdio

MISSING_EXTRA = "The service for agents is an extra: pip install 'logdump[mcp]'"
_PACKAGE = "mcp"
_SECONDS = 60
_MOST_SECONDS = 3600
_DESCRIPTION = f"""\
{PROGRAMS["mcp"]}.
A client starts it, and speaks over standard input and output; docs/agents.md has the lines for three clients."""
_EXAMPLES = """\
examples:
  logdump mcp dirdat
  logdump mcp /u01/ogg/dirdat /u01/ogg/dirrpt --seconds 120
  logdump mcp dirdat --http 8765 --token-file ~/.logdump-token"""


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _MOST_SECONDS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_SECONDS}")
    return int(text)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    made = ArgumentParser(
        prog="logdump mcp",
        usage="logdump mcp [DIR…] [options]",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=100),
        allow_abbrev=False,
    )
    made.add_argument(
        "folders", nargs="*", metavar="DIR", help="what may be read: folders, or URLs of them; by default this folder"
    )
    made.add_argument("--seconds", type=_seconds, default=_SECONDS, help="the time of a call, 60 unless given")
    made.add_argument(
        "--http", metavar="PORT", help="serve over HTTP on this port, or HOST:PORT, of this machine alone"
    )
    made.add_argument("--token-file", metavar="FILE", help="the token of --http; without it that of LOGDUMP_MCP_TOKEN")
    return made


def run_mcp(arguments: Sequence[str]) -> int:
    """Serve until the client goes away or a signal comes; return the exit status."""
    options = parser().parse_args(arguments)
    if (why := _missing()) is not None:
        return _refused(f"{MISSING_EXTRA} ({why}).", ExitStatus.COMMAND_FAILED)
    if options.token_file is not None and options.http is None:
        return _refused("--token-file goes with --http.")
    own, token = None, ""
    try:
        folders = Folders.of(options.folders)
        if options.http is not None:
            token = loopback.token_from(options.token_file)
            own = loopback.listening(loopback.Address.of(options.http))
    except RefusedPath as error:
        return _refused(f"{error}.")
    except CommandError as error:
        return _refused(error.lines[0])
    anyio.run(partial(_serve, folders, options.seconds, own, token))
    return ExitStatus.OK


def _missing() -> str | None:
    """Return what the service lacks; None if nothing."""
    if find_spec(_PACKAGE) is None:
        return f"{_PACKAGE} not installed"
    try:
        server.AgentServer  # noqa: B018 - it loads the packages
    except ImportError as error:
        return f"{_PACKAGE} of another release: {error}"
    return None


def _refused(message: str, status: ExitStatus = ExitStatus.USAGE) -> ExitStatus:
    terminal.write_line(escape(f"logdump: {message}"), is_narration=True)
    return status


def _say(own: socket.socket) -> None:
    host, port = own.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    terminal.write_line(escape(f"Serving at http://{name}:{port}/mcp, read-only."), is_narration=True)
    terminal.flush()


async def _serve(folders: Folders, seconds: float, own: socket.socket | None, token: str) -> None:
    """Serve over HTTP on a socket, without one over standard input and output."""
    logging.disable()  # packages would write what clients send to standard error, as it is
    async with calls.calls_of(folders, seconds) as made:
        served = server.AgentServer(made).server
        if own is not None:
            _say(own)
            await loopback.serve_http(served, own, token, _signal)
            return
        async with anyio.create_task_group() as tasks:

            async def end() -> None:
                await _signal()
                tasks.cancel_scope.cancel()

            tasks.start_soon(end)
            await stdio.serve_stdio(served)
            tasks.cancel_scope.cancel()


async def _signal() -> None:
    """Wait for a signal that ends the service."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            return
