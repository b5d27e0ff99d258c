"""Messages of the threads to the screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from logdump.features.recovery.model import TrailState
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.session.events import Progress, SearchProgress
from logdump.session.reading import Reading, ReadSoFar
from logdump.tui.reading.rows import Page, PageRequest
from logdump.tui.reading.state import Current, ListedFile, ListedTransaction, NeighbourFiles, State, Summary
from logdump.tui.text.hex_text import HexText
from logdump.tui.text.styled import Line
from trailformat.trail.sequence import FilePosition

if TYPE_CHECKING:
    from logdump.features.diff.side_by_side import AlignedSoFar
    from logdump.tui.text.row_copies import WholeValue


class Report(Message):
    """A report about the session or the file, which updates the model."""


@dataclass(eq=False)
class PageRead(Message):
    """Rows for the list have been read."""

    request: PageRequest
    page: Page


class ListedTrail(NamedTuple):
    """A trail of the start page; unknown values are empty or None. Times are Julian microseconds.

    ``records``, ``restarts`` and ``damaged`` cover the first ``files_read`` files; ``ends_in_record`` is True if the
    last of these ends with an incomplete record. ``state`` is what CHECK and DOCTOR find, once all has been read.
    ``is_archive`` is True for an archive, which may have trails.
    """

    name: str
    paths: tuple[Path, ...]
    size: int
    release: str = ""
    first_csn: str = ""
    last_csn: str = ""
    first_time: int | None = None
    last_time: int | None = None
    is_encrypted: bool = False
    records: int | None = None
    restarts: int = 0
    damaged: int = 0
    files_read: int = 0
    ends_in_record: bool = False
    last_beat: int | None = None
    state: TrailState | None = None
    is_archive: bool = False

    @property
    def is_read(self) -> bool:
        """True if all files have been read."""
        return self.files_read == len(self.paths)


@dataclass(eq=False)
class TrailsListed(Report):
    """The trails of a place, as far as they have been read, and a note about the place.

    Ages are relative to ``now``; ``percent`` is the percentage of bytes read, None at the end.
    """

    place: str
    note: str
    trails: tuple[ListedTrail, ...]
    now: int = 0
    percent: int | None = None


@dataclass(eq=False)
class RelatedFound(Message):
    """The record that another one depends on, its definition or the row of its LOB; None if it is not found."""

    what: str
    position: FilePosition | None


@dataclass(eq=False)
class CopyMade(Message):
    """The row of a record as text of a form; None if it is no row."""

    what: str
    text: str | None


@dataclass(eq=False)
class ValueRead(Message):
    """A value of a row, to be copied if ``is_copied``, else shown; None if the record does not have it.

    ``problem`` is the reason why it cannot be read, empty if it is not there.
    """

    value: WholeValue | None
    is_copied: bool
    problem: str = ""


@dataclass(eq=False)
class PaneRead(Message):
    """The content of a page about ``about``; a preliminary one is replaced when the index has grown."""

    pane: str
    about: Current
    content: list[Line] | HexText
    is_preliminary: bool = False


@dataclass(eq=False)
class SummaryRead(Report):
    """The facts about the file in the title line."""

    summary: Summary


@dataclass(eq=False)
class Scanned(Report):
    """A scan has covered ``covered`` of ``size`` bytes; ``reading`` are its gaps, None while it runs."""

    name: str
    covered: int
    size: int
    reading: Reading | None


@dataclass(eq=False)
class TransactionsRead(Report):
    """The largest transactions known so far."""

    transactions: list[ListedTransaction]


@dataclass(eq=False)
class FilePolled(Report):
    """The state of the file on disk: its size, what became of it, and the next file.

    ``is_rewritten`` is True if bytes that were there at the look before are others now; ``is_replaced`` if another file
    has the name.

    ``known`` is the size in the model at the time of the request; the report is ignored if the model has another size
    by now.
    """

    path: Path
    known: int
    size: int
    is_gone: bool
    following: Path | None
    is_rewritten: bool = False
    is_replaced: bool = False


@dataclass(eq=False)
class NeighboursRead(Report):
    """The files before and after ``path`` in its trail."""

    path: Path
    neighbours: NeighbourFiles


@dataclass(eq=False)
class TrailFilesRead(Report):
    """The files of the trail of ``path``."""

    path: Path
    files: tuple[ListedFile, ...]


@dataclass(eq=False)
class Crossed(Report):
    """The session has crossed into another file, or has tried to and could not open it."""

    state: State


@dataclass(eq=False)
class StoryRead(Report):
    """ROW has shown the changes of a row; ``changes`` are the first MOST_CHANGES."""

    changes: tuple[RowChangeShown, ...]
    shown: RowStoryShown


@dataclass(eq=False)
class ReadFailed(Message):
    """A file cannot be read."""

    problem: str


@dataclass(eq=False)
class OutputGrew(Report):
    """The running command has printed lines or reports its progress."""

    progress: Progress | SearchProgress | ReadSoFar | None = None


@dataclass(eq=False)
class AlignedGrew(Report):
    """New rows of the two trails that are compared."""

    so_far: AlignedSoFar


@dataclass(eq=False)
class QuestionAsked(Report):
    """The running command requests a line under its own prompt."""

    prompt: str


@dataclass(eq=False)
class CommandEnded(Report):
    """The line with this number has ended and has displayed ``records`` records; ``state`` is the session after it."""

    state: State
    records: int
    number: int
    was_stopped: bool
