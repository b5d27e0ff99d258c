"""The before and after images of all rows together, with the names and values of their columns.

:mod:`trailformat.records.columns` documents which records have which images. A row whose columns cannot be located here
is read as a record, which gives the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.arrow.records.rows import DefinitionGroups, Rows, definitions_of
from logdump.arrow.records.schema import IMAGE
from logdump.arrow.records.texts import ImageTexts, ValueProblem, image_texts, too_large
from trailformat import BadData, Record, TrailError
from trailformat.arrays.arrow import arrow_strings, bytes_at, lists, masked, replaced
from trailformat.changes.row_changes import values_of
from trailformat.records.columns import Columns
from trailformat.scan.rows import Fields, ImageFields, images_of
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.values import decoded_text

Image = list[dict[str, Any]] | None


class SingleImages(NamedTuple):
    """The images of a record.

    Attributes:
        images: the before and the after image; None for a missing one.
        problems: for each image its undecodable values, as name of the column and reason.
        error: the reason why the images cannot be read; None if they can, or if the record has none.
    """

    images: tuple[Image, Image] = (None, None)
    problems: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
    error: TrailError | None = None


def single_images(record: Record, definitions: RowDefinitions) -> SingleImages:
    """Return the images of one record; an error is returned, not raised."""
    try:
        images = record.images
    except TrailError as error:
        return SingleImages(error=error)
    if images is None:
        return SingleImages()
    known = definitions.of(record)
    before, after = (_single_image(columns, record, known) for columns in (images.before, images.after))
    return SingleImages((before[0], after[0]), (before[1], after[1]))


def _single_image(columns: Columns | None, record: Record, known: RowDefinition) -> tuple[Image, list[tuple[str, str]]]:
    if columns is None:
        return None, []
    described = known.table.columns if known.table else ()
    shown: list[dict[str, Any]] = []
    problems: list[tuple[str, str]] = []
    for column, value in zip(columns, values_of(columns, known, record.order), strict=True):
        definition = described[column.index] if column.index < len(described) else None
        shown.append({"index": column.index, "name": definition.name if definition else None})
        shown[-1] |= {"bytes": None if column.is_null else column.value, "is_null": column.is_null, "value": None}
        if definition is not None:
            shown[-1]["value"] = decoded_text(value)
            problem = definition.name, value.problem or ""
            problems += [problem] if value.problem is not None and problem not in problems else []
    return shown, problems


BEFORE, AFTER = 0, 1
SIDES = ("before", "after")


def image_parts(rows: Rows) -> ImageFields:
    """Return the positions of the columns in both images; computed once per ``rows``."""
    if "images" not in rows.walked:
        rows.walked["images"] = images_of(rows)
    fields: ImageFields = rows.walked["images"]
    return fields


def _image(which: int) -> Callable[[Rows], Any]:
    def build(rows: Rows) -> Any:
        fields = image_parts(rows)
        present = fields.present[which] & fields.is_sound
        parts = fields.images[which]
        kind = IMAGE.arrow(pa)
        array = lists(kind, parts.first, _columns(rows, parts, _values(rows, which), kind.value_type), present)
        unsound = _single(rows)
        report_undecodable(rows, which)
        try:
            return replaced(array, list(unsound), [images.images[which] for images in unsound.values()])
        except pa.ArrowException:
            raise too_large(rows, "too much text for one array") from None

    return build


def _columns(rows: Rows, parts: Fields, known: ImageTexts, kind: Any) -> Any:
    """Return a struct for each column: index, name, stored bytes, whether it is NULL, text."""
    start, size = parts.start, np.minimum(parts.size, 2)
    last = len(rows.view) - 1
    has_mark = (rows.view[np.minimum(start, last)] == 0xFF) & (rows.view[np.minimum(start + 1, last)] == 0xFF)
    is_null = has_mark & (size == 2)
    values = bytes_at(rows.view, start + size, parts.size - size, ~is_null)
    names = pa.array(known.names or [""], pa.string()).take(masked(np.maximum(known.columns, 0), known.columns >= 0))
    texts = arrow_strings(known.texts).take(pa.array(known.places))
    arrays = [pa.array(parts.number.astype(np.int32)), names, values, pa.array(is_null), texts]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


def _values(rows: Rows, which: int) -> ImageTexts:
    """Return the values of the columns of an image; computed once, for the image and for ``problems``."""
    name = f"values {which}"
    if name not in rows.walked:
        parts = image_parts(rows).images[which]
        rows.walked[name] = image_texts(rows, parts, _known(rows), parts.region)
    values: ImageTexts = rows.walked[name]
    return values


def _known(rows: Rows) -> DefinitionGroups:
    """Return the definitions of the rows with images; computed once, for both images."""
    if "definitions" not in rows.walked:
        before, after = image_parts(rows).images
        rows.walked["definitions"] = definitions_of(rows, (before.counts > 0) | (after.counts > 0))
    known: DefinitionGroups = rows.walked["definitions"]
    return known


def _single(rows: Rows) -> dict[int, SingleImages]:
    """Return the images of the rows that have to be read as records, by row number; computed once."""
    if "single images" not in rows.walked:
        unsound = np.flatnonzero(~image_parts(rows).is_sound).tolist()
        rows.walked["single images"] = {
            row: single_images(rows.record(row), rows.source.definitions) for row in unsound
        }
    images: dict[int, SingleImages] = rows.walked["single images"]
    return images


def value_problems(rows: Rows, which: int) -> list[ValueProblem]:
    """Return the undecodable values of an image, in the order of the rows."""
    single = [
        ValueProblem(row, *problem) for row, images in _single(rows).items() for problem in images.problems[which]
    ]
    return sorted([*_values(rows, which).problems, *single], key=lambda problem: problem.row)


def report_undecodable(rows: Rows, which: int) -> None:
    """Report undecodable images and values, unless they become null and the column ``problems`` gives the reason."""
    if rows.source.explains_nulls and not rows.source.ends_at_undecodable:
        return
    for row, images in _single(rows).items():
        if images.error is not None:
            rows.source.undecodable(images.error, is_cut=bool(rows.record(row).header.continued))
    if problems := value_problems(rows, which):
        first, other_count = problems[0], len(problems) - 1
        more = f" ({other_count} more values of this batch do not decode)" if other_count else ""
        error = BadData(f"{SIDES[which]}.{first.column}: {first.reason}{more}")
        rows.source.undecodable(error.at(rows.source.trail.path, int(rows.of("rba")[first.row])))


BUILDERS = {"before": _image(BEFORE), "after": _image(AFTER)}
