"""What the pages of the lower pane show of a record, each read on the thread beside the screen."""

from __future__ import annotations

from collections.abc import Callable

from logdump.session import Session
from logdump.tui.detail_text import detail_lines
from logdump.tui.text import Line

PANES: dict[str, Callable[[Session, int], list[Line]]] = {
    "detail": detail_lines,
}
"""The lines of each page for the record at an RBA."""
