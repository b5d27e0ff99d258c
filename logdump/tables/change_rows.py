"""Rows of option ``changesOf``, which tasks make of the rows of the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.rows import Array
from logdump.arrow.records.schema import Selected, arrow_schema
from logdump.arrow.tables.changes import BEFORE, Changed, TableChanges
from logdump.arrow.tables.group import Group, TableBatches, blocks, pieces
from logdump.arrow.tables.layout import CHANGES_OF_TABLES
from logdump.arrow.tables.update_halves import UpdateHalves
from logdump.tables.change_columns import ARROW, ChangedTable, changed_tables
from logdump.tables.errors import BadTrail
from logdump.tables.messages.blocks import MessageRows, Scene, messages_of
from logdump.tables.messages.forms import forms_of
from logdump.tables.named_files import definitions_of
from logdump.tables.slices import MOST_ROWS, OpenSlice, check_named, cut, wanted_rows
from logdump.tables.table_columns import table_columns
from logdump.tables.table_reader import RowShape
from trailformat import BadData
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import learn_definitions

if TYPE_CHECKING:
    from logdump.tables.slices import Request

_LARGE = 8 << 20
"""Bytes above which changes become a row; more than twice as many are split."""


def change_batches(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    """Yield the changes of the tables in a slice as record batches. Raises like ``reader.read``."""
    names = {layout.name for layout in request.foreseen}
    make = _message_maker(source, schema) if request.options.messages else _row_maker(source, request, schema)
    batches = TableBatches(source.trail, source.definitions, lambda _io_type, _records: None, CHANGES_OF_TABLES)
    for batch, numbers in wanted_rows(source, MOST_ROWS):
        learn_definitions(source.trail, batch)
        check_named(source, batch, numbers)
        for rows in cut(batch, numbers[_are_of(names, batch, numbers)], request.options):
            for piece in pieces(source.trail, batch, rows, source.owners(batch)):
                yield from make(batches.groups(piece))


def are_of_several_tables(request: Request) -> bool:
    """Return whether the changes that a request is for have a struct for each of several tables."""
    return not request.options.messages and len({layout.name for layout in request.foreseen}) > 1


_Make = Callable[[list[Group]], Iterator[pa.RecordBatch]]
"""Makes the batches of the rows of some tables."""


def _row_maker(source: OpenSlice, request: Request, schema: Any) -> _Make:
    """Return the maker of rows with the columns of their tables."""
    tables = changed_tables(request.foreseen, request.options)
    by_name, names = {table.name: table for table in tables}, {layout.name for layout in request.foreseen}
    fixed = [(at, field) for at, field in enumerate(schema) if field.name not in names]

    @cache
    def maker(name: str) -> _Changes:
        own = schema
        if len(tables) > 1:
            at = schema.get_field_index(name)
            own = pa.schema([field for _, field in sorted([*fixed, (at, schema.field(at))], key=itemgetter(0))])
        return _Changes(source, request, own, by_name[name], is_only=len(tables) == 1)

    return lambda groups: (maker(group.layout.name).of_group(group) for group in groups)


def _message_maker(source: OpenSlice, schema: pa.Schema) -> _Make:
    """Return the maker of messages. It raises BadTrail as ``source.undecodable``, and at a truncate if those fail."""
    trail, options = source.trail, source.options
    halves = UpdateHalves(trail, partial(definitions_of, options=options))
    scene = Scene.of(trail, source.seqno, source.file_order or 0)
    forms = forms_of(options.messages, has_truncates=options.truncates == "write")

    def made(groups: list[Group]) -> Iterator[pa.RecordBatch]:
        for part in blocks(groups):
            block = [MessageRows.of(group, source.lobs, halves) for group in part]
            messages = messages_of(block, forms(block), scene, tombstones=options.messages == "debezium")
            for rba, column, reason in messages.problems:
                source.undecodable(BadData(f"{column}: {reason}" if column else reason).at(trail.path, rba))
            if messages.truncates and options.messages == "debezium" and options.truncates == "fail":
                at = f"{source.path}: RBA {min(messages.truncates)}"
                raise BadTrail(f"{at}: a truncate; with option truncates write it is a message, with skip left out")
            rows = [
                (message.key, message.value, message.table, message.sequence, source.path, *message[4:])
                for message in messages.messages
            ]
            if rows:
                columns = zip(zip(*rows, strict=True), schema, strict=True)
                yield pa.RecordBatch.from_arrays(
                    [pa.array(values, field.type) for values, field in columns], schema=schema
                )

    return made


def _are_of(names: Any, batch: Batch, rows: Array) -> Array:
    """Return a mask of the records of the tables ``names``."""
    keys = np.asarray(batch.table)[rows]
    wanted = [key for key in np.unique(keys).tolist() if batch.names[key] in names]
    mask: Array = (np.asarray(batch.kind)[rows] == RECORD) & np.isin(keys, wanted)
    return mask


def mixed(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of batches, with the columns of some tables each, in batches that have those of all tables.

    A column of ``schema`` that a batch does not have is null in its rows. What a batch costs grows with the columns of
    all tables, so rows of many tables share one; nulls take room, so one has no more rows than fill ``_LARGE`` bytes.
    """
    width = max(1, sum(pa.nulls(8, field.type).nbytes for field in schema) // 8)
    most = max(1, _LARGE // width)
    waiting: list[pa.RecordBatch] = []
    count = size = 0
    for batch in batches:
        start = 0
        while start < len(batch):
            part = batch.slice(start, most - count)
            start, count, size = start + len(part), count + len(part), size + part.nbytes
            waiting.append(part)
            if count == most or size > _LARGE:
                yield _over(waiting, schema, count)
                waiting, count, size = [], 0, 0
    if waiting:
        yield _over(waiting, schema, count)


def _over(batches: Sequence[pa.RecordBatch], schema: pa.Schema, count: int) -> pa.RecordBatch:
    """Return ``count`` rows of batches as one batch of a schema."""
    parts: dict[str, list[pa.Array]] = {}
    ends = Counter[str]()
    start = 0
    for batch in batches:
        for field, array in zip(batch.schema, batch.columns, strict=True):
            before = start - ends[field.name]
            parts.setdefault(field.name, []).extend([pa.nulls(before, field.type), array] if before else [array])
            ends[field.name] = start + len(batch)
        start += len(batch)
    columns = []
    for field in schema:
        after = count - ends[field.name]
        arrays = [*parts.get(field.name, ()), *([pa.nulls(after, field.type)] if after else [])]
        columns.append(pa.concat_arrays(arrays) if len(arrays) > 1 else arrays[0])
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def arrow_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of one Arrow stream each, with changes of one table, which are collected until they are large."""
    batches_by_table: dict[tuple[str, ...], list[pa.RecordBatch]] = {}
    sizes = Counter[tuple[str, ...]]()
    for batch in batches:
        table = tuple(batch.schema.names)
        batches_by_table.setdefault(table, []).append(batch)
        sizes[table] += batch.nbytes
        if sizes[table] > _LARGE:
            yield from _streams(pa.Table.from_batches(batches_by_table.pop(table)))
            del sizes[table]
    for left in batches_by_table.values():
        yield from _streams(pa.Table.from_batches(left))


def _streams(changes: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yield changes as one row, or as several if it would be very large."""
    if changes.nbytes > 2 * _LARGE and len(changes) > 1:
        yield from _streams(changes.slice(0, len(changes) // 2))
        yield from _streams(changes.slice(len(changes) // 2))
    elif len(changes):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, changes.schema) as stream:
            stream.write_table(changes.combine_chunks())
        data = sink.getvalue()
        buffers = [None, pa.py_buffer(np.array([0, data.size], np.int32)), data]
        yield pa.RecordBatch.from_arrays([pa.Array.from_buffers(pa.binary(), 1, buffers)], [ARROW])


class _Changes:
    """The changes of one table.

    Args:
        schema: that of the rows.
        is_only: whether this is the only table of the read, so that its columns are not in a struct.
    """

    def __init__(self, source: OpenSlice, request: Request, schema: Any, table: ChangedTable, *, is_only: bool) -> None:
        columns = table_columns(table.layouts, request.options)
        self._table = table
        self._schema = schema
        self._is_only = is_only
        selected = tuple(Selected(name, column) for name, column in columns.items())
        self._shape = RowShape(source, selected, arrow_schema(selected), table.layouts)
        age = source.seqno if source.seqno is not None else source.file_order or 0
        is_split = request.options.key_update == "split"
        is_whole = request.options.before_images
        self._halves = (
            UpdateHalves(source.trail, partial(definitions_of, options=request.options)) if is_whole else None
        )
        self._changes = TableChanges(
            table.name, [*table.columns], table.layouts[-1].keys, age, is_split=is_split, is_whole=is_whole
        )

    def of_group(self, group: Group) -> pa.RecordBatch:
        before = self._halves.of(group) if self._halves is not None else None
        others = [self._shape.of_group(other) for other in before.others] if before is not None else []
        halves = before.source if before is not None else None
        changed = self._renamed(self._changes.of_rows(group, self._shape.of_group(group), halves, others))
        return pa.RecordBatch.from_arrays(
            [self._column(field, changed.own, changed.fixed) for field in self._schema],
            schema=self._schema,
        )

    def _renamed(self, changed: Changed) -> Changed:
        """Return changes with the names of their columns in the rows, in ``_absent`` and ``_before`` too."""
        names = self._table.renamed
        if not names:
            return changed
        own = {names.get(name, name): column for name, column in changed.own.items()}
        absent, before = changed.fixed["_absent"], changed.fixed[BEFORE]
        lists = [listed and [names.get(name, name) for name in listed] for listed in absent.to_pylist()]
        fields = [names.get(field.name, field.name) for field in before.type]
        images = pa.StructArray.from_arrays(before.flatten(), fields, mask=before.is_null())
        fixed = {**changed.fixed, "_absent": pa.array(lists, absent.type), BEFORE: images}
        return Changed(own, fixed, changed.rows, changed.images)

    def _column(self, field: pa.Field, own: dict[str, Any], fixed: dict[str, Any]) -> pa.Array:
        if field.name in fixed:
            return fixed[field.name].cast(field.type)
        if self._is_only:
            return own[field.name].cast(field.type)
        return pa.StructArray.from_arrays([*own.values()], fields=[*field.type])
