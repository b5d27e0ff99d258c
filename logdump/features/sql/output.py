"""The result of a query as lines of CSV or JSON, printed or in a file, or as a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from logdump.arrow.plain_values import named, plain
from logdump.features.export.exporting import require_xlsx
from logdump.features.export.files import AppendedFile
from logdump.features.export.target import export_target
from logdump.features.export.text_formats import csv_line
from logdump.features.sql.rows import LineFormat, Output, ResultRows, rows_shown
from logdump.notation.text import amount
from logdump.session.events import Event, Text, say

Write = Callable[[Any], object]


def write_result(output: Output, results: Iterator[Event | ResultRows]) -> Iterator[Event]:
    """Write the rows to a file, which appears when it is complete; yield events, and the number of rows.

    Raises:
        CommandError: the file exists and may not be replaced.
        CannotWrite: the file cannot be written.
    """
    rows, notices = 0, list[Event]()
    if output.path.suffix.lower() == ".xlsx":
        require_xlsx("SQL … TO a workbook")
    with ExitStack() as opened:
        write: Write | None = None
        for result in results:
            if not isinstance(result, ResultRows):
                yield result
                continue
            write = write or opened.enter_context(_written(output, result.batch.schema, notices))
            write(result.batch)
            rows += result.batch.num_rows
    yield say(f"Wrote {amount(rows, 'row')} to {output.path}")
    yield from notices


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
def _written(output: Output, schema: pa.Schema, notices: list[Event]) -> Iterator[Write]:
    """Yield a function that writes a batch; the file gets its name if the context ends without an error.

    ``notices`` receives what is to be said about the file.
    """
    target = export_target(output.path, is_folder=False, replaces=output.replaces, command="SQL")
    with target as staged:
        ending = output.path.suffix[1:].upper()
        if ending == "XLSX":
            yield from _workbook(staged, schema, notices)
            return
        file = AppendedFile(staged)
        yield from _parquet(file, schema) if ending == "PARQUET" else _text(file, schema, LineFormat(ending))
        file.close()


def _workbook(staged: Path, schema: pa.Schema, notices: list[Event]) -> Iterator[Write]:
    from logdump.features.export.workbook import SheetRows, Workbook  # noqa: PLC0415 - only workbooks need it

    book = Workbook(staged)
    try:
        sheet = SheetRows(book, "rows", schema.names)
        yield lambda batch: sheet.add(rows_shown(ResultRows(batch)).rows)
        book.close()
    except BaseException:
        book.abandon()
        raise
    notices += book.notices()


def _parquet(file: AppendedFile, schema: pa.Schema) -> Iterator[Write]:
    from pyarrow import parquet  # noqa: PLC0415 - only Parquet files need it

    storable = pa.schema([field.with_type(_storable(field.type)) for field in schema])
    with parquet.ParquetWriter(file, storable, compression="zstd") as writer:
        yield lambda batch: writer.write_batch(_stored(batch, storable))


def _storable(kind: pa.DataType) -> pa.DataType:
    """Return the type in a Parquet file of values of an Arrow type: text for intervals, which it lacks."""
    if pa.types.is_interval(kind):
        return pa.string()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(_storable(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_storable(field.type)) for field in kind])
    return pa.map_(_storable(kind.key_type), _storable(kind.item_type)) if pa.types.is_map(kind) else kind


def _stored(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with these types; values that become text are as SQL shows them."""
    columns = [
        pa.array([_as(value, field.type) for value in column.to_pylist()], field.type)
        if _is_other(column, field)
        else column
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _is_other(column: pa.Array, field: pa.Field) -> bool:
    """Return whether a column has intervals, also inside of lists and the like."""
    return bool(column.type != field.type) and str(column.type) != str(field.type)


def _as(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_string(kind):
        return str(plain(value))
    if pa.types.is_list(kind):
        return [_as(item, kind.value_type) for item in value]
    if pa.types.is_struct(kind):
        return {field.name: _as(value[field.name], field.type) for field in kind}
    return (
        [(_as(key, kind.key_type), _as(item, kind.item_type)) for key, item in value]
        if pa.types.is_map(kind)
        else value
    )


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
