"""The identity of a transaction, and the state of it that continues from one record to the next."""

from __future__ import annotations

from typing import NamedTuple


class Transaction(NamedTuple):
    """LOGCSN and TRANID of a transaction, each None when no record holds it."""

    csn: str | None = None
    xid: str | None = None


NO_TRANSACTION = Transaction()


class CarriedTransaction(NamedTuple):
    """The transaction to which a record belongs that begins none; ``has_ended`` where only fragments can follow."""

    transaction: Transaction
    has_ended: bool = False
