"""The first record of a trail at or after a CSN or a time: which of its files, and where in it.

The file headers decide first: files that end before, or are followed by one that begins before, are not opened. In the
others the place is found by halving. Both need what a trail is: transactions in the order of their commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import NamedTuple

from logdump.session.trail_range import files_of_trail
from trailformat import Record, TrailFile
from trailformat.changes.csn import csn_key
from trailformat.changes.transactions import own_transaction
from trailformat.records import reached as reading
from trailformat.trail.peek import TrailPeek, peek
from trailformat.trail.sequence import Spot
from trailformat.trail.time_search import Reached, first_reached, time_reached


class Goal(NamedTuple):
    """The goal of a search: in words, as a test on a record, and on the first and last record of a file header."""

    text: str
    reached: Reached
    first_reached: Callable[[TrailPeek], bool | None]
    last_reached: Callable[[TrailPeek], bool | None]


def csn_goal(csn: str) -> Goal | None:
    """The first transaction with at least this CSN; None when it has none of the known forms."""
    wanted = csn_key(csn)
    if wanted is None:
        return None

    def at_least(csn: str | None) -> bool | None:
        key = csn_key(csn) if csn else None
        return key.parts >= wanted.parts if key is not None and key.kind == wanted.kind else None

    return Goal(
        f"CSN >= {csn}",
        lambda record: None if record.is_file_header else at_least(own_transaction(record).csn),
        lambda header: at_least(header.first_csn),
        lambda header: at_least(header.last_csn),
    )


def time_goal(moment: int, text: str) -> Goal:
    """The first row at or after a time (Julian microseconds)."""

    def at_or_after(time: int | None) -> bool | None:
        return None if time is None else time >= moment

    return Goal(
        f"a time at or after {text}",
        time_reached(moment),
        lambda header: at_or_after(header.first_time),
        lambda header: at_or_after(header.last_time),
    )


def find_in_sequence(
    trail: TrailFile, goal: Goal, note: Callable[[Spot], object] = lambda _spot: None
) -> Record | None:
    """The record in the trail to which the open file belongs; None when no record is so late.

    ``note`` is called with positions before which no file has a match.

    Raises:
        TrailError: a file cannot be read.
    """
    for path in _candidates(files_of_trail(trail.path), goal):
        reading.announce([path])
        with nullcontext(trail) if path == trail.path else TrailFile(path) as one:
            record = first_reached(one, goal.reached, lambda rba, path=path: note(Spot(path, rba)))  # type: ignore[misc]
        if record is not None:
            return record
    return None


def _candidates(paths: Sequence[Path], goal: Goal) -> Iterator[Path]:
    """The files in which the record may be; one that is no trail is none of them."""
    header_of = cache(peek)

    def begins_before(path: Path) -> bool | None:
        header = header_of(path)
        reached = goal.first_reached(header) if header is not None else None
        return None if reached is None else not reached

    first = _last_begun_before(paths, begins_before)
    for at, path in enumerate(paths[first:], first):
        header = header_of(path)
        if header is None:
            continue
        following = next((one for one in paths[at + 1 :] if header_of(one) is not None), None)
        ends_before = goal.last_reached(header) is False
        if not ends_before and not (following is not None and begins_before(following)):
            yield path


def _last_begun_before(paths: Sequence[Path], begins_before: Callable[[Path], bool | None]) -> int:
    """The last file that is known to begin before the goal, by halving; 0 where none is."""
    low, high = 0, len(paths)
    while low < high:
        middle = (low + high) // 2
        begun = next((at for at in range(middle, high) if begins_before(paths[at]) is not None), None)
        if begun is not None and begins_before(paths[begun]):
            low = begun + 1
        else:
            high = middle
    return max(low - 1, 0)
