"""Records that are left in their file: the same records, read part by part."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.searching import some_trails
from tests.sparse import GIGABYTE, Hole, head, rest, with_large_record
from trailformat import BadData, BadRecord, ByteOrder, Record, TrailFile
from trailformat.records import large_record
from trailformat.records.large_record import LARGEST, LargeRecord, record_of


@pytest.mark.parametrize("path", some_trails(TRAILS.glob("*0"), __name__), ids=lambda path: path.name)
def test_a_record_that_is_left_in_its_file_is_the_same_record(path: Path) -> None:
    with TrailFile(path) as trail:
        for rba in trail.sound_rbas(0, trail.size):
            record = trail.record_at(rba)
            assert record is not None
            left = LargeRecord(trail.bytes, record.rba, record.length, record.order, path)
            assert _facts(left) == _facts(record)
            assert b"".join(left.pieces()) == record.raw
            assert left.has_bytes_of(record)


def _facts(record: Record) -> tuple[object, ...]:
    facts = (record.length, record.is_file_header, record.frame[:2], record.trailer, record.parts, record.tokens)
    data = record.data_size, record.data, record.head("D", 7), [*record.stretches("D", 3)]
    if record.is_file_header:
        return *facts, *data
    return *facts, *data, record.header, record.cut(3, 17)


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Record]:
    """An insert with a gigabyte of zeros."""
    rba = with_large_record(tmp_path / "wd000000", head(), Hole("D"), rest("T"))
    with TrailFile(tmp_path / "wd000000") as trail:
        record = trail.record_at(rba)
        assert record is not None
        yield record


def test_a_part_that_is_too_large_is_an_error_and_the_others_are_there(large: Record) -> None:
    for part in ("raw", "body", "tokens", "data", "images"):
        with pytest.raises(BadData, match="bytes: more than 8388608 are not taken apart"):
            getattr(large, part)
    assert large.data_length == GIGABYTE
    assert large.csn is not None
    assert len(large.head("D", GIGABYTE)) == LARGEST


def test_stretches_have_so_many_bytes_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_record, "_PIECE", 10)
    with TrailFile(TRAILS / "et000000000") as trail:
        record = max(trail.records(trail.first_rba), key=lambda one: one.data_size)
        left = LargeRecord(trail.bytes, record.rba, record.length, record.order, None)
        stretches = [*left.stretches("D", overlap=3, start=5)]
    assert b"".join(stretch[:10] for stretch in stretches) == record.data[5:]
    assert all(one[10:] == other[:3] for one, other in pairwise(stretches))


def test_a_record_of_a_batch_stays_when_the_file_has_grown(tmp_path: Path) -> None:
    path = tmp_path / "wd000000"
    rba = with_large_record(path, head(), Hole("D", LARGEST), rest("T"))
    with TrailFile(path) as trail:
        record = record_of(trail.buffer, rba, trail.record_length(rba), trail.order, path)
        with path.open("ab") as file:
            file.write(b"more")
        trail.refresh()
        assert (record.data_size, record.frame.id, record.csn) == (LARGEST, ord("G"), "41882317")


@pytest.mark.parametrize(("letter", "problem"), [("H", "record header too long"), ("T", "GGS tokens too long")])
def test_a_header_or_ggs_tokens_of_more_than_64_kb_are_damage(letter: str, problem: str, tmp_path: Path) -> None:
    parts = {"H": (Hole("H", 0x10000),), "T": (head(), Hole("T", 0x10000))}[letter]
    rba = with_large_record(tmp_path / "wd000000", *parts)
    with TrailFile(tmp_path / "wd000000") as trail, pytest.raises(BadRecord, match=problem):
        trail.record_at(rba)


def test_the_largest_record_that_is_held_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_record, "LARGEST", 1000)
    kinds = [type(record_of(bytes(2000), 0, length, ByteOrder.BIG, None)) for length in (1000, 1001)]
    assert kinds == [Record, LargeRecord]
