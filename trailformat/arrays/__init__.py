"""The columns of rows as Arrow arrays, by table definition: for exports and data frames. It needs pyarrow."""

from __future__ import annotations

from trailformat.arrays.array_types import ArrayType, DecodePath, array_type
from trailformat.arrays.columns import ColumnArray, column_arrays
from trailformat.arrays.differences import unequal
from trailformat.arrays.fallback import Problem
from trailformat.arrays.lines import (
    BytesAt,
    Escapes,
    Field,
    FieldForm,
    LineBreaks,
    LineForm,
    Lines,
    Numbered,
    Parts,
    line_breaks,
    new_room,
    write_lines,
)
from trailformat.arrays.runs import joined_runs
from trailformat.arrays.spans import Image, Spans, locate_columns
from trailformat.arrays.spelling import TextForm
from trailformat.arrays.text_arrays import (
    StoredValues,
    TextArray,
    TextProblem,
    ValueSpelling,
    bytes_array,
    text_array,
    text_column,
)

__all__ = [
    "ArrayType",
    "BytesAt",
    "ColumnArray",
    "DecodePath",
    "Escapes",
    "Field",
    "FieldForm",
    "Image",
    "LineBreaks",
    "LineForm",
    "Lines",
    "Numbered",
    "Parts",
    "Problem",
    "Spans",
    "StoredValues",
    "TextArray",
    "TextForm",
    "TextProblem",
    "ValueSpelling",
    "array_type",
    "bytes_array",
    "column_arrays",
    "joined_runs",
    "line_breaks",
    "locate_columns",
    "new_room",
    "text_array",
    "text_column",
    "unequal",
    "write_lines",
]
