"""What a session keeps beside the open trail: marked places, and the definitions that rows are read by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.definitions.file import DefinitionsFile


class SourceDefinitions(NamedTuple):
    """A definitions file that rows are read by: where it lies, what it says, whether it goes before the trail."""

    path: Path
    file: DefinitionsFile
    override: bool = False


class Mark(NamedTuple):
    """A place in a trail that has a name, and what somebody notes about it."""

    name: str
    path: Path
    rba: int
    note: str = ""
