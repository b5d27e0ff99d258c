"""Changes of records that come last first: those of the order of the file, each as it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.leaves import FIRST, ONLY, PAIR, TABLE, Opened, image, only, record, told
from tests.trailformat.samples import header, metadata_record, trail_of
from tests.trailformat.test_update_halves import STREAMS
from trailformat import (
    BadData,
    ByteOrder,
    Change,
    Record,
    TrailFile,
    Value,
    change_of,
    make_column,
    make_record,
)
from trailformat.changes.row_changes import ChangeSource, ColumnChange, changes, changes_over, row_columns, row_images
from trailformat.changes.transaction_context import TransactionContext
from trailformat.definitions.file import parse_definitions
from trailformat.definitions.metadata import DatabaseDefinition, build_database, build_table
from trailformat.records.columns import Column
from trailformat.records.record import replace_header
from trailformat.records.record_header import (
    DDL_OP,
    DELETE,
    FIELD_COMP,
    INSERT,
    PK_UPDATE,
    PURGE_DATA,
    RESTART_OK,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
    UPDATE,
    UPDATE_COMP,
    Transaction,
)
from trailformat.trail.row_definitions import RowDefinitions


@pytest.mark.parametrize("records", [records for records, _ in STREAMS.values()], ids=STREAMS)
def test_backwards_come_the_same_changes_last_first(records: list[Record], tmp_path: Path) -> None:
    definition = metadata_record(2, 1, "TEA.LEAVES", build_table(TABLE, ByteOrder.BIG))
    with TrailFile(trail_of(tmp_path, definition, *records)) as trail:
        source = ChangeSource(trail, RowDefinitions(trail), TransactionContext(trail).of)
        forwards = list(changes(trail, trail.records()))
        backwards = list(changes_over(trail.records_backwards(), lambda _: source, is_backwards=True))
    assert [change.columns for change in backwards] == [change.columns for change in reversed(forwards)]
    assert [_rbas(change) for change in backwards] == [_rbas(change) for change in reversed(forwards)]


def _rbas(change: Change) -> list[int]:
    return [trail_record.rba for trail_record in change.records]


def test_an_insert_has_an_after_image(opened: Opened) -> None:
    change = only(opened(record(INSERT, after=image("SEN01", 890))))
    assert (change.op, change.table, change.csn, change.xid, change.rba) == (
        "INSERT",
        "TEA.LEAVES",
        "4711",
        "1.2.3",
        change.records[0].rba,
    )
    assert told(change) == [("CODE", None, "SEN01", False), ("GRAMS", None, "890", False)]
    assert [column.is_key for column in change.columns] == [True, False]


def test_a_delete_has_a_before_image(opened: Opened) -> None:
    change = only(opened(record(DELETE, before=image("SEN01", -1))))
    assert change.op == "DELETE"
    assert told(change) == [("CODE", "SEN01", None, False), ("GRAMS", "NULL", None, False)]


@pytest.mark.parametrize(
    ("io_type", "op"), [(UNIFIED_UPDATE, "UPDATE"), (UNIFIED_PK_UPDATE, "PK UPDATE"), (PK_UPDATE, "PK UPDATE")]
)
def test_one_record_may_have_both_images(opened: Opened, io_type: int, op: str) -> None:
    change = only(opened(record(io_type, image("SEN01", 890), image("SEN02"))))
    assert change.op == op
    assert told(change) == [("CODE", "SEN01", "SEN02", True), ("GRAMS", "890", None, False)]


def test_a_field_comp_alone_has_what_it_has(opened: Opened) -> None:
    assert told(only(opened(record(FIELD_COMP, after=image("SEN01", 880))))) == [
        ("CODE", None, "SEN01", False),
        ("GRAMS", None, "880", False),
    ]


def test_a_before_image_at_the_end_of_the_file_is_a_change_too(opened: Opened) -> None:
    assert told(only(opened(PAIR[0]))) == [("CODE", "SEN01", None, False), ("GRAMS", "890", None, False)]


def test_null_equals_null_and_differs_from_every_value(opened: Opened) -> None:
    same = only(opened(record(UNIFIED_UPDATE, image("A", -1), image("A", -1))))
    other = only(opened(record(UNIFIED_UPDATE, image("A", -1), image("A", 0))))
    assert [change.columns[1].is_changed for change in (same, other)] == [False, True]


def test_what_fills_the_room_of_a_null_is_no_change(opened: Opened) -> None:
    zeros, date = (Column(1, b"\xff\xff" + filler) for filler in (bytes(8), b"1900-01-"))
    (key,) = image("A", -1)[:1]
    change = only(opened(record(UNIFIED_UPDATE, (key, zeros), (key, date))))
    assert (change.columns[1].before, change.columns[1].after) == (
        Value(bytes(8), is_null=True),
        Value(b"1900-01-", is_null=True),
    )
    assert not change.columns[1].is_changed


@pytest.mark.parametrize(("io_type", "op"), [(PURGE_DATA, "TRUNCATE"), (DDL_OP, "DDL")])
def test_changes_without_columns(opened: Opened, io_type: int, op: str) -> None:
    change = only(opened(make_record(header(1, io_type=io_type, partition=8))))
    assert (change.op, change.table, change.columns, change.problem) == (op, "TEA.LEAVES", (), None)


def test_other_records_are_no_changes(opened: Opened) -> None:
    trail = opened(make_record(header("", io_type=RESTART_OK)))
    assert list(changes(trail, trail.records())) == []
    assert [change_of(trail, trail_record) for trail_record in trail.records()] == [None, None]


def test_a_row_with_more_columns_than_its_definition_keeps_them(opened: Opened) -> None:
    change = only(opened(record(INSERT, after=(*image("SEN01"), make_column(7, b"\1")))))
    assert change.columns[1].index == 7
    assert change.columns[1].definition is None
    assert change.columns[1].after is not None
    assert change.columns[1].after.problem == "no definition of this column"


@pytest.mark.parametrize(
    ("continued", "problem"),
    [
        (0, "its columns do not decode: column at byte 0 does not fit"),
        (1, "its columns continue in the records that follow"),
    ],
)
def test_columns_that_do_not_decode_are_a_problem_of_the_change(opened: Opened, continued: int, problem: str) -> None:
    change = only(opened(make_record(header(1, continued=continued), b"\0\0\0\x20SEN01")))
    assert change.columns == ()
    assert str(change.problem).startswith(problem)


SOURCE_TEXT = b"""Character set ID: windows-1252
Definition for table TEA.BAGS
Record length: 10
Columns: 2
CODE    0      6        0  0  0 0 0      6      6      0 0 0 0 0 1    0 1
GRAMS 132      4        6  0  0 0 0      4      4      4 0 0 0 0 1    0 0
End of definition
"""
SOURCE = parse_definitions(SOURCE_TEXT)


def sourced(trail: TrailFile) -> Change:
    (found,) = changes(trail, trail.records(), RowDefinitions(trail, SOURCE))
    return found


def test_a_definitions_file_tells_the_columns_of_a_trail_that_does_not(opened: Opened) -> None:
    row = record(INSERT, after=(make_column(0, b"TH\xc9 01"), make_column(1, b"\0\0\3\x7a")), name="TEA.BAGS")
    assert told(sourced(opened(row))) == [("CODE", None, "THÉ 01", False), ("GRAMS", None, "890", False)]


@pytest.mark.parametrize(("io_type", "expected"), [(INSERT, (None, "890")), (DELETE, ("890", None))])
def test_a_full_image_is_read_by_offsets_and_lengths(
    opened: Opened, io_type: int, expected: tuple[str | None, str | None]
) -> None:
    which = ord("B" if io_type == DELETE else "A")
    row = make_record(header("TEA.BAGS", io_type=io_type, partition=0, before_after=which), b"SEN01 \0\0\3\x7a")
    assert told(sourced(opened(row)))[1][1:3] == expected


def test_a_full_image_without_a_definition_has_no_columns(opened: Opened) -> None:
    assert only(opened(make_record(header("TEA.BAGS", partition=0), b"SEN01 \0\0\3\x7a"))).columns == ()


def test_the_trail_goes_before_the_file_unless_it_is_overridden(opened: Opened) -> None:
    trail = opened(record(INSERT, after=image("SEN01", 890)))
    renamed = parse_definitions(SOURCE_TEXT.replace(b"TEA.BAGS", b"TEA.LEAVES"))
    types = []
    for override in (False, True):
        (found,) = changes(trail, trail.records(), RowDefinitions(trail, renamed, override=override))
        assert found.definition is not None
        types.append(found.definition.columns[0].data_type)
    assert types == [64, 0]


@pytest.mark.parametrize(("charset", "text"), [(0, "\ufffd"), (1003, "é"), (1072, "Z")])
def test_text_is_in_the_character_set_of_the_ddr(tmp_path: Path, charset: int, text: str) -> None:
    database = build_database(DatabaseDefinition(1, charset, 1, 0, "GMT", b"", "TEADB"), ByteOrder.BIG)
    ddr = metadata_record(1, 0, "TEADB", database)
    tdr = metadata_record(2, 1, "TEA.LEAVES", build_table(TABLE, ByteOrder.BIG))
    row = record(INSERT, after=(make_column(0, b"\0\1\xe9"),))
    with TrailFile(trail_of(tmp_path, ddr, tdr, row)) as trail:
        value = only(trail).columns[0].after
    assert value is not None
    assert (value.value or "\ufffd") == text


class Known(TransactionContext):
    """A context that knows the transaction of every record already."""

    def of(self, record: Record) -> Transaction:
        return Transaction("9", f"x{record.header.trans_ind}")


def test_what_is_known_of_transactions_is_taken_over(opened: Opened) -> None:
    trail = opened(*PAIR, record(INSERT, after=image("X")))
    found = list(changes(trail, trail.records(), None, Known(trail)))
    assert [(change.csn, change.xid) for change in found] == [("9", f"x{FIRST}"), ("9", f"x{ONLY}")]
    last = change_of(trail, found[-1].records[0], None, Known(trail))
    assert last is not None
    assert (last.csn, last.xid) == ("9", f"x{ONLY}")


def test_a_change_is_all_that_its_records_say(opened: Opened) -> None:
    second = replace_header(PAIR[1], PAIR[1].header._replace(io_time=5))
    trail = opened(PAIR[0], second)
    change = only(trail)
    before, after = (trail_record for trail_record in trail.records() if not trail_record.is_metadata)
    assert [each.raw for each in change.records] == [before.raw, after.raw]
    assert change._replace(records=(), columns=()) == Change("UPDATE", "TEA.LEAVES", (), (), TABLE, "4711", "1.2.3", 5)
    code, grams = TABLE.columns
    assert [(each.index, each.name, each.definition, each.is_key) for each in change.columns] == [
        (0, "CODE", code, True),
        (1, "GRAMS", grams, False),
    ]


def test_columns_come_by_index_whichever_image_has_them(opened: Opened) -> None:
    (code,), (grams,) = image("SEN01"), image(None, 890)
    change = only(opened(record(UNIFIED_UPDATE, (grams, make_column(7, b"\1")), (code,))))
    assert [(each.index, each.name, each.definition is None, each.is_key) for each in change.columns] == [
        (0, "CODE", False, True),
        (1, "GRAMS", False, False),
        (7, "", True, False),
    ]
    assert [(each.before is None, each.after is None) for each in change.columns] == [
        (True, False),
        (False, True),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("continued", "problem"),
    [
        (0, "its columns do not decode: column at byte 0 does not fit into the 9 bytes around it"),
        (1, "its columns continue in the records that follow"),
    ],
)
def test_why_columns_do_not_decode_is_said_in_full(opened: Opened, continued: int, problem: str) -> None:
    assert only(opened(make_record(header(1, continued=continued), b"\0\0\0\x20SEN01"))).problem == problem


def test_the_columns_of_one_record_are_those_of_its_images(opened: Opened) -> None:
    trail = opened(record(INSERT, after=image("SEN01", 890)), make_record(header(1), b"\0\0\0\x20SEN01"))
    _, good, bad = trail.records()
    known = RowDefinitions(trail).of(good)
    assert row_columns(good, known) == only_columns(trail, good)
    with pytest.raises(BadData):
        row_columns(bad, known)


def only_columns(trail: TrailFile, row: Record) -> tuple[ColumnChange, ...]:
    found = change_of(trail, row)
    assert found is not None
    return found.columns


@pytest.mark.parametrize("order", list(ByteOrder))
def test_a_full_image_is_read_in_its_order_behind_its_system_key(order: ByteOrder, tmp_path: Path) -> None:
    head = header("TEA.BAGS", order, io_type=UPDATE, partition=0, syskey_len=4)
    with TrailFile(trail_of(tmp_path, make_record(head, b"KEY.SEN01 \0\0\3\x7a", order=order))) as trail:
        (row,) = trail.records()
        found = change_of(trail, row, RowDefinitions(trail, SOURCE))
    assert found is not None
    assert [each.after and each.after.text for each in found.columns] == ["SEN01 ", "890"]


@pytest.mark.parametrize("io_type", [FIELD_COMP, UPDATE_COMP])
def test_an_update_of_columns_has_no_full_image(opened: Opened, io_type: int) -> None:
    row = make_record(header("TEA.BAGS", io_type=io_type, partition=0), b"SEN01 \0\0\3\x7a")
    assert sourced(opened(row)).columns == ()


def test_a_full_image_that_does_not_fit_is_said_with_its_place(opened: Opened) -> None:
    trail = opened(make_record(header("TEA.BAGS", partition=0), b"SEN01 \0\0"))
    row = list(trail.records())[-1]
    with pytest.raises(BadData) as caught:
        row_images(row, RowDefinitions(trail, SOURCE).of(row))
    problem = "the row has 8 bytes, its definition 10 to 11"
    assert str(caught.value) == f"{trail.path}, RBA {row.rba}: {problem}"
