"""Whole trails read in batches of a few records."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trailformat import TrailFile
from trailformat.scan import Batch, Workers, scan


def in_batches(size: int) -> Callable[[TrailFile, Workers, int], Iterator[Batch]]:
    """Takes the place of ``scan_in_threads``: batches of so many records."""

    def batches(trail: TrailFile, _workers: Workers, start: int) -> Iterator[Batch]:
        return scan(trail, start, batch_size=size)

    return batches
