"""The one model of the screen. Panes draw from it, and observe the parts of it that they show."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar, overload

from logdump.display.text import PARTIAL
from logdump.session.reading import Reading
from logdump.session.session import Mark
from logdump.tui.keys.kept_choices import COLUMNS, ListColumn
from logdump.tui.keys.keys import Area
from logdump.tui.reading.background import FILTER, OVER_TIME
from logdump.tui.reading.messages import StoryRead, TrailsListed
from logdump.tui.reading.rows import ListRow
from logdump.tui.reading.state import Current, ListedFile, ListedTransaction, NeighbourFiles, State, Summary
from trailformat import TrailName
from trailformat.index import TableTotals, TrailIndex

if TYPE_CHECKING:
    from logdump.features.diff.side_by_side import AlignedSoFar
    from logdump.features.timeline.open_transactions import BrRefusal, OpenTransactions
    from logdump.features.timeline.timeline import Timeline
    from logdump.features.timeline.volume import TrailShape


T = TypeVar("T")


class Part(Generic[T]):
    """A part of the model that can be observed."""

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
    """Parts, and those who observe them. It is used by the thread of the screen alone."""

    def __init__(self) -> None:
        self._observers: list[tuple[Callable[[], None], frozenset[Part[Any]]]] = []
        self._changed: set[Part[Any]] = set()
        self._is_held = False

    def observe(self, observer: Callable[[], None], *parts: Part[Any]) -> None:
        """Have ``observer`` called after changes of any of these parts, in the order in which observers came."""
        self._observers.append((observer, frozenset(parts)))

    def announce(self, part: Part[Any]) -> None:
        """Call the observers of a part that has changed, at the end of :meth:`changing` where that is under way."""
        self._changed.add(part)
        self._call_observers()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Changes that belong together: no observer sees some of them without the others."""
        was_held, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held = was_held
        self._call_observers()

    def _call_observers(self) -> None:
        while self._changed and not self._is_held:
            changed, self._changed = self._changed, set()
            with self.changing():  # what an observer changes is announced when all have been called
                for observer, parts in self._observers:
                    if not parts.isdisjoint(changed):
                        observer()


OUTPUT = "output"
"""The page of what the commands printed."""
TIMELINE = "timeline"
"""The page of the file over time."""
SIDE_BY_SIDE = "side-by-side"
"""The page of two trails that are compared."""
OF_COMMANDS = frozenset({OUTPUT, SIDE_BY_SIDE})
"""The pages of what commands found."""
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
_REMOVED = "FILE REMOVED"
MOST_TABLES = 1000
"""Tables that are listed at most; FILTER takes the name of any."""


class ScanProgress(NamedTuple):
    """The progress of a scan: the records found up to ``covered``."""

    covered: int
    records: int
    is_done: bool


class ListedTable(NamedTuple):
    """The totals of a table, and its part of all records in percent."""

    name: str
    totals: TableTotals
    part: float


class ShownPage(NamedTuple):
    """The page that is shown in the lower pane; ``times`` counts how often one was shown, for each time it is read."""

    name: str = "values"
    times: int = 0


class Model(Observable):
    """The state of the screen.

    Attributes:
        rba: where the session stands; the list says so when the user moves, a line when it has ended.
        ended: the number of the line that was carried out last.
        has_moved: whether the user has moved since the last line was entered.
        is_landing: whether the user has moved over the end of a file, and stands on the first row that comes.
        history: the lines that were entered, oldest first.
        index: what is known of the file so far; ``indexed`` changes when it grows.
        field: the field of a record that was picked last.
        page_before: the page that was shown before those of commands.
        record_page: the page about the record that was shown last.
    """

    state = Part(State())
    """The session after the last line: file, filter, switches, definitions, marks."""
    prompt = Part("")
    questions = Part(0)
    """The number of lines that commands have requested."""
    output = Part(0)
    """The number of reports of output."""
    aligned: Part[AlignedSoFar | None] = Part(None)
    """The two trails that were compared last; None before the first."""
    is_over = Part(False)  # noqa: FBT003 - its first value
    busy = Part("")
    """The progress of what is under way; empty when nothing is."""

    opened = Part(0)
    """The number of files opened so far."""
    listing = Part(0)
    """The number of lists so far: a new one comes with another file or filter."""
    summary = Part(Summary())
    crossings = Part(0)
    """The number of times that the session has gone over the end of a file for the list, or could not."""
    neighbours = Part(NeighbourFiles())
    """The files before and after the open one in its trail."""
    files = Part[tuple[ListedFile, ...]](())
    """The files of the trail, as they were when they were shown last."""
    trails: Part[TrailsListed | None] = Part(None)
    """The trails of the start page; None where it was not shown."""
    story: Part[StoryRead | None] = Part(None)
    """The changes of the row that ROW has shown last; None before."""
    warning = Part("")
    """The last event on disk: the file was cut, or removed."""
    lacks = Part[Mapping[str, Reading]]({})
    """What the scans that have ended lack, by their names."""
    indexed = Part[ScanProgress | None](None)
    matched = Part[ScanProgress | None](None)
    """The scan for the rows of the filter."""
    transactions = Part[tuple[ListedTransaction, ...]](())
    timeline: Part[Timeline | None] = Part(None)
    """The file over time, as far as it has been scanned for that; None before."""
    open_transactions: Part[OpenTransactions | BrRefusal | None] = Part(None)
    """The long transactions of the trail, as far as it has been read for that; None before."""
    shape: Part[TrailShape | None] = Part(None)
    """The records of the file over time, as far as it has been read for the strip; None before."""
    follows = Part(False)  # noqa: FBT003 - its first value
    """Whether the end of the trail is followed."""

    row = Part[ListRow | None](None)
    """The row under the cursor."""
    upper = Part("records")
    """The pane that is shown above the pages."""
    columns: Part[tuple[ListColumn, ...]] = Part(COLUMNS)
    """The columns of the list."""
    order = Part("bytes")
    """The order of transactions."""
    shown = Part(ShownPage())
    where = Part("")
    """The lines of the page that are visible, or the field picked."""
    place = Part(Area.PROMPT)
    """The place of the keyboard: the prompt, the page of two trails, or any other pane."""
    pane = Part("records")
    """The pane with the keyboard: records, pages, the prompt, or one over the records."""
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
        self.field = ""
        self.page_before = self.record_page = self.page

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self.shown.name

    @property
    def current(self) -> Current:
        """The subject of the pages."""
        return Current(self.row, self.opened, self.state.switches, self.state.source, self.state.parameters)

    @property
    def tables(self) -> Sequence[ListedTable]:
        """The tables met so far with the most records, MOST_TABLES of them, the most first."""
        found, of = self.index.sums.tables, self._tables_of
        if found is not of:  # the index has a new mapping when it has more; each pane that is drawn comes here
            total = sum(one.records for one in found.values()) or 1
            largest = heapq.nsmallest(MOST_TABLES, found.items(), key=lambda item: (-item[1].records, item[0]))
            self._tables = [ListedTable(name, one, 100 * one.records / total) for name, one in largest]
            self._tables_of = found
        return self._tables

    def partial(self, scan: str) -> str:
        """The sentence that goes before what a scan has found; empty where it has read all."""
        lacks = self.lacks.get(scan)
        if lacks is None:
            return PARTIAL
        return f"{lacks.text}{' Ctrl+L continues.' * lacks.is_stopped}" if lacks.is_partial else ""

    def has_more(self, scan: str) -> bool:
        """Whether a scan has not come to the end: it goes on, or the user has stopped it."""
        return scan not in self.lacks or self.lacks[scan].is_stopped

    @property
    def place_of_filter(self) -> str:
        """The text of the place of the scan for the rows of the filter."""
        return "stopped here, Ctrl+L continues" if FILTER in self.lacks else "looking for more"

    @property
    def marks_here(self) -> tuple[Mark, ...]:
        """The marks in the open file."""
        return tuple(one for one in self.state.marks if one.path == self.state.path)

    def file_within_reach(self, step: int) -> Path | None:
        """The file to which the list goes on behind its last row (``step`` 1), or before its first (-1)."""
        return self.neighbours.within_reach(step, self.state.across)

    def show_page(self, name: str) -> None:
        """Show a page, or have it read again."""
        if name not in OF_COMMANDS:
            self.page_before = name
        if name not in NOT_OF_RECORD:
            self.record_page = name
        self.shown = ShownPage(name, self.shown.times + 1)

    def show_records_page(self) -> None:
        """Show the page about the record again where the output of commands has replaced it."""
        if self.page == OUTPUT:
            self.show_page(self.page_before)

    def move(self) -> None:
        """The user has moved the cursor: nothing is followed any more, and the page is about the record."""
        self.follows = False
        self.show_records_page()

    def open(self, index: TrailIndex) -> None:
        """Begin with another file, or with the same from its start; nothing is known of it."""
        self.index = index
        self.opened += 1
        self.listing += 1
        self.summary = Summary()
        self.busy = self.warning = ""
        self.indexed = self.matched = None
        self.transactions = ()
        self.neighbours = self.state.neighbours
        if all(one.path != self.state.path for one in self.files):
            self.files = ()
        self.timeline = self.open_transactions = self.shape = None
        self.lacks = {}

    def list_others(self) -> None:
        """Begin with other rows of the same file."""
        self.listing += 1
        self.matched = self.timeline = None
        self.lacks = {name: one for name, one in self.lacks.items() if name not in (FILTER, OVER_TIME)}

    def end_line(self, state: State) -> None:
        """Take over how a line has left the session; where the user has moved meanwhile, it stands there."""
        before, rba = self.state, self.rba
        self.state = state
        self.busy = ""
        self.is_landing = False
        if not self.has_moved or state.opened != before.opened:
            self.rba = state.rba
        if state.path is not None and not _goes_on(before, state, is_moved=self.rba != rba):
            self.follows = False

    def warn(self, *, is_cut: bool, is_gone: bool) -> None:
        """Say what has happened to the file; that it was cut stays, that it is gone as long as it is."""
        if is_cut or is_gone:
            self.warning = "FILE CUT" if is_cut else _REMOVED
        elif self.warning == _REMOVED:
            self.warning = ""


def _goes_on(before: State, after: State, *, is_moved: bool) -> bool:
    """Whether the end of the trail is still followed after a line: it has moved nothing, or to the next file."""
    if after.opened == before.opened:
        return not is_moved
    former, name = (TrailName.parse(state.path) if state.path is not None else None for state in (before, after))
    return former is not None and name is not None and former.precedes(name)
