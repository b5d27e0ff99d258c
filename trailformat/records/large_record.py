"""Records that are too large for memory: they are described without reading more than a part of them.

Extract splits rows into fragments of a few kilobytes; a record of more than LARGEST bytes is damage or hostile. Its
frame, header and small tokens are available as in any record. A part of more than LARGEST bytes is not decoded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Never

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source, copied
from trailformat.codec.on_demand import Lazy
from trailformat.codec.tokens import Token, TokenPart, is_wide
from trailformat.errors import BadData, BadRecord
from trailformat.records import framing
from trailformat.records.record import LARGEST, Record
from trailformat.records.record_header import RecordHeader, parse_header

PIECE = 1 << 20
"""Size in bytes of the pieces in which such a record is read."""


class LargeRecord(Record):
    """A sound record of more than LARGEST bytes, whose bytes are read from its file on demand.

    ``raw``, ``body`` and everything else with more than LARGEST bytes raise BadData.
    """

    def __init__(self, source: Source, rba: int, length: int, order: ByteOrder, path: Path | None) -> None:
        self.rba = rba
        self.order = order
        self.path = path
        self._source = source
        self._length = length

    @property
    def raw(self) -> Never:  # type: ignore[override]  # all its bytes are never there
        """Not available.

        Raises:
            BadData: always.
        """
        raise self._too_large("the record", self._length)

    @property
    def body(self) -> bytes:
        """Not available. Raises like raw."""
        return self.raw

    @property
    def length(self) -> int:
        """Size in bytes, from the first byte of the record to the last of its trailer."""
        return self._length

    @property
    def is_file_header(self) -> bool:
        """True for the ``F`` record."""
        return self._source[self.rba] == framing.FILE_HEADER

    @property
    def _frame_size(self) -> int:
        return 6 if is_wide(self._source[self.rba + 1]) else 4

    @Lazy
    def frame(self) -> Token:
        """The ``G`` or ``F`` token, without its payload."""
        return Token(self._source[self.rba], self._source[self.rba + 1], b"")

    @property
    def trailer(self) -> Token:
        """The ``Z`` token."""
        offset = self.rba + self._length - self._frame_size
        return Token(self._source[offset], self._source[offset + 1], b"")

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the body.

        Raises:
            TrailError: the framing is broken, or the payload of a token has more than LARGEST bytes.
        """
        return tuple(map(self._token, self.parts))

    def token(self, token_id: str) -> Token | None:
        """Return the first token of the body with this id. Raises like tokens."""
        part = self.part(token_id)
        return self._token(part) if part else None

    def payload(self, token_id: str) -> bytes | None:
        """Return the payload of the first token of the body with this id; None if there is none. Raises like tokens."""
        token = self.token(token_id)
        return token.payload if token is not None else None

    def _token(self, part: TokenPart) -> Token:
        if part.size > LARGEST:
            raise self._too_large(_NAMES.get(part.id, f"token x{part.id:02x}"), part.size)
        return Token(part.id, part.info, self.cut(part.at, part.at + part.size))

    def head(self, token_id: str, most: int) -> bytes:
        """Return up to ``most`` (and LARGEST) leading bytes of a token's payload. Raises like parts."""
        part = self.part(token_id)
        return self.cut(part.at, part.at + min(part.size, most, LARGEST)) if part else b""

    def stretches(self, token_id: str, overlap: int = 0, start: int = 0) -> Iterator[bytes]:
        """Yield a token's payload from an offset on, in overlapping stretches. Raises like parts."""
        part = self.part(token_id)
        for offset in range(start, part.size if part else 0, PIECE):
            yield self.cut(part.at + offset, part.at + min(offset + PIECE + overlap, part.size)) if part else b""

    @property
    def data_size(self) -> int:
        """Size in bytes of the payload of ``D``."""
        part = self.part("D")
        return part.size if part else 0

    def cut(self, start: int, stop: int) -> bytes:
        """Return the bytes from one offset to before another, at most LARGEST."""
        return copied(self._source, self.rba + start, self.rba + min(stop, start + LARGEST, self._length))

    @property
    def placed(self) -> tuple[Source, int]:
        """The bytes of the file, and the record's RBA."""
        return self._source, self.rba

    def pieces(self) -> Iterator[bytes]:
        """Yield all the bytes, in consecutive pieces."""
        for start in range(0, self._length, PIECE):
            yield self.cut(start, start + PIECE)

    @Lazy
    def header(self) -> RecordHeader:
        """The record header. Raises like that of a Record."""
        with self.located():
            if self.is_file_header:
                raise BadRecord("record has no header", expected="header token x47 'G'", found="x46")
            _, _, start, size = self.places[0]
            return parse_header(self.cut(start, start + size), self.order)

    @property
    def data_length(self) -> int:
        """``Len`` of the display: of a file header its length less 8, else the size of its data."""
        return self._length - 8 if self.is_file_header else self.data_size

    def _too_large(self, what: str, size: int) -> BadData:
        error = BadData(f"{what} has {size} bytes: more than {LARGEST} are not taken apart")
        error.at(self.path, self.rba)
        return error


_NAMES = {ord("D"): "the data", ord("T"): "the block of GGS tokens", ord("U"): "the block of user tokens"}
