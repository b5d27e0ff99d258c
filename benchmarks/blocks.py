"""Blocks of whole transactions, built once, with the offsets at which time, CSN and position are set later."""

from __future__ import annotations

import struct
from math import exp, log
from random import Random
from typing import NamedTuple

from benchmarks.tables import FILTERED, NEEDLE, tables
from benchmarks.templates import AUDIT_RBA, TableTemplates, Template, opening_records, table_templates
from trailformat import ByteOrder
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

BLOCK_BYTES = 8_000_000
_BLOCKS = 4
LARGE, SMALL = "large", "small"
SIZES = {LARGE: 2000, SMALL: 6}
"""The most records of a transaction, by kind of trail; sizes are spread evenly on a logarithmic scale."""
_NEEDLE_SHARE = 1 / 500
_TRANS_IND_AT = 28
_TIME_AT = 8
_FIRST_CSN = 418_823_000_000
_CSN_STEP = 17
EARLY = 1000
"""Number of transactions at the beginning that the filter on the CSN must find."""
EARLY_CSN = _FIRST_CSN + _CSN_STEP * EARLY
"""CSN of the last of the EARLY transactions."""
_WORK = ("inserts", "updates", "unified_updates", "deletes")
_WORK_WEIGHTS = (45, 33, 10, 12)

__all__ = [
    "BLOCK_BYTES",
    "EARLY_CSN",
    "FILTERED",
    "LARGE",
    "NEEDLE",
    "SIZES",
    "SMALL",
    "Block",
    "Clock",
    "Facts",
    "Source",
    "Transaction",
]


class Facts(NamedTuple):
    """Numbers of records in a trail: all, those of the table FILTERED, with NEEDLE, and of the EARLY transactions."""

    records: int = 0
    filtered: int = 0
    needles: int = 0
    early: int = 0

    def plus(self, other: Facts) -> Facts:
        """Return the sums of both."""
        return Facts._make(map(sum, zip(self, other, strict=True)))


class Transaction(NamedTuple):
    """One transaction in a block: offsets of the times of its records, of its CSN and XID, and of its end."""

    time_ats: list[int]
    csn_at: int
    xid_at: int
    end: int
    facts: Facts


class Block:
    """Bytes of whole transactions."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.transactions: list[Transaction] = []

    def add(self, records: list[Template]) -> None:
        """Append a transaction of these records."""
        start, last = len(self.data), len(records) - 1
        time_ats = []
        for number, record in enumerate(records):
            offset = len(self.data)
            self.data += record.middle if number else record.first
            place = ONLY if not last else FIRST if not number else LAST if number == last else MIDDLE
            self.data[offset + record.header_at + _TRANS_IND_AT] = place
            time_ats.append(offset + record.header_at + _TIME_AT)
        facts = Facts(
            len(records),
            sum(template.is_filtered for template in records),
            sum(template.has_needle for template in records),
        )
        first = records[0]
        self.transactions.append(
            Transaction(time_ats, start + first.csn_at, start + first.xid_at, len(self.data), facts)
        )

    def fitting(self, room: int) -> int:
        """Return the number of transactions, from the first on, that fit into ``room`` bytes."""
        return sum(transaction.end <= room for transaction in self.transactions)


class Clock:
    """The time, CSN and position in the redo log of the next transaction."""

    def __init__(self, order: ByteOrder, start: int) -> None:
        self._fields = struct.Struct(order.value + "qQI")
        self._now = start
        self._number = 0
        self._position = 23_408_640

    def stamp(self, block: Block, count: int) -> Facts:
        """Set the values in the first ``count`` transactions of a block; return their numbers of records."""
        facts = Facts()
        data, pack_into, position = block.data, self._fields.pack_into, self._position
        for transaction in block.transactions[:count]:
            self._number += 1
            self._now += 1_000_000 + 7919 * (self._number % 101)
            now, number = self._now, self._number
            for offset in transaction.time_ats:
                position += 580
                pack_into(data, offset, now, position, AUDIT_RBA)
            data[transaction.csn_at : transaction.csn_at + 12] = b"%012d" % (_FIRST_CSN + _CSN_STEP * number)
            data[transaction.xid_at : transaction.xid_at + 14] = b"%d.%02d.%09d" % (number % 10, number % 33, number)
            facts = facts.plus(transaction.facts._replace(early=transaction.facts.records if number <= EARLY else 0))
        self._position = position
        return facts


class Source:
    """The blocks of a trail; the same seed gives the same trail."""

    def __init__(self, order: ByteOrder, seed: int, transactions: str = LARGE) -> None:
        self._random = Random(seed)
        self._largest = SIZES[transactions]
        self._tables = tables()
        self.opening = opening_records(order, self._tables)
        self.opening_facts = Facts(2 + len(self._tables), 1)
        self._templates = [table_templates(table, order, self._random) for table in self._tables]
        self._weights = [table.weight for table in self._tables]
        self._blocks = [self._block() for _ in range(_BLOCKS)]

    def next_block(self) -> Block:
        """Return a random block, with the values that were set in it before."""
        return self._random.choice(self._blocks)

    def _block(self) -> Block:
        block = Block()
        while len(block.data) < BLOCK_BYTES:
            size = int(exp(self._random.uniform(0, log(self._largest + 1))))
            block.add(self._transaction(size))
        return block

    def _transaction(self, size: int) -> list[Template]:
        """Return ``size`` records of one to four tables; more if pieces of a LOB follow the last."""
        random = self._random
        chosen = random.choices(self._templates, self._weights, k=random.randint(1, 4))
        records: list[Template] = []
        while len(records) < size:
            records += self._change(random.choice(chosen))
        return records

    def _change(self, table: TableTemplates) -> list[Template]:
        random = self._random
        if random.random() < _NEEDLE_SHARE:
            return [random.choice(table.needles)]
        work = random.choices(_WORK, _WORK_WEIGHTS)[0]
        rows: list[Template] = getattr(table, work)
        pieces = random.choices(table.pieces, k=random.randint(2, 6)) if table.pieces and work == "inserts" else []
        return [random.choice(rows), *pieces]
