"""Where a run begins: at the positions of its tables in the target, or at the first CSN of those that have none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from logdump.tables.defined_tables import PlacedLayout
from logdump.tables.errors import BadTrail, FileChanged
from logdump.tables.paths import TrailInput
from logdump.targets.applier import FirstCsn
from logdump.targets.positions import OtherTrail, check_position
from logdump.targets.request import ApplyRequest
from logdump.targets.statements import TableStatement, statements_between, stretches_between
from logdump.targets.target import AppliedPosition, BadTarget, SourceTable, place_of
from trailformat import TrailFile
from trailformat.records.record_header import DDL_OP, METADATA
from trailformat.scan import RECORD, scan
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import FIRST_PLACE, WholeTrail

_MOST_LOOKED_AT = 100
"""Records of a file that are asked for a CSN."""
END = place_of(10**9, 0)
"""A place after all places of a trail."""


class Beginning(NamedTuple):
    """Where a stream begins.

    Attributes:
        positions: the positions of the tables in the target; ``place`` is empty for one that is not of this trail.
        firsts: the first CSN of tables without a position, by name.
        options: options of the stream: the earliest place that a table needs, or a first CSN that all tables have.
    """

    positions: dict[str, AppliedPosition]
    firsts: Mapping[str, FirstCsn]
    options: Mapping[str, str | int]

    @classmethod
    def of(
        cls,
        request: ApplyRequest,
        stored: Mapping[str, AppliedPosition],
        files: Sequence[TrailInput],
        loaded: str | None = None,
    ) -> Self:
        """Return where the tables of a request begin.

        Args:
            request: the tables.
            stored: the positions of tables in the target.
            files: the files of the trail.
            loaded: the CSN of the load of tables without a position.

        Raises like check_position unless ``adopt`` is given.
        """
        positions, firsts = {}, {}
        for name in request.tables:
            position, csn = stored.get(name), request.from_csn
            first = FirstCsn(csn) if csn is not None else None
            if position is not None and (position.place or position.csn is not None):
                try:
                    check_position(name, position, files)
                    first = FirstCsn(str(position.csn), is_after=True) if not position.place else None
                except (OtherTrail, FileChanged):
                    if request.adopt is None:
                        raise
                    position, first = position._replace(place="", start="", witness=None), FirstCsn(request.adopt)
            elif loaded is not None:
                first = FirstCsn(loaded, is_after=True)
            if position is not None:
                positions[name] = position
            if first is not None:
                firsts[name] = first
        return cls(positions, firsts, _start(request.tables, positions, firsts))

    def tables(
        self,
        sources: Sequence[SourceTable],
        layouts: dict[str, list[PlacedLayout]],
        files: Sequence[TrailInput],
        handled: Collection[str],
    ) -> Iterator[SourceTable]:
        """Yield the tables as they are from their positions up to the next DDL statement, at which they change.

        Args:
            sources: the tables, with the columns of all definitions.
            layouts: the definitions of each in the trail.
            files: the files of the trail.
            handled: the places of statements that have been handled.
        """
        changed = [source.name for source in sources if len({placed.layout for placed in layouts[source.name]}) > 1]
        ends = dict.fromkeys(changed, "")
        for name in changed:
            layouts[name] = [*layouts_from(files, self.place_of(name), layouts[name])]
        first = self.start or place_of(0, 0)
        for statement in statements_between(files, first, END, changed) if changed else ():
            if self.is_met(statement, self.place_of(statement.table), handled):
                ends[statement.table] = ends[statement.table] or statement.place
        for source in sources:
            yield columns_until(source, layouts[source.name], ends.get(source.name, ""))

    def is_met(self, statement: TableStatement, place: str, handled: Collection[str]) -> bool:
        """Return whether a statement is still to be met by its table, which has all changes before ``place``."""
        is_after_first = self.is_after_first(statement.table, lambda: statement.csn)
        return statement.place >= place and statement.place not in handled and is_after_first

    def is_after_first(self, table: str, csn: Callable[[], str | None]) -> bool:
        """Return whether a record with a CSN is of those with which its table begins."""
        first = self.firsts.get(table)
        return first is None or (known := csn()) is None or first.includes(known)

    @property
    def first_csns(self) -> set[FirstCsn]:
        """The CSNs with which tables begin."""
        start = self.options.get("startCsn")
        return {*self.firsts.values()} or ({FirstCsn(str(start))} if start is not None else set())

    @property
    def start(self) -> str:
        """The place at which the stream begins; empty unless all tables have a position."""
        if "startSeqno" not in self.options:
            return ""
        return place_of(int(self.options["startSeqno"]), int(self.options["startRba"]))

    def place_of(self, table: str) -> str:
        """Return the place before which a table has all changes; empty if it has none."""
        position = self.positions.get(table)
        return position.place if position is not None else ""


def _start(
    tables: Collection[str], positions: Mapping[str, AppliedPosition], firsts: Mapping[str, FirstCsn]
) -> dict[str, str | int]:
    """Return the options for a stream that begins at the earliest place that a table needs."""
    starts = [positions[name].start if name in positions else "" for name in tables]
    if len(firsts) == len(tables) and len({*firsts.values()}) == 1:
        return {"startCsn": next(iter(firsts.values())).csn}
    if not all(starts):
        return {}
    seqno, rba, *_ = min(starts).split(".")
    return {"startSeqno": int(seqno), "startRba": int(rba)}


def layouts_from(files: Sequence[TrailInput], place: str, layouts: Sequence[PlacedLayout]) -> Iterator[PlacedLayout]:
    """Yield the definitions of a table that its rows from a place of the trail on have."""
    begins = [place_of(placed.seqno, placed.rba) for placed in layouts]
    ends = [*begins[1:], END]
    for placed, begin, end in zip(layouts, begins, ends, strict=True):
        is_after = begin >= place
        if is_after or (end > place and _has_rows_between(files, place, end, placed.layout.name)):
            yield placed


def _has_rows_between(files: Sequence[TrailInput], start: str, end: str, table: str) -> bool:
    """Return whether a trail has records of a table, other than statements, between two places."""
    for file, first, stop in stretches_between(files, start, end):
        with TrailFile(file.path) as trail:
            for batch in scan(trail, first, stop):
                tables = np.asarray(batch.table)
                keys = [key for key in np.unique(tables).tolist() if batch.names[key] == table]
                is_row = (np.asarray(batch.kind) == RECORD) & ~np.isin(np.asarray(batch.io_type), (DDL_OP, METADATA))
                is_row &= np.asarray(batch.rba) >= first + (first > 0 and start.endswith("9"))
                if (is_row & np.isin(tables, keys)).any():
                    return True
    return False


def columns_until(source: SourceTable, layouts: Sequence[PlacedLayout], end: str) -> SourceTable:
    """Return a table with the columns of its definitions before a place of the trail, empty for the end.

    Raises:
        BadTarget: they lack a column of the key, which a later definition has.
    """
    chosen = [placed.layout for placed in layouts if not end or place_of(placed.seqno, placed.rba) < end]
    names = {name.lower() for layout in chosen for name in layout.column_names}
    if not names:
        return source
    columns = {name: kind for name, kind in source.columns.items() if source.column(name).lower() in names}
    if later := [source.column(key) for key in source.keys if key not in columns]:
        raise BadTarget(
            f"nothing was written: {source.name} has the column {later[0]} of its key only after a later definition: "
            "keys names columns that it has all along; with evolve='add' each definition has its own key"
        )
    return source._replace(columns=columns, numbers=source.numbers & columns.keys())


def check_csns(files: Sequence[TrailInput], firsts: Collection[FirstCsn]) -> None:
    """Check that the CSNs with which tables begin can be compared with those of a trail, by one at its beginning.

    Raises:
        BadTrail: they cannot, and all changes would be left out.
    """
    csn = next(filter(None, map(_csn_in, files)), None) if firsts else None
    for first in firsts if csn is not None else ():
        first.includes(csn or "")


def _csn_in(file: TrailInput) -> str | None:
    """Return a CSN of the first records of a file; None if they have none."""
    with TrailFile(file.path) as trail:
        batch = next((batch for batch in scan(trail) if len(batch.rba)), None)
        rbas = np.asarray(batch.rba)[:_MOST_LOOKED_AT].tolist() if batch is not None else ()
        records = (trail.record_at(rba) for rba in rbas)
        return next((record.csn for record in records if record is not None and record.csn is not None), None)


def check_beginning(request: ApplyRequest) -> None:
    """Check that the first transaction of a trail does not begin in a missing file.

    Raises:
        BadTrail: it does.
    """
    whole = WholeTrail.around(Path(request.files()[0].path))
    first = next((batch for batch in transaction_batches(whole, FIRST_PLACE) if batch.rows), None)
    if first is not None and not first.columns.has_begin[0]:
        where = f"{whole.paths[first.first(0).ordinal]}, RBA {first.first(0).rba}"
        about = "the trail begins inside a transaction, and what is before it is not there"
        raise BadTrail(f"nothing was written: {where}: {about}; from_csn names the first CSN to apply")
