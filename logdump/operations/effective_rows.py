"""The transactions that a Replicat does not apply, and a session in which commands see no rows of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.scan import Workers
from trailformat.search.left_out import LeftOut, Ranges
from trailformat.search.whole_trail import WholeTrail


class _State(NamedTuple):
    """A file of a trail as it was: what is found in it holds as long as it is so."""

    path: Path
    size: int
    changed: int


class _Kept(NamedTuple):
    """What was found last, and the files in which it was found."""

    files: tuple[_State, ...]
    left_out: LeftOut


def left_out_around(session: Session, path: Path) -> LeftOut:
    """What a Replicat does not apply of the trail of a file, also behind damage, where one may be set to go on.

    It is kept by the session until one of the files changes.

    Raises:
        OSError: a file of the trail is gone.
    """
    whole = WholeTrail.around(path)
    files = tuple(map(_state, whole.paths))
    kept = session.kept(_Kept)
    if kept is None or kept.files != files or kept.left_out.is_broken:
        kept = _Kept(files, LeftOut(whole, past_damage=True))
        session.keep(kept)
    return kept.left_out


def _state(path: Path) -> _State:
    status = path.stat()
    return _State(path, status.st_size, status.st_mtime_ns)


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
