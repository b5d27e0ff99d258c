"""Table names: each name once, then taken by its key."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.rows import Rows

_PART = re.compile(r'(?:"[^"]*"|[^.])+')


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
        keys, places = np.unique(rows.of("table"), return_inverse=True)
        known, names = rows.source.name_parts, rows.batch.names
        for key in keys.tolist():
            if key not in known:
                known[key] = name_parts(names[key])
        return pa.array([known[key][which] for key in keys.tolist()], pa.string()).take(pa.array(places))

    return build


BUILDERS = {name: _part(which) for which, name in enumerate(("table", "catalog", "schema", "name"))}
