"""Messages of the threads to the screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.session.events import Progress, SearchProgress
from logdump.session.reading import Reading, ReadSoFar
from logdump.tui.reading.rows import Page, PageRequest
from logdump.tui.reading.state import Current, ListedFile, ListedTransaction, NeighbourFiles, State, Summary
from logdump.tui.text.hex_text import HexText
from logdump.tui.text.styled import Line
from trailformat.trail.sequence import Spot

if TYPE_CHECKING:
    from logdump.features.diff.side_by_side import AlignedSoFar


class Report(Message):
    """A report about the session or the file, which changes the model."""


@dataclass(eq=False)
class PageRead(Message):
    """Rows for the list have been read."""

    request: PageRequest
    page: Page


class ListedTrail(NamedTuple):
    """A trail of the start page; what is not known yet is empty or None. Times in Julian microseconds.

    ``records``, ``restarts`` and ``damaged`` are those of its first ``files_read`` files; ``ends_in_record`` is whether
    the last of these ends inside of a record.
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

    @property
    def is_read(self) -> bool:
        """Whether all of its files are."""
        return self.files_read == len(self.paths)


@dataclass(eq=False)
class TrailsListed(Report):
    """The trails of a place, as far as they have been read, and what is to be said about the place.

    ``now`` is the time at which ages are reckoned; ``percent`` of the bytes are read, None at the end.
    """

    place: str
    note: str
    trails: tuple[ListedTrail, ...]
    now: int = 0
    percent: int | None = None


@dataclass(eq=False)
class RelatedFound(Message):
    """The record that another one depends on: its definition, the row of a LOB; None where there is none."""

    what: str
    spot: Spot | None


@dataclass(eq=False)
class PaneRead(Message):
    """The content of a page about what is current; a preliminary one is replaced when the index has grown."""

    pane: str
    about: Current
    content: list[Line] | HexText
    is_preliminary: bool = False


@dataclass(eq=False)
class SummaryRead(Report):
    """The facts of the title line about the file."""

    summary: Summary


@dataclass(eq=False)
class Scanned(Report):
    """A scan has covered ``covered`` of ``size`` bytes; ``reading`` is what it lacks, None while it goes on."""

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
    """The state of the file on disk: its size, whether its name is gone, the file after it.

    ``known`` is the size that the screen knew at the time of the request: an answer older than that is void.
    """

    path: Path
    known: int
    size: int
    is_gone: bool
    following: Path | None


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
    """The session has gone over the end of a file, or has not where the next one cannot be opened."""

    state: State


@dataclass(eq=False)
class StoryRead(Report):
    """ROW has shown the changes of a row, of very many the first."""

    changes: tuple[RowChangeShown, ...]
    shown: RowStoryShown


@dataclass(eq=False)
class ReadFailed(Message):
    """A file cannot be read."""

    problem: str


@dataclass(eq=False)
class OutputGrew(Report):
    """The command under way has printed lines, or reports its progress."""

    progress: Progress | SearchProgress | ReadSoFar | None = None


@dataclass(eq=False)
class AlignedGrew(Report):
    """Two trails are being put side by side, or have been."""

    so_far: AlignedSoFar


@dataclass(eq=False)
class QuestionAsked(Report):
    """The command under way asks for a line under a prompt of its own."""

    prompt: str


@dataclass(eq=False)
class CommandEnded(Report):
    """The line of this number has been carried out: how the session stands; ``records`` were displayed."""

    state: State
    records: int
    number: int
    was_stopped: bool
