"""The values in the images are what the columns of each record decode to."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from fixtures import TRAILS
from logdump.arrow.records.errors import ValueTooLarge
from logdump.tables.errors import BadTrail
from tests.logdump.tables.reads import rows
from tests.searching import some_trails
from tests.trailformat.samples import column, header, metadata_record, trail_of
from trailformat import (
    ByteOrder,
    ColumnDefinition,
    Images,
    Record,
    TableDefinition,
    TrailError,
    TrailFile,
    make_column,
    make_record,
)
from trailformat.changes.row_changes import ColumnChange, row_columns
from trailformat.definitions.file import read_definitions
from trailformat.definitions.metadata import DatabaseDefinition, build_database, build_table
from trailformat.records.record_header import UNIFIED_UPDATE
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.values import Value, plain_text

TEAHOUSE = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
PRICE = column()
NOTE = column("NOTE", data_type=64, sub_data_type=0, scale=0)
SIDES = ("before", "after")
Told = dict[tuple[int, str, int], str | None]
"""The text of a value by RBA, image and index."""


def told_by_records(path: Path, definitions: Path | None = None) -> Told:
    """The values, record by record."""
    found: Told = {}
    with TrailFile(path) as trail:
        known = RowDefinitions(trail, read_definitions(definitions) if definitions else None)
        for record in filter(None, map(trail.record_at, trail.sound_rbas(0, trail.size))):
            for column_change in _columns(record, known):
                for side in SIDES:
                    value: Value | None = getattr(column_change, side)
                    if value is not None:
                        text = None if value.value is None else plain_text(value.value)
                        found[record.rba, side, column_change.index] = text
    return found


def _columns(record: Record, definitions: RowDefinitions) -> tuple[ColumnChange, ...]:
    try:
        return () if record.images is None else row_columns(record, definitions.of(record))
    except TrailError:
        return ()


def told_by_spark(path: Path, **options: Any) -> Told:
    """The values of the data source."""
    return {
        (row["rba"], side, column_value["index"]): column_value["value"]
        for row in rows(path, "rba", *SIDES, mode="PERMISSIVE", **options)
        for side in SIDES
        for column_value in row[side] or ()
    }


@pytest.mark.parametrize("path", some_trails(TRAILS.iterdir(), __name__), ids=lambda path: path.name)
def test_values_are_those_of_the_records(path: Path) -> None:
    assert told_by_spark(path) == told_by_records(path)


def test_so_are_those_of_the_real_trail(evidence: Path) -> None:
    told = told_by_spark(evidence / "tr000000000")
    assert told == told_by_records(evidence / "tr000000000")
    assert "1995-12-31 15:00:00" in told.values()


@pytest.mark.parametrize("name", ["ot000000", "ol000000"])
def test_a_definitions_file_gives_older_trails_values(name: str) -> None:
    told = told_by_spark(TRAILS / name, sourceDefs=TEAHOUSE)
    assert told == told_by_records(TRAILS / name, TEAHOUSE)
    assert "Sencha Fukamushi" in told.values()


def definition(*columns: ColumnDefinition, index: int = 1, order: ByteOrder = ByteOrder.BIG) -> Record:
    return metadata_record(2, index, "TEA.LEAVES", build_table(TableDefinition(1, 1, columns), order), order)


def price(value: bytes | None, order: ByteOrder = ByteOrder.BIG, **fields: Any) -> Record:
    """An insert of a price."""
    return make_record(header(1, order, **fields), Images(None, (make_column(0, value),)), order=order)


def test_a_definition_holds_up_to_the_next_one_with_its_index(tmp_path: Path) -> None:
    number = (123456).to_bytes(8)
    records = [definition(PRICE), price(number), definition(PRICE._replace(scale=3)), price(number)]
    found = [row["after"] for row in rows(trail_of(tmp_path, *records), "after") if row["after"]]
    assert [image[0]["value"] for image in found] == ["1234.56", "123.456"]


@pytest.mark.parametrize(("charset", "text"), [(0, None), (1003, "thé"), (1072, "ÈÇZ")])
def test_text_is_in_the_character_set_of_the_database(tmp_path: Path, charset: int, text: str | None) -> None:
    database = build_database(DatabaseDefinition(1, charset, 1, 0, "GMT", b"", "TEADB"), ByteOrder.BIG)
    data = b"th\xe9"
    record = price(len(data).to_bytes(2) + data)
    path = trail_of(tmp_path, metadata_record(1, 1, "TEADB", database), definition(NOTE), record)
    assert rows(path, "after", mode="PERMISSIVE")[-1]["after"][0]["value"] == text


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Good and bad prices, and a column beyond the definition."""
    images = Images((make_column(0, b"\0"),), (make_column(0, b"\0\1"), make_column(1, b"?")), 4)
    both = make_record(header(1, io_type=UNIFIED_UPDATE), images)
    return trail_of(tmp_path, definition(PRICE), price(bytes(8)), price(b"\0"), price(None), both)


REASON = "INT64: wrong size of the value; expected 8 bytes; found {} bytes"


def test_problems_say_why_a_value_is_null(odd: Path) -> None:
    found = rows(odd, "after", "problems", undecodable="null")[1:]
    assert [row["problems"] for row in found] == [
        None,
        [f"after.PRICE: {REASON.format(1)}"],
        None,
        [f"before.PRICE: {REASON.format(1)}", f"after.PRICE: {REASON.format(2)}"],
    ]
    assert [[column_value["value"] for column_value in row["after"]] for row in found] == [
        ["0.00"],
        [None],
        [None],
        [None, None],
    ]


def test_problems_say_so_alone_too(odd: Path) -> None:
    alone = rows(odd, "problems", undecodable="null")
    assert alone == [{"problems": row["problems"]} for row in rows(odd, undecodable="null")]


def test_a_value_that_is_null_for_no_reason_given_ends_the_read(odd: Path) -> None:
    with pytest.raises(BadTrail, match=r"tt000000000, seqno 0, RBA \d+: after.PRICE: INT64: .*; with mode PERMISSIVE"):
        rows(odd, "after")
    assert len(rows(odd, "raw", "table")) == 5


def test_permissive_puts_one_line_into_the_log(odd: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "logdump.spark"):
        assert len(rows(odd, "after", mode="PERMISSIVE")) == 5
    assert [line.endswith("found 1 bytes (1 more values of this batch do not decode)") for line in caplog.messages] == [
        True
    ]


def _long(order: ByteOrder) -> Iterator[Record]:
    """A row that is too long to be taken apart among others, its last value being bad."""
    columns = [NOTE._replace(name=f"N{number}") for number in range(8)]
    values = [order.encode(50_000, 2) + b"x" * 50_000 for _ in range(7)] + [b"\0"]
    yield definition(*columns, order=order)
    yield make_record(
        header(1, order), Images(None, tuple(make_column(*pair) for pair in enumerate(values))), order=order
    )


@pytest.mark.parametrize("order", ByteOrder)
def test_very_long_rows_have_values_too(tmp_path: Path, order: ByteOrder) -> None:
    path = trail_of(tmp_path, *_long(order))
    row = rows(path, "after", "problems", undecodable="null")[-1]
    assert [column_value["value"] for column_value in row["after"]] == ["x" * 50_000] * 7 + [None]
    assert row["problems"] == ["after.N7: VARCHAR: the 2-byte length is missing; expected 2 bytes; found 1 bytes"]
    with pytest.raises(BadTrail, match=r"after\.N7: VARCHAR: the 2-byte length is missing"):
        rows(path, "after")


def test_more_text_than_a_batch_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.arrow.records.texts._MOST_BYTES", 50)
    with pytest.raises(
        ValueTooLarge, match=r"et000000000, seqno 0, RBA 0: too much text .*; take a smaller batchBytes"
    ):
        rows(TRAILS / "et000000000", "after")


def test_a_record_whose_text_has_no_room_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overflowing(*_: Any) -> Any:
        raise pa.ArrowCapacityError("array cannot contain more than 2147483646 bytes")

    monkeypatch.setattr("logdump.arrow.records.columns.images.replaced", overflowing)
    with pytest.raises(ValueTooLarge, match="too much text for one array"):
        rows(trail_of(tmp_path, *_long(ByteOrder.BIG)), "after", "problems", undecodable="null")
