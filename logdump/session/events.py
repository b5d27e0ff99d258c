"""The events that commands yield: facts, which a renderer puts into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.notation.text import Harmless
    from trailformat import CannotRead, Change, TrailError
    from trailformat.changes.lobs import Lob


class Statement(NamedTuple):
    """SQL without what ends it, or the reason why there is none; ``elsewhere`` is its file where that is not open."""

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
    """Many lines of a script, made together by columns: UTF-8, each line ended by a line feed."""

    data: bytes


class Text(NamedTuple):
    """Lines that a command says in its own words."""

    lines: tuple[str, ...]


class Progress(NamedTuple):
    """Progress of a scan: the number of records scanned, and the RBA and time (Julian) of the last of them.

    ``size`` is that of the file in bytes, 0 where the end is not what the scan goes for.
    """

    records: int
    rba: int
    time: int
    size: int = 0


class SearchProgress(NamedTuple):
    """Progress of a search for a sound record: the RBA that it has reached."""

    rba: int


class JobProgress(NamedTuple):
    """Progress of a Spark job: tasks that are done, that run, and all of them; 0 of 0 while it is prepared."""

    done: int = 0
    running: int = 0
    tasks: int = 0


class Pause(NamedTuple):
    """All that there is has been shown, and more may come: it is to be seen before that."""


class PositionShown(NamedTuple):
    """The read position in a file, and the direction."""

    path: Path
    rba: int
    is_backwards: bool


class EnvironmentShown(NamedTuple):
    """ENV: labels and values; ``path`` and ``direction`` of the open trail, None without one."""

    rows: tuple[tuple[str, str], ...]
    path: str | None
    direction: str | None

    @property
    def is_open(self) -> bool:
        """True if a trail is open."""
        return self.path is not None


class NoRecordThere(NamedTuple):
    """No record starts (reading backwards: ends) at the read position; narration beside PositionShown.

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
        """The position was wrong, or it is right and the bytes there are bad."""
        is_wrong = self.is_inside or self.rba >= self.size
        return ExitStatus.COMMAND_FAILED if is_wrong else ExitStatus.BAD_DATA


class LobsShown(NamedTuple):
    """LOB: the LOBs of the row at an RBA, each with the name of its column (None: not known)."""

    path: Path
    rba: int
    lobs: tuple[tuple[Lob, str | None], ...]


class RecordsInLines:
    """Many records, already formatted as lines under FORMAT.

    Attributes:
        is_taken: True once the lines have been taken to be written: until then the records are not shown.
    """

    def __init__(self, lines: list[Harmless]) -> None:
        self.is_taken = False
        self._lines = lines

    def take(self) -> list[Harmless]:
        """The lines, to be written at once."""
        self.is_taken = True
        return self._lines


class Bad(NamedTuple):
    """Bytes of a trail that are not right: the error, and how many bytes it concerns, where that is known."""

    error: TrailError | CannotRead
    length: int | None = None


class Notice(NamedTuple):
    """A remark on a fault in what was shown: narration, not data."""

    lines: tuple[str, ...]
    status: ExitStatus = ExitStatus.BAD_DATA
    bad: Bad | None = None


class Failure(NamedTuple):
    """A command that could not be carried out."""

    lines: tuple[str, ...]
    status: ExitStatus = ExitStatus.COMMAND_FAILED
    bad: Bad | None = None


Event = object
"""Any of the facts above, of a KnownRecord, or of a feature: a renderer is found by its class."""


def say(*lines: str) -> Text:
    """Return a Text of these lines."""
    return Text(lines)
