"""A filter on columns lets the same rows pass as the test on each record."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.filters import FilterSet, apply
from logdump.notation.times import GMT
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.filters.subjects import selection_through
from tests.searching import IS_LONG, examples, part_of, some_trails
from tests.trailformat.samples import column, header, metadata_record, row, trail_of
from trailformat import ByteOrder, Images, Record, TableDefinition, TrailFile, make_column, make_record
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import RECORD_FRAGMENT
from trailformat.scan import Batch, scan

pytest.importorskip("numpy", reason="masks need numpy")

FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
WANTED = ["= NULL", "<> NULL", "> 7", "< b", "<> x", "= 2024-01-01"]
FILTERS = [
    ["RECTYPE insert"],
    ["RECTYPE 3, fieldcomp, 170"],
    ["EXCLUDE RECTYPE insert"],
    ["FILENAME teahouse.t*"],
    ["FILENAME *sales", "IOTYPE insert", "MATCH ALL"],
    ["FILENAME *sales", "IOTYPE insert"],
    ["ANSINAME TEAHOUSE.TEAS"],
    ["INCLUDE RECLEN > 80", "EXCLUDE FILENAME *teas"],
    ["EXCLUDE RECLEN < 80", "EXCLUDE RECTYPE insert", "EXCLUDE MATCH ALL"],
    ["RBA >= 3000"],
    ["AUDITRBA <> 211"],
    ["TRANSIND last", "TRANSIND only"],
    ["STARTTIME 2024-03-14 09:31:00", "ENDTIME 2024-03-14 09:33:00", "MATCH ALL"],
    ['STRING "SEN01"'],
    ['STRING BOTH "sen01"'],
    ['STRING "S"'],
    ['STRING "e"', "RECTYPE insert", "MATCH ALL"],
    ['EXCLUDE STRING "a"'],
    ['STRING "SEN01" 4:10'],
    ["HEX 0000 0:1"],
    ["HEX 53454e, 00ff"],
    ["CSN > 41882317"],
    ["CSN > 41882317", "RECTYPE insert", "MATCH ALL"],
    ["EXCLUDE CSN <= 41882317"],
    ["CSN <> 41882317", "USERTOKEN TKN-HOST"],
    ["CSN > 41882317", "UNDOFLAG = 0", "MATCH ALL"],
    ["CSN >= 00000000/1"],
    ["CSN > 7:2900"],
    ["GGSTOKEN LOGCSN"],
    ["GGSTOKEN LOGCSN > 41882317"],
    ["GGSTOKEN TRANID = 5.1.8801"],
    ["GGSTOKEN TRANID >= 5.1"],
    ["GGSTOKEN TRANID"],
    ["GGSTOKEN ORAROWID"],
    ["GGSTOKEN ORAROWID > AAATeaAAFAAAAHo002"],
    ["GGSTOKEN ORAROWID = AAATeaAAFAAAAHo002"],
    ["EXCLUDE GGSTOKEN ORAROWID"],
    ['GGSTOKEN ORATAG = ""'],
    ["GGSTOKEN DDL = TEAHOUSE"],
    ["GGSTOKEN DDL <> TEAHOUSE"],
    ["GGSTOKEN DDL > 1"],
    ["GGSTOKEN xff"],
    ["USERTOKEN TKN-HOST"],
    ["INT32 5"],
    ["INT16 5"],
    ["INT64 -1"],
    ["UNDOFLAG = 0"],
    ["VALUE PRICE > 7"],
    ["VALUE price = 9.40", "VALUE TEA_CODE = SEN01"],
    ["VALUE NAME = NULL"],
    ["VALUE NAME <> NULL", "RECTYPE insert", "MATCH ALL"],
    ["EXCLUDE VALUE ORIGIN = Uji"],
    ['VALUE "price" = 9.40'],
    ["VALUE NOTHING = 1"],
    ["VALUE GGS_OP_TYPE = insert"],
    ["VALUE GGS_OP_TYPE <> insert"],
    ["VALUE GGS_BEFORE_AFTER_IND = BEFORE"],
    ["VALUE GGS_TRANS_RBA > 23409800"],
    ["VALUE GGS_TRANS_TIMESTAMP < '2024-03-14 09:33'", "EXCLUDE VALUE GGS_TRANS_RBA = 0"],
]


def _with_numpy(batch: Batch) -> Batch:
    import numpy as np

    columns: dict[str, Any] = {
        field.name: np.array(getattr(batch, field.name)) for field in fields(batch) if field.name != "names"
    }
    return Batch(**columns, names=batch.names)


@pytest.mark.parametrize("statements", FILTERS, ids="; ".join)
@pytest.mark.parametrize("size", [1, 3, 1000] if IS_LONG else [3])
def test_the_same_records_pass(size: int, statements: list[str]) -> None:
    filters = FilterSet()
    for statement in statements:
        apply(filters, statement, GMT)
    for path in part_of(FILES, FILTERS.index(statements), 6):
        with TrailFile(path) as trail:
            one_by_one = selection_through(trail, filters)
            records = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
            expected = [record.rba for record in records if record and one_by_one.accepts(record)]
            by_columns = selection_through(trail, filters)
            found = []
            for batch in scan(trail, batch_size=size):
                numbers: Any = _with_numpy(batch)
                found += numbers.rba[by_columns.rows(numbers)].tolist()
            assert found == expected, path.name


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=records_of_a_table(), wanted=st.sampled_from(WANTED))
def test_the_same_values_hold_whatever_their_types(records: list[Record], wanted: str, tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records)
    filters = FilterSet()
    apply(filters, f"VALUE C0 {wanted}", GMT)
    with TrailFile(path) as trail:
        one_by_one, by_columns = selection_through(trail, filters), selection_through(trail, filters)
        (batch,) = scan(trail)
        numbers: Any = _with_numpy(batch)
        found = numbers.rba[by_columns.rows(numbers)].tolist()
        assert found == [record.rba for record in trail.records() if one_by_one.accepts(record)]


def test_a_name_that_two_columns_have_but_for_capitals_is_asked_of_the_record(tmp_path: Path) -> None:
    definition = TableDefinition(1, 1, (column("price", scale=0), column("PRICE", scale=0)))
    image = Images(None, (make_column(1, (5).to_bytes(8, "big")),))
    path = trail_of(
        tmp_path,
        metadata_record(2, 1, "TEA.LEAVES", build_table(definition, ByteOrder.BIG)),
        make_record(header(1), image, order=ByteOrder.BIG),
    )
    filters = FilterSet()
    apply(filters, "VALUE Price = 5", GMT)
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        assert selection_through(trail, filters).rows(_with_numpy(batch)).tolist() == [False, True]


def test_a_value_that_stands_in_a_fragment_is_found(tmp_path: Path) -> None:
    definition = TableDefinition(1, 1, (column("A", scale=0), column("B", scale=0)))
    pieces = [make_column(index, (5 + index).to_bytes(8, "big")) for index in (0, 1)]
    first, whole = (
        make_record(header(1), Images(None, tuple(some)), order=ByteOrder.BIG).data for some in (pieces[:1], pieces)
    )
    assert whole.startswith(first)
    path = trail_of(
        tmp_path,
        metadata_record(2, 1, "TEA.LEAVES", build_table(definition, ByteOrder.BIG)),
        make_record(header(1, continued=1), first, order=ByteOrder.BIG),
        make_record(header(1, io_type=RECORD_FRAGMENT), whole[len(first) :], order=ByteOrder.BIG),
    )
    filters = FilterSet()
    apply(filters, "VALUE B = 6", GMT)
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        assert selection_through(trail, filters).rows(_with_numpy(batch)).tolist() == [False, True, False]


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("order", list(ByteOrder))
def test_a_stored_integer_is_sought_in_the_orders_of_its_file(order: ByteOrder, width: int, tmp_path: Path) -> None:
    value = 0x0102
    stored = {
        byte_order: value.to_bytes(width // 8, "big" if byte_order is ByteOrder.BIG else "little")
        for byte_order in ByteOrder
    }
    rows = [row(b"--" + stored[byte_order] + b"--", order=order) for byte_order in (ByteOrder.BIG, ByteOrder.LITTLE)]
    filters = FilterSet()
    apply(filters, f"INT{width} {value}", GMT)
    with TrailFile(trail_of(tmp_path, *rows)) as trail:
        (batch,) = scan(trail)
        found = selection_through(trail, filters).rows(_with_numpy(batch)).tolist()
        assert found == [True, order is ByteOrder.LITTLE]
        assert found == [selection_through(trail, filters).accepts(record) for record in trail.records()]
