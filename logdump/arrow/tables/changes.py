"""Changes of a table, ready to be applied: for Spark's ``changesOf`` and EXPORT DEBEZIUM. It needs pyarrow.

An update of the key may be two changes; a record with only the image before an update is no change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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


class ChangeImages(NamedTuple):
    """The columns of the images of changes, and masks of their values, each with a row for each column.

    Attributes:
        before, after: the columns; null where a value is NULL, undecodable, or not in the image.
        is_known_before, is_known_after: the values that the image has.
        is_lost_before, is_lost_after: those of them that are undecodable.
    """

    before: list[pa.Array]
    after: list[pa.Array]
    is_known_before: Array
    is_known_after: Array
    is_lost_before: Array
    is_lost_after: Array


class Changed(NamedTuple):
    """Changes: the columns of their table, the columns that every change has, the row number of each, its images."""

    own: dict[str, pa.Array]
    fixed: dict[str, pa.Array]
    rows: Array
    images: ChangeImages


class TableChanges:
    """Builds the changes of a table.

    Args:
        table: name of the table.
        columns: names of its columns.
        keys: names of its key columns.
        age: number of the file in its trail.
        is_split: True if an update of the key becomes a delete and an insert.
        is_whole: True if a column that the after image lacks has its value before the change, where that is known; and
            if the columns before an update are those of both records, and those of its key.
    """

    def __init__(
        self,
        table: str,
        columns: Sequence[str],
        keys: Sequence[str],
        age: int,
        *,
        is_split: bool = True,
        is_whole: bool = False,
    ) -> None:
        self._table = table
        self._columns = columns
        self._keys = keys
        self._age = age
        self._is_split = is_split
        self._is_whole = is_whole

    def of_rows(
        self, group: Group, rows: pa.RecordBatch, halves: Array | None = None, others: Sequence[pa.RecordBatch] = ()
    ) -> Changed:
        """Return the changes of a group.

        Args:
            group: the group.
            rows: its batch, with these columns before and after.
            halves: for each row the index of that which has its before image, in ``rows`` and then ``others``, or NONE.
            others: batches of further rows.
        """
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
        images = self._images(rows, halves, others)
        is_same = len(row) == len(rows) == len(kept_rows)
        changes = rows if is_same else rows.take(plain_array(pa.int64(), row))
        images = images if is_same else _images_of(images, row)
        after, is_known = self._filled(images) if self._is_whole else (images.after, images.is_known_after)
        own = {name: _either(is_before, *pair) for name, *pair in zip(self._columns, images.before, after, strict=True)}
        is_update_now = (op == _UPDATE) | (op == _KEY_UPDATE)
        has_image = np.where(is_before, has["before"][row], has["after"][row])
        fixed = {
            "_table": numbered(one_text(self._table), np.zeros(len(row), np.int32)).dictionary_decode(),
            "_op": numbered(pa.array(ops), op.astype(np.int32)).dictionary_decode(),
            "_sequence": self._sequences(np.asarray(changes["rba"]), part),
            "_absent": self._absent(has_image & ~np.where(is_before, images.is_known_before, is_known)),
            KEY_BEFORE: self._keys_before(changes, op == _KEY_UPDATE),
            BEFORE: self._before(images, is_update_now, has["before"][row], kinds[row] == _UPDATE),
            **{f"_{name}": changes[name] for name in ("csn", "xid", "time", "file", "rba", PROBLEMS)},
        }
        return Changed(own, fixed, row, images)

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

    def _images(self, rows: pa.RecordBatch, halves: Array | None, others: Sequence[pa.RecordBatch]) -> ChangeImages:
        """Return the columns of both images; before images in records of their own are joined to their rows."""
        before, after = ([rows[f"{side}_{name}"] for name in self._columns] for side in SIDES)
        nulls, lost = self._named(rows)
        is_known_before: Array = nulls[0] | lost[0] | _are_valid(before, len(rows))
        is_known_after = nulls[1] | lost[1] | _are_valid(after, len(rows))
        if halves is None:
            return ChangeImages(before, after, is_known_before, is_known_after, lost[0], lost[1])
        source = np.where(halves >= 0, halves, np.arange(len(rows)))
        known, all_lost, arrays = [is_known_before], [lost[0]], [[array] for array in before]
        for other in others:
            pieces = [other[f"{SIDES[0]}_{name}"] for name in self._columns]
            other_nulls, other_lost = self._named(other)
            known.append(other_nulls[0] | other_lost[0] | _are_valid(pieces, len(other)))
            all_lost.append(other_lost[0])
            for parts, piece in zip(arrays, pieces, strict=True):
                parts.append(piece)
        places = plain_array(pa.int64(), source)
        before = [pa.concat_arrays(parts).take(places) for parts in arrays]
        is_known_before, is_lost = (np.concatenate(masks, axis=1)[:, source] for masks in (known, all_lost))
        return ChangeImages(before, after, is_known_before, is_known_after, is_lost, lost[1])

    def _filled(self, images: ChangeImages) -> tuple[list[pa.Array], Array]:
        """Return the columns after, those that the after image lacks as they were before, and what is known of them."""
        is_filled = ~images.is_known_after & images.is_known_before & ~images.is_lost_before
        triples = zip(is_filled, images.before, images.after, strict=True)
        columns = [_either(mask, before, after) for mask, before, after in triples]
        return columns, images.is_known_after | is_filled

    def _absent(self, is_absent: Array) -> pa.Array:
        """Return, for each change, the names of the columns of a mask."""
        absent = [(np.flatnonzero(mask), name) for mask, name in zip(is_absent, self._columns, strict=True)]
        return listed_names(is_absent.shape[1], [(rows, name) for rows, name in absent if len(rows)])

    def _named(self, rows: pa.RecordBatch) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Return masks of the NULLs and of the undecodable values: for each side, a row for each column."""
        places: dict[str, tuple[int, int]] = {}
        for number, name in enumerate(self._columns):
            places |= {f"{side}_{name}".lower(): (number, place) for place, side in enumerate(SIDES)}
        nulls, problems = rows[NULLS], rows[PROBLEMS]
        lists = [(np.asarray(pc.list_parent_indices(nulls)), pc.list_flatten(nulls))] if len(nulls) else []
        of_nulls = self._marked(len(rows), places, lists)
        if problems.null_count == len(problems):
            return of_nulls, self._marked(len(rows), places, [])
        flat = pc.list_flatten(problems)
        parts = [flat.field(name).cast(pa.string()) for name in ("image", "column")]
        names = pc.binary_join_element_wise(*parts, "_")
        return of_nulls, self._marked(len(rows), places, [(np.asarray(pc.list_parent_indices(problems)), names)])

    def _marked(
        self, rows: int, places: Mapping[str, tuple[int, int]], lists: list[tuple[Array, pa.Array]]
    ) -> tuple[Array, Array]:
        """Return a mask for each side of the values that lists of row numbers and names name."""
        masks = np.zeros((len(self._columns), rows), bool), np.zeros((len(self._columns), rows), bool)
        for row_numbers, texts in lists:
            encoded = texts.dictionary_encode()
            codes = np.asarray(encoded.indices.fill_null(-1))
            for code, text in enumerate(encoded.dictionary.to_pylist()):
                if (place := places.get((text or "").lower())) is not None:
                    masks[place[1]][place[0], row_numbers[codes == code]] = True
        return masks

    def _before(self, images: ChangeImages, is_update: Array, has_before: Array, keeps_key: Array) -> pa.Array:
        """Return the columns before each update; null for other changes, and if nothing is known of them.

        ``keeps_key`` is a mask of the changes that have the same key before and after.
        """
        if not self._columns:
            return pa.nulls(len(is_update), pa.struct([]))
        arrays, is_there = images.before, has_before
        if self._is_whole:
            is_key = np.array([name in self._keys for name in self._columns])[:, np.newaxis]
            is_filled = is_key & keeps_key & images.is_known_after & ~images.is_known_before
            pairs = zip(is_filled, images.after, images.before, strict=True)
            arrays = [_either(mask, after, before) for mask, after, before in pairs]
            known: Array = images.is_known_before | is_filled
            is_there = np.asarray(known.any(axis=0))
        return pa.StructArray.from_arrays(
            arrays, [*self._columns], mask=plain_array(pa.bool_(), ~(is_there & is_update))
        )

    def _keys_before(self, changes: pa.RecordBatch, is_key: Array) -> pa.Array:
        texts: list[str | None] = [None] * len(changes)
        for row in np.flatnonzero(is_key).tolist():
            texts[row] = _as_json(self._keys, [changes[f"before_{name}"][row].as_py() for name in self._keys])
        return pa.array(texts, pa.string())


def _are_valid(columns: Sequence[pa.Array], rows: int) -> Array:
    """Return a mask of the values that are not null, a row for each column."""
    mask: Array = np.ones((len(columns), rows), bool)
    for number, column in enumerate(columns):
        if column.null_count:
            mask[number] = column.is_valid().to_numpy(zero_copy_only=False)
    return mask


def _images_of(images: ChangeImages, rows: Array) -> ChangeImages:
    """Return the images of some rows."""
    places = plain_array(pa.int64(), rows)
    before, after = ([column.take(places) for column in columns] for columns in images[:2])
    return ChangeImages(before, after, *(mask[:, rows] for mask in images[2:]))


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
