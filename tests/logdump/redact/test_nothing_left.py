"""No text of four characters or more of the source is left in a redacted copy, wherever it was.

A character may be the same by chance in one copy; in several copies by other keys only one that was not replaced is.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.redact.records import OF_PRODUCERS
from logdump.features.redact.statements import OF_STATEMENTS
from tests.logdump.redact.drawn_secrets import copies_of, drawn_trail
from tests.searching import examples, some_trails
from trailformat import ByteOrder

_TEXT = re.compile(rb"[A-Za-z0-9]")
_LEAST = 4
_KEPT = OF_PRODUCERS | OF_STATEMENTS | {b"TLR"}
"""Words of vendors and of SQL, which stay."""


def _same(source: bytes, copies: list[bytes]) -> bytes:
    """The source, with zeros where any of the copies has another byte."""
    return bytes(byte if all(copy[at] == byte for copy in copies) else 0 for at, byte in enumerate(source))


def unchanged(source: bytes, copies: list[bytes]) -> list[tuple[int, bytes]]:
    """The stretches of a file that are the same in all copies, with four letters or digits in a row at least."""
    return [(match.start(), match[0]) for match in re.finditer(rb"[A-Za-z0-9]{%d,}" % _LEAST, _same(source, copies))]


def _left(source: bytes, copies: list[bytes]) -> list[tuple[int, bytes]]:
    """What is left of a source, without words of vendors and of SQL, versions, and zeros."""
    return [
        (at, text)
        for at, text in unchanged(source, copies)
        if len(_bare(text)) >= _LEAST and not (text.isdigit() and _is_version(source, at))
    ]


def _bare(text: bytes) -> bytes:
    """A text without a known word or zeros at its beginning; a byte of the format may follow these."""
    known = max((word for word in _KEPT if text.upper().startswith(word)), key=len, default=b"")
    return text[len(known) :].lstrip(b"0")


def _is_version(source: bytes, at: int) -> bool:
    """Whether digits are part of a version: after one of a vendor's words."""
    before = source[max(0, at - 60) : at].upper()
    return any(word in before for word in (b"VERSION", b"OGGCORE", b"RELEASE"))


@pytest.mark.parametrize("order", list(ByteOrder))
@pytest.mark.parametrize("seed", range(examples(8)))
def test_nothing_of_a_drawn_trail_is_left(seed: int, order: ByteOrder, tmp_path: Path) -> None:
    drawn = drawn_trail(tmp_path, seed, order)
    source, copies = drawn.path.read_bytes(), copies_of(drawn.path, tmp_path)
    assert {len(copy) for copy in copies} == {len(source)}
    assert _left(source, copies) == []
    same = _same(source, copies)
    places = [(match.start(), secret) for secret in drawn.secrets for match in re.finditer(re.escape(secret), source)]
    left = [(at, secret, same[at : at + len(secret)]) for at, secret in places]
    assert [one for one in left if re.search(rb"[^\0 ]{%d}" % _LEAST, one[2])] == []


@pytest.mark.parametrize("seed", range(examples(4)))
def test_no_secret_is_elsewhere_in_a_copy(seed: int, tmp_path: Path) -> None:
    """A secret that moved would be at no place where it was."""
    drawn = drawn_trail(tmp_path, seed + 1000, ByteOrder.BIG)
    copies = copies_of(drawn.path, tmp_path, 2)
    source = drawn.path.read_bytes()
    there = [secret for secret in drawn.secrets if secret in source]
    assert len(there) > len(drawn.secrets) // 2, "others are cut by fragments"
    long = [secret for secret in there if len(_TEXT.findall(secret)) >= 2 * _LEAST]
    assert [secret for secret in long if all(secret in copy for copy in copies)] == []


@pytest.mark.parametrize("name", some_trails([path.name for path in TRAILS.iterdir() if path.suffix == ""], __name__))
def test_nothing_of_a_fixture_is_left(name: str, tmp_path: Path) -> None:
    path = TRAILS / name
    assert _left(path.read_bytes(), copies_of(path, tmp_path, 3)) == []
