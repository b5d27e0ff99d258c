"""Compressed streams: which one a file begins with, and readers of the unpacked bytes.

A reader gives the bytes of the whole file, or raises: a file may have several streams one after the other, and what
its format allows between and after them. Anything else after a stream is damage, as is a stream without its end.

    gzip     RFC 1952: members, with zeros between and after them
    bzip2    streams
    xz       streams, with zeros between and after them, in fours
    zstd     RFC 8878: frames, with frames that are to be skipped anywhere
"""

from __future__ import annotations

import contextlib
import lzma
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol, cast

from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead, NotATrail

with on_demand:
    import bz2
    import gzip
    import tarfile
    import zipfile

GZIP, BZIP2, XZ, ZSTD, LZMA, ZIP, TAR = "gzip", "bzip2", "xz", "zstd", "lzma", "zip", "tar"
ARCHIVES = (ZIP, TAR)
_MAGICS = {b"\x1f\x8b": GZIP, b"BZh": BZIP2, b"\xfd7zXZ\0": XZ, b"\x28\xb5\x2f\xfd": ZSTD}
_ZSTD_SKIPPED = b"\x2a\x4d\x18"
"""The end of the magic of a frame of zstd that is skipped, after a byte from 0x50 to 0x5f."""
_LONGEST_MAGIC = 6
_XZ_UNIT = 4
"""Streams of xz, and what is between them, are multiples of four bytes."""
_LZMA_VERSION, _LZMA_HEAD = 4, 9
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_MAGIC = b"ustar"
_TAR_AT = 257
HEAD = _TAR_AT + len(_TAR_MAGIC)
"""Number of bytes that show how a file is packed."""
CHUNK = 1 << 20
_MOST_MEMORY = (1 << 27) + CHUNK
"""Maximum bytes of memory to unpack a stream of xz or lzma: a window of 128 MiB, as zstd has it, and a little more."""
_MOST_LAYERS = 3


class ByteReader(Protocol):
    """Reads bytes in order."""

    def read(self, size: int, /) -> bytes:
        """Return at least one byte and at most ``size``; none at the end."""


def packing_of(head: bytes) -> str | None:
    """Return the packing of a file that begins with these bytes; None if it is not packed."""
    for magic, packing in _MAGICS.items():
        if head.startswith(magic):
            return packing
    if _is_skipped(head):
        return ZSTD
    if head.startswith(_ZIP_MAGICS):
        return ZIP
    return TAR if head[_TAR_AT:HEAD] == _TAR_MAGIC else None


def _is_skipped(head: bytes) -> bool:
    return head[:1] in (bytes([number]) for number in range(0x50, 0x60)) and head[1:4] == _ZSTD_SKIPPED


def head_of(stream: IO[bytes]) -> bytes:
    """Return the first HEAD bytes of a stream that is at its beginning, and seek to the beginning again."""
    stream.seek(0)
    head = stream.read(HEAD)
    stream.seek(0)
    return head


class Peeked:
    """A reader of which some first bytes are known.

    Attributes:
        head: the first HEAD bytes, fewer if there are not as many.
    """

    def __init__(self, source: ByteReader) -> None:
        self._source = source
        self.head = exactly(source, HEAD)
        self._rest = self.head

    def read(self, size: int, /) -> bytes:
        """Return bytes, like ByteReader."""
        if not self._rest:
            return self._source.read(size)
        data, self._rest = self._rest[:size], self._rest[size:]
        return data if len(data) == size else data + self._source.read(size - len(data))


def exactly(source: ByteReader, size: int) -> bytes:
    """Return ``size`` bytes, fewer at the end."""
    data = b""
    while len(data) < size and (more := source.read(min(size - len(data), CHUNK))):
        data += more
    return data


def unpacked(source: ByteReader, path: Path) -> tuple[Peeked, str | None]:
    """Return a reader of the bytes without any layer of compression, and the packing of the outer layer, if any.

    Raises:
        NotATrail: there are too many layers, or what reads them is not installed.
    """
    reader, outer = Peeked(source), None
    for _ in range(_MOST_LAYERS + 1):
        packing = packing_of(reader.head)
        if packing is None or packing in ARCHIVES:
            return reader, outer or packing
        outer = outer or packing
        reader = Peeked(decompressed(reader, packing, path))
    raise NotATrail(f"it is compressed more than {_MOST_LAYERS} times", path=path)


def decompressed(source: ByteReader, packing: str, path: Path) -> ByteReader:
    """Return a reader of the unpacked bytes of a compressed file.

    Its ``read`` raises EOFError, OSError without a number, zlib.error and lzma.LZMAError for damage.

    Raises:
        NotATrail: what reads it is not installed.
    """
    if packing == GZIP:
        return gzip.GzipFile(fileobj=cast("IO[bytes]", source))
    if packing == ZSTD:
        return _Frames(source, path)
    return _Streams(source, packing)


def lzma_of_zip(source: ByteReader, size: int | None) -> ByteReader:
    """Return a reader of the unpacked bytes of a member of a zip that is compressed with LZMA.

    ``size`` is the number of these bytes; None if a mark ends them. Its ``read`` raises as that of ``decompressed``.
    """
    # the zip has the version (2 bytes), the length of the properties (2) and these; a file .lzma has them and the size
    properties = exactly(source, _LZMA_HEAD)[_LZMA_VERSION:]
    return _Streams(source, LZMA, properties + (b"\xff" * 8 if size is None else size.to_bytes(8, "little")))


class _Streams:
    """The unpacked bytes of streams of bzip2 or xz, or of one of lzma; ``rest`` is what comes before the source."""

    def __init__(self, source: ByteReader, packing: str, rest: bytes = b"") -> None:
        self._source, self._packing = source, packing
        self._stream, self._rest = self._new(), rest

    def _new(self) -> Any:
        if self._packing == BZIP2:
            return bz2.BZ2Decompressor()
        form = lzma.FORMAT_XZ if self._packing == XZ else lzma.FORMAT_ALONE
        return lzma.LZMADecompressor(form, memlimit=_MOST_MEMORY)

    def read(self, size: int, /) -> bytes:
        """Return bytes, like ByteReader."""
        while not self._stream.eof or self._begin_next():
            packed = b""
            if self._stream.needs_input and not (packed := self._rest or self._source.read(CHUNK)):
                raise EOFError(f"the file ends inside a {self._packing} stream")
            if packed:
                self._rest = b""
            data = self._unpack(packed, size)
            if data:
                return data
        return b""

    def _unpack(self, packed: bytes, size: int) -> bytes:
        try:
            data: bytes = self._stream.decompress(packed, size)
        except lzma.LZMAError as error:
            if "limit" not in str(error).lower():
                raise
            raise OSError(f"it needs more than {_MOST_MEMORY >> 20} MB of memory: unpack it first") from error
        return data

    def _begin_next(self) -> bool:
        """Begin the next stream; return False at the end of the file."""
        rest, zeros = self._stream.unused_data or self._source.read(CHUNK), 0
        while self._packing == XZ and rest.startswith(b"\0"):
            padding = len(rest) - len(rest.lstrip(b"\0"))
            zeros += padding
            rest = rest[padding:] or self._source.read(CHUNK)
        rest += exactly(self._source, max(_LONGEST_MAGIC - len(rest), 0))
        if zeros % _XZ_UNIT or (rest and packing_of(rest) != self._packing):
            raise _follows(self._packing)
        if rest:
            self._stream, self._rest = self._new(), rest
        return bool(rest)


def _follows(packing: str) -> OSError:
    return OSError(f"what follows a {packing} stream is not another one")


class _Frames:
    """The unpacked bytes of frames of zstd.

    Blocks are given to the decompressor one by one: it has no limit for what it returns, and a block has at most 128
    KiB.
    """

    def __init__(self, source: ByteReader, path: Path) -> None:
        try:
            import zstandard  # noqa: PLC0415 - few files are packed
        except ImportError:
            raise NotATrail("it is compressed with zstd: install logdump[packed], or unpack it", path=path) from None
        self._source = source
        self._decompressor = zstandard.ZstdDecompressor()
        self._error = zstandard.ZstdError
        self._frame: Any = None
        self._has_checksum = False
        self._is_first = True
        self._rest = b""

    def read(self, size: int, /) -> bytes:
        """Return bytes, like ByteReader."""
        while not self._rest:
            try:
                if self._frame is None and not self._begin():
                    return b""
                self._rest = self._block()
            except self._error as error:
                raise OSError(str(error)) from error
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def _take(self, size: int) -> bytes:
        data = exactly(self._source, size)
        if len(data) < size:
            raise EOFError("the file ends inside a zstd frame")
        return data

    def _begin(self) -> bool:
        """Read the header of the next frame with content; return False at the end of the file."""
        while magic := exactly(self._source, 4):
            if _is_skipped(magic):
                size = int.from_bytes(self._take(4), "little")
                while size:
                    size -= len(self._take(min(size, CHUNK)))
                continue
            if _MAGICS.get(magic) != ZSTD:
                raise _follows(ZSTD)
            header = self._take(1)
            is_single, size_flag, dictionary_flag = header[0] >> 5 & 1, header[0] >> 6, header[0] & 3
            sizes = (0 if is_single else 1), (0, 1, 2, 4)[dictionary_flag], (is_single, 2, 4, 8)[size_flag]
            self._has_checksum = bool(header[0] >> 2 & 1)
            self._frame = self._decompressor.decompressobj()
            self._rest = self._frame.decompress(magic + header + self._take(sum(sizes)))
            return True
        return False

    def _block(self) -> bytes:
        """Return the unpacked bytes of the next block, which may be none."""
        header = self._take(3)
        value = int.from_bytes(header, "little")
        is_last, kind, size = value & 1, value >> 1 & 3, value >> 3
        is_repeated = kind == 1
        data: bytes = self._frame.decompress(header + self._take(1 if is_repeated else size))
        if is_last:
            if self._has_checksum:
                data += self._frame.decompress(self._take(4))
            if not self._frame.eof:
                raise EOFError("a zstd frame has no end")
            self._frame = None
        return data


class DamagedArchive(NotATrail):
    """An archive cannot be read as a whole."""


@contextlib.contextmanager
def unpacking(path: Path, what: str) -> Iterator[None]:
    """Convert the errors of decompressors and archives to NotATrail, and those of the system to CannotRead."""
    damaged = (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, struct.error)
    # what tarfile and zipfile raise besides for bytes that they did not expect, and for what they do not support
    unexpected = (NotImplementedError, RuntimeError, ValueError, ArithmeticError, LookupError)
    try:
        yield
    except (*damaged, *unexpected) as error:
        raise NotATrail(f"{what} cannot be unpacked: {error}", path=path) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno is None:
            raise NotATrail(f"{what} cannot be unpacked: {error}", path=path) from error
        raise CannotRead.of(error, path) from error
