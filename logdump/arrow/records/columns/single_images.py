"""The images of one record, if they could not be split together with others: damaged and very long ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from trailformat import Record, TrailError
from trailformat.records.columns import Columns
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.values import decode_value, decoded_text

Image = list[dict[str, Any]] | None


class SingleImages(NamedTuple):
    """The images of a record.

    Attributes:
        images: before and after, each None where there is none.
        problems: of each the values that do not decode, by name of the column and reason.
        error: why there is none although there should be one.
    """

    images: tuple[Image, Image] = (None, None)
    problems: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    error: TrailError | None = None


def single_images(record: Record, definitions: RowDefinitions) -> SingleImages:
    """Return the images of a record."""
    try:
        images = record.images
    except TrailError as error:
        return SingleImages(error=error)
    if images is None:
        return SingleImages()
    known = definitions.of(record)
    before, after = (_image(columns, record, known) for columns in (images.before, images.after))
    return SingleImages((before[0], after[0]), (before[1], after[1]))


def _image(columns: Columns | None, record: Record, known: RowDefinition) -> tuple[Image, list[tuple[str, str]]]:
    if columns is None:
        return None, []
    described = known.table.columns if known.table else ()
    shown: list[dict[str, Any]] = []
    problems: list[tuple[str, str]] = []
    for column in columns:
        definition = described[column.index] if column.index < len(described) else None
        shown.append({"index": column.index, "name": definition.name if definition else None})
        shown[-1] |= {"bytes": None if column.is_null else column.value, "is_null": column.is_null, "value": None}
        if definition is not None:
            value = decode_value(column, definition, record.order, known.charset)
            shown[-1]["value"] = decoded_text(value)
            problems += [(definition.name, value.problem)] if value.problem is not None else []
    return shown, problems
