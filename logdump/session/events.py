"""The events that commands yield: facts, which a renderer formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.notation.text import Harmless
    from trailformat import CannotRead, Change, Record, TrailError
    from trailformat.changes.lobs import Lob


class Statement(NamedTuple):
    """SQL without its ``ending``, or the reason why there is none; ``elsewhere`` is its file if that is not open."""

    change: Change
    sql: str | None
    reason: str | None = None
    ending: str = ";"
    elsewhere: Path | None = None


class StatementShown(NamedTuple):
    """The SQL that repeats a change, or takes it back."""

    statement: Statement
    takes_back: bool


class ScriptPart(NamedTuple):
    """Many lines of a script, written by columns: UTF-8, each line ended by a line feed."""

    data: bytes


class Text(NamedTuple):
    """Lines of text from a command; ``is_about_files`` is True if they say which file is read now."""

    lines: tuple[str, ...]
    is_about_files: bool = False


class Progress(NamedTuple):
    """Progress of a scan: the number of records scanned, and the RBA and time (Julian) of the last of them.

    ``size`` is the size of the file in bytes, 0 if the scan does not run to its end.
    """

    records: int
    rba: int
    time: int
    size: int = 0

    @classmethod
    def at(cls, scanned: int, record: Record) -> Progress:
        """Return the report of NOTIFY after ``scanned`` records, at this record."""
        return cls(scanned, record.rba, 0 if record.is_file_header else record.header.io_time)


class SearchProgress(NamedTuple):
    """Progress of a search for a sound record: the RBA that it has reached."""

    rba: int


class JobProgress(NamedTuple):
    """Progress of a Spark job: numbers of tasks that are done, that run, and of all; 0 while it is prepared."""

    done: int = 0
    running: int = 0
    tasks: int = 0


class Pause(NamedTuple):
    """All events so far are to be displayed now, because the next ones may come much later."""


class PositionShown(NamedTuple):
    """The read position in a file, and the direction."""

    path: Path
    rba: int
    is_backwards: bool


class EnvironmentShown(NamedTuple):
    """ENV: labels and values; ``path`` and ``direction`` are those of the open trail, None without one."""

    rows: tuple[tuple[str, str], ...]
    path: str | None
    direction: str | None

    @property
    def is_open(self) -> bool:
        """True if a trail is open."""
        return self.path is not None


class NoRecordThere(NamedTuple):
    """No record starts (reading backwards: ends) at the read position; narration in addition to PositionShown.

    ``before`` and ``after`` are the RBAs of the records that start before and after it, None if none is in reach;
    ``is_inside`` is True if the position is inside the one before; ``size`` is that of the file.
    """

    path: Path
    rba: int
    is_backwards: bool
    before: int | None
    after: int | None
    is_inside: bool
    size: int

    @property
    def status(self) -> ExitStatus:
        """COMMAND_FAILED if the position is wrong, BAD_DATA if the bytes there are damaged."""
        is_wrong = self.is_inside or self.rba >= self.size
        return ExitStatus.COMMAND_FAILED if is_wrong else ExitStatus.BAD_DATA


class LobsShown(NamedTuple):
    """LOB: the LOBs of the row at an RBA, each with the name of its column (None: unknown)."""

    path: Path
    rba: int
    lobs: tuple[tuple[Lob, str | None], ...]


class RecordsInLines:
    """Many records, already formatted as lines under FORMAT.

    Attributes:
        is_handed_over: True once the lines have been taken to be written; until then the records do not count as shown.
    """

    def __init__(self, lines: list[Harmless]) -> None:
        self.is_handed_over = False
        self._lines = lines

    def take(self) -> list[Harmless]:
        """Return the lines, which the caller must write now."""
        self.is_handed_over = True
        return self._lines


class Bad(NamedTuple):
    """Damage in a trail: the error, and the number of bytes concerned, None if unknown."""

    error: TrailError | CannotRead
    length: int | None = None


class Notice(NamedTuple):
    """A remark on a fault in the output: narration, not data."""

    lines: tuple[str, ...]
    status: ExitStatus = ExitStatus.BAD_DATA
    bad: Bad | None = None


class Failure(NamedTuple):
    """A command that could not be executed."""

    lines: tuple[str, ...]
    status: ExitStatus = ExitStatus.COMMAND_FAILED
    bad: Bad | None = None


Event = object
"""Any of the classes above, a KnownRecord, or a class of a feature; the class determines the renderer."""


def say(*lines: str) -> Text:
    """Return a Text of these lines."""
    return Text(lines)
