"""Pages of the lower pane about a record, each read on the thread beside the screen."""

from __future__ import annotations

from collections.abc import Callable

from logdump.session.session import Session
from logdump.tui.reading.messages import PaneRead
from logdump.tui.reading.state import Current
from logdump.tui.text.detail_text import detail_lines
from logdump.tui.text.hex_text import hex_text
from logdump.tui.text.styled import Line
from logdump.tui.text.token_lines import header_lines, token_lines
from logdump.tui.text.values_page import values_page

_LINES: dict[str, Callable[[Session, int], list[Line]]] = {
    "detail": detail_lines,
    "tokens": token_lines,
    "header": header_lines,
}


def read_page_of_record(session: Session, name: str, about: Current, width: int) -> PaneRead | None:
    """A page of ``width`` cells about what is current; None where there is no record."""
    if about.row is None:
        return None
    rba = about.row.rba
    if name == "values":
        return PaneRead(name, about, values_page(session, rba, width))
    return PaneRead(name, about, hex_text(session, rba, width) if name == "hex" else _LINES[name](session, rba))
