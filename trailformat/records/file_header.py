r"""The file header ``F``: five groups of tokens, ids from ``30`` in each, big-endian in every trail seen.

    46 00 0586                          F, the whole record
      30 00 0315                        group TrailInfo
        30 00 0008 4747 0d0a 544c 0a0d  Signature "GG\r\nTL\n\r"
        31 00 0002 0005                 Compatibility 5
        39 ff 0008 0000 0000 0000 0000  FileSize, not set
      …
    5a 00 0586                          Z

Ids and names: the real 12.2 trail, the transcripts of 11.1 to 19.1, and the wrapper that searches for them. ``40`` to
``42`` of TrailInfo have no known name; they keep their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, NamedTuple, cast

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.constructs import c
from trailformat.codec.tokens import UNSET, Token, build_tokens, parse_tokens
from trailformat.errors import BadData, CannotWrite

ORDER = ByteOrder.BIG
SIGNATURE = b"GG\r\nTL\n\r"

Value = int | str | bytes | tuple[str, ...] | None


_CSN_SIZE = 129


class ValueLayout(NamedTuple):
    """What makes the layout of a value, and the fast twin of that, None for what it leaves to it."""

    make: Callable[[], Any]
    read: Callable[[bytes], Value]


class HeaderField(NamedTuple):
    """A header token: its name, how its payload is stored, and the ``size`` of an unset value."""

    name: str
    layout: ValueLayout
    size: int = 0

    def value(self, payload: bytes) -> Value:
        """The value in a payload.

        Raises:
            BadData: it is not stored so.
        """
        value = self.layout.read(payload)
        return _plain(layout.parse_whole(self.layout.make(), payload, BadData, self.name)) if value is None else value


def _number(size: int, *, is_signed: bool = False) -> ValueLayout:
    make = ORDER.sint if is_signed else ORDER.uint
    return ValueLayout(partial(make, size), partial(_read_number, size, is_signed))


def _read_number(size: int, is_signed: bool, data: bytes) -> int | None:  # noqa: FBT001 - bound by position
    return int.from_bytes(data, ORDER.word, signed=is_signed) if len(data) == size else None


_decoded = partial(str, encoding="utf-8", errors="backslashreplace")


def _text_in(stored: Any) -> Any:
    """The construct of text that ``stored`` holds as bytes."""
    return c.ExprAdapter(
        stored,
        decoder=lambda data, _: _decoded(data),
        encoder=lambda text, _: text.encode("utf-8", "surrogateescape"),
    )


def _prefixed(size: int) -> Any:
    return c.Prefixed(ORDER.uint(size), c.GreedyBytes)


@cache
def _text() -> Any:
    return _text_in(_prefixed(2))


def _read_text(data: bytes) -> str | None:
    text = layout.read_prefixed(data, 2, ORDER.word)
    return None if text is None else _decoded(text)


@cache
def _csn() -> Any:
    return _text_in(c.Padded(_CSN_SIZE, _prefixed(1)))


def _read_csn(data: bytes) -> str | None:
    is_whole = len(data) == _CSN_SIZE and data[0] < _CSN_SIZE
    return _decoded(data[1 : 1 + data[0]]) if is_whole else None


@cache
def _history() -> Any:
    head = ("id" / c.Const(0x35, c.Int8ub), "info" / c.Const(0, c.Int8ub))
    return c.GreedyRange(c.Struct(*head, "text" / c.Prefixed(ORDER.uint(2), _text())))


def _read_history(data: bytes) -> tuple[str, ...] | None:
    texts: list[str] = []
    while data:
        end = 4 + int.from_bytes(data[2:4], ORDER.word)
        text = _read_text(data[4:end])
        if text is None or data[:2] != b"\x35\0" or end > len(data):
            return None
        texts.append(text)
        data = data[end:]
    return tuple(texts)


_U8, _U16, _U32, _U64 = map(_number, (1, 2, 4, 8))
_I32, _I64 = _number(4, is_signed=True), _number(8, is_signed=True)
_TEXT, _CSN, _HISTORY = (
    ValueLayout(_text, _read_text),
    ValueLayout(_csn, _read_csn),
    ValueLayout(_history, _read_history),
)
_CASES = ValueLayout(partial(_prefixed, 4), lambda data: layout.read_prefixed(data, 4, ORDER.word))
_SIGNATURE = ValueLayout(lambda: c.Bytes(len(SIGNATURE)), lambda data: data if len(data) == len(SIGNATURE) else None)
_TIME = _I64
TRAIL_INFO = {
    0x30: HeaderField("Signature", _SIGNATURE, 8),
    0x31: HeaderField("Compatibility", _U16, 2),
    0x32: HeaderField("Charset", _I32, 4),
    0x33: HeaderField("CreationTime", _TIME, 8),
    0x34: HeaderField("URI", _TEXT),
    0x35: HeaderField("URIHistory", _HISTORY),
    0x36: HeaderField("FileName", _TEXT),
    0x37: HeaderField("MultiPart", _U8, 1),
    0x38: HeaderField("Seqno", _U32, 4),
    0x39: HeaderField("FileSize", _I64, 8),
    0x3A: HeaderField("FirstCSN", _CSN, _CSN_SIZE),
    0x3B: HeaderField("LastCSN", _CSN, _CSN_SIZE),
    0x3C: HeaderField("FirstIOTime", _TIME, 8),
    0x3D: HeaderField("LastIOTime", _TIME, 8),
    0x3E: HeaderField("LOGBSN", _CSN, _CSN_SIZE),
    0x3F: HeaderField("BITFLAGS", _U64, 8),
}
MACHINE_INFO = {
    0x30: HeaderField("Sysname", _TEXT),
    0x31: HeaderField("Nodename", _TEXT),
    0x32: HeaderField("Release", _TEXT),
    0x33: HeaderField("Version", _TEXT),
    0x34: HeaderField("Hardware", _TEXT),
}
DATABASE_INFO = {
    0x30: HeaderField("Vendor", _U16, 2),
    0x31: HeaderField("Name", _TEXT),
    0x32: HeaderField("Instance", _TEXT),
    0x33: HeaderField("Charset", _I32, 4),
    0x34: HeaderField("MajorVersion", _U16, 2),
    0x35: HeaderField("MinorVersion", _U16, 2),
    0x36: HeaderField("VerString", _TEXT),
    0x37: HeaderField("ClientCharset", _I32, 4),
    0x38: HeaderField("ClientVerString", _TEXT),
    0x39: HeaderField("ClientNCharset", _I32, 4),
    0x3A: HeaderField("DbLocale", _U16, 2),
    0x3B: HeaderField("DbNCharset", _I32, 4),
    0x3C: HeaderField("DbObjMetadata", _CASES),
    0x3D: HeaderField("DbTimeZone", _TEXT),
}
PRODUCER_INFO = {
    0x30: HeaderField("Name", _TEXT),
    0x31: HeaderField("DataSource", _U16, 2),
    0x32: HeaderField("MajorVersion", _U16, 2),
    0x33: HeaderField("MinorVersion", _U16, 2),
    0x34: HeaderField("MaintLevel", _U16, 2),
    0x35: HeaderField("BugFixLevel", _U16, 2),
    0x36: HeaderField("BuildNumber", _U16, 2),
    0x37: HeaderField("VerString", _TEXT),
}
CONTINUITY_INFO = {0x30: HeaderField("RecoveryMode", _U32, 4)}


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
"""DatabaseInfo.Vendor, as far as it is known."""


class HeaderToken(NamedTuple):
    """One token of a group, with the field that describes it (None for an unknown id)."""

    token: Token
    field: HeaderField | None

    @property
    def name(self) -> str:
        """The printed name, empty for an unknown id."""
        return self.field.name if self.field else ""

    @property
    def value(self) -> Value:
        """The decoded value; None when it is not set; the bytes when the id is unknown or they do not decode."""
        if self.token.is_unset:
            return None
        if self.field is None:
            return self.token.payload
        try:
            return self.field.value(self.token.payload)
        except BadData:
            return self.token.payload


class HeaderGroup(NamedTuple):
    """One group: its token and the tokens in it (none known in a group with an unknown id)."""

    token: Token
    tokens: tuple[HeaderToken, ...]

    @property
    def name(self) -> str:
        """The printed name, empty for an unknown id."""
        group = GROUPS.get(self.token.id)
        return group.name if group else ""


class FileHeader(NamedTuple):
    """The groups of a file header, in the order of the file."""

    groups: tuple[HeaderGroup, ...]

    def get(self, group: str, name: str) -> Value:
        """A value by the names of its group and token, such as ``get("TrailInfo", "FirstCSN")``; None when absent."""
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
        """The sequence number of the file; None, like the values below, where it is not set."""
        return self._number("Seqno")

    @property
    def created(self) -> int | None:
        """The moment at which the file was begun, in Julian microseconds."""
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
        """The source database as DatabaseInfo names it: ``ORACLE``, a number that no source names, or nothing."""
        number = self.get("DatabaseInfo", "Vendor")
        return VENDORS.get(number, str(number)) if isinstance(number, int) else ""


def _plain(parsed: Any) -> Value:
    return tuple(item.text for item in parsed) if isinstance(parsed, list) else cast("Value", parsed)


def parse_file_header(data: bytes) -> FileHeader:
    """The header in the payload of ``F``.

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
    """The payload of ``F``, built again from the tokens of the groups."""
    groups = []
    for group in header.groups:
        known = build_tokens([token.token for token in group.tokens], ORDER)
        groups.append(group.token._replace(payload=known) if group.name else group.token)
    return build_tokens(groups, ORDER)


def replace_values(header: FileHeader, group: str, values: dict[str, Value]) -> FileHeader:
    """``header`` with other values for the tokens of a group that it has; None marks a value as not set.

    Raises:
        CannotWrite: a value that does not fit.
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
    """A header from values by group and name, in the order of the ids; None writes an unset token.

    Raises:
        CannotWrite: an unknown name, or a value that does not fit.
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
    stored = [{"text": text} for text in value] if isinstance(value, tuple) else value
    return HeaderToken(Token(token_id, 0, layout.build(field.layout.make(), stored, field.name)), field)


def _refuse_unknown(names: Iterable[str], known: list[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise CannotWrite(f"{where} has no {name}", expected=", ".join(known))
