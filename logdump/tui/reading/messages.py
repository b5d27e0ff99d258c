"""What the threads tell the screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from logdump.session.events import Progress
from logdump.tui.reading.page import Page, PageRequest
from logdump.tui.reading.state import Current, State
from logdump.tui.reading.summary import Summary
from logdump.tui.reading.transactions import ListedTransaction
from logdump.tui.text.hex_text import HexText
from logdump.tui.text.styled import Line


class Report(Message):
    """What a thread reports of the session or of the file; it changes the model."""


@dataclass(eq=False)
class PageRead(Message):
    """Rows for the list have been read."""

    request: PageRequest
    page: Page


@dataclass(eq=False)
class PaneRead(Message):
    """The lines of a page about what is current, or its bytes; preliminary ones wait for what the index will tell."""

    pane: str
    about: Current
    content: list[Line] | HexText
    is_preliminary: bool = False


@dataclass(eq=False)
class SummaryRead(Report):
    """What the title tells of the file."""

    summary: Summary


@dataclass(eq=False)
class Scanned(Report):
    """A scan has come to ``covered`` of ``size`` bytes."""

    name: str
    covered: int
    size: int
    is_done: bool


@dataclass(eq=False)
class TransactionsRead(Report):
    """The largest transactions known so far."""

    transactions: list[ListedTransaction]


@dataclass(eq=False)
class FilePolled(Report):
    """How the file stands: its size, whether its name is gone, the file after it.

    ``known`` is the size that the screen knew when it asked: an answer that comes later than a newer size is none.
    """

    path: Path
    known: int
    size: int
    is_gone: bool
    following: Path | None


@dataclass(eq=False)
class ReadFailed(Message):
    """A file cannot be read."""

    problem: str


@dataclass(eq=False)
class OutputGrew(Report):
    """The command under way has printed lines, or tells how far it is."""

    progress: Progress | None = None


@dataclass(eq=False)
class Asked(Report):
    """The command under way asks for a line under a prompt of its own."""

    prompt: str


@dataclass(eq=False)
class CommandEnded(Report):
    """The line of this number has been carried out: how the session stands; ``records`` were displayed."""

    state: State
    records: int
    number: int
    was_stopped: bool
