"""Each reader written by hand against its layout of ``trailformat.spec``: on fixtures, the real trail, drawn bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import construct
import pytest

from fixtures import TRAILS
from tests.searching import IS_LONG, Random, examples
from trailformat import ByteOrder, Column, Record, TrailError, TrailFile, make_header, spec
from trailformat.codec import layout, tokens
from trailformat.codec.tokens import Token, build_token, build_tokens, parse_tokens, token_places
from trailformat.definitions import metadata
from trailformat.definitions.metadata import (
    ColumnDefinition,
    DatabaseDefinition,
    TableDefinition,
    build_column,
    parse_column,
)
from trailformat.errors import BadData
from trailformat.records import framing, record_header
from trailformat.records import record_header as io_types
from trailformat.records.columns import (
    Images,
    PieceHeader,
    build_columns,
    build_images,
    build_piece,
    parse_columns,
    parse_images,
    parse_piece,
)
from trailformat.records.ddl import build_ddl, parse_ddl
from trailformat.records.file_header import GROUPS, READERS, SIGNATURE
from trailformat.records.record import build_record, build_user_tokens, parse_user_tokens
from trailformat.records.record_header import (
    HEADER_SIZE,
    PREFIX_SIZES,
    RecordHeader,
    build_header,
    name_field,
    parse_header,
)

REFUSED = "refused"


class Held(NamedTuple):
    """A layout and what is held to it.

    Attributes:
        layout: the layout in a byte order.
        value: what its readers make of something that it has parsed.
        readers: they.
        build: the bytes of such a value; None where nothing builds them alone.
        samples: bytes of a record that are laid out so.
        is_strict: whether the readers refuse what the layout refuses.
        asks_more: whether they also refuse some of what it accepts.
    """

    layout: Callable[[str], Any]
    value: Callable[[Any, ByteOrder], object]
    readers: tuple[Callable[[bytes, ByteOrder], object], ...]
    build: Callable[[Any, ByteOrder], bytes] | None
    samples: Callable[[Record], Iterator[bytes]]
    is_strict: bool = True
    asks_more: bool = False


def _payload(token_id: str, *io_types: int) -> Callable[[Record], Iterator[bytes]]:
    def samples(record: Record) -> Iterator[bytes]:
        if not record.is_file_header and (not io_types or record.header.io_type in io_types):
            yield record.payload(token_id) or b""

    return samples


def _always(*data: bytes) -> Callable[[Record], Iterator[bytes]]:
    return lambda _record: iter(data)


def _whole(layout: Any) -> Any:
    return construct.FocusedSeq("value", "value" / layout, construct.Terminated)


def _only(found: tuple[Any, ...]) -> Any:
    if len(found) != 1:
        raise BadData("not one")
    return found[0]


# Tokens


def _bodies(record: Record) -> Iterator[bytes]:
    yield record.body
    yield b"" if record.is_file_header else record.payload("T") or b""
    yield from (token.payload for token in record.tokens if record.is_file_header)


def _each_token(record: Record) -> Iterator[bytes]:
    for body in _bodies(record):
        yield from (build_token(token, record.order) for token in parse_tokens(body, record.order))


def _places(data: bytes, order: ByteOrder) -> tuple[Token, ...]:
    places = token_places(data, 0, len(data), order)
    return tuple(Token(number, info, data[at : at + size]) for number, info, at, size in places)


def _token(parsed: Any, _: object = None) -> Token:
    return Token(parsed.id, parsed.info, parsed.payload)


TOKENS = {
    "token": Held(
        spec.token,
        _token,
        (lambda data, order: _only(parse_tokens(data, order)), lambda data, order: _only(_places(data, order))),
        build_token,
        _each_token,
    ),
    "tokens": Held(
        spec.tokens,
        lambda parsed, _: tuple(map(_token, parsed)),
        (parse_tokens, _places),
        build_tokens,
        _bodies,
    ),
    "token_of": Held(
        lambda order: spec.token_of(order, 1, spec.uint(order, 2)),
        lambda parsed, _: parsed,
        (lambda data, order: metadata._Tree(data, order).number(1, 2),),
        lambda value, order: build_token(Token(1, 0, order.encode(value, 2)), order),
        _always(b"\1\0\0\2\0\7", b"\1\0\2\0\7\0", b"\2\0\0\2\0\7", b"\1\0\0\1\7"),
        is_strict=False,
    ),
}


# Records


class Framed(NamedTuple):
    """A record as the framing reads it."""

    raw: bytes
    tokens: tuple[Token, ...]


def _framed(parsed: Any, order: ByteOrder) -> Framed:
    """The record, where it is sound: more than the layout says is asked of its first token."""
    found = tuple(map(_token, spec.tokens(order.value).parse(parsed.body)))
    payload = found[0].payload
    is_row = found[0].id == ord("H") and len(payload) >= HEADER_SIZE and payload[0] == ord("E")
    if not (is_row if parsed.id == ord("G") else found[0].id == 0x30):
        raise construct.ValidationError("its first token is another")
    return Framed(spec.record(order.value).build(parsed), found)


def _by_framing(data: bytes, order: ByteOrder) -> Framed:
    length, places = framing.frame_at(data, 0, len(data), order) if data else (0, [])
    if length != len(data) or not data:
        raise BadData("not one record")
    return Framed(data, tuple(Token(number, info, data[at : at + size]) for number, info, at, size in places))


def _by_record(data: bytes, order: ByteOrder) -> Framed:
    framing.frame_at(data or b"?", 0, len(data), order)
    record = Record(data, order=order)
    if len(data) != tokens.length_at(data, 0, order)[0]:
        raise BadData("not one record")
    return Framed(data, record.tokens)


def _build_framed(value: Framed, order: ByteOrder) -> bytes:
    body = build_tokens(value.tokens, order)
    wide = tokens.is_wide(value.raw[1])
    return build_record(value.raw[1], body, order, chr(value.raw[0]), value.raw[-5 if wide else -3])


RECORDS = {
    "record": Held(
        spec.record,
        _framed,
        (_by_framing, _by_record),
        _build_framed,
        lambda record: iter((record.raw,)),
    ),
    "record_header": Held(
        spec.record_header,
        lambda parsed, _: RecordHeader(*(parsed[name] for name in RecordHeader._fields)),
        (parse_header,),
        build_header,
        _payload("H"),
    ),
    "USER_TOKENS": Held(
        lambda _: spec.USER_TOKENS,
        lambda parsed, _: tuple((pair.name, pair.value) for pair in parsed),
        (lambda data, _: parse_user_tokens(data),),
        lambda pairs, _: build_user_tokens(pairs),
        _payload("U"),
    ),
}


# Data


def _paired(io_type: int) -> Held:
    header = make_header(io_type)
    return Held(
        lambda order: spec.paired_images(order, PREFIX_SIZES[io_type]),
        lambda parsed, order: Images(
            parse_columns(parsed.before, order), parse_columns(parsed.after, order), PREFIX_SIZES[io_type]
        ),
        (lambda data, order: parse_images(header, data, order),),
        build_images,
        _payload("D", io_type),
    )


def _piece(data: bytes, order: ByteOrder) -> object:
    """The numbers where they agree with each other, and the bytes behind them."""
    for is_last in (False, True):
        header = make_header(io_types.LARGE_OBJECT, continued=int(not is_last))
        for count in range(1, 256):
            if (found := parse_piece(header._replace(rec_count=count), data, order)) is not None:
                return found, data[20:]
    raise BadData("no piece")


def _ddl(record: Record) -> Iterator[bytes]:
    for data in _payload("D", io_types.DDL_OP)(record):
        items = parse_ddl(data)
        if all(name for name, _ in items):
            yield build_ddl(items)


_DDL_ID = re.compile(rb"[A-Z][0-9]{1,9}(_[0-9]{1,9})?(\\('[^']*'\\))?")


def _items(parsed: Any, _: ByteOrder) -> list[tuple[str, str]]:
    if not all(_DDL_ID.fullmatch(item.id) for item in parsed):
        raise construct.ValidationError("no id")
    return [(item.id.decode(), item.value.decode()) for item in parsed]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


DATA = {
    "STORED_VALUE": Held(
        lambda _: spec.STORED_VALUE,
        lambda parsed, _: (parsed.indicator == b"\xff\xff", parsed.value),
        (lambda data, _: (Column(0, data).is_null, Column(0, data).value),),
        None,
        lambda record: iter([column.raw for side in (record.images or ())[:2] for column in side or ()]),
        is_strict=False,
    ),
    "column": Held(
        spec.column,
        lambda parsed, _: Column(parsed.index, parsed.raw),
        (lambda data, order: _only(parse_columns(data, order)),),
        lambda value, order: build_columns([value], order),
        lambda record: iter(
            [build_columns([column], record.order) for side in (record.images or ())[:2] for column in side or ()]
        ),
    ),
    "paired_images": _paired(io_types.UNIFIED_UPDATE),
    "paired_images of a key": _paired(io_types.PK_UPDATE),
    "lob_piece": Held(
        spec.lob_piece,
        lambda parsed, _: (PieceHeader(*(parsed[name] for name in PieceHeader._fields)), parsed.value),
        (_piece,),
        lambda value, order: build_piece(value[0], value[1], order),
        _payload("D", io_types.LARGE_OBJECT),
        asks_more=True,
    ),
    "DDL_ITEMS": Held(
        lambda _: spec.DDL_ITEMS,
        _items,
        (lambda data, _: parse_ddl(data),),
        lambda items, _: build_ddl(items),
        _ddl,
        is_strict=False,
    ),
}


# Metadata records


def _data_of_kind(kind: int) -> Callable[[Record], Iterator[bytes]]:
    return lambda record: iter([record.data] if record.is_metadata and record.header.orig_node == kind else [])


def _database(parsed: Any, _: ByteOrder) -> DatabaseDefinition:
    settings = parsed.settings
    texts = [_text(data) for data in (settings.time_zone, parsed.name)]
    codes = (settings.charset, settings.ncharset, settings.locale)
    return DatabaseDefinition(parsed.version, *codes, texts[0], settings.cases, texts[1])


def _table(parsed: Any, order: ByteOrder) -> TableDefinition:
    columns = tuple(_column_definition(_definition_layout(order.value).parse(data), order) for data in parsed.columns)
    options = tuple(map(_token, parsed.attributes.options))
    return TableDefinition(parsed.version, parsed.attributes["keys"].key_columns, columns, options)


def _definition_layout(order: str) -> Any:
    return construct.ExprValidator(
        spec.column_definition(order), lambda parsed, _: not parsed.get("rest") and not parsed["fixed"].get("rest")
    )


def _column_definition(parsed: Any, _: ByteOrder) -> ColumnDefinition:
    numbers = [parsed.fixed[field] for field in ColumnDefinition._fields[1:-1]]
    return ColumnDefinition._make((_text(parsed.fixed.name), *numbers, parsed.tail))


def _stored_columns(record: Record) -> Iterator[bytes]:
    for data in _data_of_kind(record_header.TABLE)(record):
        yield metadata._Tree(data, record.order).tree(0x30).payload(3)


def _columns_of_table(data: bytes, order: ByteOrder) -> list[bytes]:
    root = build_tokens([Token(3, 0, data)], order) if len(data) <= 0xFFFF else b""
    return metadata._Tree(root, order).columns(3)


def _each_column(record: Record) -> Iterator[bytes]:
    for data in _stored_columns(record):
        yield from _columns_of_table(data, record.order)


METADATA = {
    "database_definition": Held(
        spec.database_definition,
        _database,
        (metadata.parse_database,),
        metadata.build_database,
        _data_of_kind(record_header.DATABASE),
        is_strict=False,
    ),
    "table_definition": Held(
        spec.table_definition,
        _table,
        (metadata.parse_table,),
        metadata.build_table,
        _data_of_kind(record_header.TABLE),
        is_strict=False,
    ),
    "column_definitions": Held(
        spec.column_definitions, lambda parsed, _: list(parsed), (_columns_of_table,), None, _stored_columns
    ),
    "column_definition": Held(_definition_layout, _column_definition, (parse_column,), build_column, _each_column),
}


# File header, and the integers of all


def _header_value(kind: str) -> Held:
    fields = {
        (group, number)
        for group, group_layout in GROUPS.items()
        for number, field in group_layout.fields.items()
        if field.kind == kind
    }

    def samples(record: Record) -> Iterator[bytes]:
        groups = record.file_header.groups if record.is_file_header else ()
        for group in groups:
            for token in group.tokens:
                if (group.token.id, token.token.id) in fields and not token.token.is_unset:
                    yield token.token.payload

    def read(data: bytes, _: ByteOrder) -> object:
        value = READERS[kind](data)
        if value is None:
            raise BadData("stored otherwise")
        return value

    return Held(
        lambda _: spec.FILE_HEADER_VALUES[kind],
        lambda parsed, _: parsed,
        (read,),
        None,
        lambda record: iter([*samples(record), *_EXTREME.get(kind, ())]),
    )


_EXTREME = {
    "u64": (b"\xff" * 8,),
    "i64": (b"\xff" * 8,),
    "history": (b"", b"\x35\0\0\3\0\1a\x35\0\0\2\0\0"),
    "cases": (b"\0\0\0\2ab",),
    "csn": (b"\x80" + b"9" * 128, b"\x81" + b"9" * 128),
    "signature": (SIGNATURE,),
}


def _read_number(data: bytes, order: ByteOrder, *, is_signed: bool = False) -> int:
    return int.from_bytes(data, order.word, signed=is_signed)


def _read_prefixed(data: bytes, order: ByteOrder) -> bytes:
    if (found := layout.read_prefixed(data, 2, order.word)) is None:
        raise BadData("another length")
    return found


NUMBERS = {
    "uint": Held(
        lambda order: spec.uint(order, 2),
        lambda parsed, _: parsed,
        (_read_number, lambda data, order: order.decode(data)),
        name_field,
        _always(b"\0\1", b"\xff\xfe"),
        is_strict=False,
    ),
    "sint": Held(
        lambda order: spec.sint(order, 4),
        lambda parsed, _: parsed,
        (partial(_read_number, is_signed=True),),
        None,
        _always(b"\0\0\0\1", b"\xff\xff\xff\xfe"),
        is_strict=False,
    ),
    "prefixed": Held(
        lambda order: spec.prefixed(order, 2),
        lambda parsed, _: parsed,
        (_read_prefixed,),
        None,
        _always(b"\0\2ab", b"\2\0ab", b"\0\0"),
    ),
}

HELD: dict[str, Held] = TOKENS | RECORDS | DATA | METADATA | NUMBERS
HELD |= {f"FILE_HEADER_VALUES {kind}": _header_value(kind) for kind in READERS}


@cache
def _records(path: Path) -> tuple[Record, ...]:
    try:
        with TrailFile(path) as trail:
            return tuple(trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size))  # type: ignore[misc]
    except TrailError:
        return ()


@cache
def _samples(held: Held, *paths: Path) -> list[tuple[bytes, ByteOrder]]:
    found: dict[tuple[bytes, ByteOrder], None] = {}
    for path in paths:
        for record in _records(path):
            try:
                found |= dict.fromkeys((data, record.order) for data in held.samples(record))
            except TrailError:
                continue
    return list(found)


def _by_layout(held: Held, data: bytes, order: ByteOrder) -> object:
    try:
        return held.value(_whole(held.layout(order.value)).parse(data), order)
    except (construct.ConstructError, TrailError, IndexError, UnicodeDecodeError):
        return REFUSED


def _by_reader(read: Callable[[bytes, ByteOrder], object], data: bytes, order: ByteOrder) -> object:
    try:
        return read(data, order)
    except TrailError:
        return REFUSED


def _assert_held(held: Held, data: bytes, order: ByteOrder) -> bool:
    """Whether the layout accepts the bytes; what its readers make of them is what it makes of them."""
    expected = _by_layout(held, data, order)
    for read in held.readers:
        found = _by_reader(read, data, order)
        if found is REFUSED and held.asks_more:
            return False
        assert found == expected or (expected is REFUSED and not held.is_strict), (data, order, read)
    return expected is not REFUSED


FIXTURES = sorted(path for path in TRAILS.iterdir() if path.is_file())
_FEW = 60
"""So many samples are all tried; of more, the short form tries every third."""


@pytest.mark.parametrize("name", HELD)
def test_what_fixtures_hold_is_read_and_built_as_its_layout_says(name: str) -> None:
    held = HELD[name]
    samples = _samples(held, *FIXTURES)
    if not IS_LONG and len(samples) > _FEW:
        samples = samples[::3]
    accepted = [(data, order) for data, order in samples if _assert_held(held, data, order)]
    assert accepted
    assert {order for _, order in accepted} == set(ByteOrder) or name.startswith("FILE_HEADER")
    for data, order in accepted if held.build is not None else ():
        assert held.build is not None
        assert held.build(_by_layout(held, data, order), order) == data


@pytest.mark.parametrize("name", HELD)
def test_what_the_real_trail_holds_is_read_and_built_as_its_layout_says(name: str, evidence: Path) -> None:
    held = HELD[name]
    for data, order in _samples(held, evidence / "tr000000000"):
        is_accepted = _assert_held(held, data, order)
        if is_accepted and held.build is not None:
            assert held.build(_by_layout(held, data, order), order) == data


@pytest.mark.parametrize("name", HELD)
def test_bytes_that_are_changed_or_cut_are_read_as_the_layout_says(name: str) -> None:
    held, chance = HELD[name], Random(name)
    samples = [sample for sample in _samples(held, *FIXTURES) if len(sample[0]) < 4096]
    for data, order in chance.choices(samples, k=examples(300)):
        drawn = bytearray(data)
        for _ in range(chance.choice((0, 1, 1, 2)) if drawn else 0):
            drawn[chance.randrange(len(drawn))] = chance.choice((0, 1, 2, 0x40, 0xFF, chance.randrange(256)))
        if chance.random() < 0.4:
            del drawn[chance.randint(0, len(drawn)) :]
        if chance.random() < 0.1:
            drawn += chance.randbytes(chance.randint(1, 9))
        if name != "DDL_ITEMS" or drawn.count(b",C1=") <= bytes(drawn).endswith(bytes(data[-20:])):
            _assert_held(held, bytes(drawn), order)


def test_every_layout_is_held() -> None:
    layouts = {
        name
        for name, value in vars(spec).items()
        if not name.startswith("_") and name not in {"cache", "annotations", "c", "Any", "Layout"}
        if callable(value) or isinstance(value, (construct.Construct, dict))
    }
    assert {name.split()[0] for name in HELD} == layouts
    assert spec.FILE_HEADER_VALUES.keys() == READERS.keys()


def test_the_numbers_of_the_layouts_are_those_of_the_readers() -> None:
    assert (tokens.WIDE, tokens.UNSET, ByteOrder.BIG.value) == (spec.WIDE, spec.UNSET, spec.BIG)
