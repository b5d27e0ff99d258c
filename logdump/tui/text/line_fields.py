"""The fields of a record that a line of its display shows, by the words that Logdump prints in front of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logdump.tui.text.record_fields import RecordField
from logdump.tui.text.styled import Line

_LABEL = re.compile(
    r"(Hdr-Ind|Partition|UndoFlag|BeforeAfter|RecLength|IO Time|IOType|OrigNode|TransInd|FormatType"
    r"|SyskeyLen|Incomplete|AuditRBA|AuditPos|Continued|RecCount) *:"
)
_DEFINITION_INDEX = "DDR/TDR index:"
_COLUMN = re.compile(r"(?:Column|KeyCol) +([0-9]+) \(")
_TOKEN = re.compile(r"TokenID x[0-9a-f]{2} '.' ")


def with_fields(lines: Iterable[Line], fields: list[RecordField]) -> Iterator[Line]:
    """The lines of a record's display, each with the names of the fields that it shows."""
    columns = iter([field.name for field in fields if field.kind == "column"])
    tokens = iter([field.name for field in fields if field.kind == "token"])
    data = "Data" if any(field.kind == "data" for field in fields) else ""
    current = ""
    for one in lines:
        text = one.text
        if _COLUMN.match(text):
            current = next(columns, "")
        elif _TOKEN.match(text):
            current = next(tokens, "")
        elif not text.startswith(" "):
            current = ""
        elif not current:
            current = data
        names = [current] if current else list(_named(text))
        yield one._replace(fields=tuple(names))


def _named(text: str) -> Iterator[str]:
    """The fields of a line of the GHDR block, or of the lines about the record."""
    if _DEFINITION_INDEX in text:
        yield "AuditRBA"
    yield from _LABEL.findall(text)
    if text.startswith("Name:"):
        yield "Name"
    elif text.startswith(("After  Image:", "Before Image:")):
        yield from ("BeforeAfter", "Partition", "TransInd")
