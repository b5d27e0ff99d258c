"""What a statement needs of its views, as DuckDB's plan says: columns, and conditions that narrow a scan of the trail.

A condition that is not understood narrows nothing: DuckDB applies all of them itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from logdump.arrow.tables.layout import ROW_OPERATIONS
from logdump.features.sql.trail_table import Narrowed
from logdump.spark.source.bounds import END_OF_FILE, RbaRange
from trailformat import IO_TYPES

_RANGE = re.compile(r"(\d+\.\w+) BETWEEN (\S.*)")


def conjuncts(expression: str) -> tuple[str, ...]:
    """The parts that have to be true together, without their own brackets."""
    text = expression.strip()
    if not _is_bracketed(text):
        return (text,) if text else ()
    inside = text[1:-1]
    parts = _split(inside, " AND ")
    if len(parts) == 1 or len(_split(inside, " OR ")) > 1:
        return (inside,)
    return tuple(one for part in _with_ranges(parts) for one in conjuncts(part))


def alternatives(condition: str) -> tuple[str, ...]:
    """The parts of a condition of which one has to be true, without their own brackets."""
    parts = _split(condition, " OR ")
    return tuple(part[1:-1] if _is_bracketed(part) else part for part in parts)


def _with_ranges(parts: list[str]) -> Iterator[str]:
    """The parts, of which a BETWEEN has been cut in two: as its two conditions."""
    remaining = iter(parts)
    for part in remaining:
        found = _RANGE.fullmatch(part)
        if found is None:
            yield part
        else:
            yield f"({found[1]} >= {found[2]})"
            yield f"({found[1]} <= {next(remaining, '')})"


def _split(text: str, word: str) -> list[str]:
    """The parts between a word that is in no brackets and no text."""
    parts, first = [], 0
    for at, depth in _outside_of_texts(text):
        if depth == 0 and text.startswith(word, at):
            parts.append(text[first:at])
            first = at + len(word)
    return [*parts, text[first:]]


def _is_bracketed(text: str) -> bool:
    closed = next((at for at, depth in _outside_of_texts(text) if depth == 0), None)
    return text.startswith("(") and closed == len(text) - 1


def _outside_of_texts(text: str) -> Iterator[tuple[int, int]]:
    """The places in a condition that are in no text, and the depth of brackets after each."""
    depth, is_text = 0, False
    for at, sign in enumerate(text):
        if sign == "'":
            is_text = not is_text
        elif not is_text:
            depth += (sign == "(") - (sign == ")")
            yield at, depth


_SCAN = "ARROW_SCAN"
_VALUE = r"(?P<number>\d+)|'(?P<text>(?:[^']|'')*)'(?P<time>::TIMESTAMP WITH TIME ZONE)?"
_CONDITION = re.compile(rf"(?P<column>\d+\.\w+) (?P<sign>=|<|<=|>|>=) (?:{_VALUE})")
_PLAIN = re.compile(r"\d+\.\w+")
"""A column of which no part can be taken for something else in the text of a condition."""
_FROM, _UP_TO = ("=", ">", ">="), ("=", "<", "<=")
_WILD = re.compile(r"[*?\"\\;,]")


class PlannedScan(NamedTuple):
    """A scan of a plan: its columns (None: all), and the conditions that each of its rows has to meet."""

    columns: tuple[str, ...] | None
    conditions: tuple[str, ...]


def planned_scans(plan: str) -> list[PlannedScan]:
    """The scans in a physical plan, which EXPLAIN (FORMAT JSON) prints."""
    return list(_scans(json.loads(plan), ()))


def _scans(nodes: list[dict[str, Any]], conditions: tuple[str, ...]) -> Iterator[PlannedScan]:
    for node in nodes:
        facts = node.get("extra_info", {})
        if _SCAN in node.get("name", ""):
            columns = facts.get("Projections")
            yield PlannedScan((columns,) if isinstance(columns, str) else columns and tuple(columns), conditions)
        above = facts.get("Expression", "") if node.get("name", "").strip() == "FILTER" else ""
        yield from _scans(node.get("children", []), conjuncts(above) if isinstance(above, str) else ())


def needs_of(prefix: str, offered: Iterable[str], scans: Iterable[PlannedScan]) -> Narrowed:
    """What the scans of a plan need of the view whose columns have this prefix."""
    names = frozenset(offered)
    columns: set[str] = set()
    of_view: list[tuple[str, ...]] = []
    for scan in scans:
        if scan.columns is None:
            return Narrowed()
        mine = {name.removeprefix(prefix) for name in scan.columns if name.startswith(prefix)}
        if mine:
            columns |= mine
            of_view.append(scan.conditions)
    if not columns <= names:
        return Narrowed()
    if len(of_view) != 1 or not all(_PLAIN.fullmatch(prefix + name) for name in columns):
        return Narrowed(frozenset(columns))
    return _narrowed(frozenset(columns), prefix, of_view[0])


class _Bounds:
    """What the conditions on a view say of its records."""

    def __init__(self) -> None:
        self.first, self.last = 0, END_OF_FILE
        self.options: dict[str, str] = {}

    def rba(self, found: re.Match[str]) -> None:
        sign, number = found["sign"], found["number"]
        if number and sign in _FROM:
            self.first = max(self.first, int(number) + (sign == ">"))
        if number and sign in _UP_TO:
            self.last = min(self.last, int(number) - (sign == "<"))

    def time(self, found: re.Match[str]) -> None:
        if not found["time"] or not found["text"].endswith("+00"):
            return
        moment = found["text"].removesuffix("+00").replace(" ", "T") + "Z"
        if found["sign"] in _FROM:
            self.options["startTimestamp"] = moment
        if found["sign"] in _UP_TO:
            # The first time in the header of a file is that of its first change: records before it are earlier.
            self.options |= {"endTimestamp": moment, "skipFiles": "false"}

    def table(self, found: re.Match[str]) -> None:
        if found["sign"] == "=" and found["text"] and not _WILD.search(found["text"]):
            self.options["table"] = found["text"]

    def csn(self, found: re.Match[str]) -> None:
        """Equal texts alone: SQL orders CSNs as texts, a trail as numbers."""
        if found["sign"] == "=" and found["text"] and found["text"].isdecimal():
            self.options |= {"startCsn": found["text"], "endCsn": found["text"]}

    def types(self, found: Sequence[re.Match[str]]) -> None:
        """The record types of any of some conditions."""
        types = [_types_of(one) for one in found]
        if all(types):
            numbers = sorted(number for some in types for number in some)
            self.options["where"] = f"IOTYPE {','.join(map(str, numbers))}"


def _types_of(found: re.Match[str]) -> tuple[int, ...]:
    """The record types that a condition on ``op`` or ``op_code`` leaves; none where it is not understood."""
    if found["sign"] != "=":
        return ()
    if found["number"]:
        number = int(found["number"])
        return (number,) if number in IO_TYPES else ()
    names = [*IO_TYPES.items(), *ROW_OPERATIONS.items()]
    return tuple(number for number, name in names if name == found["text"])


def _narrowed(columns: frozenset[str], prefix: str, conditions: tuple[str, ...]) -> Narrowed:
    bounds = _Bounds()
    for condition in conditions:
        found = [_CONDITION.fullmatch(one) for one in alternatives(condition)]
        matches = [one for one in found if one is not None and one["column"].startswith(prefix)]
        names = {one["column"].removeprefix(prefix) for one in matches}
        if len(matches) < len(found) or len(names) != 1:
            continue
        [name] = names
        if name in _OF_TYPES:
            bounds.types(matches)
        elif name in _BY_COLUMN and len(matches) == 1:
            _BY_COLUMN[name](bounds, matches[0])
    return Narrowed(columns, RbaRange(bounds.first, bounds.last), bounds.options)


_BY_COLUMN = {"rba": _Bounds.rba, "time": _Bounds.time, "table": _Bounds.table, "csn": _Bounds.csn}
_OF_TYPES = frozenset({"op", "op_code"})
