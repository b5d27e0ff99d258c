"""A record of a trail: its bytes, and their parts.

    G { H header · D data · T GGS tokens · U user tokens } Z

The file header is a record too (``F { groups } Z``). Parts are decoded on demand; :meth:`Record.build` builds the same
bytes from the decoded tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.codec.on_demand import Lazy, on_demand
from trailformat.codec.tokens import (
    LOGCSN,
    MOST_NARROW,
    ROWID,
    TRANID,
    WIDE,
    Token,
    TokenPart,
    TokenPlace,
    build_tokens,
    is_wide,
    make_token,
    parse_tokens,
    walk_tokens,
)
from trailformat.errors import BadData, BadRecord, CannotWrite, TrailError
from trailformat.records import framing, record_header
from trailformat.records.record_header import (
    NAME_IS_INDEX,
    RecordHeader,
    build_header,
    header_in,
    name_text,
)

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout
    from trailformat.definitions import metadata
    from trailformat.records import columns, file_header

if TYPE_CHECKING:
    from trailformat.definitions.metadata import DatabaseDefinition, TableDefinition
    from trailformat.records.columns import Images
    from trailformat.records.file_header import FileHeader


LARGEST = 1 << 23
"""Maximum size in bytes of a record, or of a part of one, that is kept in memory as a whole."""

UserTokens = tuple[tuple[bytes, bytes], ...]


def parse_user_tokens(data: bytes) -> UserTokens:
    """Return the pairs that fill ``data``.

    Raises:
        BadData: a name or value is not terminated.
    """
    texts = data.split(b"\0")
    if texts.pop() or len(texts) % 2:
        raise BadData("user token is not terminated", expected="pairs of NUL-terminated name and value")
    return tuple(zip(texts[::2], texts[1::2], strict=True))


def build_user_tokens(pairs: UserTokens | list[tuple[bytes, bytes]]) -> bytes:
    """Return the bytes of the pairs.

    Raises:
        CannotWrite: a name or value contains a NUL.
    """
    if any(b"\0" in text for pair in pairs for text in pair):
        raise CannotWrite("a user token cannot hold a NUL")
    return layout.build(spec.USER_TOKENS, [{"name": name, "value": value} for name, value in pairs], "user tokens")


T = TypeVar("T")
_WIDEST_LENGTH = MOST_NARROW
_PIECE = 1 << 20


class _Part(Lazy[T]):
    """A part of a record, decoded on first access; a TrailError gets the record's file and RBA."""

    def make(self, owner: Any) -> T:
        try:
            return self.func(owner)
        except TrailError as error:
            error.at(owner.path, owner.rba)
            raise


class Record:
    """A whole record.

    Attributes:
        raw: all its bytes, from the id of ``G`` or ``F`` to the end of the trailer.
        rba: byte offset in its file.
        order: byte order of its lengths and integers.
        path: its file, or None.

    Args:
        places: the places of its tokens in ``raw``, if known.
    """

    def __init__(
        self,
        raw: bytes,
        *,
        rba: int = 0,
        order: ByteOrder = ByteOrder.BIG,
        path: Path | None = None,
        places: list[TokenPlace] | None = None,
    ) -> None:
        self.raw = raw
        self.rba = rba
        self.order = order
        self.path = path
        if places is not None:
            self.places = places

    def __repr__(self) -> str:
        fields = [f"at RBA {self.rba}", f"{self.length} bytes"]
        try:
            kind = "FileHeader" if self.is_file_header else record_header.io_type_name(self.header.io_type)
            if kind != "FileHeader":
                table = self.table_index
                fields += [f"table {table}"] if table is not None else [f"name {self.name!r}"] if self.name else []
                fields += [f"CSN {self.csn!r}"] if self.csn is not None else []
        except (TrailError, IndexError) as error:  # a debugger shows damaged ones too
            kind = "damaged"
            fields += [error.explained()] if isinstance(error, TrailError) else []
        return f"<Record {kind} {', '.join(fields)}>"

    @property
    def length(self) -> int:
        """Size in bytes, from the first byte of the record to the last of its trailer."""
        return len(self.raw)

    @property
    def is_file_header(self) -> bool:
        """True for the ``F`` record."""
        return self.raw[0] == framing.FILE_HEADER

    @property
    def _frame_size(self) -> int:
        return 6 if is_wide(self.raw[1]) else 4

    @property
    def body(self) -> bytes:
        """The bytes between the record token and the trailer."""
        return self.raw[self._frame_size : -self._frame_size]

    @Lazy
    def frame(self) -> Token:
        """The ``G`` or ``F`` token; its payload is the body."""
        return Token(self.raw[0], self.raw[1], self.body)

    @property
    def trailer(self) -> Token:
        """The ``Z`` token."""
        return Token(self.raw[-self._frame_size], self.raw[1 - self._frame_size], b"")

    @_Part
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the body: ``H``, ``D``, ``T``, ``U`` and any unknown ones, in order.

        Raises:
            TrailError: the framing is broken.
        """
        raw = self.raw
        return tuple([Token(token, info, raw[start : start + size]) for token, info, start, size in self.places])

    def token(self, token_id: str) -> Token | None:
        """Return the first token of the body with this id."""
        return next((token for token in self.tokens if token.id == ord(token_id)), None)

    @_Part
    def places(self) -> list[TokenPlace]:
        """The places of the tokens of the body. Raises like tokens."""
        source, start = self.placed
        stop = start + self.length - self._frame_size
        places, tokens_end = walk_tokens(source, start + self._frame_size, stop, self.order, start)
        if tokens_end != stop:
            parse_tokens(self.body, self.order)  # raises the error
        return places

    @Lazy
    def parts(self) -> tuple[TokenPart, ...]:
        """The places of the tokens of the body, with names. Raises like tokens."""
        return tuple(map(TokenPart._make, self.places))

    @property
    def part_ids(self) -> bytes:
        """The ids of the tokens of the body, in order. Raises like tokens."""
        return bytes([place[0] for place in self.places])

    def part(self, token_id: str) -> TokenPart | None:
        """Return the place of the first token of the body with this id. Raises like tokens."""
        return self.parts[index] if (index := self.part_ids.find(ord(token_id))) >= 0 else None

    def head(self, token_id: str, most: int) -> bytes:
        """Return up to ``most`` leading bytes of a token's payload, b"" without one. Raises like tokens."""
        return (self.payload(token_id) or b"")[:most]

    def stretches(self, token_id: str, overlap: int = 0, start: int = 0) -> Iterator[bytes]:  # noqa: ARG002 - there is one stretch
        """Yield a token's payload from an offset on, in overlapping stretches. Raises like tokens."""
        payload = self.payload(token_id)
        if payload is not None:
            yield payload[start:]

    @property
    def data_size(self) -> int:
        """Size in bytes of the payload of ``D``."""
        return len(self.data)

    def cut(self, start: int, stop: int) -> bytes:
        """Return the bytes from one offset to before another."""
        return self.raw[start:stop]

    def has_bytes_of(self, other: Record) -> bool:
        """Return True if two records have the same bytes."""
        starts = range(0, self.length, _PIECE) if self.length == other.length else ()
        return bool(starts) and all(
            self.cut(start, start + _PIECE) == other.cut(start, start + _PIECE) for start in starts
        )

    @property
    def placed(self) -> tuple[Source, int]:
        """A buffer that contains the record, and its offset there."""
        return self.raw, 0

    def pieces(self) -> Iterator[bytes]:
        """Yield all the bytes, in consecutive pieces."""
        yield self.raw

    @_Part
    def header(self) -> RecordHeader:
        """The record header.

        Raises:
            BadRecord: this is a file header, or ``H`` is too short.
        """
        if self.raw[0] == framing.FILE_HEADER:
            raise BadRecord("record has no header", expected="token x47 'G'", found="x46")
        _, _, start, size = self.places[0]
        return header_in(self.raw, start, size, self.order)

    def payload(self, token_id: str) -> bytes | None:
        """Return the payload of the first token of the body with this id; None if there is none. Raises like tokens."""
        wanted = ord(token_id)
        for name, _, start, size in self.places:
            if name == wanted:
                return self.raw[start : start + size]
        return None

    @property
    def data(self) -> bytes:
        """The payload of ``D``; empty if there is none."""
        return self.payload("D") or b""

    @property
    def data_length(self) -> int:
        """``Len`` of the display: RecLength; of a file header its length less 8; of a wide record its data's size."""
        if self.is_file_header:
            return self.length - 8
        return self.header.record_length if self.length <= _WIDEST_LENGTH else len(self.data)

    @_Part
    def gg_tokens(self) -> tuple[Token, ...]:
        """The tokens of ``T``; empty if there is none.

        Raises:
            BadToken: ``T`` does not contain tokens.
        """
        return parse_tokens(self.payload("T") or b"", self.order)

    @_Part
    def user_tokens(self) -> UserTokens:
        """The pairs of ``U``; empty if there is none.

        Raises:
            BadData: ``U`` does not contain NUL-terminated pairs.
        """
        return parse_user_tokens(self.payload("U") or b"")

    @_Part
    def images(self) -> Images | None:
        """The columns before and after, or None if the record has none, as a file header.

        Raises:
            BadData: the data does not match the type.
        """
        if self.is_file_header:
            return None
        return columns.parse_images(self.header, self.data, self.order)

    @_Part
    def file_header(self) -> FileHeader:
        """The groups of a file header record.

        Raises:
            BadData: it is not a file header.
        """
        if not self.is_file_header:
            raise BadData("this record is not a file header")
        return file_header.parse_file_header(self.body)

    @property
    def is_metadata(self) -> bool:
        """True for a DDR, a TDR or a reference to one."""
        return not self.is_file_header and self.header.io_type == record_header.METADATA

    @property
    def metadata_indexes(self) -> tuple[int, int]:
        """DDR and TDR index of a metadata record: the two halves of its AuditRBA field."""
        stored = self.order.encode(self.header.audit_rba, 4)
        return self.order.decode(stored[:2]), self.order.decode(stored[2:])

    @property
    def metadata(self) -> DatabaseDefinition | TableDefinition | None:
        """The definition in a metadata record; None for other records and for a reference.

        Raises:
            TrailError: the data is not a definition.
        """
        if not self.is_metadata:
            return None
        kind = self.header.orig_node
        with self.located():
            if kind == record_header.DATABASE:
                return metadata.parse_database(self.data, self.order)
            return metadata.parse_table(self.data, self.order) if kind == record_header.TABLE else None

    @property
    def table_index(self) -> int | None:
        """The index of the table definition in force; None if the header has a name instead."""
        header = self.header
        if not header.partition & NAME_IS_INDEX or len(header.name_field) < 2:
            return None
        return int.from_bytes(header.name_field[:2], self.order.word)

    @property
    def name(self) -> str:
        """The name in the header: ``schema.table``, the database of a DDR, empty if it is an index or empty."""
        return "" if self.header.name_is_index else name_text(self.header.name_field)

    def _gg_text(self, token_id: int) -> str | None:
        for token in self.gg_tokens:
            if token.id == token_id:
                return token.payload.decode(errors="backslashreplace")
        return None

    @property
    def csn(self) -> str | None:
        """LOGCSN, which only the first record of a transaction has; None without it."""
        return self._gg_text(LOGCSN)

    @property
    def xid(self) -> str | None:
        """TRANID, which only the first record of a transaction has; None without it."""
        return self._gg_text(TRANID)

    @property
    def row_id(self) -> str | None:
        """The first 18 characters of ORAROWID; None without it."""
        text = self._gg_text(ROWID)
        return text[:18] if text is not None else None

    def located(self) -> _Located:
        """Return a context in which a TrailError gets this record's file and RBA."""
        return _Located(self)

    def build(self) -> bytes:
        """Return the record's bytes, built from its decoded parts."""
        body = (
            file_header.build_file_header(self.file_header)
            if self.is_file_header
            else build_tokens(self.tokens, self.order)
        )
        return build_record(self.frame.info, body, self.order, chr(self.frame.id), self.trailer.info)


class _Located:
    """See :meth:`Record.located`."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TrailError):
            error.at(self._record.path, self._record.rba)


def build_record(info: int, body: bytes, order: ByteOrder, kind: str = "G", trailer_info: int | None = None) -> bytes:
    """Return a body between record token and trailer; info gets the wide bit if the length needs it.

    The trailer has the record's info unless another is given.
    """
    trailer_info = info if trailer_info is None else trailer_info
    if len(body) + 8 > _WIDEST_LENGTH:
        info, trailer_info = info | WIDE, trailer_info | WIDE
    stored = {"id": ord(kind), "info": info, "body": body, "trailer_info": trailer_info}
    return layout.build(spec.record(order.value), stored, "record")


def make_record(
    header: RecordHeader,
    data: bytes | Images = b"",
    gg_tokens: tuple[Token, ...] | list[Token] = (),
    user_tokens: bytes = b"",
    order: ByteOrder = ByteOrder.BIG,
) -> Record:
    """Return a record from its parts; RecLength is set from the data, and empty parts are omitted, as by Extract.

    Raises:
        CannotWrite: a part does not fit.
    """
    payload = data if isinstance(data, bytes) else columns.build_images(data, order)
    header = header._replace(record_length=min(len(payload), 0xFFFF))
    tokens = [make_token("H", build_header(header, order))]
    tokens += [make_token("D", payload)] if payload else []
    tokens += [make_token("T", build_tokens(list(gg_tokens), order))] if gg_tokens else []
    tokens += [make_token("U", user_tokens)] if user_tokens else []
    return Record(build_record(0x01, build_tokens(tokens, order), order), order=order)


def make_file_header_record(header: FileHeader) -> Record:
    """Return the ``F`` record of a header."""
    return Record(build_record(0x00, file_header.build_file_header(header), ByteOrder.BIG, kind="F"))


def replace_header(record: Record, header: RecordHeader) -> Record:
    """Return ``record`` with another header and otherwise the same bytes."""
    payload = build_header(header, record.order)
    tokens = [token._replace(payload=payload) if token.id == ord("H") else token for token in record.tokens]
    raw = build_record(record.frame.info, build_tokens(tokens, record.order), record.order)
    return Record(raw, rba=record.rba, order=record.order, path=record.path)
