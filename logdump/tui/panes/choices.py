"""The panes over the record list: tables, transactions, marks, files, laid out for any width."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from textual.actions import SkipAction
from textual.widget import Widget

from logdump.display.record_row import ASCII_MARKS, UNICODE_MARKS, row_story
from logdump.display.token_text import short_user_tokens
from logdump.features.recovery.model import TrailState
from logdump.features.row.text import story_lines
from logdump.notation.text import size_text
from logdump.notation.times import TimeOffset, format_timestamp, span_text
from logdump.session.session import Mark
from logdump.session.settings import Settings
from logdump.tui.keys.kept_choices import ListColumn
from logdump.tui.model.model import MOST_TABLES, NO_TRAIL, ListedTable, Model
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.reading.background import INDEX
from logdump.tui.reading.messages import ListedTrail, StoryRead, TrailsListed
from logdump.tui.reading.state import ORDERS, ListedFile, ListedTransaction, State
from logdump.tui.text.styled import Glyphs, TextColumn, in_columns
from trailformat.index import TransactionSpan
from trailformat.index.trail_index import Sums

_SECOND = 1_000_000
_SHORT_XID = 12
_SHORT_NAME = 20
_CELLS, _STEPS = {"wider": 2, "narrower": -2}, {"left": -1, "right": 1}
"""Keys of the pane of columns: the number of cells added to a column, and of places by which it moves."""


def table_choices(tables: Sequence[ListedTable], glyphs: Glyphs, width: int) -> tuple[str, list[Choice]]:
    """Return heading and lines of the tables in the given order."""
    columns = (
        TextColumn("table", [name or "(no name)" for name, *_ in tables], usual=10, is_number=False),
        TextColumn("records", [f"{totals.records:,}" for _, totals, _ in tables], usual=13),
        TextColumn("%", [f"{part:.1f}" for *_, part in tables], usual=5),
        TextColumn("bytes", [f"{totals.data_bytes:,}" for _, totals, _ in tables], usual=14),
    )
    heading, lines = in_columns(columns, ({2: 0}, {2: 0, 3: 0}), (0,), width, glyphs)
    entered = [table_filter(name) for name, *_ in tables]
    return heading, [
        Choice(text[1:], enter=command, filter_line=command) for text, command in zip(lines, entered, strict=True)
    ]


def _listed_text(sums: Sums) -> str:
    """Return a sentence about tables that are not listed; empty if all are."""
    count, other_records = len(sums.tables), sums.other_tables.records
    listed = f"The {MOST_TABLES:,} largest of {count:,} tables." if count > MOST_TABLES else ""
    return f"{listed} {other_records:,} records are of tables beyond these." if other_records else listed


def table_filter(name: str) -> str:
    """Return the line that filters to a table; empty if its name cannot be entered."""
    return f'FILTER INCLUDE FILENAME "{name}"' if '"' not in name and name.isprintable() and name else ""


def transaction_choices(
    transactions: Sequence[ListedTransaction], order: str, width: int, glyphs: Glyphs, *, has_more: bool = False
) -> tuple[str, list[Choice]]:
    """Return heading and lines of the transactions, the largest first by ``order``, whose heading is in brackets.

    The open one is marked; with ``has_more`` its end may be in a part that was not read.
    """
    ordered = sorted(transactions, key=ORDERS[order], reverse=True)
    spans = [transaction.span for transaction in ordered]
    goes_on = "(not read)" if has_more else "(open)"
    names = {name: f"[{name}]" if name == order else name for name in ORDERS}
    durations = [duration_text(span.last_time - span.first_time) for span in spans]
    columns = (
        TextColumn("begin RBA", [str(span.begin) for span in spans], usual=11),
        TextColumn("end RBA", [_end_text(span, goes_on) for span in spans], usual=11),
        TextColumn(names["records"], [f"{span.records:,}" for span in spans], usual=9),
        TextColumn(names["bytes"], [f"{span.data_bytes:,}" for span in spans], usual=13),
        TextColumn("tables", [str(len(span.tables)) for span in spans]),
        TextColumn(
            names["duration"], durations, usual=11, brief=[duration.partition(".")[0] for duration in durations]
        ),
        TextColumn("csn", [transaction.csn for transaction in ordered], gap=2, is_number=False),
        TextColumn("xid", [transaction.xid for transaction in ordered], is_number=False),
    )
    sorted_by = next(index for index, column in enumerate(columns) if column.heading == names[order])
    less = [index for index in (4, 5, 2, 3) if index != sorted_by]
    limits = [dict.fromkeys(less[:count], 0) for count in (1, 2, 3)]
    limits += [
        limits[-1] | more for more in ({7: _SHORT_XID}, {7: 0}, {7: 0, sorted_by: 0}, {7: 0, sorted_by: 0, 1: 0})
    ]
    heading, lines = in_columns(columns, limits, (7, 6), width, glyphs)
    return heading, [
        _transaction_choice(text[1:], transaction) for text, transaction in zip(lines, ordered, strict=True)
    ]


def _end_text(span: TransactionSpan, goes_on: str) -> str:
    if span.end is not None:
        return str(span.end)
    return goes_on if span.cut_at is None else f"cut {span.cut_at}"


def _transaction_choice(text: str, transaction: ListedTransaction) -> Choice:
    span = transaction.span
    save = f"save  {transaction.file_bytes} bytes" if transaction.file_bytes else ""
    end = span.cut_at if span.end is None else span.end
    return Choice(text, enter=f"POS {span.begin}", end=f"POS {end}" if end is not None else "POS EOF", save=save)


def mark_choices(marks: Iterable[Mark], width: int, glyphs: Glyphs) -> tuple[str, list[Choice]]:
    """Return heading and lines of the marks by name, with note and file."""
    ordered = sorted(marks)
    columns = (
        TextColumn("mark", [mark.name for mark in ordered], usual=8, is_number=False),
        TextColumn("RBA", [str(mark.rba) for mark in ordered], usual=12),
        TextColumn("note", [mark.note for mark in ordered], gap=2, is_number=False),
        TextColumn("file", [mark.path.name for mark in ordered], gap=2, is_number=False),
    )
    heading, lines = in_columns(columns, ({3: 0}, {0: _SHORT_NAME, 3: 0}), (3, 2), width, glyphs)
    return heading, [
        Choice(text[1:], enter=f"POSITION MARK {mark.name}") for text, mark in zip(lines, ordered, strict=True)
    ]


def file_choices(files: Sequence[ListedFile], state: State, width: int, glyphs: Glyphs) -> tuple[str, list[Choice]]:
    """Return heading and lines of the trail's files in order, the open one with a star, and of gaps between them."""
    columns = (
        TextColumn(
            "file", [f"{'*' if file.path == state.path else ' '}{file.path.name}" for file in files], is_number=False
        ),
        TextColumn("bytes", [f"{file.size:,}" if file.size is not None else "" for file in files], usual=14),
        TextColumn("first record", [_time_text(file.first_time, state) for file in files], gap=2, is_number=False),
        TextColumn("first csn", [_csn_or_gap(file) for file in files], gap=2, is_number=False),
    )
    heading, lines = in_columns(columns, ({2: 0}, {1: 0, 2: 0}), (3, 0), width, glyphs)
    return heading, [_file_choice(text[1:], file, state) for text, file in zip(lines, files, strict=True)]


def trail_choices(
    listed: TrailsListed | None, offset: TimeOffset, width: int, glyphs: Glyphs
) -> tuple[str, list[Choice]]:
    """Return heading and lines of the trails of a place, with the ages of their newest record and heartbeat."""
    trails, now = (listed.trails, listed.now) if listed is not None else ((), 0)
    columns = (
        TextColumn("trail", [trail.name for trail in trails], is_number=False),
        TextColumn("files", [f"{len(trail.paths):,}" for trail in trails], gap=2),
        TextColumn("size", [size_text(trail.size) for trail in trails], gap=2),
        TextColumn("records", [_records_text(trail) for trail in trails], gap=2),
        TextColumn("newest", [_age_text(trail.last_time, now) for trail in trails], gap=2),
        TextColumn("beat", [_age_text(trail.last_beat, now) for trail in trails], gap=2),
        TextColumn("state", [_state_text(trail) for trail in trails], gap=2, is_number=False),
        TextColumn("first record", [_clock_of(trail.first_time, offset) for trail in trails], gap=2, is_number=False),
        TextColumn("last record", [_clock_of(trail.last_time, offset) for trail in trails], gap=2, is_number=False),
        TextColumn("first csn", [trail.first_csn for trail in trails], gap=2, is_number=False),
        TextColumn("last csn", [trail.last_csn for trail in trails], gap=2, is_number=False),
        TextColumn("from", [trail.release for trail in trails], gap=2, is_number=False),
    )
    gone = [] if any(trail.last_beat for trail in trails) else [5]
    less = [dict.fromkeys(gone, 0)]
    less += [dict.fromkeys((*gone, *more), 0) for more in ((11,), (11, 10), (11, 10, 9), (11, 10, 9, 7))]
    less += [dict.fromkeys((*gone, 11, 10, 9, 7, 8, *more), 0) for more in ((), (2,), (2, 5), (2, 5, 4), (1, 2, 5, 4))]
    heading, lines = in_columns(columns, less, (6, 0), width, glyphs)
    return heading, [
        Choice(text[1:], enter=open_line(trail.paths[0])) for text, trail in zip(lines, trails, strict=True)
    ]


def story_choices(
    story: StoryRead | None, here: Path | None, offset: TimeOffset, width: int, glyphs: Glyphs
) -> tuple[str, list[Choice]]:
    """Return heading and lines of the changes of a row in order of time."""
    changes, undo = (story.changes, story.shown.undo) if story is not None else ((), "")
    rows = [change.row for change in changes]
    marks = UNICODE_MARKS if glyphs.has_unicode else ASCII_MARKS
    has_files = len({change.path for change in changes}) > 1
    has_lost = any(change.is_applied is False for change in changes)
    tokens = [short_user_tokens(change.user_tokens, marks.cut) for change in changes]
    columns = (
        TextColumn("RBA", [str(row.rba) for row in rows], usual=8),
        TextColumn("file", [change.path.name for change in changes], is_number=False),
        TextColumn("time", [_clock_of(row.time, offset) for row in rows], gap=2, is_number=False),
        TextColumn("T", [row.kind.value for row in rows], gap=2, is_number=False),
        TextColumn(
            "key, what changed",
            ["".join(piece.text for piece in row_story(row, marks)) for row in rows],
            is_number=False,
        ),
        TextColumn(
            "applied", ["no" if change.is_applied is False else "" for change in changes], gap=2, is_number=False
        ),
        TextColumn("csn", [row.csn or "" for row in rows], gap=2, is_number=False),
        TextColumn("xid", [row.xid or "" for row in rows], gap=2, is_number=False),
        TextColumn("user tokens", list(tokens), gap=2, is_number=False),
    )
    gone = dict.fromkeys(
        (index for index, is_shown in ((1, has_files), (5, has_lost), (8, any(tokens))) if not is_shown), 0
    )
    story_width, token_width = (width // 4, width // 6) if any(tokens) else (width // 2, 0)
    limits = [
        {4: story_width, 8: token_width, **gone, **dict.fromkeys(less, 0)}
        for less in ((), (6,), (6, 7), (1, 6, 7), (1, 2, 6, 7))
    ]
    heading, lines = in_columns(columns, limits, (4,), width, glyphs)
    return heading, [
        Choice(text[1:], enter=to, undo=undo, undo_transaction=f"{to}; UNDO" if to else "")
        for text, to in zip(lines, (line_to(change.path, change.row.rba, here) for change in changes), strict=True)
    ]


def column_choices(columns: Sequence[ListColumn], width: int, glyphs: Glyphs) -> tuple[str, list[Choice]]:
    """Return heading and lines of the columns of the list from left to right."""
    cells = (
        TextColumn("column", [column.name for column in columns], usual=12, is_number=False),
        TextColumn("shown", ["hidden" if column.is_hidden else "shown" for column in columns], is_number=False),
        TextColumn(
            "cells", [f"{column.more:+}" if column.more else "as needed" for column in columns], gap=2, is_number=False
        ),
    )
    heading, lines = in_columns(cells, ({2: 0},), (2, 0), width, glyphs)
    return heading, [Choice(text[1:]) for text in lines]


def _changed(columns: tuple[ListColumn, ...], index: int, what: str) -> tuple[tuple[ListColumn, ...], int]:
    """Return the columns after a key on the one at ``index``, and its new index."""
    column = columns[index]
    if what in _CELLS:
        column = column.widened(_CELLS[what])
    elif what == "hide":
        column = column._replace(is_hidden=not column.is_hidden)
    other_columns = [*columns[:index], *columns[index + 1 :]]
    to = max(0, min(index + _STEPS.get(what, 0), len(other_columns)))
    return (*other_columns[:to], column, *other_columns[to:]), to


def _records_text(trail: ListedTrail) -> str:
    return "" if trail.records is None else f"{trail.records:,}{'' if trail.is_read else '+'}"


def _state_text(trail: ListedTrail) -> str:
    """Return the findings about a trail, ``good`` if it was read without any."""
    state = trail.state or TrailState(damaged=trail.damaged, restarts=trail.restarts)
    words = state.words
    words += ["ends in half a record"] if trail.ends_in_record else []
    words += ["looks encrypted"] if trail.is_encrypted else []
    return ", ".join(words) or ("good" if trail.state is not None else "")


def _clock_of(time: int | None, offset: TimeOffset) -> str:
    return format_timestamp(time, offset)[:19] if time else ""


def _age_text(time: int | None, now: int) -> str:
    return span_text(max(0, now - time) // _SECOND * _SECOND).replace(".000 s", " s") if time else ""


def _file_choice(text: str, file: ListedFile, state: State) -> Choice:
    enter = open_line(file.path) if file.last_missing is None else ""
    return Choice(text, enter=enter, is_current=file.path == state.path)


def open_line(path: Path) -> str:
    """Return the line that opens a file; empty if its name cannot be entered."""
    text = str(path)
    return f'OPEN "{text}"' if '"' not in text and text.isprintable() else ""


def line_to(path: Path | None, rba: int, here: Path | None) -> str:
    """Return the line that goes to a record, with OPEN unless ``path`` is ``here`` or None; empty as ``open_line``."""
    if path is None or (here is not None and path.absolute() == here.absolute()):
        return f"POS {rba}"
    opening = open_line(path)
    return opening and f"{opening}; POS {rba}"


def _time_text(time: int | None, state: State) -> str:
    return format_timestamp(time, state.time_offset)[:19] if time else ""


def _csn_or_gap(file: ListedFile) -> str:
    if file.last_missing is None:
        return file.first_csn or ""
    return "is missing" if file.last_missing == file.path else f"to {file.last_missing.name} are missing"


def duration_text(microseconds: int) -> str:
    """Return ``hh:mm:ss.t``; 0 if the times of a transaction decrease."""
    tenths = max(0, microseconds) * 10 // _SECOND
    minutes, rest = divmod(tenths, 600)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 10:02}.{rest % 10}"


def short_count(number: int) -> str:
    """Return a count in at most five cells: ``437``, ``61k``, ``29M``."""
    if number < 10_000:
        return str(number)
    return f"{number / 1000:.0f}k" if number < 10_000_000 else f"{number / 1_000_000:.0f}M"


def _story_text(story: StoryRead) -> str:
    """Return the summary of the command ROW, and the number of changes that are listed if not all are."""
    more = story.shown.changes - len(story.changes)
    verdict = " ".join(story_lines(story.shown, Settings()))
    return f"{verdict} The first {len(story.changes):,} are listed; v shows all." if more else verdict


_Lines = Callable[[Model, int, Glyphs], tuple[str, list[Choice]]]
_NAMES: dict[str, tuple[_Lines, str]] = {
    "tables": (
        lambda model, width, glyphs: table_choices(model.tables, glyphs, width),
        "No records have been indexed yet.",
    ),
    "transactions": (
        lambda model, width, glyphs: transaction_choices(
            model.transactions, model.order, width, glyphs, has_more=model.has_more(INDEX)
        ),
        "No transactions have been indexed yet.",
    ),
    "marks": (
        lambda model, width, glyphs: mark_choices(model.state.marks, width, glyphs),
        "m and a letter mark a record, as MARK <name> <note> does.",
    ),
    "trails": (
        lambda model, width, glyphs: trail_choices(model.trails, model.state.time_offset, width, glyphs),
        "No trail is here.",
    ),
    "story": (
        lambda model, width, glyphs: story_choices(
            model.story, model.state.path, model.state.time_offset, width, glyphs
        ),
        "R lists the changes of the row of a record, as ROW does.",
    ),
    "columns": (lambda model, width, glyphs: column_choices(model.columns, width, glyphs), ""),
    "files": (
        lambda model, width, glyphs: file_choices(model.files, model.state, width, glyphs),
        "The files of the trail are being read.",
    ),
}
"""For each pane the function that returns its heading and lines, and the text of an empty pane."""
CHOICES = tuple(_NAMES)
_OF_INDEX = ("tables", "transactions")


class CurrentChoices(ChoicePane):
    """One of these panes; it is filled only while it is shown."""

    def __init__(self, name: str, model: Model, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self._model = model
        self._lines, self._empty = _NAMES[name]
        facts = (
            Model.indexed,
            Model.transactions,
            Model.order,
            Model.state,
            Model.files,
            Model.lacks,
            Model.trails,
            Model.story,
            Model.columns,
        )
        model.observe(self.draw, Model.upper, Model.opened, *facts)

    def draw(self) -> None:
        """Show the current lines, in the columns that fit."""
        is_shown = self._model.upper == self.id
        self.set_class(is_shown, "-shown")
        if not is_shown:
            self.leave()
        else:
            width = self.parent.size.width if isinstance(self.parent, Widget) else self.size.width
            is_about_file = self.id not in ("trails", "columns") and self._model.state.path is None
            empty = NO_TRAIL if is_about_file else self._empty
            self.show(
                *self._lines(self._model, width, self._glyphs),
                empty,
                self._partial,
                "strong" if self.id == "story" else "warn",
            )

    @property
    def _partial(self) -> str:
        """The text above the heading: the gaps of the index, or the note of the start page or of ROW."""
        if self.id == "trails" and self._model.trails is not None:
            return self._model.trails.note
        if self.id == "story" and self._model.story is not None:
            return _story_text(self._model.story)
        if self.id not in _OF_INDEX or self._model.state.path is None:
            return ""
        listed = _listed_text(self._model.index.sums) if self.id == "tables" else ""
        return " ".join(filter(None, (self._model.partial(INDEX), listed)))

    def action_sort(self) -> None:
        """Switch to the next sort order of transactions."""
        orders = list(ORDERS)
        self._model.order = orders[(orders.index(self._model.order) + 1) % len(orders)]

    def action_take(self, what: str) -> None:
        """Enter the command of the line, or hide or show a column."""
        if self.id == "columns":
            self.action_column("hide")
        else:
            super().action_take(what)

    def action_column(self, what: str) -> None:
        """Hide or show the column under the cursor, change its width, or move it."""
        if self.id != "columns":
            raise SkipAction  # the key may mean something in every pane
        self._model.columns, self._cursor = _changed(self._model.columns, self._cursor, what)
        self.draw()

    def on_resize(self) -> None:
        """Lay the lines out in the new width."""
        self.draw()
