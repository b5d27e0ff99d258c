"""Reading across the files of a trail: from the end of one file to the beginning of the next, or back."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.session.errors import ExitStatus, MissingFileError
from logdump.session.events import Event, Notice, Text
from logdump.session.settings import Across
from trailformat import TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.records.record_header import CarriedTransaction
from trailformat.trail import command_files
from trailformat.trail.sequence import FilePosition, file_beyond

with on_demand:
    from trailformat.transactions import whole_trail

if TYPE_CHECKING:
    from logdump.session.cursor import Place
    from logdump.session.session import Session
    from trailformat.transactions.whole_trail import WholeTrail


def return_to(session: Session, place: Place) -> Iterator[Event]:
    """Return to a position; if another file is open now, the former one is opened again, with a message.

    Raises:
        NotATrail: the former file cannot be opened any more.
    """
    if session.trail.path != place.path:
        yield from go_to(session, place.path)
    session.cursor.return_to(place)


def go_to(session: Session, path: Path) -> Iterator[Event]:
    """Open another file of the trail, with the message of NEXTTRAIL; the read direction is kept.

    Raises:
        NotATrail: it cannot be opened; the former file stays open.
    """
    former, is_backwards, beginnings = session.trail.path, session.cursor.is_backwards, session.trail.beginnings
    trail = session.open(path)
    trail.beginnings = beginnings
    session.cursor.is_backwards = is_backwards
    if is_backwards:
        session.cursor.move(trail.size)
    yield Text((f"LogTrail {former} closed", f"Current LogTrail is {path}"), is_about_files=True)


def move_to(session: Session, position: FilePosition) -> Iterator[Event]:
    """Move to a position of the trail; a file that is not open is opened with its message. Raises as ``go_to``."""
    if position.path != session.trail.path:
        yield from go_to(session, position.path)
    session.cursor.move(position.rba)


def over_files(session: Session, close: Callable[[TrailFile], None] = TrailFile.close) -> Iterator[TrailFile]:
    """Yield the open file and, with ACROSS, those after it; while a file is handled, the session reads it.

    ``close`` is called with each later file when it is done. Raises as ``files_from``, and NotATrail.
    """
    beginnings: dict[Path, CarriedTransaction | None] = {}
    yield session.trail
    for path in islice(files_from(session), 1, None):
        trail = TrailFile(path, beginnings=beginnings)
        try:
            with session.reading(trail):
                yield trail
        finally:
            close(trail)


def files_from(session: Session) -> Iterator[Path]:
    """Yield the open file and, with ACROSS, those after it in the trail, as it is now on disk.

    Raises:
        CommandError: a file in between is missing, and ACROSS does not step over gaps.
    """
    path, across = session.trail.path, session.settings.across
    if across is Across.OFF:
        command_files.announce([path])
        yield path
        return
    whole = whole_trail.WholeTrail.around(path)
    first = whole.ordinals.get(path, len(whole)) + 1
    stop = _end_of(whole, session.settings.across_to, path)
    command_files.announce([path, *whole.paths[first:stop]])
    yield path
    for ordinal in range(first, stop):
        _check_gap(across, whole.paths[ordinal], whole.missing_before(ordinal))
        yield whole.paths[ordinal]


def _end_of(whole: WholeTrail, last: Path | None, path: Path) -> int:
    """Return the ordinal after the file of ACROSS TO; that after the last file if there is none from ``path`` on."""
    end = whole.ordinals.get(last) if last is not None else None
    return len(whole) if end is None or end < whole.ordinals.get(path, 0) else end + 1


def goes_over_files(session: Session) -> bool:
    """Return True if ACROSS lets commands that write continue after the open file. Raises as ``files_from``."""
    return next(islice(files_from(session), 1, None), None) is not None


def _check_gap(across: Across, following: Path, missing: Path | None) -> None:
    if missing is not None and across is not Across.GAPS:
        raise MissingFileError(f"{missing} is missing. ACROSS GAPS reads on in {following.name}.")


def cross(session: Session) -> Generator[Event, None, bool]:
    """Continue in the next file of the trail in the read direction.

    Return False without ACROSS, and at the end of the trail.

    Raises:
        CommandError: a file in between is missing, and ACROSS does not step over gaps.
        NotATrail: the next file cannot be opened; the former one stays open.
    """
    across = session.settings.across
    if across is Across.OFF:
        return False
    following, missing = file_beyond(session.trail.path, -1 if session.cursor.is_backwards else 1)
    if following is None or session.trail.path == session.settings.across_to:
        return False
    _check_gap(across, following, missing)
    if missing is not None:
        yield _stepped_over(missing, following)
    yield from go_to(session, following)
    return True


def gaps_stepped_over(session: Session) -> Iterator[Event]:
    """Yield a notice for each gap among the files of ``files_from``, if ACROSS steps over gaps. Raises as that."""
    if session.settings.across is Across.GAPS:
        for gap in whole_trail.gaps_among(files_from(session)):
            yield _stepped_over(gap.first, gap.file_after)


def _stepped_over(missing: Path, following: Path) -> Notice:
    return Notice((f"{missing} is missing: reading on in {following.name}.",), ExitStatus.OK)


def cross_towards(session: Session, *, backwards: bool) -> Generator[Event, None, bool]:
    """Continue in the next file in a given direction, keeping the read direction. Raises as ``cross``."""
    was_backwards = session.cursor.is_backwards
    session.cursor.is_backwards = backwards
    try:
        return (yield from cross(session))
    finally:
        session.cursor.is_backwards = was_backwards
