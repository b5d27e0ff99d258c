"""The Arrow schema of a table's file."""

from __future__ import annotations

import json
from functools import lru_cache

import pyarrow as pa

from logdump.arrow.tables.layout import DATA, FIXED, NULLS, PROBLEMS, SIDES, TableLayout
from trailformat.arrays import array_type
from trailformat.arrays.arrow import arrow_type

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
"""Of columns in a batch whose values many rows have."""
NULL_NAMES = pa.list_(pa.string())
PROBLEM_LIST = pa.list_(
    pa.struct([("column", pa.string()), ("image", pa.string()), ("bytes", pa.binary()), ("reason", pa.string())])
)
_MOST_KEPT = 4096


@lru_cache(_MOST_KEPT)
def schema_of(layout: TableLayout) -> pa.Schema:
    """The schema of a table's file; its metadata hold the table and its key."""
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
    """The schema of a table's batches: that of its file, texts that many rows have as dictionaries."""
    schema = schema_of(layout)
    for name in ("file", "op", "csn", "xid"):
        schema = schema.set(schema.get_field_index(name), pa.field(name, NUMBERED_TEXTS))
    return schema


def key_of(schema: pa.Schema) -> list[str]:
    """The columns of the key in the metadata of a table's file; none of any other schema."""
    names: list[str] = json.loads((schema.metadata or {}).get(b"key", b"[]"))
    return names
