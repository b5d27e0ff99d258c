"""Execution of a line: the only module that turns errors into messages."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logdump.language.command import AnyCommand, Registry
from logdump.language.reader import Context, Form, parse
from logdump.language.words import MOST_CHARACTERS, split_calls
from logdump.notation.times import TimeOffset, format_timestamp, format_with_zone, has_date, parse_datetime
from logdump.session.errors import ArgumentError, CommandError, ExitStatus
from logdump.session.events import Bad, Event, Failure, Notice
from logdump.session.selection import WHY_UNDECIDED
from logdump.session.session import Session
from trailformat import CannotRead, CannotWrite, NotATrail, PartialRecord, TrailError
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.url import forget_left_out, keeping_secrets
from trailformat.trail.command_files import OUTCOMES, FilesRead, one_reading, reading

with on_demand:
    import difflib

    from logdump import filters
    from logdump.notation import hexdump
    from logdump.session import chosen_trail

if TYPE_CHECKING:
    from logdump.language.call import Call

_DAY = 86_400_000_000
_MOST_DAYS = 3
"""If the trail spans more days than this, a time without a date is ambiguous."""

Bounds = tuple[int, int]
Read = Callable[[Form[Any], Context], Any]
"""Reads the arguments of a command by its form. Raises CommandError."""


class TrailZone(TimeOffset):
    """Zone that completes a time without a date if it fits exactly one date of the trail.

    Attributes:
        dated: times that were entered without a date, and the Julian microseconds they were completed to.
    """

    _bounds: Callable[[], Bounds | None]
    dated: dict[str, int]

    @classmethod
    def of(cls, zone: TimeOffset, bounds: Callable[[], Bounds | None]) -> TrailZone:
        """Return the zone for a trail; ``bounds`` returns the times of its first and last row, None if it has none."""
        trail_zone = cls(zone.minutes)
        trail_zone._bounds, trail_zone.dated = bounds, {}
        return trail_zone

    def moment(self, text: str, *, is_end: bool = False) -> int:
        """Return an entered time in Julian microseconds.

        Raises:
            ValueError: the text is not a time, or has no date and the trail does not determine one.
        """
        moment = parse_datetime(text, self, is_end=is_end)
        if has_date(text):
            return moment
        bounds = self._bounds()
        if bounds is None:
            raise ValueError(f"{text} has no date, and there is no trail open with one; write yyyy-mm-dd {text}")
        fitting = self._fitting(text, *bounds, is_end=is_end)
        if len(fitting) != 1:
            dates = " to ".join(dict.fromkeys(format_timestamp(bound, self)[:10] for bound in bounds))
            raise ValueError(f"{text} has no date, and the trail has several: {dates}; write yyyy-mm-dd {text}")
        self.dated[text] = fitting[0]
        return fitting[0]

    def _fitting(self, text: str, first: int, last: int, *, is_end: bool) -> list[int]:
        """Return the moments that the time may mean: the only one, or all between the trail's first and last row."""
        if last - first > _MOST_DAYS * _DAY:
            return []
        moments: set[int] = set()
        for day in (*range(first, last, _DAY // 2), last):
            try:
                moments.add(parse_datetime(text, self, day, is_end=is_end))
            except ValueError:  # a local time that daylight saving skips on that date
                continue
        return list(moments) if len(moments) == 1 else [moment for moment in moments if first <= moment <= last]

    def said(self) -> Iterator[str]:
        """Yield a line for each time that was completed with a date."""
        for text, moment in self.dated.items():
            yield f"{text} is taken as {format_with_zone(moment, self)}, a date of this trail."


_BYTES_SHOWN = 40


def run_line(session: Session, registry: Registry, line: str) -> Generator[Event, None, None]:
    """Append a line to the history and run its commands in order; a command that fails does not stop the others.

    A paste of several lines is not kept in the history, which has one line each.
    """
    if len(line) > MOST_CHARACTERS:
        yield Failure((f"A line of more than {MOST_CHARACTERS} characters is not carried out.",))
        return
    line = keeping_secrets(line)
    calls = split_calls(line)
    if calls and "\n" not in line:
        session.history.append(line.strip())
    try:
        yield from _run_calls(session, registry, calls)
    finally:
        forget_left_out()


def run_commands(session: Session, registry: Registry, line: str) -> Iterator[Event]:
    """Run the commands of a line without appending it to the history."""
    yield from _run_calls(session, registry, split_calls(keeping_secrets(line)))


def _run_calls(session: Session, registry: Registry, calls: list[tuple[str, str]]) -> Iterator[Event]:
    for word, text in calls:
        if session.is_over:
            return
        events = _run_call(session, registry, word, text)
        yield from _until_failure(session, events) if session.is_script else events


def _until_failure(session: Session, events: Generator[Event, None, None]) -> Iterator[Event]:
    """Yield the events of a command; after one with an error status, end the script if ONERROR STOP is set."""

    def see(event: Event) -> None:
        if getattr(event, "status", ExitStatus.OK) and session.settings.stops_at_failure:
            session.is_over = True

    return _seen(events, see)


def _seen(events: Generator[Event, None, None], see: Callable[[Event], object]) -> Generator[Event, None, None]:
    """Yield the events of a command, each after a call of ``see`` with it.

    Exceptions that are thrown in, such as Ctrl+C, are passed on to the command.
    """
    thrown: BaseException | None = None
    while True:
        try:
            event = next(events) if thrown is None else events.throw(thrown)
        except StopIteration:
            return
        thrown = None
        see(event)
        try:
            yield event
        except GeneratorExit:
            events.close()
            raise
        except BaseException as error:  # noqa: BLE001 - passed on to the command
            thrown = error


def _run_call(session: Session, registry: Registry, word: str, text: str) -> Generator[Event, None, None]:
    try:
        command = registry.find(word)
    except CommandError as error:
        if (explaining := registry.for_message(f"{word} {text}")) is not None:
            yield Notice((f"A message of GoldenGate: {explaining.name} takes it.",), ExitStatus.OK)
            yield from run_command(session, explaining, _reading(f"{word} {text}"))
            return
        hint = filters.misuse_hint(word)
        session.has_failed_filter |= session.is_script and (hint is not None or _is_like_narrowing(registry, word))
        yield Failure((*error.lines[:1], hint) if hint else error.lines)
        return
    yield from run_command(session, command, _reading(text))


def run_call(session: Session, registry: Registry, call: Call) -> Generator[Event, None, None]:
    """Append the line of a call to the history, and run it."""
    session.history.append(keeping_secrets(call.line))
    yield from run_command(session, registry.find(call.name), call.read, call.label, misuse=ExitStatus.USAGE)


def _reading(text: str) -> Read:
    """Return the function that reads the arguments of a command from a text."""
    return lambda form, context: parse(form, text, context)


def run_command(
    session: Session,
    command: AnyCommand,
    read: Read,
    label: str = "",
    *,
    misuse: ExitStatus = ExitStatus.COMMAND_FAILED,
) -> Generator[Event, None, None]:
    """Run one command, and say what its answer lacks at the end of a trail.

    CannotRead becomes a Failure, which also names the outputs that were completed.

    Args:
        session: its state.
        command: the command.
        read: reads the arguments by the form of the command.
        label: what the arguments are called if they are wrong; empty: the command, with its syntax.
        misuse: the status if they are wrong.
    """
    written, said = len(OUTCOMES.named), set[Place]()
    with one_reading() as files:
        if session.has_trail:
            session.trail.note_in(files)
        answers = _answers(session, command, read, label, written, misuse)
        try:
            yield from _seen(answers, lambda event: said.add(_incomplete(event)))
        except CannotRead as error:
            yield Failure((f"Error: {error}", *outputs_kept(written)), ExitStatus.BAD_DATA, Bad(error))
    yield from _lacking(session, files, said)


Place = tuple[Path, int] | None


def _incomplete(event: Event) -> Place:
    """Return file and RBA of the incomplete record that an event is about; None if it is about none."""
    if getattr(event, "status", None) and (half_record := getattr(event, "half_record", None)) is not None:
        return half_record.path, half_record.rba
    error = getattr(getattr(event, "bad", None), "error", None) or getattr(event, "error", None)
    if not isinstance(error, PartialRecord) or error.path is None or error.rba is None:
        return None
    return error.path, error.rba


def _lacking(session: Session, files: FilesRead, said: set[Place]) -> Iterator[Event]:
    """Yield a notice for each end of a trail that an answer lacks and does not name, and what a filter left undecided.

    In a script a file without records is named once.
    """
    unborn = [path for path in files.unborn if path not in session.said_unborn]
    session.said_unborn = {*session.said_unborn, *unborn} if session.is_script else set()
    if unborn:
        yield Notice(tuple(f"{path} has no records yet." for path in unborn), ExitStatus.OK)
    for path, error in files.incomplete.items():
        if path not in files.named and (path, error.rba) not in said:
            yield Notice((f"{error}: it is not in the answer.",), ExitStatus.BAD_DATA, Bad(error))
    for path, (first, last) in files.undecided.items():
        more = ", as of some after it" if last > first else ""
        text = f"{path}: whether the change at RBA {first} matches is not known{more}"
        yield Notice((f"{text}: {WHY_UNDECIDED}. It is not in the answer.",), ExitStatus.BAD_DATA)


def outputs_kept(written: int = 0) -> tuple[str, ...]:
    """Return a message for each output written completely, except the first ``written``."""
    return tuple(f"{path} was written completely before this." for path in OUTCOMES.named[written:])


def stopped_writing(done: str, nothing: str, written: int) -> Notice:
    """Return the notice after Ctrl+C: the outputs that were completed, or ``nothing`` if there are none."""
    outputs = outputs_kept(written)
    lines = (f"Stopped after {done}.", *outputs) if outputs else (f"Stopped after {done}: {nothing}.",)
    return Notice(lines, ExitStatus.INTERRUPTED)


def _answers(
    session: Session, command: AnyCommand, read: Read, label: str, written: int, misuse: ExitStatus
) -> Generator[Event, None, None]:
    """Yield the events of a command; errors other than CannotRead become Failures."""
    if session.has_trail:
        with suppress(CannotRead):
            # the file may have been truncated since the last command
            session.trail.refresh()
    try:
        zone = TrailZone.of(session.settings.time_offset, partial(_times_of_trail, session))
        arguments = _arguments(command, read, label, Context(zone))
        if zone.dated:
            yield Notice(tuple(zone.said()), ExitStatus.OK)
        session.stops = command.stops
        yield from command.run(session, arguments)
    except ArgumentError as error:
        _note_failure(session, command)
        more = (f"See HELP {command.name}.",) if command.details else ()
        yield Failure(
            (f"{command.name}: {error.lines[0]}", *error.lines[1:], f"Syntax: {command.syntax}", *more), misuse
        )
    except CommandError as error:
        _note_failure(session, command)
        yield Failure(error.lines, error.status)
    except TrailError as error:
        failure = _trail_failure(session, error)
        yield failure._replace(lines=(*failure.lines, *outputs_kept(written)))
    except BrokenPipeError:
        raise
    except (OSError, ImportError) as error:
        _check_removed(error)
        yield Failure((f"{command.name}: {error}", *outputs_kept(written)))


class _WrongValueError(CommandError):
    """A value that an option of a verb cannot have."""

    status = ExitStatus.USAGE


def _arguments(command: AnyCommand, read: Read, label: str, context: Context) -> Any:
    """Return the value of the arguments. With a label, any error is one of the value that it names."""
    try:
        return read(command.form, context)
    except CommandError as error:
        if not label:
            raise
        raise _WrongValueError(f"logdump: {label}: {error.lines[0]}", *error.lines[1:]) from error


def _check_removed(error: OSError | ImportError) -> None:
    """Raise CannotRead if the error is about a file that the command had found before."""
    if isinstance(error, FileNotFoundError) and error.filename and (files := reading()) is not None:
        files.check_removed(Path(error.filename))


def _note_failure(session: Session, command: AnyCommand) -> None:
    """Mark the session of a script if a FILTER failed: later commands would read records that it suppresses."""
    session.has_failed_filter |= session.is_script and command.is_narrowing


def _is_like_narrowing(registry: Registry, word: str) -> bool:
    """Return True if an unknown word most resembles the name of a command that restricts others."""
    return any(
        registry.find(near).is_narrowing for near in difflib.get_close_matches(word.upper(), registry.words(), n=1)
    )


def _times_of_trail(session: Session) -> tuple[int, int] | None:
    """Return the times of the first and last row of the open trail, None if there is no trail or no row."""
    trail_range = chosen_trail.range_of(session.trail) if session.has_trail else None
    return (trail_range.first_time, trail_range.last_time) if trail_range is not None else None


def _trail_failure(session: Session, error: TrailError) -> Failure:
    """Return the failure for an error of the trail, with the distance to the next good header or the end of file."""
    status = ExitStatus.COMMAND_FAILED if isinstance(error, CannotWrite) else ExitStatus.BAD_DATA
    rba = _rba_in_open_trail(session, error)
    if rba is None:
        return Failure((f"Error: {error}",), status, Bad(error))
    good = session.trail.next_good_header(rba + 1)
    bad = Bad(error, (good if good is not None else session.trail.size) - rba)
    if isinstance(error, NotATrail | CannotWrite):
        return Failure((f"Error: {error}",), status, bad)
    return Failure(tuple(_bad_record_lines(session, error, rba, good)), status, bad)


def _rba_in_open_trail(session: Session, error: TrailError) -> int | None:
    """Return the RBA of the error, None if it is not in the open trail."""
    is_here = session.has_trail and error.path == session.trail.path
    return error.rba if is_here and error.rba is not None and 0 <= error.rba < session.trail.size else None


def _bad_record_lines(session: Session, error: TrailError, rba: int, good: int | None) -> Iterator[str]:
    """Yield the lines about a bad record: the reason, its first bytes, and the command that leads on."""
    kind = "Partial" if isinstance(error, PartialRecord) else "Bad"
    yield f"{kind} record found at RBA {rba}: {error.explained(', ')}"
    yield f"in {error.path}"
    yield from hexdump.hexdump(session.trail.bytes[rba : rba + _BYTES_SHOWN], gutter=session.settings.dump_gutter)
    if isinstance(error, PartialRecord):
        yield "It may be still being written: NEXT tries again."
    elif session.cursor.is_backwards and (before := session.cursor.good_header_before(rba)) is not None:
        yield f"Previous good header at RBA {before}: SCANFORHEADER PREV (SFH PREV) goes there."
    elif good is None:
        yield "No good header after it. SCANFORHEADER PREV (SFH PREV) goes back to the last one."
    else:
        yield f"Next good header at RBA {good}: SCANFORHEADER (SFH) goes there."
    if good is not None and (end := session.trail.embedded_up_to(rba, good)) is not None:
        yield f"The length of the bad record leads to RBA {end}: good headers before that may be part of its data."
