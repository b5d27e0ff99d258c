"""No text of four characters or more of the source is left in a redacted copy, wherever it was.

A character may be the same by chance in one copy; in several copies by other keys only one that was not replaced is.
"""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.features.redact.records import OF_PRODUCERS
from logdump.features.redact.statements import OF_STATEMENTS
from logdump.features.redact.substitutes import Substitutes
from logdump.features.redact.values import ValueSubstitutes
from tests.logdump.redact.drawn_secrets import copies_of, drawn_trail
from tests.searching import Random, examples, in_turn, some_trails
from tests.trailformat.samples import column
from trailformat import ByteOrder
from trailformat.records.columns import NULL, PRESENT
from trailformat.values import DATA_TYPES, Family

_TEXT = re.compile(rb"[A-Za-z0-9]")
_FRACTION = re.compile(rb"\.[0-9]*\Z")
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
    """What is left of a source, without words of vendors and of SQL, and zeros."""
    return [
        (at, text)
        for at, text in unchanged(source, copies)
        if len(_bare(text, is_of_fraction=_FRACTION.search(source[max(at - 9, 0) : at]) is not None)) >= _LEAST
    ]


def _bare(text: bytes, *, is_of_fraction: bool) -> bytes:
    """A text without a known word or zeros at its beginning; a byte of the format may follow these.

    The zeros at the end of a fraction stay: the digit before them may be the same by chance in all copies.
    """
    known = max((word for word in _KEPT if text.upper().startswith(word)), key=len, default=b"")
    text = text[len(known) :].lstrip(b"0")
    return text.rstrip(b"0") if is_of_fraction else text


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
    assert [piece for piece in left if re.search(rb"[^\0 ]{%d}" % _LEAST, piece[2])] == []


@pytest.mark.parametrize("seed", range(examples(4)))
def test_no_secret_is_elsewhere_in_a_copy(seed: int, tmp_path: Path) -> None:
    """A secret that moved would be at no place where it was."""
    drawn = drawn_trail(tmp_path, seed + 1000, ByteOrder.BIG)
    copies = copies_of(drawn.path, tmp_path, 2)
    source = drawn.path.read_bytes()
    there = [secret for secret in drawn.secrets if secret in source]
    assert len(there) > len(drawn.secrets) // 2, "others are cut by fragments"
    long = [secret for secret in there if len(_TEXT.findall(secret)) >= 2 * _LEAST]
    left = [form for secret in long for form in _forms(secret) if all(form in copy for copy in copies)]
    assert left == []


def _forms(secret: bytes) -> list[bytes]:
    """A secret as it may be written: in capitals and small letters, in UTF-16, in hexadecimal."""
    texts = [secret, secret.upper(), secret.lower()]
    wide = [text.decode().encode(f"utf-16-{order}") for text in texts for order in ("be", "le")]
    return [*texts, *wide, secret.hex().encode(), secret.hex().upper().encode()]


@pytest.mark.parametrize("name", some_trails([path.name for path in TRAILS.iterdir() if path.suffix == ""], __name__))
def test_nothing_of_a_fixture_is_left(name: str, tmp_path: Path) -> None:
    path = TRAILS / name
    assert _left(path.read_bytes(), copies_of(path, tmp_path, 3)) == []


def _column(random: Random, secret: bytes, order: ByteOrder) -> bytes:
    """A column that holds a secret: without an indicator or a length, with wrong ones, or with right ones."""
    indicator = random.choice([b"", PRESENT, b"\0\1", b"\xff\0"])
    length = random.choice([b"", order.encode(len(secret), 2), order.encode(len(secret) + random.randint(1, 9), 2)])
    return indicator + length + secret


@pytest.mark.parametrize(("code", "order"), in_turn([None, *sorted(DATA_TYPES)], ByteOrder))
def test_no_letter_of_a_value_is_taken_for_an_indicator_or_a_length(code: int | None, order: ByteOrder) -> None:
    random = Random(f"{code} {order}")
    runs = [ValueSubstitutes(Substitutes()) for _ in range(12)]
    for _ in range(30):
        secret = "".join(random.choices(string.ascii_letters, k=random.randint(1, 12))).encode()
        raw = _column(random, secret, order)
        if code is not None and DATA_TYPES[code].family is Family.REAL and len(raw) in (6, 10):
            continue  # letters are a number then, whose exponent stays
        fields: dict[str, Any] = {"data_type": code, "scale": random.choice([0, 2]), "internal_length": 40}
        fields["sub_data_type"] = random.choice([0, 0, 1, 2, 4, 7, 10])
        definition = column(**fields) if code is not None else None
        codec = random.choice(["utf-8", "iso8859-1", "cp1047", "ascii"])
        others = [run.of(raw, definition, order, codec) for run in runs]
        assert {len(other) for other in others} == {len(raw)}
        assert {other[:2] in (PRESENT, NULL) for other in others} == {raw[:2] in (PRESENT, NULL)}
        same = _same(raw, others)[len(raw) - len(secret) :]
        assert not re.search(rb"[A-Za-z]", same), (raw, same, definition, codec)
