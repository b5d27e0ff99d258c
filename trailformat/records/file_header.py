"""The file header ``F``: five groups of tokens, ids from ``30`` in each, big-endian in every known trail.

Payloads are laid out by ``spec.FILE_HEADER_VALUES``. Ids and names: the real 12.2 trail, the transcripts of 11.1 to
19.1, and the wrapper that searches for them. ``40`` to ``42`` of TrailInfo have no known name; their bytes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.on_demand import on_demand
from trailformat.codec.tokens import UNSET, Token, build_tokens, parse_tokens
from trailformat.errors import CannotWrite

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout

ORDER = ByteOrder.BIG
SIGNATURE = b"GG\r\nTL\n\r"

Value = int | str | bytes | tuple[str, ...] | None


class HeaderField(NamedTuple):
    """A header token: its name, the kind of its payload in ``spec.FILE_HEADER_VALUES``, the size of an unset value."""

    name: str
    kind: str
    size: int = 0

    def value(self, payload: bytes) -> Value:
        """Return the value in a payload; None if it does not match the kind."""
        return READERS[self.kind](payload)


def _number(size: int, *, is_signed: bool = False) -> Callable[[bytes], int | None]:
    return lambda data: int.from_bytes(data, ORDER.word, signed=is_signed) if len(data) == size else None


_decoded = partial(str, encoding="utf-8", errors="backslashreplace")


def _text(data: bytes) -> str | None:
    text = layout.read_prefixed(data, 2, ORDER.word)
    return None if text is None else _decoded(text)


def _csn(data: bytes) -> str | None:
    is_whole = len(data) == _CSN_SIZE and data[0] < _CSN_SIZE
    return _decoded(data[1 : 1 + data[0]]) if is_whole else None


def _history(data: bytes) -> tuple[str, ...] | None:
    texts: list[str] = []
    while data:
        end = 4 + int.from_bytes(data[2:4], ORDER.word)
        text = _text(data[4:end])
        if text is None or data[:2] != b"\x35\0" or end > len(data):
            return None
        texts.append(text)
        data = data[end:]
    return tuple(texts)


_CSN_SIZE = 129
READERS: dict[str, Callable[[bytes], Value]] = {
    "u8": _number(1),
    "u16": _number(2),
    "u32": _number(4),
    "u64": _number(8),
    "i32": _number(4, is_signed=True),
    "i64": _number(8, is_signed=True),
    "signature": lambda data: data if len(data) == len(SIGNATURE) else None,
    "text": _text,
    "csn": _csn,
    "cases": lambda data: layout.read_prefixed(data, 4, ORDER.word),
    "history": _history,
}
"""Readers of payloads by kind."""
TRAIL_INFO = {
    0x30: HeaderField("Signature", "signature", 8),
    0x31: HeaderField("Compatibility", "u16", 2),
    0x32: HeaderField("Charset", "i32", 4),
    0x33: HeaderField("CreationTime", "i64", 8),
    0x34: HeaderField("URI", "text"),
    0x35: HeaderField("URIHistory", "history"),
    0x36: HeaderField("FileName", "text"),
    0x37: HeaderField("MultiPart", "u8", 1),
    0x38: HeaderField("Seqno", "u32", 4),
    0x39: HeaderField("FileSize", "i64", 8),
    0x3A: HeaderField("FirstCSN", "csn", _CSN_SIZE),
    0x3B: HeaderField("LastCSN", "csn", _CSN_SIZE),
    0x3C: HeaderField("FirstIOTime", "i64", 8),
    0x3D: HeaderField("LastIOTime", "i64", 8),
    0x3E: HeaderField("LOGBSN", "csn", _CSN_SIZE),
    0x3F: HeaderField("BITFLAGS", "u64", 8),
}
MACHINE_INFO = {
    0x30: HeaderField("Sysname", "text"),
    0x31: HeaderField("Nodename", "text"),
    0x32: HeaderField("Release", "text"),
    0x33: HeaderField("Version", "text"),
    0x34: HeaderField("Hardware", "text"),
}
DATABASE_INFO = {
    0x30: HeaderField("Vendor", "u16", 2),
    0x31: HeaderField("Name", "text"),
    0x32: HeaderField("Instance", "text"),
    0x33: HeaderField("Charset", "i32", 4),
    0x34: HeaderField("MajorVersion", "u16", 2),
    0x35: HeaderField("MinorVersion", "u16", 2),
    0x36: HeaderField("VerString", "text"),
    0x37: HeaderField("ClientCharset", "i32", 4),
    0x38: HeaderField("ClientVerString", "text"),
    0x39: HeaderField("ClientNCharset", "i32", 4),
    0x3A: HeaderField("DbLocale", "u16", 2),
    0x3B: HeaderField("DbNCharset", "i32", 4),
    0x3C: HeaderField("DbObjMetadata", "cases"),
    0x3D: HeaderField("DbTimeZone", "text"),
    0x3E: HeaderField("DbUniqueName", "text"),
}
PRODUCER_INFO = {
    0x30: HeaderField("Name", "text"),
    0x31: HeaderField("DataSource", "u16", 2),
    0x32: HeaderField("MajorVersion", "u16", 2),
    0x33: HeaderField("MinorVersion", "u16", 2),
    0x34: HeaderField("MaintLevel", "u16", 2),
    0x35: HeaderField("BugFixLevel", "u16", 2),
    0x36: HeaderField("BuildNumber", "u16", 2),
    0x37: HeaderField("VerString", "text"),
}
CONTINUITY_INFO = {0x30: HeaderField("RecoveryMode", "u32", 4)}


class GroupLayout(NamedTuple):
    """A group of the header: its name as Logdump prints it, and its fields by id."""

    name: str
    fields: dict[int, HeaderField]


GROUPS = {
    0x30: GroupLayout("TrailInfo", TRAIL_INFO),
    0x31: GroupLayout("MachineInfo", MACHINE_INFO),
    0x32: GroupLayout("DatabaseInfo", DATABASE_INFO),
    0x33: GroupLayout("ProducerInfo", PRODUCER_INFO),
    0x34: GroupLayout("ContinunityInfo", CONTINUITY_INFO),
}
ORACLE = "ORACLE"
VENDORS = {7: ORACLE}
"""Known values of DatabaseInfo.Vendor."""


class HeaderToken(NamedTuple):
    """A token of a group, with the field that describes it (None for an unknown id)."""

    token: Token
    field: HeaderField | None

    @property
    def name(self) -> str:
        """The printed name, empty for an unknown id."""
        return self.field.name if self.field else ""

    @property
    def value(self) -> Value:
        """The decoded value; None if not set; the bytes if the id is unknown or they cannot be decoded."""
        if self.token.is_unset:
            return None
        if self.field is None:
            return self.token.payload
        value = self.field.value(self.token.payload)
        return self.token.payload if value is None else value


class HeaderGroup(NamedTuple):
    """A group: its token and the tokens in it (none in a group with an unknown id)."""

    token: Token
    tokens: tuple[HeaderToken, ...]

    @property
    def name(self) -> str:
        """The printed name, empty for an unknown id."""
        group = GROUPS.get(self.token.id)
        return group.name if group else ""

    def __repr__(self) -> str:
        values = ((token.name or f"x{token.token.id:02X}", token.value) for token in self.tokens)
        shown = ", ".join(f"{name}={value!r}" for name, value in values if value is not None)
        return f"{self.name or f'x{self.token.id:02X}'}({shown})"


class FileHeader(NamedTuple):
    """The groups of a file header, in the order of the file."""

    groups: tuple[HeaderGroup, ...]

    def __repr__(self) -> str:
        return f"<FileHeader {', '.join(map(repr, self.groups))}>"

    def get(self, group: str, name: str) -> Value:
        """Return a value by the names of its group and token, as ``get("TrailInfo", "FirstCSN")``; None if absent."""
        for header_group in self.groups:
            for token in header_group.tokens if header_group.name == group else ():
                if token.name == name:
                    return token.value
        return None

    def _number(self, name: str) -> int | None:
        value = self.get("TrailInfo", name)
        return value if isinstance(value, int) else None

    def _text(self, name: str) -> str | None:
        value = self.get("TrailInfo", name)
        return value if isinstance(value, str) and value else None

    @property
    def seqno(self) -> int | None:
        """The sequence number of the file; None, as for the values below, if it is not set."""
        return self._number("Seqno")

    @property
    def created(self) -> int | None:
        """The time at which the file was begun, in Julian microseconds."""
        return self._number("CreationTime")

    @property
    def first_csn(self) -> str | None:
        """The CSN at the beginning of the file."""
        return self._text("FirstCSN")

    @property
    def last_csn(self) -> str | None:
        """The CSN at the end of the file, set when the writer closes it."""
        return self._text("LastCSN")

    @property
    def first_time(self) -> int | None:
        """The IO Time of the first record, in Julian microseconds."""
        return self._number("FirstIOTime")

    @property
    def last_time(self) -> int | None:
        """The IO Time of the last record, in Julian microseconds, set when the writer closes the file."""
        return self._number("LastIOTime")

    @property
    def vendor(self) -> str:
        """The source database from DatabaseInfo: ``ORACLE``, an unknown vendor's number, or ""."""
        number = self.get("DatabaseInfo", "Vendor")
        return VENDORS.get(number, str(number)) if isinstance(number, int) else ""


def parse_file_header(data: bytes) -> FileHeader:
    """Return the header in the payload of ``F``.

    Raises:
        BadToken: a token runs past its group, or a group past the header.
    """
    return FileHeader(tuple(_parse_group(token) for token in parse_tokens(data, ORDER)))


def _parse_group(token: Token) -> HeaderGroup:
    group = GROUPS.get(token.id)
    if group is None:
        return HeaderGroup(token, ())
    fields = group.fields
    return HeaderGroup(
        token, tuple(HeaderToken(nested, fields.get(nested.id)) for nested in parse_tokens(token.payload, ORDER))
    )


def build_file_header(header: FileHeader) -> bytes:
    """Return the payload of ``F``, built from the tokens of the groups."""
    groups = []
    for group in header.groups:
        known = build_tokens([token.token for token in group.tokens], ORDER)
        groups.append(group.token._replace(payload=known) if group.name else group.token)
    return build_tokens(groups, ORDER)


def replace_values(header: FileHeader, group: str, values: dict[str, Value]) -> FileHeader:
    """Return ``header`` with other values for the tokens that a group has; None marks a value as not set.

    Raises:
        CannotWrite: a value does not fit.
    """
    return FileHeader(
        tuple(
            _replaced(header_group, values) if header_group.name == group else header_group
            for header_group in header.groups
        )
    )


def _replaced(group: HeaderGroup, values: dict[str, Value]) -> HeaderGroup:
    tokens = tuple(
        _make_token(token.token.id, token.field, values[token.name]) if token.field and token.name in values else token
        for token in group.tokens
    )
    payload = build_tokens([token.token for token in tokens], ORDER)
    return HeaderGroup(group.token._replace(payload=payload), tokens)


def make_file_header(values: dict[str, dict[str, Value]]) -> FileHeader:
    """Return a header from values by group and name, in the order of the ids; None writes an unset token.

    Raises:
        CannotWrite: a name is unknown, or a value does not fit.
    """
    _refuse_unknown(values.keys(), [group.name for group in GROUPS.values()], "a file header")
    named = [(key, group) for key, group in GROUPS.items() if group.name in values]
    return FileHeader(tuple(_make_group(key, group, values[group.name]) for key, group in named))


def _make_group(group_id: int, group: GroupLayout, values: dict[str, Value]) -> HeaderGroup:
    _refuse_unknown(values.keys(), [field.name for field in group.fields.values()], group.name)
    named = [(key, field) for key, field in group.fields.items() if field.name in values]
    tokens = tuple(_make_token(key, field, values[field.name]) for key, field in named)
    return HeaderGroup(Token(group_id, 0, build_tokens([token.token for token in tokens], ORDER)), tokens)


def _make_token(token_id: int, field: HeaderField, value: Value) -> HeaderToken:
    if value is None:
        return HeaderToken(Token(token_id, UNSET, bytes(field.size)), field)
    payload = layout.build(spec.FILE_HEADER_VALUES[field.kind], value, field.name)
    return HeaderToken(Token(token_id, 0, payload), field)


def _refuse_unknown(names: Iterable[str], known: list[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise CannotWrite(f"{where} has no {name}", expected=", ".join(known))
