"""Counting of chosen records: the counting kernel goes once more over records that are rows of batches already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from trailformat.scan.batch import FILE_HEADER, Batch
from trailformat.scan.counting import Breakdown, CountBounds, CountFiller, KernelTotals
from trailformat.scan.names import Names
from trailformat.scan.position import ScanPosition
from trailformat.scan.scanning import Scanning
from trailformat.trail.file import TrailFile


class MaskedCount:
    """The sums over rows of batches that follow one another, as :func:`parallel_counts` gives those over all records.

    Args:
        trail: the file.
        position: of the scan that gives the first batch.
        taken, breakdown: see CountFiller.
    """

    def __init__(self, trail: TrailFile, position: ScanPosition, taken: CountBounds, breakdown: Breakdown) -> None:
        self._taken, self._breakdown = taken, breakdown
        self._scanning: Scanning[KernelTotals] = Scanning(trail, position, position.rba, self._make_filler)

    def _make_filler(self, names: Names) -> CountFiller:
        self._filler = CountFiller(names, self._taken, self._breakdown)
        return self._filler

    def of(self, batch: Batch, mask: Any) -> Iterator[KernelTotals]:
        """The sums over those rows of the next batch that a mask lets pass; they have no ``spans``."""
        passing = np.asarray(mask, np.uint8)[np.asarray(batch.kind) <= FILE_HEADER]
        scanning, first = self._scanning, int(batch.rba[0])
        if scanning.position.rba != first:
            # it stands behind damage, or what was half a record then may be a whole one now
            scanning.position = scanning.position._replace(rba=first)
        self._filler.pass_only(passing.tobytes())
        scanning.stop = batch.end
        yield from scanning
