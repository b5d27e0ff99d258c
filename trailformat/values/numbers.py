"""Numbers stored as text in a column of characters: NUMBER without a precision, for one.

    0000 0003 313434     144

The sub data type marks the text as a number. Text that is not a number of a reasonable size is returned as bytes.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation

from trailformat.errors import BadData

MOST_EXPONENT = 1000
"""Powers of ten beyond every database; text of that many zeros would let a few bytes fill the memory."""
_NOT_FINITE = frozenset({"INF", "+INF", "-INF", "INFINITY", "+INFINITY", "-INFINITY", "NAN"})


def parse_number(text: str) -> Decimal | float:
    """The number that ``text`` writes; a float for infinity and what is not a number.

    Raises:
        BadData: it is no number, or beyond 10^1000 or 10^-1000.
    """
    written = text.strip(" \0")
    if written.upper() in _NOT_FINITE:
        return float(written)
    try:
        number = Decimal(written) if "_" not in written else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise BadData("not a number", found=repr(text[:20]))
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > MOST_EXPONENT and abs(number.adjusted()) > MOST_EXPONENT:
        raise BadData("number beyond every type", found=repr(text[:20]))
    return number


def is_finite(number: object) -> bool:
    """Return True if ``number`` is a finite number."""
    if isinstance(number, float):
        return math.isfinite(number)
    return isinstance(number, int) or (isinstance(number, Decimal) and number.is_finite())
