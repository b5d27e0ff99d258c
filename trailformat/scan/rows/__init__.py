"""Rows of a batch with their bytes: header fields, columns of images, tokens, definitions. It needs numpy."""

from __future__ import annotations

from trailformat.scan.kernels.constants import NO_INDEX
from trailformat.scan.rows.definitions import RowGroups, by_definition, grouped, learn_definitions, metadata_rows
from trailformat.scan.rows.fields import Fields, columns_in, tokens_in
from trailformat.scan.rows.headers import headers_at, headers_of
from trailformat.scan.rows.images import ImageFields, has_columns, images_of
from trailformat.scan.rows.row_bytes import RowBytes, read_range

__all__ = [
    "NO_INDEX",
    "Fields",
    "ImageFields",
    "RowBytes",
    "RowGroups",
    "by_definition",
    "columns_in",
    "grouped",
    "has_columns",
    "headers_at",
    "headers_of",
    "images_of",
    "learn_definitions",
    "metadata_rows",
    "read_range",
    "tokens_in",
]
