"""Rows of tables as Arrow has them: what many rows together, full images and missing parts come to."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from logdump.features.export import batch_walk
from tests.logdump.export.rows import arrow_rows, json_rows
from tests.logdump.line import Line
from tests.trailformat.samples import column, header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import (
    ByteOrder,
    Column,
    Images,
    Record,
    TableDefinition,
    TrailFile,
    make_column,
    make_record,
    make_token,
)
from trailformat.codec.charsets import BY_NAME
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.definitions.metadata import DatabaseDefinition, build_database, build_table
from trailformat.records.record_header import COMPRESSED, DELETE, INSERT, NAME_IS_INDEX, PURGE_DATA, RECORD_FRAGMENT
from trailformat.scan import scan
from trailformat.transactions.tracker import TransactionTracker
from trailformat.values import CHAR

pa = pytest.importorskip("pyarrow", reason="Arrow files need pyarrow")
schema = pytest.importorskip("logdump.arrow.tables.arrow_rows", reason="Arrow files need pyarrow")

PLAIN = TableDefinition(1, 1, (column("QTY", scale=0), of(64)._replace(name="NOTE")))
NULLS = (Column(0, b"\xff\xff\0\0"), Column(1, b"\xff\xff\0\0"))
_DAY = 24 * 60 * 60 * 1_000_000


def _definition(table: TableDefinition) -> Record:
    return metadata_record(2, 1, "TEA.POTS", build_table(table, ByteOrder.BIG))


def _row(data: Images | bytes, table: int | str = 1, csn: bytes | None = None, **fields: Any) -> Record:
    plain = {
        "io_type": INSERT,
        "trans_ind": 3,
        "partition": COMPRESSED | (NAME_IS_INDEX if isinstance(table, int) else 0),
    }
    tokens = [] if csn is None else [make_token("L", csn)]
    return make_record(header(table, **{**plain, **fields}), data, tokens)


def _note(text: bytes, **fields: Any) -> Record:
    return _row(Images(None, (make_column(1, len(text).to_bytes(2, "big") + text),)), **fields)


def _files(folder: Path, *records: Record | bytes) -> dict[str, list[dict[str, Any]]]:
    path = trail_of(folder, *records)
    line = Line()
    line(f"open {path}; export arrow to {folder / 'out'} by table replace")
    line.session.close()
    assert not line.failures
    found = {}
    for file in (folder / "out").iterdir():
        with pa.OSFile(str(file)) as source:
            found[file.name] = pa.ipc.open_file(source).read_all().to_pylist()
    return found


def _rows(folder: Path, *records: Record | bytes) -> list[dict[str, Any]]:
    (rows,) = _files(folder, *records).values()
    return rows


def _problems(row: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (problem["column"], problem["image"], problem["bytes"], problem["reason"]) for problem in row["problems"] or ()
    ]


def test_times_reach_from_the_year_1_to_9999(tmp_path: Path) -> None:
    first = JULIAN_UNIX_EPOCH - 719_162 * _DAY
    last = JULIAN_UNIX_EPOCH + 2_932_897 * _DAY - 1
    times = [first, last, first - 1, last + 1, -1]
    found = _rows(tmp_path, _definition(PLAIN), *[_note(b"x", io_time=time) for time in times])
    assert [row["time"] for row in found[:2]] == [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
    ]
    assert [row["time"] for row in found[2:]] == [None] * 3
    stored = [(time & (1 << 64) - 1).to_bytes(8, "big") for time in times[2:]]
    told = [[("time", None, each, "outside the years 1 to 9999")] for each in stored]
    assert [_problems(row) for row in found] == [[], [], *told]


def test_a_trail_without_transactions_has_rows_without_them(tmp_path: Path) -> None:
    found = _rows(tmp_path, _definition(PLAIN), _note(b"x"))
    assert [(row["csn"], row["xid"]) for row in found] == [(None, None)]


def test_each_row_has_its_own_transaction_however_many_batches_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", 3)
    found = _rows(tmp_path, _definition(PLAIN), *[_note(b"x", csn=b"%d" % number) for number in range(9)])
    assert [row["csn"] for row in found] == [str(number) for number in range(9)]


def test_transactions_may_share_a_csn_and_have_none(tmp_path: Path) -> None:
    csns = [b"7", b"8", b"7", None, b"9", b"7"]
    found = _rows(tmp_path, _definition(PLAIN), *(_row(Images(None, ()), csn=csn) for csn in csns))
    assert [row["csn"] for row in found] == [None if csn is None else csn.decode() for csn in csns]


def test_blocks_of_a_few_rows_make_the_rows_that_one_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = pytest.importorskip("logdump.arrow.tables.group")
    undefined = _row(b"x", table="TEA.LEAVES")
    records = _definition(PLAIN), *(record for text in (b"a", b"", b"c") for record in (_note(text), undefined))
    whole = _files(tmp_path, *records)
    monkeypatch.setattr(batches, "_MOST_CELLS", 2)
    assert _files(tmp_path, *records) == whole


def test_an_index_may_be_defined_anew_be_it_0(tmp_path: Path) -> None:
    other = TableDefinition(1, 1, (PLAIN.columns[0], PLAIN.columns[1]._replace(name="REMARK")))
    first, second = (
        metadata_record(2, 0, "TEA.POTS", build_table(definition, ByteOrder.BIG)) for definition in (PLAIN, other)
    )
    row = _note(b"x", table=0)
    assert row.table_index == 0
    files = _files(tmp_path, first, row, second, row)
    assert [found_row["after_NOTE"] for found_row in files.pop("TEA.POTS.arrow")] == ["x"]
    assert [found_row["after_REMARK"] for found_row in files.pop("TEA.POTS.2.arrow")] == ["x"]
    assert not files


def test_a_table_without_a_name_has_a_file_too(tmp_path: Path) -> None:
    assert _files(tmp_path, _note(b"x", table="")).keys() == {"unnamed.undefined.arrow"}


def test_a_file_tells_its_table_and_the_key(tmp_path: Path) -> None:
    keyed = PLAIN._replace(columns=(PLAIN.columns[0]._replace(flags=0x23), PLAIN.columns[1]))
    _rows(tmp_path, _definition(keyed), _note(b"x"))
    with pa.OSFile(str(tmp_path / "out" / "TEA.POTS.arrow")) as source:
        found = pa.ipc.open_file(source).schema
    assert (found.metadata[b"table"], schema.key_of(found)) == (b"TEA.POTS", ["QTY"])
    assert schema.key_of(pa.schema([])) == []


def test_nulls_are_named_in_the_order_of_the_columns(tmp_path: Path) -> None:
    row = _row(Images(NULLS, None), io_type=DELETE, before_after=ord("B"))
    found = _rows(tmp_path, _definition(PLAIN), row.raw * 1000)
    assert [found_row["nulls"] for found_row in found] == [["before_QTY", "before_NOTE"]] * 1000


def test_text_is_in_the_character_set_of_the_database(tmp_path: Path) -> None:
    database = build_database(DatabaseDefinition(1, 1003, 1, 0, "GMT", b"", "TEADB"), ByteOrder.BIG)
    ddr = metadata_record(1, 0, "TEADB", database)
    (row,) = _rows(tmp_path, ddr, _definition(PLAIN), _note(b"caf\xe9"))
    assert (row["after_NOTE"], row["problems"]) == ("caf\u00e9", None)


def test_the_character_set_of_the_database_changes_within_a_file(tmp_path: Path) -> None:
    notes = {1003: b"caf\xe9", BY_NAME["UTF-8"]: b"caf\xc3\xa9"}
    ddrs = {
        number: metadata_record(
            1, 0, "TEADB", build_database(DatabaseDefinition(1, number, 1, 0, "GMT", b"", "TEADB"), ByteOrder.BIG)
        )
        for number in notes
    }
    later = [
        part for number in (BY_NAME["UTF-8"], 1003, BY_NAME["UTF-8"]) for part in (ddrs[number], _note(notes[number]))
    ]
    path = trail_of(tmp_path, ddrs[1003], _definition(PLAIN), _note(notes[1003]), *later)
    for format_ in ("arrow", "jsonl"):
        line = Line()
        line(f"open {path}; export {format_} to {tmp_path / format_} by table")
        line.session.close()
        assert not line.failures
    by_columns, by_records = arrow_rows(tmp_path / "arrow"), json_rows(tmp_path / "jsonl")
    for found in (by_columns, by_records):
        assert [found[rba]["after_NOTE"] for rba in sorted(found)] == ["caf\u00e9"] * 4
        assert not any(value["problems"] for value in found.values())


def test_a_row_without_a_definition_has_its_data_and_all_its_problems(tmp_path: Path) -> None:
    (row,) = _rows(tmp_path, _row(b"leaf", "TEA.LEAVES", io_time=-1))
    assert row["data"] == b"leaf"
    assert _problems(row) == [
        ("time", None, b"\xff" * 8, "outside the years 1 to 9999"),
        (None, None, b"", "no definition of its columns"),
    ]


@pytest.mark.parametrize("data", [b"x", b"leaf"])
def test_data_of_a_row_that_has_no_columns_is_a_problem(data: bytes, tmp_path: Path) -> None:
    (row,) = _rows(tmp_path, _definition(PLAIN), _row(data, io_type=PURGE_DATA))
    assert _problems(row) == [(None, None, data, "its data is not a list of columns")]


def _char(name: str, size: int, offset: int) -> Any:
    kind = column(name, data_type=CHAR, scale=0, sub_data_type=0)
    return kind._replace(internal_length=size, external_length=size, fetch_offset=offset)


@pytest.mark.parametrize(("io_type", "side"), [(INSERT, "after"), (DELETE, "before")])
def test_a_full_image_comes_apart_into_its_columns(io_type: int, side: str, tmp_path: Path) -> None:
    table = TableDefinition(1, 1, (_char("CODE", 4, 0), _char("NOTE", 4, 6)))
    data = b"\0\0SEN1" + b"\xff\xff\0\0\0\0"
    record = _row(data, io_type=io_type, partition=NAME_IS_INDEX, before_after=ord(side[0].upper()))
    (row,) = _rows(tmp_path, _definition(table), record)
    assert row[f"{side}_CODE"] == "SEN1"
    assert (row["nulls"], row["problems"]) == ([f"{side}_NOTE"], None)


def test_a_value_of_a_full_image_may_be_too_long_for_a_list_of_columns(tmp_path: Path) -> None:
    table = TableDefinition(1, 1, (_char("CODE", 65_534, 0),))
    data = b"\0\0" + b"x" * 65_534
    (row,) = _rows(tmp_path, _definition(table), _row(data, partition=NAME_IS_INDEX))
    ((name, image, stored, reason),) = _problems(row)
    assert (row["after_CODE"], name, image, stored) == (None, None, None, data)
    assert reason == "column 0 cannot be written"


@pytest.mark.parametrize("back", [3, 20_000])
def test_a_large_row_is_put_together_with_what_it_goes_on_in(back: int, tmp_path: Path) -> None:
    text = "leaf" * 9000
    note = make_column(1, len(text).to_bytes(2) + text.encode())
    data = _row(Images(None, (note, make_column(0, (7).to_bytes(8))))).data
    cut = len(data) - back
    fragment = _row(data[cut:], io_type=RECORD_FRAGMENT)
    (row,) = _rows(tmp_path, _definition(PLAIN), _row(data[:cut], continued=1), fragment)
    assert (row["after_QTY"], row["after_NOTE"], row["problems"]) == (7, text, None)


def test_rows_come_in_pieces_of_one_size_and_no_rows_in_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np = pytest.importorskip("numpy")
    made = pytest.importorskip("logdump.arrow.tables.group")
    row, definition = _note(b"x"), _definition(PLAIN)
    monkeypatch.setattr(made, "_MOST_BYTES", row.length * 11 // 2)
    with TrailFile(trail_of(tmp_path, definition, row.raw * 24)) as trail:
        batch = next(scan(trail))
        owners = TransactionTracker(trail).of(batch)
        found = list(made.pieces(trail, batch, np.arange(13, 25), owners))
        assert list(made.pieces(trail, batch, np.arange(0), owners)) == []
    assert [len(piece.rows) for piece in found] == [4, 4, 4]
    rbas = [piece.rows.record(at).rba for piece in found for at in range(4)]
    assert rbas == [definition.length + number * row.length for number in range(12, 24)]
    assert all(piece.rows.record(3).raw == row.raw for piece in found)
