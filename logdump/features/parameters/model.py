"""The events of PARAMS, and their parts."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from logdump.parameters.model import ProcessSide, Rule


class ParametersShown(NamedTuple):
    """PARAMS: a parameter file in use; its statements are listed if ``shows_all``, otherwise counted by kind.

    A statement is given as its rule, its keyword, and whether DDL and COVERAGE use it.
    """

    side: ProcessSide
    group: str
    path: Path
    statements: tuple[tuple[Rule, str, bool], ...]
    notes: tuple[str, ...]
    summary: str
    shows_all: bool = False


class Taking(NamedTuple):
    """A MAP or TABLE statement that takes a table: its target, and its options that are named but not evaluated."""

    rule: Rule
    target: str | None
    options: tuple[str, ...]


class CoverageShown(NamedTuple):
    """PARAMS COVERAGE: how a parameter file treats a table of the trail.

    ``excluded`` is the exclusion without which a statement would take it; ``trail`` is the trail to which Extract
    writes it.
    """

    side: ProcessSide
    table: str
    records: int
    taken: tuple[Taking, ...]
    excluded: Rule | None
    trail: str | None = None
