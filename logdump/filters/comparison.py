"""Comparison of a value with a text, by the value's type; the operator is before it ([HELP]) or after it ([manual])."""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.filters.words import FilterError, quoted
from trailformat import Value
from trailformat.values.comparing import Operand, comparable, is_padded
from trailformat.values.value import plain_text

if TYPE_CHECKING:
    from trailformat import ColumnDefinition


class Comparison(enum.Enum):
    """An operator, in the spelling of SHOW FILTER."""

    EQUAL = "="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    NOT_EQUAL = "<>"

    def holds(self, value: Any, wanted: Any) -> bool:
        """Return True if a record's value compares so with the value of the filter; both have one orderable type."""
        return _TESTS[self](value, wanted)


_TESTS: dict[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQUAL: operator.eq,
    Comparison.LESS: operator.lt,
    Comparison.LESS_OR_EQUAL: operator.le,
    Comparison.GREATER: operator.gt,
    Comparison.GREATER_OR_EQUAL: operator.ge,
    Comparison.NOT_EQUAL: operator.ne,
}

OPERATORS: dict[str, Comparison] = {
    "=": Comparison.EQUAL,
    "==": Comparison.EQUAL,
    "EQ": Comparison.EQUAL,
    "<": Comparison.LESS,
    "LT": Comparison.LESS,
    "<=": Comparison.LESS_OR_EQUAL,
    "LE": Comparison.LESS_OR_EQUAL,
    ">": Comparison.GREATER,
    "GT": Comparison.GREATER,
    ">=": Comparison.GREATER_OR_EQUAL,
    "GE": Comparison.GREATER_OR_EQUAL,
    "<>": Comparison.NOT_EQUAL,
    "!=": Comparison.NOT_EQUAL,
    "NE": Comparison.NOT_EQUAL,
}
"""All spellings of the operators in [HELP] and [manual]."""

_SIGNS = "<>=!"


def split_comparison(text: str) -> tuple[Comparison, str]:
    """Return the operator and the value next to it, as written and perhaps empty.

    Raises:
        FilterError: an operator on both sides, or one that does not exist.
    """
    before, text = _take(text.strip(), at_end=False)
    after, text = _take(text, at_end=True)
    if before and after:
        raise FilterError(f"two operators, {before} and {after}; one comparison is allowed")
    return comparison_named(before or after or "="), text


def comparison_named(spelling: str) -> Comparison:
    """Return the comparison with this spelling, in any case.

    Raises:
        FilterError: there is no such operator.
    """
    comparison = OPERATORS.get(spelling.upper())
    if comparison is None:
        raise FilterError(f"no operator {quoted(spelling)}; there are {' '.join(OPERATORS)}")
    return comparison


def _take(text: str, *, at_end: bool) -> tuple[str, str]:
    """Return the operator at one end of ``text``, empty if there is none, and the rest."""
    rest = text.rstrip(_SIGNS) if at_end else text.lstrip(_SIGNS)
    if rest != text:
        signs = text[len(rest) :] if at_end else text[: len(text) - len(rest)]
        return signs, rest.strip()
    words = text.rsplit(None, 1) if at_end else text.split(None, 1)
    word = words[-1 if at_end else 0].upper() if words else ""
    if word not in OPERATORS:
        return "", text
    rest = words[0 if at_end else -1] if len(words) > 1 else ""
    return word, rest.strip()


class ValueComparison(NamedTuple):
    """An operator and the value to compare with."""

    comparison: Comparison
    operand: Operand

    def holds(self, value: Value, definition: ColumnDefinition | None) -> bool:
        """Return True if a value of a column satisfies it; NULL and undecodable values satisfy only one with NULL."""
        if self.operand.is_null:
            return value.is_null is (self.comparison is Comparison.EQUAL)
        pair = comparable(value, self.operand, definition)
        return pair is not None and self.comparison.holds(*pair)


class AllTests(NamedTuple):
    """Several tests that one value has to satisfy: BETWEEN, NOT IN."""

    tests: tuple[ValueComparison, ...]

    def holds(self, value: Value, definition: ColumnDefinition | None) -> bool:
        """Return True if a value satisfies all of them."""
        return all(test.holds(value, definition) for test in self.tests)


class Likeness(NamedTuple):
    """LIKE: the text of a value and a pattern, whose % is any characters and _ one; NULL is neither like nor unlike."""

    pattern: str
    is_negated: bool = False

    def holds(self, value: Value, definition: ColumnDefinition | None) -> bool:
        """Return True if the text of a value fits the pattern, if negated that it does not."""
        if value.is_null or value.problem is not None:
            return False
        text = plain_text(value.value)
        text = text.rstrip(" ") if is_padded(definition) else text
        return (_like(self.pattern).fullmatch(text) is not None) is not self.is_negated


@lru_cache(maxsize=64)
def _like(pattern: str) -> re.Pattern[str]:
    signs = {"%": ".*", "_": "."}
    return re.compile("".join(signs.get(sign) or re.escape(sign) for sign in pattern), re.DOTALL)


ValueTest = ValueComparison | AllTests | Likeness
"""A condition on one value of a column, which can be hashed and pickled."""
