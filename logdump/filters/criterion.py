"""One criterion of a filter, the option of FILTER that creates it, and criteria that only commands create.

A criterion is plain data: a frozen dataclass that can be hashed and pickled. It computes which rows of a batch satisfy
it.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from logdump.notation.times import TimeOffset

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask
    from trailformat.transactions.not_applied import Ranges


class Needs(enum.Flag):
    """The parts of records that a criterion reads, so that a scan can omit the others."""

    NOTHING = 0
    HEADER = enum.auto()
    NAME = enum.auto()
    DATA = enum.auto()
    TOKENS = enum.auto()
    TRANSACTION = enum.auto()
    """LOGCSN or TRANID, inherited from the first record of the transaction."""
    VALUES = enum.auto()
    """The values of columns, which need the table's definition."""


@dataclass(frozen=True)
class Criterion(ABC):
    """A condition on records.

    Class attributes: ``keyword`` is the option that creates it, ``label`` its name in SHOW FILTER, ``is_numbered``
    whether the first of its kind has ``-0`` there (``Filename-0``, but ``Rectypes``), ``is_slow`` whether it reads
    records or decodes values, so that it should be applied to few rows.
    """

    keyword: ClassVar[str]
    label: ClassVar[str]
    is_numbered: ClassVar[bool] = True
    is_slow: ClassVar[bool] = False
    uses: ClassVar[Needs] = Needs.NOTHING
    source: str = field(default="", kw_only=True, compare=False, repr=False)
    """The option and its values, as entered."""

    @property
    def statement(self) -> str:
        """The option that creates this criterion if times are GMT; empty for a criterion not created from text."""
        return self.source

    @property
    def needs(self) -> Needs:
        """The parts of records that :meth:`mask` reads."""
        return self.uses

    @abstractmethod
    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows that satisfy this criterion; a part that cannot be decoded, or is absent, never does.

        Raises:
            CannotRead: the file can no longer be read, or was truncated.
        """

    @abstractmethod
    def describe(self) -> list[tuple[str, ...]]:
        """Return the lines of SHOW FILTER: for each value the text after the label, then any further lines."""


def combined_mask(criteria: Iterable[Criterion], rows: FilterRows, *, is_all: bool) -> Mask:
    """Return the rows that satisfy all criteria, or any; slow ones last, to rows that are still undecided."""
    mask = rows.among if is_all else rows.none()
    for criterion in sorted(criteria, key=lambda criterion: criterion.is_slow):
        if is_all:
            mask = mask & criterion.mask(rows.only(mask))
        else:
            mask = mask | criterion.mask(rows.only(rows.among & ~mask))
    return mask


class Holds(enum.Enum):
    """The kind of an option's values, for completion."""

    OTHER = "other"
    TABLES = "tables"
    TYPES = "types"


Parser = Callable[[str, TimeOffset], Criterion]


@dataclass(frozen=True)
class Option:
    """An option of FILTER, as HELP lists it.

    Attributes:
        keyword: its keyword; ``aliases`` are other words for it.
        syntax: the whole option as in HELP or the manual, keyword first.
        help: a line that describes the comparison.
        example: an option as a user would write it.
        parse: creates the criterion from the text after the keyword; raises FilterError.
        needs: the parts of records that its criteria may read.
        holds: the kind of its values.
    """

    keyword: str
    syntax: str
    help: str
    example: str
    parse: Parser
    needs: Needs
    aliases: tuple[str, ...] = ()
    holds: Holds = Holds.OTHER

    @property
    def words(self) -> tuple[str, ...]:
        """The keyword and its aliases."""
        return (self.keyword, *self.aliases)


@dataclass(frozen=True, eq=False)
class Effective(Criterion):
    """All records of a file except the rows of transactions that are not applied; ``not_applied`` are their ranges."""

    not_applied: Ranges
    keyword: ClassVar[str] = "EFFECTIVE"
    label: ClassVar[str] = "Effective"

    def mask(self, rows: FilterRows) -> Mask:
        """See Criterion."""
        return ~rows.not_applied(self.not_applied)

    def describe(self) -> list[tuple[str, ...]]:
        """See Criterion."""
        return [("transactions that a Replicat applies",)]


@dataclass(frozen=True)
class AtPlaces(Criterion):
    """The records at these RBAs."""

    rbas: frozenset[int]
    keyword: ClassVar[str] = "PLACES"
    label: ClassVar[str] = "Places"

    def mask(self, rows: FilterRows) -> Mask:
        """See Criterion."""
        return rows.any_of("rba", self.rbas)

    def describe(self) -> list[tuple[str, ...]]:
        """See Criterion."""
        return [(f"{len(self.rbas)} places",)]
