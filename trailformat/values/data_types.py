"""The data types of definitions files, one code each: what it is called, and how its bytes are read and written.

Codes and names are those of the header file for user exits that comes with GoldenGate (``sqldatatypes.h``), which are
NonStop SQL's; 0, 64, 132, 134 and 192 were seen in trails. docs/values.md says how certain each is.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from trailformat.values import characters, datetimes, decimals, floats, integers, intervals
from trailformat.values.value import Decode, Encode


class DataType(NamedTuple):
    """One code: its name, the decoder of its bytes (after the indicator) and the inverse, None if unknown."""

    name: str
    decode: Decode | None
    encode: Encode | None
    is_variable: bool = False


CHAR = 0
VARCHAR = 64
DATETIME_VARYING = 191
DATETIME = 192
INTEGERS = {130: 2, 132: 4, 134: 8}
"""Signed integers by code: their bytes."""
UNSIGNED = {131: 2, 133: 4, 135: 8}
"""Unsigned ones."""
_FIXED = {CHAR: "CHAR", 1: "CHAR UPSHIFT", 2: "DOUBLE CHAR"}
_VARIABLE = {VARCHAR: "VARCHAR", 65: "VARCHAR UPSHIFT", 66: "DOUBLE VARCHAR"}
_ZONED_NAMES = {
    150: ("DECIMAL UNSIGNED", decimals.Sign.NONE),
    151: ("DECIMAL LSS", decimals.Sign.LEADING_SEPARATE),
    152: ("DECIMAL LSE", decimals.Sign.LEADING),
    153: ("DECIMAL TSS", decimals.Sign.TRAILING_SEPARATE),
    154: ("DECIMAL TSE", decimals.Sign.TRAILING),
}
ZONED = {code: sign for code, (_, sign) in _ZONED_NAMES.items()}
"""Decimals of a digit a byte: where their sign is."""
PACKED = 189
FLOATS, TANDEM_FLOATS = {142: 4, 143: 8}, {140: 4, 141: 8}
"""Floating-point numbers of IEEE 754, and of Tandem: their bytes."""
FIXED_TEXT, VARIABLE_TEXT = frozenset(_FIXED), frozenset(_VARIABLE)
"""Codes of characters, of fixed length and with a length in front."""
INTERVALS = {
    195: "YEAR",
    196: "MONTH",
    197: "YEAR TO MONTH",
    198: "DAY",
    199: "HOUR",
    200: "DAY TO HOUR",
    201: "MINUTE",
    202: "HOUR TO MINUTE",
    203: "DAY TO MINUTE",
    204: "SECOND",
    205: "MINUTE TO SECOND",
    206: "HOUR TO SECOND",
    207: "DAY TO SECOND",
    208: "FRACTION",
    209: "SECOND TO FRACTION",
    210: "MINUTE TO FRACTION",
    211: "HOUR TO FRACTION",
    212: "DAY TO FRACTION",
}
"""Intervals by code: their fields."""

DATA_TYPES: dict[int, DataType] = {
    **{code: DataType(name, characters.decode_fixed, characters.encode_fixed) for code, name in _FIXED.items()},
    **{
        code: DataType(name, characters.decode_variable, characters.encode_variable, is_variable=True)
        for code, name in _VARIABLE.items()
    },
    **{
        code: DataType(
            f"INT{8 * size}", partial(integers.decode, size, signed=True), partial(integers.encode, size, signed=True)
        )
        for code, size in INTEGERS.items()
    },
    **{
        code: DataType(
            f"UINT{8 * size}",
            partial(integers.decode, size, signed=False),
            partial(integers.encode, size, signed=False),
        )
        for code, size in UNSIGNED.items()
    },
    140: DataType("TANDEM REAL", partial(floats.decode_tandem, 4), partial(floats.encode_tandem, 4)),
    141: DataType("TANDEM DOUBLE", partial(floats.decode_tandem, 8), partial(floats.encode_tandem, 8)),
    142: DataType("REAL", partial(floats.decode_ieee, 4), partial(floats.encode_ieee, 4)),
    143: DataType("DOUBLE", partial(floats.decode_ieee, 8), partial(floats.encode_ieee, 8)),
    **{
        code: DataType(name, partial(decimals.decode_zoned, sign), partial(decimals.encode_zoned, sign))
        for code, (name, sign) in _ZONED_NAMES.items()
    },
    155: DataType("BIGNUM UNSIGNED", None, None),
    156: DataType("BIGNUM", None, None),
    PACKED: DataType("DECIMAL PACKED", decimals.decode_packed, decimals.encode_packed),
    DATETIME_VARYING: DataType(
        "DATETIME VARYING", datetimes.decode_variable, datetimes.encode_variable, is_variable=True
    ),
    DATETIME: DataType("DATETIME", datetimes.decode, datetimes.encode),
    **{
        code: DataType(f"INTERVAL {span}", partial(intervals.decode, span), partial(intervals.encode, span))
        for code, span in INTERVALS.items()
    },
}
"""By code."""
