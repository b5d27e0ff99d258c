"""Events as the lines that Logdump prints.

A module that renders events has a table ``LINES`` or ``HARMLESS``. For events of a feature it is the module ``text`` of
their package.
"""

from __future__ import annotations

import enum
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from logdump.notation.text import Harmless, escape, escape_lines
from logdump.session.events import Event, Failure, Notice, Text
from logdump.session.settings import Settings
from trailformat.codec.on_demand import on_demand

with on_demand:
    from trailformat.trail import sequence

if TYPE_CHECKING:
    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.redo_clock import RedoPlace
    from trailformat.transactions.whole_trail import FileGap


class Severity(enum.Enum):
    """The severity of a finding: damage, something to look at, or something to know."""

    DAMAGE = "damage"
    WARNING = "warning"
    NOTE = "note"


class PlacedLine(str):
    """A line about a place in a trail; the full-screen view leads there, and colours the line by its severity.

    Attributes:
        position: the position of the record; None if the line is about none.
        severity: the severity of what the line says.
        is_advice: True for a command to be pasted, which the view begins with.
    """

    __slots__ = ("is_advice", "position", "severity")
    position: FilePosition | None
    severity: Severity
    is_advice: bool

    def __new__(
        cls, text: str, position: FilePosition | None, severity: Severity = Severity.NOTE, *, is_advice: bool = False
    ) -> Self:
        """Return a line with its place."""
        self = super().__new__(cls, text)
        self.position, self.severity, self.is_advice = position, severity, is_advice
        return self


def restart_text(position: FilePosition) -> str:
    """Return the GGSCI command that sets a Replicat to a position; it is printed, never run."""
    name = sequence.TrailName.parse(position.path)
    return f"ALTER REPLICAT <group>, EXTSEQNO {name.seqno if name else '<n>'}, EXTRBA {position.rba}"


def redo_text(place: RedoPlace) -> str:
    """Return a position in the redo logs of an Oracle source: the sequence number of the log, and the byte in it."""
    return f"log sequence {place.log}, position {place.position}"


def partition_text(partition: int, *, is_hex: bool) -> str:
    """Return ``Partition x0c``, or ``Partition 12`` as in older releases."""
    return f"Partition x{partition:02x}" if is_hex else f"Partition {partition}"


def gap_words(gap: FileGap) -> str:
    """Return what the files of a gap are: missing, or not asked for."""
    return "not asked for" if gap.is_left_out else "missing"


def missing_lines(gaps: tuple[FileGap, ...]) -> Iterator[str]:
    """Yield a line for each gap of missing files; its place is the start of the file after the gap."""
    for gap in gaps:
        what, severity = gap_words(gap).capitalize(), Severity.NOTE if gap.is_left_out else Severity.DAMAGE
        last = f" to {escape(gap.last.name)}" if gap.last != gap.first else ""
        text = f"{what}: {escape(str(gap.first))}{last}. Transactions that continue across the gap are not whole."
        yield PlacedLine(text, sequence.FilePosition(gap.file_after, 0), severity)


PARTIAL = "Not everything was read: the findings are partial, and there is no verdict."
"""Text before the findings on a page of the full-screen view."""


def as_read(*, is_partial: bool) -> str:
    """Return the text after a title, empty if all was read."""
    return ", as far as it was read" if is_partial else ""


Renderers = Mapping[type, Callable[[Any, Any], Iterable[str]]]
"""Functions from an event and the settings to its lines, by class of event."""
HarmlessRenderers = Mapping[type, Callable[[Any, Any], list[Harmless]]]
"""The same for functions that escape the lines themselves: a module's ``HARMLESS``."""

_OF_THE_SESSION = ("record_text", "session_text")
"""Modules of this package that render session events; each is loaded only if those before it lack the class."""
_IN_WORDS = frozenset({Text, Notice, Failure})


def render(event: Event, settings: Settings) -> list[Harmless]:
    """Return the lines of ``event``."""
    kind: type = type(event)
    return _renderer(kind)(event, settings)


@cache
def _renderer(kind: type) -> Callable[[Any, Settings], list[Harmless]]:
    """Return the function that renders events of a class.

    Raises:
        LookupError: no module renders it.
    """
    if kind in _IN_WORDS:
        return lambda event, _: escape_lines(event.lines)
    package = kind.__module__.rpartition(".")[0]
    names = (
        [f"logdump.display.{name}" for name in _OF_THE_SESSION] if package == "logdump.session" else [f"{package}.text"]
    )
    for module in map(importlib.import_module, names):
        harmless: HarmlessRenderers = getattr(module, "HARMLESS", {})
        if kind in harmless:
            return harmless[kind]
        lines: Renderers = getattr(module, "LINES", {})
        if kind in lines:
            return _escaping(lines[kind])
    raise LookupError(f"{names[-1]} does not render {kind.__name__}")


def _escaping(lines: Callable[[Any, Any], Iterable[str]]) -> Callable[[Any, Settings], list[Harmless]]:
    return lambda event, settings: _escaped(list(lines(event, settings)))


def _escaped(lines: list[str]) -> list[Harmless]:
    """Escape lines, which keep their places."""
    shown = escape_lines(lines)
    for index in (index for index, line in enumerate(lines) if isinstance(line, PlacedLine)):
        line = cast("PlacedLine", lines[index])
        shown[index] = cast(
            "Harmless", PlacedLine(shown[index], line.position, line.severity, is_advice=line.is_advice)
        )
    return shown
