"""Rows of tables as Arrow record batches: for PARQUET and ARROW, messages, and Spark's tables. It needs pyarrow."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.group import Array, Group
from logdump.arrow.tables.layout import DATA, FIXED, NULLS, PROBLEMS, SIDES, RowProblem, TableLayout
from trailformat import ColumnDefinition
from trailformat.arrays import Image, Numbered, Strings, TextProblem, ValueSpelling, array_type, text_column
from trailformat.arrays.arrow import arrow_strings, arrow_type, nulls, numbered, one_text, plain_array
from trailformat.arrays.arrow import lists as list_array
from trailformat.arrays.columns import Problem, column_arrays
from trailformat.native.scan.arguments import HAS_NULL, HAS_UNDECIDED, HAS_VALUE, NULL

FIXED_TYPES = {
    "file": pa.string(),
    "rba": pa.int64(),
    "op": pa.string(),
    "csn": pa.string(),
    "xid": pa.string(),
    "time": pa.timestamp("us", "UTC"),
    "trans_ind": pa.uint8(),
}
NUMBERED_TEXTS = pa.dictionary(pa.int32(), pa.string())
"""The type of columns of a batch in which many rows share a value."""
NULL_NAMES = pa.list_(pa.string())
PROBLEM_LIST = pa.list_(
    pa.struct([("column", pa.string()), ("image", pa.string()), ("bytes", pa.binary()), ("reason", pa.string())])
)
_MOST_KEPT = 4096


@lru_cache(_MOST_KEPT)
def schema_of(layout: TableLayout) -> pa.Schema:
    """Return the schema of a table's file; its metadata hold the name of the table and its key."""
    fields = [pa.field(name, FIXED_TYPES[name]) for name in FIXED]
    if layout.columns is None:
        fields.append(pa.field(DATA, pa.binary()))
    columns = layout.columns or ()
    types = [arrow_type(array_type(column, layout.codec).type) for column in columns]
    for side in SIDES:
        names = zip(layout.column_names, types, strict=True)
        fields += [pa.field(f"{side}_{name}", kind) for name, kind in names]
    fields += [pa.field(NULLS, NULL_NAMES), pa.field(PROBLEMS, PROBLEM_LIST)]
    return pa.schema(fields, {"table": layout.name, "key": json.dumps(layout.keys)})


@lru_cache(_MOST_KEPT)
def batch_schema_of(layout: TableLayout) -> pa.Schema:
    """Return the schema of a table's batches: that of its file, with dictionaries for texts that many rows share."""
    schema = schema_of(layout)
    for name in ("file", "op", "csn", "xid"):
        schema = schema.set(schema.get_field_index(name), pa.field(name, NUMBERED_TEXTS))
    return schema


def key_of(schema: pa.Schema) -> list[str]:
    """Return the names of the key columns from the metadata of a table's file; empty for any other schema."""
    names: list[str] = json.loads((schema.metadata or {}).get(b"key", b"[]"))
    return names


Nulls = list[tuple[Array, str]]
"""For each column with NULLs, the rows in which it is NULL, and its name."""


class BuiltBatches(NamedTuple):
    """The result of a piece: the batches of its tables, and the undecodable values (RBA, column, reason).

    The batches are in the order of their first rows, the values in the order of their records.
    """

    batches: list[tuple[TableLayout, pa.RecordBatch]]
    problems: list[tuple[int, str, str]]


def build(groups: list[Group]) -> BuiltBatches:
    """Build the batches of groups; uses only the groups, so that threads can run it."""
    built = BuiltBatches([], [])
    for group in groups:
        batch, problems = batch_of(group)
        built.batches.append((group.layout, batch))
        built.problems.extend(problems)
    built.problems.sort(key=itemgetter(0))
    return built


def batch_of(group: Group, wanted: Container[str] | None = None) -> tuple[pa.RecordBatch, list[tuple[int, str, str]]]:
    """Return the batch of a group, and its undecodable values: RBA, column, reason.

    ``wanted`` holds the names of the columns to fill, None for all; with ``problems`` every value is decoded.
    """
    wanted = None if wanted is None or PROBLEMS in wanted else wanted
    return _batch_of(group, batch_schema_of(group.layout), wanted, partial(_typed, group, wanted))


def text_batch_of(
    group: Group, spelling_of: Callable[[ColumnDefinition], ValueSpelling]
) -> tuple[pa.RecordBatch, list[tuple[int, str, str]]]:
    """Return the batch of a group with the values of columns as text, and its undecodable values as batch_of does."""
    schema = batch_schema_of(group.layout)
    for name in group.layout.image_names:
        schema = schema.set(schema.get_field_index(name), pa.field(name, pa.string()))
    return _batch_of(group, schema, None, partial(_spelled, group, spelling_of))


_Images = Callable[[str], Iterator[tuple[pa.Array, Iterable[Problem | TextProblem]]]]
"""Yields the columns of an image, given its side, each with its undecodable values."""


def _batch_of(
    group: Group, schema: pa.Schema, wanted: Container[str] | None, columns_of: _Images
) -> tuple[pa.RecordBatch, list[tuple[int, str, str]]]:
    nulled = Nulls()
    arrays = [
        make(group) if wanted is None or name in wanted else nulls(schema.field(number).type, len(group.rows))
        for number, (name, make) in enumerate(_FIXED.items())
    ]
    arrays += [pa.array(group.data)] if group.layout.columns is None else _images(group, columns_of, nulled)
    is_listed = wanted is None or NULLS in wanted
    arrays += [listed_names(len(group.rows), nulled if is_listed else [])]
    arrays += [_listed_problems(len(group.rows), group.problems)]
    rbas = group.rows.of("rba") if group.problems else ()
    problems = [(int(rbas[row]), problem.column or "", problem.reason) for row, problem in group.problems]
    return pa.RecordBatch.from_arrays(arrays, schema=schema), problems


def _op(group: Group) -> pa.Array:
    return numbered(arrow_strings(group.op.texts), group.op.numbers)


def _dictionary(texts: Numbered) -> pa.Array:
    """Return numbered texts as a dictionary array; the last text is null."""
    null = len(texts.texts) - 1
    return numbered(arrow_strings(texts.texts)[:null], texts.numbers, texts.numbers < null)


_FIXED: dict[str, Callable[[Group], pa.Array]] = {
    "file": lambda group: numbered(one_text(str(group.path)), np.zeros(len(group.rows), np.int32)),
    "rba": lambda group: plain_array(pa.int64(), group.rows.of("rba")),
    "op": _op,
    "csn": lambda group: _dictionary(group.csn),
    "xid": lambda group: _dictionary(group.xid),
    "time": lambda group: plain_array(FIXED_TYPES["time"], *group.times),
    "trans_ind": lambda group: plain_array(pa.uint8(), group.rows.of("trans_ind")),
}
"""The columns that rows of any table have, in order, with their builders."""


def _images(group: Group, columns_of: _Images, nulled: Nulls) -> Iterator[pa.Array]:
    """Yield the columns of both images; unwanted columns are null."""
    for side in SIDES:
        image: Image = getattr(group.spans, side)
        has_null = (image.seen & HAS_NULL).tolist()
        for index, (name, column) in enumerate(zip(group.layout.column_names, columns_of(side), strict=True)):
            array, problems = column
            if has_null[index]:
                nulled.append((np.flatnonzero(image.sizes[index] == NULL), f"{side}_{name}"))
            for problem in problems:
                group.note_value(problem.row, side, index, problem.reason)
            yield array


def _typed(group: Group, wanted: Container[str] | None, side: str) -> Iterator[tuple[pa.Array, Iterable[Problem]]]:
    """Yield the columns of an image with their types."""
    names, layout = group.layout.column_names, group.layout
    chosen = None if wanted is None else {number for number, name in enumerate(names) if f"{side}_{name}" in wanted}
    image: Image = getattr(group.spans, side)
    for column in column_arrays(group.spans, image, layout.columns or (), layout.codec, chosen):
        yield column.array, column.problems


def _spelled(
    group: Group, spelling_of: Callable[[ColumnDefinition], ValueSpelling], side: str
) -> Iterator[tuple[pa.Array, Iterable[TextProblem]]]:
    """Yield the columns of an image as text."""
    image: Image = getattr(group.spans, side)
    for index, definition in enumerate(group.layout.columns or ()):
        if not image.seen[index] & (HAS_VALUE | HAS_UNDECIDED):
            yield nulls(pa.string(), len(group.rows)), ()
            continue
        spelling = spelling_of(definition)
        array, problems = text_column(group.spans, image, index, definition, group.layout.codec, spelling)
        yield arrow_strings(array), problems


def listed_names(rows: int, nulled: Nulls) -> pa.Array:
    """Return a list of names for each row, such as those of its NULL columns; null in place of an empty list."""
    if not nulled:
        return nulls(NULL_NAMES, rows)
    of_row = np.concatenate([row_numbers for row_numbers, _ in nulled])
    names = np.repeat(np.arange(len(nulled)), [len(row_numbers) for row_numbers, _ in nulled])[
        np.argsort(of_row, kind="stable")
    ]
    counts = np.bincount(of_row, minlength=rows)
    texts = arrow_strings(Strings.of([name for _, name in nulled]).take(names))
    return list_array(NULL_NAMES, np.concatenate(([0], np.cumsum(counts))), texts, counts > 0)


def _listed_problems(rows: int, problems: list[tuple[int, RowProblem]]) -> pa.Array:
    """Return the undecodable parts of each row; null if it has none."""
    if not problems:
        return nulls(PROBLEM_LIST, rows)
    lists: list[list[dict[str, Any]] | None] = [None] * rows
    for row, problem in problems:
        lists[row] = [*(lists[row] or ()), problem._asdict()]
    return pa.array(lists, PROBLEM_LIST)


def all_problems(built: pa.RecordBatch, misfits: list[tuple[int, RowProblem]]) -> pa.Array:
    """Return the problems of each row of a batch, with ``misfits`` added.

    In a table without a definition, problems without bytes get the data of their rows.
    """
    undefined = DATA in built.schema.names
    if not misfits and not undefined:
        return built[PROBLEMS]
    lists: list[list[dict[str, Any]] | None] = built[PROBLEMS].to_pylist()
    for row, problem in misfits:
        lists[row] = [*(lists[row] or ()), problem._asdict()]
    if undefined:
        for problems, data in zip(lists, built[DATA].to_pylist(), strict=True):
            for members in problems or ():
                members["bytes"] = members["bytes"] or data
    return pa.array(lists, PROBLEM_LIST)
