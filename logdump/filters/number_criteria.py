"""Numbers of a record compared with one value: RBA, RECLEN, AUDITRBA, TRANSIND, SYSKEYLEN, UNDOFLAG, SYSKEY.

Option      looks at
RBA         where the record starts in its file
RECLEN      what the display calls Len: the length of the record data
SYSKEY      the first SyskeyLen bytes of the data, big-endian and unsigned ([manual]: 4 or 8 bytes, NonStop)
the others  the header field of that name
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from logdump.filters.comparison import Comparison, split_comparison
from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.errors import FilterError
from logdump.filters.subject import Subject
from logdump.filters.words import quoted, whole_number
from logdump.notation.times import TimeOffset

TRANS_INDS = {"FIRST": 0, "MIDDLE": 1, "LAST": 2, "END": 2, "ONLY": 3, "WHOLE": 3}
"""Words for TransInd (ours); the numbers are documented."""
_LONGEST_SYSKEY = 8


@dataclass(frozen=True)
class NumberCriterion(Criterion):
    """A number of the record, compared."""

    comparison: Comparison
    value: int
    uses: ClassVar[Needs] = Needs.HEADER

    @abstractmethod
    def number(self, subject: Subject) -> int | None:
        """The record's number, None when it has none; raises TrailError like the record."""

    def test(self, subject: Subject) -> bool:
        """Whether the number compares so."""
        number = self.number(subject)
        return number is not None and self.comparison.holds(number, self.value)

    def describe(self) -> list[tuple[str, ...]]:
        """Operator and value."""
        return [(f"{self.comparison.value} {self.value}",)]


@dataclass(frozen=True)
class Rba(NumberCriterion):
    """RBA."""

    keyword: ClassVar[str] = "RBA"
    label: ClassVar[str] = "RBA"
    uses: ClassVar[Needs] = Needs.NOTHING

    def number(self, subject: Subject) -> int:
        """The RBA of the record."""
        return subject.record.rba


@dataclass(frozen=True)
class RecLen(NumberCriterion):
    """RECLEN."""

    keyword: ClassVar[str] = "RECLEN"
    label: ClassVar[str] = "Reclen"

    def number(self, subject: Subject) -> int:
        """The length of the data, also of a file header."""
        return subject.record.data_length


@dataclass(frozen=True)
class HeaderNumber(NumberCriterion):
    """A field of the record header, by its name in :class:`trailformat.RecordHeader`."""

    field: ClassVar[str]

    def number(self, subject: Subject) -> int:
        """The field."""
        value: int = getattr(subject.record.header, self.field)
        return value


@dataclass(frozen=True)
class AuditRba(HeaderNumber):
    """AUDITRBA."""

    keyword: ClassVar[str] = "AUDITRBA"
    label: ClassVar[str] = "AuditRBA"
    field: ClassVar[str] = "audit_rba"


@dataclass(frozen=True)
class TransInd(HeaderNumber):
    """TRANSIND."""

    keyword: ClassVar[str] = "TRANSIND"
    label: ClassVar[str] = "TransInd"
    field: ClassVar[str] = "trans_ind"


@dataclass(frozen=True)
class SyskeyLen(HeaderNumber):
    """SYSKEYLEN."""

    keyword: ClassVar[str] = "SYSKEYLEN"
    label: ClassVar[str] = "SyskeyLen"
    field: ClassVar[str] = "syskey_len"


@dataclass(frozen=True)
class UndoFlag(HeaderNumber):
    """UNDOFLAG."""

    keyword: ClassVar[str] = "UNDOFLAG"
    label: ClassVar[str] = "UndoFlag"
    field: ClassVar[str] = "undo_flag"


@dataclass(frozen=True)
class Syskey(NumberCriterion):
    """SYSKEY."""

    keyword: ClassVar[str] = "SYSKEY"
    label: ClassVar[str] = "Syskey"
    uses: ClassVar[Needs] = Needs.HEADER | Needs.DATA

    def number(self, subject: Subject) -> int | None:
        """The key; None when the record has none, or less data than its key."""
        size = subject.record.header.syskey_len
        if not 0 < size <= _LONGEST_SYSKEY:
            return None
        key = subject.record.head("D", size)
        return int.from_bytes(key, "big") if len(key) == size else None


def _parse(kind: type[NumberCriterion], words: Mapping[str, int], text: str, _offset: TimeOffset) -> Criterion:
    comparison, value = split_comparison(text)
    if value.upper() in words:
        return kind(comparison, words[value.upper()])
    if words and value.isalpha():
        raise FilterError(f"no word {quoted(value)}; there are {' '.join(words)}")
    return kind(comparison, whole_number(value))


_NO_WORDS: Mapping[str, int] = {}
_LISTED: tuple[tuple[type[NumberCriterion], str, str, str, Mapping[str, int]], ...] = (
    (Rba, "<nnnnnnnn>", "byte address of the record in its file", ">= 2014", _NO_WORDS),
    (RecLen, "<nn>", "length of the record data", ">= 1000", _NO_WORDS),
    (AuditRba, "<nnnnnnnn>", "AuditRBA of the header", "519", _NO_WORDS),
    (
        TransInd,
        "<nn | FIRST | MIDDLE | LAST | ONLY>",
        "place in the transaction: 0 first, 1 middle, 2 last, 3 only",
        "LAST",
        TRANS_INDS,
    ),
    (Syskey, "<32/64-bit syskey>", "NonStop key", "4294967302", _NO_WORDS),
    (SyskeyLen, "<nn>", "SyskeyLen of the header", "> 0", _NO_WORDS),
    (UndoFlag, "<nn>", "UndoFlag of the header: 0 normal, 1 backed out", "1", _NO_WORDS),
)
"""Each criterion with the syntax of its value, its help, an example and the words for its numbers."""

OPTIONS = tuple(
    Option(
        kind.keyword,
        f"{kind.keyword} [<comparison>] {syntax}",
        text,
        f"{kind.keyword} {example}",
        partial(_parse, kind, words),
        kind.uses,
    )
    for kind, syntax, text, example, words in _LISTED
)
