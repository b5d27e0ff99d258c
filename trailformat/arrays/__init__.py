"""The columns of rows as Arrow arrays, by table definition: for exports and data frames. It needs pyarrow and numba."""

from __future__ import annotations

from trailformat.arrays.numba_cache import prepare_cache

prepare_cache()

from trailformat.arrays.array_types import ArrayType, array_type  # noqa: E402 - numba reads where to keep kernels when it is loaded
from trailformat.arrays.columns import ColumnArray, column_array  # noqa: E402 - numba reads where to keep kernels when it is loaded
from trailformat.arrays.fallback import Problem  # noqa: E402 - numba reads where to keep kernels when it is loaded
from trailformat.arrays.spans import Image, Spans, has_columns, locate_columns  # noqa: E402 - numba reads where to keep kernels when it is loaded
from trailformat.arrays.text_arrays import StoredValues, TextArray, TextProblem, text_array  # noqa: E402 - numba reads where to keep kernels when it is loaded

__all__ = [
    "ArrayType",
    "ColumnArray",
    "Image",
    "Problem",
    "Spans",
    "StoredValues",
    "TextArray",
    "TextProblem",
    "array_type",
    "column_array",
    "has_columns",
    "locate_columns",
    "text_array",
]
