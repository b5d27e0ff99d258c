"""An SQL statement before it is run: the relations that it reads, and the part of each view that it needs.

DuckDB's plan shows the columns that are needed, and the conditions that may narrow a scan of the trail. A condition
that is not recognized narrows nothing, because DuckDB applies all conditions itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.arrow.tables.layout import ROW_OPERATIONS
from logdump.features.sql.trail_table import Narrowed
from logdump.notation.sql_tokens import STANDARD, SqlToken, SqlTokenKind, meaningful
from logdump.notation.text import display_width
from logdump.session.errors import CommandError
from logdump.tables.slice import END_OF_FILE, RbaRange
from trailformat import IO_TYPES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


TRAIL = "trail"
"""The table function that reads another trail: ``trail('dirdat/lt*')``, ``trail('dirdat/lt*', 'HR.EMP')``."""
_ONE_QUERY = "SQL takes one query: SELECT, WITH, DESCRIBE, SUMMARIZE or EXPLAIN. Nothing can be written"
_TRAIL_FORM = "trail(…) takes a path, and the name of a view or table, as in trail('dirdat/lt*', 'HR.EMP')"
_QUERIES = frozenset({"SELECT", "EXPLAIN"})
_EVERY_RECORD = "records"
_RECURSIVE = "RECURSIVE_CTE_NODE"
"""The type of a query of WITH RECURSIVE: its second part refers to what it has made so far."""

_LONGEST_LINE = 120
"""Maximum length of a line of the statement in an error, in characters."""
_LINE = re.compile(r"^(?P<before>LINE (?P<number>\d+): (?:\.{3})?)(?P<shown>.*?)(?P<after>(?:\.{3})?)$", re.MULTILINE)
"""A line of the statement in a message of DuckDB, cut on both sides if it is long."""


class Relation(NamedTuple):
    """A relation that a statement reads: its schema (may be empty) and name as written; the path of ``trail(…)``."""

    schema: str
    name: str
    path: str | None = None

    @property
    def wanted(self) -> str:
        """The name of the view or table, with its schema if it has one."""
        return f"{self.schema}.{self.name}" if self.schema and self.path is None else self.name


class ParsedStatement(NamedTuple):
    """A parsed query.

    Attributes:
        text: the query for DuckDB, with a relation of the same length in place of each ``trail(…)``.
        relations: the relations that it reads.
        is_explain: True if it is an EXPLAIN.
        written: the query as entered.
        places: byte offset in ``text`` at which each relation is first named.
    """

    text: str
    relations: list[Relation]
    is_explain: bool
    written: str
    places: Mapping[Relation, int]

    def place_of(self, relation: Relation) -> tuple[str, ...]:
        """Return the line that first names a relation and a mark below the name, as DuckDB does; empty if unknown."""
        stored, place = self.text.encode(), self.places.get(relation)
        if place is None or place >= len(stored):
            return ()
        position = len(stored[:place].decode(errors="ignore"))
        before, line = self.written[:position].rpartition("\n")[2], self.written[position:].partition("\n")[0]
        shown, rest = before[-_LONGEST_LINE // 2 :], line[: _LONGEST_LINE // 2]
        head = f"LINE {self.written.count(chr(10), 0, position) + 1}: {'...' if shown != before else ''}{shown}"
        return f"{head}{rest}{'...' if rest != line else ''}", f"{' ' * display_width(head)}^"

    def as_written(self, message: str) -> str:
        """Return a message of DuckDB with the lines of ``text`` that it quotes replaced by those of ``written``."""

        def line(match: re.Match[str]) -> str:
            texts = [text.split("\n")[int(match["number"]) - 1 :] for text in (self.text, self.written)]
            start = texts[0][0].find(match["shown"]) if all(texts) else -1
            if start < 0 or len(texts[0][0]) != len(texts[1][0]):
                return match[0]
            return match["before"] + texts[1][0][start : start + len(match["shown"])] + match["after"]

        return _LINE.sub(line, message)


def parse(connection: DuckDBPyConnection, text: str) -> ParsedStatement:
    """Parse a statement without running it.

    Raises:
        CommandError: it is not exactly one query.
        duckdb.Error: it cannot be parsed.
    """
    written = text
    text, trails = _without_trails(text)
    statements = connection.extract_statements(text)
    kinds = {str(statement.type).rpartition(".")[2] for statement in statements}
    if len(statements) != 1 or not kinds <= _QUERIES:
        raise CommandError(f"{_ONE_QUERY}.")
    is_explain = kinds == {"EXPLAIN"}
    query = _explained(text) if is_explain else text
    [(answer,)] = connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()
    before, places = len(text.encode()) - len(query.encode()), dict[Relation, int]()
    try:
        for relation, offset in _relations(_tree(answer), frozenset()):
            place = before + offset
            places[relation] = min(place, places.get(relation, place))
    except RecursionError:
        raise CommandError("This statement is nested too deeply.") from None
    schemas = {trail.schema: trail for trail in trails}
    relations = [relation for relation in places if relation.schema not in schemas]
    named = {schemas.get(relation.schema, relation): place for relation, place in places.items()}
    return ParsedStatement(text, [*trails, *relations], is_explain, written, named)


def _tree(answer: str) -> Any:
    tree = json.loads(answer)
    if tree.get("error"):
        raise CommandError(f"{_ONE_QUERY}: {tree.get('error_message', '')}")
    return tree


def _explained(text: str) -> str:
    """Return the query after EXPLAIN or EXPLAIN ANALYZE."""
    words = list(meaningful(STANDARD.tokens_of(text)))[:3]
    return text[words[2 if words[1].text.upper() == "ANALYZE" else 1].begin :]


def _relations(node: Any, defined: frozenset[str]) -> Iterator[tuple[Relation, int]]:
    """Yield the relations in a tree with their byte offsets; names defined by a surrounding WITH are omitted.

    A name of WITH holds after its query, and in the second part of it if that is recursive; before, it is the view.
    """
    if isinstance(node, list):
        for part in node:
            yield from _relations(part, defined)
    elif isinstance(node, dict):
        for entry in (node.get("cte_map") or {}).get("map", []):
            yield from _relations(entry["value"], defined)
            defined |= {entry["key"].lower()}
        if node.get("type") == "BASE_TABLE":
            relation = _relation(node)
            if relation.schema or relation.name.lower() not in defined:
                yield relation, int(node["query_location"])
        own = frozenset({node["cte_name"].lower()} if node.get("type") == _RECURSIVE else ())
        for name, part in node.items():
            if name != "cte_map":
                yield from _relations(part, defined | own if name == "right" else defined)


def _relation(node: dict[str, Any]) -> Relation:
    parts = [node.get(part) or "" for part in ("catalog_name", "schema_name", "table_name")]
    if parts[0]:
        raise CommandError(f'A name of three parts goes into double quotes: "{".".join(parts)}".')
    return Relation(parts[1], parts[2])


def _without_trails(text: str) -> tuple[str, list[Relation]]:
    """Return the statement with a relation in place of each ``trail(…)``, and these relations.

    Each relation has a schema of its own, so that its name is that of the view. It is padded to the length of the
    text that it replaces, so that positions in errors are right.
    """
    tokens = [*meaningful(STANDARD.tokens_of(text))]
    statement, relations, done = "", list[Relation](), 0
    for index, token in enumerate(tokens):
        is_call = (
            token.text.lower() == TRAIL and _text_at(tokens, index + 1) == "(" and _text_at(tokens, index - 1) != "."
        )
        if not is_call:
            continue
        (path, name), after = _arguments(tokens, index + 2)
        end = tokens[after - 1].end
        schema = next(
            candidate for number in count(len(relations) + 1) if (candidate := f"t{number}") not in text.lower()
        )
        relations.append(Relation(schema, name, path))
        relation = f"{schema}.{name if name == _EVERY_RECORD else quoted_name(name)}".ljust(end - token.begin)
        statement += text[done : token.begin] + relation
        done = end
    return statement + text[done:], relations


def _arguments(tokens: list[SqlToken], index: int) -> tuple[tuple[str, str], int]:
    """Return path and name in the brackets of ``trail(…)``, and the index of the token after them."""
    texts: list[str] = []
    while index < len(tokens) and tokens[index].kind is SqlTokenKind.STRING and tokens[index].text.startswith("'"):
        texts.append(tokens[index].text[1:-1].replace("''", "'"))
        index += 1
        if _text_at(tokens, index) != ",":
            break
        index += 1
    if _text_at(tokens, index) != ")" or len(texts) not in (1, 2):
        raise CommandError(f"{_TRAIL_FORM}.")
    return (texts[0], texts[1] if len(texts) > 1 else _EVERY_RECORD), index + 1


def _text_at(tokens: list[SqlToken], index: int) -> str:
    return tokens[index].text if 0 <= index < len(tokens) else ""


def quoted_name(name: str) -> str:
    """Return a name in double quotes, which allow any characters."""
    return '"' + name.replace('"', '""') + '"'


_RANGE = re.compile(r"(\d+\.\w+) BETWEEN (\S.*)")


def conjuncts(expression: str) -> tuple[str, ...]:
    """Return the conditions joined by AND, without their own brackets."""
    text = expression.strip()
    if not _is_bracketed(text):
        return (text,) if text else ()
    inside = text[1:-1]
    parts = _split(inside, " AND ")
    if len(parts) == 1 or len(_split(inside, " OR ")) > 1:
        return (inside,)
    return tuple(condition for part in _with_ranges(parts) for condition in conjuncts(part))


def alternatives(condition: str) -> tuple[str, ...]:
    """Return the conditions joined by OR, without their own brackets."""
    parts = _split(condition, " OR ")
    return tuple(part[1:-1] if _is_bracketed(part) else part for part in parts)


def _with_ranges(parts: list[str]) -> Iterator[str]:
    """Yield the parts, with two comparisons in place of a BETWEEN that was split at its AND."""
    remaining = iter(parts)
    for part in remaining:
        match = _RANGE.fullmatch(part)
        if match is None:
            yield part
        else:
            yield f"({match[1]} >= {match[2]})"
            yield f"({match[1]} <= {next(remaining, '')})"


def _split(text: str, word: str) -> list[str]:
    """Split a text at each occurrence of a word outside of brackets and string literals."""
    parts, first = [], 0
    for offset, depth in _outside_of_texts(text):
        if depth == 0 and text.startswith(word, offset):
            parts.append(text[first:offset])
            first = offset + len(word)
    return [*parts, text[first:]]


def _is_bracketed(text: str) -> bool:
    closed = next((offset for offset, depth in _outside_of_texts(text) if depth == 0), None)
    return text.startswith("(") and closed == len(text) - 1


def _outside_of_texts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets in a condition outside of string literals, and the depth of brackets after each."""
    depth, is_text = 0, False
    for offset, sign in enumerate(text):
        if sign == "'":
            is_text = not is_text
        elif not is_text:
            depth += (sign == "(") - (sign == ")")
            yield offset, depth


_SCAN = "ARROW_SCAN"
_VALUE = r"(?P<number>\d+)|'(?P<text>(?:[^']|'')*)'(?P<time>::TIMESTAMP WITH TIME ZONE)?"
_CONDITION = re.compile(rf"(?P<column>\d+\.\w+) (?P<sign>=|<|<=|>|>=) (?:{_VALUE})")
_PLAIN = re.compile(r"\d+\.\w+")
"""A column name of which no part can be mistaken for another element of a condition."""
_FROM, _UP_TO = ("=", ">", ">="), ("=", "<", "<=")
_WILD = re.compile(r"[*?\"\\;,]")


class PlannedScan(NamedTuple):
    """A scan of a plan: its columns (None: all), and the conditions on its rows."""

    columns: tuple[str, ...] | None
    conditions: tuple[str, ...]


def planned_scans(plan: str) -> list[PlannedScan]:
    """Return the scans in a physical plan as printed by EXPLAIN (FORMAT JSON)."""
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
    """Return the part that the scans of a plan need of the view whose columns have this prefix."""
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
    """The bounds that conditions on a view set for its records."""

    def __init__(self) -> None:
        self.first, self.last = 0, END_OF_FILE
        self.options: dict[str, str] = {}

    def rba(self, match: re.Match[str]) -> None:
        sign, number = match["sign"], match["number"]
        if number and sign in _FROM:
            self.first = max(self.first, int(number) + (sign == ">"))
        if number and sign in _UP_TO:
            self.last = min(self.last, int(number) - (sign == "<"))

    def time(self, match: re.Match[str]) -> None:
        if not match["time"] or not match["text"].endswith("+00"):
            return
        moment = match["text"].removesuffix("+00").replace(" ", "T") + "Z"
        if match["sign"] in _FROM:
            self.options["startTimestamp"] = moment
        if match["sign"] in _UP_TO:
            # The first time in a file header is that of the first change; records before it are earlier.
            self.options |= {"endTimestamp": moment, "skipFiles": "false"}

    def table(self, match: re.Match[str]) -> None:
        if match["sign"] == "=" and match["text"] and not _WILD.search(match["text"]):
            self.options["table"] = match["text"]

    def csn(self, match: re.Match[str]) -> None:
        """Use equality only: SQL compares CSNs as texts, a trail orders them as numbers."""
        if match["sign"] == "=" and match["text"] and match["text"].isdecimal():
            self.options |= {"startCsn": match["text"], "endCsn": match["text"]}

    def types(self, matches: Sequence[re.Match[str]]) -> None:
        """Select the record types that any of the conditions allows, if all are recognized."""
        types = [_types_of(match) for match in matches]
        if all(types):
            numbers = sorted(number for group in types for number in group)
            self.options["where"] = f"IOTYPE {','.join(map(str, numbers))}"


def _types_of(match: re.Match[str]) -> tuple[int, ...]:
    """Return the record types that a condition on ``op`` or ``op_code`` allows; empty if it is not recognized."""
    if match["sign"] != "=":
        return ()
    if match["number"]:
        number = int(match["number"])
        return (number,) if number in IO_TYPES else ()
    names = [*IO_TYPES.items(), *ROW_OPERATIONS.items()]
    return tuple(number for number, name in names if name == match["text"])


def _narrowed(columns: frozenset[str], prefix: str, conditions: tuple[str, ...]) -> Narrowed:
    bounds = _Bounds()
    for condition in conditions:
        candidates = [_CONDITION.fullmatch(alternative) for alternative in alternatives(condition)]
        matches = [match for match in candidates if match is not None and match["column"].startswith(prefix)]
        names = {match["column"].removeprefix(prefix) for match in matches}
        if len(matches) < len(candidates) or len(names) != 1:
            continue
        [name] = names
        if name in _OF_TYPES:
            bounds.types(matches)
        elif name in _BY_COLUMN and len(matches) == 1:
            _BY_COLUMN[name](bounds, matches[0])
    return Narrowed(columns, RbaRange(bounds.first, bounds.last), bounds.options)


_BY_COLUMN = {"rba": _Bounds.rba, "time": _Bounds.time, "table": _Bounds.table, "csn": _Bounds.csn}
_OF_TYPES = frozenset({"op", "op_code"})
