"""An analysis as the data source offers it: its name, its columns, and what makes its rows.

    DDL = Analysis("ddl", "each DDL statement", columns_of(DDL_SHAPE, {"time": TIMESTAMP}), rows, frozenset({"where"}))

Its rows are the objects that the same analysis prints as JSON, so that a table of members is a table of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.arrow.records.column_types import BIGINT, BOOLEAN, STRING, STRINGS, ColumnType, struct
from logdump.arrow.records.schema import RowColumn

if TYPE_CHECKING:
    from logdump.render.json_shape import Shape
    from logdump.spark.analyses.analysed_trail import AnalysedTrail

Row = Mapping[str, Any]
"""A row by the names of its columns; what is missing is null, a time is a ``datetime`` or a text in ISO 8601."""
_OR_NULL = " or null"
_TYPES = {"string": STRING, "number": BIGINT, "boolean": BOOLEAN, "list of string": STRINGS}


class Analysis(NamedTuple):
    """Rows that are told of a whole trail, by one task.

    Attributes:
        name: of the view, and the value of the option ``analysis``.
        meaning: what there is a row for.
        columns: of its rows.
        rows: makes the rows of one trail, in order.
        takes: attributes of ``Options`` that choose records and that it goes by; the others that choose are refused.
    """

    name: str
    meaning: str
    columns: tuple[RowColumn, ...]
    rows: Callable[[AnalysedTrail], Iterator[Row]]
    takes: frozenset[str] = frozenset()


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
