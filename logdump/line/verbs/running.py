"""Execution of a verb: data to standard output or a file, messages to standard error, and an exit status."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TextIO, cast

from logdump.commands import REGISTRY
from logdump.features.doctor.model import NAGIOS_NAME, NagiosShown, NagiosStatus
from logdump.language.call import Call
from logdump.language.command import Origin
from logdump.language.execute import run_call
from logdump.language.reader import Context, Validity, parse_partial
from logdump.language.words import split_commands
from logdump.line import terminal
from logdump.line.line_mode import Script
from logdump.line.verbs.options import MisuseError, VerbRequest, VerbStep, no_such_file
from logdump.line.verbs.spelling import names_trails
from logdump.line.verbs.table import BY_NAME, Verb
from logdump.notation.text import Harmless, escape, wrapped
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Failure, NoRecordThere, Notice, Text
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.codec.remote.url import keeping_secrets
from trailformat.errors import CannotRead, CannotWrite, TrailError
from trailformat.trail.whole_file import WholeFile

with on_demand:
    import shutil

    from logdump.session import defined_names

_BOLD, _RED, _GREEN, _YELLOW, _DIM = "1", "31", "32", "33", "2"
_OPERATION = (
    (r"^ *\S+ \S+ (?:\S+ )?(INSERT)\b", _GREEN),
    (r"^ *\S+ \S+ (?:\S+ )?(UPDATE)\b", _YELLOW),
    (r"^ *\S+ \S+ (?:\S+ )?(DELETE|TRUNCATE|DDL|RESTART)\b", _RED),
    (r"^ *\S+ \S+ (?:\S+ )?(METADATA|FILE_HEADER|LOB|FRAGMENT)\b", _DIM),
)
_DAMAGE = ((r"^(Gap) in ", _RED),)
_VERDICT = (r"^LogTrail .*\n(?!  |Damage at |Not known: )(.+)$", _BOLD)
_PLACES = ((r"^  (ALTER .*)$", _BOLD), (r"(is not safe)\.$", _RED))
_PARTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "list": _OPERATION,
    "tail": _OPERATION,
    "row": _OPERATION,
    "check": _DAMAGE,
    "safe": _PLACES,
    "explain": (*_PLACES, _VERDICT, *_DAMAGE),
    "doctor": (
        (r"^  (!! .*)$", _RED),
        (r"^   (! .*)$", _YELLOW),
        (r"^(Trail|Findings|Table|Columns|Largest|File)\b", _BOLD),
    ),
}
"""The coloured parts of lines by verb: a pattern whose first group is coloured, and the colour."""


_KEEP_LINES = ("NEXT", "FIND", "SQL", "EXPORT", "FOLLOW")
"""Commands whose lines stay as they are at a terminal: those of Logdump, tables, data."""
_PASTED = ("ALTER ", "PATCH ")
"""Beginnings of the commands that SAFE and EXPLAIN print to be pasted."""
_SAY_NO_NAMES = ("DIFF", "SQL", "RECOVERY", "BR")
"""Commands that do not say that a name of their filter is not defined."""


@contextlib.contextmanager
def paged(*, wanted: bool) -> Iterator[None]:
    """Send standard output through a pager, if ``wanted``, standard output is a terminal, and the pager can be started.

    ``LOGDUMP_PAGER``, else ``PAGER``, names it; ``cat`` or an empty value disables it. ``LESS`` is ``FRX`` unless it is
    set, so that less exits at once if the text fits on the screen.
    """
    command = os.environ.get("LOGDUMP_PAGER", os.environ.get("PAGER", "less"))
    if not wanted or command.strip() in ("", "cat") or not sys.stdout.isatty():
        yield
        return
    try:
        pager = subprocess.Popen(  # noqa: S603 - the user's own program
            shlex.split(command),
            stdin=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
            env={"LESS": "FRX", **os.environ},
        )
    except (OSError, ValueError):
        yield
        return
    former, sys.stdout = sys.stdout, pager.stdin
    try:
        yield
    finally:
        sys.stdout = former
        with contextlib.suppress(BrokenPipeError):
            if pager.stdin is not None:
                pager.stdin.close()
        while pager.poll() is None:
            with contextlib.suppress(KeyboardInterrupt):
                pager.wait()


class PaintedText:
    """A stream that colours the lines written to it; each call writes whole lines."""

    def __init__(self, stream: TextIO, verb: str) -> None:
        self._stream = stream
        self._parts = [(re.compile(pattern, re.MULTILINE), code) for pattern, code in _PARTS[verb]]

    def write(self, text: str) -> int:
        """Write lines, coloured."""
        for pattern, code in self._parts:
            text = pattern.sub(partial(_painted, code), text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _painted(code: str, match: re.Match[str]) -> str:
    whole, (begin, end) = match[0], (place - match.start() for place in match.span(1))
    return f"{whole[:begin]}\x1b[{code}m{whole[begin:end]}\x1b[0m{whole[end:]}"


def has_colour(verb: str) -> bool:
    """Return whether the output of a verb is coloured: at a terminal that supports it, unless ``NO_COLOR`` is set."""
    return (
        verb in _PARTS
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


class VerbRun(Script):
    """Runs the steps of a verb.

    The output of preparing steps is not shown; if one fails, no step follows, but for a later trail that cannot be
    opened: its steps are left out. A file of the output, ``into``, gets its name at the end.
    """

    def __init__(
        self,
        steps: Iterable[VerbStep],
        *,
        narrates: bool = False,
        into: WholeFile | None = None,
        files: Callable[[], Sequence[Path]] = tuple,
    ) -> None:
        super().__init__(())
        self._files = files
        self._steps = steps
        self._step = VerbStep(Call(""))
        self._texts_are_narration = narrates
        self._into = into
        self._has_all = False
        self._has_any = self._is_absent = False
        self._absences: dict[Failure, None] = {}
        self._is_empty = True
        self.has_failed = False

    def _run(self) -> int:
        first_failure = of_trail = ExitStatus.OK
        has_trail = is_lost = False
        for step in self._steps:
            opens = step.prepares and step.call.name == "OPEN"
            if opens:
                of_trail, is_lost = ExitStatus.OK, False
            if is_lost or (step.repeats and (self._has_all or of_trail)):
                continue
            self._step, self._has_all, self._is_absent, self.status = step, False, False, ExitStatus.OK
            self._print_answer(keeping_secrets(step.call.line), run_call(self.session, REGISTRY, step.call))
            self._has_any |= step.is_in_any and not self._is_absent
            of_trail, first_failure = of_trail or self.status, first_failure or self.status
            is_lost = opens and bool(self.status)
            ends = self.status is ExitStatus.USAGE or self.session.is_over
            if ends or (step.prepares and self.status and not (is_lost and has_trail)):
                break
            has_trail |= opens
        self.status = first_failure
        for notice in self._undefined() if not self.status else ():
            self._print(notice)
        self._step = VerbStep(Call(""))
        for absence in () if self._has_any else self._absences:
            self._print(absence)
        return self.status

    def _undefined(self) -> Iterator[Notice]:
        """Yield notices about names that are not defined, for commands that yield none themselves."""
        filters = self.session.filters_in_use
        if filters is None or not filters.active:
            return
        if self._step.call.name == "NEXT" and self._is_empty:
            yield from defined_names.undefined_names(self.session)
        elif self._step.call.name in _SAY_NO_NAMES:
            yield from defined_names.names_not_defined(self.session, self._files())

    def _print(self, event: Event) -> None:
        if isinstance(event, Text) and event.is_about_files:
            return
        if self._step.repeats and isinstance(event, Failure) and event.status is ExitStatus.COMMAND_FAILED:
            self._has_all = True
            return
        if self._step.is_in_any and isinstance(event, Failure) and event.status is ExitStatus.COMMAND_FAILED:
            self._absences[event], self._is_absent, self._has_all = None, True, True
            return
        self.has_failed |= isinstance(event, Failure)
        if self._step.prepares and not isinstance(event, (Failure, Notice, NoRecordThere)):
            return
        if isinstance(event, Text) and self._texts_are_narration:
            terminal.write_lines(tuple(map(escape, event.lines)), is_narration=True)
            return
        super()._print(event)

    def _write_lines(self, lines: Sequence[Harmless], *, is_narration: bool) -> None:
        self._is_empty = self._is_empty and (is_narration or not lines)
        width = self.session.width
        if width and not (is_narration or self.is_json or self._into or self._step.call.name in _KEEP_LINES):
            lines = tuple(part for line in lines for part in _broken(line, width))
        if self._into is None or is_narration:
            super()._write_lines(lines, is_narration=is_narration)
        elif lines:
            self._into.write("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))


def _broken(line: Harmless, width: int) -> Iterator[Harmless]:
    """Yield a line in parts of at most ``width`` columns; whole if it is a command to be pasted."""
    return iter((line,)) if line.lstrip().startswith(_PASTED) else wrapped(line, width)


def run_verb(name: str, arguments: Sequence[str]) -> int | None:
    """Run a verb and return the exit status, None if its words are arguments of the command with the same name."""
    verb = BY_NAME[name]
    if _NAGIOS in arguments and "nagios" in verb.known_options:
        return _for_nagios(verb, arguments)
    options = verb.parsed(arguments)
    try:
        request = verb.request(options)
        has_trails = bool(request.files) or names_trails(request.rest) or not (request.words or verb.needs_words)
        has_options = any(word.startswith("-") for word in arguments)
        if not has_trails and not has_options and _is_command(verb.name, options.words):
            return None
        if not has_trails and not verb.has_free_text:
            raise no_such_file(request.words[-1 if verb.has_words_first else 0])
        steps = verb.spell(request)
        if options.explain:
            for line in _explained(steps):
                terminal.write_line(escape(line))
            return ExitStatus.OK
        terminal.write_lines(tuple(map(escape, request.passed_over)), is_narration=True)
        return _run(verb, request, steps)
    except CommandError as error:
        terminal.write_lines(tuple(map(escape, error.lines)), is_narration=True)
        return error.status
    except (TrailError, CannotRead) as error:
        terminal.write_line(escape(f"Error: {error}"), is_narration=True)
        return ExitStatus.COMMAND_FAILED if isinstance(error, CannotWrite) else ExitStatus.BAD_DATA


_NAGIOS = "--nagios"


class NagiosRun(VerbRun):
    """Runs the step of a verb for Nagios: one line on standard output, and the status of its plugins.

    What keeps an answer away is that line, with the status that says that nothing is known.
    """

    def _run(self) -> int:
        self._has_answer = False
        status = super()._run()
        return status if self._has_answer else self._say_unknown("no answer")

    def _print(self, event: Event) -> None:
        if isinstance(event, NagiosShown):
            self._has_answer, self.status = True, ExitStatus(event.status)
            super()._print(event)
        elif isinstance(event, Failure) and not self._has_answer:
            self.status, self._has_answer = ExitStatus(self._say_unknown(event.lines[0])), True

    def _say_unknown(self, reason: str) -> int:
        return say_unknown(reason)


def say_unknown(reason: str) -> int:
    """Write the line for Nagios that nothing is known, and return its status."""
    terminal.write_line(escape(f"{NAGIOS_NAME} {NagiosStatus.UNKNOWN.name} - {reason}".replace("|", "/")))
    return NagiosStatus.UNKNOWN


def _for_nagios(verb: Verb, arguments: Sequence[str]) -> int:
    """Run a verb for Nagios: wrong usage, which is status 2 elsewhere, is unknown, and not a critical state."""
    try:
        options = verb.parsed(arguments)
    except SystemExit as error:
        if not error.code:
            raise
        return say_unknown("wrong usage")
    try:
        request = verb.request(options)
        if not request.files:
            raise no_such_file(request.words[0])
        steps = [*verb.spell(request)]
        if options.explain:
            for line in _explained(steps):
                terminal.write_line(escape(line))
            return NagiosStatus.OK
        status = NagiosRun(steps).run()
        terminal.flush()
    except (CommandError, TrailError, CannotRead, OSError) as error:
        return say_unknown(str(error).splitlines()[0])
    except KeyboardInterrupt:
        return say_unknown("interrupted")
    return status if status in tuple(NagiosStatus) else say_unknown("interrupted")


def _is_command(name: str, words: Sequence[str]) -> bool:
    """Return whether the words are arguments of the command named like a verb, if that needs no open trail."""
    line = " ".join([name, *words])
    if not REGISTRY.knows(name) or split_commands(line) != [line.strip()]:
        return False
    command = REGISTRY.find(name)
    if not command.is_one_shot and command.origin is not Origin.LOGDUMP:
        return False
    return parse_partial(command.form, " ".join(words), Context()).validity is Validity.VALID


def _explained(steps: Iterable[VerbStep]) -> Iterator[str]:
    for step, times in ((step, sum(1 for _ in same)) for step, same in groupby(steps)):
        line = step.call.line if step.call.is_typed else f"-- no line can say this: {step.call.line}"
        yield line if times == 1 else f"{line}   -- up to {times} times"


class _NotWrittenError(Exception):
    """The verb has failed; its output file is discarded."""


def _run(verb: Verb, request: VerbRequest, steps: Iterable[VerbStep]) -> int:
    options = request.options
    into_file = getattr(options, "output", None) is not None and not verb.writes_output
    status = ExitStatus.OK
    with contextlib.ExitStack() as stack, contextlib.suppress(_NotWrittenError):
        if not into_file:
            is_painted = getattr(options, "format", "text") in (None, "text") and has_colour(verb.name)
            stack.enter_context(
                paged(wanted=not options.no_pager and not (verb.name == "tail" or getattr(options, "follow", False)))
            )
            if is_painted:
                stack.enter_context(contextlib.redirect_stdout(cast("TextIO", PaintedText(sys.stdout, verb.name))))
            prints_rows = verb.writes_bytes and not options.output and getattr(options, "columns", None) is not None
            run = VerbRun(steps, narrates=verb.narrates and not prints_rows, files=partial(_all_files, request))
            run.output_is_data = verb.writes_bytes and not options.output and not prints_rows
            run.session.width = _width()
            status = ExitStatus(run.run())
            terminal.flush()
            return status
        target = path_of(options.output).absolute()
        _check_target(target, request)
        with WholeFile(target, replace=options.replace) as into:
            run = VerbRun(steps, narrates=verb.narrates, into=into, files=partial(_all_files, request))
            status = ExitStatus(run.run())
            if run.has_failed or status is ExitStatus.INTERRUPTED:
                raise _NotWrittenError
    return status


def _all_files(request: VerbRequest) -> Sequence[Path]:
    return [path for paths in request.trails() for path in paths] if request.files else ()


def _width() -> int | None:
    """Return the width of the terminal that shows the output, None if it is no terminal."""
    if not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def _check_target(target: Path, request: VerbRequest) -> None:
    """Raise MisuseError if the output would overwrite a file that is read: a trail, an archive, a log, parameters."""
    if not target.exists():
        return
    others = (*request.words, *(getattr(request.options, "params", None) or ()))
    read = (*(path for paths in request.trails() for path in paths), *(path_of(word) for word in others))
    if any(_is_same(part, target) for path in read for part in (path, *path.parents)):
        raise MisuseError(f"{target} is a file that is read: nothing is written over it")


def _is_same(path: Path, target: Path) -> bool:
    try:
        return path.samefile(target)
    except (OSError, ValueError):  # no file, or a word that is no name of one
        return False
