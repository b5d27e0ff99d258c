"""The kept copies of unpacked files: how large one may be, and what one that fails leaves."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from trailformat import NotATrail
from trailformat.codec.environment import UNPACKED
from trailformat.trail.packed.copies import Copies, FileVersion, UnpackedCopy, Write

PATH = Path("lt000000000.gz")
LIMIT = 100 << 10


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNPACKED, "100k")


def key(number: int, member: str = "") -> FileVersion:
    return FileVersion(1, number, 10, 1000, member)


def added(copies: Copies, number: int, size: int, most: int | None = None) -> UnpackedCopy:
    """A copy of bytes of this number, written in chunks of 1000."""

    def fill(write: Write) -> None:
        for begin in range(0, size, 1000):
            write(bytes([number]) * min(1000, size - begin))

    return copies.add(key(number), PATH, fill, most)


def content(copy: UnpackedCopy) -> bytes:
    return os.pread(copy.volume.handle, copy.status.st_size, copy.start)


def test_a_copy_may_have_as_many_bytes_as_the_limit_and_no_more() -> None:
    copies = Copies()
    assert content(added(copies, 1, LIMIT)) == b"\1" * LIMIT
    with pytest.raises(NotATrail, match="more than 102,400 bytes"):
        added(copies, 2, LIMIT + 1)
    assert content(added(copies, 3, 2500, most=2500)) == b"\3" * 2500
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as raised:
        added(copies, 4, 2501, most=2500)
    assert raised.value.errno == errno.EFBIG
    assert [copies.get(key(number)) is not None for number in (2, 3, 4)] == [False, True, False]


def test_what_was_written_of_a_copy_that_failed_takes_no_room() -> None:
    copies = Copies()
    first = added(copies, 1, 2000)
    before = os.fstat(first.volume.handle).st_size
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        added(copies, 2, 9000, most=5000)
    assert os.fstat(first.volume.handle).st_size == first.volume.size == before
    assert [content(copy) for copy in (first, added(copies, 3, 700))] == [b"\1" * 2000, b"\3" * 700]


def test_the_copies_that_were_not_used_for_longest_are_dropped() -> None:
    """Each is larger than a share of the limit, so that it has an unnamed file of its own; 14 fit into the limit."""
    copies = Copies()
    for number in range(1, 15):
        added(copies, number, 7000)
    assert copies.get(key(1)) is not None
    for number in (15, 16):
        added(copies, number, 7000)
    assert [number for number in range(1, 17) if copies.known(key(number)) is None] == [2, 3]


def test_a_copy_that_was_made_anew_outlives_the_former_one() -> None:
    copies = Copies()
    added(copies, 1, 7000)
    anew = added(copies, 1, 7001)
    for number in range(2, 15):
        added(copies, number, 7000)
    assert copies.known(key(1)) is anew
    added(copies, 15, 7000)
    assert [number for number in range(1, 16) if copies.known(key(number)) is None] == [1]


def test_members_of_one_archive_are_told_apart() -> None:
    status = Path(__file__).stat()
    names = ("", "dirdat/aa000000000", "dirdat/aa000000001", "other/aa000000000")
    assert len({FileVersion.of(status, name) for name in names}) == len(names)
