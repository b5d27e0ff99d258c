"""Changes of a table, ready to be applied: for Spark's ``changesOf`` and EXPORT DEBEZIUM. It needs pyarrow.

An update of the key may be two changes; a record with only the image before an update is no change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.arrow.tables.arrow_rows import listed_names
from logdump.arrow.tables.group import Array, Group
from logdump.arrow.tables.layout import NULLS, PROBLEMS, SIDES
from trailformat.arrays import Strings
from trailformat.arrays.arrow import arrow_strings, numbered, one_text, plain_array
from trailformat.native.scan.arguments import ABSENT

KEY_BEFORE = "_key_before"
"""Column with the key before an update of the key, as JSON; null if such an update is split."""
BEFORE = "_before"
"""Column with the columns before an update, as far as its record has them."""
_RBA_DIGITS = 16
_OPS = ("insert", "upsert", "delete", "truncate", "update", "key update")
_INSERT, _UPSERT, _DELETE, _TRUNCATE, _UPDATE, _KEY_UPDATE = range(len(_OPS))
_KINDS = {name.upper(): kind for kind, name in enumerate(_OPS)} | {"PK UPDATE": _KEY_UPDATE}


class Changed(NamedTuple):
    """Changes: the columns of their table, the columns that every change has, and the row number of each change."""

    own: dict[str, pa.Array]
    fixed: dict[str, pa.Array]
    rows: Array


class TableChanges:
    """Builds the changes of a table.

    Args:
        table: name of the table.
        columns: names of its columns.
        keys: names of its key columns.
        age: number of the file in its trail.
        is_split: True if an update of the key becomes a delete and an insert.
    """

    def __init__(
        self, table: str, columns: Sequence[str], keys: Sequence[str], age: int, *, is_split: bool = True
    ) -> None:
        self._table = table
        self._columns = columns
        self._keys = keys
        self._age = age
        self._is_split = is_split

    def of_rows(self, group: Group, rows: pa.RecordBatch) -> Changed:
        """Return the changes of a group; ``rows`` is its batch, with these columns before and after."""
        kinds, ops = _kinds_of(rows["op"])
        has = dict(zip(SIDES, self._has_images(group), strict=True))
        is_update = (kinds == _UPDATE) | (kinds == _KEY_UPDATE)
        is_key = (kinds == _KEY_UPDATE) & has["before"] & has["after"]
        kept_rows = np.flatnonzero(~(is_update & has["before"] & ~has["after"]))
        counts = np.where(is_key[kept_rows], 2 if self._is_split else 1, 1)
        row = np.repeat(kept_rows, counts)
        part = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        op = np.where(is_update[row] & ~is_key[row], _UPDATE, kinds[row])
        if self._is_split:
            op = np.where(is_key[row], np.where(part, _INSERT, _DELETE), op)
        is_before = (op == _DELETE) & has["before"][row]
        changes = rows if len(row) == len(rows) == len(kept_rows) else rows.take(plain_array(pa.int64(), row))
        own = {name: _either(is_before, *(changes[f"{side}_{name}"] for side in SIDES)) for name in self._columns}
        is_update_now = (op == _UPDATE) | (op == _KEY_UPDATE)
        fixed = {
            "_table": numbered(one_text(self._table), np.zeros(len(row), np.int32)).dictionary_decode(),
            "_op": numbered(pa.array(ops), op.astype(np.int32)).dictionary_decode(),
            "_sequence": self._sequences(np.asarray(changes["rba"]), part),
            "_absent": self._absent(
                changes, own, is_before, np.where(is_before, has["before"][row], has["after"][row])
            ),
            KEY_BEFORE: self._keys_before(changes, op == _KEY_UPDATE),
            BEFORE: self._before(changes, plain_array(pa.bool_(), ~(has["before"][row] & is_update_now))),
            **{f"_{name}": changes[name] for name in ("csn", "xid", "time", "file", "rba", PROBLEMS)},
        }
        return Changed(own, fixed, row)

    def _sequences(self, rbas: Array, parts: Array) -> pa.Array:
        """Return the position of each change in the trail as sortable text: number of the file, RBA, part."""
        head, width = f"{self._age:010d}.".encode(), _RBA_DIGITS
        text = np.empty((len(rbas), len(head) + width + 2), np.uint8)
        text[:, : len(head)] = np.frombuffer(head, np.uint8)
        text[:, len(head) : -2] = rbas[:, None] // 10 ** np.arange(width - 1, -1, -1) % 10 + ord("0")
        text[:, -2], text[:, -1] = ord("."), parts + ord("0")
        ends = np.arange(0, text.size + 1, text.shape[1], dtype=np.int32)
        return arrow_strings(Strings(text.reshape(-1), ends))

    def _has_images(self, group: Group) -> Iterator[Array]:
        """Yield, for each side, a mask of the rows whose record has this image."""
        for side in SIDES:
            sizes = getattr(group.spans, side).sizes if group.layout.columns else np.empty((0, len(group.rows)))
            yield (np.asarray(sizes) != ABSENT).any(axis=0)

    def _absent(
        self, changes: pa.RecordBatch, own: dict[str, pa.Array], is_before: Array, has_image: Array
    ) -> pa.Array:
        """Return, for each change with an image, the names of the columns that the image lacks."""
        is_known = self._named(changes, is_before)
        absent = []
        for number, array in enumerate(own.values()):
            if array.null_count:
                is_absent = array.is_null().to_numpy(zero_copy_only=False) & has_image & ~is_known[number]
                absent.append((np.flatnonzero(is_absent), self._columns[number]))
        return listed_names(len(changes), absent)

    def _named(self, changes: pa.RecordBatch, is_before: Array) -> Array:
        """Return, for each column, a mask of the changes in which it is NULL or undecodable."""
        known = np.zeros((len(self._columns), len(changes)), bool)
        places: dict[str, tuple[int, bool]] = {}
        for number, name in enumerate(self._columns):
            places |= {f"{side}_{name}".lower(): (number, side == SIDES[0]) for side in SIDES}
        nulls, problems = changes[NULLS], changes[PROBLEMS]
        named = [(np.asarray(pc.list_parent_indices(nulls)), pc.list_flatten(nulls))] if len(nulls) else []
        if problems.null_count < len(problems):
            flat = pc.list_flatten(problems)
            parts = [flat.field(name).cast(pa.string()) for name in ("image", "column")]
            named.append((np.asarray(pc.list_parent_indices(problems)), pc.binary_join_element_wise(*parts, "_")))
        for rows, texts in named:
            encoded = texts.dictionary_encode()
            text_places = [places.get((text or "").lower(), (-1, False)) for text in encoded.dictionary.to_pylist()]
            for code, (number, is_of_before) in enumerate(text_places):
                text_rows = rows[np.asarray(encoded.indices.fill_null(-1)) == code] if number >= 0 else ()
                if len(text_rows):
                    known[number, text_rows[is_before[text_rows] == is_of_before]] = True
        return known

    def _before(self, changes: pa.RecordBatch, has_none: pa.Array) -> pa.Array:
        if not self._columns:
            return pa.nulls(len(changes), pa.struct([]))
        arrays = [changes[f"before_{name}"] for name in self._columns]
        return pa.StructArray.from_arrays(arrays, [*self._columns], mask=has_none)

    def _keys_before(self, changes: pa.RecordBatch, is_key: Array) -> pa.Array:
        texts: list[str | None] = [None] * len(changes)
        for row in np.flatnonzero(is_key).tolist():
            texts[row] = _as_json(self._keys, [changes[f"before_{name}"][row].as_py() for name in self._keys])
        return pa.array(texts, pa.string())


def _kinds_of(ops: pa.Array) -> tuple[Array, list[str]]:
    """Return the operations of rows as indexes into a list: ``_OPS``, and the names of types that are not known."""
    encoded = ops if pa.types.is_dictionary(ops.type) else ops.dictionary_encode()
    names = encoded.dictionary.to_pylist()
    unknown = [name for name in names if name not in _KINDS]
    kinds = _KINDS | {name: kind for kind, name in enumerate(unknown, len(_OPS))}
    row_kinds: Array = np.array([kinds[name] for name in names], np.int64)[np.asarray(encoded.indices)]
    return row_kinds, [*_OPS, *map(str.lower, unknown)]


def _either(is_before: Array, before: pa.Array, after: pa.Array) -> pa.Array:
    """Return the values before where ``is_before`` is set, else those after."""
    if not is_before.any():
        return after
    return before if is_before.all() else pc.if_else(plain_array(pa.bool_(), is_before), before, after)


def _as_json(names: Sequence[str], values: Sequence[Any]) -> str:
    """Return the columns of a key as one JSON object."""
    return json.dumps(dict(zip(names, values, strict=True)), default=str, ensure_ascii=False)
