"""One of two trails that are compared, as the driver plans it and every task knows it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from logdump.features.diff.rows import RowOptions
from logdump.features.diff.side import CsnBounds, Side
from logdump.spark.comparison.stretches import TrailStretch
from logdump.spark.errors import BadOption, BadTrail, FileChanged, NoTrailFiles, located
from logdump.spark.source.options import Options, Use, parse_options
from logdump.spark.source.planner import plan
from logdump.spark.source.source_definitions import definitions_of, with_absolute_definitions
from trailformat import CannotRead, NotATrail, TrailError
from trailformat.codec.remote.path import place
from trailformat.trail.packed import unpacked_size
from trailformat.transactions.batches import TransactionRecords
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


class Compared(NamedTuple):
    """What is compared of both trails; the same for all tasks.

    Attributes:
        rows: what of their rows.
        bounds: their transactions.
        is_any_order: whether the order of the rows in a transaction does not matter.
    """

    rows: RowOptions
    bounds: CsnBounds
    is_any_order: bool


class ComparedTrail(NamedTuple):
    """One of the two.

    Attributes:
        letter: ``a`` or ``b``.
        paths: its files, in order.
        bases: where each of them begins, were all of them laid one behind the other.
        starts: where its stretches start.
        options: of the reads.
    """

    letter: str
    paths: tuple[Path, ...]
    bases: tuple[int, ...]
    starts: tuple[TrailPosition, ...]
    options: Options

    @property
    def stretches(self) -> list[TrailStretch]:
        """Its stretches."""
        return [*map(TrailStretch, self.starts, (*self.starts[1:], None))]

    def offset(self, place: TrailPosition) -> int:
        """A place as one number, which grows along the trail."""
        return self.bases[place.ordinal] + place.rba

    def place(self, offset: int) -> TrailPosition:
        """The place of which this is the number."""
        ordinal = bisect_right(self.bases, offset) - 1
        return TrailPosition(ordinal, offset - self.bases[ordinal])

    @contextmanager
    def side(self, compared: Compared) -> Iterator[Side]:
        """The trail as a comparison reads it."""
        whole = WholeTrail(self.paths)
        with TransactionRecords(whole, lambda trail: definitions_of(trail, self.options)) as records:
            yield Side(self.letter, str(self.paths[0]), whole, records, compared.rows, compared.bounds)


@contextmanager
def as_changed(trail: ComparedTrail) -> Iterator[None]:
    """Errors of a file, or of that of the other trail, as those of the data source.

    Raises:
        FileChanged: it has gone, or become shorter.
    """
    try:
        yield
    except (TrailError, CannotRead) as error:
        raise FileChanged(located(error, trail.paths[0])) from None


def compared_trail(letter: str, given: Mapping[str, str]) -> ComparedTrail:
    """The trail that options name.

    Raises:
        BadOption: an option is refused, or they name files of several trails.
        NoTrailFiles: nothing is found.
        BadTrail: none of its files is a trail.
    """
    options = with_absolute_definitions(parse_options(given, Use.DIFF))
    lots = plan(replace(options, mode="PERMISSIVE"))
    paths = dict.fromkeys(place(part.path) for lot in lots for part in lot)
    if not paths:
        raise NoTrailFiles(f"the trail {letter} has no record yet")
    try:
        whole = WholeTrail(paths)
    except NotATrail as error:
        raise BadOption(f"{located(error, next(iter(paths)))}; diff compares one trail with another") from None
    _check_readable(whole)
    sizes = [unpacked_size(path) + 1 for path in whole.paths]
    ordinals = whole.ordinals
    starts = [
        TrailPosition(ordinals[place(lot[0].path)], lot[0].start) for lot in lots if place(lot[0].path) in ordinals
    ]
    return ComparedTrail(letter, whole.paths, (0, *accumulate(sizes[:-1])), tuple(starts), options)


def _check_readable(whole: WholeTrail) -> None:
    for ordinal in range(len(whole)):
        trail = whole.open(ordinal)
        if trail is not None:
            trail.close()
            return
    path, error = next(iter(whole.unreadable.items()))
    raise BadTrail(located(error, path))
