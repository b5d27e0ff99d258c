"""The records of a file as columns, with those that pass its filter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trailformat import TrailFile
from trailformat.scan import Batch, Engine, Workers, parallel_batches, scan
from trailformat.scan.parallel import is_for_threads

if TYPE_CHECKING:
    from logdump.session.selection import Selection
    from logdump.session.session import Session


def passing_batches(
    session: Session,
    selection: Selection,
    trail: TrailFile,
    workers: Workers,
    start: int = 0,
    *,
    by_definition: bool = False,
) -> Iterator[tuple[Batch, Any]]:
    """The batches of a file by kernels, each with a mask of the rows that pass.

    Several threads scan it where columns decide of most records, and decide themselves where they can. The mask is
    None where the selection drops nothing or is still to decide: it has to be given the batch before the next.
    ``by_definition``: see Names.
    """
    size = selection.batch_size
    if selection.reads_records or not is_for_threads(trail, workers, start):
        batches = scan(trail, start, engine=Engine.NUMBA, batch_size=size, by_definition=by_definition)
        return ((batch, None) for batch in batches)

    def passing(batch: Batch, own: TrailFile) -> Any:
        takes = selection.is_active and selection.takes_any_batch
        return session.selection(own).rows(batch) if takes else None

    return parallel_batches(trail, workers, passing, size, start, by_definition=by_definition)
