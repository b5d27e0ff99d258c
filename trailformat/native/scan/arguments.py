"""The arguments of kernels, all int64: addresses of the state of a run, of the names with a key, of what is filled."""

from __future__ import annotations

from trailformat.records.record_header import ENDS, NOT_TRANSACTIONAL

STOPPED, DAMAGED, NEW_KEY, DEFINES, MORE, FIRST_ENDED, FULL = range(7)
"""Why a kernel returned: full or at its stop; no sound record; a name or an index without a key; after a definition;
a record reaches beyond the bytes that are there; the first transaction has ended; no room for another group."""

RBA, ROW, LITTLE, KNOWN, TRANSACTIONS, HEADER, HEADER_LENGTH, WHAT, RECORD_LITTLE, NEED, WALK_SIZE = range(11)
"""Places in the state, int64[WALK_SIZE]. After NEW_KEY and DEFINES the header of the record stands at HEADER and is
HEADER_LENGTH long, in the order RECORD_LITTLE; WHAT is the hash of its name, or its index, or with DEFINES its key.
After MORE the record at RBA needs NEED bytes."""

HEADERS, HEADER_BYTES, FROM, UNTIL, MARK, WATCHED, USED = range(WALK_SIZE, WALK_SIZE + 7)
IS_OPEN, OPEN_TIME, OPEN_RBA, OPEN_BYTES, OPEN_RECORDS, OPEN_TABLES = range(USED + 1, USED + 7)
ENDED, VISITS, INTERVAL, SHIFT, HAS_TIME, FIRST_TIME = range(OPEN_TABLES + 1, OPEN_TABLES + 7)
MOST_RECORDS, MOST_BYTES, EXTRA_BYTES, LARGE_ONES, STATE_SIZE = range(FIRST_TIME + 1, FIRST_TIME + 6)
"""The same for counting: file headers and their bytes; bounds of the IO Time; what marks the tables of the transaction
under way; whether to return when it ends; groups in use; the transaction; how many ended, and how many tables they had.
The length of intervals of the IO Time, 0: none, and where one begins; whether a record was taken, and the time of the
first. How many records or bytes, each record having EXTRA_BYTES besides, make a transaction a large one; how many are.
"""

HASH, KEY, START, SLOT_SIZE = range(4)
"""Places in a slot of the table of names; a HASH of 0 marks a free slot."""
HASH_SHIFT = 20
"""The slot of a name is the first free one from ``(hash >> HASH_SHIFT) & mask`` on."""

SLOTS, MASK, WORDS, BY_INDEX, INDEXES, SECRET, FLAGS, TABLES_SIZE = range(8)
"""Places in the names' table of tables, int64[TABLES_SIZE].

SLOTS is the address of an open hash table, uint64[MASK + 1, SLOT_SIZE]; START counts in WORDS, uint64[...], where a
name stands in words of 8 bytes, ending in a zero byte; BY_INDEX int64[INDEXES] is the key of a table index, or -1;
SECRET is the key of the hash; FLAGS uint8[256] has OUTSIDE for IO types outside of transactions and
ENDING for a TransInd that ends one.
"""
OUTSIDE, ENDING = 1, 2
FLAG_BYTES = bytes(OUTSIDE * (number in NOT_TRANSACTIONAL) | ENDING * (number in ENDS) for number in range(256))
"""What FLAGS is the address of."""

C_KIND, C_ORDER, C_IO_TYPE, C_ORIG_NODE, C_TRANS_IND, C_BEFORE_AFTER, C_PARTITION, OCTETS = range(8)
C_AUDIT_RBA, C_DATA_OFFSET, C_DATA_SIZE, C_TOKEN_OFFSET, C_TOKEN_SIZE, INTS = range(6)
C_RBA, C_LENGTH, C_RECORD_LENGTH, C_IO_TIME, C_AUDIT_POS, C_TABLE, C_TRANSACTION, LONGS = range(8)
"""The columns of a batch, those of one width side by side: uint8[OCTETS, rows], uint32[INTS, rows], int64[LONGS, rows]
(audit_pos: its bits)."""

GROUPS, ROOM, PLACES, ABOUT, MARKS, LARGE, COUNTING_SIZE = range(7)
"""Places in what counting takes, int64[COUNTING_SIZE].

GROUPS is the address of an open hash table, int64[ROOM, GROUP_SIZE]; PLACES int64[rows] gets the RBA of each record;
ABOUT int64[keys] is twice the number of a table, of which keys with one name have one, plus 1 when its records are to
be counted; MARKS int64[numbers] is the mark of the last transaction with it; LARGE int64[rows + 1, LARGE_SIZE] gets the
large transactions.
"""
CODE, RECORDS, BYTES, ORDINAL, GROUP_SIZE = range(5)
"""Places in a group; the code is 1 more than table key, partition, io_type and before_after side by side, 0: free.
ORDINAL is that of the interval."""
LARGE_TIME, LARGE_RBA, LARGE_BYTES, LARGE_RECORDS, LARGE_TABLES, LARGE_SIZE = range(6)
"""Places in a large transaction."""

R_KIND, R_IO_TYPE, R_PARTITION, R_BEFORE_AFTER, R_TRANS_IND = range(5)
R_TABLE, R_RECORD_LENGTH, R_IO_TIME, R_RBA, R_LENGTH, COUNTED_COLUMNS = range(R_TRANS_IND + 1, R_TRANS_IND + 7)
"""Places of addresses in what counting of rows takes, int64[COUNTED_COLUMNS]: columns of a batch, each by itself."""

T_KIND, T_ORDER, T_RBA, T_OFFSET, T_SIZE, TOKEN_COLUMNS = range(6)
"""Places of addresses in what the kernels of tokens take, int64[TOKEN_COLUMNS]: columns of a batch, each by itself."""

ABSENT = -1
"""In place of a size: there is no such token."""

NULL, UNDECIDED = -2, -3
"""Sizes of columns besides ABSENT: NULL; the indicator is neither 0000 nor ffff, or the value is for no kernel."""
GOOD, BEYOND, BROKEN = range(3)
"""The data of a row: columns; columns, one of them with an index beyond the table's; no columns."""
ANOTHER, ONE, SEVERAL, NO_COLUMNS = range(4)
"""What picking a column by its index finds in an image: none with it, one, more; the image does not come apart."""
HAS_VALUE, HAS_NULL, HAS_UNDECIDED = 1, 2, 4
"""Bits of what a column may hold; one that is set promises nothing, for a later column of a row may take the place of
an earlier."""
I_STARTS, I_SIZES, I_SEEN, I_COLUMNS, I_WIDE, IMAGE_SIZE = range(6)
"""Places in the description of the images of rows, int64[IMAGE_SIZE].

STARTS and SIZES are addresses of arrays [COLUMNS, rows], of int64 where WIDE is set, else of int32: where each value
stands after its indicator, and its size; SEEN uint8[COLUMNS] has the bits of what a column may hold.
"""
