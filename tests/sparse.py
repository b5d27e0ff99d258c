"""Trails with records of a gigabyte, most of it a hole of the file: they take no room on the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from fixtures import TRAILS
from trailformat import ByteOrder, Record, RecordHeader, Token, TrailFile
from trailformat.codec.tokens import WIDE, build_tokens
from trailformat.records.record_header import DDL_OP, LARGE_OBJECT, METADATA, RECORD_FRAGMENT, build_header

GIGABYTE = 1 << 30
_ORDER = ByteOrder.BIG
_INDICATOR = 2
_WIDEST_COLUMN = 0xFFFF - _INDICATOR


class Hole(NamedTuple):
    """A token whose payload is a hole, but for what ``fill`` writes into it."""

    letter: str
    size: int = GIGABYTE
    fill: Callable[[BinaryIO, int, int], object] = lambda _file, _at, _size: None


def wide_token(letter: str, length: int) -> bytes:
    """The beginning of a token with a length of four bytes."""
    return bytes([ord(letter), WIDE]) + _ORDER.encode(length, 4)


def with_large_record(path: Path, *parts: bytes | Hole, rows: int = 0) -> int:
    """Write the definitions of a fixture, rows, a record of these parts, and a row; returns the RBA of the record."""
    with TrailFile(TRAILS / "et000000000") as trail, path.open("wb") as file:
        before, last = _beginning(trail)
        file.write(b"".join(record.raw for record in [*before, *[last] * rows]))
        rba = file.tell()
        length = 12 + sum(len(part) if isinstance(part, bytes) else 6 + part.size for part in parts)
        file.write(wide_token("G", length))
        for part in parts:
            if isinstance(part, bytes):
                file.write(part)
                continue
            file.write(wide_token(part.letter, part.size))
            at = file.tell()
            part.fill(file, at, part.size)
            file.seek(at + part.size)
        file.write(wide_token("Z", length))
        file.write(last.raw)
    return rba


def _beginning(trail: TrailFile) -> tuple[list[Record], Record]:
    """The records in front of the first row, and that row."""
    records = list(trail.records())
    first = next(at for at, record in enumerate(records) if not record.is_file_header and not record.is_metadata)
    return records[:first], records[first]


def head(**fields: int) -> bytes:
    """The ``H`` of a row of the fixture that is a transaction by itself, with other fields."""
    header = RecordHeader(**{**_row().header._asdict(), "trans_ind": 3, **fields})
    return build_tokens([Token(ord("H"), 0, build_header(header, _ORDER))], _ORDER)


def rest(letters: str) -> bytes:
    """Other tokens of that row."""
    return build_tokens([token for token in _row().tokens if chr(token.id) in letters], _ORDER)


def _row() -> Record:
    with TrailFile(TRAILS / "et000000000") as trail:
        return _beginning(trail)[1]


def _columns(file: BinaryIO, at: int, size: int) -> None:
    """Columns that fill the hole, each as wide as it can be."""
    index = 0
    while size:
        width = min(size - 4, _WIDEST_COLUMN)
        width -= 4 * (0 < size - 4 - width < 4)
        file.seek(at)
        file.write(_ORDER.encode(index, 2) + _ORDER.encode(width, 2))
        at, size, index = at + 4 + width, size - 4 - width, index + 1


def _header(file: BinaryIO, at: int, _size: int) -> None:
    file.seek(at)
    file.write(head()[4:])


LARGE: dict[str, tuple[bytes | Hole, ...]] = {
    "data that is no list of columns": (head(), Hole("D"), rest("T")),
    "16,387 columns": (head(), Hole("D", fill=_columns), rest("T")),
    "GGS tokens": (head(), rest("D"), Hole("T")),
    "user tokens": (head(), rest("DT"), Hole("U")),
    "a header": (Hole("H", fill=_header), rest("DT")),
    "a piece of a LOB": (head(io_type=LARGE_OBJECT), Hole("D"), rest("T")),
    "a fragment": (head(io_type=RECORD_FRAGMENT), Hole("D"), rest("T")),
    "a definition": (head(io_type=METADATA, orig_node=2, partition=0), Hole("D")),
    "a DDL statement": (head(io_type=DDL_OP), Hole("D"), rest("T")),
    "an unknown token": (head(), rest("DT"), Hole("q")),
}
"""Parts of a record, one of which has a gigabyte."""
