"""The result of a query in a file, which appears when it is complete: Parquet, CSV or JSON lines by its ending."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.features.export.appended_file import AppendedFile
from logdump.features.export.csv_text import csv_line
from logdump.features.export.target import export_target
from logdump.features.sql.row_values import named, plain
from logdump.features.sql.rows import ResultRows, rows_shown
from logdump.notation.plural import amount
from logdump.session.events import Event, say

if TYPE_CHECKING:
    import pyarrow as pa

_TARGET = re.compile(
    r"""\sTO\s+(?:"(?P<quoted>[^"]+)"|(?P<plain>[^\s"';]+))(?P<replace>\s+REPLACE)?\s*$""", re.IGNORECASE
)
_ENDINGS = (".parquet", ".csv", ".jsonl")
Write = Callable[[Any], object]


class Output(NamedTuple):
    """The file that a result goes to, and whether it may replace one."""

    path: Path
    replaces: bool


def split_output(statement: str) -> tuple[str, Output | None]:
    """A statement, and the file that ``TO <file> [REPLACE]`` at its end names: no query ends with such a name."""
    found = _TARGET.search(statement)
    name = (found["quoted"] or found["plain"]) if found else ""
    if found is None or not name.lower().endswith(_ENDINGS):
        return statement, None
    return statement[: found.start()], Output(Path(name).expanduser().absolute(), found["replace"] is not None)


def write_result(output: Output, results: Iterator[Event | ResultRows]) -> Iterator[Event]:
    """Write the rows into the file, which appears when all are in it; yields events, and the number of rows.

    Raises:
        CommandError: the file is there and may not be replaced.
        CannotWrite: nothing can be written there.
    """
    rows = 0
    with ExitStack() as opened:
        write: Write | None = None
        for result in results:
            if not isinstance(result, ResultRows):
                yield result
                continue
            write = write or opened.enter_context(_written(output, result.batch.schema))
            write(result.batch)
            rows += result.batch.num_rows
    yield say(f"Wrote {amount(rows, 'row')} to {output.path}")


@contextmanager
def _written(output: Output, schema: pa.Schema) -> Iterator[Write]:
    """Takes batches; the file has its name when the context is left normally."""
    target = export_target(output.path, is_folder=False, replaces=output.replaces, command="SQL")
    with target as staged:
        file = AppendedFile(staged)
        yield from _WRITERS[output.path.suffix.lower()](file, schema)
        file.close()


def _parquet(file: AppendedFile, schema: pa.Schema) -> Iterator[Write]:
    from pyarrow import parquet  # noqa: PLC0415 - for such a file alone

    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        yield writer.write_batch


def _csv(file: AppendedFile, schema: pa.Schema) -> Iterator[Write]:
    file.write(csv_line(schema.names).encode())
    yield lambda batch: file.write("".join(csv_line(map(plain, row)) for row in _rows(batch)).encode())


def _jsonl(file: AppendedFile, schema: pa.Schema) -> Iterator[Write]:
    def write(batch: pa.RecordBatch) -> None:
        lines = (json.dumps(named(schema.names, row), separators=(",", ":")) + "\n" for row in _rows(batch))
        file.write("".join(lines).encode())

    yield write


_WRITERS = {".parquet": _parquet, ".csv": _csv, ".jsonl": _jsonl}


def _rows(batch: pa.RecordBatch) -> Any:
    return rows_shown(ResultRows(batch)).rows
