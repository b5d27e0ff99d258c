"""Where a text that is JSON or XML is broken into indented lines: between its tokens, which are not changed.

    {"a":{"b":1,"b":2}}     {                    <r><x a="&e;"/>text</r>     <r>
                              "a":{                                            <x a="&e;"/>text</r>
                                "b":1,
                                "b":2
                              }
                            }

No value is made of the text: digits, entities and members of one name stay as they are written. Lines are stretches of
the text; only white space between two of them is left out.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

MOST_INDENTED = 1 << 20
"""Characters of a text that is indented; a longer one is shown as it is."""
_STEP, _DEEPEST = 2, 20
"""Blanks for each level, and the number of levels from which on lines are indented no further."""


class TextLine(NamedTuple):
    """A line: the characters of a text from ``start`` to before ``end``, after ``indent`` blanks."""

    indent: int
    start: int
    end: int


class Breaks:
    """The lines of a text; ``form`` is JSON or XML."""

    def __init__(self, form: str) -> None:
        self.form = form
        self._indents, self._starts, self._ends = array("q"), array("q"), array("q")

    def add(self, depth: int, start: int, end: int) -> None:
        """Begin a line at a level with a token."""
        self._indents.append(_STEP * min(depth, _DEEPEST))
        self._starts.append(start)
        self._ends.append(end)

    def extend(self, end: int) -> None:
        """Add a token to the last line."""
        self._ends[-1] = end

    def lines(self, start: int, end: int) -> Iterator[TextLine]:
        """Yield the lines, or parts of them, from a character to before another."""
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            begin, stop = max(start, self._starts[index]), min(end, self._ends[index])
            if begin >= end:
                return
            if begin < stop:
                yield TextLine(self._indents[index], begin, stop)


class _NotOfFormError(Exception):
    """The text is not of this form."""


def breaks_of(text: str) -> Breaks | None:
    """Return the lines of a text that is JSON or XML as a whole; None for any other, and for one that is too long."""
    if len(text) > MOST_INDENTED:
        return None
    begin = text.lstrip(" \t\r\n\ufeff")[:1]
    form = _FORMS.get(begin)
    if form is None:
        return None
    try:
        return form(text)
    except _NotOfFormError:
        return None


_JSON = re.compile(
    r"""[ \t\r\n\ufeff]*+(?:(?P<string>"(?:[^"\\]|\\.)*+")|(?P<mark>[{}\[\],:])"""
    r"""|(?P<scalar>-?(?:[0-9][0-9.eE+-]*+|Infinity)|NaN|true|false|null)|(?P<end>\Z))""",
    re.DOTALL,
)
_CLOSES = {"{": "}", "[": "]"}
_VALUE, _FIRST_VALUE, _NAME, _FIRST_NAME, _COLON, _AFTER = range(6)
"""What a token may be: a value; that or ``]``; a name; that or ``}``; a colon; a comma or the end of what is open."""
_EXPECTED_FIRST = {"{": _FIRST_NAME, "[": _FIRST_VALUE}


def _json(text: str) -> Breaks:
    """Return the lines of JSON: one for each member and item, and for each end of what is not empty."""
    breaks, is_open, at, expected = Breaks("JSON"), list[str](), 0, _VALUE
    begins_line = True
    while True:
        match = _JSON.match(text, at)
        if match is None:
            raise _NotOfFormError
        kind, word, at = match.lastgroup, match[match.lastgroup or 0], match.end()
        if kind == "end":
            break
        is_end = bool(is_open) and word == _CLOSES[is_open[-1]]
        was, expected = expected, _next_expected(str(kind), word, expected, is_open)
        depth = len(is_open) - (word in _CLOSES)
        if begins_line or (is_end and was == _AFTER):
            breaks.add(depth, at - len(word), at)
        else:
            breaks.extend(at)
        begins_line = word == "," or (word in _CLOSES and not _closes_at_once(text, at, word))
    if is_open or expected != _AFTER:
        raise _NotOfFormError
    return breaks


_BLANKS = re.compile(r"[ \t\r\n]*+")


def _closes_at_once(text: str, at: int, opening: str) -> bool:
    blanks = _BLANKS.match(text, at)
    return blanks is not None and text.startswith(_CLOSES[opening], blanks.end())


def _next_expected(kind: str, word: str, expected: int, is_open: list[str]) -> int:
    """Return what may follow a token; ``is_open`` are the objects and arrays around it, which it may begin or end."""
    is_value = expected in (_VALUE, _FIRST_VALUE)
    if kind == "string" and expected in (_NAME, _FIRST_NAME):
        return _COLON
    if kind in ("string", "scalar") and is_value:
        return _AFTER
    if word in _CLOSES and is_value:
        is_open.append(word)
        return _EXPECTED_FIRST[word]
    if word == ":" and expected == _COLON:
        return _VALUE
    if word == "," and expected == _AFTER and is_open:
        return _NAME if is_open[-1] == "{" else _VALUE
    if is_open and word == _CLOSES[is_open[-1]] and expected in (_AFTER, _EXPECTED_FIRST[is_open[-1]]):
        is_open.pop()
        return _AFTER
    raise _NotOfFormError


_XML_NAME = r"[^\s<>/=!?\"'&]++"
_XML = re.compile(
    rf"""(?P<text>[^<]++)
    |(?P<comment><!--.*?-->)
    |(?P<cdata><!\[CDATA\[.*?\]\]>)
    |(?P<instruction><\?.*?\?>)
    |(?P<doctype><!DOCTYPE(?:[^<>\[\]"']++|"[^"]*+"|'[^']*+')*+(?:\[.*?\]\s*+)?>)
    |</(?P<end>{_XML_NAME})\s*+>
    |<(?P<begin>{_XML_NAME})(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""",
    re.DOTALL | re.VERBOSE,
)
_CONTENT = frozenset({"text", "cdata"})


def _xml(text: str) -> Breaks:
    """Return the lines of XML: tags side by side have a line each; text stays with the tags around it."""
    breaks, names, at, before, has_element = Breaks("XML"), list[str](), 0, "", False
    while at < len(text):
        match = _XML.match(text, at)
        if match is None:
            raise _NotOfFormError
        kind, start, at = str(match.lastgroup), match.start(), match.end()
        if kind == "text" and not match[0].strip(" \t\r\n\ufeff"):
            continue
        is_inside = bool(names)
        is_bad_end = kind == "end" and (not is_inside or names.pop() != match["end"])
        if is_bad_end or (kind in _CONTENT and not is_inside):
            raise _NotOfFormError
        is_rest = kind in _CONTENT or before in _CONTENT or (kind == "end" and before == "begin")
        if is_rest and before:
            breaks.extend(at)
        else:
            breaks.add(len(names), start, at)
        has_element = has_element or kind == "begin"
        before = "empty" if kind == "begin" and match[0].endswith("/>") else kind
        names += [match["begin"]] * (before == "begin")
    if names or not has_element:
        raise _NotOfFormError
    return breaks


_FORMS: dict[str, Callable[[str], Breaks]] = {"{": _json, "[": _json, "<": _xml}
