"""RECTYPE and IOTYPE: the type of the record, by number or name.

Both compare the same number (no difference between them is known); names are accepted in any case, in every spelling of
``trailformat.records.record_header``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.criterion import Criterion, Holds, Needs, Option
from logdump.filters.words import FilterError, quoted, split_list
from logdump.notation.times import TimeOffset
from logdump.notation.values import unquote
from trailformat import IO_TYPES, io_type_name, io_type_number

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_LONGEST = 64


@dataclass(frozen=True)
class RecType(Criterion):
    """FILTER RECTYPE: any of several record types."""

    types: tuple[int, ...]
    keyword: ClassVar[str] = "RECTYPE"
    label: ClassVar[str] = "Rectypes"
    is_numbered: ClassVar[bool] = False
    uses: ClassVar[Needs] = Needs.HEADER

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records of one of the types; a file header has no type."""
        return rows.any_of("io_type", self.types)

    def describe(self) -> list[tuple[str, ...]]:
        """Return the names of the types, in one line."""
        return [(", ".join(io_type_name(number) for number in self.types),)]


@dataclass(frozen=True)
class IoType(RecType):
    """FILTER IOTYPE: RECTYPE under another name."""

    keyword: ClassVar[str] = "IOTYPE"
    label: ClassVar[str] = "IOtypes"


def _parse(kind: type[RecType], text: str, _offset: TimeOffset) -> Criterion:
    return kind(tuple(_type(unquote(value)) for value in split_list(text)))


def _type(text: str) -> int:
    text = " ".join(text.split())
    number = io_type_number(text) if len(text) <= _LONGEST else None
    if number is None:
        names = {name.upper(): name for name in IO_TYPES.values()}
        near = [names[spelling] for spelling in difflib.get_close_matches(text[:_LONGEST].upper(), names, n=3)]
        hint = f"; nearest: {', '.join(near)}" if near else "; SHOW RECTYPE lists them"
        raise FilterError(f"no record type {quoted(text)}{hint}")
    return number


OPTIONS = (
    Option(
        "RECTYPE",
        "RECTYPE <type number | type name> [, ...]",
        "record type; up to 32. UPSERT is 140, whose name in Logdump is not known",
        "RECTYPE 5",
        partial(_parse, RecType),
        Needs.HEADER,
        holds=Holds.TYPES,
    ),
    Option(
        "IOTYPE",
        "IOTYPE <type number | type name> [, ...]",
        "same as RECTYPE",
        "IOTYPE Insert",
        partial(_parse, IoType),
        Needs.HEADER,
        holds=Holds.TYPES,
    ),
)
