r"""The layouts of a trail on one page, as ``construct`` declarations. Read this first.

    trail   F record, G record, G record, …           the F record, the file header, from release 10 on
    record  G { H header · D data · T GGS tokens · U user tokens } Z          a record of a row
            G { H header · D definition } Z                                   a metadata record, from 12.2 on
            F { 30 TrailInfo { … } · 31 MachineInfo { … } · … } Z             the file header

Everything is a token: an id, flags, a length, a payload. A layout is a function of the byte order of the trail,
written as in ``struct``: ``>`` for big-endian, ``<`` for little-endian. The file header is big-endian in
every trail. Unknown fields are kept as bytes.

Bytes are built by these layouts alone. They can parse too, but slowly: records are read by hand-written readers, in
the modules that each section names; ``tests/trailformat/test_spec.py`` compares every reader with its layout. Those
modules name the source of each fact. The bytes of a column are explained in :mod:`trailformat.values`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import construct as c

Layout = Any
"""A ``construct`` layout; the package has no types of its own."""

_LETTERS = {1: "B", 2: "H", 4: "L", 8: "Q"}


def uint(order: str, size: int) -> Layout:
    """An unsigned integer of 1, 2, 4 or 8 bytes."""
    return c.FormatField(order, _LETTERS[size])


def sint(order: str, size: int) -> Layout:
    """A signed integer of 1, 2, 4 or 8 bytes."""
    return c.FormatField(order, _LETTERS[size].lower())


def prefixed(order: str, size: int) -> Layout:
    """Bytes preceded by their length, an unsigned integer of ``size`` bytes."""
    return c.Prefixed(uint(order, size), c.GreedyBytes)


# ---- Tokens ------------------------------------------------------------------------------- codec/tokens.py
#
#     offset  size    field
#     0       1       id, usually a printable character
#     1       1       info: flag bits; 40 makes the length 4 bytes wide; ff in a file header: value not set
#     2       2 or 4  length of the payload
#     4 or 6  length  payload
#
#     4c 00 000a 37383234313337383332          L, 10 bytes: LOGCSN "7824137832" (big-endian)

WIDE = 0x40
UNSET = 0xFF


def _is_wide(info: int) -> bool:
    return bool(info & WIDE) and info != UNSET


def _length(order: str) -> Layout:
    return c.IfThenElse(lambda this: _is_wide(this.info), uint(order, 4), uint(order, 2))


@cache
def token(order: str) -> Layout:
    """One token."""
    return c.Struct(
        "id" / c.Int8ub,
        "info" / c.Int8ub,
        "length" / c.Rebuild(_length(order), c.len_(c.this.payload)),
        "payload" / c.Bytes(c.this.length),
    )


@cache
def tokens(order: str) -> Layout:
    """Consecutive tokens: the body of a record, GGS tokens (``T``), a group of the file header."""
    return c.FocusedSeq("tokens", "tokens" / c.GreedyRange(token(order)), c.Terminated)


def token_of(order: str, number: int, payload: Layout, info: int = 0) -> Layout:
    """A token with this id and info and this payload layout; info gets the wide bit if the length needs 4 bytes."""

    def of(data: bytes) -> Any:
        return c.Container(id=number, info=info | (WIDE if len(data) > 0xFFFF else 0), payload=data)

    def is_one(stored: Any, _: Any) -> bool:
        return (stored.id, stored.info) == (number, of(stored.payload).info)

    stored = c.ExprValidator(token(order), is_one)
    whole = c.FocusedSeq("value", "value" / payload, c.Terminated)
    return c.ExprAdapter(
        stored,
        decoder=lambda stored, _: whole.parse(stored.payload),
        encoder=lambda value, _: of(payload.build(value)),
    )


# ---- Records -------------------------------------------------------------- records/framing.py, records/record.py
#
#     offset  size    field
#     0       1       47 G, 46 F for the file header
#     1       1       info: 40 makes both lengths 4 bytes wide
#     2       2 or 4  length of the whole record
#     4 or 6  …       body: tokens, of which H is the first in G
#     …       1       5a Z, the trailer
#     …       1       info
#     …       2 or 4  the length again
#
#     47 01 00aa   48 00 0024 450c…   44 00 003a …   54 00 0032 …   5a 01 00aa


@cache
def record(order: str) -> Layout:
    """The frame of a record; its body is ``tokens``."""

    def frame(this: Any) -> int:
        return 12 if _is_wide(this.info) else 8

    length = c.Rebuild(_length(order), lambda this: len(this.body) + frame(this))
    return c.Struct(
        "id" / c.OneOf(c.Int8ub, b"GF"),
        "info" / c.Int8ub,
        "length" / length,
        "body" / c.Bytes(lambda this: this.length - frame(this)),
        "trailer" / c.Const(b"Z"),
        "trailer_info" / c.ExprValidator(c.Int8ub, lambda info, this: _is_wide(info) == _is_wide(this.info)),
        "length_again" / length,
        c.Check(c.this.length_again == c.this.length),
    )


# ---- Record header H -------------------------------------------------------------- records/record_header.py
#
#     0  1  Hdr-Ind, 'E'         8  8  IO Time, Julian     28  1  TransInd        32  1  Continued
#     1  1  Partition           16  8  AuditPos            29  1  FormatType      33  1  RecCount
#     2  1  UndoFlag            24  4  AuditRBA            30  1  SyskeyLen       34  …  name field
#     3  1  BeforeAfter                                    31  1  Incomplete
#     4  2  RecLength
#     6  1  IOType
#     7  1  OrigNode
#
#     450c 0041 003a 05ff 02f2 4a02 fd11 6400 0000 0000 014a daec 0001 a7b2 0052 0000 0001 0001
#
# The name field is ``schema.table`` with a NUL, or the index of a definition where Partition has the bit 08.


@cache
def record_header(order: str) -> Layout:
    """The payload of ``H``."""
    return c.Struct(
        "hdr_ind" / c.Int8ub,
        "partition" / c.Int8ub,
        "undo_flag" / c.Int8ub,
        "before_after" / c.Int8ub,
        "record_length" / uint(order, 2),
        "io_type" / c.Int8ub,
        "orig_node" / c.Int8ub,
        "io_time" / sint(order, 8),
        "audit_pos" / uint(order, 8),
        "audit_rba" / uint(order, 4),
        "trans_ind" / c.Int8ub,
        "format_type" / c.Int8ub,
        "syskey_len" / c.Int8ub,
        "incomplete" / c.Int8ub,
        "continued" / c.Int8ub,
        "rec_count" / c.Int8ub,
        "name_field" / c.GreedyBytes,
    )


# ---- User tokens U ---------------------------------------------------------------- records/user_tokens.py
#
#     name NUL value NUL, repeated

_TERMINATED = c.NullTerminated(c.GreedyBytes)
USER_TOKENS = c.FocusedSeq(
    "pairs", "pairs" / c.GreedyRange(c.Struct("name" / _TERMINATED, "value" / _TERMINATED)), c.Terminated
)


# ---- Data D of a row: columns and images ----------------------------- records/columns.py, records/images.py
#
#     0  2       column index, from 0
#     2  2       length of what follows
#     4  length  2-byte indicator (0000 present, ffff NULL), then the value
#
#     0001 0013 0000 000f 4247 2053 4f46 5457 4152 4520 434f 2e     column 1: VARCHAR "BG SOFTWARE CO."
#
#     Insert, FieldComp, Update, Delete   columns (without the bit 04 of Partition: a full record image)
#     GGSPKUpdate                         2-byte length, key columns before; columns after
#     GGSUnifiedUpdate, …PKUpdate         4-byte length, columns before; columns after

STORED_VALUE = c.Struct("indicator" / c.Bytes(2), "value" / c.GreedyBytes)


@cache
def column(order: str) -> Layout:
    """One column of an image; ``raw`` is a ``STORED_VALUE``."""
    return c.Struct(
        "index" / uint(order, 2),
        "length" / c.Rebuild(uint(order, 2), c.len_(c.this.raw)),
        "raw" / c.Bytes(c.this.length),
    )


@cache
def paired_images(order: str, size: int) -> Layout:
    """Both images of an update: the before image, preceded by its length of 2 or 4 bytes, and the after image."""
    return c.Struct("before" / prefixed(order, size), "after" / c.GreedyBytes)


# ---- Data D of a LargeObject: one piece of a LOB ------------------------------------ records/lob_pieces.py
#
#     0000 0003 0000 0002 0000 0004 0000 07d0 0000 1b58 4c6f 7265 6d20 …
#     column    number    pieces    offset    total     the bytes of the piece
#
# The order of these numbers is an assumption.


@cache
def lob_piece(order: str) -> Layout:
    """A piece of a LOB: ``number`` counts from 1, ``offset`` and ``total`` in bytes of the LOB."""
    numbers = (name / uint(order, 4) for name in ("column", "number", "pieces", "offset", "total"))
    return c.Struct(*numbers, "value" / c.GreedyBytes)


# ---- Data D of a DDLOP: items of text -------------------------------------------------------- records/ddl.py
#
#     ,C5='000…10444',,B7='',,B2='0',,B3='test',,B4='ogg_test',,B5='TABLE',,B6='CREATE',,C1='create …',
#
# GoldenGate's DDL package puts a backslash before each of \ ' , = ( ) in a value; MySQL's Extract does not.

_SPECIAL = [bytes([character]) for character in b"\\',=()"]
_ESCAPED = c.FocusedSeq("character", c.Const(b"\\"), "character" / c.OneOf(c.Bytes(1), _SPECIAL))
_CHARACTERS = c.GreedyRange(c.Select(_ESCAPED, c.NoneOf(c.Bytes(1), _SPECIAL)))
_IN_QUOTES = c.ExprAdapter(
    c.FocusedSeq("characters", c.Const(b"'"), "characters" / _CHARACTERS, c.Const(b"'")),
    decoder=lambda characters, _: b"".join(characters),
    encoder=lambda value, _: [value[index : index + 1] for index in range(len(value))],
)
DDL_ITEMS = c.FocusedSeq(
    "items",
    "items"
    / c.GreedyRange(
        c.Struct(c.Const(b","), "id" / c.NullTerminated(c.GreedyBytes, term=b"="), "value" / _IN_QUOTES, c.Const(b","))
    ),
    c.Terminated,
)


# ---- Data D of a metadata record (IOType 170) ------------------ definitions/metadata.py, definitions/column.py
#
#     DDR     30 { 01 version · 02 { 01 charset · 02 ncharset · 03 locale · 04 time zone · 05 cases } · 03 name }
#     TDR     30 { 01 version · 02 { 01 { 01 key columns } · 02 u32 · 03 u16 · 04 u16 } · 03 { u16 n, n columns } }
#     column  u16 size { u16 size { u16 length of the name, name, 44 bytes } · u16 14, 14 bytes }
#
#     0  2 data type         14  4 table length          30  2 native type            38  2 scale
#     2  4 internal length   18  4 character length [I]  32  2 sub data type          40  2 zero so far
#     6  4 external length   22  4 fetch offset          34  2 most significant DT    42  2 flags
#     10 4 binary length     26  4 character set, -1     36  2 least significant DT
#
#     0086 00000008 0000000a 00000008 00000008 00000000 00000066 ffffffff 0002 0003 0000 0000 0002 0000 0022
#
# OrigNode is 1 in a DDR, 2 in a TDR, 3 in a reference to a TDR, which has no data. In 21c, the tokens 02 to 04 after
# the key columns and the 14 bytes of each column are missing.


@cache
def database_definition(order: str) -> Layout:
    """A DDR."""
    settings = c.Struct(
        "charset" / token_of(order, 1, uint(order, 4)),
        "ncharset" / token_of(order, 2, uint(order, 4)),
        "locale" / token_of(order, 3, uint(order, 2)),
        "time_zone" / token_of(order, 4, prefixed(order, 2)),
        "cases" / token_of(order, 5, prefixed(order, 4)),
    )
    root = c.Struct(
        "version" / token_of(order, 1, uint(order, 2)),
        "settings" / token_of(order, 2, settings),
        "name" / token_of(order, 3, prefixed(order, 2)),
    )
    return token_of(order, 0x30, root)


@cache
def table_definition(order: str) -> Layout:
    """A TDR."""
    keys = c.Struct("key_columns" / token_of(order, 1, uint(order, 2)))
    attributes = c.Struct("keys" / token_of(order, 1, keys), "options" / c.GreedyRange(token(order)))
    root = c.Struct(
        "version" / token_of(order, 1, uint(order, 2)),
        "attributes" / token_of(order, 2, attributes),
        "columns" / token_of(order, 3, column_definitions(order), WIDE),
    )
    return token_of(order, 0x30, root, WIDE)


@cache
def column_definitions(order: str) -> Layout:
    """The columns of a TDR, each a ``column_definition``."""
    return c.PrefixedArray(uint(order, 2), prefixed(order, 2))


@cache
def column_definition(order: str) -> Layout:
    """A column of a TDR, without the size in front of it; ``rest`` is empty in all known trails."""
    fixed = c.Struct(
        "name" / prefixed(order, 2),
        "data_type" / uint(order, 2),
        "internal_length" / uint(order, 4),
        "external_length" / uint(order, 4),
        "binary_length" / uint(order, 4),
        "table_length" / uint(order, 4),
        "character_length" / uint(order, 4),
        "fetch_offset" / uint(order, 4),
        "charset" / sint(order, 4),
        "native_type" / sint(order, 2),
        "sub_data_type" / sint(order, 2),
        "most_significant" / uint(order, 2),
        "least_significant" / uint(order, 2),
        "scale" / sint(order, 2),
        "reserved" / uint(order, 2),
        "flags" / uint(order, 2),
        "rest" / c.GreedyBytes,
    )
    tail = c.Optional(prefixed(order, 2))
    return c.Struct("fixed" / c.Prefixed(uint(order, 2), fixed), "tail" / tail, "rest" / c.GreedyBytes)


# ---- File header F --------------------------------------------------------------------- records/file_header.py
#
#     46 00 0586                          F, the whole record
#       30 00 0315                        group TrailInfo: tokens with ids from 30 on
#         30 00 0008 4747 0d0a 544c 0a0d  Signature "GG\r\nTL\n\r"
#         31 00 0002 0005                 Compatibility 5
#         39 ff 0008 0000 0000 0000 0000  FileSize, not set
#       31 …                              group MachineInfo
#     5a 00 0586                          Z
#
#     signature  8 bytes                         history  tokens 35, each the length and text of a URI
#     text       u16 length, UTF-8               cases    u32 length, a byte per kind of object
#     csn        u8 length, text, 129 bytes in all, the rest zeros
#
# Ids, names and kinds of the tokens are the tables of records/file_header.py.

BIG = ">"


def _text_in(stored: Layout) -> Layout:
    """UTF-8 text in the bytes that the layout ``stored`` yields."""
    return c.ExprAdapter(
        stored,
        decoder=lambda data, _: data.decode("utf-8", "backslashreplace"),
        encoder=lambda text, _: text.encode("utf-8", "surrogateescape"),
    )


_TEXT = _text_in(prefixed(BIG, 2))
_URI = c.Struct("text" / token_of(BIG, 0x35, _TEXT))

FILE_HEADER_VALUES: dict[str, Layout] = {
    "u8": uint(BIG, 1),
    "u16": uint(BIG, 2),
    "u32": uint(BIG, 4),
    "u64": uint(BIG, 8),
    "i32": sint(BIG, 4),
    "i64": sint(BIG, 8),
    "signature": c.Bytes(8),
    "text": _TEXT,
    "csn": _text_in(c.Padded(129, prefixed(BIG, 1))),
    "cases": prefixed(BIG, 4),
    "history": c.ExprAdapter(
        c.GreedyRange(_URI),
        decoder=lambda items, _: tuple(item.text for item in items),
        encoder=lambda texts, _: [{"text": text} for text in texts],
    ),
}
"""Layouts of the payloads of file header tokens, by kind."""
