"""A reader of trails that imports nothing of ours: the layout as its document has it, read with ``struct``.

It knows the shapes of the fixtures alone: a file header, records with tokens H, D, T and Z, lists of columns, TDRs of
the 12.2 form and references to them, columns of text, integers with a scale, and dates.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

METADATA, DATABASE, TABLE, REFERENCE = 170, 1, 2, 3
FILE_HEADER = -1
"""In place of an IOType."""
OPERATIONS = {3: "DELETE", 5: "INSERT", 10: "UPDATE", 15: "UPDATE", 100: "TRUNCATE", 115: "PK UPDATE"}
OPERATIONS |= {134: "UPDATE", 135: "PK UPDATE"}
WITH_BOTH_IMAGES = {115: ">H", 134: ">I", 135: ">I"}
INTEGERS = (130, 132, 134)
VARIABLE_TEXT, DATETIME = 64, 192

Columns = dict[int, bytes | None]
"""Of an image by index: the bytes behind the indicator, None for NULL."""


class Column(NamedTuple):
    """A column as its TDR defines it."""

    name: str
    data_type: int
    scale: int


class PlainRecord(NamedTuple):
    """One record as it stands in the file; ``op`` is empty where it is no row, an image is None where there is none."""

    rba: int
    length: int
    io_type: int
    op: str
    trans_ind: int
    table: str
    columns: list[Column]
    csn: str
    data: bytes
    before: Columns | None
    after: Columns | None
    raw: bytes
    sign: str

    @property
    def is_header(self) -> bool:
        """Whether it is the file header; ``data`` is what stands between its first token and its trailer then."""
        return self.io_type == FILE_HEADER

    @property
    def values(self) -> dict[str, str | None]:
        """What its images hold by ``before_…`` and ``after_…``, as text; nothing where no definition names columns."""
        return {
            f"{side}_{self.columns[index].name}": None
            if value is None
            else text_of(self.columns[index], value, self.sign)
            for side, image in (("before", self.before), ("after", self.after))
            for index, value in ((image or {}) if self.columns else {}).items()
        }


def tokens(data: bytes, sign: str) -> Iterator[tuple[int, bytes]]:
    """Each token's id and payload."""
    at = 0
    while at < len(data):
        wide = data[at + 1] != 0xFF and data[at + 1] & 0x40
        size, head = (struct.unpack_from(sign + "I", data, at + 2)[0], 6) if wide else (_u16(data, at + 2, sign), 4)
        yield data[at], data[at + head : at + head + size]
        at += head + size


def _u16(data: bytes, at: int, sign: str) -> int:
    return int(struct.unpack_from(sign + "H", data, at)[0])


def columns_of(data: bytes, sign: str) -> Columns:
    """A list of columns: index, length, indicator, value."""
    found: Columns = {}
    at = 0
    while at < len(data):
        index, size = _u16(data, at, sign), _u16(data, at + 2, sign)
        value = data[at + 4 : at + 4 + size]
        found[index] = None if value[:2] == b"\xff\xff" else value[2:]
        at += 4 + size
    return found


def definition(data: bytes, sign: str) -> list[Column]:
    """The columns of a TDR."""
    listed = dict(tokens(dict(tokens(data, sign))[0x30], sign))[0x03]
    found, at = [], 2
    for _ in range(_u16(listed, 0, sign)):
        inner = listed[at + 4 : at + 4 + _u16(listed, at + 2, sign)]
        size = _u16(inner, 0, sign)
        fixed = inner[2 + size :]
        found.append(Column(inner[2 : 2 + size].decode(), _u16(fixed, 0, sign), _u16(fixed, 38, sign)))
        at += 2 + _u16(listed, at, sign)
    return found


def images(io_type: int, before_after: int, data: bytes, sign: str) -> tuple[Columns | None, Columns | None]:
    """The image before and the image after."""
    if io_type in WITH_BOTH_IMAGES:
        form = WITH_BOTH_IMAGES[io_type].replace(">", sign)
        begin = struct.calcsize(form)
        end = begin + struct.unpack_from(form, data)[0]
        return columns_of(data[begin:end], sign), columns_of(data[end:], sign)
    image = columns_of(data, sign)
    return (image, None) if before_after == ord("B") else (None, image)


def read(content: bytes, sign: str, csn: str = "") -> Iterator[PlainRecord]:
    """The records after the file header, up to one that is half written.

    Args:
        content: the bytes of the file.
        sign: struct's byte order.
        csn: of the transaction that goes on from the file before.
    """
    tables: dict[int, tuple[str, list[Column]]] = {}
    rba = _header_size(content)
    while rba + 4 <= len(content) and rba + (length := _u16(content, rba + 2, sign)) <= len(content):
        parts = dict(tokens(content[rba + 4 : rba + length - 4], sign))
        head, data = parts[ord("H")], parts.get(ord("D"), b"")
        io_type, trans_ind, kind = head[6], head[28], head[7]
        is_index = head[1] & 0x08
        name = tables.get(_u16(head, 34, sign), ("", []))[0] if is_index else head[34:].split(b"\0")[0].decode()
        columns = tables.get(_u16(head, 34, sign), ("", []))[1] if is_index else []
        if io_type == METADATA and kind in (TABLE, REFERENCE):
            index = _u16(head, 26, sign)
            is_new = kind == TABLE
            tables[index if is_new else max(tables) + 1] = name, definition(data, sign) if is_new else tables[index][1]
        op = OPERATIONS.get(io_type, "")
        if op and trans_ind in (0, 3):
            csn = dict(tokens(parts.get(ord("T"), b""), sign)).get(ord("L"), b"").decode()
        pair = images(io_type, head[3], data, sign) if op and data else (None, None)
        own, raw = csn if op else "", content[rba : rba + length]
        yield PlainRecord(rba, length, io_type, op, trans_ind, name, columns, own, data, *pair, raw, sign)
        rba += length


def read_all(content: bytes, sign: str, csn: str = "") -> Iterator[PlainRecord]:
    """The file header, where there is one, and the records."""
    if size := _header_size(content):
        raw = content[:size]
        yield PlainRecord(0, size, FILE_HEADER, "", FILE_HEADER, "", [], "", raw[4:-4], None, None, raw, ">")
    yield from read(content, sign, csn)


def _header_size(content: bytes) -> int:
    """A file from before release 10 has none."""
    return _u16(content, 2, ">") if content[:1] == b"F" else 0


def text_of(column: Column, value: bytes, sign: str) -> str:
    """A value as text."""
    if column.data_type in INTEGERS:
        return str(Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-column.scale))
    text = (value[2 : 2 + _u16(value, 0, sign)] if column.data_type == VARIABLE_TEXT else value).decode()
    return f"{text[:10]} {text[11:]}" if column.data_type == DATETIME else text
