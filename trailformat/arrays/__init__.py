"""The columns of rows as Arrow arrays, by table definition: for exports and data frames. It needs pyarrow."""

from __future__ import annotations

from trailformat.arrays.array_types import ArrayType, DecodePath, array_type
from trailformat.arrays.columns import ColumnArray, column_array
from trailformat.arrays.differences import unequal
from trailformat.arrays.fallback import Problem
from trailformat.arrays.lines import Escapes, Field, FieldForm, LineForm, Lines, write_lines
from trailformat.arrays.runs import joined_runs
from trailformat.arrays.spans import Image, Spans, locate_columns
from trailformat.arrays.spelling import TextForm
from trailformat.arrays.text_arrays import (
    StoredValues,
    TextArray,
    TextProblem,
    ValueSpelling,
    hex_at,
    text_array,
    text_column,
)

__all__ = [
    "ArrayType",
    "ColumnArray",
    "DecodePath",
    "Escapes",
    "Field",
    "FieldForm",
    "Image",
    "LineForm",
    "Lines",
    "Problem",
    "Spans",
    "StoredValues",
    "TextArray",
    "TextForm",
    "TextProblem",
    "ValueSpelling",
    "array_type",
    "column_array",
    "hex_at",
    "joined_runs",
    "locate_columns",
    "text_array",
    "text_column",
    "unequal",
    "write_lines",
]
