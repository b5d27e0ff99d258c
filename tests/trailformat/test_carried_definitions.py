from __future__ import annotations

import pytest

from tests.trailformat.samples import BOTH, metadata_record, row, table_record
from trailformat import ByteOrder, CannotWrite, Record
from trailformat.records.record_header import DATABASE, REFERENCE, TABLE
from trailformat.trail.writer import CarriedDefinitions

DDR = metadata_record(DATABASE, 0, "")
TEAS = table_record(1, "TEAS")
SALES = table_record(2, "SALES")


def after_rollover() -> CarriedDefinitions:
    carried = CarriedDefinitions()
    for record in (DDR, TEAS, SALES):
        carried.note(carried.learn(record))
    carried.new_file()
    return carried


def test_a_row_wants_the_database_and_its_table_first() -> None:
    assert after_rollover().wanted_by(row(name=2)) == [DDR, SALES]


def test_what_was_told_is_not_told_again() -> None:
    carried = after_rollover()
    carried.wanted_by(row(name=2))
    assert carried.wanted_by(row(name=2)) == []
    assert carried.wanted_by(row(name=1)) == [TEAS]


@pytest.mark.parametrize("records", [(TEAS,), (TEAS, SALES), (SALES, TEAS)])
def test_what_the_target_has_from_the_source_itself_is_not_told_again(records: tuple[Record, ...]) -> None:
    carried = after_rollover()
    for record in (DDR, *records):
        carried.note(carried.learn(record))
    wanted = [carried.wanted_by(row(name=index)) for index in (1, 2)]
    assert wanted == [[] if TEAS in records else [TEAS], [] if SALES in records else [SALES]]


def test_a_reference_that_the_target_has_is_not_told_again() -> None:
    carried = after_rollover()
    for record in (DDR, TEAS, SALES, metadata_record(REFERENCE, 1, "ARCHIVE")):
        carried.note(carried.learn(record))
    assert [carried.wanted_by(row(name=index)) for index in (1, 2, 3)] == [[], [], []]


def test_a_definition_wants_the_database_first() -> None:
    carried = after_rollover()
    assert carried.wanted_by(TEAS) == [DDR]
    assert carried.wanted_by(SALES) == []


def test_a_database_wants_nothing() -> None:
    assert after_rollover().wanted_by(DDR) == []


def test_a_row_that_has_its_name_wants_nothing() -> None:
    assert after_rollover().wanted_by(row(name="TEA.LEAVES")) == []


def test_a_row_of_an_unknown_table_wants_the_database_only() -> None:
    assert after_rollover().wanted_by(row(name=9)) == [DDR]


def test_a_new_definition_takes_the_place_of_the_old() -> None:
    carried = after_rollover()
    newer = table_record(2, "SALES_2025")
    carried.learn(newer)
    assert carried.wanted_by(row(name=2)) == [DDR, newer]


@pytest.mark.parametrize("order", BOTH)
def test_a_reference_is_carried_as_a_definition_under_its_own_index(order: ByteOrder) -> None:
    carried = CarriedDefinitions()
    carried.learn(table_record(1, "TEAS", order, columns=3))
    resolved = carried.learn(metadata_record(REFERENCE, 1, "ARCHIVE", order=order))
    assert resolved.header.orig_node == TABLE
    assert resolved.metadata_indexes == (1, 2)
    assert resolved.name == "ARCHIVE"
    assert resolved.data == table_record(1, "TEAS", order, columns=3).data


def test_a_reference_to_a_lost_definition_stays_as_it_is() -> None:
    reference = metadata_record(REFERENCE, 1, "ARCHIVE")
    assert CarriedDefinitions().learn(reference) is reference


def test_a_reference_behind_the_last_index_cannot_be_written() -> None:
    carried = CarriedDefinitions()
    carried.learn(table_record(0xFFFF, "TEAS"))
    with pytest.raises(CannotWrite):
        carried.learn(metadata_record(REFERENCE, 0xFFFF, "ARCHIVE"))
