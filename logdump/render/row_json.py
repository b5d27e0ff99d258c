"""Ordinary rows in JSON, one after the other: each line is written at once, without an object for each member.

Members and their order are those of :data:`json_record.RECORD`. A row that is not ordinary, because other records or a
sentence about a problem belong to it, is left to that.
"""

from __future__ import annotations

from functools import cache, lru_cache
from json.encoder import encode_basestring_ascii as quoted
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from logdump.notation.escape import Harmless, ascii_json
from logdump.notation.times import iso_time
from logdump.render import json_record
from logdump.render.json_shape import encoded
from logdump.session.known_record import Facet, KnownRecord
from trailformat import Column, ColumnDefinition, Record, Token, TrailError, decode_value, io_type_name
from trailformat.changes.row_changes import OPERATIONS, may_be_paired
from trailformat.changes.transactions import Transaction
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.token_names import LOGCSN, ROWID, TRANID
from trailformat.records.columns import COLUMN_HEAD, HEADS, NULL, PRESENT
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.records.io_types import METADATA
from trailformat.records.record_header import NAME_IS_INDEX, RecordHeader
from trailformat.values import DATA_TYPES, plain_text
from trailformat.values.value import Decode

if TYPE_CHECKING:
    from logdump.session.session import Session

_MOST_TABLES = 4096
_ORDINARY, _USER = b"HDTU", b"U"
"""The tokens that a row is made of."""
_ROW_ID = 18
"""Characters of ORAROWID."""
_FLAGS = attrgetter(
    *("undo_flag", "orig_node", "format_type", "syskey_len", "incomplete", "continued", "rec_count"),
)
"""Fields of the header that are alike in many rows and stand together."""


class _KnownColumn(NamedTuple):
    """A column: the members that its definition tells, this, and the decoder of its type."""

    described: str
    definition: ColumnDefinition
    decode: Decode | None


class _Table(NamedTuple):
    """What the rows of a table have in common: members ``table`` and ``table_index``, codec of text, columns."""

    named: str
    charset: str
    columns: list[_KnownColumn]


class RowJson:
    """The lines of the rows of the open trail, which come in the order of the file."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._transactions = session.cursor.transactions
        self._file = quoted(str(session.trail.path))
        self._tables: dict[tuple[int, bytes], _Table] = {}
        self._knows_last = False
        """Whether the row before is known, and the definitions since."""
        self._half: Record | None = None
        """That row, where it may be the before image of an update in two records."""

    def note(self, record: Record) -> None:
        """Take note of a record that is shown otherwise."""
        if record.header.io_type == METADATA:
            self._tables.clear()
            self._knows_last = self._knows_last and self._half is None
        else:
            self._knows_last, self._half = True, record if may_be_paired(record, is_after=False) else None

    def of(self, record: Record, following: Record | None) -> list[Harmless] | None:
        """The line of a row; None where it needs more than its bytes, those around it, and its definition."""
        is_half, other = may_be_paired(record, is_after=False), None
        if is_half:
            if following is None or following.header.io_type == METADATA:
                return None
            other = following if _are_halves(record, following) else None
        elif may_be_paired(record, is_after=True):
            if not self._knows_last:
                return None
            other = self._half if self._half is not None and _are_halves(self._half, record) else None
        if other is not None and _table_key(other.header) != _table_key(record.header):
            return None
        try:
            line = self._line(record, other)
        except TrailError:
            return None
        if line is None:
            return None
        self._knows_last, self._half = True, record if is_half else None
        return [ascii_json(line)]

    def _line(self, record: Record, other: Record | None) -> str | None:
        header = record.header
        key = _table_key(header)
        table = self._tables.get(key) or self._learn(record, key)
        parts = record.part_ids
        if table is None or header.continued or parts.strip(_ORDINARY):
            return None
        images = _images(record, other, table)
        if images is None:
            return None
        user_tokens, (gg_tokens, texts) = _user_tokens(record) if _USER in parts else "[]", _gg_tokens(record)
        csn, xid = self._transactions.of_row(record, Transaction(texts.get(LOGCSN), texts.get(TRANID)))
        other_rba = "null" if other is None else other.rba
        row_id, size, time = texts.get(ROWID), header.record_length, header.io_time
        kind, operation = _kind(header.io_type)
        place = _place(header.trans_ind, header.before_after, header.partition)
        flags = _flags(*_FLAGS(header))
        return (
            f'{{"type":"record","file":{self._file},"rba":{record.rba},"length":{record.length},{kind},'
            f'{table.named},"time":{_or_null(iso_time(time))},"julian_time":"{time}",{place},"record_length":{size},'
            f'"data_length":{size},{flags},"audit_rba":{header.audit_rba},"audit_pos":"{header.audit_pos}",'
            f'"operation":{operation},"other_rba":{other_rba},"csn":{_or_null(csn)},"xid":{_or_null(xid)},'
            f'"row_id":{_or_null(row_id and row_id[:_ROW_ID])},"before":{images[0]},"after":{images[1]},'
            f'"ddl":null,"segment":null,"metadata":null,"gg_tokens":{gg_tokens},"user_tokens":{user_tokens},'
            f'"other_tokens":[],"data":"{record.data.hex()}","problems":[]}}'
        )

    def _learn(self, record: Record, key: tuple[int, bytes]) -> _Table | None:
        """A table that was not met since the last definition; None where its name or its columns are not known."""
        known = KnownRecord(record, self._session)
        row = known.row_definition
        if row.table is None or any(known.look_up(part) is not None for part in (Facet.TABLE, Facet.NAME)):
            return None
        if len(self._tables) == _MOST_TABLES:
            self._tables.clear()
        named = f'"table":{_or_null(json_record.table_of(known))},"table_index":{encoded(record.table_index)}'
        columns = [_column(index, column) for index, column in enumerate(row.table.columns)]
        return self._tables.setdefault(key, _Table(named, row.charset, columns))


@cache
def _kind(io_type: int) -> tuple[str, str]:
    """Members ``io_type`` and ``io_type_name``, and ``operation``."""
    return f'"io_type":{io_type},"io_type_name":{quoted(io_type_name(io_type))}', _or_null(OPERATIONS.get(io_type))


@lru_cache(1024)
def _place(trans_ind: int, before_after: int, partition: int) -> str:
    """These members."""
    return f'"trans_ind":{trans_ind},"before_after":{quoted(chr(before_after))},"partition":{partition}'


@lru_cache(1024)
def _flags(
    undo_flag: int, orig_node: int, format_type: int, syskey: int, incomplete: int, continued: int, rec_count: int
) -> str:
    """These members."""
    return (
        f'"undo_flag":{undo_flag},"orig_node":{orig_node},"format_type":{quoted(chr(format_type))},'
        f'"syskey_length":{syskey},"incomplete":{incomplete},"continued":{continued},"rec_count":{rec_count}'
    )


def _column(index: int, definition: ColumnDefinition) -> _KnownColumn:
    data_type = DATA_TYPES.get(definition.data_type)
    described = encoded(json_record.described_column(index, definition))
    return _KnownColumn(described[:-1], definition, data_type.decode if data_type else None)


def _are_halves(first: Record, second: Record) -> bool:
    """Whether a row that may be the before image and the one behind it are one update, if their table is the same."""
    return first.header.io_type == second.header.io_type and may_be_paired(second, is_after=True)


def _table_key(header: RecordHeader) -> tuple[int, bytes]:
    """What a header says of its table."""
    return header.partition & NAME_IS_INDEX, header.name_field


def _or_null(text: str | None) -> str:
    return "null" if text is None else quoted(text)


def _images(record: Record, other: Record | None, table: _Table) -> tuple[str, str] | None:
    """Both images; None where one, or that of the other half, is no list of columns of the table, each once."""
    header, data, order = record.header, record.data, record.order
    if size := PREFIX_SIZES.get(header.io_type):
        end = size + order.decode(data[:size])
        before, after = _stored(data, size, end, order, table), _stored(data, end, len(data), order, table)
        if before is None or after is None:
            return None
        return _listed(before, after, table, order), _listed(after, before, table, order)
    columns, others = _single(record, table), {} if other is None else _single(other, table)
    if columns is None or others is None:
        return None
    shown = _listed(columns, others, table, order)
    return (shown, "null") if header.is_before else ("null", shown)


def _single(record: Record, table: _Table) -> dict[int, bytes] | None:
    """The columns of a record with one image; None where it is no list of columns of the table, or goes on."""
    header = record.header
    if header.io_type not in ROW_TYPES or not header.is_compressed or header.continued:
        return None
    return _stored(record.data, 0, len(record.data), record.order, table)


def _listed(columns: dict[int, bytes], others: dict[int, bytes], table: _Table, order: ByteOrder) -> str:
    """The columns of an image; ``others`` are those of the other one."""
    parts, changed = [], "null"
    for index, raw in columns.items():
        column = table.columns[index]
        if others:
            changed = "null" if index not in others else "true" if _differ(raw, others[index]) else "false"
        plain = _plain(raw, column, order, table.charset)
        if plain is None:
            stated = _stated(raw, column, order, table.charset, changed)
        else:
            stated = f'"null":false,"hex":"{raw.hex()}","text":{quoted(plain)},"changed":{changed},"problem":null'
        parts.append(f"{column.described},{stated}}}")
    return f"[{','.join(parts)}]"


def _differ(raw: bytes, other: bytes) -> bool:
    """Whether columns have different values; NULL equals NULL, whatever bytes follow it."""
    is_null = raw[:2] == NULL
    return is_null != (other[:2] == NULL) or (not is_null and raw[2:] != other[2:])


def _plain(raw: bytes, column: _KnownColumn, order: ByteOrder, charset: str) -> str | None:
    """A value as text; None for NULL and for one that does not decode."""
    if raw[:2] != PRESENT or column.decode is None:
        return None
    try:
        plain = column.decode(raw[2:], column.definition, order, charset)
    except TrailError:
        return None
    return plain if type(plain) is str else plain_text(plain)


def _stated(raw: bytes, column: _KnownColumn, order: ByteOrder, charset: str, changed: str) -> str:
    """The members of a column that has no text, behind those that its definition tells."""
    value = decode_value(Column(0, raw), column.definition, order, charset)
    is_null, problem = encoded(value.is_null), _or_null(value.problem)
    return f'"null":{is_null},"hex":"{raw.hex()}","text":null,"changed":{changed},"problem":{problem}'


def _gg_tokens(record: Record) -> tuple[str, dict[int, str]]:
    """The GGS tokens, and the text of the first with each id. Raises TrailError."""
    texts: dict[int, str] = {}
    parts = []
    for token_id, info, payload in record.gg_tokens:
        try:
            text = payload.decode()
            shown = quoted(text) if text.isprintable() else "null"
        except UnicodeDecodeError:
            text, shown = payload.decode(errors="backslashreplace"), "null"
        texts.setdefault(token_id, text)
        parts.append(f'{_token_head(token_id, info)},"hex":"{payload.hex()}","text":{shown}}}')
    return f"[{','.join(parts)}]", texts


@lru_cache(1024)
def _token_head(token_id: int, info: int) -> str:
    members = json_record.GGS_TOKEN.build(Token(token_id, info, b""))
    return encoded({name: members[name] for name in ("id", "name", "info")})[:-1]


def _user_tokens(record: Record) -> str:
    return encoded([json_record.USER_TOKEN.build(pair) for pair in record.user_tokens])


def _stored(data: bytes, start: int, stop: int, order: ByteOrder, table: _Table) -> dict[int, bytes] | None:
    """The bytes of columns by their indexes; None where these do not rise, and where columns do not fill the place."""
    columns: dict[int, bytes] = {}
    head, last, most = HEADS[order].unpack_from, -1, len(table.columns)
    while start + COLUMN_HEAD <= stop <= len(data):
        index, size = head(data, start)
        end = start + COLUMN_HEAD + size
        if not last < index < most or end > stop:
            return None
        columns[index] = data[start + COLUMN_HEAD : end]
        last, start = index, end
    return columns if start == stop else None
