"""The result of a query as lines of CSV or JSON, printed or in a file, or as a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from logdump.features.export.files import AppendedFile
from logdump.features.export.target import export_target
from logdump.features.export.text_formats import csv_line
from logdump.features.sql.rows import LineFormat, Output, ResultRows, named, plain, rows_shown
from logdump.notation.text import amount
from logdump.session.events import Event, Text, say

if TYPE_CHECKING:
    import pyarrow as pa

Write = Callable[[Any], object]


def write_result(output: Output, results: Iterator[Event | ResultRows]) -> Iterator[Event]:
    """Write the rows to a file, which appears when it is complete; yield events, and the number of rows.

    Raises:
        CommandError: the file exists and may not be replaced.
        CannotWrite: the file cannot be written.
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


def printed(format_: LineFormat, results: Iterator[Event | ResultRows]) -> Iterator[Event]:
    """Yield the lines of the result in this format, batch by batch, and the events between them."""
    is_begun = False
    for result in results:
        if isinstance(result, ResultRows):
            lines = [] if is_begun else _head(format_, result.batch.schema.names)
            is_begun = True
            yield Text(tuple(line.rstrip("\r\n") for line in [*lines, *_lines(format_, result.batch)]))
        else:
            yield result


@contextmanager
def _written(output: Output, schema: pa.Schema) -> Iterator[Write]:
    """Yield a function that writes a batch; the file gets its name if the context ends without an error."""
    target = export_target(output.path, is_folder=False, replaces=output.replaces, command="SQL")
    with target as staged:
        file = AppendedFile(staged)
        ending = output.path.suffix[1:].upper()
        yield from _parquet(file, schema) if ending == "PARQUET" else _text(file, schema, LineFormat(ending))
        file.close()


def _parquet(file: AppendedFile, schema: pa.Schema) -> Iterator[Write]:
    from pyarrow import parquet  # noqa: PLC0415 - only Parquet files need it

    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        yield writer.write_batch


def _text(file: AppendedFile, schema: pa.Schema, format_: LineFormat) -> Iterator[Write]:
    file.write("".join(_head(format_, schema.names)).encode())
    yield lambda batch: file.write("".join(_lines(format_, batch)).encode())


def _head(format_: LineFormat, names: Sequence[str]) -> list[str]:
    return [csv_line(names)] if format_ is LineFormat.CSV else []


def _lines(format_: LineFormat, batch: pa.RecordBatch) -> Iterator[str]:
    shown = rows_shown(ResultRows(batch))
    if format_ is LineFormat.CSV:
        return (csv_line(map(plain, row)) for row in shown.rows)
    return (json.dumps(named(shown.columns, row), separators=(",", ":")) + "\n" for row in shown.rows)
