"""Records of a batch in runs: what a walk over transactions takes in one step.

A run is rows of one transaction, neighbours but for records that belong to none; or a restart record, or a span of
damage. Whatever begins or ends a transaction begins or ends a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from trailformat.changes.transactions import BEGINS, ENDS, Transaction
from trailformat.records.io_types import NOT_TRANSACTIONAL, RECORD_FRAGMENT, RESTARTS
from trailformat.scan import BAD_SPAN, PARTIAL, RECORD, Batch

if TYPE_CHECKING:
    import numpy as np

    from trailformat.trail.file import TrailFile

    Array = np.ndarray[Any, Any]

_COLUMNS = ("rba", "length", "kind", "io_type", "trans_ind", "table", "io_time", "audit_rba", "audit_pos")


class Moment(NamedTuple):
    """The moment in the header of a record: IO Time (Julian microseconds), AuditRBA, AuditPos."""

    time: int = 0
    audit_rba: int = 0
    audit_pos: int = 0


class TableRecords(NamedTuple):
    """Records of one table and IOType: the key of its name, and the RBA of a record that has it."""

    table: int
    io_type: int
    records: int
    rba: int


class RowRun(NamedTuple):
    """A run of records.

    Attributes:
        rba: of the first; ``last`` that of the last, ``after`` behind it.
        kind: RECORD, BAD_SPAN or PARTIAL.
        io_type: of the first.
        begins: whether the first begins a transaction; ``ends`` whether the last ends one.
        records, size: how many there are, and their bytes.
        first_moment, last_moment: of the first and the last.
        has_one_time: whether all have one IO Time; ``latest`` is the latest of them.
        tables: how many there are of each table and IOType, as they come first.
        transaction: LOGCSN and TRANID of the first; None where they were not looked for.
    """

    rba: int
    last: int
    after: int
    kind: int
    io_type: int
    begins: bool
    ends: bool
    records: int
    size: int
    first_moment: Moment
    last_moment: Moment
    has_one_time: bool
    latest: int
    tables: Sequence[TableRecords]
    transaction: Transaction | None = None


def runs(trail: TrailFile, batch: Batch, cut: int | None = None) -> Iterator[RowRun]:
    """The runs of a batch, each before the RBA ``cut`` or from there on; records that do nothing are left out.

    Where it has columns of numpy, the trail learns the definitions in it.
    """
    if not hasattr(batch.rba, "dtype"):
        return _by_row(batch)
    from trailformat.scan.rows import learn_definitions  # noqa: PLC0415 - it needs numpy

    learn_definitions(trail, batch)
    return _by_columns(trail, batch, cut)


def _by_row(batch: Batch) -> Iterator[RowRun]:
    """Runs of one record each."""
    rows = zip(*(getattr(batch, name).tolist() for name in _COLUMNS), strict=True)
    for rba, length, kind, io_type, trans_ind, table, *moment in rows:
        is_span = kind in (BAD_SPAN, PARTIAL)
        if is_span or (kind == RECORD and (io_type in RESTARTS or io_type not in NOT_TRANSACTIONAL)):
            when, after = Moment(*moment), rba + length
            begins, ends = trans_ind in BEGINS, trans_ind in ENDS
            tables = (TableRecords(table, io_type, 1, rba),)
            is_one, latest = True, when.time
            yield RowRun(*(rba, rba, after, kind, io_type, begins, ends, 1, length, when, when, is_one, latest, tables))


def _by_columns(trail: TrailFile, batch: Batch, cut: int | None) -> Iterator[RowRun]:
    """Runs as long as they can be."""
    import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

    kind, io_type = np.asarray(batch.kind), np.asarray(batch.io_type)
    is_row = (kind == RECORD) & ~_among(io_type, NOT_TRANSACTIONAL)
    is_alone = (kind == BAD_SPAN) | (kind == PARTIAL) | ((kind == RECORD) & _among(io_type, RESTARTS))
    is_alone |= is_row & (io_type == RECORD_FRAGMENT)
    rows = np.flatnonzero(is_row | is_alone)
    if not len(rows):
        return
    taken = {name: np.asarray(getattr(batch, name))[rows] for name in _COLUMNS}
    begins, ends, alone = _among(taken["trans_ind"], BEGINS), _among(taken["trans_ind"], ENDS), is_alone[rows]
    is_first = begins | alone
    is_first[0] = True
    is_first[1:] |= ends[:-1] | alone[:-1]
    if cut is not None:
        is_first[np.searchsorted(taken["rba"], cut) :][:1] = True
    first = np.flatnonzero(is_first)
    last = np.append(first[1:], len(rows)) - 1
    latest, earliest = (of.reduceat(taken["io_time"], first) for of in (np.maximum, np.minimum))
    columns = (
        taken["rba"][first],
        taken["rba"][last],
        taken["rba"][last] + taken["length"][last],
        taken["kind"][first],
        taken["io_type"][first],
        begins[first],
        ends[last],
        last - first + 1,
        np.add.reduceat(taken["length"], first),
    )
    yield from map(
        RowRun,
        *(column.tolist() for column in columns),
        *(_moments(taken, at) for at in (first, last)),
        *((latest == earliest).tolist(), latest.tolist()),
        _tables(taken, is_first),
        _transactions(trail, batch, rows[first], alone[first]),
    )


def _transactions(trail: TrailFile, batch: Batch, rows: Array, alone: Array) -> Iterator[Transaction | None]:
    """LOGCSN and TRANID of rows, but of those that are a run alone."""
    from trailformat.scan.transactions.told import told_by  # noqa: PLC0415 - it needs numpy

    found = iter(map(Transaction, *told_by(batch, rows[~alone], trail.buffer))) if not alone.all() else iter(())
    return (None if is_alone else next(found) for is_alone in alone.tolist())


def _among(numbers: Array, wanted: frozenset[int]) -> Array:
    """A mask of the bytes that are among others."""
    import numpy as np  # noqa: PLC0415 - as above

    table = np.zeros(256, bool)
    table[[*wanted]] = True
    return table[numbers]


def _moments(taken: dict[str, Array], at: Array) -> Iterator[Moment]:
    return map(Moment, *(taken[name][at].tolist() for name in ("io_time", "audit_rba", "audit_pos")))


def _tables(taken: dict[str, Array], is_first: Array) -> Iterator[list[TableRecords]]:
    """The tables of each run."""
    import numpy as np  # noqa: PLC0415 - as above

    run = np.cumsum(is_first) - 1
    tables, table = np.unique(taken["table"], return_inverse=True)
    keys = (run * len(tables) + table.reshape(-1)) * 256 + taken["io_type"]
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    order = np.argsort(first)
    first = first[order]
    columns = taken["table"][first], taken["io_type"][first], count[order], taken["rba"][first]
    parts = list(map(TableRecords, *(column.tolist() for column in columns)))
    begin = 0
    for end in np.searchsorted(run[first], np.arange(int(run[-1]) + 1), "right").tolist():
        yield parts[begin:end]
        begin = end
