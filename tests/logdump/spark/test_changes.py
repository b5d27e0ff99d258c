"""Rows ready to be applied: applied to an empty table they give what a model of the trail gives."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from logdump.spark.source.change_schema import column_name, fields_by_table, flat_schema
from logdump.spark.source.data_source import TrailSource
from logdump.tables import change_rows
from logdump.tables.errors import BadOption, SchemaChanged
from tests.logdump.export.strategies import TABLE
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.tables.test_tables import _defined, _inserted
from tests.searching import in_turn
from tests.simulated.five_tables import TABLES, bank_trail
from tests.trailformat.samples import header, trail_of
from tests.trailformat.test_lobs import TEXT, pieces
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Column, Images, Record, encode_value, make_column, make_record
from trailformat.records import record_header
from trailformat.records.record_header import PREFIX_SIZES

BIG = ByteOrder.BIG
Row = dict[str, Any]


def changes_in(path: Path, *tables: str, **given: str) -> list[Row]:
    """The rows of all tasks, in order."""
    source: Any = TrailSource({"path": str(path), "changesOf": ",".join(tables), **given})
    reader = source.reader(source.schema())
    return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def _columns(*values: int | str | None) -> tuple[Column, ...]:
    """An image with an ID and a BODY; ``...`` leaves a column out."""
    kinds = ("INT32", "VARCHAR")
    return tuple(
        make_column(index, None if value is None else encode_value(value, KINDS[kind].definition, BIG))
        for index, (kind, value) in enumerate(zip(kinds, values, strict=False))
        if value != ""
    )


Image = tuple[Column, ...] | None


def _changed(io_type: int, before: Image, after: Image, **fields: Any) -> Record:
    size = PREFIX_SIZES[io_type] if before is not None and after is not None else 0
    return make_record(header(1, io_type=io_type, **fields), Images(before, after, size), order=BIG)


DEFINED = _defined(("ID", "INT32"), ("BODY", "VARCHAR"))


def _trail(folder: Path, *records: Record) -> Path:
    return trail_of(folder, DEFINED, *records)


def test_each_operation_has_its_row(tmp_path: Path) -> None:
    path = _trail(
        tmp_path,
        _inserted(("INT32", 1), ("VARCHAR", "one")),
        _changed(record_header.FIELD_COMP, None, _columns(1, "")),
        _changed(record_header.FIELD_COMP, None, _columns(1, None)),
        _changed(record_header.DELETE, _columns(1), None, before_after=ord("B")),
        make_record(header(1, io_type=record_header.PURGE_DATA), b"", order=BIG),
    )
    rows = changes_in(path, TABLE)
    assert [(row["_op"], row["ID"], row["BODY"], row["_absent"]) for row in rows] == [
        ("insert", 1, "one", None),
        ("update", 1, None, ["BODY"]),
        ("update", 1, None, None),
        ("delete", 1, None, ["BODY"]),
        ("truncate", None, None, None),
    ]
    assert [row["_sequence"] for row in rows] == sorted({row["_sequence"] for row in rows})
    assert {row["_table"] for row in rows} == {TABLE}


def _key_update(before: int, after: int) -> Record:
    return _changed(record_header.UNIFIED_PK_UPDATE, _columns(before), _columns(after, "moved"))


def test_an_update_of_the_key_is_a_delete_and_an_insert(tmp_path: Path) -> None:
    rows = changes_in(_trail(tmp_path, _key_update(1, 2)), TABLE)
    assert [(row["_op"], row["ID"], row["BODY"]) for row in rows] == [("delete", 1, None), ("insert", 2, "moved")]
    assert rows[0]["_sequence"] < rows[1]["_sequence"]


def test_or_it_is_one_with_the_key_before(tmp_path: Path) -> None:
    [change] = changes_in(_trail(tmp_path, _key_update(1, 2)), TABLE, keyUpdate="whole")
    assert (change["_op"], change["ID"], change["BODY"]) == ("key update", 2, "moved")
    assert change["_key_before"] in ("{}", '{"ID": 1}')


def test_the_image_before_an_update_in_two_records_is_no_change(tmp_path: Path) -> None:
    path = _trail(
        tmp_path,
        make_record(
            header(1, io_type=record_header.FIELD_COMP, before_after=ord("B")), Images(_columns(1, "old"), None)
        ),
        make_record(header(1, io_type=record_header.FIELD_COMP), Images(None, _columns(1, "new"))),
    )
    assert [(change["_op"], change["BODY"]) for change in changes_in(path, TABLE)] == [("update", "new")]


def test_a_lob_is_a_value(tmp_path: Path) -> None:
    [change] = changes_in(_trail(tmp_path, _inserted(("INT32", 1)), *pieces(1, TEXT)), TABLE)
    assert (change["BODY"], change["_absent"], change["_problems"]) == (TEXT.decode(), None, None)


def test_several_tables_come_in_one_pass(megabyte: Path) -> None:
    rows = changes_in(megabyte, "TEAHOUSE.ORDERS", "teahouse.payments", maxPartitionBytes="200k")
    alone = {name: changes_in(megabyte, name) for name in ("TEAHOUSE.ORDERS", "TEAHOUSE.PAYMENTS")}
    for name, expected in alone.items():
        own = [row for row in rows if row["_table"] == name]
        assert [{**change[name], "_op": change["_op"]} for change in own] == [
            {part: value for part, value in fields.items() if not part.startswith("_") or part == "_op"}
            for fields in expected
        ]
        assert all(change[other] is None for change in own for other in alone if other != name)
    assert len({row["_sequence"] for row in rows}) == len(rows)


def test_keys_types_and_comments_are_metadata_of_the_fields(tmp_path: Path) -> None:
    schema = TrailSource({"path": str(_trail(tmp_path)), "changesOf": TABLE}).schema()
    assert not isinstance(schema, str)
    assert schema["ID"].metadata.keys() >= {"comment", "logdump.key", "logdump.table", "logdump.type"}
    assert schema["_sequence"].metadata["comment"]


@pytest.mark.parametrize("given", [{"columns": "rba"}, {"rowsOf": TABLE}, {"summary": "true"}])
def test_options_that_make_other_rows_are_refused(given: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="changesOf goes with none of"):
        changes_in(_trail(tmp_path), TABLE, **given)


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"option changesOf: there is no table TEA.LEAFS; did you mean TEA.LEAVES"):
        changes_in(_trail(tmp_path, _inserted(("INT32", 1))), "TEA.LEAFS")


def test_an_altered_table_ends_the_read_of_an_older_schema(tmp_path: Path) -> None:
    source = TrailSource({"path": str(_trail(tmp_path)), "changesOf": TABLE})
    schema = source.schema()
    _trail(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR"), ("NEW", "INT32")), _inserted(("INT32", 1)))
    reader: Any = source.reader(schema)  # type: ignore[arg-type]
    with pytest.raises(SchemaChanged, match="column NEW"):
        [*map(list, map(reader.read, reader.partitions()))]


def test_the_columns_before_an_update_come_if_asked_for(tmp_path: Path) -> None:
    update = _changed(record_header.UNIFIED_UPDATE, _columns(1, "old"), _columns(1, "new"))
    path = _trail(tmp_path, _inserted(("INT32", 1), ("VARCHAR", "old")), update, _key_update(1, 2))
    rows = changes_in(path, TABLE, beforeImages="true")
    assert [row["_before"] for row in rows] == [None, {"ID": 1, "BODY": "old"}, None, None]


def test_the_first_file_of_a_trail_has_its_number_among_other_trails(tmp_path: Path) -> None:
    change = _changed(record_header.INSERT, None, _columns(1, "one"))
    for name in ("aa000000000", "bb000000000", "bb000000001"):
        trail_of(tmp_path, DEFINED, change, name=name)
    sequences = [found_change["_sequence"] for found_change in changes_in(tmp_path / "??00000000?", TABLE)]
    assert sequences[0] == sequences[1] < sequences[2]


def _streamed(path: Path, *tables: str) -> list[pa.Table]:
    """The tables in the rows of a read that gives Arrow streams."""
    rows = changes_in(path, *tables, arrowBatches="true")
    assert all([*row] == ["arrow"] for row in rows)
    return [pa.ipc.open_stream(row["arrow"]).read_all() for row in rows]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the bank's trail."""
    folder = tmp_path_factory.mktemp("bank")
    bank_trail(folder, 60, seed=8, roll_chance=0.02, cut_chance=0.0)
    return folder


@pytest.mark.parametrize(
    ("most", "tables"), in_turn([1 << 23, 5_000, 1], [[table.name for table in TABLES], ["BANK.EVENTS"]])
)
def test_arrow_streams_have_the_same_changes(
    tables: list[str], most: int, bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_rows, "_LARGE", most)
    plain, streamed = changes_in(bank, *tables), _streamed(bank, *tables)
    assert len(streamed) == len(tables) if most > 1 << 20 else len(streamed) >= len(tables)
    others = dict.fromkeys(tables) if len(tables) > 1 else {}
    rows = [others | row for table in streamed for row in table.to_pylist()]
    assert sorted(rows, key=itemgetter("_sequence")) == sorted(plain, key=itemgetter("_sequence"))
    for name in tables:
        own = [row["_sequence"] for row in rows if row["_table"] == name]
        assert own == sorted(own)


def test_the_schema_of_arrow_streams_has_that_of_the_changes(tmp_path: Path) -> None:
    bank_trail(tmp_path, 9)
    given = {"path": str(tmp_path), "changesOf": ",".join(table.name for table in TABLES)}
    plain, packed = (TrailSource({**given, "arrowBatches": value}).schema() for value in ("false", "true"))
    assert not isinstance(plain, str)
    assert not isinstance(packed, str)
    assert (packed.names, flat_schema(packed)) == (["arrow"], plain)
    assert flat_schema(plain) == plain
    with pytest.raises(BadOption, match="arrowBatches goes with changesOf"):
        TrailSource({"path": str(tmp_path), "arrowBatches": "true"}).reader(plain)


def test_a_column_that_every_change_has_too_gets_another_name(tmp_path: Path) -> None:
    """In the columns, in ``_absent`` and in ``_before``; alone and in the struct of a table of several."""
    columns = {"ID": "INT64", "_op": "VARCHAR", "__op": "VARCHAR", "_Absent": "VARCHAR", "_x": "VARCHAR"}
    trail = Trail({"S.T": columns, "S.U": columns})
    for name in ("S.T", "S.U"):
        trail.insert(name, 1, "a", "b", "c", "d")
        trail.update(name, 1, ..., "e")
    path = trail.write(tmp_path)
    inserted, updated = changes_in(path, "S.T")
    own = ("ID", "___op", "__op", "__Absent", "_x")
    assert [[row[name] for name in own] for row in (inserted, updated)] == [
        [1, "a", "b", "c", "d"],
        [1, None, "e", None, None],
    ]
    assert [row["_op"] for row in (inserted, updated)] == ["insert", "update"]
    assert updated["_absent"] == ["___op", "__Absent", "_x"]
    source: Any = TrailSource({"path": str(path), "changesOf": "S.T", "beforeImages": "true"})
    assert [column_name(field) for field in fields_by_table(source.schema())["S.T"]] == [*columns]
    assert source.schema()["_before"].dataType.names == [*own]
    both = [row for row in changes_in(path, "S.T", "S.U") if row["_table"] == "S.U"]
    assert both[0]["S.U"] == dict(zip(own, (1, "a", "b", "c", "d"), strict=True))
    assert both[1]["_absent"] == ["___op", "__Absent", "_x"]


def test_a_wildcard_means_the_tables_that_it_matches(tmp_path: Path) -> None:
    trail = Trail({name: {"ID": "INT64"} for name in ("S.A", "S.B", "T.A")})
    for name in ("S.A", "S.B", "T.A"):
        trail.insert(name, 1)
    path = trail.write(tmp_path)
    for pattern in ("S.*", "s.?", "S.A,s.*"):
        assert {row["_table"] for row in changes_in(path, *pattern.split(","))} == {"S.A", "S.B"}
    assert [row["ID"] for row in changes_in(path, "t.*")] == [1]
