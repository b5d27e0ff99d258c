"""An analysis as the data source offers it: its name, its columns, and what makes its rows.

    DDL = Analysis("ddl", "each DDL statement", columns_of(DDL_SHAPE, {"time": TIMESTAMP}), rows, frozenset({"where"}))

Its rows are the objects that the same analysis prints as JSON, so that a table of members is a table of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from logdump.arrow.records.schema import RowColumn

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.spark.analyses.analysed_trail import AnalysedTrail


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
