"""The trail that a command reads, as its arguments name it, and the range of a trail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from logdump.notation.times import TimeOffset, format_timestamp, format_with_zone
from logdump.session.errors import CommandError, MissingFileError
from logdump.session.files import FileNames, matching_files
from logdump.session.session import Session
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.transactions import is_transactional, own_transaction
from trailformat.codec.remote.path import path_of
from trailformat.errors import NotATrail
from trailformat.trail.packed import is_archive, is_file
from trailformat.trail.sequence import TrailName, TrailSequence
from trailformat.trail.time_search import first_that_passes
from trailformat.transactions.whole_trail import WholeTrail

_MOST_RECORDS = 4096
"""Number of records at the end of a file in which the last row and the last CSN are searched."""


class TrailRange(NamedTuple):
    """IO Time (Julian) of the first and the last row of a trail, and their CSNs if known."""

    first_time: int
    last_time: int
    first_csn: str | None
    last_csn: str | None

    def text(self, zone: TimeOffset) -> str:
        """Return ``from CSN 41882317 to 41882402, 2024/03/14 09:31:00.000.000 to 2024/03/14 09:40:00.000.000 GMT``."""
        csns = f"CSN {self.first_csn} to {self.last_csn}, " if self.first_csn and self.last_csn else ""
        first = format_timestamp(self.first_time, zone)
        return f"from {csns}{first} to {format_with_zone(self.last_time, zone)}"


def files_of_trail(path: Path) -> Sequence[Path]:
    """Return the files of the trail to which a file belongs, in order; the file alone if it belongs to none."""
    name = TrailName.parse(path)
    if name is None or not name.is_documented:
        return (path,)
    try:
        paths = TrailSequence(path).paths
    except NotATrail:
        return (path,)
    return paths if path in paths else (path,)


def range_of(trail: TrailFile) -> TrailRange | None:
    """Return the range of the trail to which an open file belongs; None if it has no row."""
    paths = files_of_trail(trail.path)
    first = next(_found(trail, paths, at_end=False), None)
    last = next(_found(trail, tuple(reversed(paths)), at_end=True), None)
    if first is None or last is None:
        return None
    return TrailRange(first.time, last.time, first.csn, last.csn)


class _Row(NamedTuple):
    time: int
    csn: str | None


def _found(trail: TrailFile, paths: Sequence[Path], *, at_end: bool) -> Iterator[_Row]:
    """Yield the first row of each file, or the last one; unreadable files and files without rows are skipped."""
    look = _last_row if at_end else _first_row
    for path in paths:
        try:
            if path == trail.path:
                row = look(trail)
            else:
                with TrailFile(path) as other:
                    row = look(other)
        except (NotATrail, OSError):
            continue
        if row is not None:
            yield row


def _first_row(trail: TrailFile) -> _Row | None:
    record = first_that_passes(trail, lambda record: True if is_transactional(record) else None)
    return _Row(record.header.io_time, own_transaction(record).csn) if record is not None else None


def _last_row(trail: TrailFile) -> _Row | None:
    """Return the last row, with the CSN of the last transaction that begins; None if the file has no row."""
    time: int | None = None
    csn: str | None = None
    for record in _backwards(trail):
        if not is_transactional(record):
            continue
        time = record.header.io_time if time is None else time
        csn = own_transaction(record).csn
        if csn is not None:
            break
    return None if time is None else _Row(time, csn)


def _backwards(trail: TrailFile) -> Iterator[Record]:
    """Yield the last records of a file, the last one first."""
    rba: int | None = trail.end_of_records()
    for _ in range(_MOST_RECORDS):
        rba = trail.previous_good_header(rba) if rba else None
        if rba is None:
            return
        try:
            record = trail.record_at(rba)
        except TrailError:
            continue
        if record is not None:
            yield record


def whole_trail_of(session: Session, wildcard: FileNames | None, command: str) -> WholeTrail:
    """Return the trail of the open file, or that of the files that match the wildcard.

    Raises:
        CommandError: no file matches, or the files are of several trails.
    """
    if wildcard is None:
        return WholeTrail.around(session.trail.path)
    try:
        return WholeTrail(matching_files(wildcard))
    except NotATrail as error:
        raise CommandError(f"{wildcard} names {error.problem}; {command} takes {error.expected}.") from error


def trail_title(name: object, files: int = 1) -> str:
    """Return the title of an answer about a trail: its name, and the number of its files if there are several."""
    return f"LogTrail {name}, {files} files" if files > 1 else f"LogTrail {name}"


def name_over(session: Session, over: FileNames | None) -> object:
    """Return the name of the trail of a command: the open file, the wildcard, or the first of the given files."""
    return session.trail.path if over is None else over if isinstance(over, str) else over[0]


def trail_named(session: Session, name: str, command: str) -> WholeTrail:
    """Return the trail of a file, of a trail name without a number, of a folder, or of a wildcard.

    Raises:
        CommandError: there is no such file, or the files are of several trails.
    """
    path = path_of(name).absolute()
    is_folder = path.is_dir() or is_archive(path)
    if is_file(path) and not is_folder:
        return WholeTrail([path])
    if "*" in path.name or "?" in path.name or is_folder:
        return whole_trail_of(session, name, command)
    try:
        return WholeTrail(TrailSequence(path).paths)
    except NotATrail as error:
        raise MissingFileError(
            f"{name}: {error.problem}; {command} takes a file, a trail, or a folder or wildcard for one."
        ) from error


def refuse_filter(session: Session, command: str, *, filtered: bool) -> None:
    """Refuse to run a command that needs the whole trail under a filter, unless ``filtered`` is given.

    Raises:
        CommandError: a filter is active.
    """
    if not filtered and session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError(
            f"{command} needs all records of the trail: use FILTER OFF, or {command} FILTERED, which finds less."
        )
