"""The earliest and the latest IO Time of the records of a trail, which need not be in their order."""

from __future__ import annotations

import numpy as np

from trailformat.scan import RECORD, Batch


class TimeSpan:
    """The span of the batches so far.

    Attributes:
        first, last: its ends (Julian microseconds); None without a record that has a time.
    """

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None

    def take(self, batch: Batch) -> None:
        """Add a batch."""
        times = np.asarray(batch.io_time)
        times = times[(np.asarray(batch.kind) == RECORD) & (times != 0)]
        if len(times):
            first, last = int(times.min()), int(times.max())
            self.first = first if self.first is None else min(self.first, first)
            self.last = last if self.last is None else max(self.last, last)
