r"""FILENAME and ANSINAME: the name of the table.

FILENAME takes wildcards and ignores case, ANSINAME is exact ([manual]: case-sensitive; that FILENAME ignores case is
ours, after GoldenGate's own TABLE and MAP). A record without a name satisfies neither, whatever the pattern. A FILENAME
without ``\NODE.`` is also applied to a NonStop name without its node: the manual filters on
``$QA01.QAESRC.ACCTN``, and its trails contain ``\TRILL.$QA01.QASRC.ACCTN``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.criterion import Criterion, Holds, Needs, Option
from logdump.filters.words import FilterError, quoted, split_list
from logdump.notation.text import matches
from logdump.notation.times import TimeOffset
from logdump.notation.values import is_quoted, unquote

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_MAX_NAME = 1024


@dataclass(frozen=True)
class NameCriterion(Criterion):
    """A criterion that is satisfied by any of several names."""

    names: tuple[str, ...]
    uses: ClassVar[Needs] = Needs.NAME

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows whose name matches; changes without a known table are in doubt, unless no name matches."""
        mask = rows.named(self.fits)
        return mask if self.fits("") else rows.in_doubt(mask, rows.nameless_changes)

    @abstractmethod
    def fits(self, name: str) -> bool:
        """Return True if a name matches; the empty name never does."""

    def describe(self) -> list[tuple[str, ...]]:
        """Return the names, in one line."""
        return [(", ".join(self.names),)]


@dataclass(frozen=True)
class FileName(NameCriterion):
    """FILTER FILENAME: patterns with ``*`` and ``?``, regardless of case."""

    keyword: ClassVar[str] = "FILENAME"
    label: ClassVar[str] = "Filename"

    def fits(self, name: str) -> bool:
        """Return True if a pattern matches the name."""
        return bool(name) and any(_matches(pattern, name) for pattern in self.names)


def _matches(pattern: str, name: str) -> bool:
    if name.startswith("\\"):
        _, _, without_node = name.partition(".")
        if matches(pattern, without_node, case_sensitive=False):
            return True
    return matches(pattern, name, case_sensitive=False)


@dataclass(frozen=True)
class AnsiName(NameCriterion):
    """FILTER ANSINAME: exact names."""

    keyword: ClassVar[str] = "ANSINAME"
    label: ClassVar[str] = "Ansiname"

    def fits(self, name: str) -> bool:
        """Return True if the name is one of the names."""
        return bool(name) and name in self.names


@dataclass(frozen=True)
class TableName(NameCriterion):
    """FILE of COUNT, which is not an option of FILTER: patterns, regardless of case, applied to the unchanged name."""

    keyword: ClassVar[str] = "FILE"
    label: ClassVar[str] = "File"

    def fits(self, name: str) -> bool:
        """Return True if a pattern matches; ``*`` matches the empty name too."""
        return any(matches(pattern, name, case_sensitive=False) for pattern in self.names)


def _parse(kind: type[NameCriterion], text: str, _offset: TimeOffset) -> Criterion:
    return kind(tuple(_name(value) for value in split_list(text)))


def _name(text: str) -> str:
    if not is_quoted(text) and len(text.split()) > 1:
        raise FilterError(f"{quoted(text)} is more than one name; separate names with commas")
    name = unquote(text)
    if not 0 < len(name) <= _MAX_NAME:
        raise FilterError(f"a name has 1 to {_MAX_NAME} characters")
    return name


OPTIONS = (
    Option(
        "FILENAME",
        "FILENAME <template> [, <template>] ...",
        "table or file name, * and ? allowed, case aside; up to 32",
        "FILENAME hr.*",
        partial(_parse, FileName),
        Needs.NAME,
        aliases=("FILE",),
        holds=Holds.TABLES,
    ),
    Option(
        "ANSINAME",
        "ANSINAME <name> [, <name>] ...",
        "exact table name, case-sensitive; up to 32",
        "ANSINAME HR.REGIONS",
        partial(_parse, AnsiName),
        Needs.NAME,
        holds=Holds.TABLES,
    ),
)
