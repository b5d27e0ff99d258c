"""Columns for the members of our JSON objects."""

from __future__ import annotations

from collections.abc import Mapping

from logdump.arrow.records.column_types import BIGINT, BOOLEAN, STRING, STRINGS, ColumnType, struct
from logdump.arrow.records.schema import RowColumn
from logdump.display.json_shape import Shape

_OR_NULL = " or null"
_TYPES = {"string": STRING, "number": BIGINT, "boolean": BOOLEAN, "list of string": STRINGS}


def columns_of(shape: Shape, types: Mapping[str, ColumnType]) -> tuple[RowColumn, ...]:
    """The columns for the members of a JSON object, with their names and meanings.

    Args:
        shape: of the object.
        types: by the name of a member, or by the name that the shape calls its type; for others Spark's own are known.
    """
    known = {**_TYPES, **types}
    return tuple(
        RowColumn(one.name, known.get(one.name) or known[one.type.removesuffix(_OR_NULL)], one.meaning)
        for one in shape.members
    )


def struct_of(shape: Shape, types: Mapping[str, ColumnType]) -> ColumnType:
    """The type of a JSON object inside of another; takes what ``columns_of`` takes."""
    return struct({column.name: column.type for column in columns_of(shape, types)})
