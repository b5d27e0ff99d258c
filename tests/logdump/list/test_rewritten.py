"""FOLLOW on a file that is appended to, truncated, rewritten in place, replaced, or removed and made again.

The model knows records, not bytes: after each change the records are shown that do not continue what was read; all
of them if the file is another one, or if nothing but its header is as it was read.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from tests.logdump.list.conftest import Change
from tests.searching import IS_LONG, Random
from trailformat import TrailFile

Follows = Callable[..., tuple[list[str], list[str]]]
_RUNS = 200 if IS_LONG else 12
_STEPS = 6


@pytest.fixture(scope="module")
def pieces(trails: Path) -> list[bytes]:
    """The file header of a trail, and its records, no two of them alike."""
    with TrailFile(trails / "et000000000") as trail:
        rbas = [*trail.sound_rbas(0, trail.size), trail.size]
    data = (trails / "et000000000").read_bytes()
    return [data[begin:end] for begin, end in pairwise(rbas)]


def _common(some: list[bytes], others: list[bytes]) -> int:
    """Return the number of records at the beginning of both."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))))


class Model:
    """What a reader has to show of a file, by records."""

    def __init__(self, pieces: list[bytes], content: bytes) -> None:
        self._pieces, self._read, self._is_other = pieces, list[bytes](), False
        self.content, self.shown = content, list[str]()
        self.look()

    def look(self) -> None:
        """Show what is new in the content."""
        records, rbas, at = list[bytes](), list[int](), 0
        while (
            piece := next(
                (known_piece for known_piece in self._pieces if self.content.startswith(known_piece, at)), None
            )
        ) is not None:
            records.append(piece)
            rbas.append(at)
            at += len(piece)
        if not records:
            return
        common = 0 if self._is_other else _common(records, self._read)
        common = common if common > 1 or len(self._read) <= 1 else 0
        self.shown += [str(rba) for rba in rbas[common:]]
        self._read, self._is_other = records, False

    def change(self, content: bytes, *, is_other: bool) -> None:
        """The file has this content now; or another file has, under its name."""
        self.content, self._is_other = content, self._is_other or is_other
        self.look()


def _in_place(path: Path, content: bytes) -> Change:
    return lambda: path.write_bytes(content)


def _renamed(path: Path, content: bytes) -> Change:
    def change() -> None:
        other = path.with_name("other")
        other.write_bytes(content)
        other.replace(path)

    return change


def _made_again(path: Path, content: bytes) -> Change:
    def change() -> None:
        path.unlink()
        path.write_bytes(content)

    return change


_WAYS = (_in_place, _in_place, _in_place, _renamed, _made_again)


_KINDS = ("appended", "truncated", "empty", "half header", "equal", *["rewritten"] * 3)


def _drawn_content(drawn: Random, pieces: list[bytes], former: bytes) -> bytes:
    """Return content that continues a part of the former one, or of which nothing but the header is as it was."""
    kind = drawn.choice(_KINDS)
    if kind in ("empty", "half header"):
        return former[: drawn.randrange(1, 900)] if kind == "half header" else b""
    some = [drawn.choice(pieces[1:]) for _ in range(drawn.randrange(1, 6))]
    kept = former if kind == "appended" else former[: drawn.randrange(len(former) + 1)]
    if kind == "truncated":
        return kept
    rbas, at = [0], 0
    while (
        piece := next((known_piece for known_piece in pieces if kept.startswith(known_piece, at)), None)
    ) is not None:
        at += len(piece)
        rbas.append(at)
    kept = kept[: rbas[-1]] or pieces[0]
    content = kept + b"".join(some)
    if kind == "equal":
        return content[: len(former)]
    return content[: drawn.choice((len(content), len(content) - drawn.randrange(1, 30)))]


@pytest.mark.parametrize("seed", range(_RUNS))
def test_each_record_that_is_new_is_shown_once(
    seed: int, tmp_path: Path, pieces: list[bytes], follows: Follows
) -> None:
    drawn = Random(seed)
    path = tmp_path / "lt000000000"
    content = b"".join([pieces[0], *(drawn.choice(pieces[1:]) for _ in range(drawn.randrange(1, 8)))])
    path.write_bytes(content)
    model, changes = Model(pieces, content), list[Change]()
    for _ in range(_STEPS):
        way, content = drawn.choice(_WAYS), _drawn_content(drawn, pieces, model.content)
        changes.append(way(path, content))
        model.change(content, is_other=way is not _in_place)
    shown, said = follows(path, *changes)
    assert shown == model.shown, said


def test_rows_that_were_rewritten_are_said_and_shown(tmp_path: Path, pieces: list[bytes], follows: Follows) -> None:
    path, former, after = tmp_path / "lt000000000", b"".join(pieces[:9]), b"".join([*pieces[:4], *pieces[9:12]])
    path.write_bytes(former)
    shown, said = follows(path, _in_place(path, after), words="position eof")
    rba = sum(map(len, pieces[:4]))
    assert shown == [str(rba), str(rba + len(pieces[9])), str(rba + len(pieces[9]) + len(pieces[10]))]
    assert said == [f"{path} was rewritten: reading on at RBA {rba}, where it differs"]


def test_a_header_that_is_updated_is_no_rewriting(tmp_path: Path, pieces: list[bytes], follows: Follows) -> None:
    path, before = tmp_path / "lt000000000", b"".join(pieces[:5])
    closed = bytearray(before)
    closed[500] ^= 1
    path.write_bytes(before)
    shown, said = follows(path, _in_place(path, bytes(closed) + pieces[5]), words="position eof")
    assert (shown, said) == ([str(len(before))], [])
