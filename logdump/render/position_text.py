"""The read position, and the marks."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import MarksShown, PositionShown
from logdump.render.escape import escape
from logdump.settings import Settings

_NAME_WIDTH = 8
_RBA_WIDTH = 12


def position_lines(shown: PositionShown, _settings: Settings) -> Iterator[str]:
    """Direction and RBA."""
    yield f"Reading {'in reverse' if shown.is_backwards else 'forward'} from RBA {shown.rba}"


def mark_lines(shown: MarksShown, _settings: Settings) -> Iterator[str]:
    """Name, RBA, file and note of each mark."""
    for one in shown.marks:
        place = f"{escape(one.name):<{_NAME_WIDTH}} RBA {one.rba:>{_RBA_WIDTH}}  {escape(str(one.path))}"
        yield f"{place}  {escape(one.note)}".rstrip()
    if not shown.marks:
        yield "No marks. MARK <name> sets one at the position."
