"""Calls in processes of their own: few at a time, each ended when its time is over or its client goes away."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from logdump.agents.answers import Reply, Told, refused
from logdump.agents.folders import Folders
from logdump.session.errors import ExitStatus
from trailformat.trail.command_files import OUTCOMES
from trailformat.trail.whole_file.leftovers import close, create_folder, make, sweep, temporary_path

Tell = Callable[[Told], Awaitable[None]]

_MOST_WORKERS = 2
_GRACE = 2.0
"""Seconds from Ctrl+C, after which a process answers with what it has found, to its end."""
_SECONDS_TO_END = 0.3
"""Seconds from SIGTERM, on which a process removes its temporary files, to SIGKILL."""
_SECONDS_TO_START = 30.0
_LONGEST_LINE = 8 << 20
"""Bytes of a line of a process; its answers are far below."""
TOKEN = "LOGDUMP_MCP_TOKEN"  # noqa: S105 - the name of a variable
"""The variable with the token of the service over HTTP, which no process of a call gets."""


class WorkerEnded(Exception):
    """The process of a call has ended before its answer."""


class _Worker:
    """One process, and the pipes to it."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self._process = process
        assert process.stdin is not None  # noqa: S101 - it was started with pipes
        assert process.stdout is not None  # noqa: S101 - as above
        self._calls = process.stdin
        self._replies = BufferedByteReceiveStream(process.stdout)
        self.is_enforced = False

    @classmethod
    async def started(cls, folders: Folders, scratch: str) -> _Worker:
        """Start a process within its fence. Raises WorkerEnded."""
        process = await anyio.open_process(
            [sys.executable, "-P", "-m", "logdump.agents.worker"],
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=_environment(scratch),
            start_new_session=True,
        )
        worker = cls(process)
        try:
            with anyio.fail_after(_SECONDS_TO_START):
                await worker.send({**folders._asdict(), "scratch": scratch, "starter": os.getpid()})
                worker.is_enforced = bool((await worker.line())["enforced"])
        except TimeoutError as error:
            await worker.end()
            raise WorkerEnded("the process of the call did not start") from error
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def is_alive(self) -> bool:
        """True if the process has not ended."""
        return self._process.returncode is None

    async def send(self, made: dict[str, Any]) -> None:
        """Send a line. Raises WorkerEnded."""
        try:
            await self._calls.send(json.dumps(made).encode() + b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise WorkerEnded(await self._why()) from error

    async def line(self) -> dict[str, Any]:
        """Return the next line. Raises WorkerEnded."""
        try:
            line = await self._replies.receive_until(b"\n", _LONGEST_LINE)
        except (anyio.IncompleteRead, anyio.EndOfStream, anyio.ClosedResourceError, anyio.DelimiterNotFound) as error:
            raise WorkerEnded(await self._why()) from error
        made: dict[str, Any] = json.loads(line)
        return made

    async def _why(self) -> str:
        status = None
        with anyio.move_on_after(1):
            status = await self._process.wait()
        how = f"by signal {-status}" if status is not None and status < 0 else f"with status {status}"
        return f"the process of the call ended {how}: it may have needed more memory than a call has"

    def interrupt(self) -> None:
        """Send Ctrl+C."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    async def end(self) -> None:
        """End the process, whatever it does, even while the caller is cancelled."""
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            with anyio.move_on_after(_SECONDS_TO_END):
                await self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.aclose()


def _environment(scratch: str) -> dict[str, str]:
    """Return the environment of a process: it finds this program, and nothing in the folders that it reads."""
    program = str(Path(__file__).parents[2])
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    searched = dict.fromkeys([program, *(os.path.abspath(path) for path in given if path)])  # noqa: PTH100 - links stay
    kept = {name: value for name, value in os.environ.items() if name != TOKEN}
    own = {"PYTHONPATH": os.pathsep.join(searched), "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **own, "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch}


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """Context with a folder for the temporary files of all calls, after removing those of killed servers."""
    name = Path(tempfile.gettempdir()) / "logdump-mcp"
    sweep(name.parent)
    writer, handle = make(name, create_folder)
    folder = temporary_path(name, writer)
    try:
        yield folder
    finally:
        OUTCOMES.remove(folder)
        close(handle)


class Calls:
    """Carries out calls in processes, which stay for the next call unless something went wrong.

    Args:
        folders: the roots.
        seconds: the time that a call has.
        scratch: the private folder.
    """

    def __init__(self, folders: Folders, seconds: float, scratch: Path) -> None:
        self.folders = folders
        self._seconds, self._scratch = seconds, str(scratch)
        self._idle: list[_Worker] = []
        self._places = anyio.Semaphore(_MOST_WORKERS)

    async def reply(self, tool: str, arguments: dict[str, Any], tell: Tell) -> Reply:
        """Return the answer to a call, whose arguments fit its schema; ``tell`` takes its progress."""
        async with self._places:
            try:
                return await self._reply(tool, arguments, tell)
            except (WorkerEnded, OSError) as error:
                return refused(ExitStatus.COMMAND_FAILED, str(error))

    async def _reply(self, tool: str, arguments: dict[str, Any], tell: Tell) -> Reply:
        worker = await self._worker()
        is_sound = False
        try:
            await worker.send({"tool": tool, "arguments": arguments})
            made = await self._answered(worker, tell)
            is_sound = made is not None and not made["last"]
        finally:
            if is_sound:
                self._idle.append(worker)
            else:
                await worker.end()
        if made is None:
            return refused(ExitStatus.INTERRUPTED, f"It took longer than {self._seconds:g} seconds: ask for less.")
        return Reply(made["content"], made["text"], made["error"])

    async def _worker(self) -> _Worker:
        """Return a process that waits for a call."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            await worker.end()
        return await _Worker.started(self.folders, self._scratch)

    async def _answered(self, worker: _Worker, tell: Tell) -> dict[str, Any] | None:
        """Return the last line of a call; None if it has neither ended in its time nor after Ctrl+C."""
        made: dict[str, Any] | None = None
        with anyio.move_on_after(self._seconds):
            made = await _last_line(worker, tell)
        if made is None:
            worker.interrupt()
            with anyio.move_on_after(_GRACE):
                made = await _last_line(worker, tell)
        return made

    async def close(self) -> None:
        """End all processes."""
        while self._idle:
            await self._idle.pop().end()


async def _last_line(worker: _Worker, tell: Tell) -> dict[str, Any]:
    while True:
        made = await worker.line()
        if "progress" not in made:
            return made
        await tell(Told(*made["progress"]))


@contextlib.asynccontextmanager
async def calls_of(folders: Folders, seconds: float) -> AsyncIterator[Calls]:
    """Context in which calls can be made; at its end all processes and temporary files are gone."""
    with _private_folder() as scratch:
        calls = Calls(folders, seconds, scratch)
        try:
            yield calls
        finally:
            await calls.close()
