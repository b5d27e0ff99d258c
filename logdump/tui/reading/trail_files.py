"""The files of the open trail, in the order in which they were written, with what is missing between them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from trailformat.errors import CannotRead
from trailformat.trail.packed import status_of
from trailformat.trail.peek import peek
from trailformat.trail.sequence import names_around
from trailformat.transactions.whole_trail import WholeTrail


class ListedFile(NamedTuple):
    """A file with its bytes and the first record of its header (CSN, Julian time); None where they are not known.

    Where ``last_missing`` is set, the files from ``path`` to that one are missing.
    """

    path: Path
    size: int | None = None
    first_csn: str | None = None
    first_time: int | None = None
    last_missing: Path | None = None


def trail_files(path: Path, known: tuple[ListedFile, ...] = (), *, with_headers: bool = True) -> tuple[ListedFile, ...]:
    """The files of the trail of ``path``, which may be the only one; headers that are ``known`` are not read again."""
    headers = {one.path: one for one in known if one.first_csn is not None or one.first_time is not None}
    paths = [name.path for name in names_around(path)] or [path]
    gaps = {gap.behind: gap for gap in WholeTrail(paths).gaps}
    found = []
    for one in paths:
        if (gap := gaps.get(one)) is not None:
            found.append(ListedFile(gap.first, last_missing=gap.last))
        found.append(_listed(one, headers.get(one), with_headers=with_headers))
    return tuple(found)


def _listed(path: Path, known: ListedFile | None, *, with_headers: bool) -> ListedFile:
    listed = ListedFile(path)
    with suppress(OSError):
        listed = listed._replace(size=status_of(path).st_size)
    if known is not None and (listed.size or 0) >= (known.size or 0):
        return known._replace(size=listed.size)
    header = None
    with suppress(CannotRead):
        header = peek(path) if with_headers else None
    return listed._replace(first_csn=header.first_csn, first_time=header.first_time) if header is not None else listed
