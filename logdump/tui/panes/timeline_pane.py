"""The page of the file over time. Its cursor is on a beat, an interval, or an end of a long transaction.

Enter goes to the record of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Click, Resize
from textual.message import Message

from logdump.session.settings import Settings
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import NO_TRAIL, TIMELINE, Model
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.reading.background import OPEN_TRANSACTIONS, OVER_TIME
from logdump.tui.reading.rows import RowKind
from logdump.tui.text.plot import PlotPoint, TimelinePage
from logdump.tui.text.styled import Glyphs, line
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.tui.text import timeline_text

if TYPE_CHECKING:
    from logdump.features.timeline.timeline import Timeline


class TimelinePane(TextPane):
    """The lags of a heartbeat path, else the volume of the file; after the last path the open transactions.

    Attributes:
        way: index of the heartbeat path that is shown.
        is_at_record: True if the cursor follows that of the record list, until a key of the page moves it.
        moment: otherwise the Julian time under the cursor; None: the newest, also when more is read.
        has_transactions: True if the open transactions of the trail are shown instead.
        bar: index of the end of a transaction under the cursor, two for each transaction.
    """

    BINDINGS = bindings(Area.TIMELINE)
    place = Area.TIMELINE

    @dataclass(eq=False)
    class Opened(Message):
        """Requests the record of the point under the cursor; ``path`` is its file, None for the open file."""

        rba: int
        path: Path | None = None

    class TransactionsNeeded(Message):
        """Requests the long transactions of the trail."""

    def __init__(self, model: Model, settings: Settings, glyphs: Glyphs) -> None:
        super().__init__(TIMELINE, glyphs)
        self._model = model
        self._settings = settings
        self._page = TimelinePage([])
        self.way = 0
        self.is_at_record = True
        self.moment: int | None = None
        self._record = 0, 0
        self.has_transactions, self.bar = False, 0
        model.observe(self._begin, Model.listing)
        model.observe(self._go_with_list, Model.row, Model.opened)
        facts = Model.timeline, Model.open_transactions, Model.lacks
        model.observe(self.draw, Model.shown, Model.listing, Model.state, *facts)
        model.observe(self._need_transactions, Model.shown, Model.opened, Model.state)

    def _begin(self) -> None:
        self.way, self.moment, self.bar, self.is_at_record = 0, None, 0, True

    def open(self) -> None:
        """Move the cursor to the record of the list."""
        self.is_at_record = True
        self.draw()

    def _go_with_list(self) -> None:
        """Move the cursor to the record under the cursor of the list if that has changed."""
        record = self._model.opened, self._model.row.rba if self._model.row is not None else 0
        if record != self._record:
            self._record = record
            self.open()

    def _moment_in(self, timeline: Timeline) -> int | None:
        """Return the time under the cursor, None for the newest."""
        row = self._model.row
        if not self.is_at_record:
            return self.moment
        return None if row is None or row.kind in (RowKind.END, RowKind.MORE) else timeline.time_at(self.way, row.rba)

    def _need_transactions(self) -> None:
        if self.has_transactions and self._model.page == TIMELINE:
            self.post_message(self.TransactionsNeeded())

    def draw(self) -> None:
        """Draw the page in the available room."""
        timeline, (width, height) = self._model.timeline, self.size
        if self._model.page != TIMELINE or not width:
            return
        if self._model.state.path is None:
            self._page = TimelinePage([line(NO_TRAIL, "dim")])
        elif self.has_transactions:
            open_transactions, room = self._model.open_transactions, (width, height)
            partial = self._model.partial(OPEN_TRANSACTIONS)
            self._page = timeline_text.open_transactions_page(
                open_transactions, self.bar, room, self._settings, self._glyphs, partial
            )
        elif timeline is None:
            self._page = TimelinePage([line("The file is being read.", "dim")])
        else:
            self.way = max(0, min(self.way, len(timeline.ways) - 1))
            zone, moment = self._settings.time_offset, self._moment_in(timeline)
            partial = self._model.partial(OVER_TIME)
            self._page = timeline_text.timeline_page(timeline, self.way, moment, self.size, zone, self._glyphs, partial)
        self.show(self._page.lines)

    @property
    def point(self) -> PlotPoint | None:
        """The point under the cursor."""
        page = self._page
        return page.points[page.at] if page.points else None

    @property
    def where(self) -> str:
        """The number of the path or of the open transaction that is shown, else the visible lines."""
        if self.has_transactions:
            return f"open {self._page.at // 2 + 1}/{len(self._page.points) // 2}" if self.point else ""
        number = self._ways
        return f"way {self.way + 1}/{number}" if number > 1 else super().where

    @property
    def _ways(self) -> int:
        return len(self._model.timeline.ways) if self._model.timeline is not None else 0

    def action_point(self, step: int) -> None:
        """Move the cursor by beats or intervals."""
        self._go_to(self._page.at + step)

    def action_pages(self, pages: int) -> None:
        """Move the cursor by a tenth of the points."""
        self._go_to(self._page.at + pages * max(1, len(self._page.points) // 10))

    def _go_to(self, index: int) -> None:
        points = self._page.points
        if points:
            index = max(0, min(index, len(points) - 1))
        if points and self.has_transactions:
            self.bar = index
            self.draw()
        elif points:
            self.is_at_record = False
            self.moment = None if index == len(points) - 1 else points[index].time
            self.draw()

    def action_way(self, step: int) -> None:
        """Show another heartbeat path; after the last one the open transactions."""
        if self.has_transactions:
            self.has_transactions = step > 0
        elif step > 0 and self.way >= self._ways - 1:
            self.has_transactions = True
            self._need_transactions()
        else:
            self.way += step
        self.draw()

    def action_open_record(self) -> None:
        """Go to the record under the cursor."""
        if self.point is not None:
            self.post_message(self.Opened(self.point.rba, self.point.path))

    def on_click(self, event: Click) -> None:
        """Move the cursor to the bar under the mouse, or to the nearest end of the transaction in that row."""
        column, row, points = event.x - self._page.left, event.y + self.top, self._page.points
        in_row = [index for index, point in enumerate(points) if point.row == row]
        hits = (index for index, point in enumerate(points) if point.row is None and point.first <= column < point.end)
        nearest = min(in_row, key=lambda index: abs(points[index].first - column), default=self._page.at)
        self._go_to(nearest if self.has_transactions else next(hits, self._page.at))

    def on_resize(self, _event: Resize) -> None:
        """Draw the page in the new size."""
        self.draw()
