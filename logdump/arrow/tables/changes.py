"""Changes of a table, ready to be applied: for Spark's ``changesOf`` and EXPORT DEBEZIUM. It needs pyarrow.

An update of the key may be two changes; the image before an update, in a record of its own, is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.arrow.tables.group import Group
from logdump.arrow.tables.layout import PROBLEMS, SIDES
from logdump.arrow.tables.piece import Array
from trailformat.native.scan.arguments import ABSENT

KEY_BEFORE = "_key_before"
"""Where an update of the key is one change: the columns of the key before, as JSON."""
BEFORE = "_before"
"""The columns before an update, as far as its record has them."""
_SEQUENCE = "{:010d}.{:016d}.{}"
_OPS = {"INSERT": "insert", "DELETE": "delete", "TRUNCATE": "truncate"}


class Changed(NamedTuple):
    """Changes by columns: those of their table, those of every change, and the number of the row of each."""

    own: dict[str, pa.Array]
    fixed: dict[str, pa.Array]
    rows: Array


class TableChanges:
    """Makes the changes of a table.

    Args:
        table: its name.
        columns: the names of its columns.
        keys: those of the key.
        age: number of the file in its trail.
        is_split: whether an update of the key is a delete and an insert.
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
        """The changes of a group, whose rows are a batch with these columns before and after."""
        op = np.array(rows["op"].to_pylist())
        has = dict(zip(SIDES, self._has_images(group), strict=True))
        is_update, is_key = np.isin(op, ("UPDATE", "PK UPDATE")), (op == "PK UPDATE") & has["before"] & has["after"]
        kept = np.flatnonzero(~(is_update & has["before"] & ~has["after"]))
        counts = np.where(is_key[kept], 2 if self._is_split else 1, 1)
        at = np.repeat(kept, counts)
        part = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        is_first = np.repeat(counts == 2, counts) & (part == 0)
        is_before = is_first | ((op[at] == "DELETE") & has["before"][at])
        taken = rows.take(pa.array(at))
        mask = pa.array(is_before)
        own = {name: pc.if_else(mask, *(taken[f"{side}_{name}"] for side in SIDES)) for name in self._columns}
        ops = [self._op(op[row], bool(is_key[row]), int(number)) for row, number in zip(at, part, strict=True)]
        is_update_now = np.char.endswith(np.array(ops, np.str_), "update")
        fixed = {
            "_table": pa.array([self._table] * len(at), pa.string()),
            "_op": pa.array(ops, pa.string()),
            "_sequence": pa.array(self._sequences(taken["rba"].to_pylist(), part), pa.string()),
            "_absent": self._absent(taken, is_before, has, at),
            KEY_BEFORE: self._keys_before(taken, ops),
            BEFORE: self._before(taken, pa.array(has["before"][at] & is_update_now)),
            **{f"_{name}": taken[name] for name in ("csn", "xid", "time", "file", "rba", PROBLEMS)},
        }
        return Changed(own, fixed, at)

    def _op(self, op: str, is_key: bool, part: int) -> str:  # noqa: FBT001 - of a row
        if is_key:
            return ("delete", "insert")[part] if self._is_split else "key update"
        return _OPS.get(op, "update")

    def _sequences(self, rbas: list[int], parts: Array) -> list[str]:
        return [_SEQUENCE.format(self._age, rba, part) for rba, part in zip(rbas, parts.tolist(), strict=True)]

    def _has_images(self, group: Group) -> Iterator[Array]:
        """For each side a mask of the rows whose record has an image there."""
        for side in SIDES:
            sizes = getattr(group.spans, side).sizes if group.layout.columns else np.empty((0, len(group.rows)))
            yield (np.asarray(sizes) != ABSENT).any(axis=0)

    def _absent(self, taken: pa.RecordBatch, is_before: Array, has: dict[str, Array], at: Array) -> pa.Array:
        """The names of the columns that have no value and are no NULL, where there is an image."""
        empty = {name: [~np.asarray(taken[f"{side}_{name}"].is_valid()) for side in SIDES] for name in self._columns}
        nulls, problems = taken["nulls"].to_pylist(), taken["problems"].to_pylist()
        lists: list[list[str] | None] = []
        for row, before in enumerate(is_before.tolist()):
            side = SIDES[0] if before else SIDES[1]
            named = {*(nulls[row] or ()), *(f"{one['image']}_{one['column']}" for one in problems[row] or ())}
            number = 0 if before else 1
            absent = [name for name, masks in empty.items() if masks[number][row] and f"{side}_{name}" not in named]
            lists.append(absent if absent and has[side][at[row]] else None)
        return pa.array(lists, pa.list_(pa.string()))

    def _before(self, taken: pa.RecordBatch, has_image: pa.Array) -> pa.Array:
        if not self._columns:
            return pa.nulls(len(taken), pa.struct([]))
        arrays = [taken[f"before_{name}"] for name in self._columns]
        return pa.StructArray.from_arrays(arrays, [*self._columns], mask=pc.invert(has_image))

    def _keys_before(self, taken: pa.RecordBatch, ops: list[str]) -> pa.Array:
        values = zip(*(taken[f"before_{name}"].to_pylist() for name in self._keys), strict=True)
        rows = [*values] if self._keys else [()] * len(ops)
        texts = [_as_json(self._keys, row) if op == "key update" else None for op, row in zip(ops, rows, strict=True)]
        return pa.array(texts, pa.string())


def _as_json(names: Sequence[str], values: Sequence[Any]) -> str:
    """The columns of a key as one JSON object."""
    return json.dumps(dict(zip(names, values, strict=True)), default=str, ensure_ascii=False)
