"""The process that works for agents: it reads a call as one line of JSON, and writes its progress and its answer so.

It runs one call at a time within the fence. SIGINT is the Ctrl+C of line mode: the answer is then what was found so
far. The first line that it reads says what the fence is.
"""

from __future__ import annotations

import json
import os
import signal
import zlib
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, BinaryIO, cast

from logdump.agents.answers import AnswerPage, AnswerRun, PageCursor, PageFull, Reply, StaleCursor, Told, refused
from logdump.agents.fence import Fence, end_with
from logdump.agents.folders import Folders, RefusedPath
from logdump.agents.tools import BY_TOOL, Asked, MisusedTool, Tool, limit_of, listed, options_of
from logdump.features.sql.rows import split_target
from logdump.language.call import ValueWord
from logdump.line.verbs.options import VerbRequest, VerbStep, prepared, without_others
from logdump.line.verbs.table import BY_NAME
from logdump.notation.text import escape
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.url import is_url
from trailformat.errors import CannotRead, TrailError

with on_demand:
    from logdump.agents import there


class Work:
    """Carries out calls.

    Args:
        folders: the roots.
        scratch: the private folder for temporary files.
        tell: takes the progress.
    """

    def __init__(self, folders: Folders, scratch: str, tell: Any) -> None:
        self._folders, self._scratch, self._tell = folders, Path(scratch), tell

    def reply(self, name: str, arguments: dict[str, Any]) -> Reply:
        """Return the answer to a call, whose arguments fit the schema of the tool."""
        tool = BY_TOOL[name]
        try:
            admitted = self._admitted(tool, arguments)
            question = _checksum(name, admitted)
            begin = PageCursor.decoded(admitted["cursor"], question) if "cursor" in admitted else PageCursor()
            page = AnswerPage(begin, limit_of(admitted), is_at_records=tool.continues_at_records)
            if name == "trails":
                return self._trails(page, listed(admitted.get("folder")), question)
            return self._run(tool, admitted, page, question)
        except (RefusedPath, StaleCursor, MisusedTool) as error:
            return refused(ExitStatus.USAGE, str(error))
        except CommandError as error:
            return refused(error.status, *error.lines)
        except (TrailError, CannotRead, OSError) as error:
            return refused(ExitStatus.BAD_DATA, f"Error: {error}")

    def _admitted(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with absolute paths below the roots. Raises RefusedPath."""
        admitted = dict(arguments)
        for name in tool.paths:
            if name in arguments:
                value = arguments[name]
                paths = [self._folders.admitted(word) for word in listed(value)]
                admitted[name] = paths[0] if isinstance(value, str) else paths
        return admitted

    def _run(self, tool: Tool, arguments: dict[str, Any], page: AnswerPage, question: int) -> Reply:
        asked = tool.asked(arguments)
        if tool.name == "sql" and split_target(asked.words[0])[1] is not None:
            raise MisusedTool("the answer is rows: a statement has no TO and no FORMAT here")
        request = self._request(tool, asked, arguments, page.begin)
        is_across = False
        if request.passed_over and not page.begin.skip:
            _say(page, request.passed_over)
        if page.begin.file:
            request, is_across = self._going_on(request, page.begin.file)
        steps: Iterator[VerbStep] = iter(BY_NAME[asked.verb].spell(request))
        if page.begin.file:
            steps = _from_record(steps, page.begin, is_across=is_across)
        run = AnswerRun(steps, page, self._tell, lambda: files_of(request), narrates=BY_NAME[asked.verb].narrates)
        with chdir(asked.folder or Path.cwd()):
            status = run.answer()
        if tool.name == "report":
            self._take_report(page, Path(request.options.output))
        is_error = run.has_failed and not page.objects
        return page.reply(status, files_of(request), question, is_error=is_error)

    def _request(self, tool: Tool, asked: Asked, arguments: dict[str, Any], begin: PageCursor) -> VerbRequest:
        options = options_of(asked)
        if asked.many:
            options.format = "jsonl"
        if tool.continues_at_records:
            options.limit = limit_of(arguments) + begin.skip + 1
        if tool.name == "report":
            options.output, options.replace = str(self._scratch / f"report-{os.getpid()}.md"), True
        files, passed_over = asked.files, tuple[str, ...]()
        if BY_NAME[asked.verb].reads_trails:
            files, passed_over = without_others(asked.files)
        return VerbRequest(files, asked.words, options, passed_over)

    def _going_on(self, request: VerbRequest, file: str) -> tuple[VerbRequest, bool]:
        """Return a request for the files from one on, and whether its trail has several. Raises StaleCursor."""
        request.options.rba = None
        path = self._folders.admitted(file)
        trails = [[str(file_path) for file_path in trail] for trail in request.trails()]
        paths = [trail_path for trail in trails for trail_path in trail]
        if path not in paths:
            raise StaleCursor("the file that this cursor goes on in is not there any more: ask again without it")
        is_across = any(path in trail and len(trail) > 1 for trail in trails)
        return request._replace(files=tuple(paths[paths.index(path) :])), is_across

    @staticmethod
    def _take_report(page: AnswerPage, path: Path) -> None:
        """Put a report that was written into the private folder into the page, and remove it."""
        if not path.exists():
            return
        try:
            report = path.read_text(encoding="utf-8").replace(str(path), "report.md")
        finally:
            path.unlink()
        for made in page.objects:
            made.update(dict.fromkeys(made.keys() & {"file"}))
        lines = [escape(line) for line in report.splitlines()]
        page.attach({"type": "text", "lines": lines})
        page.replace_text(lines)

    def _trails(self, page: AnswerPage, below: tuple[str, ...], question: int) -> Reply:
        """Return the trails below the roots, or below a folder of them."""
        if below and not (is_url(below[0]) or Path(below[0]).is_dir()):
            raise MissingFileError(f"{below[0]} is no folder.")
        walk, status = there.TrailsBelow(), cast("ExitStatus | None", ExitStatus.OK)
        try:
            for root in below or (*self._folders.paths, *self._folders.urls):
                for made in walk.objects(root):
                    if page.add([json.dumps(made)]):
                        page.write([escape(there.as_line(made))])
            page.end()
        except PageFull:
            status = None
        if walk.notes:
            _say(page, walk.notes)
        return page.reply(status, (), question)


def _say(page: AnswerPage, sentences: Sequence[str]) -> None:
    """Add a notice to a page."""
    notice = {"type": "notice", "status": 0, "file": None, "rba": None, "lines": [*sentences]}
    page.say([json.dumps(notice)])
    page.write([escape(sentence) for sentence in sentences])


def files_of(request: VerbRequest) -> Sequence[Path]:
    """Return the files that a request names, as far as they can be found."""
    try:
        return [path for paths in request.trails() for path in paths]
    except (CommandError, TrailError, CannotRead, OSError):
        return ()


def _checksum(name: str, arguments: dict[str, Any]) -> int:
    """Return the checksum of what a call asks, without its page."""
    asked = {key: value for key, value in arguments.items() if key not in ("cursor", "limit")}
    return zlib.crc32(json.dumps([name, asked], sort_keys=True).encode())


def _from_record(steps: Iterator[VerbStep], begin: PageCursor, *, is_across: bool) -> Iterator[VerbStep]:
    """Yield the steps of a verb, with the position in the first file that it opens.

    ``is_across``: lines name their file, even if no file follows it.
    """
    is_placed = False
    for step in steps:
        yield step
        if step.call.name == "OPEN" and not is_placed:
            is_placed = True
            if is_across:
                yield prepared("ACROSS", "TO", ValueWord(begin.file))
            yield prepared("POSITION", "RBA", str(begin.rba), label="cursor")


class Wire:
    """The pipes to the process that asks: lines of JSON."""

    def __init__(self, calls: BinaryIO, replies: BinaryIO) -> None:
        self._calls, self._replies = calls, replies

    def read(self) -> dict[str, Any] | None:
        """Return the next call; None at the end."""
        line = self._calls.readline()
        return json.loads(line) if line else None

    def write(self, made: dict[str, Any]) -> None:
        """Write a line."""
        self._replies.write(json.dumps(made).encode() + b"\n")
        self._replies.flush()

    def tell(self, told: Told) -> None:
        """Write the progress of a call."""
        self.write({"progress": [*told]})


class Interrupts:
    """SIGINT as Ctrl+C of the call that runs; between calls it does nothing.

    Attributes:
        is_working: True while a call runs.
        has_come: True if the call was interrupted.
    """

    def __init__(self) -> None:
        self.is_working = self.has_come = False
        signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, _number: int, _frame: object) -> None:
        if self.is_working:
            self.is_working, self.has_come = False, True
            raise KeyboardInterrupt


def answered(work: Work, interrupts: Interrupts, tool: str, arguments: dict[str, Any]) -> Reply:
    """Return the answer to a call, whatever fails in it."""
    try:
        interrupts.is_working, interrupts.has_come = True, False
        reply = work.reply(tool, arguments)
    except KeyboardInterrupt:
        reply = refused(ExitStatus.INTERRUPTED, "Stopped before anything was found.")
    except MemoryError:
        reply = refused(ExitStatus.COMMAND_FAILED, "The answer needs more memory than a call has.")
    except Exception as error:  # noqa: BLE001 - whatever fails, the agent gets an answer
        reply = refused(ExitStatus.COMMAND_FAILED, f"An error of the program: {type(error).__name__}: {error}")
    finally:
        interrupts.is_working = False
    return reply.as_interrupted() if interrupts.has_come else reply


_MOST_RESIDENT = 220 << 20
"""Bytes of memory with which the process ends after a call, and another one is started."""


def _is_large() -> bool:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - a file of the system
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") > _MOST_RESIDENT
    except (OSError, ValueError, IndexError):
        return False


def main() -> None:
    """Carry out calls until there are no more."""
    wire = Wire(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123 - a file of the system
        for handle in (0, 1):
            os.dup2(nothing.fileno(), handle)
    first = wire.read()
    if first is None:
        return
    folders = Folders(tuple(first["paths"]), tuple(first["urls"]), first["current"])
    os.chdir(folders.paths[0] if folders.paths else first["scratch"])
    end_with(first["starter"])
    is_enforced = Fence(folders, first["scratch"]).close()
    wire.write({"ready": os.getpid(), "enforced": is_enforced})
    interrupts = Interrupts()
    work = Work(folders, first["scratch"], wire.tell)
    while (call := wire.read()) is not None:
        reply = answered(work, interrupts, call["tool"], call["arguments"])
        is_last = _is_large()
        wire.write({"content": reply.content, "text": reply.text, "error": reply.is_error, "last": is_last})
        if is_last:
            return


if __name__ == "__main__":
    main()
