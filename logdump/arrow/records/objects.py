"""JSON objects as Arrow columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

import pyarrow as pa

from logdump.arrow.records.schema import TIMESTAMP, TIMESTAMP_NTZ, RowColumn

Row = Mapping[str, Any]
"""Values by column name; a missing one is null, a time is a ``datetime`` or a text in ISO 8601."""


def column_of(rows: Sequence[Row], column: RowColumn) -> Any:
    """Return one column of rows as ``pyarrow.Array``."""
    return _array((row.get(column.name) for row in rows), column)


def _array(values: Iterable[Any], column: RowColumn) -> Any:
    # looked up by name: types are unpickled in Spark tasks, so they have no identity
    convert = _PLAIN.get(column.type.ddl, plain)
    return pa.array([convert(value) for value in values], column.type.arrow(pa))


def _moment(value: Any) -> Any:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _without_zone(value: Any) -> Any:
    moment = _moment(value)
    return None if moment is None else moment.replace(tzinfo=None)


def plain(value: Any) -> Any:
    """Return a value of a JSON object in a form that Arrow accepts: a path becomes text."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return str(value) if isinstance(value, PurePath) else value


_PLAIN = {TIMESTAMP.ddl: _moment, TIMESTAMP_NTZ.ddl: _without_zone}
