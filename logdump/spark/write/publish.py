"""Giving the files of a job their names, all of them or none.

What the job is about to do stands in a journal in its folder before it begins, and is undone from there: when it fails,
or when its driver was killed and another job comes to the same place.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.save.header import renamed
from logdump.spark.write.target import JOURNAL, SUCCESS, JobFolder, Mode, Target, is_at_work, job_folders
from trailformat import CannotWrite, Record, TrailFile, make_file_header_record
from trailformat.trail.whole_file import WholeFile, sync_names

_REPLACED = "replaced"


class StagedFile(NamedTuple):
    """A file that an attempt has written.

    Attributes:
        path: where it is staged.
        source: the file its records come from; None when that is not known.
        records: how many records were saved, without those carried along for them.
        bytes: its size.
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
        CannotWrite: everything is as it was before the job.
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
    """Undo what killed jobs have left in a directory."""
    for folder in job_folders(directory):
        if not is_at_work(folder):
            roll_back(folder)
            folder.discard()


def roll_back(folder: JobFolder) -> None:
    """Undo a commit that was not completed; without one this does nothing."""
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
    """Give a staged file its name, never another file's; it keeps the staged one too where files can have two."""
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
    """Write FileName and Seqno of its final name into the header of a staged file."""
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
    """Write a file with a header of another length."""
    with path.open("rb") as source, WholeFile(path, replace=True) as copy:
        copy.write(header.raw)
        source.seek(length)
        while rest := source.read(1 << 20):
            copy.write(rest)
