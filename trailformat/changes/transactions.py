"""The transaction of a record: LOGCSN and TRANID are on its first record, and apply to all of them.

Metadata, restart and comment records may be between the records of a transaction without belonging to it; a TDR has
a TransInd of its own (real 12.2 trail).
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.codec.tokens import LOGCSN, TRANID, token_places
from trailformat.errors import BadToken, TrailError
from trailformat.records.record_header import (
    FIRST,
    LAST,
    MIDDLE,
    NO_TRANSACTION,
    NOT_TRANSACTIONAL,
    ONLY,
    RECORD_FRAGMENT,
    RESTARTS,
    Transaction,
)

if TYPE_CHECKING:
    from trailformat.records.record import Record


class TransactionRole(enum.Flag):
    """The role of a record for the transactions around it; no flag: it is inside one.

    OUTSIDE: it belongs to none. RESTART: it ends the open one. FRAGMENT: it belongs to the record before it.
    """

    INSIDE = 0
    BEGINS = enum.auto()
    ENDS = enum.auto()
    OUTSIDE = enum.auto()
    RESTART = enum.auto()
    FRAGMENT = enum.auto()


def role_in(io_type: int, trans_ind: int) -> TransactionRole:
    """Return the role of a record with this IOType and TransInd."""
    if io_type in RESTARTS:
        return TransactionRole.RESTART
    if io_type in NOT_TRANSACTIONAL:
        return TransactionRole.OUTSIDE
    return TransactionRole.FRAGMENT if io_type == RECORD_FRAGMENT else _ROLES.get(trans_ind, TransactionRole.INSIDE)


_ROLES = {
    FIRST: TransactionRole.BEGINS,
    LAST: TransactionRole.ENDS,
    ONLY: TransactionRole.BEGINS | TransactionRole.ENDS,
}


def role_of(record: Record) -> TransactionRole:
    """Return the role of a record; a file header is outside."""
    return TransactionRole.OUTSIDE if record.is_file_header else role_in(record.header.io_type, record.header.trans_ind)


def place_of(record: Record) -> int | None:
    """Return FIRST, MIDDLE, LAST, ONLY or an unknown TransInd; MIDDLE for a fragment; None outside of transactions."""
    role = role_of(record)
    if role in (TransactionRole.OUTSIDE, TransactionRole.RESTART):
        return None
    return MIDDLE if role is TransactionRole.FRAGMENT else record.header.trans_ind


def is_transactional(record: Record) -> bool:
    """Return True if the record belongs to a transaction."""
    return not record.is_file_header and record.header.io_type not in NOT_TRANSACTIONAL


def own_transaction(record: Record) -> Transaction:
    """Return the transaction in the tokens of this record; empty if they are damaged."""
    try:
        tokens = record.payload("T") or b""
    except TrailError:
        return NO_TRANSACTION
    return transaction_in(tokens, 0, len(tokens), record.order)


def transaction_in(buffer: Source, offset: int, size: int, order: ByteOrder) -> Transaction:
    """Return the transaction in the payload of ``T``, ``size`` bytes at ``offset``; empty if it is damaged."""
    texts: dict[int, str] = {}
    try:
        for token, _, start, length in token_places(buffer, offset, offset + size, order):
            if token in (LOGCSN, TRANID) and token not in texts:
                texts[token] = buffer[start : start + length].decode("utf-8", "backslashreplace")
    except BadToken:
        return NO_TRANSACTION
    return Transaction(texts.get(LOGCSN), texts.get(TRANID))
