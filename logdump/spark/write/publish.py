"""Files of a job: each attempt of a task writes them in its own folder; a commit names all of them or none.

An attempt writes a file for each source, and begins another when one is full. The steps of a commit are written to a
journal in the job's folder before it begins. From there they are undone if it fails or, if the driver was killed, by
the next job with the same target.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from logdump.features.save.header import own_header, renamed
from logdump.spark.write.target import JOURNAL, SUCCESS, JobFolder, Mode, Target, is_at_work, job_folders
from trailformat import CannotWrite, FileHeader, Record, TrailFile, TrailWriter, make_file_header_record
from trailformat.codec.mapped_file import FileContents
from trailformat.trail.whole_file import WholeFile, sync_names

_REPLACED = "replaced"


class StagedFile(NamedTuple):
    """A file that an attempt has written.

    Attributes:
        path: its path while staged.
        source: the file its records come from; None if unknown.
        records: number of records saved, without the definitions written for them.
        bytes: its size in bytes.
    """

    path: str
    source: str | None
    records: int
    bytes: int


class SavedFile(NamedTuple):
    """A row of the report: a new file, the file it comes from, the records saved, and its size in bytes."""

    file: str
    source: str | None
    records: int
    bytes: int


def publish(folder: JobFolder, target: Target, mode: Mode, parts: Sequence[StagedFile]) -> list[SavedFile]:
    """Give the parts, in this order, the names of the target, and remove the folder of the job.

    Raises:
        TargetRefused: the target has changed since the job began.
        CannotWrite: a file cannot be named; everything is as it was before the job.
    """
    try:
        target.check_contents(mode)
        names = target.names(mode, [part.source for part in parts])
        finals = [next(names) for _ in parts]
        for part, final in zip(parts, finals, strict=True):
            _rename_header(Path(part.path), final, f"{final}")
        _carry_out(folder, target, target.replaced(mode, finals), list(zip(parts, finals, strict=True)))
    except OSError as error:
        path = error.filename2 or error.filename or target.directory
        raise CannotWrite(error.strerror or str(error), path=Path(path)) from error
    finally:
        roll_back(folder)
        folder.discard()
    return [
        SavedFile(str(final), part.source, part.records, part.bytes) for part, final in zip(parts, finals, strict=True)
    ]


def _carry_out(folder: JobFolder, target: Target, replaced: list[Path], moves: list[tuple[StagedFile, Path]]) -> None:
    is_marked = target.first is None
    mark = target.directory / SUCCESS
    if is_marked and mark.exists():
        replaced = [mark, *replaced]
    away = folder.directory / _REPLACED
    away.mkdir(parents=True)
    journal = {
        "moves": [[str(Path(part.path).relative_to(folder.directory)), final.name] for part, final in moves],
        "replaced": [path.name for path in replaced],
        "mark": is_marked,
    }
    with WholeFile(folder.directory / JOURNAL) as file:
        file.write(json.dumps(journal).encode())
    for path in replaced:
        path.rename(away / path.name)
    for part, final in moves:
        _give_name(Path(part.path), final)
    if is_marked:
        mark.touch()
    sync_names(target.directory)
    (folder.directory / JOURNAL).unlink()


def sweep(directory: Path) -> None:
    """Undo the commits of killed jobs in a directory, and remove their folders."""
    for folder in job_folders(directory):
        if not is_at_work(folder):
            roll_back(folder)
            folder.discard()


def roll_back(folder: JobFolder) -> None:
    """Undo an incomplete commit; without one do nothing."""
    try:
        journal: dict[str, Any] = json.loads((folder.directory / JOURNAL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    target, away = folder.directory.parent, folder.directory / _REPLACED
    mark_was_there = SUCCESS in journal["replaced"] and not (away / SUCCESS).exists()
    if journal["mark"] and not mark_was_there:
        (target / SUCCESS).unlink(missing_ok=True)
    for staged, name in journal["moves"]:
        _take_name(folder.directory / staged, target / name)
    for name in journal["replaced"]:
        with contextlib.suppress(FileNotFoundError):
            (away / name).rename(target / name)
    (folder.directory / JOURNAL).unlink()


def _give_name(staged: Path, final: Path) -> None:
    """Give a staged file its final name, unless a file has it; with hard links it keeps the staged name too."""
    try:
        final.hardlink_to(staged)
    except OSError:
        if final.exists():
            raise
        staged.rename(final)


def _take_name(staged: Path, final: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not staged.exists() or staged.samefile(final):
            final.unlink()


def _rename_header(path: Path, final: Path, name: str) -> None:
    """Write FileName and Seqno of the final name into the header of a staged file."""
    with TrailFile(path) as trail:
        header, length = trail.file_header, trail.first_rba
    if header is None:
        return
    record = make_file_header_record(renamed(header, final, name))
    if record.length == length:
        with path.open("r+b") as file:
            file.write(record.raw)
            os.fsync(file.fileno())
        return
    _write_again(path, record, length)


def _write_again(path: Path, header: Record, length: int) -> None:
    """Rewrite a file with a header of another length."""
    with path.open("rb") as source, WholeFile(path, replace=True) as copy:
        copy.write(header.raw)
        source.seek(length)
        while rest := source.read(1 << 20):
            copy.write(rest)


_NAME = "tr{:09d}"


class Definitions(Protocol):
    """The definitions of a source that a new file already has."""

    def before(self, record: Record) -> Iterator[Record]:
        """Yield the definitions that must be written before a record."""

    def own_form(self, record: Record) -> Record:
        """Return a metadata record that is saved in the form that means the same in the new file."""


class SourceFiles(NamedTuple):
    """A source of records: its path if known, its file header, and a function for the definitions of a new file."""

    path: str | None
    header: FileHeader | None
    definitions: Callable[[], Definitions]


class PartFiles:
    """Writes records, each after the definitions it needs, into self-contained files.

    Args:
        directory: creates an empty folder; called for the first record.
        max_bytes: maximum size of a file; a single record may be larger. None: no limit.
        target: the target of the files. FileName in their headers is as long as it will be there, so that they need
            not be rewritten when they are named.
    """

    def __init__(self, directory: Callable[[], Path], max_bytes: int | None, target: Target | None = None) -> None:
        self.parts: list[StagedFile] = []
        self._make_directory = directory
        self._directory: Path | None = None
        self._max_bytes = max_bytes
        self._target = target
        self._source: SourceFiles | None = None
        self._writer: TrailWriter | None = None
        self._definitions: Definitions | None = None
        self._records = 0

    def begin(self, source: SourceFiles) -> None:
        """Begin a source: the records that follow come from it, and go to files of their own."""
        self.end()
        self._source, self._definitions = source, None

    @property
    def room(self) -> int:
        """Bytes that still fit into the file being written; 0 if the next record begins a file."""
        if self._writer is None:
            return 0
        return max(self._max_bytes - self._writer.size, 0) if self._max_bytes is not None else 1 << 62

    def write(self, record: Record) -> bool:
        """Write a record, after the definitions it needs; return whether it begins a new file."""
        writer, definitions = self._writer, self._definitions
        wanted = [*definitions.before(record)] if definitions is not None else []
        is_new = writer is None or sum(needed.length for needed in (*wanted, record)) > self.room
        if is_new:
            writer, definitions = self._start(record)
            wanted = [*definitions.before(record)]
        assert writer is not None and definitions is not None  # noqa: PT018, S101 - for the type checker
        for definition in wanted:
            writer.write(definition)
        writer.write(definitions.own_form(record) if record.is_metadata else record)
        self._records += 1
        return is_new

    def write_bytes(self, data: bytes | memoryview, records: int) -> None:
        """Write the bytes of whole records that need no definitions and fit in the room."""
        if self._writer is None:
            raise CannotWrite("no file has been begun")
        self._writer.write_bytes(data, records)
        self._records += records

    def copy_range(self, source: FileContents, start: int, stop: int, records: int) -> None:
        """Write a range of another file, which has such records."""
        if self._writer is None:
            raise CannotWrite("no file has been begun")
        self._writer.copy_range(source, start, stop, records)
        self._records += records

    def _start(self, first: Record) -> tuple[TrailWriter, Definitions]:
        self.end()
        if self._source is None:
            raise CannotWrite("no source has been named")
        if self._directory is None:
            self._directory = self._make_directory()
        path = self._directory / _NAME.format(len(self.parts))
        self._writer = TrailWriter(path, order=first.order)
        self._definitions = self._source.definitions()
        if self._source.header is not None:
            name = path if self._target is None else self._target.likely_name(self._source.path)
            self._writer.write(make_file_header_record(own_header(self._source.header, path, str(name), first)))
        return self._writer, self._definitions

    def end(self) -> None:
        """Finish the file being written, if there is one."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        writer.commit()
        source = self._source.path if self._source else None
        path = str(writer.paths[0])
        self.parts.append(StagedFile(path, source, self._records, writer.size))
        self._records = 0

    def abort(self) -> None:
        """Close the file being written, and forget it."""
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
