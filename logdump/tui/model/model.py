"""The model of the screen. Panes draw from it and observe the parts that they show."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar, overload

from logdump.display.text import PARTIAL
from logdump.notation.text import amount
from logdump.session.reading import Reading
from logdump.session.session import Mark
from logdump.tui.keys.kept_choices import COLUMNS, ListColumn
from logdump.tui.keys.keys import Area
from logdump.tui.reading.background import FILTER, OVER_TIME
from logdump.tui.reading.messages import FilePolled, StoryRead, TrailsListed
from logdump.tui.reading.rows import ListRow
from logdump.tui.reading.state import Current, ListedFile, ListedTransaction, NeighbourFiles, State, Summary
from trailformat import TrailName
from trailformat.index import TableTotals, TrailIndex

if TYPE_CHECKING:
    from logdump.features.diff.side_by_side import AlignedSoFar
    from logdump.features.doctor.findings_scan import TrailFindings
    from logdump.features.timeline.open_transactions import BrRefusal, OpenTransactions
    from logdump.features.timeline.timeline import Timeline
    from logdump.features.timeline.volume import TrailShape


T = TypeVar("T")


class Part(Generic[T]):
    """A part of the model that can be observed; its observers are called if a different value is set."""

    def __init__(self, first: T) -> None:
        self._first = first
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, model: None, owner: type) -> Self: ...

    @overload
    def __get__(self, model: Observable, owner: type) -> T: ...

    def __get__(self, model: Observable | None, owner: type) -> Self | T:
        return self if model is None else model.__dict__.get(self._name, self._first)

    def __set__(self, model: Observable, value: T) -> None:
        if value != self.__get__(model, type(model)):
            model.__dict__[self._name] = value
            model.announce(self)


class Observable:
    """An object with parts and their observers. Used only by the thread of the screen."""

    def __init__(self) -> None:
        self._observers: list[tuple[Callable[[], None], frozenset[Part[Any]]]] = []
        self._changed: set[Part[Any]] = set()
        self._is_deferring = False

    def observe(self, observer: Callable[[], None], *parts: Part[Any]) -> None:
        """Call ``observer`` after changes of any of these parts; observers are called in the order of registration."""
        self._observers.append((observer, frozenset(parts)))

    def announce(self, part: Part[Any]) -> None:
        """Call the observers of a part that has changed; inside :meth:`changing`, at its end."""
        self._changed.add(part)
        self._call_observers()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Delay the observers to the end of the block, so that none sees only some of the changes."""
        was_deferring, self._is_deferring = self._is_deferring, True
        try:
            yield
        finally:
            self._is_deferring = was_deferring
        self._call_observers()

    def _call_observers(self) -> None:
        while self._changed and not self._is_deferring:
            changed, self._changed = self._changed, set()
            with self.changing():  # changes by observers are announced after all have been called
                for observer, parts in self._observers:
                    if not parts.isdisjoint(changed):
                        observer()


OUTPUT = "output"
"""The page of the output of commands."""
TIMELINE = "timeline"
"""The page of the file over time."""
SIDE_BY_SIDE = "side-by-side"
"""The page of two compared trails."""
OF_COMMANDS = frozenset({OUTPUT, SIDE_BY_SIDE})
"""The pages with results of commands."""
NOT_OF_RECORD = OF_COMMANDS | {TIMELINE}
"""The pages that are not about the record under the cursor."""


class Tab(NamedTuple):
    """One page: the widget's name, its key and its title."""

    name: str
    key: str
    title: str


RECORD_TABS = (
    Tab("values", "r", "row"),
    Tab("detail", "d", "detail"),
    Tab("hex", "h", "hex"),
    Tab("tokens", "o", "tokens"),
    Tab("header", "i", "file header"),
)
"""The pages about the record under the cursor."""
TABS = (*RECORD_TABS, Tab(TIMELINE, "l", "timeline"))
TAB_OF_TWO_TRAILS = Tab(SIDE_BY_SIDE, "D", "two trails")
NO_TRAIL = "No trail is open. OPEN <filename> opens one."
_REMOVED, _REPLACED = "FILE REMOVED", "FILE REPLACED"
MOST_TABLES = 1000
"""Maximum number of tables that are listed; FILTER accepts others too."""


class ScanProgress(NamedTuple):
    """The progress of a scan: the number of records found up to the RBA ``covered``, and of those left undecided."""

    covered: int
    records: int
    is_done: bool
    undecided: int = 0


class TablesRead(NamedTuple):
    """The tables of a file by name, and how many records are of others, as the last report of its scan had them."""

    tables: Mapping[str, TableTotals] = MappingProxyType({})
    other_records: int = 0


class ListedTable(NamedTuple):
    """The totals of a table, and its part of all records in percent."""

    name: str
    totals: TableTotals
    part: float


class ShownPage(NamedTuple):
    """The page in the lower pane; ``times`` is increased whenever a page is shown, so that it is read again."""

    name: str = "values"
    times: int = 0


class Model(Observable):
    """The state of the screen.

    Attributes:
        rba: RBA of the current record of the session, set by the list when the user moves and by lines that end.
        ended: number of the last line that has ended.
        has_moved: True if the user has moved since the last line was entered.
        is_landing: True if the session has crossed into another file, until the cursor moves or a line ends.
        history: the lines that were entered, oldest first.
        index: the index of the file so far; ``indexed`` changes when it grows.
        field: the field of a record that was picked last.
        page_before: the last page that is not of commands.
        record_page: the last page about the record.
    """

    state = Part(State())
    """The state of the session after the last line."""
    prompt = Part("")
    questions = Part(0)
    """The number of lines that commands have requested from the user."""
    output = Part(0)
    """The number of reports of new output."""
    aligned: Part[AlignedSoFar | None] = Part(None)
    """The trails compared last; None if there are none."""
    is_over = Part(False)  # noqa: FBT003 - the initial value
    busy = Part("")
    """The progress of work in the background; empty if there is none."""

    opened = Part(0)
    """The number of files opened so far."""
    listing = Part(0)
    """The number of lists so far: another file or filter begins a new one."""
    summary = Part(Summary())
    crossings = Part(0)
    """The number of attempts to cross into another file for the list, failed ones included."""
    neighbours = Part(NeighbourFiles())
    """The files before and after the open one in its trail."""
    files = Part[tuple[ListedFile, ...]](())
    """The files of the trail when they were last listed."""
    trails: Part[TrailsListed | None] = Part(None)
    """The trails of the start page; None if it was not shown."""
    story: Part[StoryRead | None] = Part(None)
    """The row changes that ROW has shown last; None before the first."""
    warning = Part("")
    """The last event on disk: the file was truncated or removed."""
    lacks = Part[Mapping[str, Reading]]({})
    """The gaps of the scans that have ended, by scan name."""
    indexed = Part[ScanProgress | None](None)
    matched = Part[ScanProgress | None](None)
    """The progress of the scan for the rows that pass the filter."""
    transactions = Part[tuple[ListedTransaction, ...]](())
    timeline: Part[Timeline | None] = Part(None)
    """The file over time, as far as the scan for it has read; None before it."""
    open_transactions: Part[OpenTransactions | BrRefusal | None] = Part(None)
    """The long transactions of the trail, as far as the scan for them has read; None before it."""
    shape: Part[TrailShape | None] = Part(None)
    """The records of the file over time for the strip, as far as the scan for it has read; None before it."""
    findings: Part[TrailFindings | None] = Part(None)
    """The findings of the trail, as far as the scan for them has read; None before it."""
    follows = Part(False)  # noqa: FBT003 - the initial value
    """True if new records at the end of the trail are shown as they come."""

    row = Part[ListRow | None](None)
    """The row under the cursor."""
    upper = Part("records")
    """The name of the pane above the pages."""
    columns: Part[tuple[ListColumn, ...]] = Part(COLUMNS)
    """The columns of the list."""
    order = Part("bytes")
    """The sort order of the transactions."""
    shown = Part(ShownPage())
    where = Part("")
    """The lines of the page that are visible, or the field picked."""
    sizes = Part("")
    """The class of the sizes of the list and the lower pane; empty by default."""
    places: Part[tuple[Area, ...]] = Part((Area.PROMPT,))
    """The areas with the keyboard: of the prompt, of a page with its own keys, or of any other pane."""
    pane = Part("records")
    """The pane with the keyboard: records, pages, the prompt, or a pane over the records."""
    offers = Part("")
    """Completions of the word at the prompt, until the next key."""

    def __init__(self) -> None:
        super().__init__()
        self.rba = self.ended = 0
        self.has_moved = self.is_landing = False
        self.history: tuple[str, ...] = ()
        self.index = TrailIndex()
        self._tables: Sequence[ListedTable] = ()
        self._tables_of: Mapping[str, TableTotals] = {}
        self.tables_read = TablesRead()
        self.field = ""
        self.page_before = self.record_page = self.page

    @property
    def page(self) -> str:
        """The name of the page in the lower pane."""
        return self.shown.name

    @property
    def current(self) -> Current:
        """The row that the pages are about, and the settings of its display."""
        return Current(self.row, self.opened, self.state.switches, self.state.source, self.state.parameters)

    @property
    def tables(self) -> Sequence[ListedTable]:
        """The tables found so far with the most records: at most MOST_TABLES, in descending order."""
        tables, of = self.tables_read.tables, self._tables_of
        if tables is not of:  # a report replaces the mapping; every drawn pane reads this property
            total = sum(totals.records for totals in tables.values()) or 1
            largest = heapq.nsmallest(MOST_TABLES, tables.items(), key=lambda item: (-item[1].records, item[0]))
            self._tables = [ListedTable(name, totals, 100 * totals.records / total) for name, totals in largest]
            self._tables_of = tables
        return self._tables

    def partial(self, scan: str) -> str:
        """Return the sentence to show before partial results of a scan; empty if it has read everything."""
        lacks = self.lacks.get(scan)
        if lacks is None:
            return PARTIAL
        return f"{lacks.text}{' Ctrl+L continues.' * lacks.is_stopped}" if lacks.is_partial else ""

    def has_more(self, scan: str) -> bool:
        """Return whether a scan has not read everything: it is running, or the user has stopped it."""
        return scan not in self.lacks or self.lacks[scan].is_stopped

    @property
    def place_of_filter(self) -> str:
        """The text of the last row of a filtered list whose scan has not ended."""
        return "stopped here, Ctrl+L continues" if FILTER in self.lacks else "looking for more"

    @property
    def marks_here(self) -> tuple[Mark, ...]:
        """The marks in the open file."""
        return tuple(mark for mark in self.state.marks if mark.path == self.state.path)

    def file_within_reach(self, step: int) -> Path | None:
        """Return the file in which the list continues after its last row (``step`` 1) or before its first (-1)."""
        return self.neighbours.within_reach(step, self.state.across)

    def show_page(self, name: str) -> None:
        """Show a page, or read it again if it is shown."""
        if name not in OF_COMMANDS:
            self.page_before = name
        if name not in NOT_OF_RECORD:
            self.record_page = name
        self.shown = ShownPage(name, self.shown.times + 1)

    def lost_at_end(self, *, is_running: bool) -> str:
        """Return what the end of the session would lose: a command, the filter, marks; empty if nothing."""
        marks = len(self.state.marks)
        lost = ["the command that is running"] * is_running
        lost += [f"the filter {self.state.filter_text}"] if self.state.filter_text else []
        lost += [amount(marks, "mark")] if marks else []
        return ", ".join(lost)

    def show_records_page(self) -> None:
        """Show the page about the record again if the output of commands has replaced it."""
        if self.page == OUTPUT:
            self.show_page(self.page_before)

    def move(self) -> None:
        """Stop following and show the page about the record, after the user has moved the cursor."""
        self.follows = False
        self.show_records_page()

    def open(self, index: TrailIndex) -> None:
        """Reset everything that is known of the file: another one was opened, or it is read again from its start."""
        self.index = index
        self.opened += 1
        self.listing += 1
        self.summary = Summary()
        self.busy = self.warning = ""
        self.indexed = self.matched = None
        self.tables_read = TablesRead()
        self.transactions = ()
        self.neighbours = self.state.neighbours
        if all(file.path != self.state.path for file in self.files):
            self.files = ()
        self.timeline = self.open_transactions = self.shape = None
        self.lacks = {}
        if self.findings is not None and self.state.path not in self.findings.paths:
            self.findings = None

    def list_others(self) -> None:
        """Begin a new list of the same file, after its filter has changed."""
        self.listing += 1
        self.matched = self.timeline = None
        self.lacks = {name: reading for name, reading in self.lacks.items() if name not in (FILTER, OVER_TIME)}

    def end_line(self, state: State) -> None:
        """Set the state of the session after a line; ``rba`` stays if the user has moved in the same file meanwhile."""
        before, rba = self.state, self.rba
        self.state = state
        self.busy = ""
        self.is_landing = False
        if not self.has_moved or state.opened != before.opened:
            self.rba = state.rba
        if state.path is not None and not _goes_on(before, state, is_moved=self.rba != rba):
            self.follows = False

    def warn(self, polled: FilePolled, *, is_cut: bool) -> None:
        """Set the warning about the file.

        Truncation and rewriting are shown until another file is opened, removal and replacement while they last.
        """
        lasts = (_REMOVED if polled.is_gone else _REPLACED) if polled.is_gone or polled.is_replaced else ""
        if is_cut or polled.is_rewritten:
            self.warning = "FILE TRUNCATED" if is_cut else "FILE REWRITTEN"
        elif lasts or self.warning in (_REMOVED, _REPLACED):
            self.warning = lasts


def _goes_on(before: State, after: State, *, is_moved: bool) -> bool:
    """Return whether following continues after a line: it has not moved, or only to the next file of the trail."""
    if after.opened == before.opened:
        return not is_moved
    former, name = (TrailName.parse(state.path) if state.path is not None else None for state in (before, after))
    return former is not None and name is not None and former.precedes(name)
