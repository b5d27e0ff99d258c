"""Things that a session keeps beside the open trail: marked places, the last search, the definitions of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.filters import FilterSet
    from trailformat.definitions.file import DefinitionsFile


class SourceDefinitions(NamedTuple):
    """A definitions file for rows: its path, its contents, and whether it takes precedence over the trail."""

    path: Path
    file: DefinitionsFile
    override: bool = False


class Mark(NamedTuple):
    """A place in a trail that has a name, and a note about it."""

    name: str
    path: Path
    rba: int
    note: str = ""


class MarksShown(NamedTuple):
    """MARK: the marks, by file and RBA."""

    marks: tuple[Mark, ...]


class Search(NamedTuple):
    """One search of FIND: its text as typed, and the filter that matching records pass."""

    text: str
    filters: FilterSet
