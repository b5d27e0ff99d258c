"""What unpacks to gigabytes is read in pieces: it takes little memory, whatever its packing is."""

from __future__ import annotations

import bz2
import lzma
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from tests.searching import Random
from trailformat import NotATrail
from trailformat.trail.packed import members_of, open_unpacked

STORED, DEFLATED, BZIP2, LZMA, ZSTD = 0, 8, 12, 14, 93
NAME = "lt000000000"
LZMA_PROPERTIES = {"lc": 3, "lp": 0, "pb": 2}


def packed(data: bytes, method: int, window: int = 1 << 16) -> bytes:
    """The bytes as a zip has them, by the method of this number."""
    if method == STORED:
        return data
    if method == DEFLATED:
        deflate = zlib.compressobj(wbits=-15)
        return deflate.compress(data) + deflate.flush()
    if method == BZIP2:
        return bz2.compress(data)
    if method == ZSTD:
        return zstandard.compress(data)
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": window, **LZMA_PROPERTIES}]
    properties = bytes([3 + 9 * (0 + 5 * 2)]) + struct.pack("<I", window)
    return (
        b"\x09\x14"
        + struct.pack("<H", len(properties))
        + properties
        + lzma.compress(data, lzma.FORMAT_RAW, filters=filters)
    )


def write_zip(path: Path, content: bytes, method: int, size: int, checksum: int) -> None:
    """Write a zip of one member of this method, size and CRC-32, whose bytes in the archive are ``content``."""
    flags = 2 if method == LZMA else 0
    common = struct.pack("<HHHHHIII", 20, flags, method, 0, 0x21, checksum, len(content), size)
    name = NAME.encode()
    local = b"PK\x03\x04" + common + struct.pack("<HH", len(name), 0) + name + content
    central = b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    path.write_bytes(local + central + end)


def zip_of(path: Path, data: bytes, method: int) -> None:
    write_zip(path, packed(data, method), method, len(data), zlib.crc32(data))


def content(archive: Path) -> bytes:
    (member,) = members_of(archive)
    file = open_unpacked(member).file
    try:
        return file.read(0, file.status().st_size + 1)
    finally:
        file.close()


@pytest.mark.parametrize("method", [STORED, DEFLATED, BZIP2, LZMA, ZSTD])
def test_a_member_of_a_zip_is_read_by_each_method(method: int, tmp_path: Path) -> None:
    drawn = Random()
    for length in (0, 1, drawn.randrange(2, 300), drawn.randrange(1 << 20, 3 << 20)):
        data = drawn.randbytes(length // 3) + bytes(length - length // 3)
        zip_of(tmp_path / "a.zip", data, method)
        if method != ZSTD:
            with zipfile.ZipFile(tmp_path / "a.zip") as archive:
                assert archive.read(NAME) == data
        assert content(tmp_path / "a.zip") == data


def test_the_lzma_of_a_zip_has_an_end_mark_or_a_size(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(NAME, b"written by zipfile")
    assert content(tmp_path / "a.zip") == b"written by zipfile"
    data = Random().randbytes(2000)
    alone = lzma.compress(data, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, **LZMA_PROPERTIES}])
    write_zip(tmp_path / "b.zip", b"\x09\x14\x05\x00" + alone[:5] + alone[13:], LZMA, len(data), zlib.crc32(data))
    assert content(tmp_path / "b.zip") == data


@pytest.mark.parametrize("method", [BZIP2, LZMA, ZSTD])
@pytest.mark.parametrize("wrong", ["longer", "shorter", "checksum", "cut"])
def test_a_member_of_another_size_or_checksum_is_damage(method: int, wrong: str, tmp_path: Path) -> None:
    data = Random().randbytes(5000)
    inside = packed(data, method)
    size = len(data) + {"longer": 1, "shorter": -1}.get(wrong, 0)
    inside = inside[:-20] if wrong == "cut" else inside
    write_zip(tmp_path / "a.zip", inside, method, size, zlib.crc32(data) ^ (wrong == "checksum"))
    with pytest.raises(NotATrail, match="cannot be unpacked"):
        content(tmp_path / "a.zip")


@pytest.mark.parametrize("method", [DEFLATED, BZIP2, LZMA, ZSTD])
def test_a_member_that_unpacks_to_much_takes_little_memory(method: int, tmp_path: Path) -> None:
    size = 60 << 20
    zip_of(tmp_path / "a.zip", bytes(size), method)
    (member,) = members_of(tmp_path / "a.zip")
    tracemalloc.start()
    try:
        file = open_unpacked(member).file
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert file.status().st_size == size
    file.close()
    assert peak < 12 << 20


@pytest.mark.parametrize("kind", ["xz", "zip"])
def test_a_stream_that_needs_gigabytes_of_memory_is_refused(kind: str, tmp_path: Path) -> None:
    # the window that the header states is made before any byte is unpacked
    for window, is_refused in ((1 << 26, False), (1 << 28, True), (1 << 30, True)):
        path = tmp_path / f"{NAME}.xz"
        if kind == "zip":
            path = tmp_path / "a.zip"
            inside = bytearray(packed(b"few bytes", LZMA))
            inside[5:9] = struct.pack("<I", window)
            write_zip(path, bytes(inside), LZMA, 9, zlib.crc32(b"few bytes"))
        else:
            path.write_bytes(xz_of_window(b"few bytes", window))
        if is_refused:
            with pytest.raises(NotATrail, match="more than 129 MB of memory: unpack it first"):
                open_unpacked(members_of(path)[0] if kind == "zip" else path)
        else:
            open_unpacked(members_of(path)[0] if kind == "zip" else path).file.close()


def xz_of_window(data: bytes, window: int) -> bytes:
    """A file of xz whose header states this window, which its bytes do not need."""
    small = bytearray(lzma.compress(data, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096}]))
    length = 4 * (small[12] + 1)
    header = small[12 : 12 + length]
    # flags of the block, then the filter: its number, the length of its properties, and the window
    header[4] = 2 * (window.bit_length() - 1 - 12)
    small[12 : 12 + length] = header[:-4] + struct.pack("<I", zlib.crc32(header[:-4]))
    return bytes(small)
