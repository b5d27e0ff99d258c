"""The scan on numba's kernels; the only module here that imports numpy and numba."""

from __future__ import annotations

import secrets

import numpy as np

from trailformat.byte_order import ByteOrder
from trailformat.framing import Buffer
from trailformat.record_header import HEADER_SIZE, NAME_IS_INDEX
from trailformat.scan import kernel_arguments as k
from trailformat.scan.batch import Batch
from trailformat.scan.kernel_arguments import SLOT_SIZE, Array, Columns, Tables
from trailformat.scan.kernels import fill
from trailformat.scan.names import NO_NAME, Names
from trailformat.scan.place import Place

_SLOTS = 1 << 10
_WORDS = 1 << 12
_ALL_BITS = (1 << 64) - 1


class NumbaFiller:
    """Fills batches of at most ``batch_size`` rows; see :class:`trailformat.scan.scanning.Filler`.

    A name is found by a hash with a secret key and then compared byte by byte, so that no two names share a key
    whatever their hashes are; and without the secret nobody can make names whose hashes collide.
    """

    def __init__(self, names: Names, batch_size: int) -> None:
        self.names = names
        self._batch_size = batch_size
        self._state: Array = np.zeros(k.STATE_SIZE, np.int64)
        self._columns = self._new_columns()
        self._tables = KernelNames()

    @property
    def transactions(self) -> int:
        """How many transactions have ended."""
        return int(self._state[k.TRANSACTIONS])

    @property
    def is_full(self) -> bool:
        """Whether the batch has all its rows."""
        return bool(self._state[k.ROW] >= self._batch_size)

    def _new_columns(self) -> Columns:
        rows = self._batch_size
        return Columns(
            np.empty((k.OCTETS, rows), np.uint8),
            np.empty((k.INTS, rows), np.uint32),
            np.empty((k.LONGS, rows), np.int64),
        )

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add the row of a span that is no sound record."""
        row = int(self._state[k.ROW])
        octets, ints, longs = self._columns
        octets[:, row], ints[:, row], longs[:, row] = 0, 0, 0
        octets[k.C_KIND, row] = kind
        longs[k.C_RBA, row], longs[k.C_LENGTH, row], longs[k.C_TRANSACTION, row] = rba, length, -1
        self._state[k.ROW] += 1

    def take(self) -> Batch:
        """The rows so far; the next ones go to a new batch."""
        rows = int(self._state[k.ROW])
        if rows < self._batch_size:
            octets, ints, longs = (block[:, :rows].copy() for block in self._columns)
        else:
            octets, ints, longs = self._columns
            self._columns = self._new_columns()
        self._state[k.ROW] = 0
        return Batch(
            rba=longs[k.C_RBA],
            length=longs[k.C_LENGTH],
            kind=octets[k.C_KIND],
            order=octets[k.C_ORDER],
            io_type=octets[k.C_IO_TYPE],
            orig_node=octets[k.C_ORIG_NODE],
            trans_ind=octets[k.C_TRANS_IND],
            before_after=octets[k.C_BEFORE_AFTER],
            partition=octets[k.C_PARTITION],
            record_length=longs[k.C_RECORD_LENGTH],
            io_time=longs[k.C_IO_TIME],
            audit_pos=longs[k.C_AUDIT_POS].view(np.uint64),
            audit_rba=ints[k.C_AUDIT_RBA],
            table=longs[k.C_TABLE],
            transaction=longs[k.C_TRANSACTION],
            data_offset=ints[k.C_DATA_OFFSET],
            data_size=ints[k.C_DATA_SIZE],
            token_offset=ints[k.C_TOKEN_OFFSET],
            token_size=ints[k.C_TOKEN_SIZE],
            names=self.names,
        )

    def fill(self, buffer: Buffer, place: Place, end: int, stop: int) -> Place:
        """Add rows from ``place`` to the first place at or after ``stop``, or where no sound record starts."""
        state = self._state
        state[k.RBA], state[k.LITTLE], state[k.KNOWN] = place.rba, place.order is ByteOrder.LITTLE, place.order_known
        data = np.frombuffer(buffer, np.uint8)
        status = -1
        while status not in {k.STOPPED, k.DAMAGED}:
            status = fill(data.ctypes.data, end, stop, state, self._tables.tables, self._columns)
            if status == k.NEW_KEY:
                self._give_key(buffer, int(state[k.HEADER]), int(state[k.HEADER_LENGTH]))
            elif status == k.DEFINES:
                self._define(int(state[k.ROW]) - 1)
        order = ByteOrder.LITTLE if state[k.LITTLE] else ByteOrder.BIG
        return Place(int(state[k.RBA]), order, bool(state[k.KNOWN]))

    def _give_key(self, buffer: Buffer, header: int, length: int) -> None:
        what = int(self._state[k.WHAT])
        if buffer[header + 1] & NAME_IS_INDEX:
            self._tables.set_index(what, self.names.key_of_index(what))
        else:
            name = buffer[header + HEADER_SIZE : header + length].split(b"\0", 1)[0]
            self._tables.add_name(name, what & _ALL_BITS, self.names.key_of_text(name))

    def _define(self, row: int) -> None:
        octets, ints, longs = self._columns
        audit_rba = int(ints[k.C_AUDIT_RBA, row])
        index = audit_rba >> 16 if octets[k.C_ORDER, row] else audit_rba & 0xFFFF
        key = NO_NAME if octets[k.C_PARTITION, row] & NAME_IS_INDEX else int(longs[k.C_TABLE, row])
        defined = self.names.define(int(octets[k.C_ORIG_NODE, row]), index, key)
        if defined is not None:
            self._tables.set_index(defined, key)


class KernelNames:
    """The names with a key, as the arrays that the kernels read; they double when they are full, or half full."""

    def __init__(self) -> None:
        self._slots = _new_slots(_SLOTS)
        self._words: Array = np.zeros(_WORDS, np.uint64)
        self._by_index: Array = np.full(1 << 16, -1, np.int64)
        self._secret = secrets.randbits(63)
        self._count = self._used = 0
        self.tables = self._addresses()

    def set_index(self, index: int, key: int) -> None:
        """Let a table index stand for ``key``."""
        self._by_index[index] = key

    def add_name(self, name: bytes, hashed: int, key: int) -> None:
        """Let a name, whose hash a kernel found, stand for ``key``."""
        words = np.frombuffer(name + bytes(8 - len(name) % 8), np.uint64)
        while self._used + len(words) > len(self._words):
            self._words = np.concatenate([self._words, np.zeros_like(self._words)])
        if self._count * 2 >= len(self._slots):
            filled = self._slots[self._slots[:, k.HASH] != 0].tolist()
            self._slots = _new_slots(2 * len(self._slots))
            for slot in filled:
                self._insert(*slot)
        self._words[self._used : self._used + len(words)] = words
        self._insert(hashed, key, self._used)
        self._count += 1
        self._used += len(words)
        self.tables = self._addresses()

    def _insert(self, hashed: int, key: int, start: int) -> None:
        mask = len(self._slots) - 1
        slot = (hashed >> k.HASH_SHIFT) & mask
        while self._slots[slot, k.HASH]:
            slot = (slot + 1) & mask
        self._slots[slot] = hashed, key, start

    def _addresses(self) -> Tables:
        slots, words, by_index = (one.ctypes.data for one in (self._slots, self._words, self._by_index))
        return Tables(slots, len(self._slots) - 1, words, by_index, self._secret)


def _new_slots(count: int) -> Array:
    return np.zeros((count, SLOT_SIZE), np.uint64)
