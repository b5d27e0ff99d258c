"""The two halves of an update, each in a record of its own, and what keeps them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.leaves import FIRST, LAST, MIDDLE, ONLY, PAIR, TABLE, Opened, image, only, record, told
from tests.trailformat.samples import header, metadata_record, table_record, trail_of
from trailformat import (
    ByteOrder,
    Record,
    TrailFile,
    change_of,
    make_file_header,
    make_file_header_record,
    make_record,
)
from trailformat.changes.row_changes import changes
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import (
    DELETE,
    FIELD_COMP,
    INSERT,
    RESTART_OK,
    UPDATE,
    UPDATE_COMP,
)

BOTH_IMAGES = [("CODE", "SEN01", "SEN01", False), ("GRAMS", "890", "880", True)]


def test_two_field_comps_are_one_update(opened: Opened) -> None:
    change = only(opened(*PAIR))
    assert (change.op, len(change.records)) == ("UPDATE", 2)
    assert told(change) == BOTH_IMAGES


def test_a_definition_between_two_halves_does_not_part_them(opened: Opened) -> None:
    assert told(only(opened(PAIR[0], table_record(2, "TEA.BAGS"), PAIR[1]))) == BOTH_IMAGES


@pytest.mark.parametrize("half", [0, 1])
def test_each_half_finds_the_other(opened: Opened, half: int) -> None:
    trail = opened(PAIR[0], table_record(2, "TEA.BAGS"), PAIR[1], record(INSERT, after=image("X")))
    halves = [trail_record for trail_record in trail.records() if not trail_record.is_metadata]
    found = change_of(trail, halves[half])
    assert found is not None
    assert (found.rba, told(found)) == (halves[0].rba, BOTH_IMAGES)


@pytest.mark.parametrize(
    "second",
    [
        record(FIELD_COMP, after=image("SEN01", 880), trans_ind=ONLY),
        record(INSERT, after=image("SEN01", 880), trans_ind=LAST),
        record(FIELD_COMP, before=image("SEN01", 880), trans_ind=LAST),
        record(FIELD_COMP, after=image("SEN01", 880), trans_ind=LAST, name="TEA.BAGS"),
    ],
    ids=["of the next transaction", "of another type", "before image too", "of another table"],
)
def test_records_that_do_not_belong_together_stay_apart(opened: Opened, second: Record) -> None:
    trail = opened(PAIR[0], second)
    assert [len(change.records) for change in changes(trail, trail.records())] == [1, 1]
    alone = change_of(trail, next(trail_record for trail_record in trail.records() if not trail_record.is_metadata))
    assert alone is not None
    assert len(alone.records) == 1


BEFORE = record(FIELD_COMP, before=image("SEN01", 890), trans_ind=MIDDLE)
AFTER = record(FIELD_COMP, after=image("SEN01", 880), trans_ind=MIDDLE)
OTHER = make_record(header("", io_type=RESTART_OK))
STREAMS: dict[str, tuple[list[Record], list[int]]] = {
    "two pairs": ([BEFORE, AFTER, BEFORE, AFTER], [2, 2]),
    "a before image twice": ([BEFORE, BEFORE, AFTER], [1, 2]),
    "an after image twice": ([BEFORE, AFTER, AFTER], [2, 1]),
    "no change between": ([BEFORE, OTHER, AFTER], [1, 1]),
    "a row between": ([BEFORE, record(INSERT, after=image("X")), AFTER], [1, 1, 1]),
    "a definition between": ([BEFORE, table_record(2, "TEA.BAGS"), AFTER], [2]),
    "a row after the halves": ([AFTER, BEFORE, record(DELETE, before=image("X"))], [1, 1, 1]),
    "no change at the end": ([BEFORE, OTHER], [1]),
}


@pytest.mark.parametrize(("records", "sizes"), STREAMS.values(), ids=STREAMS)
def test_how_many_records_each_change_has(opened: Opened, records: list[Record], sizes: list[int]) -> None:
    trail = opened(*records)
    found = list(changes(trail, trail.records()))
    assert [len(change.records) for change in found] == sizes
    known = [change_of(trail, trail_record) for trail_record in trail.records() if not trail_record.is_metadata]
    assert [change.rba for change in known if change] == [
        each.rba for change in found for each in [change] * len(change.records)
    ]


@pytest.mark.parametrize("io_type", [UPDATE, UPDATE_COMP, FIELD_COMP])
def test_both_halves_of_every_kind_of_update_belong_together(opened: Opened, io_type: int) -> None:
    halves = [
        make_record(header(1, io_type=io_type, before_after=which, trans_ind=MIDDLE, partition=12), b"")
        for which in b"BA"
    ]
    trail = opened(*halves)
    assert [len(change.records) for change in changes(trail, trail.records())] == [2]


@pytest.mark.parametrize("trans_ind", [FIRST, ONLY])
def test_an_after_image_that_begins_a_transaction_has_no_other_half(opened: Opened, trans_ind: int) -> None:
    trail = opened(BEFORE, record(FIELD_COMP, after=image("SEN01", 880), trans_ind=trans_ind))
    after = list(trail.records())[-1]
    found = change_of(trail, after)
    assert found is not None
    assert [trail_record.rba for trail_record in found.records] == [after.rba]


def test_damage_beside_a_half_leaves_it_alone(tmp_path: Path) -> None:
    definition = metadata_record(2, 1, "TEA.LEAVES", build_table(TABLE, ByteOrder.BIG))
    path = trail_of(tmp_path, definition, BEFORE, b"\xee" * 40, AFTER)
    with TrailFile(path) as trail:
        for rba in (definition.length, definition.length + BEFORE.length + 40):
            half = trail.record_at(rba)
            assert half is not None
            found = change_of(trail, half)
            assert found is not None
            assert [trail_record.rba for trail_record in found.records] == [rba]


def test_a_half_at_the_end_or_behind_a_file_header_is_alone(tmp_path: Path) -> None:
    first = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}}))
    with TrailFile(trail_of(tmp_path, first, AFTER, BEFORE)) as trail:
        found = [change_of(trail, trail_record) for trail_record in trail.records()]
        assert [change and len(change.records) for change in found] == [None, 1, 1]
        assert [len(change.records) for change in changes(trail, trail.records())] == [1, 1]
