"""Numbers of a record compared with one value: RBA, RECLEN, AUDITRBA, TRANSIND, SYSKEYLEN, UNDOFLAG, SYSKEY.

Option      compares
RBA         the offset of the record in its file
RECLEN      the length of the record data, Len in the display
SYSKEY      the first SyskeyLen bytes of the data, big-endian and unsigned ([manual]: 4 or 8 bytes, NonStop)
the others  the header field of that name
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from logdump.filters.comparison import Comparison, split_comparison
from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.words import FilterError, quoted, whole_number
from logdump.notation.times import TimeOffset
from trailformat import Record

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

TRANS_INDS = {"FIRST": 0, "MIDDLE": 1, "LAST": 2, "END": 2, "ONLY": 3, "WHOLE": 3}
"""Words for TransInd (ours); the numbers are documented."""
_LONGEST_SYSKEY = 8


@dataclass(frozen=True)
class NumberCriterion(Criterion):
    """A comparison of a number of the record."""

    comparison: Comparison
    value: int
    uses: ClassVar[Needs] = Needs.HEADER

    def holds(self, numbers: Any) -> Any:
        """Return whether a number satisfies the comparison; for an array, a mask."""
        return self.comparison.holds(numbers, self.value)

    def describe(self) -> list[tuple[str, ...]]:
        """Return operator and value."""
        return [(f"{self.comparison.value} {self.value}",)]


@dataclass(frozen=True)
class Rba(NumberCriterion):
    """FILTER RBA: compares the RBA of a record."""

    keyword: ClassVar[str] = "RBA"
    label: ClassVar[str] = "RBA"
    uses: ClassVar[Needs] = Needs.NOTHING

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows whose RBA satisfies the comparison."""
        return self.holds(rows.column("rba"))


@dataclass(frozen=True)
class RecLen(NumberCriterion):
    """FILTER RECLEN: compares the record length."""

    keyword: ClassVar[str] = "RECLEN"
    label: ClassVar[str] = "Reclen"

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows whose length of data satisfies the comparison; this includes a file header."""
        return self.holds(rows.column("record_length"))


@dataclass(frozen=True)
class ColumnNumber(NumberCriterion):
    """A field of the record header that is a column of batches."""

    field: ClassVar[str]

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records whose field satisfies the comparison."""
        return self.holds(rows.column(self.field)) & rows.is_record


@dataclass(frozen=True)
class AuditRba(ColumnNumber):
    """FILTER AUDITRBA: compares the header field AuditRBA."""

    keyword: ClassVar[str] = "AUDITRBA"
    label: ClassVar[str] = "AuditRBA"
    field: ClassVar[str] = "audit_rba"


@dataclass(frozen=True)
class TransInd(ColumnNumber):
    """FILTER TRANSIND: compares the header field TransInd."""

    keyword: ClassVar[str] = "TRANSIND"
    label: ClassVar[str] = "TransInd"
    field: ClassVar[str] = "trans_ind"


@dataclass(frozen=True)
class HeaderNumber(NumberCriterion):
    """Any other field of the record header, by its name in :class:`trailformat.RecordHeader`."""

    field: ClassVar[str]
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records whose field satisfies the comparison."""
        return rows.by_record(lambda record: bool(self.holds(getattr(record.header, self.field))))


@dataclass(frozen=True)
class SyskeyLen(HeaderNumber):
    """FILTER SYSKEYLEN: compares the header field SyskeyLen."""

    keyword: ClassVar[str] = "SYSKEYLEN"
    label: ClassVar[str] = "SyskeyLen"
    field: ClassVar[str] = "syskey_len"


@dataclass(frozen=True)
class UndoFlag(HeaderNumber):
    """FILTER UNDOFLAG: compares the header field UndoFlag."""

    keyword: ClassVar[str] = "UNDOFLAG"
    label: ClassVar[str] = "UndoFlag"
    field: ClassVar[str] = "undo_flag"


@dataclass(frozen=True)
class Syskey(NumberCriterion):
    """FILTER SYSKEY: compares the system key in the record data."""

    keyword: ClassVar[str] = "SYSKEY"
    label: ClassVar[str] = "Syskey"
    uses: ClassVar[Needs] = Needs.HEADER | Needs.DATA
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records whose key satisfies the comparison; a record without the whole key does not."""
        return rows.by_record(self._key_holds)

    def _key_holds(self, record: Record) -> bool:
        size = record.header.syskey_len
        if not 0 < size <= _LONGEST_SYSKEY:
            return False
        key = record.head("D", size)
        return len(key) == size and bool(self.holds(int.from_bytes(key, "big")))


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
"""Each criterion with the syntax of its value, its help, an example, and words for its numbers."""

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
