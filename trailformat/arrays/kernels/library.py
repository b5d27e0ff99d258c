"""The kernels that are compiled together for arrays; loaded only to compile them."""

from __future__ import annotations

from trailformat.arrays.kernels.bytes import drop_high_bytes, gather_bytes, place_values, unmarked
from trailformat.arrays.kernels.lines import count_lines, write_lines
from trailformat.arrays.kernels.runs import join_runs
from trailformat.arrays.kernels.spelling import spell_values
from trailformat.arrays.kernels.values import gather_dates, gather_decimals, gather_integers, gather_moments

KERNELS = (
    unmarked,
    place_values,
    gather_bytes,
    drop_high_bytes,
    gather_integers,
    gather_decimals,
    gather_moments,
    gather_dates,
    write_lines,
    join_runs,
    spell_values,
    count_lines,
)
