"""A pane over the record list in which a line is chosen: tables, transactions, marks, files."""

from __future__ import annotations

from dataclasses import dataclass

from textual.actions import SkipAction
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from logdump.tui.keys.keys import Area, bindings
from logdump.tui.keys.places import NO_PLACE
from logdump.tui.text.styled import Glyphs, Line, Styled, cut_to, line, wrapped


class Choice:
    """A line: its text and style, and the command lines that its keys enter; empty if a key acts as in every pane.

    ``refusal`` is what is said where Enter has none.
    The cursor begins on the line with ``is_current``. After a line with ``finds_data`` the list begins on the first
    record of data. With ``is_place`` Enter shows the trails of an archive, whose path it has instead of a command line.
    """

    def __init__(
        self,
        text: str,
        enter: str = "",
        end: str = "",
        save: str = "",
        undo: str = "",
        undo_transaction: str = "",
        refusal: str = NO_PLACE,
        *,
        is_current: bool = False,
        finds_data: bool = False,
        is_place: bool = False,
        style: str = "",
    ) -> None:
        self.text, self.style, self.refusal = text, style, refusal
        self.is_current, self.finds_data, self.is_place = is_current, finds_data, is_place
        self.sends = {"enter": enter, "end": end, "save": save}
        self.sends |= {"undo": undo, "undo_transaction": undo_transaction}


class ChoicePane(Styled, can_focus=True):
    """A heading and lines of choices."""

    BINDINGS = bindings(Area.CHOICES)
    place = Area.CHOICES

    @dataclass(eq=False)
    class Chosen(Message):
        """A key for a line: ``what`` is a key of ``Choice.sends``; the line of ``save`` lacks the name of its file.

        The line of ``enter`` may be empty: then the choice says why.
        """

        choice: Choice
        what: str

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(id=name)
        self._glyphs = glyphs
        self._above: list[Line] = []
        self._heading = ""
        self._choices: list[Choice] = []
        self._empty_text = ""
        self._cursor = self._top = 0
        self._is_entered = self._has_moved = False

    def leave(self) -> None:
        """Let the cursor begin on the current line when the pane is shown again."""
        self._is_entered = self._has_moved = False

    def show(self, heading: str, choices: list[Choice], empty_text: str, above: str = "", style: str = "warn") -> None:
        """Show other lines, and ``above`` before the heading; the cursor begins on the current line.

        A cursor that the user has moved stays on its line, wherever that is now; another one stays where it is.
        """
        former = self.choice if self._has_moved else None
        self._above = self._rows_above(line(above, style)) if above else []
        self._heading, self._choices, self._empty_text = heading, choices, empty_text
        current = next((index for index, choice in enumerate(choices) if choice.is_current), None)
        begins = not self._is_entered and current is not None
        self._is_entered = self._is_entered or begins
        at = current if begins else self._index_of(former) if former is not None else None
        self._cursor = max(0, min(at if at is not None else self._cursor, len(choices) - 1))
        self._top = self._visible_top()
        self.refresh()

    def _index_of(self, former: Choice) -> int | None:
        """Return the index of the line that enters the same as a former one; of several the one with its text."""
        enter = former.sends["enter"]
        same = (index for index, choice in enumerate(self._choices) if choice.sends["enter"] == enter != "")
        return min(
            same,
            key=lambda index: (self._choices[index].text != former.text, abs(index - self._cursor)),
            default=None,
        )

    def _rows_above(self, line: Line) -> list[Line]:
        """Return a line in the rows that it needs if they take less than half of the pane; else cut to one row."""
        rows, width = wrapped(line, self.size.width), self.size.width
        return rows if 2 * len(rows) < self.size.height else [Line(cut_to(line.pieces, width, self._glyphs.cut))]

    def _visible_top(self) -> int:
        """Return the first line to show so that the cursor is visible and no row after the last line is empty."""
        last = max(0, len(self._choices) - self._height)
        return min(max(self._top, self._cursor - self._height + 1), self._cursor, last)

    @property
    def choice(self) -> Choice | None:
        """The line under the cursor, None if there are no lines."""
        return self._choices[self._cursor] if self._choices else None

    @property
    def _height(self) -> int:
        return max(1, self.size.height - 1 - len(self._above))

    def action_choose(self, step: int) -> None:
        """Move the cursor by lines."""
        before, self._cursor = self._cursor, max(0, min(self._cursor + step, len(self._choices) - 1))
        self._has_moved = True
        top = self._visible_top()
        if top != self._top:
            self._top = top
            self.refresh()
            return
        for index in (before, self._cursor):
            self.refresh(Region(0, 1 + len(self._above) + index - self._top, self.size.width, 1))

    def action_choose_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.action_choose(pages * max(1, self._height - 1))

    def action_take(self, what: str) -> None:
        """Enter the command of the line for a key; a key without one acts as in every pane, but for Enter."""
        if self.choice is not None and (self.choice.sends[what] or what == "enter"):
            self.post_message(self.Chosen(self.choice, what))
        elif what != "enter":
            raise SkipAction

    def render_line(self, y: int) -> Strip:
        """Return a row above the heading, the heading, or a line."""
        width = self.size.width
        if y < len(self._above):
            return self.strip(self._above[y].pieces, width)
        y -= len(self._above)
        if y == 0:
            return self.strip(((self._heading, ""),), width, style="focus" if self.has_focus else "title")
        index = self._top + y - 1
        if not self._choices and y == 1:
            return self.strip(((f"  {self._empty_text}", "dim"),), width)
        if index >= len(self._choices):
            return self.strip((), width)
        is_here = index == self._cursor
        own = self._choices[index].style
        style = ("cursor" if self.has_focus else "here") if is_here else own
        sign = self._glyphs.cursor if is_here else " "
        return self.strip(((sign + self._choices[index].text, style),), width, style=style)
