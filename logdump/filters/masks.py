"""A filter applied to the columns of a batch with numpy: the rows that surely pass, and those that may.

Header columns decide RECTYPE, IOTYPE, FILENAME, ANSINAME, RBA, RECLEN, AUDITRBA, TRANSIND, STARTTIME and ENDTIME;
texts, hex strings, integers and tokens are sought in the file's bytes; CSN, and LOGCSN and TRANID of GGSTOKEN, are
applied once to each transaction, VALUE to the column that it names. The columns do not decide any other criterion: its
rows may pass, and the record itself is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from logdump.filters.comparison import Comparison
from logdump.filters.criterion import Criterion
from logdump.filters.csn_criteria import Csn
from logdump.filters.effective_criterion import Effective
from logdump.filters.filter_set import CriterionSet, FilterSet, Match
from logdump.filters.header_values import FIELDS, HeaderValue
from logdump.filters.integer_criteria import Int16, Int32, Int64, Integer
from logdump.filters.name_criteria import AnsiName, FileName, NameCriterion, TableName
from logdump.filters.needle import Needle
from logdump.filters.number_criteria import AuditRba, NumberCriterion, Rba, RecLen, TransInd
from logdump.filters.text_columns import csns_hold, texts_hold
from logdump.filters.text_criteria import Hex, NeedleCriterion, String
from logdump.filters.time_criteria import EndTime, StartTime, TimeCriterion
from logdump.filters.token_criteria import GgsToken
from logdump.filters.type_criteria import IoType, RecType
from logdump.filters.value_criteria import ColumnValue
from logdump.filters.value_masks import ValueSearch
from trailformat.codec.byte_order import ByteOrder
from trailformat.records.framing import Buffer
from trailformat.scan import RECORD, Batch, occurrences
from trailformat.scan.row_tokens import payloads, rows_with_token
from trailformat.trail.row_definitions import RowDefinition
from trailformat.transactions.not_applied_rows import rows_not_applied
from trailformat.transactions.tracker import RowTransactions

Mask = Any
"""A one-dimensional numpy array of bool, one for each row of a batch."""


class MaskSource(NamedTuple):
    """The surroundings of a batch: the file's bytes, its rows' transactions (None: not needed).

    ``searches`` look for values of columns, by their criteria.
    """

    buffer: Buffer
    owners: RowTransactions | None
    searches: Mapping[Criterion, ValueSearch] = {}


class Verdict(NamedTuple):
    """Rows that may pass, and those among them that pass for sure."""

    may: Mask
    surely: Mask


def is_decided(filters: FilterSet) -> bool:
    """Whether the columns alone decide about every row."""
    return all(type(criterion) in _MASKS for side in (filters.include, filters.exclude) for criterion in side.criteria)


def reads_records(filters: FilterSet) -> bool:
    """Whether it has a criterion that columns do not decide, so that every record may have to be read."""
    criteria = (*filters.include.criteria, *filters.exclude.criteria)
    return not all(type(criterion) in _MASKS or isinstance(criterion, ColumnValue) for criterion in criteria)


def searches_in(
    filters: Iterable[FilterSet], definition_at: Callable[[int], RowDefinition]
) -> dict[Criterion, ValueSearch]:
    """The searches for values of columns that filters contain, kept over the batches of a trail."""
    criteria = (
        criterion
        for filter_set in filters
        for side in (filter_set.include, filter_set.exclude)
        for criterion in side.criteria
    )
    return {
        criterion: ValueSearch(criterion, definition_at) for criterion in criteria if isinstance(criterion, ColumnValue)
    }


def verdict(filters: FilterSet, batch: Batch, source: MaskSource) -> Verdict:
    """The verdict of an active filter on the rows that are records."""
    sound = np.asarray(batch.kind) <= 1
    included = _of_set(filters.include, batch, source) if filters.include.criteria else Verdict(sound, sound)
    excluded = _of_set(filters.exclude, batch, source) if filters.exclude.criteria else Verdict(~sound, ~sound)
    return Verdict(sound & included.may & ~excluded.surely, sound & included.surely & ~excluded.may)


def _of_set(criteria: CriterionSet, batch: Batch, source: MaskSource) -> Verdict:
    is_all = criteria.match is Match.ALL
    combine = np.logical_and if is_all else np.logical_or
    total: Verdict | None = None
    # where all have to hold, values are looked for in rows that meet the others
    for criterion in sorted(criteria.criteria, key=source.searches.__contains__):
        verdict = _of_criterion(criterion, batch, source, total.may if total is not None and is_all else None)
        total = verdict if total is None else Verdict(*map(combine, total, verdict))
    if total is None:
        raise ValueError("a set without criteria has no verdict")
    return total


def _of_criterion(criterion: Criterion, batch: Batch, source: MaskSource, among: Mask | None) -> Verdict:
    """The verdict of one criterion; of rows that are not ``among`` those given it may say anything."""
    if search := source.searches.get(criterion):
        values = search.values(batch, source.buffer, among)
        return Verdict(values.held | values.undecided, values.held)
    make = _MASKS.get(type(criterion))
    if make is None:
        rows = len(batch)
        return Verdict(np.ones(rows, dtype=bool), np.zeros(rows, dtype=bool))
    mask = make(criterion, batch, source)
    return Verdict(mask, mask)


def _is_record(batch: Batch) -> Mask:
    return np.asarray(batch.kind) == RECORD


def _place_or_size(column: str, criterion: NumberCriterion, batch: Batch, _source: MaskSource) -> Mask:
    """A number that a file header has too."""
    held: Mask = criterion.comparison.holds(np.asarray(getattr(batch, column)), criterion.value)
    return held


def _of_header(column: str, criterion: NumberCriterion, batch: Batch, source: MaskSource) -> Mask:
    return _place_or_size(column, criterion, batch, source) & _is_record(batch)


def _types(criterion: RecType, batch: Batch, _source: MaskSource) -> Mask:
    return np.isin(np.asarray(batch.io_type), criterion.types) & _is_record(batch)


def _names(criterion: NameCriterion, batch: Batch, _source: MaskSource) -> Mask:
    fits = np.array([criterion.fits(batch.names[key]) for key in range(len(batch.names))])
    return fits[np.asarray(batch.table)]


def _from(criterion: TimeCriterion, batch: Batch, _source: MaskSource) -> Mask:
    return (np.asarray(batch.io_time) >= criterion.moment) & _is_record(batch)


def _up_to(criterion: TimeCriterion, batch: Batch, _source: MaskSource) -> Mask:
    return (np.asarray(batch.io_time) <= criterion.moment) & _is_record(batch)


def _needles(criterion: NeedleCriterion, batch: Batch, source: MaskSource) -> Mask:
    mask = np.zeros(len(batch), dtype=bool)
    for needle in criterion.needles:
        mask[list(_rows_with(needle, batch, source.buffer))] = True
    return mask


def _integers(criterion: Integer, batch: Batch, source: MaskSource) -> Mask:
    """Big-endian in any file, and in the order of a little-endian file too."""
    mask = np.zeros(len(batch), dtype=bool)
    for order in (ByteOrder.BIG, ByteOrder.LITTLE):
        rows = np.array(list(_rows_with(Needle(criterion.stored(order)), batch, source.buffer)), dtype=np.int64)
        mask[rows if order is ByteOrder.BIG else rows[np.asarray(batch.order)[rows] == 1]] = True
    return mask


def _csn(criterion: Csn, _batch: Batch, source: MaskSource) -> Mask:
    owners = _owners(source)
    return csns_hold(criterion.comparison, criterion.value, owners.csns)[np.asarray(owners.index)]


def _owners(source: MaskSource) -> RowTransactions:
    if source.owners is None:
        raise ValueError("a filter needs transactions, which were not collected")
    return source.owners


def _inherited(criterion: GgsToken, source: MaskSource) -> Mask:
    """A mask by LOGCSN or TRANID, each transaction tested once."""
    owners, comparison = _owners(source), criterion.comparison
    if comparison is None or criterion.value is None:
        raise ValueError("a token that is compared with nothing is not inherited")
    if criterion.is_csn:
        held = csns_hold(comparison, criterion.value, owners.csns)
    else:
        held = texts_hold(comparison, criterion.stored, owners.xids, lambda xid: criterion.fits(None, xid))
    return held[np.asarray(owners.index)]


def _ggs_token(criterion: GgsToken, batch: Batch, source: MaskSource) -> Mask:
    if criterion.is_inherited:
        return _inherited(criterion, source)
    mask = np.asarray(rows_with_token(batch, source.buffer, criterion.token_id)) != 0
    if criterion.comparison is None:
        return mask
    if criterion.comparison is Comparison.EQUAL and criterion.stored is not None:
        has_bytes = np.zeros(len(batch), dtype=bool)
        has_bytes[list(_rows_with(Needle(criterion.stored), batch, source.buffer, "token"))] = True
        mask &= has_bytes
    for row in np.flatnonzero(mask).tolist():
        at, size = int(batch.rba[row]) + int(batch.token_offset[row]), int(batch.token_size[row])
        mask[row] = criterion.holds(payloads(source.buffer, at, size, int(batch.order[row]), criterion.token_id))
    return mask


def _rows_with(needle: Needle, batch: Batch, buffer: Buffer, part: str = "data") -> Iterator[int]:
    """The rows whose data, or token, area holds a needle: the bytes of the whole batch are searched at once."""
    offsets, sizes = getattr(batch, f"{part}_offset"), getattr(batch, f"{part}_size")
    rbas, size = np.asarray(batch.rba), len(needle.value)
    last = -1
    for place in occurrences(needle.value, buffer, int(rbas[0]), batch.end, any_case=needle.any_case):
        row = int(np.searchsorted(rbas, place, side="right")) - 1
        start = place - int(rbas[row]) - int(offsets[row])
        if row != last and _lies_inside(needle, start, size, int(sizes[row])):
            yield row
            last = row


def _lies_inside(needle: Needle, start: int, size: int, data_size: int) -> bool:
    if start < 0 or start + size > data_size:
        return False
    columns = needle.columns
    return columns is None or (start >= columns.start and start + size - 1 <= columns.end)


def _header_value(criterion: HeaderValue, batch: Batch, _source: MaskSource) -> Mask:
    column = np.asarray(getattr(batch, FIELDS[criterion.name]))
    if criterion.is_named:
        return np.isin(column, criterion.numbers) & _is_record(batch)
    held: Mask = criterion.comparison.holds(column, criterion.numbers[0])
    return held & _is_record(batch)


def _effective(criterion: Effective, batch: Batch, _source: MaskSource) -> Mask:
    return ~rows_not_applied(criterion.left_out, batch)


_MASKS: dict[type[Criterion], Callable[[Any, Batch, MaskSource], Mask]] = {
    RecType: _types,
    IoType: _types,
    FileName: _names,
    AnsiName: _names,
    TableName: _names,
    Rba: partial(_place_or_size, "rba"),
    RecLen: partial(_place_or_size, "record_length"),
    AuditRba: partial(_of_header, "audit_rba"),
    TransInd: partial(_of_header, "trans_ind"),
    StartTime: _from,
    EndTime: _up_to,
    String: _needles,
    Hex: _needles,
    Int16: _integers,
    Int32: _integers,
    Int64: _integers,
    Csn: _csn,
    GgsToken: _ggs_token,
    HeaderValue: _header_value,
    Effective: _effective,
}
