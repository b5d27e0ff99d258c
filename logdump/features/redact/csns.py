"""Substitutes of commit sequence numbers: the order and the distances stay, the numbers do not.

    7824137832   7824137840          two CSNs of a trail
    3190447215   3190447223          the same number added to both, drawn so that no digit is needed more

A number is drawn for each form: as many digits at the same places. CSNs of several forms that cannot be in order by
that, such as MySQL's without zeros in front, stay as they are; the answer says so.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from trailformat.changes.csn import csn_key

_MOST_FORMS = 16
"""Number of forms above which the CSNs of a kind stay."""
_HEXADECIMAL = ("0x", "0X")
_DIGIT = re.compile("[0-9a-fA-F]")
_DECIMAL = re.compile("[0-9]+")
_HEAD = re.compile(r"(?:[^:\s]*\.)?")
_SIGN = re.compile("[^A-Za-z0-9]")


class _Form(NamedTuple):
    """The form of a CSN: its kind, the name in front of it, the rest with ``#`` for each digit, and their base."""

    kind: str
    head: str
    text: str
    base: int

    @property
    def may_overflow(self) -> bool:
        """True for wrap.base with a base that is nearly full: the next number is not the next text."""
        return re.fullmatch(r"#+\.#{10}", self.text) is not None


class _Range:
    """The least and the greatest CSN of a form, and the number that is added to all."""

    def __init__(self, number: int) -> None:
        self.least = self.greatest = number
        self.shift = 0

    def include(self, number: int) -> None:
        """Extend the range."""
        self.least, self.greatest = min(self.least, number), max(self.greatest, number)


def _split(csn: str) -> tuple[_Form, int, str] | None:
    """Return the form of a CSN, its digits as one number, and these digits; None if it has no known form."""
    key = csn_key(csn)
    if csn != csn.strip(" \0") or key is None:
        return None
    if _DECIMAL.fullmatch(csn):
        return _Form(key.kind, "", "#" * len(csn), 10), int(csn), csn
    head = csn[:2] if csn[:2] in _HEXADECIMAL else csn[: csn.rfind(".", 0, csn.find(":")) + 1] if ":" in csn else ""
    body = csn[len(head) :]
    is_hex = head[:2] in _HEXADECIMAL or "/" in body or bool(re.search("[a-fA-F]", body)) or body.count(":") == 2
    is_hex = is_hex and len(body) != len("0000000000:0000000000:00000")
    digits = "".join(_DIGIT.findall(body))
    return _Form(key.kind, head, _DIGIT.sub("#", body), 16 if is_hex else 10), int(digits, 16 if is_hex else 10), digits


class CsnSubstitutes:
    """The substitutes of all CSNs of a trail.

    Args:
        csns: all of them, in any order.
        name: returns the substitute of a name, which some have in front.
    """

    def __init__(self, csns: Iterable[str], name: Callable[[bytes], bytes]) -> None:
        self._name = name
        self._ranges: dict[_Form, _Range] = {}
        self._kept: set[str] = set()
        for csn in csns:
            self._include(csn)
        for kind in {form.kind for form in self._ranges}:
            forms = {form: each for form, each in self._ranges.items() if form.kind == kind}
            if len(forms) > _MOST_FORMS or not _are_in_order(forms) or not _draw(forms):
                self._kept.add(kind)

    @property
    def are_kept(self) -> bool:
        """True if some stay, because no substitutes would have the same order."""
        return bool(self._kept)

    def _include(self, csn: str) -> None:
        parts = _split(csn)
        if parts is not None and len(self._ranges) <= 2 * _MOST_FORMS:
            self._ranges.setdefault(parts[0], _Range(parts[1])).include(parts[1])

    def of_text(self, csn: str) -> str | None:
        """Return the substitute; None if it has no known form, so that nothing is known about its order."""
        parts = _split(csn)
        if parts is None or parts[0] not in self._ranges:
            return None
        form, number, digits = parts
        head = form.head if form.head[:2] in _HEXADECIMAL else self._head(form.head)
        if form.kind in self._kept:
            return head + csn[len(head) :]
        shifted = (number + self._ranges[form].shift) % form.base ** form.text.count("#")
        return head + _written(form, shifted, is_capital=digits != digits.lower())

    def _head(self, head: str) -> str:
        """Return another name of a binary log of MySQL, in which a host is named; no sign in it ends it."""
        other = self._name(head.encode()).decode()
        return other if _HEAD.fullmatch(other) else self._name(_SIGN.sub("x", head[:-1]).encode()).decode() + "."


def _are_in_order(forms: dict[_Form, _Range]) -> bool:
    """Return True if CSNs of these forms, all of one kind, keep their order when a number is added to each form.

    Numbers of more digits are greater, unless there are zeros in front.
    """
    if any(form.may_overflow for form in forms):
        return False
    are_plain = all(not (form.head or form.text.strip("#")) for form in forms)
    return len(forms) == 1 or (
        are_plain and all(len(str(each.least)) == len(form.text) for form, each in forms.items())
    )


def _draw(forms: dict[_Form, _Range]) -> bool:
    """Draw the number that is added to each form; return False if the greatest would have no form any more."""
    for form, each in forms.items():
        size = form.text.count("#")
        first = form.base ** (size - 1)
        first = first if len(forms) > 1 or each.least >= first else 0
        lowest, highest = first - each.least, form.base**size - 1 - each.greatest
        each.shift = lowest + secrets.randbelow(highest - lowest + 1)
        for number in (each.least, each.greatest):
            key = csn_key(form.head + _written(form, number + each.shift, is_capital=False))
            if key is None or key.kind != form.kind:
                return False
    return True


def _written(form: _Form, number: int, *, is_capital: bool) -> str:
    """Return the CSN of a form with these digits."""
    size = form.text.count("#")
    digits = f"{number:0{size}d}" if form.base == 10 else f"{number:0{size}{'X' if is_capital else 'x'}}"
    following: Iterator[str] = iter(digits)
    return "".join(next(following) if character == "#" else character for character in form.text)
