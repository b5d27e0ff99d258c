"""An analysis of the data source: its name, its columns, and the function that makes its rows.

    DDL = Analysis("ddl", "each DDL statement", columns_of(DDL_SHAPE, {"time": TIMESTAMP}), rows, frozenset({"where"}))

Its rows are the objects that the same analysis prints as JSON, so that the members of the objects are its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.arrow.records.schema import RowColumn

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row


class Analysis(NamedTuple):
    """An analysis of a whole trail by one task.

    Attributes:
        name: name of the view, and value of the option ``analysis``.
        meaning: the thing that each row describes.
        columns: columns of the rows.
        rows: function that yields the rows of one :class:`~logdump.tables.analysed_trail.AnalysedTrail`, in order.
        takes: attributes of ``Options`` that may choose records; other options that choose records are refused.
    """

    name: str
    meaning: str
    columns: tuple[RowColumn, ...]
    rows: Callable[[Any], Iterator[Row]]
    takes: frozenset[str] = frozenset()
