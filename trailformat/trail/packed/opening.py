"""Opening of files that may be packed, and their names, sizes and heads."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple

from trailformat.codec.mapped_file import FileStream, InputFile, LocalFile, open_regular
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import RemotePath
from trailformat.errors import CannotRead, NotATrail
from trailformat.trail import command_files
from trailformat.trail.packed.streams import (
    ARCHIVES,
    CHUNK,
    HEAD,
    ByteReader,
    DamagedArchive,
    packing_of,
    unpacked,
    unpacking,
)

with on_demand:
    from trailformat.codec.remote import file as remote_file
    from trailformat.codec.remote import store as remote_store
    from trailformat.trail.packed import archives, copies

if TYPE_CHECKING:
    from trailformat.trail.packed.archives import Archive, ArchivedFile, Visit
    from trailformat.trail.packed.copies import Copies, FileVersion, UnpackedCopy, Write

WHOLE = "whole"
"""The packing of a file that a server does not serve by ranges, so that it is copied."""
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files, which are no part of a trail's name."""
_ARCHIVE_NAME = re.compile(r"\.(zip|tar(\.\w+)?|t[gbx]z2?)$", re.IGNORECASE)
_TAR_NAME = re.compile(r"\.tar\.\w+$|\.t[gbx]z2?$", re.IGNORECASE)
_MOST_ARCHIVES = 16
"""Maximum number of archives whose contents are known at once; each is an open file."""
_MOST_NAMED = 3
_BUFFER = 1 << 16


class OpenedFile(NamedTuple):
    """A file opened for reading its unpacked bytes, its packing (``gzip``, ``tar``, … or None), and its status."""

    file: InputFile
    packing: str | None
    status: os.stat_result


class _Process:
    """What a process has unpacked; a process that is forked begins anew."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.made: Copies | None = None
        self.archives: OrderedDict[FileVersion, Archive | DamagedArchive] = OrderedDict()

    @property
    def copies(self) -> Copies:
        """The unpacked copies, to be asked within ``lock``; ``made`` is None until then."""
        if self.made is None:
            self.made = copies.Copies()
        return self.made


_process = _Process()


def _begin_anew() -> None:
    global _process  # noqa: PLW0603 - locks and places in files that are written do not survive a fork
    _process = _Process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def open_unpacked(path: Path) -> OpenedFile:
    """Open a file for reading, unpacked if it is packed.

    Raises:
        OSError: it is not there, cannot be read, or is no regular file.
        ValueError: no file can have such a name.
        NotATrail: it is an archive, or cannot be unpacked.
        CannotRead: there is no room for the unpacked copy, or reading has failed.
    """
    try:
        file, archive, member = open_file(path), path, ""
    except NotADirectoryError:
        file, archive, member = _archive_around(path)
    try:
        packing, status = packing_of(_head(file)), file.status()
        if not member and packing is None:
            return OpenedFile(file, WHOLE if isinstance(file, _WholeCopy) else None, status)
        with _process.lock:
            copy = _copy_of_member(path, file, archive, member) if member else _copy_of(path, file)
            opened = OpenedFile(copy.open(), packing or "", status)
    except BaseException:
        file.close()
        raise
    file.close()
    return opened


def open_file(path: Path) -> InputFile:
    """Open a regular file of this machine or of a store; a copy of it if the server does not serve ranges.

    Raises:
        OSError: it is not there, cannot be read, or is no regular file.
        ValueError: no file can have such a name.
        NotATrail: it is larger than the limit.
    """
    if not isinstance(path, RemotePath):
        return LocalFile(open_regular(path))
    try:
        file = remote_file.RemoteFile(path)
    except FileNotFoundError:
        if _is_in_archive(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path)) from None
        raise
    except remote_store.NoRangesError:
        return _whole_copy(path)
    try:
        file.read(0, HEAD)
    except remote_store.NoRangesError:
        file.close()
        return _whole_copy(path)
    except BaseException:
        file.close()
        raise
    return file


class _WholeCopy(LocalFile):
    """The copy of a file that its server does not serve by ranges, with the status that the file had there."""

    __slots__ = ()


def _whole_copy(path: RemotePath) -> LocalFile:
    store, url = remote_store.store_of(path.url), path.url
    facts = store.facts(url, now=True)
    with _process.lock:
        key, kept = copies.FileVersion.of(remote_store.status_of(url, facts), WHOLE), _process.copies
        copy = kept.get(key) or kept.add(key, path, lambda write: store.copy_whole(url, write))
        status = remote_store.status_of(url, facts._replace(size=copy.status.st_size))
        return _WholeCopy(os.dup(copy.volume.handle), copy.start, status)


def unpacked_size(path: Path) -> int:
    """Return the size of a file in bytes, unpacked; a packed file is unpacked for this.

    Raises:
        OSError, ValueError, NotATrail, CannotRead: like :func:`open_unpacked`.
    """
    file = open_unpacked(path).file
    try:
        return file.status().st_size
    finally:
        file.close()


def known_size(path: Path) -> int:
    """Return the size of a file without unpacking it: that of its kept copy if there is one, else that on disk.

    Raises:
        OSError: it is not there.
    """
    status = status_of(path)
    made = _process.made  # without the lock: a progress display calls it during unpacking
    copy = made.known(copies.FileVersion.of(status)) if made is not None else None
    return copy.status.st_size if copy is not None else status.st_size


def unpacked_head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, at most ``size``; a compressed file is not unpacked beyond them.

    Raises:
        OSError, ValueError, NotATrail, CannotRead: like :func:`open_unpacked`.
    """
    try:
        opened = open_file(path)
    except NotADirectoryError:
        opened = open_unpacked(path).file
    with _stream(opened) as file:
        packing = packing_of(_head(opened))
        if packing is None or packing in ARCHIVES:
            return file.read(size)
        with unpacking(path, "it"):
            return unpacked(file, path)[0].read(size)


def entries_of(folder: Path) -> list[Path]:
    """Return the entries of a folder, or the files in an archive or in a folder of one.

    Raises:
        OSError: it is neither.
        NotATrail, CannotRead: like :func:`open_unpacked`.
    """
    if folder.is_dir() or not (folder.is_file() or _is_in_archive(folder)):
        return list(folder.iterdir())
    archive, member = _archive_and_member(folder)
    inside = PurePosixPath(member)
    return [path / name for path, name in _names_in(archive) if PurePosixPath(name).parent == inside]


def members_of(archive: Path) -> list[Path]:
    """Return all files in an archive, including those in its folders. Raises like :func:`entries_of`."""
    return [path / name for path, name in _names_in(archive)]


def _names_in(path: Path) -> list[tuple[Path, str]]:
    file = open_file(path)
    try:
        with _process.lock:
            return [(path, name) for name in _archive(path, file).names()]
    finally:
        file.close()


def is_archive(path: Path) -> bool:
    """Return True if a regular file is an archive: by its first bytes, for a compressed one also by its name."""
    if isinstance(path, RemotePath) and not _ARCHIVE_NAME.search(path.name):
        return False
    try:
        file = open_file(path)
    except (OSError, ValueError, NotATrail):
        return False
    try:
        packing = packing_of(_head(file))
    except OSError:
        return False
    finally:
        file.close()
    return packing in ARCHIVES or (packing is not None and _TAR_NAME.search(path.name) is not None)


def is_file(path: Path) -> bool:
    """Return True if there is a regular file of this path, or a member of an archive."""
    if path.is_file():
        return True
    try:
        return _is_in_archive(path) and _is_member(path)
    except (OSError, ValueError, NotATrail, CannotRead):
        return False


def is_special(path: Path) -> bool:
    """Return True if a path is a FIFO, a socket or a device: a name that exists and holds no trail."""
    return not isinstance(path, RemotePath) and (
        path.is_fifo() or path.is_socket() or path.is_char_device() or path.is_block_device()
    )


def _is_member(path: Path) -> bool:
    file, archive, member = _archive_around(path)
    try:
        with _process.lock:
            return _archive(archive, file).find(member) is not None
    finally:
        file.close()


def status_of(path: Path) -> os.stat_result:
    """Return the status of a file; for a member of an archive, that of the archive.

    Raises:
        OSError: it is not there.
    """
    try:
        return path.stat()
    except (NotADirectoryError, FileNotFoundError):
        if not is_file(path):
            raise
        return next(parent for parent in _maybe_archives(path) if parent.is_file()).stat()


def _is_in_archive(path: Path) -> bool:
    return any(parent.is_file() for parent in _maybe_archives(path))


def _maybe_archives(path: Path) -> Iterator[Path]:
    """Yield the parents of a path; in a store, where each takes a request, only those named like archives."""
    is_remote = isinstance(path, RemotePath)
    return (parent for parent in path.parents if not is_remote or _ARCHIVE_NAME.search(parent.name))


def _archive_around(path: Path) -> tuple[InputFile, Path, str]:
    """Open the regular file among the parents of a path; return it, its path, and the rest of the path."""
    for parent in _maybe_archives(path):
        with contextlib.suppress(NotADirectoryError):
            return open_file(parent), parent, "/".join(path.parts[len(parent.parts) :])
    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path))


def _archive_and_member(folder: Path) -> tuple[Path, str]:
    """Return the archive of a path and the rest of the path, which is empty for the archive itself."""
    if folder.is_file():
        return folder, ""
    file, archive, member = _archive_around(folder)
    file.close()
    return archive, member


def _head(file: InputFile) -> bytes:
    """Return the first bytes of a file; whether it is read in order is not known by this."""
    twin = file.twin()
    try:
        return twin.read(0, HEAD)
    finally:
        twin.close()


def _stream(file: InputFile) -> IO[bytes]:
    """Return the bytes of a file as a stream; closing the stream closes the file."""
    return io.BufferedReader(FileStream(file), _BUFFER)


def _archive(path: Path, file: InputFile) -> Archive:
    """Return what is in an archive; a compressed one is unpacked for this, as far as there is room. Needs the lock."""
    key, known = copies.FileVersion.of(file.status()), _process.archives
    if key not in known:
        problems: dict[ArchivedFile, str] = {}
        stream = _stream(file.twin())
        try:
            known[key] = archive = archives.archive_of(stream, path, _keeping(path, key, stream, problems, None))
            archive.problems = problems
        except DamagedArchive as error:
            known[key] = error
            stream.close()
        except BaseException:
            stream.close()
            raise
        if len(known) > _MOST_ARCHIVES and not isinstance(former := known.popitem(last=False)[1], DamagedArchive):
            former.close()
    known.move_to_end(key)
    if isinstance(answer := known[key], DamagedArchive):
        raise DamagedArchive(answer.problem, path=path)
    return answer


def _copy_of(path: Path, file: InputFile) -> UnpackedCopy:
    """Return the kept copy of a compressed file; unpack it if there is none. Needs the lock."""
    key, kept = copies.FileVersion.of(file.status()), _process.copies
    if (copy := kept.get(key)) is not None:
        return copy
    with _stream(file.twin()) as stream, unpacking(path, "it"):
        reader, _ = unpacked(stream, path)
        if packing_of(reader.head) is None:
            return kept.add(key, path, _all_of(reader, path, stream))
    raise NotATrail(_archive_problem(path, file), path=path)


def _copy_of_member(path: Path, file: InputFile, archive_path: Path, name: str) -> UnpackedCopy:
    """Return the kept copy of a file in an archive; unpack it if there is none. Needs the lock."""
    key, kept = copies.FileVersion.of(file.status()), _process.copies
    archive = _archive(archive_path, file)
    member = archive.find(name)
    if member is None:
        raise archive.refusal(name, path)
    member_key = _member_key(key, member)
    if member not in archive.problems and kept.get(member_key) is None:
        archive.visit(member, _keeping(path, key, archive.stream, archive.problems, member), archive_path)
    if member in archive.problems:
        raise NotATrail(archive.problems[member], path=path)
    if (copy := kept.get(member_key)) is None:
        raise CannotRead("the archive has changed while it was read", path=archive_path)
    return copy


def _member_key(archive: FileVersion, member: ArchivedFile) -> FileVersion:
    return archive._replace(member=str(member.at))


def _keeping(
    path: Path, archive: FileVersion, stream: IO[bytes], problems: dict[ArchivedFile, str], asked: ArchivedFile | None
) -> Visit:
    """Return what keeps copies of the members of an archive: of the asked one, and of others while there is room.

    Why a member cannot be unpacked is noted in ``problems``.
    """
    kept = _process.copies
    room = kept.room

    def keep(member: ArchivedFile, source: ByteReader) -> None:
        nonlocal room
        key, most = _member_key(archive, member), None if member == asked else room
        if member != asked and (not room or kept.known(key) is not None):
            return
        try:
            with unpacking(path, "it"):
                copy = kept.add(key, path, _all_of(_no_archive(source, path), path, stream), most)
            room = max(room - copy.status.st_size, 0)
        except DamagedArchive:
            raise
        except NotATrail as error:
            problems[member] = error.problem
        except CannotRead:
            if member == asked:
                raise
            room = 0

    return keep


def _no_archive(source: ByteReader, path: Path) -> ByteReader:
    """Return a reader of the unpacked bytes of a file in an archive. Raises NotATrail if it is itself an archive."""
    reader, _ = unpacked(source, path)
    if (inner := packing_of(reader.head)) is not None:
        raise NotATrail(f"it is a {inner} archive in an archive: unpack it", path=path)
    return reader


def _all_of(source: ByteReader, path: Path, stream: IO[bytes]) -> Callable[[Write], None]:
    """Return what writes all bytes of a reader; progress is the place in the packed file."""

    def write_all(write: Write) -> None:
        while chunk := source.read(CHUNK):
            write(chunk)
            command_files.report(path, stream.tell())

    return write_all


def _archive_problem(path: Path, file: InputFile) -> str:
    """Return the message for an archive that is opened as a trail."""
    archive = _archive(path, file)
    names = archive.names()
    shown = ", ".join(f"{path.name}/{name}" for name in names[:_MOST_NAMED])
    more = ", …" if len(names) > _MOST_NAMED else ""
    kind = f"{archive.kind} archive"
    return f"it is a {kind}: open a file in it, {shown}{more}" if names else f"it is an empty {kind}"
