"""A slice of a file, as the driver plans it and a task reads it, and the bounds that options set.

Bounds on CSN and time are a filter, bounds on the position a range of RBAs in each file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from logdump.arrow.records.errors import place
from logdump.language.words import split_commands
from logdump.notation.times import GMT
from logdump.session.selection import WHY_UNDECIDED, Selection
from logdump.tables.errors import BadOption, BadTrail, report
from logdump.tables.named_files import definitions_of
from logdump.tables.options import Options
from logdump.tables.paths import TrailInput
from trailformat import TrailFile, from_datetime
from trailformat.codec.on_demand import on_demand
from trailformat.trail.row_definitions import RowDefinitions

with on_demand:
    from logdump import filters as filter_room
    from logdump.filters import csn_criteria, name_criteria, time_criteria

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.filters import FilterSet
    from logdump.filters.criterion import Criterion
    from trailformat.scan import Batch
    from trailformat.trail.table_definitions import DefinitionsState
    from trailformat.transactions.not_applied import Ranges
    from trailformat.transactions.tracker import RowTransactions, TrackerState


END_OF_FILE = 1 << 62


class RbaRange(NamedTuple):
    """RBAs of the records to read, both ends inclusive."""

    first: int = 0
    last: int = END_OF_FILE


class StateBefore(NamedTuple):
    """State at the start of a slice; a part is None if the columns of the read do not need it.

    Attributes:
        definitions: the definitions in force there.
        transaction: the transaction open there.
    """

    definitions: DefinitionsState | None
    transaction: TrackerState | None


class Slice(NamedTuple):
    """Part of a file that one task reads: the records that begin at RBA ``start`` or later, and before RBA ``stop``.

    Attributes:
        size: size of the file when the slice was planned; the last slice of a file stops there.
        only: RBAs of the wanted records.
        ends_trail: whether there is no later file, so that an incomplete last record is being written.
        not_applied: ranges of rows that a Replicat does not apply; None if not needed.
        file_order: number of the file among those of the read, in the order of writing; None in a stream.
        before: state at the start; None if the task must find it.
    """

    path: str
    seqno: int | None
    start: int
    stop: int
    size: int
    only: RbaRange = RbaRange()
    ends_trail: bool = True
    file_order: int | None = None
    not_applied: Ranges | None = None
    before: StateBefore | None = None

    @property
    def is_read_to_its_end(self) -> bool:
        """True if the slice is the whole file, and its last records are wanted."""
        return self.start == 0 and self.only.last >= self.stop == self.size


def filters_of(options: Options) -> list[FilterSet]:
    """Return the filters that a record must pass: ``where``, and the bounds on table, CSN and time.

    Raises:
        BadOption: a filter or bound is wrong.
    """
    given = (options.table, options.start_csn, options.end_csn, options.start_timestamp, options.end_timestamp)
    if not options.where and all(bound is None for bound in given):
        return []
    from logdump.filters import CriterionSet, FilterSet, Match  # noqa: PLC0415 - it would delay answers in SQL

    criteria = [*_table(options), *_csn_bounds(options), *_time_bounds(options)]
    bounds = [FilterSet(include=CriterionSet(criteria, Match.ALL))] if criteria else []
    return [*([where_filter(options.where)] if options.where else []), *bounds]


class Undecided(NamedTuple):
    """RBAs of the first and the last record of which it is not known whether they pass, and the reason."""

    first: int
    last: int
    reason: str


def selection_of(
    trail: TrailFile,
    options: Options,
    definitions: RowDefinitions | None = None,
    filters: Sequence[FilterSet] | None = None,
    owners: Callable[[Batch], RowTransactions] | None = None,
    only: RbaRange | None = None,
    undecided: Callable[[Undecided], None] = lambda _stretch: None,
) -> Selection:
    """Return the selection of a trail's records by these options, or by ``filters`` if given.

    A caller that already has the definitions of the options for this trail, or a function that returns the
    transactions of a batch, passes them as ``definitions`` and ``owners``. A record of which the options cannot tell
    whether it passes counts as damage: its selection raises BadTrail under FAILFAST. ``only``: the RBAs that are
    read. ``undecided`` gets the stretches with such records. Raises like filters_of.
    """
    chosen = filters_of(options) if filters is None else filters
    known = definitions or definitions_of(trail, options)

    def note(path: Path, first: int, last: int) -> None:
        if filters is None and (only is None or (last >= only.first and first <= only.last)):
            text = f"{place(path, first)}: whether the change matches is not known, as {WHY_UNDECIDED}"
            if options.mode == "FAILFAST":
                raise BadTrail(f"{text}; a read in mode DROPMALFORMED leaves it out")
            report(f"{text}; it is left out{', as some after it' if last > first else ''}")
            undecided(Undecided(first, last, text))

    return Selection(trail, chosen, lambda: known, owners=owners, note_undecided=note)


def where_filter(text: str) -> FilterSet:
    """Return the filter of some FILTER statements, each with or without the word FILTER; times in them are GMT."""
    from logdump.filters import FilterSet, apply  # noqa: PLC0415 - as above

    filters = FilterSet()
    for statement in split_commands(text):
        word, _, rest = statement.partition(" ")
        try:
            if apply(filters, rest if word.upper() == "FILTER" else statement, GMT):
                raise BadOption("option where takes criteria, not SHOW")
        except filter_room.FilterError as error:
            raise BadOption(f"option where: {error}") from None
    return filters


def _table(options: Options) -> list[Criterion]:
    return [name_criteria.TableName((options.table,))] if options.table is not None else []


def _csn_bounds(options: Options) -> list[Criterion]:
    bounds = (
        (filter_room.Comparison.GREATER_OR_EQUAL, "startCsn", options.start_csn),
        (filter_room.Comparison.LESS_OR_EQUAL, "endCsn", options.end_csn),
    )
    return [csn_criteria.Csn(comparison, _csn(name, text)) for comparison, name, text in bounds if text is not None]


def _csn(name: str, text: str) -> str:
    try:
        return csn_criteria.check_csn(text.strip())
    except filter_room.FilterError as error:
        raise BadOption(f"option {name}: {error}") from None


def _time_bounds(options: Options) -> list[Criterion]:
    bounds: tuple[tuple[type[time_criteria.StartTime | time_criteria.EndTime], datetime | None], ...] = (
        (time_criteria.StartTime, options.start_timestamp),
        (time_criteria.EndTime, options.end_timestamp),
    )
    return [make(from_datetime(moment)) for make, moment in bounds if moment is not None]


def rba_range(options: Options, file: TrailInput) -> RbaRange | None:
    """Return the RBAs of a file between the bounds on seqno and RBA; None if there are none.

    Raises:
        BadOption: there is a bound on the RBA without one on the seqno.
    """
    start, end = options.start_seqno, options.end_seqno
    if (options.start_rba is not None and start is None) or (options.end_rba is not None and end is None):
        raise BadOption("startRba needs startSeqno, and endRba needs endSeqno: an RBA is a place in one file")
    if start is None and end is None:
        return RbaRange()
    if file.seqno is None:
        return None
    age = file.age_of(file.seqno)
    if (start is not None and age < file.age_of(start)) or (end is not None and age > file.age_of(end)):
        return None
    first = options.start_rba if file.seqno == start else None
    last = options.end_rba if file.seqno == end else None
    return RbaRange(first or 0, END_OF_FILE if last is None else last)
