"""What the kernels take: the walk's state, the names that have a key, the columns of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

STOPPED, DAMAGED, NEW_KEY, DEFINES = range(4)
"""Why ``fill`` returned: full or at its stop; no sound record; a name or an index without a key; after a definition."""

RBA, ROW, LITTLE, KNOWN, TRANSACTIONS, HEADER, HEADER_LENGTH, WHAT, STATE_SIZE = range(9)
"""Places in the state, int64[STATE_SIZE]; with NEW_KEY the last three tell where the header of the record stands, how
long it is, and the hash of its name, or its index."""

HASH, KEY, START, SLOT_SIZE = range(4)
"""Places in a slot of the table of names; a HASH of 0 marks a free slot."""
HASH_SHIFT = 20
"""The slot of a name is the first free one from ``(hash >> HASH_SHIFT) & mask`` on."""


class Tables(NamedTuple):
    """The names that have a key, for the kernels: addresses, and what goes with them; all int64.

    ``slots`` is an open hash table, uint64[mask + 1, SLOT_SIZE]; START counts in ``words``, uint64[...], where a name
    stands in words of 8 bytes, ending in a zero byte; ``by_index`` int64[65536] is the key of a table index, or -1;
    ``secret`` is the key of the hash.
    """

    slots: int
    mask: int
    words: int
    by_index: int
    secret: int


C_KIND, C_ORDER, C_IO_TYPE, C_ORIG_NODE, C_TRANS_IND, C_BEFORE_AFTER, C_PARTITION, OCTETS = range(8)
C_AUDIT_RBA, C_DATA_OFFSET, C_DATA_SIZE, C_TOKEN_OFFSET, C_TOKEN_SIZE, INTS = range(6)
C_RBA, C_LENGTH, C_RECORD_LENGTH, C_IO_TIME, C_AUDIT_POS, C_TABLE, C_TRANSACTION, LONGS = range(8)


class Columns(NamedTuple):
    """The columns of a batch, those of one width side by side: a kernel is slower with every array it holds.

    ``octets`` uint8[OCTETS, rows], ``ints`` uint32[INTS, rows], ``longs`` int64[LONGS, rows] (audit_pos: its bits).
    """

    octets: Array
    ints: Array
    longs: Array
