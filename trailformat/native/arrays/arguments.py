"""The arguments of the kernels of arrays: addresses and numbers, int64."""

from __future__ import annotations

C_DATA, C_DATA_END, C_STARTS, C_SIZES, C_LITTLE, C_ROWS, C_WIDE = range(7)
C_FORM, C_SCALE, C_PREFIXED, C_MOST, C_VALID, C_OFFSETS, C_OUT, COLUMN_SIZE = range(C_WIDE + 1, C_WIDE + 9)
"""Places in the description of a column, int64[COLUMN_SIZE].

The values stand at STARTS from the address DATA, which end at DATA_END, and have SIZES, below 0: none; both are arrays
of ROWS int64 where WIDE is set, else of int32; LITTLE uint8[ROWS] is the byte order of each. With PREFIXED each value
begins with its own length in 2 bytes. None has more than MOST bytes besides.

They become what FORM says, one of those below, at OUT; SCALE is that of a decimal, or 1 where a moment has a zone.
VALID, uint8[(ROWS + 7) / 8], gets a bit for each value that is there. BYTES and NUMBERS stand one after the other, and
OFFSETS, int32[ROWS + 1], tells where each begins.
"""
BYTES, NUMBERS, INTEGERS_2, INTEGERS_4, INTEGERS_8, WIDE_2, WIDE_4, WIDE_8, DECIMALS, MOMENTS, DATES = range(11)
"""Forms of values: bytes as they are; numbers as Python writes them, without exponent; big-endian integers of so many
bytes, as they are or in 16; decimals of a fixed scale, in 16; microseconds and days from 1970-01-01."""
R_MISSING, R_UNDECIDED, R_SIZE, R_HIGH, RESULT_SIZE = range(5)
"""Places in what is found of a column, int64[RESULT_SIZE]: the number of rows without a value, of those among them that
must be decoded one by one; bytes in all; whether there is one beyond ASCII."""
ALIGNED = 64
"""Values that stand one after the other begin at a multiple of this."""
SPARE = 8
"""Bytes of a word: so many more than they need values that stand one after the other have."""

F_DATA, F_OFFSETS, F_VALID, F_SIZES, F_WIDE, F_ESCAPES, F_KIND, F_PLACES = range(8)
F_OPENING, F_CLOSING, F_NULL, F_ABSENT, F_NAME, FIELD_SIZE = range(F_PLACES + 1, F_PLACES + 13, 2)
"""Places in the description of a field of lines, int64[FIELD_SIZE].

Value number n belongs to row n, or number PLACES[n] where that is the address of an array of int32; VALID are
the bits of those that are there (0: all are); SIZES, 0 or the address of the sizes of the values as stored, of int64
where WIDE is set; ESCAPES, one of those below. The others are texts, each with its offset and its size: before and
behind a value, for NULL, for a value that the image lacks, and the name in the list of NULLs.
"""
TEXT, NUMBER, HEX, LIST = range(4)
"""KIND of a field: what its addresses DATA and OFFSETS mean.

TEXT: the buffers of an array of texts. NUMBER: DATA are numbers, uint64. HEX: bytes, in DATA from OFFSETS on, int64, as
many as SIZES. LIST: the rows of the fields behind it in the table, as many as DATA says, from OFFSETS[n] to before
OFFSETS[n + 1], int64; ABSENT is the text of an empty list, NAME that between two rows.
"""
PLAIN, CSV, JSON, JSON_ASCII, JSON_IN_CSV = range(5)
"""No escapes; quotes doubled; those of JSON, and that which make it ASCII; those of JSON, and quotes doubled."""
L_TEXTS, L_TABLE, L_FIELDS, L_LAST, L_ROWS, L_SKIPPED = range(6)
L_HEAD, L_TAIL, L_NULLS_OPENING, L_SEPARATOR, L_NULLS_CLOSING, L_NO_NULLS, LINE_SIZE = range(
    L_SKIPPED + 1, L_SKIPPED + 15, 2
)
"""Places in the description of lines, int64[LINE_SIZE].

TEXTS is the address of all texts, with SPARE bytes behind them; TABLE int64[FIELDS + LAST, FIELD_SIZE]; with LAST, 0 or
1, one more field comes after the list of NULLs; SKIPPED uint8[ROWS] marks rows without a line. The others are texts:
head and tail of a line, beginning, separator and end of the list of NULLs, and what stands for an empty list. Without a
beginning no NULLs are listed, as where a field is a list.
"""

SPELL_BYTES, SPELL_INTEGERS, SPELL_NUMBERS, SPELL_DATES, SPELL_MOMENTS, SPELL_TEXTS = range(6)
"""Forms of values as texts; NUMBERS are those that are stored as texts."""
P_FORM, P_MOST, P_WIDTH, P_IS_SIGNED, P_SCALE, P_IS_UPPER, P_DOUBLES_QUOTES, P_ODD, P_TEXTS = range(9)
P_OPENING, P_CLOSING, P_OTHER_OPENING, P_OTHER_CLOSING, SPELLING_SIZE = range(P_TEXTS + 1, P_TEXTS + 10, 2)
"""Places in the description of a spelling, int64[SPELLING_SIZE].

A value of more than MOST bytes is not ordinary. WIDTH, IS_SIGNED and SCALE are those of integers, IS_UPPER of digits in
hex; with DOUBLES_QUOTES single quotes stand twice in texts; ODD, 0 or the address of uint8[256], marks the characters
of texts that are not ordinary, of the printable ones backslash and quote alone. TEXTS is the address of the others,
with SPARE bytes behind them: before and behind a value; OTHER: of texts beyond ASCII, of moments with a fraction.
"""
FOUND_MISSING, FOUND_UNDECIDED, FOUND_HIGH, FOUND_SIZE = range(4)
"""Places in what ``spell_values`` has found, int64[FOUND_SIZE]."""
