"""ROW over an update in two records one of which does not decode: it is said, whichever of them has the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.export.drawn_transactions import TABLES, definition
from tests.logdump.program import logdump
from tests.searching import Random
from tests.trailformat.samples import header, trail_of
from trailformat import ByteOrder, Images, Record, make_column, make_record
from trailformat.records.record_header import FIELD_COMP, PK_UPDATE

KEYS = ("k0", "k1", "k2")
_LENGTH = 5
"""Bytes between the length of a column and the text of its value."""


def halves(key: str, number: int, io_type: int = FIELD_COMP) -> list[Record]:
    """An update in two records, which is the part of a transaction of three."""
    images = [
        tuple(make_column(at, len(text).to_bytes(2) + text.encode()) for at, text in enumerate((key, value, "same")))
        for value in ("old", "new")
    ]
    places = (0 if number == 0 else 1), (2 if number == len(KEYS) - 1 else 1)
    before = header(1, io_type=io_type, before_after=ord("B"), trans_ind=places[0])
    after = header(1, io_type=io_type, before_after=ord("A"), trans_ind=places[1])
    return [make_record(before, Images(images[0], None)), make_record(after, Images(None, images[1]))]


@pytest.mark.parametrize("broken", range(len(KEYS)))
@pytest.mark.parametrize("half", [0, 1])
def test_an_update_with_a_half_that_does_not_decode_is_named(half: int, broken: int, tmp_path: Path) -> None:
    table = definition(TABLES[0], 1, ByteOrder.BIG)
    parts, rba = [table.raw], table.length
    for number, key in enumerate(KEYS):
        for at, record in enumerate(halves(key, number)):
            data = bytearray(record.raw)
            if (number, at) == (broken, half):
                data[data.index(key.encode()) - _LENGTH] += 40
            rba += record.length if number < broken else 0
            parts.append(bytes(data))
    path = trail_of(tmp_path, *parts)
    for number, key in enumerate(KEYS):
        answer = logdump("row", str(path), TABLES[0], f"C0={key}")
        told = [line for line in answer.err.splitlines() if line.endswith("it may change the row.")]
        if number != broken:
            assert (answer.status, told, answer.out.count("UPDATE")) == (0, [], 1)
            continue
        assert (answer.status, len(told), answer.out.count("UPDATE")) == (4, 1, 0)
        assert told[0].startswith(f"UPDATE of {TABLES[0]} at RBA {rba} of {path.name}: its columns do not decode")


@pytest.mark.parametrize("half", [0, 1])
def test_an_update_of_a_key_that_does_not_decode_may_change_any_row(half: int, tmp_path: Path) -> None:
    """It is one record, which has two images: one image alone is not its form."""
    parts = [definition(TABLES[0], 1, ByteOrder.BIG).raw]
    broken = Random(f"key update {half}").randrange(len(KEYS))
    for number, key in enumerate(KEYS):
        records = [halves(key, number, PK_UPDATE)[half]] if number == broken else halves(key, number)
        parts += [record.raw for record in records]
    path = trail_of(tmp_path, *parts)
    for key in KEYS:
        answer = logdump("row", str(path), TABLES[0], f"C0={key}")
        assert answer.status == 4
        assert "PK UPDATE" in answer.err
