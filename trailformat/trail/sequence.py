"""The files of one trail: two characters and a sequence number, ``lt000000`` or ``tr000000000``.

Numbers have 6 digits up to release 12.1 and 9 from 12.2 on; after the highest number follows 0.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from os.path import lexists
from pathlib import Path
from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import RemotePath, place
from trailformat.errors import CannotRead, NotATrail, PartialRecord, TrailError, not_opened
from trailformat.trail.command_files import reading
from trailformat.trail.packed import SUFFIXES, entries_of, is_file, open_unpacked

with on_demand:
    from trailformat.trail import resync

_DOCUMENTED = r"(.{2})([0-9]{6}|[0-9]{9})"
_ANY = r"(.*[^0-9])([0-9]{1,9})"
_BARE_LENGTH = 2
"""Length of a trail's name without a sequence number."""
_DIGITS = (6, 9)
_LONGEST_HEAD = 1 << 16
"""Bytes of a file, more than its header can have, above which it is no file without records."""


class TrailName(NamedTuple):
    """The parts of a trail file's path; ``packing`` is the suffix of a compressed file, such as ``.gz``."""

    directory: Path
    prefix: str
    seqno: int
    digits: int
    packing: str = ""

    @classmethod
    def parse(cls, path: str | os.PathLike[str]) -> TrailName | None:
        """Split ``path``; return None if its name does not end in a sequence number."""
        path = place(path)
        packing = path.suffix if path.suffix in SUFFIXES else ""
        name = path.name.removesuffix(packing)
        match = re.fullmatch(_DOCUMENTED, name, re.DOTALL) or re.fullmatch(_ANY, name, re.DOTALL)
        return cls(path.parent, match[1], int(match[2]), len(match[2]), packing) if match else None

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.directory / f"{self.prefix}{self.seqno:0{self.digits}d}{self.packing}"

    @property
    def plain_path(self) -> Path:
        """Path of the file as it was written, without a packing suffix; messages name a missing file by it."""
        return self._replace(packing="").path

    @property
    def trail(self) -> Path:
        """Folder and prefix of the files of its trail, as ``dirdat/lt``."""
        return self.directory / self.prefix

    @property
    def next(self) -> TrailName:
        """The name after this one; 0 follows the highest number."""
        return self.beyond(1)

    @property
    def previous(self) -> TrailName:
        """The name before this one; the highest number precedes 0."""
        return self.beyond(-1)

    def beyond(self, step: int) -> TrailName:
        """Return the name after this one (``step`` 1) or before it (-1), modulo the number of seqnos."""
        return self._replace(seqno=(self.seqno + step) % 10**self.digits)

    def precedes(self, other: TrailName) -> bool:
        """Return True if the other file has the number after this one's, however either is packed."""
        return self.next._replace(packing=other.packing) == other

    def found(self) -> Path | None:
        """Return the existing file of this number, plain or packed; None without one."""
        packings = dict.fromkeys(("", self.packing, *(() if isinstance(self.directory, RemotePath) else SUFFIXES)))
        paths = (self._replace(packing=packing).path for packing in packings)
        return next((path for path in paths if _is_there(path)), None)

    @property
    def is_documented(self) -> bool:
        """True if it has the two characters and 6 or 9 digits that GoldenGate gives to trail files."""
        return len(self.prefix) == _BARE_LENGTH and self.digits in _DIGITS


class FilePosition(NamedTuple):
    """A file and the RBA of a byte in it."""

    path: Path
    rba: int

    def is_in(self, path: Path) -> bool:
        """Return True if it is in this file; mostly both paths are one object, which saves the comparison."""
        return self.path is path or self.path == path


class TrailSequence:
    """The files of a trail, in the order in which they were written.

    Args:
        path: any file of the trail, or its directory and two-character name (``dirdat/lt``).

    Attributes:
        names: the files; the newest ones only if they have records, unless no file has.
        unborn: the newest files that have no records yet.

    Raises:
        NotATrail: no file has such a name.
        CannotRead: the folder cannot be listed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        path = place(path)
        name = TrailName.parse(path) if len(path.name) > _BARE_LENGTH else None
        self.directory = path.parent
        self.prefix = name.prefix if name else path.name
        self.refresh()

    def __repr__(self) -> str:
        count = len(self.names)
        return f"<TrailSequence {str(self.directory / self.prefix)!r}, {count} file{'s' * (count != 1)}>"

    def refresh(self) -> None:
        """List the directory again."""
        try:
            entries = [entry for entry in entries_of(self.directory) if entry.name.startswith(self.prefix)]
        except (OSError, ValueError) as error:
            raise _not_listed(error, self.directory) from error
        own = [name for name in map(TrailName.parse, entries) if name is not None and name.prefix == self.prefix]
        ordered = list(in_order(_one_of_each(own)))
        if not ordered:
            raise NotATrail("no file of this trail", path=self.directory / self.prefix)
        born = _born(ordered)
        self.names, self.unborn = tuple(ordered[:born]), tuple(ordered[born:])
        if (files := reading()) is not None:
            files.listed(name.path for name in ordered)
            files.leave_out(name.path for name in self.unborn)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files in the order in which they were written."""
        return tuple(name.path for name in self.names)

    def __iter__(self) -> Iterator[Path]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.names)

    def after(self, path: str | os.PathLike[str]) -> Path | None:
        """Return the file after ``path``; None if it is the last or not in the list."""
        paths = self.paths
        index = paths.index(place(path)) if place(path) in paths else len(paths)
        return paths[index + 1] if index + 1 < len(paths) else None


def _not_listed(error: OSError | ValueError, folder: Path) -> NotATrail | CannotRead:
    """Return the error for a folder; CannotRead if listing is not permitted, as it may have any file of the trail."""
    return CannotRead.of(error, folder) if isinstance(error, PermissionError) else not_opened(error, folder)


def _one_of_each(names: list[TrailName]) -> list[TrailName]:
    """Return one name per file of a trail: the plain one if it exists plain and packed."""
    packed_first = sorted(names, key=lambda name: name.packing, reverse=True)
    chosen = {(name.seqno, name.digits): name for name in packed_first}
    return list(chosen.values())


def is_unborn(path: Path) -> bool:
    """Return True if a file is empty, or ends inside its first record, as from its creation to the first flush.

    Only of the newest file of a trail this is no error. A file that cannot be read is not unborn.
    """
    try:
        if _is_long(path):
            return False
        file = open_unpacked(path).file  # its copy is kept: who asks reads it next
        try:
            size = min(_LONGEST_HEAD, file.status().st_size)
            head = file.read(0, size)
        finally:
            file.close()
        if len(head) < size:
            return False  # it was truncated since: who reads it says so
        if head and len(head) < _LONGEST_HEAD:
            resync.sound_frame(head, 0, len(head), ByteOrder.BIG, order_known=False)
    except PartialRecord:
        return True
    except (OSError, ValueError, TrailError, CannotRead):
        return False
    return not head


def _is_long(path: Path) -> bool:
    """Return True if a file, whose status takes less than reading it, has more bytes than a file header."""
    try:
        return path.stat().st_size >= _LONGEST_HEAD
    except (FileNotFoundError, NotADirectoryError):
        return False  # a member of an archive


def _born(names: Sequence[TrailName]) -> int:
    """Return the number of files up to the last one with records; all if none has records."""
    born = len(names)
    while born and is_unborn(names[born - 1].path):
        born -= 1
    return born or len(names)


def without_unborn(names: list[TrailName]) -> list[TrailName]:
    """Return files of a trail without those at the end that have no records yet; all if none has records.

    Files that have a successor with records stay: they are no newest files.
    """
    born = _born(names)
    if born == len(names):
        return names
    try:
        unborn = set(TrailSequence(names[-1].path).unborn)
    except (NotATrail, CannotRead):
        return names
    while born < len(names) and names[born] not in unborn:
        born += 1
    return names[:born]


def trails_among(paths: Iterable[Path]) -> tuple[list[list[TrailName]], list[Path]]:
    """Group files by trail; return the trails by name, each in the order of writing, and the files of no trail.

    The newest files of a trail are left out if they have no records yet, unless no file of it has.
    """
    trails: dict[tuple[Path, str], list[TrailName]] = {}
    others, given = list[Path](), list(paths)
    if (files := reading()) is not None:
        files.listed(given)
    for path in given:
        name = TrailName.parse(path)
        if name is not None and name.path == path:
            trails.setdefault((name.directory, name.prefix), []).append(name)
        else:
            others.append(path)
    ordered = (list(in_order(_one_of_each(names))) for _, names in sorted(trails.items()))
    return [without_unborn(names) for names in ordered], sorted(others)


def in_order(names: list[TrailName]) -> Iterator[TrailName]:
    """Yield the names of one trail in the order of writing.

    Fewer digits are first; within one width, the name after the widest gap if the numbers wrapped.
    """
    for digits in sorted({name.digits for name in names}):
        same = sorted((name for name in names if name.digits == digits), key=lambda name: name.seqno)
        first = first_written([name.seqno for name in same], 10**digits)
        yield from same[first:] + same[:first]


def first_written(numbers: Sequence[int], modulus: int) -> int:
    """Return the index of the oldest of ascending numbers: 0, unless both 0 and the highest are used: they wrapped."""
    if not numbers or numbers[0] != 0 or numbers[-1] != modulus - 1:
        return 0
    gaps = [later - earlier for earlier, later in pairwise(numbers)]
    return gaps.index(max(gaps)) + 1 if gaps else 0


def previous_file(path: Path) -> tuple[Path | None, Path | None]:
    """Return the file of the trail before this one, and the name of a missing file between them; each may be None.

    A name that is not GoldenGate's (``is_documented``) has no neighbours.
    """
    return _neighbour(path, -1)


def next_file(path: Path) -> tuple[Path | None, Path | None]:
    """Return the file after this one and the name of a missing file between, like :func:`previous_file`."""
    return _neighbour(path, 1)


def file_beyond(path: Path, step: int) -> tuple[Path | None, Path | None]:
    """Return the nearest file of the trail after this one (``step`` 1) or before it (-1), and a missing one between.

    Before the first file of a trail whose first files were deleted, one is missing. A newest file without records is
    none. The folder is listed only if the file with the next (previous) number does not exist or has no records, so
    that a walk over many files is linear in their number.

    Raises:
        CannotRead: the command has seen that file, and it does not exist now.
    """
    name = TrailName.parse(path)
    if name is None or not name.is_documented:
        return None, None
    wanted = name.beyond(step)
    if _is_there(path) and (there := wanted.found()) is not None:
        if (files := reading()) is not None:
            files.listed([there])
        if step < 0 or not is_unborn(there):
            return there, None
    else:
        _check_not_removed(path if wanted.found() is not None else wanted.path)
    return nearest_of(names_around(path), path, step)


def _check_not_removed(path: Path) -> None:
    """Raise CannotRead if a file existed earlier in the command and is gone now, unless files may come and go in it."""
    files = reading()
    if files is not None and not files.goes_on and files.has_noted(path) and not is_file(path):
        files.check_removed(path)


def _is_there(path: Path) -> bool:
    return path.exists() if isinstance(path, RemotePath) else lexists(path)


def names_around(path: Path) -> tuple[TrailName, ...]:
    """Return the files of the trail of a file in the order of writing; empty if its name is not GoldenGate's."""
    name = TrailName.parse(path)
    if name is None or not name.is_documented:
        return ()
    try:
        return TrailSequence(path).names
    except NotATrail:
        return ()


def nearest_of(names: Sequence[TrailName], path: Path, step: int) -> tuple[Path | None, Path | None]:
    """Return the same as :func:`file_beyond`, among the files of ``names_around``."""
    name = TrailName.parse(path)
    if name is None or not names:
        return None, None
    numbers = [(trail_name.seqno, trail_name.digits) for trail_name in names]
    index = numbers.index((name.seqno, name.digits)) + step if (name.seqno, name.digits) in numbers else -1
    wanted = name.beyond(step)
    if not 0 <= index < len(names):
        return None, wanted.plain_path if step < 0 and name.seqno else None
    is_next = names[index].digits != name.digits or names[index].seqno == wanted.seqno
    return names[index].path, None if is_next else wanted.plain_path


def _neighbour(path: Path, step: int) -> tuple[Path | None, Path | None]:
    beyond, missing = file_beyond(path, step)
    return None if missing is not None else beyond, missing
