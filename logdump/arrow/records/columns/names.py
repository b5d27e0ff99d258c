"""Table names: each name once, then taken by its key."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.rows import Array, Rows
from trailformat.arrays.arrow import numbered

_MOST_COUNTED = 1 << 16
"""Keys up to this are counted, greater ones sorted: a batch has fewer rows than that."""
_MOST_KEPT = 1 << 12
_PART = re.compile(r'(?:"[^"]*"|[^.])+')


@lru_cache(_MOST_KEPT)
def name_parts(name: str) -> tuple[str | None, ...]:
    r"""Return the full name, its catalog, its schema and its last part; None for missing parts.

    A dot in double quotes separates nothing; of more than three parts (``\NODE.$VOLUME.SUBVOLUME.FILE``) the first ones
    form the catalog.
    """
    if not name:
        return (None,) * 4
    parts = _PART.findall(name)
    catalog = ".".join(parts[:-2]) or None
    return (name, catalog, parts[-2] if len(parts) > 1 else None, parts[-1] if parts else name)


def _part(which: int) -> Callable[[Rows], Any]:
    def build(rows: Rows) -> Any:
        keys, places = _keys(rows)
        names = rows.batch.names
        texts = [name_parts(names[key])[which] for key in keys.tolist()]
        return numbered(pa.array(texts, pa.string()), places)

    return build


def distinct(keys: Array) -> tuple[Array, Array]:
    """Numbers from 0 on, each once and in order, and the place of each one among them as int32."""
    if not len(keys) or keys.max() >= _MOST_COUNTED:
        found, places = np.unique(keys, return_inverse=True)
        return found, places.astype(np.int32)
    is_there = np.bincount(keys) > 0
    return np.flatnonzero(is_there), (np.cumsum(is_there, dtype=np.int32) - np.int32(1))[keys]


def _keys(rows: Rows) -> tuple[Array, Array]:
    """The keys of the rows' tables, each once, and the place of each row's among them."""
    if "table keys" not in rows.walked:
        rows.walked["table keys"] = distinct(rows.of("table"))
    keys_and_places: tuple[Array, Array] = rows.walked["table keys"]
    return keys_and_places


BUILDERS = {name: _part(which) for which, name in enumerate(("table", "catalog", "schema", "name"))}
