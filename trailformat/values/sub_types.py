"""Sub data types: what a column of characters holds beside plain text.

Numbers and meanings are those of the header file for user exits that comes with GoldenGate (``sqldatatypes.h``); 0, 2,
3 and 5 were seen in trails.
"""

from __future__ import annotations

from typing import NamedTuple

from trailformat.codec.charsets import UTF_8


class SubType(NamedTuple):
    """A sub data type: its name, and what it makes of the bytes.

    ``codec`` is the character set it fixes, if it does.
    """

    name: str
    is_number: bool = False
    is_binary: bool = False
    codec: str | None = None


PLAIN = SubType("")
SUB_TYPES: dict[int, SubType] = {
    0: PLAIN,
    1: SubType("UTF-16", codec="utf-16-be"),
    2: SubType("FLOAT", is_number=True),
    3: SubType("FIXED", is_number=True),
    4: SubType("BINARY", is_binary=True),
    5: SubType("CHAR"),
    6: SubType("MVS"),
    7: SubType("UTF-8", codec=UTF_8),
    8: SubType("GUID"),
    9: SubType("PERIOD"),
    10: SubType("XML"),
    11: SubType("ANYDATA"),
    12: SubType("HTML"),
    27: SubType("FLOAT", is_number=True, codec=UTF_8),
    37: SubType("FIXED", is_number=True, codec=UTF_8),
}
"""By number."""


def sub_type(number: int) -> SubType:
    """The sub data type with this number; an unknown one is taken as plain text."""
    return SUB_TYPES.get(number, PLAIN)
