"""What a statement needs of its views, as DuckDB's plan says: columns, and conditions that narrow a scan of the trail.

A condition that is not understood narrows nothing: DuckDB applies all of them itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from logdump.features.sql.trail_table import Narrowed
from logdump.spark.source.bounds import END_OF_FILE, RbaRange

_SCAN = "ARROW_SCAN"
_VALUE = r"(?P<number>\d+)|'(?P<text>(?:[^']|'')*)'(?P<time>::TIMESTAMP WITH TIME ZONE)?"
_CONDITION = re.compile(rf"(?P<column>\d+\.\w+) (?P<sign>=|<|<=|>|>=) (?:{_VALUE})")
_RANGE = re.compile(r"(\d+\.\w+) BETWEEN (\S.*)")
_PLAIN = re.compile(r"\d+\.\w+")
"""A column of which no part can be taken for something else in the text of a condition."""
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
        yield from _scans(node.get("children", []), _conjuncts(above) if isinstance(above, str) else ())


def _conjuncts(expression: str) -> tuple[str, ...]:
    """The parts of ``((a) AND (b))`` outside of texts and inner brackets, without their own brackets."""
    text = expression.strip()
    if not _is_bracketed(text):
        return (text,) if text else ()
    inside, parts, depth, first, is_text = text[1:-1], [], 0, 0, False
    for at, sign in enumerate(inside):
        if sign == "'":
            is_text = not is_text
        elif not is_text:
            depth += (sign == "(") - (sign == ")")
            if depth == 0 and inside.startswith(" OR ", at):
                return (inside,)
            if depth == 0 and inside.startswith(" AND ", at):
                parts.append(inside[first:at])
                first = at + 5
    if not parts:
        return (inside,)
    return tuple(one for part in _with_ranges([*parts, inside[first:]]) for one in _conjuncts(part))


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


def _is_bracketed(text: str) -> bool:
    if not text.startswith("(") or not text.endswith(")"):
        return False
    depth, is_text = 0, False
    for at, sign in enumerate(text):
        if sign == "'":
            is_text = not is_text
        elif not is_text:
            depth += (sign == "(") - (sign == ")")
            if depth == 0:
                return at == len(text) - 1
    return False


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


def _narrowed(columns: frozenset[str], prefix: str, conditions: tuple[str, ...]) -> Narrowed:
    first, last = 0, END_OF_FILE
    options: dict[str, str] = {}
    for condition in conditions:
        found = _CONDITION.fullmatch(condition)
        if found is None or not found["column"].startswith(prefix):
            continue
        name, sign = found["column"].removeprefix(prefix), found["sign"]
        if name == "rba" and found["number"]:
            number = int(found["number"])
            first = max(first, number + (sign == ">")) if sign in ("=", ">", ">=") else first
            last = min(last, number - (sign == "<")) if sign in ("=", "<", "<=") else last
        elif name == "time" and found["time"] and found["text"].endswith("+00"):
            moment = found["text"].removesuffix("+00").replace(" ", "T") + "Z"
            if sign in ("=", ">", ">="):
                options["startTimestamp"] = moment
            if sign in ("=", "<", "<="):
                options["endTimestamp"] = moment
        elif name == "table" and sign == "=" and found["text"] and not _WILD.search(found["text"]):
            options["table"] = found["text"]
    return Narrowed(columns, RbaRange(first, last), options)
