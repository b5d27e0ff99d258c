"""The rows in the files of EXPORT BY TABLE, read by what every format comes with."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from tests.logdump.export.rows import table_of


class TableRow(NamedTuple):
    """What BY TABLE and the plain reader both say of a row: values as text by name, NULL as None."""

    table: str
    op: str
    trans_ind: int
    csn: str
    values: dict[str, str | None]
    data: str


def rows_in(folder: Path, format_: str) -> dict[int, TableRow]:
    """The rows in all files of a folder, by RBA."""
    found: dict[int, TableRow] = {}
    for path in folder.iterdir():
        table = path.name.removesuffix(f".{format_}")
        table = "" if table.startswith("tdr_") else table.removesuffix(".undefined")
        for member in _members(path, format_):
            assert int(member["rba"]) not in found
            values = {name: member[name] for name in member if name.startswith(("before_", "after_"))}
            found[int(member["rba"])] = TableRow(
                table, member["op"], int(member["trans_ind"]), member["csn"] or "", values, member.get("data") or ""
            )
    return found


def _members(path: Path, format_: str) -> Iterator[dict[str, Any]]:
    """The rows of a file; of the columns those that the image has."""
    with path.open(encoding="utf-8", newline="") if format_ in ("jsonl", "csv") else nullcontext() as file:
        if format_ == "jsonl":
            yield from map(json.loads, file or ())
            return
        rows = csv.DictReader(file or (), strict=True) if format_ == "csv" else table_of(path, format_).to_pylist()
        for row in rows:
            nulls = (json.loads(row["nulls"] or "[]") if format_ == "csv" else row["nulls"]) or ()
            is_there = {name for name, value in row.items() if value not in (None, "")} | {*nulls}
            shown = {name: None if name in nulls else row[name] for name in is_there}
            yield {"csn": "", **{name: _text(value) for name, value in shown.items()}}


def _text(value: object) -> str | None:
    return None if value is None else value.hex() if isinstance(value, bytes) else str(value)
