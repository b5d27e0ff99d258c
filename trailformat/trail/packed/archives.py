"""What is in an archive, and the bytes of a file in it: tar, compressed or not, and zip.

A name in an archive is a path inside it, whatever it looks like: leading slashes, drives and what leads to a parent
folder are removed as ``tar`` does when it extracts, so that no name leads out of the archive. Of several members of a
name the last one counts. A link is the member that it names; one that leads out of the archive is no file.
An archive is whole or it is refused: no byte but padding follows its end, and a tar without its end is truncated.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import tarfile
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from copy import copy
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, Protocol, cast

from trailformat.errors import NotATrail
from trailformat.trail.packed.streams import (
    BZIP2,
    CHUNK,
    LZMA,
    TAR,
    ZIP,
    ZSTD,
    ByteReader,
    DamagedArchive,
    decompressed,
    exactly,
    lzma_of_zip,
    packing_of,
    unpacked,
    unpacking,
)

_LARGEST_HEADER = 1 << 20
"""Maximum bytes of one header of tar with its names and its map of holes: it is read into memory."""
_UNPACKED_HERE = {12: BZIP2, 14: LZMA, 93: ZSTD}
"""Packings by their numbers in a zip, of which ``zipfile`` does not limit the memory, or does not know them."""
_LZMA_HAS_END = 2
"""Bit of the flags of a member of a zip: a mark ends its LZMA."""
_MOST_LINKS = 8
_ZIP_END = 22
"""Size of the end of a zip archive, without its comment."""
_ZIP_END_MAGIC = b"PK\x05\x06"
_IN_ZIP64 = 0xFFFFFFFF


class ArchivedFile(NamedTuple):
    """A file in an archive: the place of its header, or the number of its entry, which identifies it."""

    at: int


class _Link(NamedTuple):
    """A link to another name in the archive; None if it leads out of it, or could not be made."""

    target: str | None
    text: str
    is_made: bool = True


class _Other(NamedTuple):
    """A member that is no file: a device or FIFO."""


_Entry = ArchivedFile | _Link | _Other
Visit = Callable[[ArchivedFile, ByteReader], object]


class Archive:
    """The files in an archive by name. It owns the stream that it is read from.

    Attributes:
        kind: ``tar`` or ``zip``.
        stream: the bytes of the archive.
        packing: the packing of the whole file.
        problems: the reasons why members cannot be unpacked, as far as they were tried.
    """

    kind = TAR

    def __init__(self, stream: IO[bytes], packing: str) -> None:
        self.stream, self.packing = stream, packing
        self.problems: dict[ArchivedFile, str] = {}
        self._entries: dict[str, _Entry] = {}
        self._led_up: set[str] = set()

    def names(self) -> list[str]:
        """Return the names of the files, in the order of the archive."""
        return [name for name in self._entries if self.find(name) is not None]

    def _place_of(self, name: str) -> str:
        """Return the path inside for the name of a member, which replaces a former one; empty if it has no path.

        A name that leads to a parent folder, which ``tar`` does not extract, replaces no proper one.
        """
        place = inner_name(name)
        if ".." in name.split("/"):
            if place in self._entries and place not in self._led_up:
                return ""
            self._led_up.add(place)
        else:
            self._led_up.discard(place)
        return place

    def find(self, name: str) -> ArchivedFile | None:
        """Return a file by its name; None if there is none."""
        for _ in range(_MOST_LINKS):
            entry = self._entries.get(name)
            if not isinstance(entry, _Link):
                return entry if isinstance(entry, ArchivedFile) else None
            if entry.target is None:
                return None
            name = entry.target
        return None

    def has_folder(self, name: str) -> bool:
        """Return whether the name is a folder of a member."""
        return any(name == parent.as_posix() for entry in self._entries for parent in PurePosixPath(entry).parents)

    def refusal(self, name: str, path: Path) -> NotATrail | OSError:
        """Return the error for a name that is no file."""
        entry = self._entries.get(name)
        if isinstance(entry, _Link):
            return NotATrail(f"it is a link to {entry.text!r}, which is not a file in the archive", path=path)
        if isinstance(entry, _Other):
            return NotATrail("it is not a regular file", path=path)
        if self.has_folder(name):
            return IsADirectoryError(errno.EISDIR, "it is a directory", os.fspath(path))
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))

    @abstractmethod
    def visit(self, member: ArchivedFile, visit: Visit, path: Path) -> None:
        """Call ``visit`` for a member, and for those after it if they are read on the way.

        Raises:
            DamagedArchive, CannotRead: the archive cannot be read; ``path`` is named.
        """

    def close(self) -> None:
        """Close the stream."""
        self.stream.close()


def archive_of(stream: IO[bytes], path: Path, visit: Visit) -> Archive:
    """Read what is in an archive; ``visit`` is called for the members that are read on the way, in their order.

    Raises:
        NotADirectoryError: it is no archive.
        NotATrail: it is damaged.
        CannotRead: reading failed.
    """
    with _reading(path):
        reader, packing = unpacked(stream, path)
        inner = packing_of(reader.head)
        if inner == ZIP and packing != ZIP:
            raise NotATrail(f"it is a zip archive compressed with {packing}: unpack it", path=path)
        if inner == ZIP:
            return _Zip(stream)
        if inner == TAR:
            return _PlainTar(stream) if packing == TAR else _CompressedTar(stream, reader, packing or "", visit, path)
    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(path))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Convert errors to DamagedArchive and CannotRead."""
    try:
        with unpacking(path, "the archive"):
            yield
    except NotATrail as error:
        raise DamagedArchive(error.problem, path=error.path) from error


class _OfArchive:
    """A reader of the bytes of an archive, whose errors are those of the archive and not of a member."""

    def __init__(self, source: ByteReader, path: Path) -> None:
        self._source, self._path = source, path

    def read(self, size: int, /) -> bytes:
        """Return bytes, like ByteReader."""
        with _reading(self._path):
            return self._source.read(size)


def inner_name(name: str) -> str:
    """Return the path inside an archive for a name in it; empty if there is none."""
    parts: list[str] = []
    for part in name.split("/"):
        if part == "..":
            parts.clear()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _link_target(name: str, text: str) -> str | None:
    """Return the name in the archive that a symbolic link leads to; None if it leads out of it."""
    if text.startswith("/"):
        return None
    parts = name.split("/")[:-1]
    for part in text.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


class _Header(tarfile.TarInfo):
    """A header of tar; one that is damaged is an error, not the end of the archive."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> _Header:
        """Return the next header."""
        try:
            with cast("_Forward", tarfile_.fileobj).in_header():
                return super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.EmptyHeaderError as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError("it has no end mark: it may be truncated") from error
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"damaged header: {error}") from error
        except RecursionError as error:
            raise tarfile.ReadError("damaged header: names follow names") from error


class _Forward(io.RawIOBase):
    """A reader as a stream whose position only increases, as ``tarfile`` needs it."""

    def __init__(self, source: ByteReader, jump: Callable[[int], object] | None, position: int = 0) -> None:
        self._source, self._jump, self._position = source, jump, position
        self._left: int | None = None

    @contextmanager
    def in_header(self) -> Iterator[None]:
        """Return a context that reads one header, which may read others: all are within one limit."""
        before = self._left
        if before is None:
            self._left = _LARGEST_HEADER
        try:
            yield
        finally:
            self._left = before

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        """Skip bytes. Raises ReadError for a position before the current one."""
        if whence != os.SEEK_SET or position < self._position:
            raise tarfile.ReadError("damaged header: it leads backward")
        if self._jump is not None:
            self._jump(position)
            self._position = position
        while self._position < position and self.read(min(position - self._position, CHUNK)):
            pass
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Return ``size`` bytes, fewer at the end. Raises ReadError for more than a header may have."""
        if size < 0 or (self._left is not None and size > self._left):
            raise tarfile.ReadError("damaged header: it is too long")
        if self._left is not None:
            self._left -= size
        data = exactly(self._source, size)
        self._position += len(data)
        return data


def _tar(stream: _Forward) -> tarfile.TarFile:
    return tarfile.TarFile(fileobj=cast("IO[bytes]", stream), mode="r", tarinfo=_Header, errorlevel=2)


class _Tar(Archive):
    """A tar archive; ``_walk`` reads its headers one after the other."""

    def _walk(self, stream: _Forward, visit: Callable[[tarfile.TarFile, tarfile.TarInfo], object]) -> None:
        """Read all headers, and the end of the archive; call ``visit`` for each file."""
        with _tar(stream) as archive:
            while (entry := archive.next()) is not None:
                archive.members = []  # type: ignore[attr-defined] # it keeps them all
                if sum(len(name) + len(value) for name, value in archive.pax_headers.items()) > _LARGEST_HEADER:
                    raise tarfile.ReadError("damaged header: it is too long")
                if not entry.isdir() and (name := self._place_of(entry.name)):
                    self._entries[name] = self._entry(name, entry, self._entries.pop(name, None))
                if entry.isreg():
                    visit(archive, entry)
        while padding := stream.read(CHUNK):
            if padding.strip(b"\0"):
                raise tarfile.ReadError("bytes follow its end: it may be several archives, one after the other")

    def _entry(self, name: str, entry: tarfile.TarInfo, former: _Entry | None) -> _Entry:
        if entry.isreg():
            return ArchivedFile(entry.offset)
        if entry.issym():
            return _Link(_link_target(name, entry.linkname), entry.linkname)
        if entry.islnk():
            return self._hard_link(name, entry.linkname, former)
        return _Other()

    def _hard_link(self, name: str, text: str, former: _Entry | None) -> _Entry:
        """Return what a hard link makes of a name: what its target is by then; one not made replaces nothing."""
        target = self._entries.get(inner_name(text))
        if target is None or (isinstance(target, _Link) and not target.is_made):
            return _Link(None, text, is_made=False) if former is None else former
        return _Link(_link_target(name, target.text), target.text) if isinstance(target, _Link) else target


class _PlainTar(_Tar):
    """A tar archive that is not compressed: a member is read where it is."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream, TAR)
        stream.seek(0)
        self._walk(_Forward(stream, stream.seek), lambda _archive, _entry: None)

    def visit(self, member: ArchivedFile, visit: Visit, path: Path) -> None:
        """Call ``visit`` for the member."""
        self.stream.seek(member.at)
        with _reading(path), _tar(_Forward(_OfArchive(self.stream, path), self.stream.seek, member.at)) as archive:
            entry = archive.next()
            if entry is not None:
                visit(member, cast("ByteReader", archive.extractfile(entry)))


class _CompressedTar(_Tar):
    """A compressed tar archive, which is read as a whole; members after the asked one are visited too."""

    def __init__(self, stream: IO[bytes], reader: ByteReader, packing: str, visit: Visit, path: Path) -> None:
        super().__init__(stream, packing)
        self._walk_from(0, reader, visit, path)

    def visit(self, member: ArchivedFile, visit: Visit, path: Path) -> None:
        """Call ``visit`` for the member and those after it."""
        self.stream.seek(0)
        with _reading(path):
            self._walk_from(member.at, unpacked(self.stream, path)[0], visit, path)

    def _walk_from(self, first: int, reader: ByteReader, visit: Visit, path: Path) -> None:
        def visit_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> None:
            if entry.offset >= first:
                visit(ArchivedFile(entry.offset), cast("ByteReader", archive.extractfile(entry)))

        self._walk(_Forward(_OfArchive(reader, path), None), visit_entry)


class _ZipMember(ByteReader, Protocol):
    """A member of a zip, which is closed in the end."""

    def close(self) -> None:
        """Give up what it reads from."""


class _UnpackedMember:
    """A member of a zip whose compression ``zipfile`` unpacks in memory as far as it goes, or not at all."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> None:
        stored = copy(info)
        stored.compress_type, stored.file_size = zipfile.ZIP_STORED, info.compress_size
        stored.CRC = None  # type: ignore[assignment] # zipfile then checks none
        self._packed = archive.open(stored)
        packed, packing = cast("ByteReader", self._packed), _UNPACKED_HERE[info.compress_type]
        if packing == LZMA:
            self._source = lzma_of_zip(packed, None if info.flag_bits & _LZMA_HAS_END else info.file_size)
        else:
            self._source = decompressed(packed, packing, path)
        self._left, self._checksum, self._sum = info.file_size, info.CRC, 0

    def read(self, size: int, /) -> bytes:
        """Return bytes, like ByteReader. Raises BadZipFile if size or checksum are not as the archive says."""
        data = self._source.read(size)
        self._left -= len(data)
        self._sum = zlib.crc32(data, self._sum)
        if self._left < 0 or (not data and (self._left or self._sum != self._checksum)):
            raise zipfile.BadZipFile("a file has another size or checksum than the archive says")
        return data

    def close(self) -> None:
        """Give up what it reads from."""
        self._packed.close()


class _Zip(Archive):
    """A zip archive: a member is read where it is."""

    kind = ZIP

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream, ZIP)
        self._archive = zipfile.ZipFile(stream)
        self._infos: list[zipfile.ZipInfo] = []
        self._see_that_it_is_all()
        for info in self._archive.infolist():
            if not info.is_dir() and (name := self._place_of(info.filename.replace("\\", "/"))):
                self._entries.pop(name, None)
                self._entries[name] = self._entry(info, name)

    def visit(self, member: ArchivedFile, visit: Visit, path: Path) -> None:
        """Call ``visit`` for the member."""
        with _reading(path):
            source = self._open(self._infos[member.at], path)
        with closing(source):
            visit(member, source)

    def _open(self, info: zipfile.ZipInfo, path: Path) -> _ZipMember:
        if info.compress_type in _UNPACKED_HERE:
            return _UnpackedMember(self._archive, info, path)
        return cast("_ZipMember", self._archive.open(info))

    def _entry(self, info: zipfile.ZipInfo, name: str) -> _Entry:
        mode = info.external_attr >> 16
        if stat.S_ISLNK(mode):
            text = ""
            if info.file_size < CHUNK:
                with closing(self._open(info, Path(info.filename))) as source:
                    text = exactly(source, CHUNK).decode("utf-8", "replace")
            return _Link(_link_target(name, text), text)
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            return _Other()
        self._infos.append(info)
        return ArchivedFile(len(self._infos) - 1)

    def _see_that_it_is_all(self) -> None:
        """Raise BadZipFile if other bytes come before the archive or after it, which may be another one."""
        size = self.stream.seek(0, os.SEEK_END)
        start = size - _ZIP_END - len(self._archive.comment)
        self.stream.seek(max(start, 0))
        end = self.stream.read(_ZIP_END)
        if start < 0 or not end.startswith(_ZIP_END_MAGIC):
            raise zipfile.BadZipFile("bytes follow its end")
        directory = int.from_bytes(end[16:20], "little")
        if directory not in (_IN_ZIP64, self._archive.start_dir):
            raise zipfile.BadZipFile("bytes come before it: it may be several archives, one after the other")
