from __future__ import annotations

import os
import subprocess
import sys
from mmap import mmap
from pathlib import Path

import pytest

from tests.trailformat.samples import BOTH, row, table_record, trail_of
from tests.trailformat.test_trail_file import HEADER
from trailformat import ByteOrder, CannotRead, PartialRecord, TrailError, TrailFile


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize("order", BOTH)
def test_a_record_that_is_appended_can_be_read(tmp_path: Path, order: ByteOrder) -> None:
    first, second = row(b"one", order=order), row(b"two", order=order)
    path = trail_of(tmp_path, HEADER, first)
    with TrailFile(path) as trail:
        end = trail.size
        assert trail.record_at(end) is None
        append(path, second.raw)
        record = trail.record_at(end)
        assert record is not None
        assert record.raw == second.raw
        assert trail.size == end + second.length


@pytest.mark.parametrize("order", BOTH)
def test_a_record_is_partial_until_its_last_byte_is_there(tmp_path: Path, order: ByteOrder) -> None:
    first, second = row(b"one", order=order), row(b"two", order=order)
    path = trail_of(tmp_path, HEADER, first)
    with TrailFile(path) as trail:
        end = trail.size
        for at in range(second.length - 1):
            append(path, second.raw[at : at + 1])
            with pytest.raises(PartialRecord):
                trail.record_at(end)
        append(path, second.raw[-1:])
        record = trail.record_at(end)
        assert record is not None
        assert record.raw == second.raw


@pytest.mark.parametrize("order", BOTH)
def test_the_byte_order_is_found_when_the_first_record_arrives(tmp_path: Path, order: ByteOrder) -> None:
    path = trail_of(tmp_path, HEADER)
    trail_record = row(order=order)
    with TrailFile(path) as trail:
        append(path, trail_record.raw[:30])
        with pytest.raises(PartialRecord):
            trail.record_at(HEADER.length)
        append(path, trail_record.raw[30:])
        assert [record.order for record in trail.records(HEADER.length)] == [order]
        assert trail.order is order


def test_a_reader_that_waits_gets_what_comes(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(b"one"))
    with TrailFile(path) as trail:
        reading = trail.records()
        next(reading)
        append(path, row(b"two").raw)
        assert next(reading).raw == row(b"two").raw
        append(path, row(b"three").raw[:20])
        assert list(reading) == []


def test_a_definition_that_is_appended_names_the_rows_behind_it(tmp_path: Path) -> None:
    path = trail_of(tmp_path, table_record(1, "OLD"), row(name=1))
    with TrailFile(path) as trail:
        assert [trail.name_of(record) for record in trail.records() if not record.is_metadata] == ["OLD"]
        end = trail.size
        append(path, table_record(1, "NEW").raw + row(name=1).raw)
        assert [trail.name_of(record) for record in trail.records(end) if not record.is_metadata] == ["NEW"]


@pytest.mark.parametrize("rest", [0, 1, 30])
def test_a_file_that_is_cut_while_it_is_open_is_an_error_of_reading(tmp_path: Path, rest: int) -> None:
    path = trail_of(tmp_path, *[row(bytes(1000))] * 20)
    with TrailFile(path) as trail:
        last = 19 * row(bytes(1000)).length
        assert trail.record_at(last) is not None
        os.truncate(path, rest)
        with pytest.raises(CannotRead, match=f"the file was truncated to {rest} bytes"):
            trail.record_at(last)
        with pytest.raises(TrailError):
            trail.record_before(last)
        assert trail.next_good_header(0) is None
        assert trail.previous_good_header(last) is None
        assert trail.end_of_records() == 0


LOOKS_AT_A_FILE_CUT_MEANWHILE = """
import os, sys
from trailformat import CannotRead, TrailFile

trail = TrailFile(sys.argv[1])
size, last = trail.size, int(sys.argv[2])
TrailFile.refresh = lambda _trail: size
os.truncate(sys.argv[1], 0)
for look in (
    lambda: trail.record_at(last),
    lambda: trail.record_length(last),
    lambda: trail.record_before(last),
    lambda: trail.next_good_header(last + 1),
    lambda: trail.previous_good_header(last - 1),
    lambda: trail.end_of_records(),
    lambda: trail.metadata_rbas(0, size),
    lambda: trail.bytes[last : last + 9],
    lambda: trail.bytes[last],
):
    try:
        look()
    except CannotRead:
        print("told")
"""


def test_a_file_that_is_cut_between_two_looks_does_not_end_the_process(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(1000))] * 200)
    last = 199 * row(bytes(1000)).length
    command = [sys.executable, "-c", LOOKS_AT_A_FILE_CUT_MEANWHILE, str(path), str(last)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == ["told"] * 9


def test_what_is_written_over_is_read_anew(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(b"one"))
    os.utime(path, (0, 0))
    with TrailFile(path) as trail:
        for data in (b"one", b"two"):
            path.write_bytes(row(data).raw)
            record = trail.record_at(0)
            assert record is not None
            assert record.raw == row(data).raw


def test_reading_on_in_a_file_that_was_cut_is_an_error_of_reading(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(1000))] * 20)
    with TrailFile(path) as trail:
        reading = trail.records()
        next(reading)
        next(reading)
        os.truncate(path, 100)
        with pytest.raises(CannotRead, match="the file was truncated to 100 bytes while it was read"):
            next(reading)


def test_a_record_that_was_read_keeps_its_bytes_when_the_file_is_cut(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(bytes(10_000)))
    with TrailFile(path) as trail:
        record = trail.record_at(0)
        assert record is not None
        os.truncate(path, 0)
        assert record.build() == row(bytes(10_000)).raw


def test_a_view_of_the_buffer_does_not_hinder_the_file_from_growing(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row())
    with TrailFile(path) as trail:
        assert isinstance(trail.buffer, mmap)
        view = memoryview(trail.buffer)
        append(path, row().raw)
        assert trail.size == 2 * row().length
        assert bytes(view) == row().raw


def test_a_file_that_is_removed_can_still_be_read(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row())
    with TrailFile(path) as trail:
        path.unlink()
        assert len(list(trail.records())) == 1
