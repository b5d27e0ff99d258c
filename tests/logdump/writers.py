"""Every form in which EXPORT and SAVE write records, and how to read back what they have written."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from trailformat import TrailFile

Rows = list[tuple[str, object]]
"""What was written, record by record in the order of the files: the name of the file or table, and the record's row."""


class Writer(NamedTuple):
    """A command that writes to T, and what a limit counts."""

    command: str
    read: Callable[[Path], Rows]
    amount: str = "RECORDS"

    def to(self, target: Path, words: str = "") -> str:
        """The command with a target."""
        return f"{self.command.replace('T', str(target), 1)} {words}"


_LEFT_OUT = re.compile(r"-- The filter left out (\d+) changes? of (\d+) transactions? without another one\.\n")
"""The last line of a script: whole transactions that the filter left out in this run."""


def added_up(rows: Rows) -> Rows:
    """Rows of one run or of several; what the filter left out in whole transactions is one number at the end."""
    matches = [match for _, line in rows if isinstance(line, str) and (match := _LEFT_OUT.fullmatch(line))]
    others = [row for row in rows if not (isinstance(row[1], str) and _LEFT_OUT.fullmatch(row[1]))]
    return [*others, ("", [sum(int(match[group]) for match in matches) for group in (1, 2)])]


def _text(content: bytes, name: str = "") -> Rows:
    plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    with io.TextIOWrapper(io.BytesIO(plain), encoding="utf-8", newline="\n") as lines:
        rows: Rows = [(name, line) for line in lines]
    is_headed = bool(rows) and str(rows[0][1]).startswith('"file","rba"')
    return [row for row in rows[is_headed:] if not str(row[1]).startswith(('{"type":"file_header"', "SET "))]


def _text_file(target: Path) -> Rows:
    return _text(target.read_bytes())


def _text_folder(target: Path) -> Rows:
    return [row for path in sorted(target.iterdir()) for row in _text(path.read_bytes(), path.name)]


def _table(path: Path) -> pa.Table:
    if path.read_bytes()[:4] == b"PAR1":
        return pq.read_table(path)
    with pa.OSFile(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def _arrow_file(target: Path) -> Rows:
    return [("", row) for row in _table(target).to_pylist() if row["op_code"] is not None]


def _arrow_folder(target: Path) -> Rows:
    return [(path.name, row) for path in sorted(target.iterdir()) for row in _table(path).to_pylist()]


def _trail(target: Path) -> Rows:
    """The rows of a trail under the names that it gives them; definitions are written wherever they are needed."""
    with TrailFile(target) as trail:
        sound = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
        return [
            (trail.name_of(record), record.data)
            for record in sound
            if record is not None and not record.is_file_header and not record.is_metadata
        ]


def rows_of(writer: Writer, target: Path) -> Rows:
    """What stands in a target; nothing where there is none."""
    return writer.read(target) if target.exists() else []


WRITERS = {
    "jsonl": Writer("export jsonl to T", _text_file),
    "jsonl gzip": Writer("export jsonl to T compression gzip", _text_file),
    "jsonl by table": Writer("export jsonl to T by table", _text_folder),
    "csv": Writer("export csv to T", _text_file),
    "csv by table": Writer("export csv to T by table", _text_folder),
    "parquet": Writer("export parquet to T", _arrow_file),
    "parquet by table": Writer("export parquet to T by table", _arrow_folder),
    "arrow": Writer("export arrow to T", _arrow_file),
    "arrow by table": Writer("export arrow to T by table", _arrow_folder),
    "sql": Writer("export sql to T", _text_file, "TRANSACTIONS"),
    "sql undo": Writer("export sql to T undo", _text_file, "TRANSACTIONS"),
    "save": Writer("save T", _trail),
}
