"""What keys do that stand for no command: to the screen alone."""

from __future__ import annotations

import os

from textual import events

from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.panes.choices import mark_choices, table_choices, transaction_choices
from logdump.tui.panes.help_screen import HelpScreen
from logdump.tui.panes.palette import Palette
from logdump.tui.reading.transactions import ORDERS
from logdump.tui.screen_parts import ScreenParts

_BACK = "'"
_NOTICE = 2.0
"""Seconds that a notification stays."""


class KeyActions(ScreenParts):
    """The actions that bindings name."""

    _order = "bytes"
    _letter_for = ""
    _came_from: int | None = None

    def action_send(self, text: str) -> None:
        """A key that stands for a line."""
        self.enter(text)

    def action_type_in(self, text: str) -> None:
        """A key that begins a line."""
        self.prompt.begin(text)
        self.prompt.focus()

    def action_show_tab(self, name: str) -> None:
        """Show a page of the lower pane."""
        self.show_tab(name)

    def action_show_output(self) -> None:
        """Show what the commands printed."""
        self.show_output()

    def action_leave(self) -> None:
        """Esc: one level back, and never out of the program."""
        if self.mode.is_asking:
            self.mode.answer(None)
        elif self.focused is self.prompt:
            pass
        elif self.upper_shown != "records":
            self.show_upper("records")
        elif self.page_shown == "output":
            self.show_tab(self.page_before)
        self.records.focus()

    def action_leave_or_quit(self) -> None:
        """``q``: one level back, from the records out."""
        if self.focused is self.records and self.page_shown != "output":
            self.enter("EXIT")
        else:
            self.action_leave()

    def action_focus_prompt(self) -> None:
        """To the prompt."""
        self.prompt.focus()

    def action_enter_pane(self) -> None:
        """To the lower pane."""
        self.page(self.page_shown).focus()

    def action_next_pane(self) -> None:
        """To the next part of the screen."""
        self.screen.focus_next()

    def action_maximise_pane(self) -> None:
        """The lower pane alone, or both."""
        main = self.query_one("#main")
        main.toggle_class("-maximised")
        if main.has_class("-maximised"):
            self.action_enter_pane()

    def action_save_from_here(self) -> None:
        """Stand in front of the record under the cursor and begin a SAVE."""
        if self.records.row is not None:
            self.enter(f"POS {self.records.row.rba}")
            self.action_type_in("save ")

    def action_stop(self) -> None:
        """Ctrl+C: stop the command under way, else the scans beside the screen."""
        if not self.mode.is_idle:
            self.mode.stop()
        elif self.file.stop():
            self.set_standing(self.standing._replace(busy="stopped, Ctrl+L goes on"))

    def action_scan_on(self) -> None:
        """Go on with scans that were stopped."""
        self.file.go_on()

    def action_suspend_process(self) -> None:
        """Ctrl+Z: back to the shell until ``fg``, where there is one."""
        if hasattr(os, "getsid") and os.getsid(0) == os.getpid():
            self.notify("No shell has started the program: there is nothing to go back to", timeout=_NOTICE)
        else:
            super().action_suspend_process()

    def action_follow(self) -> None:
        """Follow the end of the trail, or no longer."""
        follows = not self.standing.follows
        self.set_standing(self.standing._replace(follows=follows))
        if follows:
            self.records.go_to(None, -1)
        elif self.records.is_waiting:
            self.records.go_to(self.state.rba)  # the last row is on its way, and not wanted any more

    def action_copy_rba(self) -> None:
        """The RBA under the cursor, into the terminal's clipboard."""
        if self.records.row is not None:
            self._copy(str(self.records.row.rba), f"RBA {self.records.row.rba}")

    def action_copy_text(self) -> None:
        """The lines of the lower pane, without the margin."""
        text = self.page(self.page_shown).whole_text
        count = text.count("\n")
        self._copy(text, f"{count:,} line{'s' * (count != 1)} of the page {self.page_shown}")

    def _copy(self, text: str, what: str) -> None:
        self.copy_to_clipboard(text)
        self.notify(f"Copied: {what}", timeout=_NOTICE)

    def action_toggle_margin(self) -> None:
        """Names and values beside the detail, or the bare text."""
        page = self.page("detail")
        page.shows_margin = not page.shows_margin
        page.refresh()

    def action_show_help(self) -> None:
        """The keys."""
        self.push_screen(HelpScreen(self.keys_in_use, self.glyphs))

    def action_show_palette(self) -> None:
        """All commands; the one chosen begins a line."""

        def take(name: str | None) -> None:
            if name is not None:
                self.action_type_in(f"{name} ")

        self.push_screen(Palette(self.glyphs), take)

    # Tables, transactions, marks.

    def action_show_choices(self, name: str) -> None:
        """One of the panes over the record list; again: the list."""
        if self.upper_shown == name:
            self.action_leave()
            return
        self.show_upper(name)
        self.update_choices(name)
        self.choice_pane(name).focus()

    def update_choices(self, name: str) -> None:
        """Fill one of the panes over the record list."""
        width = self.query_one("#upper").size.width
        if name == "tables":
            heading, choices = table_choices(self.file.index.sums.tables, self.glyphs, width)
            empty = "The index has met no record yet."
        elif name == "transactions":
            heading, choices = transaction_choices(self.transactions, self._order, width, self.glyphs)
            empty = "The index has met no transaction yet."
        elif name == "marks":
            heading, choices = mark_choices(self.state.marks, width, self.glyphs)
            empty = "m and a letter mark a record, as MARK <name> <note> does."
        else:
            return
        self.choice_pane(name).show(heading, choices, empty)

    def on_choice_pane_sorted(self, message: ChoicePane.Sorted) -> None:
        """The next order of the transactions."""
        orders = list(ORDERS)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self.update_choices(message.pane.id or "")

    def on_choice_pane_resized(self, message: ChoicePane.Resized) -> None:
        """Lay the columns out again."""
        self.update_choices(message.pane.id or "")

    def on_choice_pane_chosen(self, message: ChoicePane.Chosen) -> None:
        """A line of one of the panes: what it stands for is entered."""
        self._came_from = self.records.row.rba if self.records.row is not None else None
        self.show_upper("records")
        self.records.focus()
        self.enter(message.choice.sends[message.what])

    def action_await_letter(self, purpose: str) -> None:
        """The next key is the letter of a mark."""
        self._letter_for = purpose

    def take_letter(self, event: events.Key) -> bool:
        """Use a key as the letter of a mark if one is awaited; tells whether it was."""
        purpose, self._letter_for = self._letter_for, ""
        letter = event.character or ""
        row = self.records.row
        if not purpose or row is None:
            return False
        if purpose == "mark" and letter.isalnum():
            self.enter(f"MARK {letter}")
        elif purpose == "go" and letter.isalnum():
            self._came_from = row.rba
            self.enter(f"POSITION MARK {letter}")
        elif purpose == "go" and letter == _BACK and self._came_from is not None:
            back, self._came_from = self._came_from, row.rba
            self.enter(f"POS {back}")
        return True
