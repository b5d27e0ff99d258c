"""Selection of objects by TABLE and MAP, scope OTHER, and replacement of names in a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from logdump.features.ddl.statement import DdlSubject, WrittenName
from logdump.notation.sql_tokens import SqlTokenizer, SqlTokenKind
from logdump.parameters.model import Rule
from logdump.parameters.names import MOST_PARTS, NAME_PARTS, NamePattern, ObjectName
from logdump.parameters.tree import Exclusion, ParameterFile, Switch, Taker

_ALL = frozenset(
    {
        "TABLE",
        "INDEX",
        "TRIGGER",
        "SEQUENCE",
        "MATERIALIZED VIEW",
        "VIEW",
        "FUNCTION",
        "PACKAGE",
        "PACKAGE BODY",
        "PROCEDURE",
        "SYNONYM",
        "PUBLIC SYNONYM",
    }
)
_WITH_PRIVILEGES = frozenset({"TABLE", "SEQUENCE", "MATERIALIZED VIEW"})
_CAN_BE_MAPPED = {
    **dict.fromkeys(("CREATE", "ALTER", "DROP", "RENAME"), _ALL),
    "COMMENT": frozenset({"TABLE"}),
    "TRUNCATE": frozenset({"TABLE"}),
    **dict.fromkeys(("GRANT", "REVOKE"), _WITH_PRIVILEGES),
    "ANALYZE": frozenset({"TABLE", "INDEX", "CLUSTER"}),
}
_NOT_MAPPABLE = re.compile(r"[\x00-\x1f\"'*?\\]")
"""Characters that TABLE and MAP cannot name; Oracle's documentation only says that there are some."""


def why_other(subject: DdlSubject) -> str | None:
    """Return why a statement has scope OTHER whatever TABLE and MAP say, None if it can be mapped."""
    if subject.object_type not in _CAN_BE_MAPPED.get(subject.operation, ()):
        return f"{subject.operation} {subject.object_type}".strip() + " cannot be mapped"
    not_mappable = next(
        (str(name) for name in (subject.base, subject.derived) if name and _NOT_MAPPABLE.search(str(name))), None
    )
    return f"{not_mappable} has characters that cannot be mapped" if not_mappable else None


TABLE, MAP = ("TABLE", "FILE"), ("MAP",)
_EXCLUDED_BY = {TABLE: "TABLEEXCLUDE", MAP: "MAPEXCLUDE"}
_FOR_ERRORS = frozenset({"EXCEPTIONSONLY", "MAPEXCEPTION"})
_PLAIN = re.compile(r"[^\W\d][\w$#]*+")
_MOST_NOT_CONVERTED = 20


class Takers(NamedTuple):
    """The statements that select an object; ``excluded`` is the first exclusion, if it rules out a statement."""

    matching: tuple[Taker, ...]
    excluded: Rule | None


def takers_of(
    name: ObjectName, file: ParameterFile, keywords: tuple[str, ...], globals_: ParameterFile | None = None
) -> Takers:
    """Return the TABLE or MAP statements that select an object; names without wildcards take precedence."""
    nodes = [*(globals_.nodes if globals_ else ()), *file.nodes]
    is_wildcard_only = any(isinstance(node, Switch) and node.keyword == "EXCLUDEWILDCARDOBJECTSONLY" for node in nodes)
    exclusions = [node.rule for node in nodes if isinstance(node, Exclusion) and _excludes(node, name, keywords)]
    fitting = [
        node for node in nodes if isinstance(node, Taker) and node.keyword in keywords and node.source.fits(name)
    ]
    takers = [taker for taker in fitting if not exclusions or (is_wildcard_only and not taker.source.has_wildcard)]
    named = [taker for taker in takers if not taker.source.has_wildcard]
    return Takers(tuple(named or takers), exclusions[0] if len(takers) < len(fitting) else None)


def _excludes(node: Exclusion, name: ObjectName, keywords: tuple[str, ...]) -> bool:
    if node.keyword == "CATALOGEXCLUDE":
        return bool(name.catalog) and node.pattern.parts[-1].fits(name.catalog, is_plain="catalog" in name.plain)
    if node.keyword == "SCHEMAEXCLUDE":
        *catalog, schema = node.pattern.parts
        return schema.fits(name.owner, is_plain="owner" in name.plain) and (
            not catalog or not name.catalog or catalog[0].fits(name.catalog, is_plain="catalog" in name.plain)
        )
    return node.keyword == _EXCLUDED_BY[keywords] and node.pattern.fits(name)


def ddl_takers(name: ObjectName, file: ParameterFile, globals_: ParameterFile | None = None) -> Takers:
    """Return the MAP statements that select DDL of an object: one for each target, without those for exceptions."""
    takers = takers_of(name, file, MAP, globals_)
    by_target: dict[ObjectName, Taker] = {}
    for taker in takers.matching:
        if taker.target is not None and not _FOR_ERRORS.intersection(taker.options):
            by_target.setdefault(taker.target.target_of(name), taker)
    return Takers(tuple(by_target.values()), takers.excluded)


class Replacing(NamedTuple):
    """A name that replaces another, and the pattern after TARGET that it comes from."""

    name: ObjectName
    pattern: NamePattern
    is_qualified: bool


def replaced(text: str, written: WrittenName, new: Replacing, sql: SqlTokenizer) -> str:
    """Return the statement with a name replaced by another, whose parts are quoted where necessary.

    A part is quoted if its pattern is, if a wildcard takes its value from a quoted part, or if it is not a plain name.
    """
    quote = next((token.text[0] for token in written.tokens if token.kind is SqlTokenKind.NAME), sql.quote)
    old = dict(zip(NAME_PARTS, reversed(written.tokens), strict=False))
    patterns = dict(zip(NAME_PARTS, reversed(new.pattern.parts), strict=False))
    pieces = []
    for part in _written_parts(written, new):
        value, pattern = getattr(new.name, part), patterns[part]
        was_quoted = part in old and old[part].kind is SqlTokenKind.NAME and pattern.has_wildcard
        must = was_quoted or pattern.is_exact or _PLAIN.fullmatch(value) is None
        pieces.append(f"{quote}{value.replace(quote, 2 * quote)}{quote}" if must else value)
    return text[: written.begin] + ".".join(pieces) + text[written.end :]


def _written_parts(written: WrittenName, new: Replacing) -> Iterator[str]:
    if len(written.tokens) == MOST_PARTS == len(new.pattern.parts):
        yield "catalog"
    if new.name.owner and new.is_qualified:
        yield "owner"
    yield "name"


def not_converted(text: str, source: ObjectName, target: ObjectName, sql: SqlTokenizer) -> tuple[str, ...]:
    """Return the names in a statement that still have the schema of the source, each once, in order; at most 20."""
    if source.owner.upper() in ("", target.owner.upper()) or source.owner.lower() not in text.lower():
        return ()
    names: dict[str, None] = {}
    for name in sql.names_of(text, source.owner):
        names[name] = None
        if len(names) == _MOST_NOT_CONVERTED:
            break
    return tuple(names)
