"""Finds the files of the paths given to ``load``: names, directories, globs and lists, in the order of writing.

As in Spark, names that begin with ``.`` or ``_`` are left out of directories and globs, and folders in a directory are
entered only with ``recursiveFileLookup``. A path that ends with a two-letter trail name (``dirdat/lt``) means all files
of that trail, as for OPEN.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from logdump.language import parameters
from logdump.session.errors import ArgumentError
from logdump.tables.errors import BadOption, NoTrailFiles
from logdump.tables.options import Options
from trailformat import TrailError, TrailName, TrailSequence
from trailformat.codec.remote.path import RemotePath, path_of
from trailformat.codec.remote.url import is_url
from trailformat.errors import reason_of
from trailformat.trail.name_list import names_in
from trailformat.trail.packed import entries_of, is_archive, is_file, members_of, status_of
from trailformat.trail.sequence import is_unborn, trails_among

_NO_PATH = (
    "there is no path. load(…) takes one; in SQL write SELECT … FROM trail WITH (path='…') or CREATE TEMPORARY VIEW v "
    "USING trail OPTIONS (path '…'): Spark loses the OPTIONS and the LOCATION of CREATE TABLE … USING trail"
)


class TrailInput(NamedTuple):
    """A file to read.

    Attributes:
        name: None if the file has no sequence number.
        oldest: the number with which the trail begins if its numbers have started over, else 0.
    """

    path: Path
    name: TrailName | None
    oldest: int = 0

    @property
    def seqno(self) -> int | None:
        """Sequence number; None if the file has none."""
        return self.name.seqno if self.name else None

    def age_of(self, seqno: int) -> int:
        """Return a sequence number of this trail as one that grows with time even if the numbers start over."""
        return (seqno - self.oldest) % 10**self.name.digits if self.name and self.oldest else seqno

    @property
    def trail(self) -> Path:
        """Path common to the files of a trail, without the number; for a file without a number its own path."""
        return self.name.trail if self.name else self.path

    @property
    def ends_trail(self) -> bool:
        """True if there is no next file with records, so that this one may be growing."""
        following = self.name.next.found() if self.name else None
        return following is None or is_unborn(following)


def find_files(options: Options) -> list[TrailInput]:
    """Return the files, trail after trail, each in the order of its sequence numbers.

    Raises:
        BadOption: there is no path, or a path is of another file system.
        NoTrailFiles: no file matches, or a directory cannot be listed.
    """
    patterns = _patterns(options)
    matching = {pattern: [*_matching(pattern, options)] for pattern in patterns}
    if any(matching.values()) and (missing := [pattern for pattern, paths in matching.items() if not paths]):
        raise NoTrailFiles(f"no trail files match {', '.join(missing)}, of {len(matching)} names")
    paths = dict.fromkeys(path for paths in matching.values() for path in paths)
    wanted_paths = [path for path in paths if _is_wanted(path, options)]
    if not wanted_paths:
        raise NoTrailFiles(f"no trail files match {', '.join(patterns)}{_after_filters(len(paths))}")
    return list(_in_order(wanted_paths))


def _after_filters(matching: int) -> str:
    return f": pathGlobFilter or modifiedAfter/Before leave none of {matching}" if matching else ""


def _patterns(options: Options) -> list[str]:
    given = [*([options.path] if options.path else []), *options.paths]
    patterns = [part for text in given for part in map(source_path, names_in(source_path(text)))]
    if not patterns:
        raise BadOption(_NO_PATH)
    return patterns


def source_path(text: str) -> str:
    """Return the URL of a store, or a local path as :func:`local_path` does. Raises like local_path."""
    return text.strip() if is_url(text.strip()) else local_path(text)


def local_path(text: str) -> str:
    """Return a path without the scheme ``file:`` and the blanks around it.

    Raises:
        BadOption: the path has another scheme.
    """
    try:
        return parameters.local_path(text.strip())
    except ArgumentError as error:
        raise BadOption(str(error)) from None


def _matching(pattern: str, options: Options) -> Iterator[Path]:
    path = path_of(pattern).absolute()
    if path.is_dir():
        yield from _listed(path, options)
    elif is_archive(path):
        yield from (member for member in members_of(path) if _is_visible(member.name))
    elif path.exists() or is_file(path):
        yield path
    elif glob.has_magic(pattern):
        for match in sorted(_globbed(path)) or _globbed_in_archive(path) or _of_trail(path):
            if _is_visible(match.name):
                yield from _listed(match, options) if match.is_dir() else [match]
    else:
        yield from _of_trail(path)


def _globbed(pattern: Path) -> Iterator[Path]:
    if not isinstance(pattern, RemotePath):
        yield from map(Path, glob.glob(str(pattern), recursive=True))  # noqa: PTH207 - of an absolute path
        return
    paths: list[Path] = [pattern.top]
    for part in pattern.parts[len(pattern.top.parts) :]:
        if part == "**":
            paths = [folder for top in paths for folder in (top, *_folders_in(top))]
        elif glob.has_magic(part):
            paths = [entry for top in paths for entry in _entries(top) if fnmatchcase(entry.name, part)]
        else:
            paths = [top / part for top in paths]
    yield from (path for path in paths if path.exists())


def _globbed_in_archive(pattern: Path) -> list[Path]:
    if pattern.parent.is_dir():
        return []
    return sorted(entry for entry in _entries(pattern.parent) if fnmatchcase(entry.name, pattern.name))


def _entries(folder: Path) -> list[Path]:
    try:
        return entries_of(folder)
    except (OSError, TrailError):
        return []


def _folders_in(folder: Path) -> Iterator[Path]:
    for entry in filter(Path.is_dir, _entries(folder)):
        yield entry
        yield from _folders_in(entry)


def _of_trail(path: Path) -> Sequence[Path]:
    try:
        return TrailSequence(path).paths if len(path.name) == 2 else ()
    except TrailError:
        return ()


def _listed(directory: Path, options: Options) -> Iterator[Path]:
    try:
        if isinstance(directory, RemotePath):
            yield from _listed_in_store(directory, options)
            return
        for folder, inside, names in os.walk(directory, onerror=_refuse):
            inside[:] = sorted(filter(_is_visible, inside)) if options.recursive_file_lookup else []
            yield from (Path(folder, name) for name in sorted(filter(_is_visible, names)))
    except OSError as error:
        raise NoTrailFiles(f"{directory}: {reason_of(error)}") from None


def _listed_in_store(folder: Path, options: Options) -> Iterator[Path]:
    entries = [entry for entry in sorted(folder.iterdir()) if _is_visible(entry.name)]
    yield from filter(Path.is_file, entries)
    for entry in entries if options.recursive_file_lookup else ():
        if entry.is_dir():
            yield from _listed_in_store(entry, options)


def _refuse(error: OSError) -> None:
    raise error


def _is_visible(name: str) -> bool:
    return not name.startswith((".", "_"))


def _is_wanted(path: Path, options: Options) -> bool:
    if options.path_glob_filter is not None and not fnmatchcase(path.name, options.path_glob_filter):
        return False
    after, before = options.modified_after, options.modified_before
    if after is None and before is None:
        return True
    try:
        modified = datetime.fromtimestamp(status_of(path).st_mtime, UTC)
    except OSError:
        return True
    return (after is None or modified > after) and (before is None or modified < before)


def _in_order(paths: Iterable[Path]) -> Iterator[TrailInput]:
    trails, other_paths = trails_among(paths)
    for ordered in trails:
        oldest = ordered[0].seqno if ordered[0].seqno > ordered[-1].seqno else 0
        yield from (TrailInput(name.path, name, oldest) for name in ordered)
    yield from (TrailInput(path, None) for path in other_paths)
