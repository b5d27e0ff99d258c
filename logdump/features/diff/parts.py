"""The parts in which two records or changes differ, as text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from logdump.display.token_text import user_tokens_text
from logdump.features.diff.model import PartDifference
from logdump.notation.differing import first_difference
from logdump.notation.times import iso_time
from trailformat.changes.canonical import canonical, column_form
from trailformat.changes.row_changes import Change
from trailformat.codec.tokens import GGS_TOKENS, token_name
from trailformat.records.io_types import io_type_name
from trailformat.transactions.records import TransactionRecord
from trailformat.values import decode_value
from trailformat.values.value import Value

_SHOWN_BYTES = 16
_PIECE = 1 << 20
"""Bytes that are compared at once."""
IMAGES = ("before", "after")


class Cell(NamedTuple):
    """A column in an image: what is compared, and its text."""

    compared: Hashable
    text: str


Cells = Mapping[tuple[str, str], Cell]
"""By image and column name."""


def cells_of_change(change: Change) -> Cells:
    """The columns of a change by their values."""
    return {
        (image, column.name or _numbered(column.index)): Cell((value.is_null, value.text), value.text)
        for column in change.columns
        for image, value in zip(IMAGES, (column.before, column.after), strict=True)
        if value is not None
    }


def cells_of_record(one: TransactionRecord) -> Cells:
    """The columns of a record by their bytes; their text by the definitions, where there are any."""
    known, record = one.definitions.of(one.record), one.record
    cells: dict[tuple[str, str], Cell] = {}
    for image in IMAGES:
        for column in getattr(record.images, image) or ():
            described = known.column(column.index)
            value: Value = decode_value(column, described, record.order, known.charset)
            name = described.name if described is not None else _numbered(column.index)
            cells[image, name] = Cell(column_form(column, record.order), value.text)
    return cells


def _numbered(index: int) -> str:
    return f"column {index}"


def differing_cells(a: Cells, b: Cells, *, ignores_absent: bool = False) -> Iterator[PartDifference]:
    """The columns in which two rows differ; one that an image lacks has no text there."""
    for key in dict.fromkeys((*a, *b)):
        cell, other = a.get(key), b.get(key)
        if cell is None or other is None:
            if not ignores_absent:
                yield PartDifference(*key, cell.text if cell else None, other.text if other else None)
        elif cell.compared != other.compared:
            yield PartDifference(*key, cell.text, other.text)


def differing_parts(
    a: TransactionRecord, b: TransactionRecord, left_out: frozenset[str], *, ignores_absent: bool = False
) -> Iterator[PartDifference]:
    """The parts in which the canonical forms of two records differ; of images the columns, where both have some."""
    forms = [canonical(one.trail, one.record, left_out) for one in (a, b)]
    parts = [part for part in forms[0] if forms[0][part] != forms[1][part]]
    if "data" not in parts and any(part in IMAGES for part in parts):
        columns = list(differing_cells(cells_of_record(a), cells_of_record(b), ignores_absent=ignores_absent))
        yield from columns
        if not columns and not ignores_absent:
            yield PartDifference("columns", None, *(_order_of(one) for one in (a, b)))
    for part in parts:
        if part not in IMAGES:
            yield _differing(part, forms[0][part], forms[1][part])


def differing_bytes(a: TransactionRecord, b: TransactionRecord) -> Iterator[PartDifference]:
    """The first place in which the bytes of two records differ."""
    records = a.record, b.record
    for start in range(0, max(record.length for record in records), _PIECE):
        pieces = [record.cut(start, start + _PIECE) for record in records]
        if pieces[0] != pieces[1]:
            at = start + first_difference(*pieces)
            yield PartDifference(
                "bytes", None, *(_shown(one.length, at, one.cut(at, at + _SHOWN_BYTES)) for one in records)
            )
            return


def _differing(part: str, a: Any, b: Any) -> PartDifference:
    if isinstance(a, bytes) and isinstance(b, bytes):
        at = first_difference(a, b)
        return PartDifference(part, None, *(_bytes_from(one, at) for one in (a, b)))
    text = _TEXTS.get(part, str)
    return PartDifference(part, None, *(None if one is None or one == () else text(one) for one in (a, b)))


def _bytes_from(data: bytes | str, at: int) -> str:
    """Return the bytes from an offset on, or the text that represents data that is too long."""
    return data if isinstance(data, str) else _shown(len(data), at, data[at : at + _SHOWN_BYTES])


def _shown(size: int, at: int, data: bytes) -> str:
    return f"{size} bytes, at {at}: {data.hex() or 'none'}"


def _order_of(one: TransactionRecord) -> str:
    images = one.record.images
    indexes = [column.index for image in IMAGES for column in getattr(images, image, None) or ()]
    return " ".join(map(str, indexes))


def _tokens_text(tokens: Any) -> str:
    if isinstance(tokens, bytes | str):
        return _bytes_from(tokens, 0)
    return ", ".join(f"{token_name(GGS_TOKENS, token) or hex(token)} {_token_text(data)}" for token, data in tokens)


def _token_text(data: bytes) -> str:
    text = data.rstrip(b"\0\1").decode("ascii", "replace")
    return text if text.isprintable() and text.isascii() else data.hex()


def _user_tokens_text(tokens: Any) -> str:
    return _bytes_from(tokens, 0) if isinstance(tokens, bytes | str) else user_tokens_text(tokens)


def _character(code: int) -> str:
    return chr(code) if chr(code).isprintable() else f"x{code:02x}"


_TEXTS: dict[str, Callable[[Any], str]] = {
    "type": io_type_name,
    "before_after": _character,
    "format_type": _character,
    "time": lambda time: iso_time(time) or str(time),
    "position": lambda position: f"{position[0]} / {position[1]}",
    "data": lambda data: _bytes_from(data, 0),
    "row_id": _tokens_text,
    "transaction": _tokens_text,
    "tokens": _tokens_text,
    "user_tokens": _user_tokens_text,
}
"""How parts are written that are no plain numbers or texts."""
