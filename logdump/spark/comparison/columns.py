"""The columns of what the tasks of DIFF give."""

from __future__ import annotations

from logdump.arrow.records.column_types import BIGINT, BOOLEAN, INT, STRING, ColumnType, array
from logdump.arrow.records.schema import RowColumn
from logdump.display.json_shape import SPOT, columns_of, struct_of
from logdump.features.diff.json import DIFFERENCE, DIFFERENT_PART


def _columns(**types: ColumnType) -> tuple[RowColumn, ...]:
    return tuple(RowColumn(name, kind, "") for name, kind in types.items())


DIFFERENCES = columns_of(
    DIFFERENCE,
    {"spot": struct_of(SPOT, {"seqno": INT}), "list of different_part": array(struct_of(DIFFERENT_PART, {}))},
)
"""The members of the JSON object ``difference``."""
TRANSACTIONS = _columns(
    at=BIGINT,
    stretch=INT,
    size=BIGINT,
    key=STRING,
    csn=STRING,
    xid=STRING,
    has_begin=BOOLEAN,
    ended=STRING,
    records=BIGINT,
    after=BIGINT,
    is_named=BOOLEAN,
)
"""Those of a ``TransactionRow``."""
TANGLED = _columns(a=BIGINT, b=BIGINT, begins=BOOLEAN)
MOVES = _columns(moved=BIGINT, later=INT)
