"""A session: the open trail, the position in it, the switches, the history, marks and the log."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TextIO, TypeVar

from logdump.notation.text import Harmless
from logdump.session.cursor import Cursor
from logdump.session.errors import CommandError
from logdump.session.settings import Across, Settings
from trailformat import NotATrail, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import absolute as make_absolute
from trailformat.codec.remote.path import path_of
from trailformat.errors import reason_of
from trailformat.trail.command_files import reading
from trailformat.trail.packed import is_file, is_special, status_of

with on_demand:
    from logdump.session import selection
    from trailformat.trail import row_definitions, sequence, whole_file
    from trailformat.transactions import whole_trail

if TYPE_CHECKING:
    from logdump.filters import FilterSet
    from logdump.filters.value_criteria import AnyValue
    from logdump.session.selection import Selection
    from trailformat.definitions.file import DefinitionsFile
    from trailformat.trail.row_definitions import RowDefinitions


class SourceDefinitions(NamedTuple):
    """A definitions file: its path, its contents, and whether it takes precedence over the trail."""

    path: Path
    file: DefinitionsFile
    override: bool = False


class Mark(NamedTuple):
    """A position in a trail with a name and a note."""

    name: str
    path: Path
    rba: int
    note: str = ""


class MarksShown(NamedTuple):
    """MARK: the marks, by file and RBA."""

    marks: tuple[Mark, ...]


class Search(NamedTuple):
    """One search of FIND: its text as typed, and the filter that matching records pass.

    ``values`` is the criterion among them of a number, date or time that may be the value of any column; else None.
    """

    text: str
    filters: FilterSet
    values: AnyValue | None = None


MOST_KEPT = 1000


class History:
    """The entered lines; the newest 1000 are kept, with continuing numbers.

    Attributes:
        lines: oldest first.
        number: number of the next line.
        clears: how often all lines were forgotten.
    """

    def __init__(self, lines: Iterable[str] = (), number: int | None = None) -> None:
        self.clears = 0
        self.lines = list(lines)[-MOST_KEPT:]
        self.number = len(self.lines) + 1 if number is None else number

    @property
    def first(self) -> int:
        """The number of the oldest line kept."""
        return self.number - len(self.lines)

    def append(self, line: str) -> None:
        """Append a line."""
        self.lines.append(line)
        self.number += 1
        del self.lines[:-MOST_KEPT]

    def replace_last(self, line: str) -> None:
        """Replace the line entered last, keeping its number."""
        self.lines[-1:] = [line]

    def clear(self) -> None:
        """Forget all lines; the numbers start at 1 again."""
        self.lines.clear()
        self.number = 1
        self.clears += 1


class SessionLog:
    """The session log, initially off; while it is on, text is appended to a file.

    Attributes:
        path: the file, or None while it is off.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self._file: TextIO | None = None

    def start(self, path: Path) -> None:
        """Continue in the file ``path``; the file in use before is closed.

        A new file is accessible only to its owner, because it receives the data of rows. A link is not followed.

        Raises:
            OSError: it cannot be opened for writing; nothing changes.
        """
        kind = whole_file.kind_of(path)
        if kind not in (None, "a file"):
            raise OSError(None, f"it is {kind}, not a regular file")
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # if it has become a link or a FIFO
        file = os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace")
        with contextlib.suppress(OSError):
            self.stop()
        self.path, self._file = path, file

    @property
    def status(self) -> os.stat_result | None:
        """The status of the file in use; None while the log is off."""
        return os.fstat(self._file.fileno()) if self._file is not None else None

    def write_line(self, line: Harmless) -> None:
        """Append a line, if the log is on. Raises OSError."""
        if self._file is not None:
            self._file.write(f"{line}\n")

    def flush(self) -> None:
        """Flush written text to the system. Raises OSError."""
        if self._file is not None:
            self._file.flush()

    def stop(self) -> None:
        """Close the file; the log is off afterwards in any case. Raises OSError."""
        file, self._file, self.path = self._file, None, None
        if file is not None:
            file.close()


T = TypeVar("T")
_TRAIL_NAME_LENGTH = 2


class Session:
    """The state that commands read and change; it prints nothing.

    Attributes:
        settings: the switches.
        history: the lines entered.
        log: the session log of LOG: everything printed and entered.
        ask: reads one more line with a given prompt, None at the end of the input; None if there is no input to
            read.
        standard_output: returns the binary stream for data, all events go elsewhere; None in the full-screen view.
        takes_lines: maximum number of records passed together as lines; 0: each record is an event of its own.
        note_entered: called with each line that was not typed, after its prompt, for the session log.
        begin_aligned: begins a view of two trails side by side, given the level of DIFF and their names; None without
            such a view. Its types are those of DIFF.
        width: columns of the terminal that shows the answers; None without a terminal.
        full_screen: continues in the full-screen view until that ends; None without a terminal for it.
        obeyed: the command files being run, outermost first.
        obeyed_in_all: number of files obeyed since the outermost, itself included.
        is_over: set by EXIT.
        is_script: True if nobody sees a command fail before the next one runs.
        has_failed_filter: True if a FILTER of a script has failed, so that later commands would read too much.
        narrowing: returns further criteria for a file, set while a command uses them.
        said_unborn: files without records that the script has named.
        marks: the positions that MARK has named, by name.
        search: the last search of FIND.
    """

    def __init__(self) -> None:
        self.settings = Settings()
        self.history = History()
        self.log = SessionLog()
        self.ask: Callable[[str], str | None] | None = None
        self.standard_output: Callable[[], BinaryIO] | None = None
        self.takes_lines = 0
        self.note_entered: Callable[[Harmless], object] = self.log.write_line
        self.width: int | None = None
        self.full_screen: Callable[[], None] | None = None
        self.obeyed: list[Path] = []
        self.obeyed_in_all = 0
        self.is_over = False
        self.is_script = self.has_failed_filter = False
        self.said_unborn: set[Path] = set()
        self.stops = ""
        self._filters: FilterSet | None = None
        self.narrowing: Callable[[TrailFile], FilterSet] | None = None
        self._source_definitions: SourceDefinitions | None = None
        self._row_definitions: RowDefinitions | None = None
        self.marks: dict[str, Mark] = {}
        self.search: Search | None = None
        self._cursor: Cursor | None = None
        self.begin_aligned: Callable[[Any, str, str], Any] | None = None
        self._kept: dict[type, object] = {}

    def keep(self, value: object) -> None:
        """Keep a value that a command needs later; it replaces the kept value of its type."""
        self._kept[type(value)] = value

    def kept(self, kind: type[T]) -> T | None:
        """Return the kept value of a type; None if there is none."""
        value = self._kept.get(kind)
        return value if isinstance(value, kind) else None

    @property
    def number(self) -> int:
        """The number in the prompt: that of the line to be entered next."""
        return self.history.number

    @property
    def prompt(self) -> str:
        """The prompt as Logdump prints it: existing scripts search for it."""
        return f"Logdump {self.number} >"

    @property
    def filters(self) -> FilterSet:
        """The filter, to be changed or shown; the first use creates it."""
        if self._filters is None:
            from logdump.filters import FilterSet  # noqa: PLC0415 - a session without FILTER starts faster

            self._filters = FilterSet()
        return self._filters

    @property
    def filters_in_use(self) -> FilterSet | None:
        """The filter, to be applied; None before its first use.

        Raises:
            CommandError: a FILTER of the script failed, so that it is not the intended one.
        """
        if self.has_failed_filter and self.is_filter_enabled:
            raise CommandError("Not run: a FILTER before it failed. FILTER CLEAR or FILTER OFF continues without it.")
        return self._filters

    @filters_in_use.setter
    def filters_in_use(self, filters: FilterSet | None) -> None:
        self._filters = filters

    @property
    def is_filter_enabled(self) -> bool:
        """True if the filter is switched on, as it is before its first use."""
        return self._filters is None or self._filters.enabled

    @property
    def source_definitions(self) -> SourceDefinitions | None:
        """The definitions file in use, or None."""
        return self._source_definitions

    @source_definitions.setter
    def source_definitions(self, source: SourceDefinitions | None) -> None:
        self._source_definitions = source
        self._row_definitions = None

    @property
    def row_definitions(self) -> RowDefinitions:
        """The definitions of the rows of the open trail. Raises as ``cursor``."""
        return self.definitions_of(self.trail)

    def definitions_of(self, trail: TrailFile) -> RowDefinitions:
        """Return the definitions of the rows of any trail; those of the open trail are kept."""
        if self._row_definitions is not None and self._is_open(trail):
            return self._row_definitions
        source = self._source_definitions
        file, override = (source.file, source.override) if source else (None, False)
        definitions = row_definitions.RowDefinitions(trail, file, override=override)
        if self._is_open(trail):
            self._row_definitions = definitions
        return definitions

    def selection(
        self, trail: TrailFile | None = None, *, filtered: bool = True, also: Sequence[FilterSet] = ()
    ) -> Selection:
        """Return the selection of a trail's records, by default the open one's, by the filter and those of ``also``.

        Every command uses it, so that all of them see the same records. Raises as ``cursor``.
        """
        trail = trail or self.trail
        narrowing = self.narrowing(trail) if self.narrowing is not None and filtered else None
        filters = [self.filters_in_use if filtered else None, narrowing, *also]
        cursor = self._cursor if self._is_open(trail) else None
        transactions = (lambda: cursor.transactions) if cursor is not None else None
        return selection.Selection(trail, filters, partial(self.definitions_of, trail), transactions)

    def _is_open(self, trail: TrailFile) -> bool:
        return self._cursor is not None and trail is self._cursor.trail

    @contextlib.contextmanager
    def reading(self, trail: TrailFile) -> Iterator[None]:
        """Within the context, make another file the open one, at its beginning; the caller has to close it."""
        former = self._cursor, self._row_definitions
        self._cursor, self._row_definitions = Cursor(trail), None
        try:
            yield
        finally:
            self._cursor, self._row_definitions = former

    @property
    def has_trail(self) -> bool:
        """True if a trail is open."""
        return self._cursor is not None

    @property
    def cursor(self) -> Cursor:
        """The position in the open trail.

        Raises:
            CommandError: no trail is open.
        """
        if self._cursor is None:
            raise CommandError("No LogTrail is open. OPEN <filename> opens one.")
        return self._cursor

    @property
    def trail(self) -> TrailFile:
        """The open trail. Raises as ``cursor``."""
        return self.cursor.trail

    def check_target(self, path: Path, command: str, *, wanted: str = "a file") -> None:
        """Check that a target is not a file in use, under any name, and is of the wanted kind if it exists.

        Raises:
            CommandError: the check fails; ``wanted`` is ``a folder`` for a command that writes one.
        """
        self.check_targets((path,), command, wanted=wanted)

    def check_targets(self, paths: Iterable[Path], command: str, *, wanted: str = "a file") -> None:
        """Check several targets like :meth:`check_target`; what is in use is looked up once for all."""
        in_use: dict[tuple[int, int], str] | None = None
        for path in paths:
            try:
                kind = whole_file.kind_of(path)
                target = path.stat() if path.exists() else None
            except (OSError, ValueError) as error:
                raise CommandError(f"{path} cannot be written: {reason_of(error)}.") from error
            if target is not None:
                if in_use is None:
                    in_use = self._files_in_use()
                if (what := in_use.get((target.st_dev, target.st_ino))) is not None:
                    raise CommandError(f"{path} is {what}: {command} never writes over it.")
            if kind not in (None, wanted):
                where = "through no link" if kind.startswith("a link") else f"to {wanted} and to nothing else"
                raise CommandError(f"{path} is {kind}: {command} writes {where}.")

    def _files_in_use(self) -> dict[tuple[int, int], str]:
        """Return the descriptions of the files in use by their device and inode; of several the first counts."""
        files: dict[tuple[int, int], str] = {}
        for what, status in self._in_use():
            files.setdefault((status.st_dev, status.st_ino), what)
        return files

    def _in_use(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the files that commands currently read and write: description and status."""
        named = [("the command file that is obeyed", path) for path in self.obeyed]
        if self._cursor is not None:
            yield "the open trail", self._cursor.trail.status
            named.append(("the open trail", self._cursor.trail.path))
            if self.settings.across is not Across.OFF:
                named += [
                    ("a file of the open trail", path) for path in whole_trail.WholeTrail.around(named[-1][1]).paths
                ]
        if self._source_definitions is not None:
            named.append(("the definitions file in use", self._source_definitions.path))
        if self.log.status is not None:
            yield "the session log", self.log.status
        for what, path in named:
            with contextlib.suppress(OSError):
                yield what, status_of(path)

    def open(self, path: str | os.PathLike[str]) -> TrailFile:
        """Open a trail file, or the first file of a trail if ``path`` is its two-character name.

        Raises:
            NotATrail: it cannot be opened; a trail that was open stays open.
        """
        existing = _existing(path_of(path))
        if self.has_trail and existing == self.trail.path and (files := reading()) is not None:
            files.forget(existing)  # who opens it again takes another file of this name
        try:
            trail = TrailFile(existing)
        except NotATrail as error:
            if isinstance(error.__cause__, FileNotFoundError) and (near := _near(existing)):
                error.problem += f"; {near}"
            raise
        self.close()
        self._cursor = Cursor(trail)
        return trail

    def forget_read(self) -> None:
        """Forget what was read of the open file, which was rewritten in place; the position stays."""
        former, self._row_definitions = self.cursor, None
        former.trail.forget_read()
        self._cursor = Cursor(former.trail)
        self._cursor.return_to(former.place)

    def end(self) -> None:
        """Close the trail and the session log."""
        self.close()
        with contextlib.suppress(OSError):
            self.log.stop()

    def close(self) -> None:
        """Close the trail, if one is open."""
        self._row_definitions = None
        if self._cursor is not None:
            self._cursor.trail.close()
            self._cursor = None


def _near(path: Path) -> str:
    """Return a hint at similar names for a missing file; empty if there are none."""
    from logdump.session.files import near_files  # noqa: PLC0415 - for missing files only

    near = near_files(path)
    return f"did you mean {' or '.join(near)}?" if near else ""


def is_trail(name: str) -> bool:
    """Return True if OPEN finds a file of this name, or a trail; also for a device or a pipe, which it refuses."""
    try:
        existing = _existing(path_of(name))
        return is_file(existing) or is_special(existing)
    except (OSError, ValueError, NotATrail):
        return False


def _existing(path: Path) -> Path:
    """Return ``path`` as an absolute path without dots; for the name of a trail, the path of its first file."""
    absolute = make_absolute(path)
    if len(absolute.name) != _TRAIL_NAME_LENGTH or is_file(absolute) or absolute.is_dir():
        return absolute
    try:
        return sequence.TrailSequence(absolute).paths[0]
    except NotATrail:
        return absolute
