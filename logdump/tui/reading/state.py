"""The state of a session after a command, as panes show it; it is taken on the session's own thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.notation.times import LOCAL, TimeOffset
from logdump.parameters.in_use import ParametersInUse
from logdump.session.marks import Mark, SourceDefinitions
from logdump.session.session import Session
from logdump.session.settings import Across
from logdump.tui.reading.rows import ListRow
from logdump.tui.reading.trail_files import NeighbourFiles

if TYPE_CHECKING:
    from logdump.filters import FilterSet


class State(NamedTuple):
    """The open file (``opened`` counts the openings), position, filter, switches, definitions, marks, parameter files.

    ``filter_text`` and ``switches`` are texts that differ when what they stand for does; ``neighbours`` are those that
    the file had when it was opened.
    """

    path: Path | None = None
    opened: int = 0
    rba: int = 0
    number: int = 1
    filters: FilterSet | None = None
    filter_text: str = ""
    switches: str = ""
    source: SourceDefinitions | None = None
    marks: tuple[Mark, ...] = ()
    is_over: bool = False
    parameters: ParametersInUse | None = None
    across: Across = Across.OFF
    time_offset: TimeOffset = LOCAL
    neighbours: NeighbourFiles = NeighbourFiles()

    def has_other_rows(self, before: State) -> bool:
        """Whether the list of the open file has other rows than under an earlier filter."""
        is_other_source = self.filters is not None and self.source is not before.source
        return is_other_source or self.filter_text != before.filter_text


class Current(NamedTuple):
    """The subject of the pages: the row under the cursor in the open file, and the settings of its display.

    ``opened`` counts the openings of files, ``switches`` differ when the settings do.
    """

    row: ListRow | None = None
    opened: int = 0
    switches: str = ""
    source: SourceDefinitions | None = None
    parameters: ParametersInUse | None = None


def state_of(session: Session, opened: int) -> State:
    """The state now."""
    filters = session.filters_in_use
    return State(
        session.trail.path if session.has_trail else None,
        opened,
        session.cursor.current if session.has_trail else 0,
        session.number,
        filters.copy() if filters is not None and filters.active else None,
        _filter_text(filters),
        repr(session.settings),
        session.source_definitions,
        tuple(session.marks.values()),
        session.is_over,
        session.kept(ParametersInUse),
        session.settings.across,
        session.settings.time_offset,
    )


def _filter_text(filters: FilterSet | None) -> str:
    """The criteria in effect in one line, empty when everything passes."""
    if filters is None or not filters.active:
        return ""
    parts = []
    for sign, one in (("", filters.include), ("not ", filters.exclude)):
        values = [
            f"{entry.criterion.label} {_value(entry.criterion)}" for entry in filters.entries() if entry.owner is one
        ]
        if values:
            parts.append(sign + (" and " if one.match.value == "ALL" else " or ").join(values))
    return ", ".join(parts)


def _value(criterion: object) -> str:
    return " ".join(value for value, *_ in criterion.describe())  # type: ignore[attr-defined]
