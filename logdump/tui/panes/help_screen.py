"""The keys, in a pane over the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.app import ComposeResult
from textual.screen import ModalScreen

from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.panes.footer import keys_of
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import COMPONENTS, Line, line

OF_THE_NIGHT = (
    *("go_to", "safe", "explain", "find", "transaction_begin"),
    *("filter", "tables", "transactions", "damage", "back"),
)
"""The keys that come first, by their names: from an RBA in a report to where Replicat may restart."""


class HelpScreen(ModalScreen[None]):
    """Every key by the place where it acts; any of Esc, q, ? leaves."""

    COMPONENT_CLASSES = COMPONENTS
    BINDINGS = [("escape,q,question_mark", "dismiss", "back")]  # noqa: RUF012 - Textual's own form

    def __init__(self, keymap: Mapping[str, str], glyphs: Glyphs) -> None:
        super().__init__()
        self._keymap = keymap
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """The text."""
        yield TextPane("help", self._glyphs)

    def on_mount(self) -> None:
        """Show it."""
        page = self.query_one(TextPane)
        page.add_class("-shown")
        page.show(list(help_lines(self._keymap)), top=0)
        page.focus()


def help_lines(keymap: Mapping[str, str]) -> Iterator[Line]:
    """The keys of each area, and the command that a key enters."""
    yield line("The ten keys of the night   (Esc leaves this page; HELP lists the commands)", "title")
    by_id = {key.id: key for key in KEYS}
    for name in OF_THE_NIGHT:
        yield _key_line(by_id[name], keymap)
    for area in Area:
        yield line("")
        yield line(f"In {area.value}:" if area is not Area.EVERYWHERE else "Everywhere:", "strong")
        for key in KEYS:
            if key.area is area:
                yield _key_line(key, keymap)


def _key_line(key: Key, keymap: Mapping[str, str]) -> Line:
    names = ", ".join(keys_of(key, keymap))
    command = f"  {key.sends or key.types}" if key.sends or key.types else ""
    return Line(((f"  {names:<14} ", "strong"), (key.what, ""), (command, "dim")))
