"""IOType: what a record does, by its number, with the name that Logdump prints.

Names and numbers are those of SHOW RECTYPE in the manual and of the transcripts; those of 101-107, 117, 132, 134, 150,
152, 161 and 200-254 are from the operation-type appendix.
"""

from __future__ import annotations

import re

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
"""Number -> name as Logdump prints it."""

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
RESTART_ABEND = 150
RESTART_OK = 151
RECOVERY_END = 152
DDL_OP = 160
RECORD_FRAGMENT = 161
METADATA = 170
COMMENT = 205

RESTARTS = frozenset({RESTART_ABEND, RESTART_OK})
"""Extract restarted here: a transaction that is open will not be ended."""
PIECES = frozenset({LARGE_OBJECT, RECORD_FRAGMENT})
"""A part of the row before it."""
NOT_TRANSACTIONAL = frozenset({RESTART_ABEND, RESTART_OK, RECOVERY_END, METADATA, COMMENT})
"""Types outside of every transaction, whatever their TransInd."""

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
} | {name.upper(): number for number, name in IO_TYPES.items()}

_HEX = re.compile("0?[xX]([0-9A-Fa-f]{1,2})")
_DIGITS = 20
"""More digits than anybody types; Python refuses to convert some thousands."""


def io_type_name(number: int) -> str:
    """The printed name; for a number that no source lists, ``Type n``."""
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
