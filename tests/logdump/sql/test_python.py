"""A trail as a table of Arrow batches, as other programs take it."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import logdump
from fixtures import TRAILS
from logdump.arrow.tables import row_lobs
from logdump.arrow.tables.arrow_rows import schema_of
from logdump.arrow.tables.layout import TableLayout
from logdump.features.sql import trail_table
from logdump.features.sql.trail_table import Ahead
from logdump.tables.errors import BadOption, BadSchema, BadTrail, NoTrailFiles
from logdump.tables.options import Options
from logdump.tables.table_columns import spark_type, table_columns
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import header, row, table_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, make_record
from trailformat.codec.mapped_file import FileBuffer
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import LARGE_OBJECT
from trailformat.scan import Batch
from trailformat.scan.rows import WholeLobs

SHOP = TRAILS / "et000000000"
AT = TRAILS / "at*"
CHANGES = (3, 5, 15, 134)
"""The types of the records that are rows of a table."""


def test_others_take_it_as_it_is(tmp_path: Path) -> None:
    teas = logdump.read(TRAILS / "st*", table="TEAHOUSE.TEAS", columns=["rba", "op", "after_PRICE"])
    arrow = teas.to_arrow()
    assert arrow.schema == teas.schema == pa.schema(teas)
    assert pa.table(teas) == arrow
    assert pa.Table.from_batches(teas, teas.schema) == arrow
    assert pl.DataFrame(teas).to_dicts() == pl.from_arrow(arrow).to_dicts()  # type: ignore[union-attr]
    assert duckdb.execute("select count(*), min(rba) from teas").fetchall() == [(10, min(arrow["rba"].to_pylist()))]
    pd.testing.assert_frame_equal(pd.DataFrame.from_arrow(teas), arrow.to_pandas(), check_dtype=False)
    pyarrow.dataset.write_dataset(teas, tmp_path, format="parquet")
    kept = pyarrow.dataset.dataset(tmp_path).to_table()  # it writes batches in any order
    assert kept.schema == arrow.schema
    assert sorted(map(repr, kept.to_pylist())) == sorted(map(repr, arrow.to_pylist()))


def test_its_types_and_rows_are_those_of_export_parquet(line: Line, tmp_path: Path) -> None:
    line(f"open {SHOP}; export parquet to {tmp_path / 'out'} by table")
    for file in sorted((tmp_path / "out").iterdir()):
        exported = pyarrow.parquet.read_table(file)
        read = logdump.read(SHOP, table=file.stem).to_arrow()
        for name in exported.schema.names:
            kind, wanted = read.schema.field(name).type, exported.schema.field(name).type
            assert read[name].cast(wanted).to_pylist() == exported[name].cast(wanted).to_pylist(), name
            assert kind == wanted or pa.types.is_integer(kind), name


def test_without_a_table_it_is_every_record() -> None:
    assert logdump.read(SHOP, columns=["op"]).to_arrow()["op"].to_pylist()[:2] == ["FileHeader", "Metadata"]
    assert logdump.read(SHOP, where="IOTYPE INSERT", columns=["op"]).to_arrow().num_rows == 7
    assert logdump.read(TRAILS / "at00000000?", effective=True, columns=["rba"]).to_arrow().num_rows > 0
    assert logdump.read([SHOP, TRAILS / "sl000000000"], columns=["file"]).to_arrow()["file"].unique().to_pylist() == [
        str(SHOP),
        str(TRAILS / "sl000000000"),
    ]


@pytest.mark.parametrize("seed", range(examples(30, short=12)))
def test_each_argument_is_in_force_whatever_others_are_given(seed: int) -> None:
    """Table, columns, statements and options of the data source: the rows that they leave of all."""
    random = Random(f"arguments {seed}")
    everything = logdump.read(AT).to_arrow().to_pylist()
    applied = {(row["file"], row["rba"]) for row in logdump.read(AT, effective=True).to_arrow().to_pylist()}
    csns = sorted({row["csn"] for row in everything if row["csn"]}, key=int)
    start, types = random.choice(csns), random.sample(CHANGES, 2)
    names = {"table": "TEAHOUSE.TEAS", "where": f"IOTYPE {types[0]},{types[1]}", "effective": True, "startCsn": start}
    keeps: dict[str, Callable[[dict[str, Any]], bool]] = {
        "table": lambda row: row["table"] == "TEAHOUSE.TEAS" and row["op_code"] in CHANGES,
        "where": lambda row: row["op_code"] in types,
        "effective": lambda row: (row["file"], row["rba"]) in applied,
        "startCsn": lambda row: row["csn"] is not None and int(row["csn"]) >= int(start),
    }
    chosen = random.sample(sorted(names), random.randint(1, len(names)))
    columns = random.sample(["file", "rba", "csn", "op"], random.randint(1, 4))
    given: dict[str, Any] = {name: names[name] for name in chosen}
    read = logdump.read(AT, columns=columns, **given).to_arrow()
    kept = [row for row in everything if all(keeps[name](row) for name in chosen)]
    assert read.schema.names == columns
    places = [name for name in columns if name != "op"]
    assert read.select(places).to_pylist() == [{name: row[name] for name in places} for row in kept], chosen


def test_a_read_that_is_left_early_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[Ahead[object]] = []
    begin = Ahead.__init__

    def noted(self: Ahead[object], *arguments: Any) -> None:
        running.append(self)
        begin(self, *arguments)

    monkeypatch.setattr(Ahead, "__init__", noted)
    batches = iter(logdump.read(TRAILS / "st*", columns=["rba"], batchRows=1))
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert running
    assert not any(ahead._thread.is_alive() for ahead in running)


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
def test_rows_come_in_the_order_of_the_files_however_many_are_read_at_once(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trail_table, "cores", lambda: cores)
    files = [str(TRAILS / name) for name in ("at000000000", "at000000001", "at000000002", "et000000000")]
    read = logdump.read(files, columns=["file", "rba"], batchRows=2).to_arrow().to_pylist()
    places = [(row["file"], row["rba"]) for row in read]
    assert places == sorted(places)
    assert {file for file, _ in places} == {*files}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"table": "TEAHOUSE.TEA"}, BadOption, "did you mean TEAHOUSE.TEAS?"),
        ({"columns": ["opp"]}, BadSchema, "did you mean op?"),
        ({"columns": "op"}, BadOption, "a list of names"),
        ({"where": "NONSENSE 1"}, BadOption, "NONSENSE"),
        ({"colour": "red"}, BadOption, "there is no option colour"),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_read(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        logdump.read(SHOP, **options).to_arrow()


def test_damage_and_missing_files() -> None:
    with pytest.raises((BadTrail, pa.ArrowException, OSError), match="RBA 3522"):
        logdump.read(TRAILS / "ft000000000", columns=["rba"]).to_arrow()
    with pytest.raises(BadTrail, match="RBA 3522"):
        list(logdump.read(TRAILS / "ft000000000", columns=["rba"]))
    with pytest.raises(NoTrailFiles):
        logdump.read(TRAILS / "no*", columns=["rba"])
    rows = logdump.read(TRAILS / "ft000000000", columns=["rba", "_corrupt_record"], mode="PERMISSIVE").to_arrow()
    assert [row["rba"] for row in rows.to_pylist() if row["_corrupt_record"] is not None] == [3522]


WIDER = {
    **dict.fromkeys(["int8", "uint8"], "int16"),
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "decimal128(20, 0)",
    "time64[us]": "string",
}
"""What Spark has in place of types of EXPORT PARQUET that it lacks; SQL and ``read`` have the same."""


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One for all kinds: to begin one takes longer than to ask it."""
    with duckdb.connect() as opened:
        yield opened


@pytest.mark.parametrize("kind", KINDS)
def test_the_types_of_export_parquet_of_spark_and_of_sql_are_one_table(
    kind: str, connection: duckdb.DuckDBPyConnection
) -> None:
    layout = TableLayout("TEA.LEAVES", (KINDS[kind].definition._replace(name="LEAF"),), "utf-8")
    exported = schema_of(layout).field("after_LEAF").type
    column = table_columns([layout], Options())["after_LEAF"]
    assert str(column.type.arrow(pa)) == WIDER.get(str(exported), str(exported))
    assert spark_type(exported).ddl == column.type.ddl
    connection.register("leaves", pa.table({"leaf": pa.nulls(1, column.type.arrow(pa))}))
    [(in_sql,)] = connection.execute("select typeof(leaf) from leaves").fetchall()
    assert column.type.ddl == SPARKS.get(in_sql, in_sql.lower())


SPARKS = {
    "VARCHAR": "string",
    "INTEGER": "int",
    "BLOB": "binary",
    "TIMESTAMP": "timestamp_ntz",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
}
"""Spark's name of a type of DuckDB, where it is another."""


@pytest.mark.parametrize("is_followed", [False, True], ids=["of another table", "of the table"])
def test_lobs_are_read_where_rows_of_the_table_have_them(
    is_followed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Batch] = []

    def lobs(buffer: FileBuffer, batch: Batch) -> WholeLobs:
        read.append(batch)
        return WholeLobs(buffer, batch)

    monkeypatch.setattr(row_lobs, "WholeLobs", lobs)
    data = build_piece(PieceHeader(0, 1, 1, 0, 4), b"leaf", ByteOrder.BIG)
    piece = make_record(header(2, io_type=LARGE_OBJECT), data)
    tables = [table_record(1, "TEA.CUPS"), table_record(2, "TEA.LEAVES")]
    path = trail_of(tmp_path, *tables, row(name=1), row(name=2), piece, row(name=1), row(name=2))
    rows = logdump.read(path, table="TEA.LEAVES" if is_followed else "TEA.CUPS", columns=["rba"]).to_arrow()
    assert (len(rows), len(read)) == (2, int(is_followed))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"columns": []}, "columns takes a list of names, at least one"),
        ({"columns": "rba"}, "columns takes a list of names, at least one"),
        ({"columns": [None]}, "columns takes a list of names, at least one"),
        ({"columns": 1}, "columns takes a list of names, at least one"),
        ({"columns": ["rba", "opp"]}, "columns: there is no column opp; did you mean op?"),
        ({"table": "NOPE.X"}, "table: there is no table NOPE.X; there are TEAHOUSE.SALES, TEAHOUSE.TEAS"),
        ({"table": "TEAHOUSE.TEAS", "summary": True}, "rows of a table do not go with summary"),
        ({"table": ""}, "table takes a text"),
        ({"table": 5}, "table takes a text"),
        ({"where": " "}, "where takes a text"),
        ({"where": "BLAH 3"}, "option where: "),
        ({"mode": "lenient"}, "option mode takes FAILFAST or PERMISSIVE or DROPMALFORMED, not 'lenient'"),
        ({"modus": "FAILFAST"}, "there is no option modus; did you mean mode?"),
        ({"changesOf": "TEAHOUSE.TEAS"}, "option changesOf is one of Spark"),
        *(
            ({"path": path}, "path takes a file, a folder, a trail as dirdat/lt")
            for path in (None, "", " ", [], [""], 5)
        ),
    ],
)
def test_errors_are_about_the_arguments_that_were_given(given: dict[str, Any], problem: str) -> None:
    with pytest.raises((BadOption, BadSchema), match=f"^{re.escape(problem)}"):
        logdump.read(**{"path": str(SHOP), **given})


def test_the_package_shows_its_names() -> None:
    assert dir(logdump) == ["ApplyProgress", "TrailTable", "__version__", "apply", "publish", "read", "retry"]


@pytest.mark.parametrize(
    "given", [{}, {"table": "teahouse.teas", "columns": ["rba", "op"]}, {"where": "IOTYPE 5"}, {"summary": True}]
)
def test_a_table_says_what_it_is_and_is_the_same_in_another_process(given: dict[str, Any]) -> None:
    table = logdump.read(SHOP, **given)
    again = pickle.loads(pickle.dumps(table))
    assert again.schema == table.schema
    assert again.to_arrow().equals(table.to_arrow())
    named = ", table TEAHOUSE.TEAS" if "table" in given else ""
    assert repr(again) == repr(table) == f"<TrailTable of {SHOP}{named}: {', '.join(table.schema.names)}>"


def test_a_password_in_a_url_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail_table, "find_files", lambda _options: [])
    shown = repr(logdump.read("https://scott:tiger@host/dirdat/lt"))
    assert "tiger" not in shown
    assert "host/dirdat/lt" in shown
