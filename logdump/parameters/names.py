"""Names in parameter files: one to three parts, with wildcards, quoted if case counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from logdump.parameters.lexer import Lexeme, LexemeKind

NAME_PARTS = ("name", "owner", "catalog")
MOST_PARTS = len(NAME_PARTS)
MOST_CHARACTERS = 1000
_SPECIAL = frozenset("*?\\")
_PIECE = re.compile(r"\\(?P<escaped>[*?\\])|(?P<wildcard>[*?])|(?P<text>[^*?\\]+|\\)")


class ObjectName(NamedTuple):
    """The name of an object as a database stores it; empty parts are not known, ``link`` is a link to another database.

    ``plain`` are the parts that a statement has without quotes: the database folds them to upper or lower case.
    """

    name: str
    owner: str = ""
    catalog: str = ""
    link: str = ""
    plain: tuple[str, ...] = ()

    def __str__(self) -> str:
        name = ".".join(part for part in (self.catalog, self.owner, self.name) if part)
        return f"{name}@{self.link}" if self.link else name


class NamePart(NamedTuple):
    """One part of a name; case counts if it is exact."""

    text: str
    is_exact: bool = False

    @property
    def has_wildcard(self) -> bool:
        """True if it may match several names."""
        return any(match["wildcard"] for match in _PIECE.finditer(self.text))

    def fits(self, text: str, *, is_plain: bool = False) -> bool:
        """Return True if it matches ``text``; if the text is plain, as folded by Oracle or by PostgreSQL."""
        if is_plain and self.is_exact:
            return self.fits(text.upper()) or self.fits(text.lower())
        if not _SPECIAL.intersection(self.text):
            return self.text == text or (not self.is_exact and self.text.lower() == text.lower())
        return _compile(self.text, is_exact=self.is_exact).fullmatch(text) is not None

    def filled(self, text: str) -> str:
        """Return it as a part of a target: ``*`` is replaced by ``text``."""
        return "".join(
            text if match["wildcard"] == "*" else match["escaped"] or match[0] for match in _PIECE.finditer(self.text)
        )


@lru_cache(maxsize=1 << 14)
def _compile(pattern: str, *, is_exact: bool) -> re.Pattern[str]:
    """Return a regular expression that never backtracks over an earlier ``*``, as in ``notation.text``."""
    runs = [""]
    for match in _PIECE.finditer(pattern):
        if match["wildcard"] == "*":
            runs.append("")
        else:
            runs[-1] += "." if match["wildcard"] else re.escape(match["escaped"] or match[0])
    first, *others = runs
    middle = "".join(f"(?>.*?{run})" for run in others[:-1] if run)
    expression = f"{first}{middle}.*{others[-1]}" if others else first
    return re.compile(expression, re.DOTALL if is_exact else re.DOTALL | re.IGNORECASE)


class NamePattern(NamedTuple):
    """A name in a parameter file, ``[[catalog.]schema.]object``, with ``parts`` in this order."""

    parts: tuple[NamePart, ...]
    text: str

    @property
    def has_wildcard(self) -> bool:
        """True if it may match several names."""
        return any(part.has_wildcard for part in self.parts)

    def in_catalog(self, catalog: NamePart | None) -> NamePattern:
        """Return a name of two parts with the catalog of SOURCECATALOG before it."""
        return (
            self
            if catalog is None or len(self.parts) != MOST_PARTS - 1
            else self._replace(parts=(catalog, *self.parts))
        )

    def fits(self, name: ObjectName, *, any_empty: Iterable[str] = ()) -> bool:
        """Return True if it matches ``name``; an unknown catalog matches any, as does an empty part in ``any_empty``.

        A name of one part matches nothing: its schema is that of a login, which the file does not contain. Nothing
        matches an object of another database.
        """
        if name.link or len(self.parts) < MOST_PARTS - 1:
            return False
        *catalog, owner, last = self.parts
        return (
            (not catalog or not name.catalog or catalog[0].fits(name.catalog, is_plain="catalog" in name.plain))
            and (owner.fits(name.owner, is_plain="owner" in name.plain) if name.owner else "owner" in any_empty)
            and (last.fits(name.name, is_plain="name" in name.plain) if name.name else "name" in any_empty)
        )

    def target_of(self, name: ObjectName) -> ObjectName:
        """Return the name that this one, after TARGET, gives to the object ``name``."""
        *catalog, owner, last = (NamePart(""), *self.parts) if len(self.parts) == 1 else self.parts
        return ObjectName(
            last.filled(name.name), owner.filled(name.owner), catalog[0].filled(name.catalog) if catalog else ""
        )


def name_of(lexemes: Sequence[Lexeme], *, quotes_hold_names: bool = False) -> NamePattern | None:
    """Return the name that glued words and quoted texts form; None if they do not.

    ``quotes_hold_names``: a text in quotes is a whole name, in which case does not count (NOUSEANSISQLQUOTES).
    """
    parts, pieces = [""], list(lexemes)
    exact = [False]
    if len(pieces) == 1 and pieces[0].kind is not LexemeKind.WORD and quotes_hold_names:
        pieces = [pieces[0]._replace(kind=LexemeKind.WORD)]
    for lexeme in pieces:
        if lexeme.kind is LexemeKind.WORD:
            first, *others = lexeme.text.split(".")
            parts[-1] += first
            parts += others
            exact += [False] * len(others)
        elif lexeme.kind is LexemeKind.DOUBLE:
            parts[-1] += lexeme.text
            exact[-1] = True
        else:
            return None
    if not all(parts) or len(parts) > MOST_PARTS or sum(map(len, parts)) > MOST_CHARACTERS:
        return None
    return NamePattern(tuple(map(NamePart, parts, exact)), "".join(lexeme.written for lexeme in lexemes))
