"""Going over a file for its index alone."""

from __future__ import annotations

from collections.abc import Iterator

from trailformat.index.trail_index import TrailIndex
from trailformat.scan.engines import Engine, choose_engine
from trailformat.scan.scanning import Scan
from trailformat.trail_file import TrailFile

_ROWS = {Engine.PYTHON: 1 << 12, Engine.NUMBA: 1 << 16}
"""Rows to a batch: some hundredths of a second, so that a reader can be told and stopped."""


def build(
    trail: TrailFile, index: TrailIndex, *, stop: int | None = None, engine: Engine | None = None
) -> Iterator[int]:
    """Extend the index to the end of the file, or to the first row at or after ``stop``.

    It yields ``covered`` as it grows. An index that does not fit the file any more is begun again.

    Raises:
        NotATrail: while iterating, when the file is closed or cannot be read any more.
    """
    if not index.fits(trail):
        index.clear()
    place = index.place(trail)
    engine = engine or choose_engine((trail.size if stop is None else stop) - place.rba)
    for batch in Scan(trail, place, stop, engine, _ROWS[engine]):
        index.extend(batch)
        yield index.covered
        if index.partial:
            return
