"""What can be asked of a trail: from where, which way, how many, through which filter."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.simulated.plain_reader import PlainRecord

Holds = Callable[[PlainRecord], bool]


class Feature(enum.Flag):
    """What a question can have that not everybody understands."""

    FILTER = enum.auto()
    START = enum.auto()
    LIMIT = enum.auto()
    REVERSE = enum.auto()
    CUT = enum.auto()


class Criterion(NamedTuple):
    """One criterion of FILTER, and what it says of a record, by hand."""

    statement: str
    holds: Holds


class Filter(NamedTuple):
    """Criteria to include and to exclude, each set with its MATCH."""

    include: tuple[Criterion, ...] = ()
    exclude: tuple[Criterion, ...] = ()
    include_all: bool = False
    exclude_all: bool = False

    @property
    def statements(self) -> list[str]:
        """The statements of FILTER that say it."""
        words = [f"INCLUDE {criterion.statement}" for criterion in self.include]
        words += [f"EXCLUDE {criterion.statement}" for criterion in self.exclude]
        words += ["MATCH ALL"] * self.include_all + ["EXCLUDE MATCH ALL"] * self.exclude_all
        return words if self.include or self.exclude else []

    def passes(self, record: PlainRecord) -> bool:
        """Whether the record meets what is to be included, and not what is to be excluded."""
        include = [criterion.holds(record) for criterion in self.include]
        exclude = [criterion.holds(record) for criterion in self.exclude]
        is_in = not include or (all(include) if self.include_all else any(include))
        is_out = bool(exclude) and (all(exclude) if self.exclude_all else any(exclude))
        return is_in and not is_out


class Question(NamedTuple):
    """One question.

    Attributes:
        number: of the record to begin with, or before in reverse; None: the first, or behind the last in reverse.
        rba: where that record begins, or the file ends.
        limit: at most so many records; None for all.
        is_backwards: the last record first.
        statements: of FILTER.
        is_cut: whether the file ends in the middle of a record.
        source: what SOURCEDEFS is told.
    """

    number: int | None = None
    rba: int = 0
    limit: int | None = None
    is_backwards: bool = False
    statements: Sequence[str] = ()
    is_cut: bool = False
    source: str = "off"

    @property
    def features(self) -> Feature:
        """What one has to understand to answer."""
        features = {
            Feature.FILTER: bool(self.statements),
            Feature.START: self.number is not None,
            Feature.LIMIT: self.limit is not None,
            Feature.REVERSE: self.is_backwards,
            Feature.CUT: self.is_cut,
        }
        return Feature(sum(feature.value for feature, has in features.items() if has))

    @property
    def is_from_end(self) -> bool:
        """Whether it begins behind the last record."""
        return self.number is None and self.is_backwards

    @property
    def settings(self) -> str:
        """The commands that set filter and definitions."""
        return "; ".join(
            ["timeoffset gmt", f"sourcedefs {self.source}", *(f"filter {statement}" for statement in self.statements)]
        )

    @property
    def place(self) -> str:
        """The commands that go to where it begins."""
        return f"pos {'eof' if self.is_from_end else self.rba}; pos {'reverse' if self.is_backwards else 'forward'}"

    @property
    def most(self) -> int:
        """A number for commands that need one."""
        return 99999 if self.limit is None else self.limit


def answer(
    records: Sequence[PlainRecord], question: Question, passes: Holds, counts: Holds | None = None
) -> list[PlainRecord]:
    """The records of a file that a question is about, in the order of reading; the limit counts those that count."""
    at = question.number if question.number is not None else len(records) if question.is_backwards else 0
    walk = records[:at][::-1] if question.is_backwards else records[at:]
    return [record for record in walk if passes(record) and (counts is None or counts(record))][: question.limit]
