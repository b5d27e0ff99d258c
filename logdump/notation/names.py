"""Names of tables: parts with dots between them, in double quotes where one holds a dot, a blank or small letters."""

from __future__ import annotations

import re
from typing import NamedTuple

_PART = re.compile(r'(?:"[^"]*"|[^.])+')
_LISTED = re.compile(r'((?:"[^"]*"|[^,"])*),')


class TablePart(NamedTuple):
    """A part of a name, without its quotes; ``is_quoted`` if it had them, so that its spelling counts."""

    text: str
    is_quoted: bool = False


def written_parts(name: str) -> list[str]:
    """Return the parts of a name as they are written; a dot in double quotes is no separator."""
    return _PART.findall(name)


def listed_names(text: str) -> list[str]:
    """Return what is between the commas of a list, without blanks around it; one in double quotes is no separator."""
    parts = text.split(",") if text.count('"') % 2 else _LISTED.findall(f"{text},")
    return [name.strip() for name in parts]


def plain_parts(name: str) -> tuple[TablePart, ...]:
    """Return the parts of a name without their quotes; the name itself if it has none."""
    return tuple(map(_plain, written_parts(name))) or (TablePart(name),)


def _plain(part: str) -> TablePart:
    if len(part) > 1 and part[0] == part[-1] == '"':
        return TablePart(part[1:-1].replace('""', '"'), is_quoted=True)
    return TablePart(part)
