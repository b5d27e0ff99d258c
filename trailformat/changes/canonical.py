"""The canonical form of a record: equal for two records of the same meaning, however their files write them.

It omits the byte order, the indexes of definitions, whether a header holds its table's name or an index, the info of
tokens, and the bytes after the indicator of a NULL. A length prefix is in the byte order of the file: if the first two
bytes of a value equal the length of the rest, they count as one and become big-endian.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import LOGCSN, ROWID, TRANID
from trailformat.errors import TrailError
from trailformat.records.columns import NULL, Column, Columns, Images
from trailformat.records.record import LARGEST

if TYPE_CHECKING:
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile

Part = Callable[["TrailFile", "Record"], Any]
ColumnForm = tuple[int, bytes, bytes]
"""The index of a column, its indicator, and its bytes."""
_LENGTH = 2


def column_form(column: Column, order: ByteOrder) -> ColumnForm:
    """The canonical form of a column of a file in this byte order."""
    if column.is_null:
        return column.index, NULL, b""
    value = column.value
    if len(value) >= _LENGTH and order.decode(value[:_LENGTH]) == len(value) - _LENGTH:
        value = ByteOrder.BIG.encode(len(value) - _LENGTH, _LENGTH) + value[_LENGTH:]
    return column.index, column.raw[:_LENGTH], value


def images_of(record: Record) -> Images | None:
    """The images of a record; None if it has none, or they cannot be decoded."""
    try:
        return record.images
    except TrailError:
        return None


def _columns(columns: Columns | None, order: ByteOrder) -> tuple[ColumnForm, ...] | None:
    return None if columns is None else tuple(column_form(column, order) for column in columns)


def _image(name: str) -> Part:
    def part(_: TrailFile, record: Record) -> tuple[ColumnForm, ...] | None:
        images = images_of(record)
        return _columns(getattr(images, name), record.order) if images is not None else None

    return part


def _payload(record: Record, token_id: str) -> bytes | str:
    """Return the payload of a token, empty if there is none; its size and digest if it is larger than LARGEST."""
    part = record.part(token_id)
    if part is None or part.size <= LARGEST:
        return record.head(token_id, LARGEST)
    digest = sha256()
    for stretch in record.stretches(token_id):
        digest.update(stretch)
    return f"{part.size} bytes, SHA-256 {digest.hexdigest()}"


def _data(_: TrailFile, record: Record) -> bytes | str | None:
    """Return the data if it cannot be split into images."""
    return _payload(record, "D") if images_of(record) is None else None


def _field(name: str) -> Part:
    return lambda _, record: getattr(record.header, name)


def _tokens(wanted: Callable[[int], bool], *, takes_broken: bool = False) -> Part:
    """Return a part with the GGS tokens of the wanted ids; ``takes_broken``: of undecodable tokens the bytes."""

    def part(_: TrailFile, record: Record) -> Any:
        try:
            return tuple((token.id, token.payload) for token in record.gg_tokens if wanted(token.id))
        except TrailError:
            return _payload(record, "T") if takes_broken and record.part("T") is not None else ()

    return part


def _user_tokens(_: TrailFile, record: Record) -> Any:
    try:
        return record.user_tokens
    except TrailError:
        return _payload(record, "U")


_OF_TRANSACTION = (LOGCSN, TRANID)

PARTS: dict[str, Part] = {
    "type": _field("io_type"),
    "table": lambda trail, record: trail.name_of(record),
    "trans_ind": _field("trans_ind"),
    "before_after": _field("before_after"),
    "undo_flag": _field("undo_flag"),
    "format_type": _field("format_type"),
    "syskey_len": _field("syskey_len"),
    "continued": _field("continued"),
    "rec_count": _field("rec_count"),
    "time": _field("io_time"),
    "position": lambda _, record: (record.header.audit_rba, record.header.audit_pos),
    "before": _image("before"),
    "after": _image("after"),
    "data": _data,
    "row_id": _tokens(lambda token_id: token_id == ROWID),
    "transaction": _tokens(lambda token_id: token_id in _OF_TRANSACTION),
    "tokens": _tokens(lambda token_id: token_id not in (ROWID, *_OF_TRANSACTION), takes_broken=True),
    "user_tokens": _user_tokens,
}
"""The parts of the canonical form by name."""


def canonical(trail: TrailFile, record: Record, left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the canonical form of a record: its parts by name, without those left out."""
    return {name: part(trail, record) for name, part in PARTS.items() if name not in left_out}
