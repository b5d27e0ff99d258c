"""The events of PARAMS, and their parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

from logdump.parameters.model import ProcessSide, Rule


class ParametersShown(NamedTuple):
    """PARAMS: a parameter file in use; its statements are listed if ``shows_all``, otherwise counted by kind.

    A statement is given as its rule, its keyword, and whether DDL and COVERAGE use it.
    """

    side: Annotated[ProcessSide, "`extract`, `replicat` or `globals`"]
    group: Annotated[str, "The group it names; may be empty"]
    path: Annotated[Path, "Path of the file", "file"]
    statements: tuple[tuple[Rule, str, bool], ...]
    notes: Annotated[tuple[str, ...], "Statements that are not evaluated, and why"]
    summary: str
    shows_all: bool = False


class Taking(NamedTuple):
    """A MAP or TABLE statement that takes a table: its target, and its options that are named but not evaluated."""

    rule: Annotated[Rule, "The statement"]
    target: Annotated[str | None, "The table after TARGET"]
    options: Annotated[tuple[str, ...], "Its options, COLMAP, FILTER, WHERE and others, which are not evaluated"]


class CoverageShown(NamedTuple):
    """PARAMS COVERAGE: how a parameter file treats a table of the trail.

    ``excluded`` is the exclusion without which a statement would take it; ``trail`` is the trail to which Extract
    writes it.
    """

    side: Annotated[ProcessSide, "`extract` or `replicat`"]
    table: Annotated[str, "Name of the table"]
    records: Annotated[int, "Its records, definitions left out"]
    statements: Annotated[
        tuple[Taking, ...], "The statements that take it; empty where none does", "statements", "taken"
    ]
    excluded: Annotated[Rule | None, "The statement that takes it out of one of those"]
    trail: Annotated[str | None, "The trail of Extract's file that this is about"] = None
