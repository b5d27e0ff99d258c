"""Reading without Spark: what its planner and its tasks would do, in this process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from logdump.arrow.records.schema import Selected, arrow_schema
from logdump.features.sql.view_table import ANALYSES
from logdump.spark.source.data_source import TrailSource
from logdump.spark.stream.stream_reader import TrailStreamReader
from logdump.tables.options import Use, parse_options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.schema import offered
from logdump.tables.slice import Slice
from logdump.tables.slices import Request
from trailformat import TrailFile
from trailformat.records.record_header import BEGINS, ENDS, NOT_TRANSACTIONAL, RESTARTS

Row = dict[str, Any]


def planned(path: Path | str, **given: Any) -> list[tuple[Slice, ...]]:
    """The slices of each task."""
    return plan(parse_options({"path": str(path), **_texts(given)}, Use.READ, ANALYSES))


def batches(path: Path | str, *columns: str, **given: Any) -> list[Any]:
    """The record batches of all tasks, in order, with these columns or all of them."""
    options = parse_options({"path": str(path), **_texts(given)}, Use.READ, ANALYSES)
    offer = {column.name: column for column in offered(options)}
    selected = tuple(Selected(name, offer[name]) for name in columns or offer)
    return [batch for slices in plan(options, columns or offer) for batch in read(slices, Request(selected, options))]


def rows(path: Path | str, *columns: str, **given: Any) -> list[Row]:
    """The rows of all tasks, in order, as Python objects."""
    found: list[Row] = [row for batch in batches(path, *columns, **given) for row in batch.to_pylist()]
    return found


def table(path: Path | str, *columns: str, **given: Any) -> Any:
    """The rows of all tasks as one table, for comparing many."""
    options = parse_options({"path": str(path), **_texts(given)}, Use.READ, ANALYSES)
    offer = {column.name: column for column in offered(options)}
    schema = arrow_schema(Selected(name, offer[name]) for name in columns or offer)
    return pa.Table.from_batches(batches(path, *columns, **given), schema=schema).combine_chunks()


def stream_reader(given: dict[str, str], columns: Iterable[str]) -> TrailStreamReader:
    """The reader of a stream with these columns; with ``changesOf`` with those of the changes."""
    if "changesOf" in given:
        source: Any = TrailSource(given)
        reader: TrailStreamReader = source.streamReader(source.schema())
        return reader
    options = parse_options(given, Use.STREAM)
    offer = {column.name: column for column in offered(options)}
    return TrailStreamReader(options, tuple(Selected(name, offer[name]) for name in columns))


def closed_places(path: Path) -> list[int]:
    """The places in a file at which no transaction is open, or one that another follows, told record by record."""
    places, is_open = [], False
    with TrailFile(path) as trail:
        for record in trail.records():
            io_type = None if record.is_file_header else record.header.io_type
            if io_type is None or io_type in NOT_TRANSACTIONAL:
                is_open = is_open and io_type not in RESTARTS
            else:
                if record.header.trans_ind in BEGINS and is_open:
                    places.append(record.rba)
                is_open = record.header.trans_ind not in ENDS
            if not is_open:
                places.append(record.rba + record.length)
    return places


def _texts(given: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in given.items()}
