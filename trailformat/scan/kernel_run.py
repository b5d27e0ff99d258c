"""One run of a kernel over windows: its state, and the names it meets."""

from __future__ import annotations

import secrets
from array import array
from collections.abc import Callable

from trailformat.codec.byte_order import ByteOrder
from trailformat.native.loaded import address_of
from trailformat.native.scan import arguments
from trailformat.records.record_header import (
    AUDIT_RBA_AT,
    HEADER_SIZE,
    NAME_IS_INDEX,
    ORIG_NODE_AT,
    PARTITION_AT,
)
from trailformat.scan.names import NO_NAME, Names
from trailformat.scan.position import ScanPosition
from trailformat.scan.windows import Window

_SLOTS = 1 << 10
_WORDS = 1 << 12
_INDEXES = 1 << 10
_ALL_BITS = (1 << 64) - 1


class KernelRun:
    """One kernel at work from place to place; what it fills is the caller's.

    A name is found by a hash with a secret key and then compared byte by byte, so that no two names share a key
    whatever their hashes are; and without the secret no names can be made whose hashes collide.

    Attributes:
        is_divided: whether what stands behind the last metadata record is to be kept apart; the run stops there.
    """

    def __init__(self, kernel: Callable[..., int], names: Names) -> None:
        self.names = names
        self.state = array("q", bytes(8 * arguments.STATE_SIZE))
        self._state_address = address_of(self.state)
        self._kernel = kernel
        self._tables = KernelNames()
        self.is_divided = False

    def go(
        self, window: Window, position: ScanPosition, end: int, stop: int, most: int, columns: int
    ) -> tuple[ScanPosition, int]:
        """Run from a place until the kernel stops for good; returns the place and why."""
        state = self.state
        state[arguments.RBA], state[arguments.LITTLE], state[arguments.KNOWN] = (
            position.rba,
            position.order is ByteOrder.LITTLE,
            position.order_known,
        )
        data = window.address - window.base
        status = arguments.NEW_KEY
        while status in {arguments.NEW_KEY, arguments.DEFINES} and not self.is_divided:
            tables = self._tables.address
            status = self._kernel(data, window.limit, end, stop, most, self._state_address, tables, columns)
            if status == arguments.NEW_KEY:
                self._give_key(window)
            elif status == arguments.DEFINES:
                self._define(window)
        order = ByteOrder.LITTLE if state[arguments.LITTLE] else ByteOrder.BIG
        return ScanPosition(state[arguments.RBA], order, bool(state[arguments.KNOWN])), status

    def new_key(self, key: int) -> None:
        """Called when a name or an index has got this key, before a record with it is looked at again."""

    def defining(self, kind: int, index: int) -> None:
        """Called before a metadata record with this OrigNode and TDR index is taken in."""

    def _give_key(self, window: Window) -> None:
        state, names = self.state, self.names
        what, header = state[arguments.WHAT], state[arguments.HEADER] - window.base
        if window.buffer[header + PARTITION_AT] & NAME_IS_INDEX:
            key = names.key_of_index(what)
            self._tables.set_index(what, key)
        else:
            field = window.buffer[header + HEADER_SIZE : header + state[arguments.HEADER_LENGTH]]
            name = field.split(b"\0", 1)[0]
            key = names.key_of_text(name)
            self._tables.add_name(name, what & _ALL_BITS, key)
        self.new_key(key)

    def _define(self, window: Window) -> None:
        state, buffer = self.state, window.buffer
        header = state[arguments.HEADER] - window.base
        order = ByteOrder.LITTLE if state[arguments.RECORD_LITTLE] else ByteOrder.BIG
        audit_rba = order.decode(buffer[header + AUDIT_RBA_AT : header + AUDIT_RBA_AT + 4])
        index = audit_rba >> 16 if order is ByteOrder.LITTLE else audit_rba & 0xFFFF
        key = NO_NAME if buffer[header + PARTITION_AT] & NAME_IS_INDEX else state[arguments.WHAT]
        kind = buffer[header + ORIG_NODE_AT]
        self.defining(kind, index)
        for meaning in self.names.define(kind, index, key).items():
            self._tables.set_index(*meaning)


class KernelNames:
    """The names with a key, as the arrays that the kernels read; they double when they are full, or half full."""

    def __init__(self) -> None:
        self._slots = _new_slots(_SLOTS)
        self._words = array("Q", bytes(8 * _WORDS))
        self._by_index = array("q", b"\xff" * 8 * _INDEXES)
        self._flags = array("B", arguments.FLAG_BYTES)
        self._secret = secrets.randbits(63)
        self._count = self._used = 0
        self._tables = array("q", bytes(8 * arguments.TABLES_SIZE))
        self._renew_addresses()
        self.address = address_of(self._tables)

    def set_index(self, index: int, key: int) -> None:
        """Let a table index stand for ``key``."""
        while index >= len(self._by_index):
            self._by_index.extend(array("q", b"\xff" * 8 * len(self._by_index)))
            self._renew_addresses()
        self._by_index[index] = key

    def add_name(self, name: bytes, hashed: int, key: int) -> None:
        """Let a name, whose hash a kernel found, stand for ``key``."""
        words = array("Q", name + bytes(8 - len(name) % 8))
        while self._used + len(words) > len(self._words):
            self._words.extend(array("Q", bytes(8 * len(self._words))))
            self._renew_addresses()
        if self._count * 2 >= len(self._slots) // arguments.SLOT_SIZE:
            old = self._slots
            self._slots = _new_slots(2 * len(old) // arguments.SLOT_SIZE)
            for at in range(0, len(old), arguments.SLOT_SIZE):
                if old[at + arguments.HASH]:
                    self._insert(*old[at : at + arguments.START + 1])
            self._renew_addresses()
        self._words[self._used : self._used + len(words)] = words
        self._insert(hashed, key, self._used)
        self._count += 1
        self._used += len(words)

    def _insert(self, hashed: int, key: int, start: int) -> None:
        mask = len(self._slots) // arguments.SLOT_SIZE - 1
        slot = (hashed >> arguments.HASH_SHIFT) & mask
        while self._slots[slot * arguments.SLOT_SIZE + arguments.HASH]:
            slot = (slot + 1) & mask
        at = slot * arguments.SLOT_SIZE
        self._slots[at + arguments.HASH], self._slots[at + arguments.KEY], self._slots[at + arguments.START] = (
            hashed,
            key,
            start,
        )

    def _renew_addresses(self) -> None:
        tables = self._tables
        tables[arguments.SLOTS], tables[arguments.MASK] = (
            address_of(self._slots),
            len(self._slots) // arguments.SLOT_SIZE - 1,
        )
        tables[arguments.WORDS], tables[arguments.BY_INDEX] = address_of(self._words), address_of(self._by_index)
        tables[arguments.INDEXES] = len(self._by_index)
        tables[arguments.SECRET], tables[arguments.FLAGS] = self._secret, address_of(self._flags)


def _new_slots(count: int) -> array[int]:
    return array("Q", bytes(8 * count * arguments.SLOT_SIZE))
