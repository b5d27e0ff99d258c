"""A session in which commands see no rows of transactions that a Replicat does not apply."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.scan import Workers
from trailformat.search.left_out import LeftOut, Ranges
from trailformat.search.whole_trail import WholeTrail


@contextlib.contextmanager
def only_effective(session: Session, paths: Sequence[Path], workers: Workers | None = None) -> Iterator[None]:
    """While it lasts, what the session selects of these files is what a Replicat applies of their trails.

    All files of a trail are looked at: what comes again, and what goes on, may stand in another one.
    """
    from logdump.filters import CriterionSet, FilterSet  # noqa: PLC0415 - a session without FILTER starts faster
    from logdump.filters.effective_criterion import Effective  # noqa: PLC0415 - likewise

    ranges: dict[Path, Ranges] = {}
    for path in paths:
        if path not in ranges:
            whole = WholeTrail.around(path)
            found = LeftOut(whole, workers)
            ranges |= {one: found.of(one) for one in (*whole.paths, path)}

    def narrowed(trail: TrailFile) -> FilterSet:
        return FilterSet(include=CriterionSet([Effective(ranges[trail.path])]))

    session.narrowing = narrowed
    try:
        yield
    finally:
        session.narrowing = None
