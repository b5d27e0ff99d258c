"""The kernels that are compiled together for arrays; loaded only to build the library."""

from __future__ import annotations

from trailformat.arrays.kernels.bytes import drop_high_bytes, unmarked
from trailformat.arrays.kernels.columns import make_columns
from trailformat.arrays.kernels.lines import count_lines, write_lines
from trailformat.arrays.kernels.runs import join_runs
from trailformat.arrays.kernels.spelling import spell_values

KERNELS = (
    unmarked,
    make_columns,
    drop_high_bytes,
    write_lines,
    join_runs,
    spell_values,
    count_lines,
)
