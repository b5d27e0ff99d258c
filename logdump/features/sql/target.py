"""Where the rows of a statement go: into a file after TO, or to be printed in the format after FORMAT."""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import NamedTuple

from trailformat.codec.remote.path import place

_FILE = re.compile(
    r"""\sTO\s+(?:"(?P<quoted>[^"]+)"|(?P<plain>[^\s"';]+))(?P<replace>\s+REPLACE)?\s*$""", re.IGNORECASE
)
_FORMAT = re.compile(r"\sFORMAT\s+(?P<name>CSV|JSONL)\s*$", re.IGNORECASE)
_ENDINGS = (".parquet", ".csv", ".jsonl")


class Output(NamedTuple):
    """The file that a result goes to, and whether it may replace one."""

    path: Path
    replaces: bool


class LineFormat(enum.Enum):
    """The lines that a result is printed as."""

    CSV = "CSV"
    JSONL = "JSONL"


def split_target(statement: str) -> tuple[str, Output | LineFormat | None]:
    """A statement, and what ``TO <file> [REPLACE]`` or ``FORMAT {CSV | JSONL}`` at its end says: no query ends so."""
    format_ = _FORMAT.search(statement)
    if format_ is not None:
        return statement[: format_.start()], LineFormat(format_["name"].upper())
    found = _FILE.search(statement)
    name = (found["quoted"] or found["plain"]) if found else ""
    if found is None or not name.lower().endswith(_ENDINGS):
        return statement, None
    return statement[: found.start()], Output(place(name).expanduser().absolute(), found["replace"] is not None)
