"""The panes over the record list: tables, transactions, marks, trails, the story of a row, columns, files.

Each is a ``Pane``: its rows, its columns, and the line that Enter on a row enters. A column has a name, the text of a
row, a width, and a priority by which it is left out where the pane is narrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from textual.actions import SkipAction
from textual.widget import Widget

from logdump.display.listing.stated import row_text
from logdump.display.listing.values import ASCII_MARKS, UNICODE_MARKS
from logdump.display.text import PARTIAL, Severity
from logdump.display.token_text import short_user_tokens
from logdump.features.doctor.model import Finding
from logdump.features.recovery.model import TrailState
from logdump.features.row.model import RowChangeShown
from logdump.features.row.text import story_lines
from logdump.notation.text import size_text
from logdump.notation.times import format_timestamp, span_text
from logdump.session.errors import ExitStatus
from logdump.session.session import Mark
from logdump.session.settings import Settings
from logdump.tui.keys.kept_choices import ListColumn
from logdump.tui.keys.places import NO_NAME, line_to, open_line
from logdump.tui.model.model import MOST_TABLES, NO_TRAIL, ListedTable, Model, TablesRead
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.reading.background import INDEX
from logdump.tui.reading.messages import ListedTrail, StoryRead
from logdump.tui.reading.state import ORDERS, ListedFile, ListedTransaction
from logdump.tui.text.styled import STAYS, Glyphs, TextColumn, in_columns
from trailformat import TrailName
from trailformat.trail.sequence import FilePosition

_SECOND = 1_000_000
_SHORT_XID = 12
_SHORT_NAME = 20
_CELLS, _STEPS = {"wider": 2, "narrower": -2}, {"left": -1, "right": 1}
"""Keys of the pane of columns: the number of cells added to a column, and of places by which it moves."""
R = TypeVar("R")


class PaneContext(NamedTuple):
    """What the cells of a pane are made with: the model of the screen, its characters, the width of the pane."""

    model: Model
    glyphs: Glyphs
    width: int

    def clock(self, time: int | None) -> str:
        """Return a time to the second in the zone of the session; empty for None."""
        return format_timestamp(time, self.model.state.time_offset)[:19] if time else ""

    def age(self, time: int | None) -> str:
        """Return the time since a moment when the trails were listed; empty for None."""
        now = self.model.trails.now if self.model.trails is not None else 0
        return span_text(max(0, now - time) // _SECOND * _SECOND).replace(".000 s", " s") if time else ""


class PaneColumn(NamedTuple, Generic[R]):
    """A column of a pane.

    Attributes:
        name: its heading.
        text: returns the cell of a row.
        width, priority, cut, fills, gap, is_number: as in ``TextColumn``.
        brief: returns a shorter cell from the text of a cell.
        is_optional: True if it is left out first where no row has a text.
    """

    name: str
    text: Callable[[R, PaneContext], str]
    width: int = 0
    priority: int = STAYS
    fills: int = 0
    gap: int = 1
    is_number: bool = False
    is_optional: bool = False
    cut: tuple[int, int] = (STAYS, 0)
    brief: Callable[[str], str] | None = None

    def of(self, rows: Sequence[R], context: PaneContext) -> TextColumn:
        """Return the column with the cells of rows."""
        cells = [self.text(row, context) for row in rows]
        priority = 0 if self.is_optional and not any(cells) else self.priority
        brief = [self.brief(cell) for cell in cells] if self.brief is not None else ()
        return TextColumn(self.name, cells, self.width, self.gap, self.is_number, brief, priority, self.cut, self.fills)


class Pane(NamedTuple, Generic[R]):
    """A pane of rows.

    Attributes:
        rows: returns its rows in order.
        columns: its columns from left to right.
        choice: returns the choice of a row, given its line.
        empty: text of a pane without rows.
        above: returns the text above the heading; ``style`` is its style.
        is_about_file: True if it has rows only while a trail is open.
        adapted: returns the columns for the rows, for those that depend on them or on the width.
    """

    rows: Callable[[Model], Sequence[R]]
    columns: tuple[PaneColumn[R], ...]
    choice: Callable[[str, R, PaneContext], Choice]
    empty: str = ""
    above: Callable[[Model], str] = lambda _: ""
    style: str = "warn"
    is_about_file: bool = True
    adapted: Callable[[tuple[PaneColumn[R], ...], Sequence[R], PaneContext], Sequence[PaneColumn[R]]] = (
        lambda columns, *_: columns
    )

    def lines(self, context: PaneContext) -> tuple[str, list[Choice]]:
        """Return the heading and the choices in the width of the context."""
        rows = self.rows(context.model)
        columns = [column.of(rows, context) for column in self.adapted(self.columns, rows, context)]
        heading, lines = in_columns(columns, context.width, context.glyphs)
        return heading, [self.choice(text[1:], row, context) for text, row in zip(lines, rows, strict=True)]


def _table_choice(text: str, table: ListedTable, _context: PaneContext) -> Choice:
    return Choice(text, enter=table_filter(table.name), refusal="The name of the table cannot be entered.")


def _above_tables(model: Model) -> str:
    listed = _listed_text(model.tables_read) if model.state.path is not None else ""
    return " ".join(filter(None, (_above_transactions(model), listed)))


def _above_transactions(model: Model) -> str:
    return model.partial(INDEX) if model.state.path is not None else ""


def _listed_text(read: TablesRead) -> str:
    """Return a sentence about tables that are not listed; empty if all are."""
    count, other_records = len(read.tables), read.other_records
    listed = f"The {MOST_TABLES:,} largest of {count:,} tables." if count > MOST_TABLES else ""
    return f"{listed} {other_records:,} records are of tables beyond these." if other_records else listed


def table_filter(name: str) -> str:
    """Return the line that filters to a table; empty if its name cannot be entered."""
    return f'FILTER INCLUDE FILENAME "{name}"' if '"' not in name and name.isprintable() and name else ""


_TABLES = Pane[ListedTable](
    lambda model: model.tables,
    (
        PaneColumn("table", lambda table, _: table.name or "(no name)", width=10, fills=1),
        PaneColumn("records", lambda table, _: f"{table.totals.records:,}", width=13, is_number=True),
        PaneColumn("%", lambda table, _: f"{table.part:.1f}", width=5, priority=1, is_number=True),
        PaneColumn("bytes", lambda table, _: f"{table.totals.data_bytes:,}", width=14, priority=2, is_number=True),
    ),
    _table_choice,
    "No records have been indexed yet.",
    _above_tables,
)


def _end_text(transaction: ListedTransaction, context: PaneContext) -> str:
    """Return the end of a transaction; that of an open one may be in a part that was not read."""
    span = transaction.span
    if span.end is not None:
        return str(span.end)
    if span.cut_at is not None:
        return f"cut {span.cut_at}"
    return "(not read)" if context.model.has_more(INDEX) else "(open)"


def _transaction_choice(text: str, transaction: ListedTransaction, _context: PaneContext) -> Choice:
    span = transaction.span
    save = f"save  {transaction.file_bytes} bytes" if transaction.file_bytes else ""
    end = span.cut_at if span.end is None else span.end
    return Choice(text, enter=f"POS {span.begin}", end=f"POS {end}" if end is not None else "POS EOF", save=save)


def _sorted_columns(
    columns: tuple[PaneColumn[ListedTransaction], ...], _rows: Sequence[ListedTransaction], context: PaneContext
) -> list[PaneColumn[ListedTransaction]]:
    """Return the columns, the one of the sort order in brackets; it is left out late."""
    order = context.model.order
    return [column._replace(name=f"[{order}]", priority=7) if column.name == order else column for column in columns]


def _duration(transaction: ListedTransaction, _context: PaneContext) -> str:
    return duration_text(transaction.span.last_time - transaction.span.first_time)


_TRANSACTIONS = Pane[ListedTransaction](
    lambda model: sorted(model.transactions, key=ORDERS[model.order], reverse=True),
    (
        PaneColumn("begin RBA", lambda listed, _: str(listed.span.begin), width=11, is_number=True),
        PaneColumn("end RBA", _end_text, width=11, priority=8, is_number=True),
        PaneColumn("records", lambda listed, _: f"{listed.span.records:,}", width=9, priority=3, is_number=True),
        PaneColumn("bytes", lambda listed, _: f"{listed.span.data_bytes:,}", width=13, priority=4, is_number=True),
        PaneColumn("tables", lambda listed, _: str(len(listed.span.tables)), priority=1, is_number=True),
        PaneColumn(
            "duration", _duration, width=11, priority=2, is_number=True, brief=lambda text: text.partition(".")[0]
        ),
        PaneColumn("csn", lambda listed, _: listed.csn, gap=2, fills=2),
        PaneColumn("xid", lambda listed, _: listed.xid, priority=6, cut=(5, _SHORT_XID), fills=1),
    ),
    _transaction_choice,
    "No transactions have been indexed yet.",
    _above_transactions,
    adapted=_sorted_columns,
)

_MARKS = Pane[Mark](
    lambda model: sorted(model.state.marks),
    (
        PaneColumn("mark", lambda mark, _: mark.name, width=8, cut=(2, _SHORT_NAME)),
        PaneColumn("RBA", lambda mark, _: str(mark.rba), width=12, is_number=True),
        PaneColumn("note", lambda mark, _: mark.note, gap=2, fills=2),
        PaneColumn("file", lambda mark, _: mark.path.name, priority=1, gap=2, fills=1),
    ),
    lambda text, mark, _: Choice(text, enter=f"POSITION MARK {mark.name}"),
    "m and a letter mark a record, as MARK <name> <note> does.",
)


def _file_name(file: ListedFile, context: PaneContext) -> str:
    return f"{'*' if file.path == context.model.state.path else ' '}{file.path.name}"


def _csn_or_gap(file: ListedFile, _context: PaneContext) -> str:
    if file.last_missing is None:
        return file.first_csn or ""
    return "is missing" if file.last_missing == file.path else f"to {file.last_missing.name} are missing"


def _file_choice(text: str, file: ListedFile, context: PaneContext) -> Choice:
    enter = open_line(file.path) if file.last_missing is None else ""
    refusal = NO_NAME if file.last_missing is None else "This file is missing."
    return Choice(text, enter=enter, refusal=refusal, is_current=file.path == context.model.state.path)


_FILES = Pane[ListedFile](
    lambda model: model.files,
    (
        PaneColumn("file", _file_name, fills=2),
        PaneColumn(
            "bytes",
            lambda file, _: f"{file.size:,}" if file.size is not None else "",
            width=14,
            priority=2,
            is_number=True,
        ),
        PaneColumn("first record", lambda file, context: context.clock(file.first_time), priority=1, gap=2),
        PaneColumn("first csn", _csn_or_gap, gap=2, fills=1),
    ),
    _file_choice,
    "The files of the trail are being read.",
)


SIGNS = {Severity.DAMAGE: ("!!", "warn"), Severity.WARNING: (" !", "changed"), Severity.NOTE: ("", "")}
"""The sign and the style of a finding by its severity."""


def _finding_choice(text: str, finding: Finding, context: PaneContext) -> Choice:
    enter, refusal = line_to(finding.position, context.model.state.path)
    return Choice(text, enter=enter, refusal=refusal, style=SIGNS[finding.severity][1])


def _above_findings(model: Model) -> str:
    if model.findings is None:
        return "The trail is being examined."
    return "" if model.findings.is_whole else PARTIAL


def _finding_columns(
    columns: tuple[PaneColumn[Finding], ...], rows: Sequence[Finding], _context: PaneContext
) -> list[PaneColumn[Finding]]:
    """Return the columns, without the file if there is one."""
    has_files = len({finding.position.path for finding in rows if finding.position is not None}) > 1
    return [column for column in columns if has_files or column.name != "file"]


_FINDINGS = Pane[Finding](
    lambda model: model.findings.findings if model.findings is not None else (),
    (
        PaneColumn("", lambda finding, _: SIGNS[finding.severity][0], width=2),
        PaneColumn("file", lambda finding, _: finding.position.path.name if finding.position is not None else ""),
        PaneColumn(
            "RBA", lambda finding, _: str(finding.position.rba) if finding.position is not None else "", is_number=True
        ),
        PaneColumn("finding", lambda finding, _: finding.text, gap=2, fills=1),
    ),
    _finding_choice,
    "DOCTOR finds nothing.",
    _above_findings,
    adapted=_finding_columns,
)


def _records_text(trail: ListedTrail, _context: PaneContext) -> str:
    return "" if trail.records is None else f"{trail.records:,}{'' if trail.is_read else '+'}"


def _state_text(trail: ListedTrail, _context: PaneContext) -> str:
    """Return the findings about a trail, ``no damage`` if it was read without any."""
    if trail.is_archive:
        return "archive"
    state = trail.state or TrailState(damaged=trail.damaged, restarts=trail.restarts)
    words = state.words
    words += ["ends in half a record"] if trail.ends_in_record else []
    words += ["looks encrypted"] if trail.is_encrypted else []
    return ", ".join(words) or ("no damage" if trail.state is not None else "")


def _trail_name(trail: ListedTrail, context: PaneContext) -> str:
    """Return the name of a trail, with that of its folder if the trails are of several."""
    listed = context.model.trails.trails if context.model.trails is not None else ()
    folder = trail.paths[0].parent
    return trail.name if all(other.paths[0].parent == folder for other in listed) else f"{folder.name}/{trail.name}"


def _trail_choice(text: str, trail: ListedTrail, _context: PaneContext) -> Choice:
    if trail.is_archive:
        return Choice(text, enter=str(trail.paths[0]), is_place=True)
    state = trail.state or TrailState(damaged=trail.damaged, restarts=trail.restarts)
    style = {ExitStatus.BAD_DATA: "warn", ExitStatus.FINDINGS: "changed"}.get(state.status, "")
    return Choice(text, enter=open_line(trail.paths[0]), refusal=NO_NAME, finds_data=True, style=style)


_OPENED = re.compile(r"""\s*open\s+(?:"([^"]+)"|([^\s;"]+))""", re.IGNORECASE)


def _recent_first(trails: Sequence[ListedTrail], history: Sequence[str]) -> list[ListedTrail]:
    """Return the trails, those that were opened last first, then the others as they are."""
    opened: dict[str, int] = {}
    for number, line in enumerate(history, 1):
        if (match := _OPENED.match(line)) is not None:
            opened[str(Path(match[1] or match[2]).absolute())] = number

    def last(trail: ListedTrail) -> int:
        path = str(trail.paths[0].absolute())
        name = TrailName.parse(trail.paths[0])
        names = [str(path.absolute()) for path in trail.paths] + ([path[: -name.digits]] if name is not None else [])
        return max(opened.get(name, 0) for name in names)

    return sorted(trails, key=last, reverse=True) if opened else list(trails)


_TRAILS = Pane[ListedTrail](
    lambda model: _recent_first(model.trails.trails, model.history) if model.trails is not None else (),
    (
        PaneColumn("trail", _trail_name, fills=2),
        PaneColumn("files", lambda trail, _: f"{len(trail.paths):,}", priority=9, gap=2, is_number=True),
        PaneColumn("size", lambda trail, _: size_text(trail.size), priority=6, gap=2, is_number=True),
        PaneColumn("records", _records_text, gap=2, is_number=True),
        PaneColumn("age", lambda trail, context: context.age(trail.last_time), priority=8, gap=2, is_number=True),
        PaneColumn(
            "beat",
            lambda trail, context: context.age(trail.last_beat),
            priority=7,
            gap=2,
            is_number=True,
            is_optional=True,
        ),
        PaneColumn("state", _state_text, gap=2, fills=1),
        PaneColumn("first record", lambda trail, context: context.clock(trail.first_time), priority=4, gap=2),
        PaneColumn("last record", lambda trail, context: context.clock(trail.last_time), priority=5, gap=2),
        PaneColumn("first csn", lambda trail, _: trail.first_csn, priority=3, gap=2),
        PaneColumn("last csn", lambda trail, _: trail.last_csn, priority=2, gap=2),
        PaneColumn("from", lambda trail, _: trail.release, priority=1, gap=2),
    ),
    _trail_choice,
    "No trail is here.",
    lambda model: model.trails.note if model.trails is not None else "",
    is_about_file=False,
)


def _what_changed(change: RowChangeShown, context: PaneContext) -> str:
    marks = UNICODE_MARKS if context.glyphs.has_unicode else ASCII_MARKS
    return row_text(change.row, marks)


def _user_tokens(change: RowChangeShown, context: PaneContext) -> str:
    marks = UNICODE_MARKS if context.glyphs.has_unicode else ASCII_MARKS
    return short_user_tokens(change.user_tokens, marks.cut)


def _story_columns(
    columns: tuple[PaneColumn[RowChangeShown], ...], rows: Sequence[RowChangeShown], context: PaneContext
) -> list[PaneColumn[RowChangeShown]]:
    """Return the columns: the file is left out first if there is one; changes and tokens share the width."""
    has_tokens = any(_user_tokens(change, context) for change in rows)
    has_files = len({change.path for change in rows}) > 1
    own: dict[str, dict[str, Any]] = {
        "file": {} if has_files else {"priority": 0},
        "key, what changed": {"cut": (0, context.width // 4 if has_tokens else context.width // 2)},
        "user tokens": {"cut": (0, context.width // 6)},
    }
    return [column._replace(**own.get(column.name, {})) for column in columns]


def _change_choice(text: str, change: RowChangeShown, context: PaneContext) -> Choice:
    story, position = context.model.story, FilePosition(change.path, change.row.rba)
    to, refusal = line_to(position, context.model.state.path)
    undo = story.shown.undo if story is not None else ""
    return Choice(text, enter=to, undo=undo, undo_transaction=f"{to}; UNDO" if to else "", refusal=refusal)


_STORY = Pane[RowChangeShown](
    lambda model: model.story.changes if model.story is not None else (),
    (
        PaneColumn("RBA", lambda change, _: str(change.row.rba), width=8, is_number=True),
        PaneColumn("file", lambda change, _: change.path.name, priority=3),
        PaneColumn("time", lambda change, context: context.clock(change.row.time), priority=4, gap=2),
        PaneColumn("T", lambda change, _: change.row.kind.value, gap=2),
        PaneColumn("key, what changed", _what_changed, fills=1),
        PaneColumn("applied", lambda change, _: "no" if change.is_applied is False else "", gap=2, is_optional=True),
        PaneColumn("csn", lambda change, _: change.row.csn or "", priority=1, gap=2),
        PaneColumn("xid", lambda change, _: change.row.xid or "", priority=2, gap=2),
        PaneColumn("user tokens", _user_tokens, gap=2, is_optional=True),
    ),
    _change_choice,
    "R lists the changes of the row of a record, as ROW does.",
    lambda model: _story_text(model.story) if model.story is not None else "",
    style="strong",
    adapted=_story_columns,
)

_LIST_COLUMNS = Pane[ListColumn](
    lambda model: model.columns,
    (
        PaneColumn("column", lambda column, _: column.name, width=12, fills=2),
        PaneColumn("shown", lambda column, _: "hidden" if column.is_hidden else "shown"),
        PaneColumn("cells", lambda column, _: f"{column.more:+}" if column.more else "as needed", 0, 1, 1, gap=2),
    ),
    lambda text, _column, _context: Choice(text),
    is_about_file=False,
)


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


PANES: dict[str, Pane[Any]] = {
    "tables": _TABLES,
    "transactions": _TRANSACTIONS,
    "marks": _MARKS,
    "trails": _TRAILS,
    "story": _STORY,
    "columns": _LIST_COLUMNS,
    "files": _FILES,
    "findings": _FINDINGS,
}
"""The panes by name."""
CHOICES = tuple(PANES)


class CurrentChoices(ChoicePane):
    """One of these panes; it is filled only while it is shown."""

    def __init__(self, name: str, model: Model, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self._model = model
        self._pane = PANES[name]
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
            Model.findings,
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
            has_no_file = self._pane.is_about_file and self._model.state.path is None
            self.show(
                *self._pane.lines(PaneContext(self._model, self._glyphs, width)),
                NO_TRAIL if has_no_file else self._pane.empty,
                self._pane.above(self._model),
                self._pane.style,
            )

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
