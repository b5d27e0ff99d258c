"""BEGINS: the begins of transactions in a CSV file, as written by SHOWTRANS, V$TRANSACTION or LogMiner.

xid,begin,end,records
5.2.8802,2024-03-14T06:38:51Z,2024-03-14T22:01:17Z,18220
5.7.8807,2024-03-14T21:00:00Z,,
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.notation.times import TimeOffset, parse_datetime
from logdump.session.errors import CommandError

_HEADERS = (["xid", "begin"], ["xid", "begin", "end"], ["xid", "begin", "records"], ["xid", "begin", "end", "records"])
_DATE = re.compile(r"[0-9]{4}[-/][0-9]")
MOST_GIVEN = 100_000
"""Maximum number of transactions in the file."""


class GivenBegin(NamedTuple):
    """A line of the file; ``end`` is None of a transaction that is still open."""

    line: int
    xid: str
    begin: int
    end: int | None
    records: int


def read_begins(path: Path, offset: TimeOffset) -> dict[str, GivenBegin]:
    """The lines of a file by their transactions; times without a zone are meant in that of ``offset``.

    Raises:
        CommandError: it cannot be read, or a line is wrong, with its number.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _by_xid(path, file, offset)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise CommandError(f"{path} is not a CSV file in UTF-8: {error}") from error


def _by_xid(path: Path, file: Iterator[str], offset: TimeOffset) -> dict[str, GivenBegin]:
    rows = csv.reader(file)
    header = [name.strip().lower() for name in next(rows, [])]
    if header not in _HEADERS:
        raise CommandError(f"{path}, line 1: the columns are xid,begin[,end][,records], not {','.join(header)!r}.")
    found: dict[str, GivenBegin] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        try:
            given = _given(rows.line_num, header, row, offset)
        except ValueError as error:
            raise CommandError(f"{path}, line {rows.line_num}: {error}.") from error
        if given.xid in found:
            before = found[given.xid].line
            raise CommandError(f"{path}, line {rows.line_num}: {given.xid} is on line {before} already.")
        if len(found) >= MOST_GIVEN:
            raise CommandError(f"{path}, line {rows.line_num}: there are more than {MOST_GIVEN} transactions.")
        found[given.xid] = given
    return found


def _given(line: int, header: list[str], row: list[str], offset: TimeOffset) -> GivenBegin:
    """Parse one line. Raises ValueError with the reason if it is malformed."""
    if len(row) != len(header):
        raise ValueError(f"{len(row)} values for {len(header)} columns")
    cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
    if not cells["xid"]:
        raise ValueError("there is no xid")
    begin = _time(cells["begin"], offset)
    end = _time(cells["end"], offset) if cells.get("end") else None
    if end is not None and end < begin:
        raise ValueError("it ends before it begins")
    records = cells.get("records") or "0"
    if not records.isascii() or not records.isdigit():
        raise ValueError(f"records are a number, not {records!r}")
    return GivenBegin(line, cells["xid"], begin, end, int(records))


def _time(text: str, offset: TimeOffset) -> int:
    """A time with its date. Raises ValueError."""
    if _DATE.match(text) is None:
        raise ValueError(f"a time is yyyy-mm-ddThh:mm:ss, with Z or +hh:mm unless it is in the zone here, not {text!r}")
    return parse_datetime(text, offset)
