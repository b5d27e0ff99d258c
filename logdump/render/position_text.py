"""The read position, and the marks."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from logdump.session.events import MarksShown, NoRecordThere, PositionShown
from logdump.session.settings import Settings

_NAME_WIDTH = 8
_RBA_WIDTH = 12


def position_lines(shown: PositionShown, _settings: Settings) -> Iterator[str]:
    """Direction and RBA."""
    yield f"Reading {'in reverse' if shown.is_backwards else 'forward'} from RBA {shown.rba}"


def no_record_lines(shown: NoRecordThere, _settings: Settings) -> Iterator[str]:
    """What is at the position instead, and the records around it."""
    verb = "ends" if shown.is_backwards else "starts"
    if shown.rba > shown.size:
        yield f"RBA {shown.rba} lies behind the end of the file, which is at RBA {shown.size}."
    elif shown.is_inside:
        yield f"No record {verb} at RBA {shown.rba}: it lies inside the record at RBA {shown.before}."
    else:
        yield f"No record {verb} at RBA {shown.rba}: the bytes there are damaged."
    before = "none" if shown.before is None else f"RBA {shown.before}"
    after = "none" if shown.after is None else f"RBA {shown.after}"
    yield f"The record before it: {before}. The record after it: {after}."


def mark_lines(shown: MarksShown, _settings: Settings) -> Iterator[str]:
    """Name, RBA, file and note of each mark."""
    for one in shown.marks:
        place = f"{escape(one.name):<{_NAME_WIDTH}} RBA {one.rba:>{_RBA_WIDTH}}  {escape(str(one.path))}"
        yield f"{place}  {escape(one.note)}".rstrip()
    if not shown.marks:
        yield "No marks. MARK <name> sets one at the position."
