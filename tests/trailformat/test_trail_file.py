from __future__ import annotations

import os
import threading
from itertools import accumulate
from pathlib import Path
from types import NoneType

import pytest

from tests.searching import stride
from tests.trailformat.open_files import OPEN_FILES, open_files
from tests.trailformat.samples import BOTH, row, table_record, trail_of
from trailformat import (
    BadRecord,
    ByteOrder,
    NotATrail,
    PartialRecord,
    Record,
    TrailError,
    TrailFile,
    make_file_header,
    make_file_header_record,
)


def refusal(path: Path | str) -> str:
    with pytest.raises(NotATrail) as caught:
        TrailFile(path)
    assert caught.value.path == Path(path)
    return str(caught.value)


def test_a_missing_file_is_not_a_trail(tmp_path: Path) -> None:
    assert refusal(tmp_path / "lt000000") == f"{tmp_path}/lt000000: No such file or directory"


def test_a_directory_is_not_a_trail(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: it is a directory"


def test_a_fifo_is_not_a_trail_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lt000000")
    said: list[str] = []
    asking = threading.Thread(target=lambda: said.append(refusal(tmp_path / "lt000000")), daemon=True)
    asking.start()
    asking.join(5)
    assert said == [f"{tmp_path}/lt000000: it is not a regular file"]


@pytest.mark.usefixtures("held_by_permissions")
def test_a_file_without_permission_is_not_a_trail(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row())
    path.chmod(0)
    assert refusal(path) == f"{path}: Permission denied"


def test_a_name_that_cannot_be_is_not_a_trail() -> None:
    assert "lt\0" in refusal("lt\0000000")


def test_an_empty_file_is_not_a_trail(tmp_path: Path) -> None:
    path = trail_of(tmp_path)
    assert refusal(path) == f"{path}, RBA 0: the file is empty; expected a file header or a record"


@pytest.mark.parametrize("data", [b"x", b"text of any kind\n" * 99, bytes(5000)], ids=["byte", "text", "zeros"])
def test_a_file_without_any_record_is_not_a_trail(tmp_path: Path, data: bytes) -> None:
    path = trail_of(tmp_path, data)
    assert refusal(path).startswith(
        f"{path}, RBA 0: this is not a trail file: no sound record in it; expected header token"
    )


@pytest.mark.parametrize("size", [1, 7, 8, 30])
def test_a_file_that_ends_in_its_first_record_is_not_a_trail_yet(tmp_path: Path, size: int) -> None:
    path = trail_of(tmp_path, row().raw[:size])
    assert refusal(path).startswith(f"{path}, RBA 0: the file ends inside its first record")


def test_a_file_whose_beginning_is_damaged_is_a_trail(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, b"junk", row())) as trail:
        assert trail.next_good_header(0) == 4
        assert trail.file_header is None


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="no list of open files")
def test_a_refused_file_is_not_left_open(tmp_path: Path) -> None:
    path = trail_of(tmp_path, b"text")
    refusal(path)
    assert open_files(tmp_path) == []


HEADER = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 7}}))
WORDS = [b"one", b"two leaves", b"three", b"four cups"]


def records(order: ByteOrder = ByteOrder.BIG) -> list[Record]:
    return [row(word, order=order) for word in WORDS]


def starts(*parts: Record | bytes) -> list[int]:
    sizes = [record.length if isinstance(record, Record) else len(record) for record in parts]
    return list(accumulate(sizes, initial=0))[:-1]


@pytest.mark.parametrize("order", BOTH)
def test_records_are_read_from_front_to_back(tmp_path: Path, order: ByteOrder) -> None:
    parts = [HEADER, *records(order)]
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        read = list(trail.records())
    assert [record.raw for record in read] == [record.raw for record in parts]
    assert [record.rba for record in read] == starts(*parts)
    assert {record.path for record in read} == {trail.path}


@pytest.mark.parametrize("order", BOTH)
def test_records_are_read_from_back_to_front(tmp_path: Path, order: ByteOrder) -> None:
    parts = [HEADER, *records(order)]
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        assert [record.raw for record in trail.records_backwards()] == [record.raw for record in reversed(parts)]


def test_reading_may_begin_at_any_record(tmp_path: Path) -> None:
    parts = records()
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        middle = starts(*parts)[2]
        assert [record.raw for record in trail.records(middle)] == [record.raw for record in parts[2:]]
        assert [record.raw for record in trail.records_backwards(middle)] == [record.raw for record in parts[1::-1]]


@pytest.mark.parametrize("order", BOTH)
def test_the_byte_order_is_that_of_the_first_record_behind_the_header(tmp_path: Path, order: ByteOrder) -> None:
    with TrailFile(trail_of(tmp_path, HEADER, row(order=order))) as trail:
        assert trail.order is order
        assert [record.order for record in trail.records()] == [ByteOrder.BIG, order]


@pytest.mark.parametrize("order", BOTH)
def test_what_is_wrong_at_the_beginning_is_said_in_the_order_of_the_records_behind(
    tmp_path: Path, order: ByteOrder
) -> None:
    first, second = row(order=order), row(order=order)
    with TrailFile(trail_of(tmp_path, first.raw[:-4] + b"?" + first.raw[-3:], second)) as trail:
        assert trail.order is order
        assert "record has no trailer" in str(trail.error_at(0))


@pytest.mark.parametrize("order", BOTH)
def test_a_file_without_header_begins_with_a_record(tmp_path: Path, order: ByteOrder) -> None:
    with TrailFile(trail_of(tmp_path, *records(order))) as trail:
        assert trail.file_header is None
        assert trail.first_rba == 0
        assert trail.order is order
        assert len(list(trail.records())) == len(WORDS)


def test_the_file_header_stands_in_front(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, HEADER, row())) as trail:
        assert trail.file_header is not None
        assert trail.file_header.get("TrailInfo", "Seqno") == 7
        assert trail.first_rba == HEADER.length


def test_a_file_header_that_does_not_decode_is_none(tmp_path: Path) -> None:
    broken = HEADER.raw[:8] + b"\x38\0\0\x09" + HEADER.raw[12:]
    with TrailFile(trail_of(tmp_path, broken, row())) as trail:
        assert trail.file_header is None
        assert trail.first_rba == HEADER.length


def test_a_file_of_a_header_alone_has_one_record(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, HEADER)) as trail:
        assert [record.is_file_header for record in trail.records()] == [True]
        assert trail.record_at(HEADER.length) is None


def test_a_file_header_in_the_middle_does_not_stop_a_little_endian_file(tmp_path: Path) -> None:
    trail_record = row(order=ByteOrder.LITTLE)
    with TrailFile(trail_of(tmp_path, HEADER, trail_record, HEADER, trail_record)) as trail:
        assert [record.order for record in trail.records()] == [
            ByteOrder.BIG,
            trail_record.order,
            ByteOrder.BIG,
            trail_record.order,
        ]


def test_the_order_may_change_behind_the_point_where_files_were_joined(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(), row(order=ByteOrder.LITTLE), row(order=ByteOrder.LITTLE))) as trail:
        assert [record.order for record in trail.records()] == [ByteOrder.BIG, ByteOrder.LITTLE, ByteOrder.LITTLE]


def test_record_at_reads_one_record(tmp_path: Path) -> None:
    parts = records()
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        for rba, part in reversed(list(zip(starts(*parts), parts, strict=True))):
            record = trail.record_at(rba)
            assert record is not None
            assert record.raw == part.raw
            assert trail.record_length(rba) == part.length


def test_the_end_of_the_file_has_no_record(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail:
        assert trail.record_at(trail.size) is None
        assert trail.record_length(trail.size) == 0
        assert trail.end_of_records() == trail.size


@pytest.mark.parametrize("rba", [-1, 10_000])
def test_a_position_outside_the_file_is_a_bad_record(tmp_path: Path, rba: int) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail, pytest.raises(BadRecord) as caught:
        trail.record_at(rba)
    assert str(caught.value).startswith(f"{trail.path}, RBA {rba}: position is outside the file; expected 0 to ")


def test_a_position_inside_a_record_is_a_bad_record_with_its_place(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail, pytest.raises(BadRecord) as caught:
        trail.record_at(4)
    assert str(caught.value) == f"{trail.path}, RBA 4: no record starts here; expected header token x47 'G'; found x48"


@pytest.mark.parametrize("name", ["et000000000", "el000000000", "pt000000000", "ul000000000"])
def test_any_position_is_a_record_or_a_trail_error(trails: Path, name: str) -> None:
    with TrailFile(trails / name) as trail:
        good = {record.rba for record in trail.records()}
        for rba in {*good, *range(0, trail.size, stride(1))}:
            try:
                record = trail.record_at(rba)
            except TrailError:
                record = None
            assert (record is not None) == (rba in good)


def test_reading_stops_at_damage_and_goes_on_at_the_next_good_header(tmp_path: Path) -> None:
    first, second = row(b"one"), row(b"two")
    with TrailFile(trail_of(tmp_path, first, b"junk" * 9, second)) as trail:
        reading = trail.records()
        assert next(reading).raw == first.raw
        with pytest.raises(BadRecord) as caught:
            next(reading)
        assert caught.value.rba == first.length
        good = trail.next_good_header(first.length)
        assert good == first.length + 36
        assert [record.raw for record in trail.records(good)] == [second.raw]


def test_reading_backwards_stops_at_damage_and_goes_on_at_the_previous_good_header(tmp_path: Path) -> None:
    first, second = row(b"one"), row(b"two")
    with TrailFile(trail_of(tmp_path, first, b"junk" * 9, second)) as trail:
        reading = trail.records_backwards()
        assert next(reading).raw == second.raw
        with pytest.raises(BadRecord, match="no sound record ends here"):
            next(reading)
        assert trail.previous_good_header(first.length + 36) == 0


def test_good_headers_are_those_of_records(tmp_path: Path) -> None:
    parts = records(ByteOrder.LITTLE)
    rbas = starts(*parts)
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        assert [trail.next_good_header(rba) for rba in rbas] == rbas
        assert [trail.next_good_header(rba + 1) for rba in rbas] == [*rbas[1:], None]
        assert [trail.previous_good_header(rba) for rba in rbas] == [None, *rbas[:-1]]
        assert trail.previous_good_header(10_000) == rbas[-1]
        assert trail.next_good_header(-5) == 0


def test_a_length_that_runs_past_the_end_is_bad_when_records_follow(tmp_path: Path) -> None:
    broken = row().raw[:2] + b"\x7f\xff" + row().raw[4:]
    with TrailFile(trail_of(tmp_path, row(), broken, row())) as trail:
        with pytest.raises(BadRecord, match="the record extends past the end of the file"):
            trail.record_at(row().length)
        assert trail.next_good_header(row().length + 1) == 2 * row().length


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("missing", [1, 4, 20, 56, 59])
def test_a_record_that_the_file_cuts_is_partial_and_ends_the_reading(
    tmp_path: Path, order: ByteOrder, missing: int
) -> None:
    trail_record = row(order=order)
    with TrailFile(trail_of(tmp_path, trail_record, trail_record.raw[:-missing])) as trail:
        assert [record.rba for record in trail.records()] == [0]
        assert [record.rba for record in trail.records_backwards()] == [0]
        assert trail.end_of_records() == trail_record.length
        with pytest.raises(PartialRecord):
            trail.record_at(trail_record.length)


def test_a_text_that_begins_like_a_file_header_is_no_partial_record(tmp_path: Path) -> None:
    record = row(b"Flowery tea")
    with TrailFile(trail_of(tmp_path, record)) as trail, pytest.raises(BadRecord):
        trail.record_at(record.raw.index(b"Flowery"))


def test_metadata_is_found_between_two_positions(tmp_path: Path) -> None:
    tdr = table_record(1, "TEAS")
    parts: list[Record | bytes] = [HEADER, tdr, row(name=1), b"junk", tdr, row(name=1)]
    rbas = starts(*parts)
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        assert trail.metadata_rbas(0, trail.size) == ([rbas[1], rbas[4]], trail.size)
        assert trail.metadata_rbas(rbas[2], rbas[4]) == ([], rbas[4])
        assert trail.metadata_rbas(rbas[2], rbas[4] + 1) == ([rbas[4]], rbas[5])


def test_the_record_behind_a_position_outside_is_not_taken_for_the_one_before(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail:
        assert trail.record_before(0) is None
        assert trail.record_before(-5) is None
        with pytest.raises(BadRecord, match="no sound record ends here"):
            trail.record_before(5)


def test_what_is_wrong_at_a_position(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(), b"junk", row(), row().raw[:-1])) as trail:
        rbas = 0, row().length, row().length + 4, 2 * row().length + 4, trail.size
        errors = [type(trail.error_at(rba)) for rba in rbas]
    assert errors == [NoneType, BadRecord, NoneType, PartialRecord, NoneType]


def test_leaving_the_context_closes_the_file(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail:
        pass
    with pytest.raises(TrailError, match="the file is closed"):
        trail.record_at(0)
    trail.close()
