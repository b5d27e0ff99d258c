"""Substitutes of records: the same tokens, lengths and numbers of the format, other values, names and texts.

What is not known or cannot be read is replaced as bytes, of which zeros stay zeros, and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from logdump.features.redact.model import Unknown
from trailformat import TrailName
from trailformat.changes.encrypted import placed_in_full_image
from trailformat.changes.segments import Kind, kind_of, whole_record
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import LOGCSN, ROWID, TRANID, TokenPlace, is_known, walk_tokens
from trailformat.errors import BadData, TrailError
from trailformat.records.columns import COLUMN_HEAD, HEADER_BYTES, HEADS, parse_piece
from trailformat.records.file_header import GROUPS, ORDER, SIGNATURE
from trailformat.records.large_record import LargeRecord
from trailformat.records.record import parse_user_tokens
from trailformat.records.record_header import (
    COMMENT,
    DATABASE,
    DDL_OP,
    HEADER_SIZE,
    INDEX_SIZE,
    IO_TYPES,
    NAME_IS_INDEX,
    PREFIX_SIZES,
    REFERENCE,
    ROW_TYPES,
    UPSERT,
    io_type_name,
)

if TYPE_CHECKING:
    from logdump.features.redact.csns import CsnSubstitutes
    from logdump.features.redact.statements import StatementSubstitutes
    from logdump.features.redact.substitutes import Substitutes
    from logdump.features.redact.values import ValueSubstitutes
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile
    from trailformat.trail.row_definitions import RowDefinition, RowDefinitions

_ROWID_SIZE, _ROWID_END = 18, b"\0\1"
_MOST_INDEX = 1 << 10
"""More columns than a table has; a greater index in data that cannot be split is taken for data."""
_NO_LENGTH = b"\xff\xff"
_NUMBER_SIZES = {1: 2, 2: 4, 3: 2}
_FIXED_OF_COLUMN = 44
_CASES = frozenset(quoted << 4 | plain for quoted in (0, 1, 2, 4) for plain in (0, 1, 2, 4))
"""Bytes that say for a kind of object which letters differ; others are none."""
OF_PRODUCERS = frozenset(
    b"""VERSION OGGCORE PLATFORMS PLATFORM FBO ORACLE DATABASE GOLDENGATE ENTERPRISE STANDARD EDITION RELEASE PRODUCTION
    64BIT 32BIT WITH THE PARTITIONING OLAP DATA MINING REAL APPLICATION TESTING OPTIONS AND LINUX AIX SUNOS SOLARIS HPUX
    WINDOWS DARWIN X86 AMD64 AARCH64 ARM64 I386 I686 SPARC POWERPC PPC64 PPC64LE IA64 S390X GMT UTC MYSQL POSTGRESQL
    MARIADB MICROSOFT SQL SERVER DB2 TERADATA SYBASE INFORMIX COMMUNITY MAIN ORASDK DEVELOP EXTREME PERFORMANCE CLIENT
    LIBRARY NT SUN4V SUN4U""".split()
)
"""Words of vendors that stay in versions, names of systems and processors, and names of time zones."""
_SEQNO = re.compile(rb"(.*[/\\])?(.*?)(\d{6}|\d{9})", re.DOTALL)
_KEPT_TEXTS = ("VerString", "ClientVerString", "Sysname", "Hardware", "DbTimeZone")


class RecordSubstitutes:
    """The substitutes of the records of one file.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
        substitutes, values, csns: those of the run.
        statements: those of the file.
        seqno: returns the Seqno of the copy for that of the header.

    Attributes:
        unknown: how often what was not understood, by its name.
    """

    def __init__(
        self,
        trail: TrailFile,
        definitions: RowDefinitions,
        substitutes: Substitutes,
        values: ValueSubstitutes,
        csns: CsnSubstitutes,
        statements: StatementSubstitutes,
        seqno: Callable[[int], int],
    ) -> None:
        self._trail, self._definitions, self._statements = trail, definitions, statements
        self._substitutes, self._values, self._csns, self._seqno = substitutes, values, csns, seqno
        self._rest = b""
        self.unknown: Counter[Unknown] = Counter()
        self._parts: dict[int, Callable[[Record, bytes], bytes]] = {
            ord("H"): self._header,
            ord("D"): self._data,
            ord("T"): self._gg_tokens,
            ord("U"): self._user_tokens,
        }
        self._of_kinds: dict[str, Callable[[str, bytes], bytes]] = {
            "text": self._header_text,
            "csn": self._header_csn,
            "history": self._header_uris,
            "cases": self._header_cases,
            "signature": self._header_signature,
        }

    @property
    def rest(self) -> bytes:
        """The substitute of the data of fragments that are still to come; they may be in the next file."""
        return self._rest

    def go_on_from(self, rest: bytes) -> None:
        """Continue a row of the file before this one."""
        self._rest = rest

    def of(self, record: Record) -> bytes:
        """Return the substitute of a record, of the same length.

        Raises:
            BadData: the record is too large to be held.
        """
        if isinstance(record, LargeRecord):
            raise BadData("the record is too large to be redacted", found=f"{record.length} bytes").at(
                record.path, record.rba
            )
        out = bytearray(record.raw)
        if record.is_file_header:
            for place in record.places:
                _put(out, place, self._group(place[0], record.raw[place[2] : place[2] + place[3]]))
            return bytes(out)
        seen: set[int] = set()
        for place in record.places:
            token, _, start, size = place
            part = self._parts.get(token) if token not in seen else None
            seen.add(token)
            payload = record.raw[start : start + size]
            _put(out, place, part(record, payload) if part is not None else self._unknown_token("", token, payload))
        return bytes(out)

    def _unknown_token(self, where: str, token: int, payload: bytes) -> bytes:
        if payload:
            self.unknown[Unknown("token", f"{where}x{token:02x}")] += 1
        return self._values.bytes_or_text(payload)

    # ---- H, T, U

    def _header(self, record: Record, payload: bytes) -> bytes:
        name = payload[HEADER_SIZE:]
        if record.header.partition & NAME_IS_INDEX and len(name) >= INDEX_SIZE:
            return payload[:HEADER_SIZE] + name[:INDEX_SIZE] + self._substitutes.opaque(name[INDEX_SIZE:])
        text, zero, rest = name.partition(b"\0")
        return payload[:HEADER_SIZE] + self._substitutes.name(text) + zero + self._substitutes.opaque(rest)

    def _gg_tokens(self, record: Record, payload: bytes) -> bytes:
        return self._in_tokens(payload, record.order, self._gg_token)

    def _in_tokens(self, payload: bytes, order: ByteOrder, of_token: Callable[[int, bytes], bytes]) -> bytes:
        """Return tokens with other payloads; bytes that are none are replaced as such."""
        places, end = walk_tokens(payload, 0, len(payload), order)
        if end != len(payload):
            self.unknown[Unknown("damage", "tokens")] += 1
            return self._substitutes.opaque(payload)
        out = bytearray(payload)
        for place in places:
            _put(out, place, of_token(place[0], payload[place[2] : place[2] + place[3]]))
        return bytes(out)

    def _gg_token(self, token: int, payload: bytes) -> bytes:
        if token == LOGCSN or (token == TRANID and b":" in payload):
            return self._csn(payload)
        if token == TRANID:
            return self._substitutes.name(payload)
        if token == ROWID:
            end = payload[_ROWID_SIZE:]
            rest = end if end == _ROWID_END else self._values.bytes_or_text(end)
            return self._values.bytes_or_text(payload[:_ROWID_SIZE]) + rest
        if chr(token) == "D":
            return b"\0".join(self._substitutes.name(part) for part in payload.split(b"\0"))
        return self._values.bytes_or_text(payload) if is_known(token) else self._unknown_token("GGS ", token, payload)

    def _csn(self, payload: bytes) -> bytes:
        bare = payload.rstrip(b" \0")
        other = self._csns.of_text(bare.decode("ascii", "backslashreplace"))
        return (self._substitutes.name(bare) if other is None else other.encode()) + payload[len(bare) :]

    def _user_tokens(self, _record: Record, payload: bytes) -> bytes:
        try:
            pairs = parse_user_tokens(payload)
        except TrailError:
            self.unknown[Unknown("damage", "user tokens")] += 1
            return self._substitutes.opaque(payload)
        substitutes = self._substitutes
        return b"".join(substitutes.name(name) + b"\0" + substitutes.text(value) + b"\0" for name, value in pairs)

    # ---- D

    def _data(self, record: Record, payload: bytes) -> bytes:
        kind = kind_of(record)
        if record.is_metadata:
            return self._metadata(record, payload)
        if kind is Kind.FRAGMENT:
            return self._fragment(payload)
        if kind is Kind.LOB:
            at = HEADER_BYTES if parse_piece(record.header, payload, record.order) is not None else 0
            return payload[:at] + self._values.bytes_or_text(payload[at:])
        other = self._whole_data(record, self._with_fragments(record, payload))
        self._rest = other[len(payload) :]
        return other[: len(payload)]

    def _with_fragments(self, record: Record, payload: bytes) -> bytes:
        """Return the data of a record with that of its fragments; without it if any of them is missing."""
        try:
            whole = whole_record(self._trail, record) if record.header.continued else None
        except TrailError:
            return payload
        return whole.data if whole is not None else payload

    def _fragment(self, payload: bytes) -> bytes:
        if len(self._rest) < len(payload):
            self._rest = b""
            self.unknown[Unknown("damage", "fragments")] += 1
            return self._substitutes.opaque(payload)
        other, self._rest = self._rest[: len(payload)], self._rest[len(payload) :]
        return other

    def _whole_data(self, record: Record, data: bytes) -> bytes:
        io_type = record.header.io_type
        if io_type in ROW_TYPES or io_type in PREFIX_SIZES:
            return self._images(record, data, self._definition(record))
        if io_type == DDL_OP and b"\0" not in data.rstrip(b"\0"):
            return self._statements.of(data)
        if io_type != COMMENT and data:
            is_named = io_type in IO_TYPES or io_type == UPSERT
            self.unknown[Unknown("data", io_type_name(io_type) if is_named else f"type {io_type}")] += 1
        return self._values.bytes_or_text(data)

    def _definition(self, record: Record) -> RowDefinition | None:
        try:
            return self._definitions.of(record)
        except TrailError:
            return None

    def _images(self, record: Record, data: bytes, definition: RowDefinition | None) -> bytes:
        header, order = record.header, record.order
        if (size := PREFIX_SIZES.get(header.io_type)) is None:
            if header.is_compressed:
                return self._columns(data, order, definition)
            return self._full_image(record, data, definition)
        end = size + order.decode(data[:size])
        if not size <= end <= len(data):
            self.unknown[Unknown("damage", "rows")] += 1
            return bytes([0xFF]) * min(size, len(data)) + self._substitutes.opaque(data[size:])
        before, after = self._columns(data[size:end], order, definition), self._columns(data[end:], order, definition)
        return data[:size] + before + after

    def _columns(self, data: bytes, order: ByteOrder, definition: RowDefinition | None) -> bytes:
        """Return columns with other values; a rest that cannot be split still cannot be split."""
        parts: list[bytes] = []
        start, stop, head = 0, len(data), HEADS[order].unpack_from
        codec = definition.charset if definition is not None else "utf-8"
        while start + COLUMN_HEAD <= stop:
            index, size = head(data, start)
            end = start + COLUMN_HEAD + size
            if end > stop:
                break
            column = definition.column(index) if definition is not None else None
            raw = self._values.of(data[start + COLUMN_HEAD : end], column, order, codec)
            parts += (data[start : start + COLUMN_HEAD], raw)
            start = end
        if start < stop:
            self.unknown[Unknown("damage", "rows")] += 1
            parts.append(self._unsplit(data[start:], order))
        return b"".join(parts)

    def _unsplit(self, rest: bytes, order: ByteOrder) -> bytes:
        if len(rest) < COLUMN_HEAD:
            return self._substitutes.opaque(rest)
        index = HEADS[order].unpack_from(rest)[0]
        head = rest[:INDEX_SIZE] if index < _MOST_INDEX else order.encode(_MOST_INDEX, INDEX_SIZE)
        return head + _NO_LENGTH + self._substitutes.opaque(rest[COLUMN_HEAD:])

    def _full_image(self, record: Record, data: bytes, definition: RowDefinition | None) -> bytes:
        """Return a full record image with other values; one that is not as its definition says is bytes."""
        order = record.order
        table = definition.table if definition is not None else None
        try:
            placed = placed_in_full_image(data, table, order, record.header.syskey_len) if table is not None else ()
        except TrailError:
            placed = ()
        if definition is None or not placed:
            if data:
                self.unknown[Unknown("data", "full record images")] += 1
            return self._substitutes.opaque(data)
        out = bytearray(self._substitutes.opaque(data))
        for column, at, has_indicator in placed:
            raw = self._values.of(column.raw, definition.column(column.index), order, definition.charset)
            stored = raw if has_indicator else raw[INDEX_SIZE:]
            out[at : at + len(stored)] = stored
        return bytes(out)

    # ---- definitions

    def _metadata(self, record: Record, payload: bytes) -> bytes:
        kind = record.header.orig_node
        if kind == REFERENCE and not payload:
            return payload
        try:
            _ = record.metadata
        except TrailError:
            self.unknown[Unknown("damage", "definitions")] += 1
            return self._substitutes.opaque(payload)
        of_token = self._database_token if kind == DATABASE else self._table_token
        order = record.order
        return self._in_tokens(
            payload,
            order,
            lambda _, root: self._in_tokens(root, order, lambda token, data: of_token(token, data, order)),
        )

    def _database_token(self, token: int, data: bytes, order: ByteOrder) -> bytes:
        """Return a token of a DDR: version, settings, name."""
        if token == 2:
            return self._in_tokens(data, order, lambda nested, value: self._setting(nested, value, order))
        if token == 3:
            return data[:2] + self._substitutes.name(data[2:])
        return data if token == 1 and len(data) == 2 else self._unknown_token("DDR ", token, data)

    def _setting(self, token: int, data: bytes, _order: ByteOrder) -> bytes:
        if len(data) == {1: 4, 2: 4, 3: 2}.get(token):
            return data
        if token == 4:
            return data[:2] + self._substitutes.version(data[2:], OF_PRODUCERS)
        if token == 5:
            return self._header_cases("", data)
        return self._unknown_token("DDR ", token, data)

    def _table_token(self, token: int, data: bytes, order: ByteOrder) -> bytes:
        """Return a token of a TDR: version, keys and options, columns."""
        if token == 1 and len(data) == 2:
            return data
        if token == 2:
            return self._in_tokens(data, order, lambda nested, value: self._table_attribute(nested, value, order))
        if token == 3:
            return self._column_definitions(data, order)
        return self._unknown_token("TDR ", token, data)

    def _table_attribute(self, token: int, data: bytes, order: ByteOrder) -> bytes:
        if token == 1:
            return self._in_tokens(
                data,
                order,
                lambda key, value: value if (key, len(value)) == (1, 2) else self._substitutes.opaque(value),
            )
        return self._substitutes.opaque(data)

    def _column_definitions(self, data: bytes, order: ByteOrder) -> bytes:
        """Return column definitions with other names; the 44 bytes of numbers stay, the rest is bytes."""
        out, at = bytearray(data), 2
        for _ in range(order.decode(data[:2])):
            size = order.decode(data[at : at + 2])
            begin, end = at + 2, at + 2 + size
            name = begin + 4
            after_name = name + order.decode(data[begin + 2 : name])
            fixed = begin + 2 + order.decode(data[begin : begin + 2])
            out[name:after_name] = self._substitutes.name(data[name:after_name])
            kept = after_name + _FIXED_OF_COLUMN
            out[kept:fixed] = self._substitutes.opaque(data[kept:fixed])
            out[fixed + 2 : end] = self._substitutes.opaque(data[fixed + 2 : end])
            at = end
        return bytes(out)

    # ---- F

    def _group(self, group: int, payload: bytes) -> bytes:
        if group not in GROUPS:
            return self._unknown_token("header group ", group, payload)
        return self._in_tokens(payload, ORDER, lambda token, data: self._header_value(group, token, data))

    def _header_value(self, group: int, token: int, data: bytes) -> bytes:
        field = GROUPS[group].fields.get(token)
        if field is None:
            return self._unknown_token("header ", token, data)
        value = field.value(data)
        if value is None or not any(data):
            return self._substitutes.opaque(data)
        if field.name == "Seqno" and isinstance(value, int):
            return ORDER.encode(self._seqno(value), len(data))
        of_kind = self._of_kinds.get(field.kind)
        return of_kind(field.name, data) if of_kind is not None else data

    def _header_csn(self, _name: str, data: bytes) -> bytes:
        end = 1 + data[0]
        return data[:1] + self._csn(data[1:end]) + self._substitutes.opaque(data[end:])

    def _header_uris(self, _name: str, data: bytes) -> bytes:
        return self._in_tokens(data, ORDER, lambda _, uri: uri[:2] + self._substitutes.name(uri[2:]))

    def _header_cases(self, _name: str, data: bytes) -> bytes:
        return data if _CASES.issuperset(data[4:]) else data[:4] + self._substitutes.opaque(data[4:])

    def _header_signature(self, _name: str, data: bytes) -> bytes:
        return data if data == SIGNATURE else self._substitutes.opaque(data)

    def _header_text(self, name: str, stored: bytes) -> bytes:
        return stored[:2] + self._text_of_header(name, stored[2:])

    def _text_of_header(self, name: str, data: bytes) -> bytes:
        if name in _KEPT_TEXTS:
            return self._substitutes.version(data, OF_PRODUCERS)
        match = _SEQNO.fullmatch(data) if name == "FileName" else None
        if match is None or int(match[3]) not in self._own_numbers():
            return self._substitutes.name(data)
        seqno = self._seqno(int(match[3])) % 10 ** len(match[3])
        path = self._substitutes.name(match[1] or b"") + self._substitutes.name(match[2])
        return path + b"%0*d" % (len(match[3]), seqno)

    def _own_numbers(self) -> set[int | None]:
        """Return the number of the file by its header and by its name; other digits in a path are none."""
        header, name = self._trail.file_header, TrailName.parse(self._trail.path)
        return {header.seqno if header is not None else None, name.seqno if name is not None else None}


def _put(out: bytearray, place: TokenPlace, other: bytes) -> None:
    """Put the substitute of a payload into its place.

    Raises:
        BadData: it has another length, which would be a mistake of ours: nothing may be written.
    """
    _, _, start, size = place
    if len(other) != size:
        raise BadData("a substitute has another length", expected=f"{size} bytes", found=f"{len(other)} bytes")
    out[start : start + size] = other
