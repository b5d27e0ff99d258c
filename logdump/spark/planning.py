"""Which bytes of which files a query reads, and in how many tasks: files found, left out, packed, split."""

from __future__ import annotations

from typing import NamedTuple

from logdump.spark.options import Options
from trailformat.scan import Place


class Slice(NamedTuple):
    """A stretch of one file that one task reads: from ``start``, where a record begins, to before the RBA ``stop``.

    ``size`` is that of the file when it was planned; ``ends_trail`` tells that no later file of its trail is read, so
    that a last record which is not complete is one being written.
    """

    path: str
    seqno: int | None
    start: Place
    stop: int
    size: int
    ends_trail: bool = True


def plan(options: Options) -> list[tuple[Slice, ...]]:
    """The slices of each task, in the order of the trails.

    Raises:
        SourceError: no file, or one that is no trail.
    """
    raise NotImplementedError
