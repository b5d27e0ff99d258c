"""Bytes are found where a regular expression finds them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from trailformat import CannotRead, TrailFile
from trailformat.scan import occurrences, scanning

pytestmark = pytest.mark.usefixtures("kernels")


def expected(value: bytes, data: bytes, start: int, end: int, *, any_case: bool) -> list[int]:
    pattern = re.compile(b"(?=" + re.escape(value) + b")", re.IGNORECASE if any_case else 0)
    return [found.start() for found in pattern.finditer(data, start, end) if found.start() + len(value) <= end]


@pytest.mark.parametrize("any_case", [False, True])
@pytest.mark.parametrize("window", [7, 600, 1 << 16])
def test_like_a_regular_expression(any_case: bool, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "WINDOW", window)
    chance = Random(window)
    for alphabet in (b"aB", b"aAbB@`[{\x00\xff", bytes(range(256))):
        data = bytes(chance.choices(alphabet, k=1200))
        for size in (1, 2, 3, 9):
            at = chance.randrange(len(data) - size)
            for value in (
                data[at : at + size],
                data[at : at + size].swapcase(),
                bytes(chance.choices(alphabet, k=size)),
            ):
                start, end = sorted(chance.choices(range(len(data) + 1), k=2))
                found = list(occurrences(value, data, start, end, any_case=any_case))
                assert found == expected(value, data, start, end, any_case=any_case)


def test_in_a_file(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, *[row(b"." * 100), row(b"needle")] * 50)) as trail:
        data = trail.path.read_bytes()
        found = list(occurrences(b"needle", trail.buffer, 0, trail.size))
        assert found == expected(b"needle", data, 0, len(data), any_case=False)
        assert len(found) == 50


def test_in_a_file_that_is_cut(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(1000))] * 200)
    with TrailFile(path) as trail:
        buffer, size = trail.buffer, trail.size
        os.truncate(path, 5000)
        with pytest.raises(CannotRead, match="the file was truncated"):
            list(occurrences(b"needle", buffer, 0, size))
