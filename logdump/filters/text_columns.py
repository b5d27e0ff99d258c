"""A criterion on LOGCSN or TRANID, applied to columns of texts with numpy.

CSNs of equal length are parsed together, if the position of a separator identifies their form: a number, MySQL's
``4:1095``, PostgreSQL's ``00000000/05002818``. Every other text is parsed on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from logdump.filters.comparison import Comparison
from trailformat.changes.csn import csn_key
from trailformat.scan import StringColumn


def csn_holds(comparison: Comparison, csn: str | None, wanted: str) -> bool:
    """Return True if the CSN of a record satisfies the comparison, as CSNs of different kinds do only for ``<>``."""
    if csn is None:
        return False
    left, right = csn_key(csn), csn_key(wanted)
    if left is None or right is None or left.kind != right.kind:
        return comparison is Comparison.NOT_EQUAL
    return comparison.holds(left.parts, right.parts)


Mask = Any
"""A one-dimensional numpy array of bool, one for each text."""


class _Form(NamedTuple):
    """A number of ``parts`` with a separator between them, each of at most ``most`` digits in ``base``.

    Only the last ``exact`` digits of a part may differ from 0 here, so that it fits into 64 bits.
    """

    base: int
    parts: int
    separator: int
    most: int
    exact: int


_FORMS = {
    "number": _Form(10, 1, 0, 40, 18),
    "MySQL position": _Form(10, 2, ord(":"), 40, 18),
    "PostgreSQL LSN": _Form(16, 2, ord("/"), 8, 15),
}
_LONGEST = 81
_MOST_LENGTHS = 32
_DIGITS = np.full(256, 255, np.uint8)
for _base, _letters in ((0, b"0123456789"), (10, b"abcdef"), (10, b"ABCDEF")):
    _DIGITS[list(_letters)] = _base + np.arange(len(_letters))


def csns_hold(comparison: Comparison, wanted: str, csns: StringColumn) -> Mask:
    """Return the result of csn_holds for each CSN."""
    matches, is_open = np.zeros(len(csns), dtype=bool), _is_text(csns)
    key = csn_key(wanted)
    form = _FORMS.get(key.kind) if key is not None else None
    if key is not None and form is not None and max(key.parts) < form.base**form.exact:
        sizes = np.asarray(csns.sizes)
        for size in np.unique(sizes[(sizes > 0) & (sizes <= _LONGEST)])[:_MOST_LENGTHS].tolist():
            numbers = np.flatnonzero(sizes == size)
            parts, fits = _parts(_of_length(csns, numbers, size), form)
            matches[numbers] = fits & _holds(comparison, parts, key.parts)
            is_open[numbers] = ~fits
    return _ask(matches, is_open, csns, lambda text: csn_holds(comparison, text, wanted))


def texts_hold(
    comparison: Comparison, stored: bytes | None, texts: StringColumn, holds: Callable[[str | None], bool]
) -> Mask:
    """Return the result of ``holds`` for each text; False for an absent text.

    ``stored``, if known, are the bytes of every text that is equal to the value with which ``holds`` compares.
    """
    matches, is_open = np.zeros(len(texts), dtype=bool), _is_text(texts)
    if stored and comparison in {Comparison.EQUAL, Comparison.NOT_EQUAL}:
        sizes = np.asarray(texts.sizes)
        numbers = np.flatnonzero(sizes == len(stored))
        is_equal = np.zeros(len(texts), dtype=bool)
        is_equal[numbers] = (_of_length(texts, numbers, len(stored)) == np.frombuffer(stored, np.uint8)).all(axis=1)
        matches = (sizes >= 0) & (is_equal == (comparison is Comparison.EQUAL))
        is_open &= sizes < 0
    return _ask(matches, is_open, texts, holds)


def _is_text(texts: StringColumn) -> Mask:
    """Return a mask of the entries that may have a text."""
    mask = np.asarray(texts.sizes) >= 0
    mask[list(texts.known)] = True
    return mask


def _ask(matches: Mask, is_open: Mask, texts: StringColumn, holds: Callable[[str | None], bool]) -> Mask:
    """Set ``matches`` to the result of ``holds`` for the texts in ``is_open``, and return it."""
    for number in np.flatnonzero(is_open).tolist():
        matches[number] = holds(texts[number])
    return matches


def _of_length(texts: StringColumn, numbers: Any, size: int) -> Any:
    """Return the bytes of these texts, all of ``size`` bytes: uint8, one row per text."""
    data = np.frombuffer(texts.data, np.uint8)
    return data[np.asarray(texts.starts)[numbers][:, None] + np.arange(size)]


def _parts(texts: Any, form: _Form) -> tuple[list[Any], Mask]:
    """Return the parts of equally long texts as numbers, and a mask of the texts that have this form and fit."""
    fits = np.ones(len(texts), dtype=bool)
    stops = [*np.flatnonzero(texts[0] == form.separator).tolist(), texts.shape[1]]
    if len(stops) != form.parts:
        return [np.zeros(len(texts), np.int64)] * form.parts, ~fits
    parts, start = [], 0
    for stop in stops:
        digits = _DIGITS[texts[:, start:stop]]
        fits &= (digits < form.base).all(axis=1) & (0 < stop - start <= form.most)
        fits &= (digits[:, : -form.exact] == 0).all(axis=1)
        exact = digits[:, -form.exact :].astype(np.int64)
        parts.append(exact @ form.base ** np.arange(exact.shape[1] - 1, -1, -1, dtype=np.int64))
        if stop < texts.shape[1]:
            fits &= texts[:, stop] == form.separator
        start = stop + 1
    return parts, fits


def _holds(comparison: Comparison, parts: list[Any], wanted: tuple[int, ...]) -> Mask:
    """Compare as tuples, part by part."""
    sign = np.zeros(len(parts[0]), np.int64)
    for part, number in zip(reversed(parts), reversed(wanted), strict=True):
        sign = np.where(part == number, sign, np.where(part < number, -1, 1))
    return comparison.holds(sign, 0)
