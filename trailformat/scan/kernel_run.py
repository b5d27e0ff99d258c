"""One run of a kernel over windows: the bytes that it reads, its state, and the names that it finds.

A window is a part of the file, copied into a buffer that is reused. It is copied, not mapped: when a file is truncated,
an access to the mapping of the lost bytes ends the process with SIGBUS, while a read returns fewer bytes. The copy
costs little, because a window stays in the processor's cache while it is used. A record that is larger than a window
has a buffer of its own, filled only with the heads of its parts: memory that is not written to costs nothing.
"""

from __future__ import annotations

import ctypes
import mmap
import secrets
from array import array
from collections import deque
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import is_wide
from trailformat.errors import CannotRead
from trailformat.native.loaded import address_of
from trailformat.native.scan import arguments
from trailformat.records.framing import MOST_BYTES, MOST_TOKENS
from trailformat.records.record_header import (
    AUDIT_RBA_AT,
    HEADER_SIZE,
    NAME_IS_INDEX,
    ORIG_NODE_AT,
    PARTITION_AT,
)
from trailformat.scan.names import NO_NAME, Names
from trailformat.scan.position import ScanPosition
from trailformat.trail.file import TrailFile

T = TypeVar("T")
_MOST = 4


class Spare(Generic[T]):
    """A pool of at most _MOST unused buffers, shared by all threads.

    Args:
        make: returns a new buffer of a size.
    """

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make
        self._buffers: deque[tuple[int, T]] = deque(maxlen=_MOST)

    def take(self, size: int) -> T:
        """Return a buffer of this size; its contents are undefined."""
        try:
            spare, buffer = self._buffers.pop()
        except IndexError:
            return self._make(size)
        return buffer if spare == size else self._make(size)

    def give(self, size: int, buffer: T) -> None:
        """Return a buffer of this size to the pool; nothing may refer to it any more."""
        self._buffers.append((size, buffer))


CAPACITY = 1 << 20
"""Bytes of a window: enough that threads rarely wait for each other between two, and few enough for a cache."""
_NEARBY = 64
_BEYOND = 1 << 12
"""Bytes of a window after the end of the scan: the last record may extend beyond it."""
_LENGTHS = 8


class Window(NamedTuple):
    """The bytes from ``base`` to before ``limit`` of a file; they begin at offset 0 of the buffer, at ``address``.

    ``is_whole`` is True if all are filled in, False if only those needed to decide whether a record of this length
    begins at ``base``.
    """

    buffer: mmap.mmap
    address: int
    base: int
    limit: int
    is_whole: bool = True


class Windows:
    """The windows of one scan."""

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._capacity = CAPACITY
        self._window = _SPARE.take(CAPACITY)
        self._usual = self._window

    def __del__(self) -> None:
        _SPARE.give(self._capacity, self._usual)

    def at(self, rba: int, need: int, size: int, stop: int) -> Window:
        """Return a window with ``need`` bytes from ``rba`` on, or fewer at the end of the file of ``size`` bytes.

        It extends at most _BEYOND after ``stop``, the end of the scan, unless ``need`` does.

        Raises:
            CannotRead: the file has become smaller than ``size``.
        """
        window = self._window
        if window.base <= rba <= (window.limit if window.is_whole else window.base) and rba + need <= window.limit:
            return window
        if need > self._capacity and rba + self._capacity < size:
            self._window = self._of_large_record(rba, min(need, size - rba))
        else:
            limit = min(rba + self._capacity, size, max(rba + need, stop + _BEYOND))
            self._window = self._usual._replace(base=rba, limit=limit)
            self._copy(self._window, 0, self._window.limit - rba, min(stop + _BEYOND, size))
        return self._window

    def _of_large_record(self, rba: int, length: int) -> Window:
        window = _empty_window(length)._replace(base=rba, limit=rba + length, is_whole=False)
        self._copy(window, 0, min(length, self._capacity))
        self._copy(window, max(0, length - _LENGTHS), length)
        for order in ByteOrder:
            self._copy_tokens(window, order)
        return window

    def _copy_tokens(self, window: Window, order: ByteOrder) -> None:
        """Copy the head of each token of the record that fills a window, and the first token whole."""
        buffer, length = window.buffer, window.limit - window.base
        offset = 6 if is_wide(buffer[1]) else 4
        for number in range(MOST_TOKENS):
            if offset + 4 > length:
                return
            self._copy(window, offset, min(offset + _NEARBY, length))
            start, size = (6, 4) if is_wide(buffer[offset + 1]) else (4, 2)
            after = offset + start + order.decode(buffer[offset + 2 : offset + 2 + size])
            if number == 0 and after <= length:
                self._copy(window, offset, min(after, offset + start + MOST_BYTES))
            offset = after

    def _copy(self, window: Window, start: int, stop: int, until: int | None = None) -> None:
        """Fill a window between two offsets; ``until`` is the RBA to which the scan will read on."""
        with memoryview(window.buffer) as view:
            read = self._trail.read_into(view[start:stop], window.base + start, until)
        if read < stop - start:
            rba = window.base + start + read
            raise CannotRead("the file was truncated while it was read", path=self._trail.path, rba=rba)


def _empty_window(capacity: int) -> Window:
    buffer = mmap.mmap(-1, capacity)
    return Window(buffer, ctypes.addressof(ctypes.c_char.from_buffer(buffer)), 0, 0)


_SPARE = Spare(_empty_window)


_SLOTS = 1 << 10
_WORDS = 1 << 12
_INDEXES = 1 << 10
_ALL_BITS = (1 << 64) - 1


class KernelRun:
    """The run of a kernel over a file; the caller owns the columns that it fills.

    A name is found by a hash with a secret key and then compared byte by byte, so that no two names share a key even if
    their hashes are equal; without the secret nobody can construct names whose hashes collide.

    Attributes:
        is_divided: True if the records after the last metadata record need separate results; the run stops there.
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
        """Run from a position until the kernel returns a status not handled here; return position and status."""
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
        """Called for each new key of a name or an index, before the kernel reads its first record again."""

    def defining(self, kind: int, index: int) -> None:
        """Called before a metadata record with this OrigNode and TDR index is added to the names."""

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
    """The names with a key, as arrays for the kernels; arrays double when full, the hash table when half full."""

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
        """Map a table index to ``key``."""
        while index >= len(self._by_index):
            self._by_index.extend(array("q", b"\xff" * 8 * len(self._by_index)))
            self._renew_addresses()
        self._by_index[index] = key

    def add_name(self, name: bytes, hashed: int, key: int) -> None:
        """Map a name to ``key``; ``hashed`` is its hash, as computed by a kernel."""
        words = array("Q", name + bytes(8 - len(name) % 8))
        while self._used + len(words) > len(self._words):
            self._words.extend(array("Q", bytes(8 * len(self._words))))
            self._renew_addresses()
        if self._count * 2 >= len(self._slots) // arguments.SLOT_SIZE:
            old = self._slots
            self._slots = _new_slots(2 * len(old) // arguments.SLOT_SIZE)
            for offset in range(0, len(old), arguments.SLOT_SIZE):
                if old[offset + arguments.HASH]:
                    self._insert(*old[offset : offset + arguments.START + 1])
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
        offset = slot * arguments.SLOT_SIZE
        (
            self._slots[offset + arguments.HASH],
            self._slots[offset + arguments.KEY],
            self._slots[offset + arguments.START],
        ) = (
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
