"""What a column of the data source is."""

from __future__ import annotations

from typing import NamedTuple

from logdump.spark.column_types import ColumnType

CORRUPT = "_corrupt_record"


class Column(NamedTuple):
    """A column that the data source offers."""

    name: str
    type: ColumnType
    meaning: str
