"""Rows of one table as its tasks make them: what EXPORT writes of the same records, whatever the definitions.

LOBs in rows of a table: the value that the pieces hold, or a problem that says why there is none.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from fixtures import TRAILS
from logdump.arrow.records.schema import Selected
from logdump.arrow.tables import row_lobs
from logdump.tables.defined_tables import table_meant
from logdump.tables.errors import BadOption, BadTrail
from logdump.tables.options import Use, parse_options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.slices import Request
from logdump.tables.table_columns import table_columns
from logdump.tables.table_reader import fitted
from tests.logdump.export.rows import check_values, expected_rows
from tests.logdump.export.strategies import TABLE, records_of_a_table
from tests.searching import examples, part_of, some_trails
from tests.trailformat.samples import header, metadata_record, row, table_record, trail_of
from tests.trailformat.test_lobs import TEXT, pieces, plain
from tests.trailformat.values.kinds import KINDS
from trailformat import (
    ByteOrder,
    Column,
    Images,
    Record,
    TableDefinition,
    TrailFile,
    encode_value,
    make_column,
    make_record,
)
from trailformat.changes.lobs import lobs_of
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import LARGE_OBJECT
from trailformat.trail.row_definitions import RowDefinitions

Row = dict[str, Any]
TEAS = "TEAHOUSE.TEAS"
DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)


def rows_of(path: Path | str, name: str, *columns: str, **given_options: str) -> list[Row]:
    """The rows of a table, in order, with the columns of the read or some of them."""
    options = parse_options({"path": str(path), "rowsOf": name, **given_options}, Use.READ)
    offered = table_columns(table_meant(options)[1], options)
    selected = tuple(Selected(alias, offered[alias]) for alias in columns or offered)
    return [
        found_row
        for lot in plan(options)
        for batch in read(lot, Request(selected, options))
        for found_row in batch.to_pylist()
    ]


def _tables(path: Path) -> list[str]:
    with TrailFile(path) as trail:
        return sorted({entry.name for entry in trail.tables.entries() if trail.tables.columns(entry) is not None})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_row_of_a_table_is_what_its_record_decodes_to(path: Path) -> None:
    expected = expected_rows(path)
    for name in _tables(path):
        found = rows_of(path, name, mode="DROPMALFORMED")
        assert [own_row["rba"] for own_row in found] == [
            rba for rba, expected_table in expected.items() if expected_table.table == name
        ]
        lobs = _lobs(path)
        for found_row in found:
            about = expected[found_row["rba"]]
            assert {part: found_row[part] for part in about.fixed} == about.fixed
            check_values(
                {part: value for part, value in found_row.items() if (found_row["rba"], part) not in lobs}, about
            )


def _lobs(path: Path) -> set[tuple[int, str]]:
    """The columns, by the RBA of their row, whose value is a LOB: tests of LOBs have them."""
    found = set()
    with TrailFile(path) as trail:
        known = RowDefinitions(trail)
        for rba in trail.sound_rbas(0, trail.size):
            record = trail.record_at(rba)
            if record is not None and not record.is_file_header and record.header.io_type == LARGE_OBJECT:
                for lob in lobs_of(trail, record.rba):
                    base = trail.record_at(lob.base.rba) if lob.base is not None else None
                    column = known.of(base).column(lob.column) if base is not None and lob.column is not None else None
                    if base is not None and column is not None:
                        found.add((base.rba, f"{'before' if lob.is_before else 'after'}_{column.name}"))
    return found


@pytest.mark.parametrize("path", part_of(FILES, 0, 2), ids=lambda path: path.name)
def test_splits_change_nothing(path: Path) -> None:
    for name in _tables(path):
        whole = rows_of(path, name, mode="DROPMALFORMED", maxPartitionBytes="0")
        assert rows_of(path, name, mode="DROPMALFORMED", maxPartitionBytes="400") == whole
        assert rows_of(path, name, mode="DROPMALFORMED", batchRows="1") == whole


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=records_of_a_table())
def test_values_of_every_type_come_as_they_decode(records: list[Record], tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records)
    expected, found = expected_rows(path), rows_of(path, TABLE, undecodable="null")
    assert [own_row["rba"] for own_row in found] == list(expected)
    for found_row in found:
        check_values(found_row, expected[found_row["rba"]])


def _defined(*columns: tuple[str, str]) -> Record:
    """A definition of TABLE with columns of these names and kinds."""
    definitions = tuple(KINDS[kind].definition._replace(name=name) for name, kind in columns)
    return metadata_record(2, 1, TABLE, build_table(TableDefinition(1, 1, definitions), ByteOrder.BIG), ByteOrder.BIG)


def _inserted(*values: tuple[str, Any]) -> Record:
    """An INSERT into it: for each column its kind and value."""
    columns = (
        make_column(index, encode_value(value, KINDS[kind].definition, ByteOrder.BIG))
        for index, (kind, value) in enumerate(values)
    )
    return make_record(header(1), Images(None, tuple(columns)), order=ByteOrder.BIG)


def test_a_column_of_one_definition_only_is_null_in_rows_of_the_others(tmp_path: Path) -> None:
    trail = trail_of(
        tmp_path,
        _defined(("ID", "INT32"), ("OLD", "VARCHAR")),
        _inserted(("INT32", 1), ("VARCHAR", "one")),
        _defined(("ID", "INT32"), ("NEW", "VARCHAR")),
        _inserted(("INT32", 2), ("VARCHAR", "two")),
    )
    found = [
        (found_row["after_ID"], found_row["after_NEW"], found_row["after_OLD"]) for found_row in rows_of(trail, TABLE)
    ]
    assert found == [(1, None, "one"), (2, "two", None)]
    assert list(rows_of(trail, TABLE)[0])[-5:] == ["after_ID", "after_NEW", "after_OLD", "nulls", "problems"]


def test_values_of_an_older_type_take_the_newest_one_where_they_fit(tmp_path: Path) -> None:
    trail = trail_of(
        tmp_path,
        _defined(("ID", "VARCHAR")),
        _inserted(("VARCHAR", "7")),
        _inserted(("VARCHAR", "seven")),
        _defined(("ID", "INT32")),
        _inserted(("INT32", 8)),
    )
    found = rows_of(trail, TABLE, undecodable="null")
    assert [found_row["after_ID"] for found_row in found] == [7, None, 8]
    assert [found_row["problems"] for found_row in found] == [
        None,
        [{"column": "ID", "image": "after", "bytes": b"\0\5seven", "reason": "seven is no int32"}],
        None,
    ]


def test_a_row_without_a_definition_has_its_data_beside_its_other_problems(tmp_path: Path) -> None:
    undefined = [row(b"one"), row(b"two", io_time=-1)]
    trail = trail_of(tmp_path, *undefined, _defined(("ID", "INT32")), _inserted(("INT32", 1)))
    found = rows_of(trail, TABLE, undecodable="null")
    first, second = (
        {"column": None, "image": None, "bytes": record.data, "reason": "no definition of its columns"}
        for record in undefined
    )
    time = {"column": "time", "image": None, "bytes": b"\xff" * 8, "reason": "outside the years 1 to 9999"}
    assert [found_row["problems"] for found_row in found] == [[first], [time, second], None]


def test_every_problem_of_a_row_is_named_whatever_makes_it(tmp_path: Path) -> None:
    seven, eight, nine = ("VARCHAR", "seven"), ("VARCHAR", "eight"), ("VARCHAR", "nine")
    broken = make_record(header(1, io_time=-1), _inserted(seven, eight, nine).images or b"", order=ByteOrder.BIG)
    trail = trail_of(
        tmp_path,
        _defined(("A", "VARCHAR"), ("B", "VARCHAR"), ("C", "VARCHAR")),
        broken,
        _defined(("A", "INT32"), ("B", "INT32"), ("C", "VARCHAR")),
        _inserted(("INT32", 8), ("INT32", 9), nine),
    )
    first, second = (found_row["problems"] for found_row in rows_of(trail, TABLE, undecodable="null"))
    reasons = {"time": "outside the years 1 to 9999", "A": "seven is no int32", "B": "eight is no int32"}
    assert ({problem["column"]: problem["reason"] for problem in first}, len(first), second) == (reasons, 3, None)


def test_a_column_is_found_whatever_its_capitals(tmp_path: Path) -> None:
    trail = trail_of(
        tmp_path,
        _defined(("id", "INT32")),
        _inserted(("INT32", 1)),
        _defined(("ID", "INT32")),
        _inserted(("INT32", 2)),
    )
    assert [found_row["after_ID"] for found_row in rows_of(trail, TABLE)] == [1, 2]


def test_columns_that_differ_in_capitals_only_are_two(tmp_path: Path) -> None:
    """Spark and DuckDB look names up whatever their capitals: of two equal ones they read neither, or one twice."""
    trail = trail_of(
        tmp_path, _defined(("Name", "INT32"), ("NAME", "VARCHAR")), _inserted(("INT32", 1), ("VARCHAR", "one"))
    )
    assert rows_of(trail, TABLE, "after_Name", "after_NAME_2") == [{"after_Name": 1, "after_NAME_2": "one"}]


def test_only_columns_that_are_asked_for_are_filled(tmp_path: Path) -> None:
    trail = trail_of(
        tmp_path, _defined(("ID", "INT32"), ("NAME", "VARCHAR")), _inserted(("INT32", 1), ("VARCHAR", "one"))
    )
    assert rows_of(trail, TABLE, "after_NAME", "op") == [{"after_NAME": "one", "op": "INSERT"}]


def test_nulls_are_told_though_their_columns_are_not_asked_for(tmp_path: Path) -> None:
    null = make_record(header(1), Images(None, (Column(0, b"\xff\xff"),)), order=ByteOrder.BIG)
    assert rows_of(trail_of(tmp_path, _defined(("ID", "INT32")), null), TABLE, "nulls") == [{"nulls": ["after_ID"]}]


def test_problems_are_told_though_their_columns_are_not_asked_for(tmp_path: Path) -> None:
    trail = trail_of(tmp_path, _defined(("ID", "INT32")), BAD)
    ((problem,),) = (found_row["problems"] for found_row in rows_of(trail, TABLE, "problems", "op", mode="PERMISSIVE"))
    assert (problem["column"], problem["bytes"]) == ("ID", b"\0\1")


DAY = datetime.fromisoformat("2024-02-29")
BAD = make_record(header(1), Images(None, (make_column(0, b"\0\1"),)), order=ByteOrder.BIG)
"""A row whose INT32 has two bytes."""


def test_a_value_that_does_not_decode_ends_the_read_where_nobody_would_be_told(tmp_path: Path) -> None:
    trail = trail_of(tmp_path, _defined(("ID", "INT32")), BAD)
    with pytest.raises(BadTrail, match=r"RBA \d+: ID: "):
        rows_of(trail, TABLE, "after_ID")
    assert rows_of(trail, TABLE, "after_ID", mode="PERMISSIVE") == [{"after_ID": None}]
    assert rows_of(trail, TABLE, "op") == [{"op": "INSERT"}]


def test_damage_is_a_row_under_permissive(tmp_path: Path) -> None:
    trail = trail_of(tmp_path, _defined(("ID", "INT32")), b"no record", _inserted(("INT32", 1)))
    found = rows_of(trail, TABLE, mode="PERMISSIVE")
    assert [(found_row["after_ID"], found_row["_corrupt_record"] is None) for found_row in found] == [
        (1, True),
        (None, False),
    ]
    with pytest.raises(BadTrail, match="mode PERMISSIVE shows"):
        rows_of(trail, TABLE)


def test_rows_without_a_definition_are_kept_with_their_bytes(tmp_path: Path) -> None:
    trail = trail_of(tmp_path, row(b"leaf", TABLE), _defined(("ID", "INT32")), _inserted(("INT32", 1)))
    first, second = rows_of(trail, TABLE, undecodable="null")
    assert (first["after_ID"], second["after_ID"]) == (None, 1)
    assert [problem["bytes"][-4:] for problem in first["problems"]] == [b"leaf"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tea.leafs", "there is no table tea.leafs; did you mean TEA.LEAVES"),
        ("HR.JOBS", "there is no table HR.JOBS; there are TEA.LEAVES"),
    ],
)
def test_a_table_that_there_is_not_is_refused(name: str, message: str, tmp_path: Path) -> None:
    trail = trail_of(tmp_path, _defined(("ID", "INT32")), _inserted(("INT32", 1)))
    with pytest.raises(BadOption, match=message):
        rows_of(trail, name)


def test_a_table_that_nothing_defines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="nothing defines the columns"):
        rows_of(trail_of(tmp_path, row(b"leaf", TABLE)), TABLE)


@pytest.mark.parametrize(
    ("values", "kind", "expected", "lost"),
    [
        (pa.array([1, None, 300], pa.int32()), pa.int16(), [1, None, 300], []),
        (pa.array([1, 70_000], pa.int32()), pa.int16(), [1, None], [1]),
        (pa.array([Decimal("1.50"), Decimal("1.00")]), pa.int32(), [None, 1], [0]),
        (pa.array([Decimal("0.00000001")]), pa.string(), ["0.00000001"], []),
        (pa.array([date(2024, 2, 29)]), pa.string(), ["2024-02-29"], []),
        (pa.array([b"\1"]), pa.string(), ["01"], []),
        (pa.array(["7", "007", "7.0"]), pa.int32(), [7, None, None], [1, 2]),
        (pa.array([Decimal("0.1"), Decimal(12345678901234567891)]), pa.float64(), [0.1, None], [1]),
        (pa.array([DAY, DAY + timedelta(hours=1)]), pa.date32(), [date(2024, 2, 29), None], [1]),
        (pa.array([2**53, 2**53 + 1]), pa.float64(), [2.0**53, None], [1]),
        (pa.array([2**64 - 1], pa.uint64()), pa.decimal128(20, 0), [Decimal(2**64 - 1)], []),
    ],
)
def test_values_go_into_another_type_only_whole(values: Any, kind: Any, expected: list[Any], lost: list[int]) -> None:
    found, rows = fitted(values, kind)
    assert (found.to_pylist(), rows) == (expected, lost)


def test_a_definitions_file_tells_the_columns_of_an_older_trail() -> None:
    found = rows_of(TRAILS / "ot000000", TEAS, sourceDefs=str(DEFINITIONS))
    assert ("INSERT", "Sencha Fukamushi") in [(found_row["op"], found_row["after_NAME"]) for found_row in found]
    assert {found_row["problems"] is None for found_row in found} == {True}


COLUMNS = ("rba", "after_ID", "after_BODY", "problems")


def _row(number: int) -> Record:
    """A row whose image has no BODY."""
    return _inserted(("INT32", number))


def _bodies(path: Path, *columns: str, **given: str) -> list[Any]:
    return [(found_row["after_ID"], found_row["after_BODY"]) for found_row in rows_of(path, TABLE, *columns, **given)]


@pytest.mark.parametrize("given", [{}, {"batchRows": "1"}, {"maxPartitionBytes": "100"}])
def test_the_pieces_of_a_lob_are_the_value_of_its_column(given: dict[str, str], tmp_path: Path) -> None:
    path = trail_of(
        tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *pieces(1, TEXT), _row(2), _row(3),
        table_record(7, "TEA.CUPS"), *pieces(1, b"short"),
    )  # fmt: skip
    assert _bodies(path, *COLUMNS, **given) == [(1, TEXT.decode()), (2, None), (3, "short")]
    assert [found_row["problems"] for found_row in rows_of(path, TABLE, **given)] == [None, None, None]


def test_a_lob_in_the_next_file_is_the_value_too(tmp_path: Path) -> None:
    trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1))
    trail_of(tmp_path, *pieces(1, TEXT), name="tt000000001")
    assert _bodies(tmp_path / "tt000000000") == [(1, TEXT.decode())]


def test_a_column_with_a_lob_is_not_null(tmp_path: Path) -> None:
    null = make_record(header(1), Images(None, (make_column(1, None),)))
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), null, *pieces(1, TEXT), null)
    assert [(found_row["after_BODY"], found_row["nulls"]) for found_row in rows_of(path, TABLE)] == [
        (TEXT.decode(), None),
        (None, ["after_BODY"]),
    ]


@pytest.mark.parametrize(
    ("records", "column", "reason"),
    [
        (pieces(1, TEXT)[:1] + pieces(1, TEXT)[2:], "BODY", "LOB 1 is not whole: 64 bytes at byte 64 are missing"),
        (plain(b"one", b"two"), None, "LOB 1 is in pieces whose layout is not known"),
        (pieces(9, TEXT), None, "LOB 1 is of column 9, which the definition lacks"),
        (pieces(1, b"\xff" * 9), "BODY", "not"),
        (pieces(0, TEXT), "ID", "a LOB is no int32"),
    ],
)
def test_a_lob_without_a_value_is_a_problem(
    records: list[Record], column: str | None, reason: str, tmp_path: Path
) -> None:
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *records)
    [found_row] = rows_of(path, TABLE, undecodable="null")
    assert found_row["after_BODY"] is None
    [problem] = found_row["problems"]
    assert problem["column"] == column
    assert reason in problem["reason"]
    with pytest.raises(BadTrail, match=r"LOB|BODY"):
        rows_of(path, TABLE)


def test_a_lob_of_a_column_that_is_not_read_ends_nothing(tmp_path: Path) -> None:
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *pieces(1, TEXT)[1:])
    assert rows_of(path, TABLE, "after_ID") == [{"after_ID": 1}]
    ((problem,),) = (row["problems"] for row in rows_of(path, TABLE, "problems", undecodable="null"))
    assert problem["column"] == "BODY", "where problems are read, those of all columns are"


def test_a_lob_over_the_limit_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_lobs, "LARGEST", len(TEXT) - 1)
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *pieces(1, TEXT))
    [found_row] = rows_of(path, TABLE, undecodable="null")
    assert found_row["after_BODY"] is None
    assert "bytes, more than" in found_row["problems"][0]["reason"]
