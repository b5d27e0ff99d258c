"""The data types of definitions files, one code each: what it is called, and how its bytes are read and written.

Codes and names are those of the header file for user exits that comes with GoldenGate (``sqldatatypes.h``), which are
NonStop SQL's; 0, 64, 132, 134 and 192 were seen in trails. docs/values.md tells how sure each is.
"""

from __future__ import annotations

from typing import NamedTuple

from trailformat.values import characters, datetimes, decimals, floats, integers, intervals
from trailformat.values.value import Decode, Encode


class DataType(NamedTuple):
    """One code: its name, the decoder of its bytes (behind the indicator) and the inverse, None where not known."""

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
_ZONED = {
    150: ("DECIMAL UNSIGNED", decimals.Sign.NONE),
    151: ("DECIMAL LSS", decimals.Sign.LEADING_SEPARATE),
    152: ("DECIMAL LSE", decimals.Sign.LEADING),
    153: ("DECIMAL TSS", decimals.Sign.TRAILING_SEPARATE),
    154: ("DECIMAL TSE", decimals.Sign.TRAILING),
}
FIXED_TEXT, VARIABLE_TEXT = frozenset(_FIXED), frozenset(_VARIABLE)
"""Codes of characters, of fixed length and with a length in front."""
_INTERVALS = {
    195: ("YEAR", "YEAR"),
    196: ("MONTH", "MONTH"),
    197: ("YEAR", "MONTH"),
    198: ("DAY", "DAY"),
    199: ("HOUR", "HOUR"),
    200: ("DAY", "HOUR"),
    201: ("MINUTE", "MINUTE"),
    202: ("HOUR", "MINUTE"),
    203: ("DAY", "MINUTE"),
    204: ("SECOND", "SECOND"),
    205: ("MINUTE", "SECOND"),
    206: ("HOUR", "SECOND"),
    207: ("DAY", "SECOND"),
    208: ("FRACTION", "FRACTION"),
    209: ("SECOND", "FRACTION"),
    210: ("MINUTE", "FRACTION"),
    211: ("HOUR", "FRACTION"),
    212: ("DAY", "FRACTION"),
}


def _interval(most: str, least: str) -> DataType:
    fields = intervals.fields_between(most, least)
    name = f"INTERVAL {most}" if most == least else f"INTERVAL {most} TO {least}"
    return DataType(name, intervals.decoder(fields), intervals.encoder(fields))


DATA_TYPES: dict[int, DataType] = {
    **{code: DataType(name, characters.decode_fixed, characters.encode_fixed) for code, name in _FIXED.items()},
    **{
        code: DataType(name, characters.decode_variable, characters.encode_variable, is_variable=True)
        for code, name in _VARIABLE.items()
    },
    **{
        code: DataType(f"INT{8 * size}", integers.decoder(size), integers.encoder(size))
        for code, size in INTEGERS.items()
    },
    **{
        code: DataType(f"UINT{8 * size}", integers.decoder(size, signed=False), integers.encoder(size, signed=False))
        for code, size in UNSIGNED.items()
    },
    140: DataType("TANDEM REAL", floats.tandem_decoder(4), floats.tandem_encoder(4)),
    141: DataType("TANDEM DOUBLE", floats.tandem_decoder(8), floats.tandem_encoder(8)),
    142: DataType("REAL", floats.ieee_decoder(4), floats.ieee_encoder(4)),
    143: DataType("DOUBLE", floats.ieee_decoder(8), floats.ieee_encoder(8)),
    **{
        code: DataType(name, decimals.zoned_decoder(sign), decimals.zoned_encoder(sign))
        for code, (name, sign) in _ZONED.items()
    },
    155: DataType("BIGNUM UNSIGNED", None, None),
    156: DataType("BIGNUM", None, None),
    189: DataType("DECIMAL PACKED", decimals.decode_packed, decimals.encode_packed),
    DATETIME_VARYING: DataType(
        "DATETIME VARYING", datetimes.decode_variable, datetimes.encode_variable, is_variable=True
    ),
    DATETIME: DataType("DATETIME", datetimes.decode, datetimes.encode),
    **{code: _interval(most, least) for code, (most, least) in _INTERVALS.items()},
}
"""By code."""
