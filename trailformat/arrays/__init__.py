"""The columns of rows as arrays, by table definition, and as lines of text.

This package needs numpy; :mod:`.arrow`, :mod:`.columns` and the modules that import them need pyarrow.
"""

from __future__ import annotations

from trailformat.arrays.array_types import ArrayType, ArrowType, DecodePath, array_type
from trailformat.arrays.lines import (
    BytesAt,
    Digits,
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
from trailformat.arrays.spans import Image, Spans, are_unequal, locate_columns, unequal
from trailformat.arrays.stored import StoredValues
from trailformat.arrays.strings import ShortForm, Strings, TextForm, joined_runs
from trailformat.arrays.text_arrays import (
    TextArray,
    TextProblem,
    ValueSpelling,
    text_array,
    text_column,
)

__all__ = [
    "ArrayType",
    "ArrowType",
    "BytesAt",
    "DecodePath",
    "Digits",
    "Escapes",
    "Field",
    "FieldForm",
    "Image",
    "LineBreaks",
    "LineForm",
    "Lines",
    "Numbered",
    "Parts",
    "ShortForm",
    "Spans",
    "StoredValues",
    "Strings",
    "TextArray",
    "TextForm",
    "TextProblem",
    "ValueSpelling",
    "are_unequal",
    "array_type",
    "joined_runs",
    "line_breaks",
    "locate_columns",
    "new_room",
    "text_array",
    "text_column",
    "unequal",
    "write_lines",
]
