"""Rows of the walk over a file, from a place on."""

from __future__ import annotations

from typing import NamedTuple

from trailformat.scan.engines import Engine
from trailformat.scan.position import ScanPosition
from trailformat.scan.scanning import Scan
from trailformat.trail.file import TrailFile


class Row(NamedTuple):
    """A row of a file: its number, place and size; ``kind`` as in :mod:`trailformat.scan.batch`."""

    number: int
    rba: int
    length: int
    kind: int


def walk(trail: TrailFile, start: ScanPosition, first: int, last: int, stop: int) -> list[Row]:
    """The rows from number ``first``, at ``start``, to before ``last``, as far as they begin before ``stop``."""
    found: list[Row] = []
    scan = Scan(trail, start, stop, Engine.PYTHON, min(last - first, 1 << 12))
    for batch in scan:
        columns = zip(batch.rba, batch.length, batch.kind, strict=True)
        found += [Row(first + len(found) + row, *one) for row, one in enumerate(columns)]
        if len(found) >= last - first:
            break
    return found[: last - first]
