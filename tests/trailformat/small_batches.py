"""Whole trails read in batches of a few records."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trailformat import TrailFile
from trailformat.scan import Batch, Engine, Workers, scan


def in_batches(size: int) -> Callable[[TrailFile, Workers, int, Engine], Iterator[Batch]]:
    """Takes the place of ``scan_in_threads``: batches of so many records."""

    def batches(trail: TrailFile, _workers: Workers, start: int, engine: Engine) -> Iterator[Batch]:
        return scan(trail, start, engine=engine, batch_size=size)

    return batches
