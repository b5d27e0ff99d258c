"""Numbers of the format and of batches that are compiled into the kernels.

Kernels must import such numbers from here only: the library is identified by these values and the kernels' sources.
"""

from __future__ import annotations

from trailformat.codec import tokens
from trailformat.records import framing, record_header

TOKEN_G, TOKEN_F = framing.RECORD, framing.FILE_HEADER
TOKEN_H, TOKEN_D, TOKEN_T, TOKEN_Z = framing.HEADER, framing.DATA, framing.TOKENS_TOKEN, framing.TRAILER
FIRST_OF_FILE_HEADER, SMALLEST, SMALLEST_BODY = framing.FIRST_OF_FILE_HEADER, framing.SMALLEST, framing.SMALLEST_BODY
INFO_AT, LENGTH_AT, NARROW_HEAD, WIDE_HEAD = tokens.INFO_AT, tokens.LENGTH_AT, tokens.NARROW_HEAD, tokens.WIDE_HEAD
MOST_NARROW = tokens.MOST_NARROW
MOST_TOKENS, MOST_BYTES, MOST_FIELDS = framing.MOST_TOKENS, framing.MOST_BYTES, tokens.MOST_PARTS
WIDE, UNSET = tokens.WIDE, tokens.UNSET
LOGCSN, TRANID = tokens.LOGCSN, tokens.TRANID

HEADER_SIZE, HDR_IND, NAME_IS_INDEX = record_header.HEADER_SIZE, record_header.HDR_IND, record_header.NAME_IS_INDEX
INDEX_SIZE = record_header.INDEX_SIZE
NO_INDEX = -1
"""Table index of a header that holds a name."""
COMPRESSED = record_header.COMPRESSED
PARTITION_AT, BEFORE_AFTER_AT = record_header.PARTITION_AT, record_header.BEFORE_AFTER_AT
RECORD_LENGTH_AT, IO_TYPE_AT, ORIG_NODE_AT = (
    record_header.RECORD_LENGTH_AT,
    record_header.IO_TYPE_AT,
    record_header.ORIG_NODE_AT,
)
IO_TIME_AT, AUDIT_POS_AT, AUDIT_RBA_AT = (
    record_header.IO_TIME_AT,
    record_header.AUDIT_POS_AT,
    record_header.AUDIT_RBA_AT,
)
TRANS_IND_AT, CONTINUED_AT = record_header.TRANS_IND_AT, record_header.CONTINUED_AT

METADATA, TABLE, REFERENCE = record_header.METADATA, record_header.TABLE, record_header.REFERENCE
KIND_RECORD, KIND_FILE_HEADER, KIND_BAD_SPAN, KIND_PARTIAL = range(4)
"""Kinds of the rows of a batch."""


def values() -> str:
    """Return all of them, by name."""
    return repr(sorted((name, value) for name, value in globals().items() if name.isupper()))
