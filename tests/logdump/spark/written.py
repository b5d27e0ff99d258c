"""What tests of writing look at: a trail's bytes, and its rows with what their table index means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from logdump.spark.write.publish import PartFiles, StagedFile
from logdump.spark.write.target import Target
from logdump.spark.write.writer import FrameWriting, write_columns
from tests.logdump.tables.reads import batches
from trailformat import FileHeader, TableDefinition, TrailFile

SELECTED = ("file", "seqno", "rba", "raw")


class MeantRow(NamedTuple):
    """A row's bytes, and what the file says about its table."""

    raw: bytes
    name: str
    definition: TableDefinition | None


def body(path: str | Path) -> bytes:
    """What stands behind the file header."""
    with TrailFile(path) as trail:
        return trail.bytes[trail.first_rba : trail.size]


def header(path: str | Path) -> FileHeader:
    with TrailFile(path) as trail:
        assert trail.file_header is not None
        return trail.file_header


def meant_rows(*paths: str | Path) -> list[MeantRow]:
    """Every row of the files, one after the other, without headers and metadata."""
    found = []
    for path in paths:
        with TrailFile(path) as trail:
            for record in trail.records():
                if not record.is_file_header and not record.is_metadata:
                    entry = trail.table_of(record)
                    definition = trail.tables.columns(entry) if entry is not None else None
                    found.append(MeantRow(record.raw, trail.name_of(record), definition))
    return found


def trail_files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.name[0] not in "._")


def frame(path: Path, *columns: str, **options: Any) -> list[Any]:
    """The record batches of a read of these columns, as a task that writes them gets them."""
    return batches(path, *(columns or SELECTED), **options)


def write_frame(
    some: Sequence[Any], folder: Path, max_bytes: int | None = None
) -> tuple[FrameWriting, list[StagedFile]]:
    """What one task makes of record batches, without Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    files = PartFiles(lambda: _made(folder), max_bytes)
    columns = write_columns(from_arrow_schema(some[0].schema))
    writing = FrameWriting(columns, files, Target(folder / "elsewhere", None))
    try:
        for batch in some:
            writing.add(batch)
        writing.end()
    finally:
        files.abort()
        writing.close()
    return writing, files.parts


def paths_of(parts: Iterable[StagedFile]) -> list[Path]:
    return [Path(part.path) for part in parts]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
