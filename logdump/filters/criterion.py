"""One criterion of a filter, the option of FILTER that makes it, and criteria that only commands make.

A criterion is plain data: a frozen dataclass that can be hashed and pickled. It computes which rows of a batch meet it.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from logdump.notation.times import TimeOffset

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask
    from trailformat.transactions.not_applied import Ranges


class Needs(enum.Flag):
    """The parts of records that a criterion looks at, so that a scan can leave out the others."""

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

    Class attributes: ``keyword`` is the option that makes it, ``label`` what SHOW FILTER calls it, ``is_numbered``
    whether the first of its kind carries ``-0`` there (``Filename-0``, but ``Rectypes``), ``is_slow`` whether it reads
    records or decodes values, so that it is better decided about few rows.
    """

    keyword: ClassVar[str]
    label: ClassVar[str]
    is_numbered: ClassVar[bool] = True
    is_slow: ClassVar[bool] = False
    uses: ClassVar[Needs] = Needs.NOTHING
    source: str = field(default="", kw_only=True, compare=False, repr=False)
    """The option and its values as they were entered."""

    @property
    def statement(self) -> str:
        """An option that makes this criterion where times are GMT; empty for one that was not made from text."""
        return self.source

    @property
    def needs(self) -> Needs:
        """The parts of records that :meth:`mask` looks at."""
        return self.uses

    @abstractmethod
    def mask(self, rows: FilterRows) -> Mask:
        """The rows that meet this criterion; a part that cannot be decoded, or is absent, never does.

        Raises:
            NotATrail: the file cannot be read any more, or has become shorter.
        """

    @abstractmethod
    def describe(self) -> list[tuple[str, ...]]:
        """The lines of SHOW FILTER: for each value the text after the label, then any lines of its own."""


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
        keyword: its word; ``aliases`` are others for it.
        syntax: the whole option as HELP or the manual writes it, keyword first.
        help: what it compares, in one line.
        example: an option as a user would write it.
        parse: makes the criterion from the text after the keyword; raises FilterError.
        needs: what its criteria may decode.
        holds: what its values are.
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
    """All records of a file except the rows of transactions that are not applied, whose ranges are ``not_applied``."""

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
