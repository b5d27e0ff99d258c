"""The columns of the differences: the members of the JSON object ``difference``."""

from __future__ import annotations

from logdump.arrow.records.column_types import INT, array
from logdump.display.json_columns import columns_of, struct_of
from logdump.display.json_parts import SPOT
from logdump.features.diff.json import DIFFERENCE, DIFFERENT_PART

DIFFERENCES = columns_of(
    DIFFERENCE,
    {"spot": struct_of(SPOT, {"seqno": INT}), "list of different_part": array(struct_of(DIFFERENT_PART, {}))},
)
