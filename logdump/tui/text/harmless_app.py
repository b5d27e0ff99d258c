"""An application that shows itself as its user likes it, and lets nothing out that a terminal would obey."""

from __future__ import annotations

import os
from collections.abc import Sequence

from textual.filter import LineFilter
from textual.notifications import SeverityLevel

from logdump.notation.escape import escape
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.cells import HarmlessLines
from logdump.tui.text.ordered_keys import OrderedKeysApp
from logdump.tui.text.themes import THEMES

NOTICE = 2.0
"""Seconds that a notification stays."""


class HarmlessApp(OrderedKeysApp):
    """An application whose output is escaped; its ``appearance`` are characters, colours and keys."""

    def __init__(self, appearance: Appearance) -> None:
        self.appearance = appearance
        self.glyphs = appearance.glyphs
        self._harmless = HarmlessLines(appearance.glyphs)
        super().__init__(ansi_color=appearance.theme.ansi)
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = appearance.theme.name
        self.set_keymap(appearance.keymap.keys)
        self.animation_level = "none"

    def use_theme(self, name: str) -> None:
        """Use other colours, of the terminal's own palette where the theme has these."""
        theme = THEMES[name]
        self.ansi_color = theme.ansi
        self.theme = theme.name

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The filters of every line of every widget; the last makes it harmless."""
        return [*super().get_line_filters(), self._harmless]

    def copy_to_clipboard(self, text: str) -> None:
        """Put lines of harmless text into the terminal's clipboard."""
        super().copy_to_clipboard("\n".join(escape(one) for one in text.split("\n")))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - of the base class
    ) -> None:
        """Show a short text as it is, for a while."""
        super().notify(escape(message), title=escape(title), severity=severity, timeout=timeout, markup=False)

    def action_suspend_process(self) -> None:
        """Ctrl+Z: back to the shell until ``fg``, where there is one."""
        if hasattr(os, "getsid") and os.getsid(0) == os.getpid():
            self.notify("No shell has started the program: there is no shell to return to", timeout=NOTICE)
        else:
            super().action_suspend_process()
