"""The whole trail that a command goes over."""

from __future__ import annotations

from logdump.session.errors import CommandError, MissingFileError
from logdump.session.matching_files import FileNames, matching_files
from logdump.session.session import Session
from trailformat.codec.remote.path import place
from trailformat.errors import NotATrail
from trailformat.trail.packed import is_file
from trailformat.trail.sequence import TrailSequence
from trailformat.transactions.whole_trail import WholeTrail


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
    """The title of an answer about a trail: what names it, and the number of its files where there are several."""
    return f"LogTrail {name}, {files} files" if files > 1 else f"LogTrail {name}"


def name_over(session: Session, over: FileNames | None) -> object:
    """What names the trail of a command: the open file, the wildcard, or the first of the files given."""
    return session.trail.path if over is None else over if isinstance(over, str) else over[0]


def trail_named(session: Session, name: str, command: str) -> WholeTrail:
    """A file, a trail by its name without a number, or the files of a folder or that a wildcard names.

    Raises:
        CommandError: there is none.
    """
    path = place(name).expanduser().absolute()
    if is_file(path):
        return WholeTrail([path])
    if "*" in path.name or "?" in path.name or path.is_dir():
        return whole_trail_of(session, name, command)
    try:
        return WholeTrail(TrailSequence(path).paths)
    except NotATrail as error:
        raise MissingFileError(
            f"{name}: {error.problem}; {command} takes a file, a trail, or a folder or wildcard for one."
        ) from error


def refuse_filter(session: Session, command: str, *, filtered: bool) -> None:
    """See that a command that needs the whole trail does not run under a filter unless it is said to.

    Raises:
        CommandError: it would.
    """
    if not filtered and session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError(f"Half a trail gives wrong answers: FILTER OFF, or {command} FILTERED for fewer findings.")
