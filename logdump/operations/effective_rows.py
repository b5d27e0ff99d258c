"""A session in which commands see no rows of transactions that a Replicat does not apply."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.scan import Workers
from trailformat.search.left_out import LeftOut, Ranges
from trailformat.search.whole_trail import WholeTrail


@contextlib.contextmanager
def only_effective(session: Session, workers: Workers | None = None) -> Iterator[None]:
    """While it lasts, what the session selects of a file is what a Replicat applies of its trail.

    All files of the trail are looked at: what comes again, and what goes on, may stand in another one.
    """
    from logdump.filters import CriterionSet, FilterSet  # noqa: PLC0415 - a session without FILTER starts faster
    from logdump.filters.effective_criterion import Effective  # noqa: PLC0415 - likewise

    ranges: dict[Path, Ranges] = {}

    def narrowed(trail: TrailFile) -> FilterSet:
        if trail.path not in ranges:
            whole = WholeTrail.around(trail.path)
            left_out = LeftOut(whole, workers)
            ranges.update((path, left_out.of(path)) for path in (*whole.paths, trail.path))
        return FilterSet(include=CriterionSet([Effective(ranges[trail.path])]))

    session.narrowing = narrowed
    try:
        yield
    finally:
        session.narrowing = None
