"""LOB: a line for each LOB of a row, and what is missing of it."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers
from logdump.notation.escape import escape
from logdump.session.events import LobsShown
from logdump.session.settings import Settings
from trailformat.changes.lobs import Lob


def lob_lines(shown: LobsShown, _settings: Settings) -> Iterator[str]:
    """The LOBs, by their first pieces."""
    for lob, name in shown.lobs:
        yield f"LOB {lob.ordinal}: {_column(lob, name)}, {lob.pieces} pieces from RBA {lob.first.rba}, {_size(lob)}"
        yield from (f"  {line}" for line in trouble_lines(lob))
    if not shown.lobs:
        yield f"The row at RBA {shown.rba} is not followed by LOB pieces."


def _column(lob: Lob, name: str | None) -> str:
    if lob.column is None:
        return "column not known (the layout of its pieces is not)"
    image = ", before image" if lob.is_before else ""
    return f"column {lob.column}{f' {escape(name)}' if name else ''}{image}"


def _size(lob: Lob) -> str:
    total = "" if lob.total in (None, lob.size) else f" of {lob.total}"
    return f"{lob.size}{total} bytes, {'whole' if lob.is_whole else 'not whole'}"


def trouble_lines(lob: Lob) -> Iterator[str]:
    """The missing bytes, and the other problems."""
    for gap in lob.missing:
        yield f"missing: {gap.length} bytes from byte {gap.offset} on"
    for problem in lob.problems:
        yield escape(problem)


LINES: Renderers = {
    LobsShown: lob_lines,
}
