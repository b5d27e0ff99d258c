"""A compressed file is read as a whole, or refused: the verdicts are those of the tools of each format."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard

from tests.searching import Random
from trailformat import NotATrail
from trailformat.trail.packed import open_unpacked, unpacked_head

DATA = Random(7).randbytes(3000) + bytes(300_000) + b"end of the data"
SKIPPED = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
"""A frame of zstd that is skipped."""


class Packer(NamedTuple):
    """How a format is made, the tool that judges it, and the padding that may follow a stream."""

    pack: Callable[[bytes], bytes]
    test: tuple[str, ...]
    paddings: tuple[int, ...]


def zstd_with_checksum(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def zstd_of_unknown_size(data: bytes) -> bytes:
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return compressor.compress(data) + compressor.flush()


PACKERS = {
    "gzip": Packer(gzip.compress, ("gzip", "-t"), (1, 4, 511)),
    "bzip2": Packer(bz2.compress, ("bzip2", "-t"), ()),
    "xz": Packer(lzma.compress, ("xz", "-t"), (4, 8, 1 << 20)),
    "zstd": Packer(zstd_with_checksum, ("zstd", "-qt"), ()),
    "zstd of unknown size": Packer(zstd_of_unknown_size, ("zstd", "-qt"), ()),
}
JUNK = (b"junk", b"\0\0\0x", b"PK\x03\x04", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x1f", b"B")


@pytest.fixture(params=PACKERS)
def packer(request: pytest.FixtureRequest) -> Packer:
    return PACKERS[request.param]


def content(path: Path, data: bytes) -> bytes | None:
    """The unpacked bytes of a file that has these bytes; None if it is refused."""
    path.write_bytes(data)
    try:
        file = open_unpacked(path).file
    except NotATrail:
        return None
    size = file.status().st_size
    assert file.read(0, size + 1000) == file.read(0, size)
    unpacked = file.read(0, size)
    file.close()
    return unpacked


def is_sound(path: Path, data: bytes, test: tuple[str, ...]) -> bool:
    """The verdict of the tool; it may say nothing about the file, as bzip2 does of junk that it ignores."""
    if shutil.which(test[0]) is None:
        pytest.skip(f"{test[0]} is not here")
    path.write_bytes(data)
    done = subprocess.run([*test, str(path)], capture_output=True, check=False)
    return done.returncode == 0 and not done.stderr


def sound(packer: Packer) -> Iterator[tuple[bytes, bytes]]:
    """Packed bytes and what they are unpacked."""
    packed, empty, second = packer.pack(DATA), packer.pack(b""), packer.pack(b"second")
    yield packed, DATA
    yield empty, b""
    yield packed + second, DATA + b"second"
    yield empty + packed + empty, DATA
    yield packed + second * 3, DATA + b"second" * 3
    for padding in packer.paddings:
        yield packed + bytes(padding), DATA
    if packer.test[0] == "zstd":
        yield SKIPPED + packed + SKIPPED + second + SKIPPED, DATA + b"second"
    if packer.test[0] == "xz":
        yield packed + bytes(8) + second + bytes(4), DATA + b"second"


def test_streams_padding_and_further_streams_are_read(packer: Packer, tmp_path: Path) -> None:
    suffix = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[packer.test[0]]
    for data, expected in sound(packer):
        assert content(tmp_path / "f", data) == expected
        assert is_sound(tmp_path / f"f{suffix}", data, packer.test), data[:30]


def damaged(packer: Packer, drawn: Random) -> Iterator[bytes]:
    packed, second = packer.pack(DATA), packer.pack(b"second")
    for place in (*(drawn.randrange(8, len(packed)) for _ in range(12)), len(packed) - 1):
        yield packed[:place]
        yield second + packed[:place]
    for junk in JUNK:
        yield packed + junk
    for padding in {1, 3, 4, 6} - {*packer.paddings} if packer.test[0] != "gzip" else ():
        yield packed + bytes(padding)
    for place in range(3):
        yield packed + bytes([*second[:place], second[place] ^ 0x81, *second[place + 1 :]])


@pytest.mark.parametrize("seed", range(2))
def test_anything_else_is_refused(packer: Packer, seed: int, tmp_path: Path) -> None:
    for data in damaged(packer, Random(seed)):
        assert content(tmp_path / "f", data) is None, data[-40:]


@pytest.mark.parametrize("seed", range(2))
def test_a_changed_byte_is_refused_or_changes_nothing(packer: Packer, seed: int, tmp_path: Path) -> None:
    """The verdict is that of the tool: fields such as the time in a header of gzip are not protected.

    A tool of zstd that is older than the library accepts more, such as reserved bits that must be zero (RFC 8878,
    3.1.1.3.2.1).
    """
    drawn = Random(seed)
    packed = packer.pack(DATA) + packer.pack(b"second")
    suffix = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[packer.test[0]]
    for _ in range(20):
        place = drawn.randrange(6, len(packed))  # behind what says how it is packed, which has six bytes at most
        data = bytearray(packed)
        data[place] ^= 1 << drawn.randrange(8)
        unpacked = content(tmp_path / "f", bytes(data))
        if unpacked is None or unpacked != DATA + b"second":
            path = tmp_path / f"f{suffix}"
            is_accepted = is_sound(path, bytes(data), packer.test)
            if unpacked is None and is_accepted and packer.test[0] == "zstd":
                with pytest.raises(zstandard.ZstdError), path.open("rb") as file:
                    zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
            else:
                assert (unpacked is not None) == is_accepted, place


@pytest.mark.parametrize("inner", PACKERS)
def test_layers_are_unpacked_and_each_is_whole(packer: Packer, inner: str, tmp_path: Path) -> None:
    packed = packer.pack(PACKERS[inner].pack(DATA))
    assert content(tmp_path / "f", packed) == DATA
    assert content(tmp_path / "f", packer.pack(PACKERS[inner].pack(DATA)[:-3])) is None
    assert content(tmp_path / "f", packed[:-3]) is None


def test_more_layers_than_three_are_refused(tmp_path: Path) -> None:
    data = DATA
    for _ in range(3):
        data = gzip.compress(data)
    assert content(tmp_path / "f", data) == DATA
    (tmp_path / "f").write_bytes(gzip.compress(data))
    with pytest.raises(NotATrail, match="it is compressed more than 3 times"):
        open_unpacked(tmp_path / "f")


def test_the_head_of_a_compressed_file_is_read_without_its_end(packer: Packer, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(packer.pack(DATA)[:-3])
    head = unpacked_head(tmp_path / "f", 1000)
    assert head == DATA[: len(head)]
    assert len(head) >= min(1000, len(head)) > 0


def test_a_block_of_zstd_takes_little_memory(tmp_path: Path) -> None:
    """A small file unpacks to much; what is read at once is not."""
    reader = zstandard.compress(bytes(1 << 26), 19)
    assert len(reader) < 1 << 14
    assert content(tmp_path / "f", reader) == bytes(1 << 26)
