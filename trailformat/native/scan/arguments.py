"""The arguments of the scan kernels, all int64: addresses of the state, of the table names and of the output."""

from __future__ import annotations

from trailformat.records.record_header import ENDS, NOT_TRANSACTIONAL, PREFIX_SIZES, ROW_TYPES

STOPPED, DAMAGED, NEW_KEY, DEFINES, MORE, FIRST_ENDED, FULL = range(7)
"""Reasons why a kernel returned: at its stop or full; no sound record; a name or an index without a key; after a
definition; a record extends beyond the available bytes; the first transaction has ended; no room for another group.
"""

RBA, ROW, LITTLE, KNOWN, TRANSACTIONS, HEADER, HEADER_LENGTH, WHAT, RECORD_LITTLE, NEED, WALK_SIZE = range(11)
"""Fields of the state, int64[WALK_SIZE]. After NEW_KEY and DEFINES the header of the record is at HEADER and has
HEADER_LENGTH bytes in the order RECORD_LITTLE; WHAT is the hash of its name, or its index, or with DEFINES its key.
After MORE the record at RBA needs NEED bytes.
"""

HEADERS, HEADER_BYTES, FROM, UNTIL, MARK, WATCHED, USED = range(WALK_SIZE, WALK_SIZE + 7)
IS_OPEN, OPEN_TIME, OPEN_RBA, OPEN_BYTES, OPEN_RECORDS, OPEN_TABLES = range(USED + 1, USED + 7)
ENDED, VISITS, INTERVAL, SHIFT, HAS_TIME, FIRST_TIME = range(OPEN_TABLES + 1, OPEN_TABLES + 7)
MOST_RECORDS, MOST_BYTES, EXTRA_BYTES, LARGE_ONES, STATE_SIZE = range(FIRST_TIME + 1, FIRST_TIME + 6)
"""Further fields of the state of a count, int64[STATE_SIZE].

HEADERS, HEADER_BYTES: file headers and their bytes. FROM, UNTIL: bounds of the IO Time. MARK: marks the tables of the
open transaction. WATCHED: whether to return when it ends. USED: groups in use. IS_OPEN, OPEN_…: the open transaction.
ENDED, VISITS: number of ended transactions, and of their tables. INTERVAL, SHIFT: length of the intervals of the IO
Time, 0 for none, and the beginning of one. HAS_TIME, FIRST_TIME: whether a record was counted, and the time of the
first. MOST_RECORDS, MOST_BYTES: a transaction with as many records or bytes is large; EXTRA_BYTES are added for each
record. LARGE_ONES: number of large transactions.
"""

HASH, KEY, START, SLOT_SIZE = range(4)
"""Fields of a slot of the hash table of names; a HASH of 0 marks a free slot."""
HASH_SHIFT = 20
"""The slot of a name is the first free one from ``(hash >> HASH_SHIFT) & mask`` on."""

SLOTS, MASK, WORDS, BY_INDEX, INDEXES, SECRET, FLAGS, TABLES_SIZE = range(8)
"""Fields of the description of the table names, int64[TABLES_SIZE].

SLOTS is the address of an open hash table, uint64[MASK + 1, SLOT_SIZE]; START is an index into WORDS, uint64[...],
where a name is stored in words of 8 bytes, ending with a zero byte; BY_INDEX int64[INDEXES] is the key of a table
index, or -1; SECRET is the key of the hash; FLAGS uint8[256] has OUTSIDE for IO types outside of transactions and
ENDING for a TransInd that ends one.
"""
OUTSIDE, ENDING = 1, 2
FLAG_BYTES = bytes(OUTSIDE * (number in NOT_TRANSACTIONAL) | ENDING * (number in ENDS) for number in range(256))
"""The bytes at FLAGS."""

C_KIND, C_ORDER, C_IO_TYPE, C_ORIG_NODE, C_TRANS_IND, C_BEFORE_AFTER, C_PARTITION, OCTETS = range(8)
C_AUDIT_RBA, C_DATA_OFFSET, C_DATA_SIZE, C_TOKEN_OFFSET, C_TOKEN_SIZE, INTS = range(6)
C_RBA, C_LENGTH, C_RECORD_LENGTH, C_IO_TIME, C_AUDIT_POS, C_TABLE, C_TRANSACTION, LONGS = range(8)
"""The columns of a batch, stacked by width: uint8[OCTETS, rows], uint32[INTS, rows], int64[LONGS, rows] (audit_pos:
its bits).
"""

GROUPS, ROOM, PLACES, ABOUT, MARKS, LARGE, COUNTING_SIZE = range(7)
"""Fields of the description of a count, int64[COUNTING_SIZE].

GROUPS is the address of an open hash table, int64[ROOM, GROUP_SIZE]; PLACES int64[rows] gets the RBA of each record;
ABOUT int64[keys] is twice the number of a key's table, which keys with one name share, plus 1 if its records are to be
counted; MARKS int64[numbers] is the MARK of the last transaction with a table; LARGE int64[rows + 1, LARGE_SIZE] gets
the large transactions.
"""
CODE, RECORDS, BYTES, ORDINAL, GROUP_SIZE = range(5)
"""Fields of a group; CODE is 1 more than table key, partition, io_type and before_after combined, 0 if free; ORDINAL is
that of the interval.
"""
LARGE_TIME, LARGE_RBA, LARGE_BYTES, LARGE_RECORDS, LARGE_TABLES, LARGE_SIZE = range(6)
"""Fields of a large transaction."""

R_KIND, R_IO_TYPE, R_PARTITION, R_BEFORE_AFTER, R_TRANS_IND = range(5)
R_TABLE, R_RECORD_LENGTH, R_IO_TIME, R_RBA, R_LENGTH, COUNTED_COLUMNS = range(R_TRANS_IND + 1, R_TRANS_IND + 7)
"""Fields of ``columns``, an argument of ``count_rows``, int64[COUNTED_COLUMNS]: addresses of columns of a batch."""

T_KIND, T_ORDER, T_RBA, T_OFFSET, T_SIZE, TOKEN_COLUMNS = range(6)
"""Fields of ``columns``, an argument of the token kernels, int64[TOKEN_COLUMNS]: addresses of columns of a batch."""

ABSENT = -1
"""Size of a token or column that is missing."""

NULL, UNDECIDED = -2, -3
"""Sizes of columns besides ABSENT: NULL; undecided, because the indicator is neither 0000 nor ffff or because no kernel
decodes the value.
"""
GOOD, BEYOND, BROKEN = range(3)
"""State of a row's data: columns; columns, one of them with an index beyond the table's; not columns."""
ANOTHER, ONE, SEVERAL, NO_COLUMNS = range(4)
"""Result of picking a column by its index from an image: no such column, one, several; the image is not columns."""
HAS_VALUE, HAS_NULL, HAS_UNDECIDED = 1, 2, 4
"""Bits of the kinds of values that a column may have. A set bit is no guarantee: a later column of a row may replace an
earlier one.
"""
I_STARTS, I_SIZES, I_SEEN, I_COLUMNS, I_WIDE, IMAGE_SIZE = range(6)
"""Fields of the description of the images of rows, int64[IMAGE_SIZE].

STARTS and SIZES are addresses of arrays [COLUMNS, rows], of int64 if WIDE is set, else of int32: the start of each
value after its indicator, and its size; SEEN uint8[COLUMNS] has the bits of the kinds of values.
"""

M_KIND, M_ORDER, M_IO_TYPE, M_PARTITION, M_TABLE, M_RBA, M_DATA_OFFSET, M_DATA_SIZE, MEASURED_COLUMNS = range(9)
"""Fields of ``columns``, an argument of ``measure``, int64[MEASURED_COLUMNS]: addresses of columns of a batch."""
X_ROW, X_STOP, X_KEYS, X_MARK, X_INDEX, X_HOLDS, MEASURE_SIZE = range(7)
"""Fields of ``run``, an argument of ``measure``, int64[MEASURE_SIZE].

X_ROW is the next row, X_STOP the row before which the kernel stops; X_KEYS is the number of keys in ``keys``. X_MARK is
the last mark that was put into ``marks``. X_INDEX is the index of the column that has no cell, after FULL. X_HOLDS is 1
if the cells hold limits to which the columns are held, 0 if they collect what the columns have.
"""
K_START, K_ROOM, KEY_SIZE = range(3)
"""Fields of the cells of a key: the number of the first, NO_CELLS if it has none, and how many there are.

FREE cells are those of rows without a definition, whose columns are held to nothing.
"""
NO_CELLS, FREE = -1, -1
L_LEAST, L_MOST, L_BITS, CELL_SIZE = range(4)
"""Fields of the cell of a column, int64[CELL_SIZE]: the sizes of its values, indicator included, and its IS_ bits; of
a limit: the sizes that are allowed, and the bits that are not.
"""
IS_VALUE, IS_NULL, IS_STRANGE, IS_UNPREFIXED = 1, 2, 4, 8
"""Bits of columns: present; NULL; another indicator, or none; present, and not a 2-byte length with as many bytes."""
SOUND, FAULTY, ASIDE = range(3)
"""State of a measured row: its columns fill its images, each at most once (and keep to the limits); they do not; it was
not measured, because it continues in other records, or because there is no room for another cell.
"""
IS_LIST = 8
FORM_BYTES = bytes(PREFIX_SIZES.get(number, 0) | IS_LIST * (number in ROW_TYPES) for number in range(256))
"""For each IO type the size of the length before two images, or IS_LIST if a compressed row is one image."""
