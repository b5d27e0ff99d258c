"""Packed files: a compressed file or a member of an archive is read from an unpacked copy.

    lt000000001.gz               gzip; also bzip2, xz and zstd (which needs zstandard)
    trails.tar.gz/lt000000001    a member of a tar archive, compressed or not, or of a zip archive

The format is detected from the first bytes of a file, not from its name. A copy is an unnamed file in the folder for
temporary files; the system deletes it with its last descriptor, however the process ends. The most recent copies are
kept for the next opening of the same file; a file that has changed since is unpacked again.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, Protocol, cast

from trailformat.codec.mapped_file import InputFile, LocalFile
from trailformat.codec.regular_file import open_regular
from trailformat.codec.remote.path import RemotePath
from trailformat.errors import CannotRead, NotATrail
from trailformat.records import reached

LIMIT_VARIABLE = "LOGDUMP_UNPACKED_LIMIT"
"""The environment variable that replaces LIMIT, in bytes."""
LIMIT = 64 << 30
"""Maximum bytes of one unpacked file, and of all copies kept: a small file can unpack to any number of zeros."""
WHOLE = "whole"
"""The packing of a file that a server does not serve by ranges, so that it is copied."""
_MOST_KEPT = 64
_MOST_LAYERS = 3
_CHUNK = 1 << 20
_MAGICS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_TAR = b"ustar"
_ARCHIVES = ("zip", "tar")
_ARCHIVE_NAME = re.compile(r"\.(zip|tar(\.\w+)?|t[gbx]z2?)$", re.IGNORECASE)
_TAR_NAME = re.compile(r"\.tar\.\w+$|\.t[gbx]z2?$", re.IGNORECASE)
_TAR_AT = 257
_HEAD = _TAR_AT + len(_TAR)
_MOST_NAMED = 3
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files, which are no part of a trail's name."""


class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...


class OpenedFile(NamedTuple):
    """A file opened for reading its unpacked bytes, its packing (``gzip``, ``tar``, … or None), and its status."""

    file: InputFile
    packing: str | None
    status: os.stat_result


class _Key(NamedTuple):
    """The identity of one version of a packed file, or of a member of it."""

    device: int
    inode: int
    size: int
    modified: int
    member: str


_kept: OrderedDict[_Key, tuple[LocalFile, str]] = OrderedDict()
_lock = threading.Lock()


def open_unpacked(path: Path) -> OpenedFile:
    """Open a file for reading, unpacked if it is packed.

    Raises:
        OSError: it is not there, cannot be read, or is no regular file.
        ValueError: no file can have such a name.
        NotATrail: it is an archive, or cannot be unpacked.
        CannotRead: there is no room for the unpacked copy, or reading has failed.
    """
    try:
        file, member = open_file(path), ""
    except NotADirectoryError:
        file, member = _archive_around(path)
    try:
        head, status = _head(file), file.status()
        if not member and _packing(head) is None:
            return OpenedFile(file, WHOLE if isinstance(file, _WholeCopy) else None, status)
        with _lock:
            copy, packing = _copy_of(path, file, member)
            opened = OpenedFile(copy.twin(), packing, status)
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
    from trailformat.codec.remote.file import RemoteFile  # noqa: PLC0415 - most files are local
    from trailformat.codec.remote.store import NoRangesError  # noqa: PLC0415 - as above

    try:
        file = RemoteFile(path)
    except FileNotFoundError:
        if _is_in_archive(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path)) from None
        raise
    except NoRangesError:
        return _whole_copy(path)
    try:
        file.read(0, _HEAD)
    except NoRangesError:
        file.close()
        return _whole_copy(path)
    except BaseException:
        file.close()
        raise
    return file


class _WholeCopy(LocalFile):
    """The copy of a file that its server does not serve by ranges."""

    __slots__ = ("_status",)

    def __init__(self, handle: int, status: os.stat_result) -> None:
        super().__init__(handle)
        self._status = status

    def status(self) -> os.stat_result:
        """Return the status of the file on the server when it was copied."""
        return self._status

    def twin(self) -> LocalFile:
        """Return the same copy with a descriptor of its own."""
        return _WholeCopy(os.dup(self.handle), self._status)


def _whole_copy(path: RemotePath) -> LocalFile:
    from trailformat.codec.remote.store import status_of, store_of  # noqa: PLC0415 - most files are local

    store, url = store_of(path.url), path.url
    facts = store.facts(url, now=True)
    with _lock:
        key = _key(status_of(url, facts), WHOLE)
        if key not in _kept:
            _keep(key, LocalFile(_filled(path, lambda write: store.copy_whole(url, write))), WHOLE)
        _kept.move_to_end(key)
        copy = os.dup(_kept[key][0].handle)
    return _WholeCopy(copy, status_of(url, facts._replace(size=os.fstat(copy).st_size)))


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
    entry = _kept.get(_key(status, ""))  # without the lock: the progress display calls it while a file is unpacked
    return entry[0].status().st_size if entry is not None else status.st_size


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
        packing = _packing(_head_of(file))
        if packing is None or packing in _ARCHIVES:
            return file.read(size)
        with _unpacking(path, packing):
            return _reader(file, packing, path).read(size)


def entries_of(folder: Path) -> list[Path]:
    """Return the entries of a folder, or the files in an archive or in a folder of one.

    Raises:
        OSError: it is neither.
        NotATrail, CannotRead: like :func:`open_unpacked`.
    """
    if folder.is_dir() or not (folder.is_file() or _is_in_archive(folder)):
        return list(folder.iterdir())
    opened, member = _archive_of(folder)
    with _stream(opened) as file, _unpacking(folder, "the archive"):
        archive = folder if not member else folder.parents[len(PurePosixPath(member).parts) - 1]
        names = (PurePosixPath(name) for name in _member_names(file))
        inside = PurePosixPath(member)
        return [archive / name for name in names if name.parent == inside]


def members_of(archive: Path) -> list[Path]:
    """Return all files in an archive, including those in its folders. Raises like :func:`entries_of`."""
    with _stream(open_file(archive)) as file, _unpacking(archive, "the archive"):
        return [archive / name for name in _member_names(file)]


def is_archive(path: Path) -> bool:
    """Return True if a regular file is an archive: by its first bytes, for a compressed one also by its name."""
    if isinstance(path, RemotePath) and not _ARCHIVE_NAME.search(path.name):
        return False
    try:
        file = open_file(path)
    except (OSError, ValueError, NotATrail):
        return False
    try:
        packing = _packing(_head(file))
    except OSError:
        return False
    finally:
        file.close()
    return packing in _ARCHIVES or (packing is not None and _TAR_NAME.search(path.name) is not None)


def is_file(path: Path) -> bool:
    """Return True if there is a regular file of this path, or a member of an archive."""
    if path.is_file():
        return True
    try:
        return _is_in_archive(path) and path in entries_of(path.parent)
    except (OSError, ValueError, NotATrail, CannotRead):
        return False


def is_special(path: Path) -> bool:
    """Return True if a path is a FIFO, a socket or a device: a name that exists and holds no trail."""
    return not isinstance(path, RemotePath) and (
        path.is_fifo() or path.is_socket() or path.is_char_device() or path.is_block_device()
    )


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


def _archive_around(path: Path) -> tuple[InputFile, str]:
    """Open the regular file among the parents of a path; return it and the rest of the path."""
    for parent in _maybe_archives(path):
        with contextlib.suppress(NotADirectoryError):
            return open_file(parent), "/".join(path.parts[len(parent.parts) :])
    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path))


def _archive_of(folder: Path) -> tuple[InputFile, str]:
    try:
        return open_file(folder), ""
    except NotADirectoryError:
        return _archive_around(folder)


def _stream(file: InputFile) -> IO[bytes]:
    """Return the bytes of a file as a stream; closing the stream closes the file."""
    if isinstance(file, LocalFile):
        return os.fdopen(file.handle, "rb")
    from trailformat.codec.remote.file import RemoteFile, RemoteReader  # noqa: PLC0415 - most files are local

    return io.BufferedReader(RemoteReader(cast("RemoteFile", file)), _CHUNK)


def _head(file: InputFile) -> bytes:
    with _stream(file.twin()) as stream:
        return _head_of(stream)


def _head_of(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    head = stream.read(_HEAD)
    stream.seek(0)
    return head


def _packing(head: bytes) -> str | None:
    """Return the packing of a file that begins with these bytes; None if it is not packed."""
    for magic, packing in _MAGICS.items():
        if head.startswith(magic):
            return packing
    if head.startswith(_ZIP):
        return "zip"
    return "tar" if head[_TAR_AT:] == _TAR else None


def _key(status: os.stat_result, member: str) -> _Key:
    return _Key(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, member)


def _copy_of(path: Path, file: InputFile, member: str) -> tuple[LocalFile, str]:
    """Return the unpacked copy and the packing of a file; unpack it if no copy is kept. Needs the lock."""
    key = _key(file.status(), member)
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    with _stream(file.twin()) as stream, _unpacking(path, "it"):
        copy, packing = _unpacked(path, stream, member)
    return _keep(key, LocalFile(copy), packing)


def _keep(key: _Key, copy: LocalFile, packing: str) -> tuple[LocalFile, str]:
    _kept[key] = copy, packing
    while len(_kept) > 1 and (len(_kept) > _MOST_KEPT or _bytes_kept() > _limit()):
        _kept.popitem(last=False)[1][0].close()
    return copy, packing


def _bytes_kept() -> int:
    return sum(copy.status().st_size for copy, _ in _kept.values())


def _limit() -> int:
    given = os.environ.get(LIMIT_VARIABLE, "")
    return int(given) if given.isdecimal() else LIMIT


def _unpacked(path: Path, file: IO[bytes], member: str) -> tuple[int, str]:
    """Unpack a compressed file or a member of an archive; return a descriptor and the packing of the outer layer."""
    packing = _packing(_head_of(file))
    if packing not in _MAGICS.values() and not member:
        raise NotATrail(_archive_problem(path, file, packing), path=path)
    if member:
        copy, packing = _copied(path, _member(path, file, member), None), packing or "archive"
    else:
        copy = _copied(path, _reader(file, cast("str", packing), path), file)
    for _ in range(_MOST_LAYERS):
        inner = _packing(_head(LocalFile(copy)))
        if inner is None:
            return copy, packing or ""
        with os.fdopen(copy, "rb") as layer:
            if inner not in _MAGICS.values():
                raise NotATrail(_archive_problem(path, layer, inner), path=path)
            copy = _copied(path, _reader(layer, inner, path), layer)
    os.close(copy)
    raise NotATrail(f"it is compressed more than {_MOST_LAYERS} times", path=path)


def _archive_problem(path: Path, file: IO[bytes], packing: str | None) -> str:
    """Return the message for an archive that is opened as a trail."""
    file.seek(0)
    names = []
    for name in _member_names(file):
        names.append(name)
        if len(names) > _MOST_NAMED:
            break
    shown = ", ".join(f"{path.name}/{name}" for name in names[:_MOST_NAMED])
    more = ", …" if len(names) > _MOST_NAMED else ""
    return (
        f"it is a {packing} archive: open a file in it, {shown}{more}" if names else f"it is an empty {packing} archive"
    )


def _copied(path: Path, source: _Reader, packed: IO[bytes] | None) -> int:
    """Copy the bytes of a source to an unnamed file; return its descriptor. Progress is reported by ``packed``.

    Raises:
        NotATrail: there are more bytes than the limit.
        OSError: there is no room for them.
    """

    def copy(write: Callable[[bytes], object]) -> None:
        while chunk := source.read(_CHUNK):
            write(chunk)
            if packed is not None:
                reached.report(path, packed.tell())

    return _filled(path, copy)


def _filled(path: Path, fill: Callable[[Callable[[bytes], object]], object]) -> int:
    """Return the descriptor of an unnamed file that ``fill`` writes.

    Raises:
        NotATrail: there are more bytes than the limit.
        OSError: there is no room for them.
    """
    import tempfile  # noqa: PLC0415 - few files are packed

    limit, size = _limit(), 0

    def write(chunk: bytes) -> None:
        nonlocal size
        size += len(chunk)
        if size > limit:
            raise NotATrail(
                f"its unpacked copy has more than {limit:,} bytes; set {LIMIT_VARIABLE} to raise the limit", path=path
            )
        copy.write(chunk)

    with tempfile.TemporaryFile(prefix="logdump-") as copy:
        fill(write)
        copy.flush()
        return os.dup(copy.fileno())


def _reader(file: IO[bytes], packing: str, path: Path) -> _Reader:
    """Return a reader of the unpacked bytes of a compressed file."""
    file.seek(0)
    if packing == "gzip":
        import gzip  # noqa: PLC0415 - few files are packed

        return gzip.GzipFile(fileobj=file)
    if packing == "bzip2":
        import bz2  # noqa: PLC0415 - as above

        return bz2.BZ2File(file)
    if packing == "xz":
        import lzma  # noqa: PLC0415 - as above

        return lzma.LZMAFile(file)
    try:
        import zstandard  # noqa: PLC0415 - as above
    except ImportError:
        raise NotATrail("it is compressed with zstd: install logdump[packed], or unpack it", path=path) from None
    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _member_names(file: IO[bytes]) -> Iterator[str]:
    """Yield the names of the regular files in an archive, without a leading ``./``."""
    import tarfile  # noqa: PLC0415 - few files are packed
    import zipfile  # noqa: PLC0415 - as above

    if _head_of(file).startswith(_ZIP):
        with zipfile.ZipFile(file) as archive:
            yield from (_plain(entry.filename) for entry in archive.infolist() if not entry.is_dir())
    else:
        with tarfile.open(fileobj=file, mode="r|*") as members:
            yield from (_plain(entry.name) for entry in members if entry.isreg())


def _plain(name: str) -> str:
    return PurePosixPath(name.removeprefix("./")).as_posix()


def _member(path: Path, file: IO[bytes], member: str) -> _Reader:
    """Return a reader of the bytes of a member of an archive."""
    import tarfile  # noqa: PLC0415 - few files are packed
    import zipfile  # noqa: PLC0415 - as above

    if _head_of(file).startswith(_ZIP):
        archive = zipfile.ZipFile(file)
        for info in archive.infolist():
            if _plain(info.filename) == member and not info.is_dir():
                return cast("_Reader", archive.open(info))
    else:
        members = tarfile.open(fileobj=file, mode="r|*")  # noqa: SIM115 - the caller reads it
        for entry in members:
            if entry.isreg() and _plain(entry.name) == member:
                return cast("_Reader", members.extractfile(entry))
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))


@contextlib.contextmanager
def _unpacking(path: Path, what: str) -> Iterator[None]:
    """Convert the errors of decompressors and archives to NotATrail, and those of the system to CannotRead."""
    import lzma  # noqa: PLC0415 - few files are packed
    import tarfile  # noqa: PLC0415 - as above
    import zipfile  # noqa: PLC0415 - as above
    import zlib  # noqa: PLC0415 - as above

    of_zstd = (sys.modules["zstandard"].ZstdError,) if "zstandard" in sys.modules else ()
    broken = (*of_zstd, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, NotImplementedError)
    try:
        yield
    except (*broken, RuntimeError) as error:
        raise NotATrail(f"{what} cannot be unpacked: {error}", path=path) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno is None:
            raise NotATrail(f"{what} cannot be unpacked: {error}", path=path) from error
        raise CannotRead.of(error, path) from error
