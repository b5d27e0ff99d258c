"""The record header ``H``: 34 fixed bytes, then the name or index of a table, laid out by ``spec.record_header``."""

from __future__ import annotations

import re
import struct
from typing import Any, NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.on_demand import on_demand
from trailformat.errors import BadRecord

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout

IO_TYPES: dict[int, str] = {
    1: "Abort",
    2: "Commit",
    3: "Delete",
    4: "EndRollBack",
    5: "Insert",
    6: "Prepared",
    7: "TMF-Shutdown",
    8: "TransBegin",
    9: "TransRelease",
    10: "Update",
    11: "UpdateComp",
    12: "FileAlter",
    13: "FileCreate",
    14: "FilePurge",
    15: "FieldComp",
    16: "FileRename",
    17: "AuxPointer",
    18: "NetworkCommit",
    19: "NetworkAbort",
    20: "CurrentPos",
    89: "SQL/MX DDL OP",
    90: "GGSSQLCol",
    100: "GGSPurgedata",
    101: "GGSPurgeFile",
    102: "GGSCreateFile",
    103: "GGSAlterFile",
    104: "GGSRenameFile",
    105: "GGSSetmode",
    106: "GGSChangeLabel",
    107: "GGSControl",
    115: "GGSPKUpdate",
    116: "LargeObject",
    117: "GGSKeyFieldComp32",
    132: "SequenceOp",
    134: "GGSUnifiedUpdate",
    135: "GGSUnifiedPKUpdate",
    150: "RestartAbend",
    151: "RestartOK",
    152: "RecoveryEnd",
    160: "DDLOP",
    161: "RecordFragment",
    170: "Metadata",
    200: "GGSBulkio",
    201: "GGSFileClose",
    202: "GGSLoggerTS",
    203: "GGSExtractTS",
    204: "GGSCollectTS",
    205: "GGSComment",
    249: "LoggerAddedStats",
    250: "LibOpenTrace",
    251: "LibCloseTrace",
    252: "LoggerOpenTrace",
    253: "LoggerCloseTrace",
    254: "LoggerAddedInfo",
}
"""Names of the IOTypes as Logdump prints them, by number."""

DELETE = 3
INSERT = 5
UPDATE = 10
UPDATE_COMP = 11
FIELD_COMP = 15
PURGE_DATA = 100
PK_UPDATE = 115
LARGE_OBJECT = 116
KEY_FIELD_COMP_32 = 117
SEQUENCE_OP = 132
UNIFIED_UPDATE = 134
UNIFIED_PK_UPDATE = 135
UPSERT = 140
"""Its name in Logdump is not known; the header files of user exits call it ``UPSERT_VAL``."""
RESTART_ABEND = 150
RESTART_OK = 151
RECOVERY_END = 152
DDL_OP = 160
RECORD_FRAGMENT = 161
METADATA = 170
COMMENT = 205

RESTARTS = frozenset({RESTART_ABEND, RESTART_OK})
"""Types of a restart of Extract: an open transaction will not be completed."""
PIECES = frozenset({LARGE_OBJECT, RECORD_FRAGMENT})
"""Types of records that are a part of the row before them."""
NOT_TRANSACTIONAL = frozenset({RESTART_ABEND, RESTART_OK, RECOVERY_END, METADATA, COMMENT})
"""Types outside of every transaction, whatever their TransInd."""
PREFIX_SIZES = {PK_UPDATE: 2, UNIFIED_UPDATE: 4, UNIFIED_PK_UPDATE: 4}
"""Size of the length before the before image, for the types with both images."""
ROW_TYPES = frozenset(
    {
        DELETE,
        INSERT,
        UPDATE,
        FIELD_COMP,
        UPSERT,
    }
)
"""The types with one image."""

DATABASE = 1
"""OrigNode of METADATA: a DDR."""
TABLE = 2
"""OrigNode of a TDR."""
REFERENCE = 3
"""OrigNode of a reference: a table with the same structure as the TDR whose index is in the header."""

_SPELLINGS: dict[str, int] = {
    "DDL": DDL_OP,
    "DDL_OP": DDL_OP,
    "ENDROLLBACK": 4,
    "GGSKEYFIELDCOMP": PK_UPDATE,
    "GGSSEQUENCEOP": 132,
    "KEYFIELDCOMP": PK_UPDATE,
    "PKUPDATE": PK_UPDATE,
    "PURGEDATA": PURGE_DATA,
    "UNIFIEDUPDATE": UNIFIED_UPDATE,
    "UNIFIEDPKUPDATE": UNIFIED_PK_UPDATE,
    "UPSERT": UPSERT,
} | {name.upper(): number for number, name in IO_TYPES.items()}

_HEX = re.compile("0?[xX]([0-9A-Fa-f]{1,2})")
_DIGITS = 20
"""More digits than anybody types; Python refuses to convert several thousand."""


def io_type_name(number: int) -> str:
    """Return the printed name; ``Type n`` for an unknown number."""
    return IO_TYPES.get(number) or f"Type {number}"


def io_type_number(text: str) -> int | None:
    """Return the number of a type name, a decimal number, or ``x73`` as shown; ignores case; None if invalid.

    Types are 0 to 255.
    """
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= _DIGITS and int(text) <= 255 else None
    if match := _HEX.fullmatch(text):
        return int(match[1], 16)
    return _SPELLINGS.get(text.upper())


class Transaction(NamedTuple):
    """LOGCSN and TRANID of a transaction, each None if no record has it."""

    csn: str | None = None
    xid: str | None = None


NO_TRANSACTION = Transaction()


class CarriedTransaction(NamedTuple):
    """The transaction of a record that begins none; ``has_ended``: only fragments can follow."""

    transaction: Transaction
    has_ended: bool = False


HEADER_SIZE = 34
HDR_IND = 0x45
COMPRESSED = 0x04
"""Partition bit: the data is a list of columns, not a full record image."""
NAME_IS_INDEX = 0x08
"""Partition bit: the name field is a u16 index of an earlier table definition (12.2 on)."""
INDEX_SIZE = 2
"""Size of that index in bytes."""

FIRST, MIDDLE, LAST, ONLY = range(4)
"""Values of TransInd."""
BEGINS = frozenset({FIRST, ONLY})
ENDS = frozenset({LAST, ONLY})


class FieldPlace(NamedTuple):
    """Offsets of a field in the header: its first byte, and the byte after its last."""

    start: int
    end: int


_CODES = {
    "hdr_ind": "B",
    "partition": "B",
    "undo_flag": "B",
    "before_after": "B",
    "record_length": "H",
    "io_type": "B",
    "orig_node": "B",
    "io_time": "q",
    "audit_pos": "Q",
    "audit_rba": "I",
    "trans_ind": "B",
    "format_type": "B",
    "syskey_len": "B",
    "incomplete": "B",
    "continued": "B",
    "rec_count": "B",
}
"""The fixed fields in order, with their :mod:`struct` codes."""


def struct_codes(first: str, last: str) -> str:
    """Return the :mod:`struct` codes of the fields from ``first`` to ``last``."""
    names = list(_CODES)
    return "".join(_CODES[name] for name in names[names.index(first) : names.index(last) + 1])


def _end_of(name: str) -> int:
    return struct.calcsize("=" + struct_codes("hdr_ind", name))


PLACES = {name: FieldPlace(_end_of(name) - struct.calcsize("=" + code), _end_of(name)) for name, code in _CODES.items()}
"""The place of each fixed field, by its name in :class:`RecordHeader`."""
PARTITION_AT, BEFORE_AFTER_AT, RECORD_LENGTH_AT = (
    PLACES[name].start for name in ("partition", "before_after", "record_length")
)
IO_TYPE_AT, ORIG_NODE_AT, IO_TIME_AT = (PLACES[name].start for name in ("io_type", "orig_node", "io_time"))
AUDIT_POS_AT, AUDIT_RBA_AT, TRANS_IND_AT = (PLACES[name].start for name in ("audit_pos", "audit_rba", "trans_ind"))
CONTINUED_AT = PLACES["continued"].start
"""Offsets of fields that are read in place, without parsing the header."""


class RecordHeader(NamedTuple):
    """The fields of ``H`` as stored; times in Julian microseconds, everything else as unsigned integers."""

    hdr_ind: int
    partition: int
    undo_flag: int
    before_after: int
    record_length: int
    io_type: int
    orig_node: int
    io_time: int
    audit_pos: int
    audit_rba: int
    trans_ind: int
    format_type: int
    syskey_len: int
    incomplete: int
    continued: int
    rec_count: int
    name_field: bytes

    @property
    def is_compressed(self) -> bool:
        """True if the data is a list of columns."""
        return bool(self.partition & COMPRESSED)

    @property
    def name_is_index(self) -> bool:
        """True if the name field is a table index."""
        return bool(self.partition & NAME_IS_INDEX)

    @property
    def is_before(self) -> bool:
        """True for a before image."""
        return self.before_after == ord("B")


def make_header(io_type: int, **fields: Any) -> RecordHeader:
    """Return a header of this type with the given fields; the others as in a record without a table."""
    usual: dict[str, Any] = {
        "hdr_ind": HDR_IND,
        "before_after": ord("A"),
        "trans_ind": 3,
        "format_type": ord("R"),
        "rec_count": 1,
        "name_field": b"\0",
    }
    return RecordHeader(**{**dict.fromkeys(RecordHeader._fields, 0), **usual, "io_type": io_type, **fields})


def name_text(field: bytes) -> str:
    r"""Return a stored name as text: up to the NUL, UTF-8, invalid bytes as ``\xNN``."""
    return field.partition(b"\0")[0].decode(errors="backslashreplace")


_FIXED = {order: struct.Struct(order.value + struct_codes("hdr_ind", "rec_count")) for order in ByteOrder}


def parse_header(payload: bytes, order: ByteOrder) -> RecordHeader:
    """Return the header in the payload of ``H``.

    Raises:
        BadRecord: it has fewer than 34 bytes.
    """
    return header_in(payload, 0, len(payload), order)


def header_in(buffer: bytes, offset: int, size: int, order: ByteOrder) -> RecordHeader:
    """Return the header in ``size`` bytes of a buffer from ``offset`` on. Raises like parse_header."""
    if size < HEADER_SIZE:
        raise BadRecord("record header too short", expected=f"at least {HEADER_SIZE} bytes", found=f"{size} bytes")
    return RecordHeader._make(
        (*_FIXED[order].unpack_from(buffer, offset), buffer[offset + HEADER_SIZE : offset + size])
    )


def build_header(header: RecordHeader, order: ByteOrder) -> bytes:
    """Return the payload of ``H``.

    Raises:
        CannotWrite: a value does not fit into its field.
    """
    return layout.build(spec.record_header(order.value), header._asdict(), "record header")


def name_field(name: str | int, order: ByteOrder) -> bytes:
    """Return the name field of a header: NUL-terminated text, or a table index."""
    if isinstance(name, int):
        return layout.build(spec.uint(order.value, 2), name, f"table index {name}")
    return layout.encode_text(name, "table name") + b"\0"
