"""The search for the next sound record by a kernel finds what a walk over all places finds."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.searching import examples
from tests.trailformat.samples import BOTH, header, row
from trailformat import ByteOrder, make_token
from trailformat.codec.tokens import WIDE, build_tokens
from trailformat.records.framing import Buffer, detect_order
from trailformat.records.record import build_record
from trailformat.records.record_header import build_header
from trailformat.trail import resync

_TOKENS = build_tokens([make_token("H", build_header(header(), ByteOrder.BIG))], ByteOrder.BIG)
WIDE_ROW = build_record(WIDE, _TOKENS, ByteOrder.BIG)
FAKES = [
    b"G\x00\x00\x40H\x00\x00\x24E",
    b"G\x40" + struct.pack(">I", 1 << 20) + b"H\x00\x00\x24E",
    b"Z\x00\x00\x40",
    b"F\x00\x00\x0c0\x00\x00\x00Z\x00\x00",
]
"""Beginnings and ends of records without the rest."""
FILE_HEADERS = [b"F\x00\x00\x0c0\x00\x00\x00Z\x00\x00\x0c", b"F\x40\0\0\0\x10" + b"0\0\0\0" + b"Z\x40\0\0\0\x10"]
RECORDS = [row(order=order).raw for order in BOTH] + FILE_HEADERS
PIECES = st.sampled_from([*FAKES, *(record[:-1] for record in RECORDS), *RECORDS, WIDE_ROW, bytes(13), b"GF"])


def by_walk(data: Buffer, start: int, stop: int) -> int | None:
    places = (at for at in range(start, stop) if detect_order(data, at, len(data)) is not None)
    return next(places, None)


@settings(max_examples=examples(60))
@given(st.lists(PIECES, max_size=12), st.integers(0, 200), st.integers(0, 900), st.sampled_from([1, 50, 1 << 22]))
def test_the_first_place_is_found(pieces: list[bytes], start: int, most: int, window: int) -> None:
    data = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resync, "_FIRST_WINDOW", window)
        patch.setattr(resync, "_OVERLAP", 40)
        found = resync.next_sound(data, start, len(data), most)
    assert found == by_walk(data, start, min(len(data), start + most))


@settings(max_examples=examples(40))
@given(st.lists(PIECES, max_size=12), st.integers(0, 900), st.integers(1, 900))
def test_backwards_the_last_place_is_found(pieces: list[bytes], rba: int, most: int) -> None:
    data = b"".join(pieces)
    rba = min(rba, len(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resync, "_FIRST_WINDOW", 64)
        patch.setattr(resync, "_OVERLAP", 40)
        found = resync.previous_sound(data, rba, len(data), most)
    before = range(max(0, rba - most), rba)
    assert found == max((at for at in before if detect_order(data, at, len(data)) is not None), default=None)


@pytest.mark.parametrize("record", [*RECORDS, WIDE_ROW])
@pytest.mark.parametrize("before", [0, 1, 13, 5000])
def test_every_kind_of_record_is_found_behind_damage(record: bytes, before: int) -> None:
    data = bytes(before) + record + bytes(40)
    assert resync.next_sound(data, 0, len(data)) == before


def test_the_hostile_file_is_searched_to_its_last_record(evidence: Path) -> None:
    data = (evidence.parent / "hostile" / "dense000000").read_bytes()
    assert resync.next_sound(data, 500, len(data)) == 1_020_506
