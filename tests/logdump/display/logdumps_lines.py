"""The lines that Logdump prints of a record, and their order: written down from its transcripts and its manual alone.

Each pattern has a letter; a display is then a word over these letters, and the order of the blocks a pattern of words.
"""

from __future__ import annotations

import re
from functools import cache

_TIME = r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}\.\d{3}"
_LETTER = r"    .  \(x[0-9a-f]{2}\)"
_NUMBER = r"[ \d]{4}\d  \(x[0-9a-f]{2}\)"
_LEGEND = (
    " 1)Name          2)Data Type        3)External Length  4)Fetch Offset      5)Scale         6)Level",
    " 7)Null          8)Bump if Odd      9)Internal Length 10)Binary Length    11)Table Length 12)Most Sig DT",
    "13)Least Sig DT 14)High Precision  15)Low Precision   16)Elementary Item  17)Occurs       18)Key Column",
    "19)Sub DataType 20)Native DataType 21)Character Set   22)Character Length 23)LOB Type     24)Partial Type",
    "25)Remarks",
)

LINES = {
    "b": r"",
    # A dump: up to ten groups of two bytes, a bar in column 51, the same as text: 4.2.
    "x": r"(?= .{49} \| )(?: [0-9a-f]{4})*(?: [0-9a-f]{2})? +\| .{1,20}",
    # The lines of HEADERTOKEN and FILEHEADER and of GGSTOKEN under DETAIL: sections 4.4, 4.6, 4.7 and 4.9.
    "T": r"TokenID x[0-9a-f]{2} '.' .{16} Info x[0-9a-f]{2}  Length [ \d]{3}\d+",
    "D": r"GroupID x[0-9a-f]{2} '.' .{16} Info x[0-9a-f]{2}  Length [ \d]{3}\d+",
    # The header under GHDR: 4.3.
    "r": r"_{67}",
    "1": rf"Hdr-Ind    : {_LETTER}     Partition  : {_LETTER}",
    "2": rf"UndoFlag   : {_LETTER}     BeforeAfter: {_LETTER}",
    "3": rf"RecLength  : [ \d]{{4}}\d  \(x[0-9a-f]{{4}}\)   IO Time    : {_TIME}",
    "4": rf"IOType     : {_NUMBER}     OrigNode   : {_NUMBER}",
    "5": rf"TransInd   : {_LETTER}     FormatType : {_LETTER}",
    "6": rf"SyskeyLen  : {_NUMBER}     Incomplete : {_LETTER}",
    "7": r"(?:AuditRBA   : [ \d]{9}\d       |DDR/TDR index:   \(\d{3}, \d{3}\)     )AuditPos   : \d+",
    "8": rf"Continued  :     [NY]  \(x[0-9a-f]{{2}}\)     RecCount   : {_NUMBER}",
    # Record, name and image line: 4.1.
    "R": rf"{_TIME} \S[^|]{{19}} Len [ \d]{{4}}\d+ RBA \d+",
    "N": r"Name:(?: .*)?|Name: .*  \(TDR Index: \d+\)",
    "I": r"(?:After  Image:|Before Image:) {45}Partition (?:x[0-9a-f]{2}|\d+)   G  [bmes?]",
    # Columns under DETAIL: 4.5; those of key updates and the piece of a LOB under GHDR: 4.4.
    "c": r"Column \d+ \(0x[0-9a-f]{4}\), Length \d+ \(0x[0-9a-f]{4}\)\.",
    "C": r"Column [ \d]{4}\d \(x[0-9a-f]{4}\), Len [ \d]{4}\d \(x[0-9a-f]{4}\)",
    "K": r"KeyCol [ \d]{4}\d \(x[0-9a-f]{4}\), Len [ \d]{4}\d \(x[0-9a-f]{4}\)",
    "h": r"Before Image          Len [ \d]{4}\d \(x[0-9a-f]{8}\)",
    "k": r"(?:KeyLen|BeforeColumnLen) [ \d]{4}\d \(x[0-9a-f]{8}\)",
    "a": r"After Image           Len [ \d]{4}\d \(x[0-9a-f]{8}\)",
    "L": r"Column \d+, LOB fragment \d+ of \d+",
    # The blocks of tokens: 4.6 and 4.8.
    "t": r"GGS tokens:",
    "u": r"User tokens: [ \d]{3}\d bytes",
    "w": r"[^ |][^|]{19}(?:: .*|  Length [ \d]{3}\d)",
    # Metadata: 4.10.
    "M": rf"{_TIME} Metadata             Len \d+ RBA \d+",
    "d": r"Database Name:(?: .+)?",
    "*": r"\*",
    "V": r"DDR Version: \d+|Database type:(?: \S+)?|(?:National c|C)haracter set ID: \S+|Locale: \S+"
    r"|Case sensitivity:(?: [0-9a-f]{2})*|TimeZone: .*",
    "n": r"Table Name: .+",
    "f": r"Table Name: .+ \(Ref TDR Index: \d+\)",
    "l": "|".join(map(re.escape, _LEGEND)),
    "v": r"TDR version: \d+",
    "o": r"Definition for table .+",
    "S": r"Record Length: \d+|Columns: \d+",
    "z": r"\S.*(?: +-?\d+){23}",
    "E": r"End of definition",
}
"""What a line may read, by a letter of its own."""

_TOKENS = "(?:Tx*)*"
_HEADER = "(?:r12345678)?"
_COLUMNS = "(?:(?:[cC]x*)*|hk(?:[KC]x*)*ba(?:Cx*)*)"
_USER, _GGS = "(?:bu(?:w*|x*))?", "(?:bt(?:(?:Tx*)+|x+))?"
_DATABASE, _TABLE = r"d\*VVVVVVV?\*", r"n\*lllll\*voSSz*E"
_DISPLAY = re.compile(
    f"{_TOKENS}bRNx*(?:b|(?:bDx*{_TOKENS})*)"
    f"|{_TOKENS}{_HEADER}bRNIx*L?{_COLUMNS}b?{_USER}{_GGS}"
    f"|{_TOKENS}{_HEADER}bM(?:{_DATABASE}|{_TABLE}|f|Nx*){_USER}{_GGS}"
)
"""The order of the blocks of a file header, of a row and of a definition (4)."""
_PATTERNS = {letter: re.compile(pattern) for letter, pattern in LINES.items()}


def foreign_lines(lines: list[str]) -> list[str]:
    """The lines of a display that Logdump does not print."""
    return [line for line in lines if not _letters(line)]


def is_in_logdumps_order(lines: list[str]) -> bool:
    """Whether the blocks of a display are Logdump's, each once and in its place."""
    words = {""}
    for line in lines:
        words = {word + letter for word in words for letter in _letters(line)}
    return any(_DISPLAY.fullmatch(word) for word in words)


@cache
def _letters(line: str) -> str:
    return "".join(letter for letter, pattern in _PATTERNS.items() if pattern.fullmatch(line))
