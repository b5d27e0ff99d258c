"""The arguments of the kernels for arrays: addresses and numbers, int64."""

from __future__ import annotations

C_DATA, C_DATA_END, C_STARTS, C_SIZES, C_LITTLE, C_ROWS, C_WIDE = range(7)
C_FORM, C_SCALE, C_PREFIXED, C_MOST, C_VALID, C_OFFSETS, C_OUT, COLUMN_SIZE = range(C_WIDE + 1, C_WIDE + 9)
"""Fields of the description of a column, int64[COLUMN_SIZE].

The bytes of the values are from the address DATA to before DATA_END. STARTS and SIZES are arrays of ROWS int64 if WIDE
is set, else of int32; a size below 0: no value. LITTLE, uint8[ROWS], is the byte order of each. With PREFIXED each
value begins with its own length in 2 bytes; without these, a value of more than MOST bytes is undecided.

The values are converted to FORM, see below, at OUT; SCALE is that of a decimal, or 1 if moments have a zone. VALID,
uint8[(ROWS + 7) / 8], gets a bit for each value made. BYTES and NUMBERS are concatenated, not at OUT but where
``make_columns`` puts texts; OFFSETS, int32[ROWS + 1], gets the start of each.
"""
BYTES, NUMBERS, INTEGERS_2, INTEGERS_4, INTEGERS_8, WIDE_2, WIDE_4, WIDE_8, DECIMALS, MOMENTS, DATES = range(11)
"""Forms of values: stored bytes; numbers as Python writes them, without exponent; big-endian integers of 2, 4 or 8
bytes, into as many bytes or (WIDE) into 16; decimals of a fixed scale, into 16; microseconds and days from 1970-01-01.
"""
R_MISSING, R_UNDECIDED, R_SIZE, R_HIGH, RESULT_SIZE = range(5)
"""Fields of the result for a column, int64[RESULT_SIZE]: number of rows without a value; number of undecided rows among
these, whose values must be decoded one by one; total bytes; whether a byte is beyond ASCII.
"""
ALIGNED = 64
"""The concatenated values of a column begin at a multiple of this."""
SPARE = 8
"""Padding: buffers of concatenated values are 8 bytes, a word, longer than their contents."""

F_DATA, F_OFFSETS, F_VALID, F_SIZES, F_WIDE, F_ESCAPES, F_KIND, F_PLACES = range(8)
F_OPENING, F_CLOSING, F_NULL, F_ABSENT, F_NAME, FIELD_SIZE = range(F_PLACES + 1, F_PLACES + 13, 2)
"""Fields of the description of a field of lines, int64[FIELD_SIZE].

Row n has value n, or value PLACES[n] if PLACES, the address of an array of int32, is not 0. VALID is the address of the
validity bits (0: all values are valid); SIZES, 0 or the address of the sizes of the stored values, int64 if WIDE is
set, else int32; ESCAPES, one of those below. The others are texts, each an offset and a size: before and after a value,
for NULL, for a value that the image lacks, and the name in the list of NULLs.
"""
TEXT, NUMBER, HEX, LIST = range(4)
"""KIND of a field: the meaning of its DATA and OFFSETS.

TEXT: the buffers of an array of texts. NUMBER: DATA are numbers, uint64. HEX: SIZES bytes of DATA from OFFSETS, int64,
on. LIST: DATA is the number of fields of the list, which follow it in the table; line n has their rows OFFSETS[n] to
before OFFSETS[n + 1], int64; ABSENT is the text of an empty list, NAME the text between two rows.
"""
PLAIN, CSV, JSON, JSON_ASCII, JSON_IN_CSV = range(5)
"""No escapes; doubled quotes; escapes of JSON; those that also make it ASCII; escapes of JSON, and doubled quotes."""
L_TEXTS, L_TABLE, L_FIELDS, L_LAST, L_ROWS, L_SKIPPED = range(6)
L_HEAD, L_TAIL, L_NULLS_OPENING, L_SEPARATOR, L_NULLS_CLOSING, L_NO_NULLS, LINE_SIZE = range(
    L_SKIPPED + 1, L_SKIPPED + 15, 2
)
"""Fields of the description of lines, int64[LINE_SIZE].

TEXTS is the address of all texts, followed by SPARE bytes; TABLE int64[FIELDS + LAST, FIELD_SIZE]; LAST, 0 or 1, is the
number of fields after the list of NULLs; SKIPPED uint8[ROWS] marks rows without a line. The others are texts: head and
tail of a line; beginning, separator and end of the list of NULLs, and the text for an empty list. If the beginning is
empty, NULLs are not listed; it must be empty if a field is a list.
"""

SPELL_BYTES, SPELL_INTEGERS, SPELL_NUMBERS, SPELL_DATES, SPELL_MOMENTS, SPELL_TEXTS = range(6)
SPELL_SHORT_BYTES, SPELL_SHORT_TEXTS = range(6, 8)
"""Forms of values as texts; SPELL_NUMBERS: numbers that are stored as texts; SHORT: long values are cut."""
P_FORM, P_MOST, P_WIDTH, P_IS_SIGNED, P_SCALE, P_IS_UPPER, P_DOUBLES_QUOTES, P_ODD = range(8)
P_WHOLE, P_HEAD, P_CELLS, P_IS_UTF_8, P_IS_BARE, P_TEXTS = range(P_ODD + 1, P_ODD + 7)
P_OPENING, P_CLOSING, P_OTHER_OPENING, P_OTHER_CLOSING, P_CUT, SPELLING_SIZE = range(P_TEXTS + 1, P_TEXTS + 12, 2)
"""Fields of the description of a spelling, int64[SPELLING_SIZE].

A value of more than MOST bytes is undecided. WIDTH, IS_SIGNED and SCALE are those of integers; IS_UPPER: hex digits are
capitals; DOUBLES_QUOTES: single quotes in texts are doubled; ODD, 0 or the address of uint8[256], marks the characters
that make a text undecided, of the printable ones only backslash and quote. TEXTS is the address of the remaining texts,
followed by SPARE bytes: before and after a value; OTHER: for texts beyond ASCII and moments with a fraction.

Short texts have at most WHOLE cells of a terminal, without quotes: of a longer one both ends are written, with the text
CUT between. CELLS, 0 or the address of uint8[65536], has the cells of each character, above 2 if it does not print;
without it texts beyond ASCII are undecided, and if IS_UTF_8 is 0, or IS_BARE is set: then words have nothing around
them. Short bytes: of more than WHOLE bytes the first HEAD are written between the OTHER texts, then their number and
CUT.
"""
FOUND_MISSING, FOUND_UNDECIDED, FOUND_HIGH, FOUND_SIZE = range(4)
"""Fields of the result of ``spell_values``, int64[FOUND_SIZE]."""
