"""The trails of a folder for the start page: facts from the names, then from the headers, then from the records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from logdump.session.errors import CommandError
from logdump.session.files import matching_files, near_files
from logdump.tables.heartbeat_tables import role_of
from logdump.tui.reading.background import EVERY, Background
from logdump.tui.reading.messages import ListedTrail, Report, TrailsListed
from logdump.tui.reading.state import summary_of_file
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.changes.encrypted import looks_encrypted
from trailformat.changes.transaction_context import TransactionContext
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import RemotePath, path_of
from trailformat.codec.timestamps import from_datetime
from trailformat.index import TrailIndex, build
from trailformat.records.record_header import METADATA
from trailformat.scan import Workers, scan
from trailformat.trail.name_list import list_of
from trailformat.trail.packed import is_archive, status_of
from trailformat.trail.peek import peek
from trailformat.trail.sequence import TrailName, trails_among

with on_demand:
    from logdump.features.check import trail_survey

_MOST_TRAILS = 1000


class StartPlace(NamedTuple):
    """The words that name the trails of the start page, and a note about them."""

    words: tuple[str, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """The words as they are shown."""
        return " ".join(self.words) or "."


def start_place(words: list[str]) -> StartPlace | None:
    """Return the place for the words of the command line, None if they name one file or trail, which is opened."""
    if not words:
        return StartPlace()
    path = path_of(words[0])
    if len(words) == 1 and path.is_file():
        return StartPlace(tuple(words)) if is_archive(path) else None
    is_one_name = len(words) == 1 and not path.is_dir() and not any(character in words[0] for character in "*?,")
    try:
        paths = matching_files(list_of(words))
    except CommandError as error:
        if any(_archives_in(StartPlace(tuple(words)))):
            return StartPlace(tuple(words))
        near = near_files(path)
        hint = f" Nearest: {', '.join(near)}." if near else ""
        folder = path.parent if path.parent.is_dir() else Path()
        return StartPlace((str(folder),), f"{error}{hint}")
    trails, other_paths = trails_among(paths)
    return None if is_one_name and len(trails) + len(other_paths) == 1 else StartPlace(tuple(words))


class StartPage:
    """Reads the trails on a thread, the quickest facts of all trails first.

    Args:
        post: takes the reports.
    """

    def __init__(self, post: Callable[[Report], object]) -> None:
        self._post = post
        self._background = Background("start page")
        self._number = 0

    @property
    def is_idle(self) -> bool:
        """True if everything has been read."""
        return self._background.is_idle

    def read(self, place: StartPlace) -> None:
        """Read the trails of a place; an earlier read is stopped."""
        self._number += 1
        number = self._number
        self._background.do("read", lambda: self._read(place, number))

    def stop(self) -> None:
        """Stop reading."""
        self._number += 1

    def close(self) -> None:
        """End the thread."""
        self.stop()
        self._background.close()

    def _read(self, place: StartPlace, number: int) -> None:
        archives = list(_archives_in(place))
        try:
            paths = matching_files(list_of(place.words) or str(Path.cwd()))
        except CommandError as error:
            note = place.note or ("" if archives else str(error))
            self._post(TrailsListed(place.name, note, tuple(archives)))
            return
        named, other_paths = trails_among(paths)
        groups = [[name.path for name in names] for names in named]
        groups += [[path] for path in other_paths[:_MOST_TRAILS] if _is_trail(path)]
        trails = [_by_names(group) for group in groups[:_MOST_TRAILS]]
        size, looked = sum(trail.size for trail in trails), 0.0
        for index, covered in self._steps(trails):
            if number != self._number:
                return
            if index is None and time.monotonic() - looked < EVERY:
                continue
            looked = time.monotonic()
            percent = 100 * covered // max(1, size)
            self._post(TrailsListed(place.name, place.note, (*trails, *archives), _now(), percent))
        self._post(TrailsListed(place.name, place.note, (*trails, *archives), _now()))

    @staticmethod
    def _steps(trails: list[ListedTrail]) -> Iterator[tuple[int | None, int]]:
        """Read the trails; yield the index of the one just updated (None: none) and the number of bytes read of all."""
        yield 0, 0
        for index, trail in enumerate(trails):
            trails[index] = _with_headers(trail)
            yield index, 0
        before = 0
        for index, trail in enumerate(trails):
            if isinstance(trail.paths[0], RemotePath):
                continue  # its headers must do: reading all of a bucket was not requested
            for more, covered in _with_records(trail):
                is_other = more is not trails[index]
                trails[index] = more
                yield index if is_other else None, before + covered
            before += trail.size


_SEARCHED = 1 << 12
"""Maximum number of records to walk back over for the CSN of the last one."""


def _now() -> int:
    return from_datetime(datetime.now(UTC))


def _archives_in(place: StartPlace) -> Iterator[ListedTrail]:
    """Yield the archives in the folders of a place; what is in them is listed when one is chosen."""
    for word in place.words or (".",):
        with suppress(CannotRead, TrailError, OSError):
            folder = path_of(word)
            files = [] if isinstance(folder, RemotePath) or not folder.is_dir() else sorted(folder.iterdir())
            for path in files[:_MOST_TRAILS]:
                if path.is_file() and is_archive(path):
                    yield ListedTrail(path.name, (path,), path.stat().st_size, is_archive=True)


def _is_trail(path: Path) -> bool:
    with suppress(CannotRead):
        return peek(path) is not None
    return False


def _by_names(paths: list[Path]) -> ListedTrail:
    name = TrailName.parse(paths[0])
    size = 0
    for path in paths:
        with suppress(OSError):
            size += status_of(path).st_size
    return ListedTrail(name.prefix if name is not None else paths[0].name, tuple(paths), size)


def _with_headers(trail: ListedTrail) -> ListedTrail:
    """Return the trail with the facts of its first and last header and of its last row."""
    with suppress(CannotRead, TrailError, OSError):
        first = summary_of_file(trail.paths[0])
        trail = trail._replace(
            release=f"{first.source} {first.release}".strip(), first_csn=first.first_csn, first_time=first.first_time
        )
        for path in reversed(trail.paths):  # the newest file may have no row yet
            with TrailFile(path) as file:
                trail, has_row = _with_end(trail, file)
            if has_row:
                break
    return trail


def _with_end(trail: ListedTrail, file: TrailFile) -> tuple[ListedTrail, bool]:
    """Return the trail with the facts of the end of one of its files, and True if the file has a row."""
    rows = (record for record in file.records_backwards() if not record.is_file_header and not record.is_metadata)
    last, header = next(rows, None), file.file_header
    csn = header.last_csn if header is not None else None
    if csn is None and last is not None:  # complete files have it in the header
        csn = TransactionContext(file, _SEARCHED).of(last).csn
    time = last.header.io_time if last is not None else None
    is_encrypted = trail.is_encrypted or looks_encrypted(file)
    return trail._replace(last_csn=csn or "", last_time=time, is_encrypted=is_encrypted), last is not None


def _with_records(trail: ListedTrail) -> Iterator[tuple[ListedTrail, int]]:
    """Yield the trail with the records, restarts, damage and newest beat so far, and the number of bytes read."""
    before = 0
    for path in trail.paths:
        places, is_cut, beat, size = TrailIndex().places, False, None, 0
        try:
            with TrailFile(path) as file:
                index, size = TrailIndex(), file.size
                for covered in build(file, index):
                    yield trail, before + covered
                places, is_unread = index.places, False
                is_cut = places.covered < size
                if any(role_of(name) is not None for name in index.sums.tables):
                    beat = _newest_beat(file)
        except (CannotRead, TrailError, OSError):
            is_unread = True
        before += size
        trail = trail._replace(
            records=(trail.records or 0) + places.sound_records,
            restarts=trail.restarts + places.restart_count,
            damaged=trail.damaged + places.damaged_places + is_unread,
            ends_in_record=is_cut,
            files_read=trail.files_read + 1,
            last_beat=max(beat or 0, trail.last_beat or 0) or None,
        )
        yield trail, before
    yield from _with_state(trail)


def _with_state(trail: ListedTrail) -> Iterator[tuple[ListedTrail, int]]:
    """Yield the trail with its state, once its transactions have been read; all of its bytes count as read before."""
    with suppress(CannotRead, TrailError, OSError):
        survey = trail_survey.TrailSurvey(trail.paths)
        with Workers(1) as workers:
            for _ in survey.steps(workers):
                yield trail, trail.size
        trail = trail._replace(state=survey.state)
    yield trail, trail.size


def _newest_beat(file: TrailFile) -> int | None:
    """Return the time of the last row of a heartbeat table, None if there is none."""
    newest = None
    for batch in scan(file):
        names = batch.names
        for row in reversed(
            batch.rows_of_tables({key for key in range(len(names)) if role_of(names[key]) is not None})
        ):
            if int(batch.io_type[row]) != METADATA:
                newest = int(batch.io_time[row])
                break
    return newest
