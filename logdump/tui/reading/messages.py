"""What the threads tell the screen."""

from __future__ import annotations

from pathlib import Path

from textual.message import Message

from logdump.session.events import Progress
from logdump.tui.reading.page import Page, PageRequest
from logdump.tui.reading.state import Current, State
from logdump.tui.reading.summary import Summary
from logdump.tui.reading.transactions import ListedTransaction
from logdump.tui.text.hex_text import HexText
from logdump.tui.text.styled import Line


class PageRead(Message):
    """RowSource for the list have been read."""

    def __init__(self, wanted: PageRequest, page: Page) -> None:
        super().__init__()
        self.wanted = wanted
        self.page = page


class PaneRead(Message):
    """The lines of a page about what is current; preliminary ones wait for what the index will tell."""

    def __init__(self, pane: str, about: Current, lines: list[Line], *, is_preliminary: bool = False) -> None:
        super().__init__()
        self.pane = pane
        self.about = about
        self.lines = lines
        self.is_preliminary = is_preliminary


class HexRead(Message):
    """The bytes of what is current."""

    pane = "hex"

    def __init__(self, about: Current, text: HexText) -> None:
        super().__init__()
        self.about = about
        self.text = text


class SummaryRead(Message):
    """What the title tells of the file."""

    def __init__(self, summary: Summary) -> None:
        super().__init__()
        self.summary = summary


class Scanned(Message):
    """A scan has come to ``covered`` of ``size`` bytes."""

    def __init__(self, name: str, covered: int, size: int, *, is_done: bool) -> None:
        super().__init__()
        self.name = name
        self.covered = covered
        self.size = size
        self.is_done = is_done


class TransactionsRead(Message):
    """The largest transactions known so far."""

    def __init__(self, transactions: list[ListedTransaction]) -> None:
        super().__init__()
        self.transactions = transactions


class FilePolled(Message):
    """How the file stands: its size, whether its name is gone, the file after it.

    ``known`` is the size that the screen knew when it asked: an answer that comes later than a newer size is none.
    """

    def __init__(self, path: Path, known: int, size: int, *, is_gone: bool, following: Path | None) -> None:
        super().__init__()
        self.path = path
        self.known = known
        self.size = size
        self.is_gone = is_gone
        self.following = following


class ReadFailed(Message):
    """A file cannot be read."""

    def __init__(self, problem: str) -> None:
        super().__init__()
        self.problem = problem


class OutputGrew(Message):
    """The command under way has printed lines, or tells how far it is."""

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__()
        self.progress = progress


class Asked(Message):
    """The command under way asks for a line under a prompt of its own."""

    def __init__(self, prompt: str) -> None:
        super().__init__()
        self.prompt = prompt


class CommandEnded(Message):
    """The line of this number has been carried out: how the session stands; ``records`` were displayed."""

    def __init__(self, state: State, records: int, number: int, *, was_stopped: bool) -> None:
        super().__init__()
        self.state = state
        self.records = records
        self.number = number
        self.was_stopped = was_stopped
