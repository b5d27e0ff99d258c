"""The transactions that a Replicat does not apply, and a context in which commands do not see their rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Workers
from trailformat.trail.packed import status_of
from trailformat.transactions.not_applied import NotApplied, Ranges
from trailformat.transactions.whole_trail import WholeTrail

with on_demand:
    from logdump import filters
    from logdump.filters import criterion


class _State(NamedTuple):
    """The state of a file: results for it are valid while the state is the same."""

    path: Path
    size: int
    changed: int


class _CachedResult(NamedTuple):
    """The last result, and the states of the files from which it was computed."""

    files: tuple[_State, ...]
    not_applied: NotApplied


def not_applied_around(session: Session, path: Path) -> NotApplied:
    """Return the transactions of a file's trail that a Replicat does not apply.

    Transactions after damage may count as applied, because a Replicat can be made to continue there. The session keeps
    the result until one of the files changes.

    Raises:
        OSError: a file of the trail does not exist any more.
    """
    whole = WholeTrail.around(path)
    files = tuple(map(_state, whole.paths))
    result = session.kept(_CachedResult)
    if result is None or result.files != files or result.not_applied.is_broken:
        result = _CachedResult(files, NotApplied(whole, past_damage=True))
        session.keep(result)
    return result.not_applied


class NotAppliedByFile:
    """Ranges of records that a Replicat does not apply; a trail is read when one of its files is first needed.

    All files of the trail are read, because copies and continued transactions may be in other files.

    Args:
        whole: the trail of the files; None: each file belongs to the trail around it.
        workers: threads that help.
    """

    def __init__(self, whole: WholeTrail | None = None, workers: Workers | None = None) -> None:
        self._whole, self._workers = whole, workers
        self._known: dict[Path, Ranges] = {}

    def of(self, path: Path) -> Ranges:
        """Return the ranges of one file."""
        if path not in self._known:
            whole = self._whole or WholeTrail.around(path)
            not_applied = NotApplied(whole, self._workers)
            self._known.update((trail_path, not_applied.of(trail_path)) for trail_path in (*whole.paths, path))
        return self._known[path]

    def forget(self) -> None:
        """Discard all results, so that trails are read again."""
        self._known.clear()


def _state(path: Path) -> _State:
    status = status_of(path)
    return _State(path, status.st_size, status.st_mtime_ns)


@contextlib.contextmanager
def only_effective(session: Session, workers: Workers | None = None) -> Iterator[None]:
    """Within the context, restrict the session's selections to the rows that a Replicat applies."""
    ranges = NotAppliedByFile(workers=workers)
    session.narrowing = lambda trail: filters.FilterSet(
        include=filters.CriterionSet([criterion.Effective(ranges.of(trail.path))])
    )
    try:
        yield
    finally:
        session.narrowing = None
