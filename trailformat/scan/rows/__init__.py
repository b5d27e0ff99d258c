"""Rows of a batch with their bytes: header fields, columns of images, tokens, definitions. Needs numpy."""

from __future__ import annotations

from trailformat.native.constants import NO_INDEX
from trailformat.scan.rows.definitions import (
    RowGroups,
    by_definition,
    grouped,
    headers_at,
    headers_of,
    learn_definitions,
    metadata_rows,
)
from trailformat.scan.rows.images import (
    Fields,
    ImageFields,
    column_of,
    columns_in,
    has_columns,
    has_unknown_tokens,
    images_of,
    tokens_in,
    unknown_among,
)
from trailformat.scan.rows.related import (
    NONE,
    UNKNOWN,
    LobPieces,
    Related,
    WholeLobs,
    halves_of,
    lob_pieces,
    other_halves,
    piece_numbers,
    related_rows,
)
from trailformat.scan.rows.row_bytes import RowBytes, read_range

__all__ = [
    "NONE",
    "NO_INDEX",
    "UNKNOWN",
    "Fields",
    "ImageFields",
    "LobPieces",
    "Related",
    "RowBytes",
    "RowGroups",
    "WholeLobs",
    "by_definition",
    "column_of",
    "columns_in",
    "grouped",
    "halves_of",
    "has_columns",
    "has_unknown_tokens",
    "headers_at",
    "headers_of",
    "images_of",
    "learn_definitions",
    "lob_pieces",
    "metadata_rows",
    "other_halves",
    "piece_numbers",
    "read_range",
    "related_rows",
    "tokens_in",
    "unknown_among",
]
