"""EXPORT at the prompt."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from fixtures.shop import ORACLE_SALES
from tests.logdump.line import Line
from tests.trailformat.samples import metadata_record, row, trail_of
from trailformat import ByteOrder, TableDefinition
from trailformat.metadata import build_table


def _rbas(path: Path) -> list[int]:
    return [json.loads(line)["rba"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_it_tells_what_was_written_and_what_left_out(shop: Line, tmp_path: Path) -> None:
    assert shop(f"export parquet to {tmp_path / 'out'} by table") == [
        "TEAHOUSE.TEAS.parquet: 11 rows of TEAHOUSE.TEAS",
        "TEAHOUSE.SALES.parquet: 7 rows of TEAHOUSE.SALES",
        f"Exported 18 records to 2 files in {tmp_path / 'out'}",
        "Left out 4 records that are no rows: FileHeader 1, Metadata 3",
    ]


@pytest.mark.parametrize(
    "words", ["jsonl to T", "csv to T", "parquet to T", "parquet to T by table", "jsonl to T by table"]
)
def test_filter_position_and_number_choose_the_records(words: str, shop: Line, tmp_path: Path) -> None:
    shop("filter include filename TEAHOUSE.SALES; pos 3391")
    shop("export " + words.replace("T", str(tmp_path / "out")) + " 2 records")
    found = list((tmp_path / "out").iterdir()) if "table" in words else [tmp_path / "out"]
    assert len(found) == 1
    assert _rbas_in(found[0]) == [3817, 3987]
    assert shop.session.cursor.next == 4234


def _rbas_in(path: Path) -> list[int]:
    head = path.read_bytes()[:1]
    if head == b"P":
        return [int(rba) for rba in pq.read_table(path)["rba"].to_pylist()]
    if head == b'"':
        with path.open(encoding="utf-8", newline="") as file:
            return [int(one["rba"]) for one in csv.DictReader(file)]
    return _rbas(path)


@pytest.mark.parametrize("words", ["jsonl to T", "parquet to T by table", "sql to T"])
def test_reading_backwards_changes_nothing(words: str, shop: Line, tmp_path: Path) -> None:
    shop("pos eof; pos reverse; pos 0")
    shop("export " + words.replace("T", str(tmp_path / "out")))
    assert not shop.failures


@pytest.mark.parametrize("words", ["", "undo", "undo postgresql", "mysql"])
def test_a_script_is_what_redo_and_undo_print(words: str, shop: Line, tmp_path: Path) -> None:
    shop("filter include filename TEAHOUSE.SALES; pos 3391")
    shop(f"export sql to {tmp_path / 'out'} {words} 3 transactions")
    position = shop.session.cursor.next
    shop("pos 3391")
    command, dialect = ("undo" if "undo" in words else "redo"), words.replace("undo", "")
    printed = [line for line in shop(f"{command} 3 {dialect}") if not line.startswith("Filtering")]
    preamble = ["SET DEFINE OFF", "SET SQLBLANKLINES ON"] if words in ("", "undo") else []
    assert (tmp_path / "out").read_text().splitlines() == preamble + printed
    assert shop.session.cursor.next == position


def test_changes_that_no_statement_expresses_are_told(shop: Line, tmp_path: Path) -> None:
    shown = shop(f"pos 5352; export sql to {tmp_path / 'out'} undo")
    assert "1 changes could not be written; comments in their places say why." in shown
    assert "a truncate" in (tmp_path / "out").read_text()


def test_text_is_compressed_when_asked(shop: Line, tmp_path: Path) -> None:
    shop(f"export csv to {tmp_path / 'plain'}")
    shop(f"pos 0; export csv to {tmp_path / 'rows.gz'} compression gzip")
    assert gzip.decompress((tmp_path / "rows.gz").read_bytes()) == (tmp_path / "plain").read_bytes()
    shop(f"pos 0; export jsonl to {tmp_path / 'tables'} by table compress gzip")
    names = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert names == ["TEAHOUSE.SALES.jsonl.gz", "TEAHOUSE.TEAS.jsonl.gz"]


@pytest.mark.parametrize("compression", ["snappy", "none", "zstd", "gzip"])
def test_parquet_is_compressed_as_asked(compression: str, shop: Line, tmp_path: Path) -> None:
    shop(f"export parquet to {tmp_path / 'out'} by table compression {compression}")
    file = pq.ParquetFile(next((tmp_path / "out").iterdir()))
    assert file.metadata.row_group(0).column(1).compression == compression.replace("none", "uncompressed").upper()


def test_parquet_tells_table_and_key(shop: Line, tmp_path: Path) -> None:
    shop(f"export parquet to {tmp_path / 'out'} by table")
    schema = pq.read_schema(tmp_path / "out" / "TEAHOUSE.SALES.parquet")
    assert schema.metadata[b"table"] == b"TEAHOUSE.SALES"
    assert schema.metadata[b"key"] == b'["SALE_ID"]'


@pytest.mark.parametrize("order", ByteOrder)
def test_csv_keeps_null_absent_and_empty_text_apart(order: ByteOrder, line: Line, tmp_path: Path) -> None:
    columns = tuple(one._replace(name=f'"{at}", x') for at, one in enumerate(ORACLE_SALES.columns[1:2] * 2))
    definition = build_table(TableDefinition(1, 1, columns), order)
    texts = [b"", b'say "tea", please\r\n\x1b[31m', "玉露".encode()]
    path = trail_of(
        tmp_path,
        metadata_record(2, 1, "TEA.LEAVES", definition, order),
        *(row(order.encode(len(text), 2) + text, 1, order) for text in texts),
    )
    line(f"open {path}; export csv to {tmp_path / 'out'} by table")
    file = tmp_path / "out" / "TEA.LEAVES.csv"
    convert = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    table = pyarrow.csv.read_csv(file, parse_options=parse, convert_options=convert)
    assert table['after_"0", x'].to_pylist() == [text.decode() for text in texts]
    assert table['after_"1", x'].to_pylist() == [None] * 3
    assert file.read_bytes().count(b"\r\n") == len(texts) + 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "takes one of JSONL, CSV, PARQUET, ARROW, SQL first"),
        ("xml to x", "takes one of"),
        ("csv", "takes TO and a file name"),
        ("csv into x", "takes TO and a file name"),
        ("csv to", "takes TO and a file name"),
        ("csv to x frobnicate", "not an option of EXPORT"),
        ("csv to x 5", "takes RECORDS"),
        ("csv to x 0 records", "out of range"),
        ("csv to x 5 transactions", "takes RECORDS for CSV"),
        ("sql to x 5 records", "takes TRANSACTIONS for SQL"),
        ("sql to x by table", "SQL is one script"),
        ("csv to x by name", "BY takes TABLE"),
        ("csv to x undo", "goes with SQL"),
        ("csv to x oracle", "goes with SQL"),
        ("csv to x compression zstd", "COMPRESSION of CSV is one of NONE, GZIP"),
        ("arrow to x by table compression snappy", "COMPRESSION of ARROW is one of NONE, LZ4, ZSTD"),
    ],
)
def test_wrong_arguments_are_named(arguments: str, message: str, shop: Line) -> None:
    assert message in " ".join(shop(f"export {arguments}"))
    assert shop.failures


def test_without_a_trail_nothing_is_made(line: Line, tmp_path: Path) -> None:
    assert "No LogTrail is open" in line(f"export csv to {tmp_path / 'out'}")[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["pyarrow", "numba"])
@pytest.mark.parametrize("format_", ["PARQUET", "ARROW"])
def test_a_missing_package_is_told_in_a_line(format_: str, missing: str, tmp_path: Path) -> None:
    program = f"""
import sys
sys.modules[{missing!r}] = None
from logdump.cli import main
main(["-c", "open {TRAILS / "et000000000"}; export {format_} to {tmp_path / "out"} by table"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == f"EXPORT {format_} needs pip install 'logdump[export]'.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["jsonl to T", "csv to T by table", "sql to T"])
def test_text_needs_no_other_package(words: str, tmp_path: Path) -> None:
    heavy = {"numpy", "pyarrow", "numba", "pyspark", "textual"}
    command = f"open {TRAILS / 'et000000000'}; export {words.replace('T', str(tmp_path / 'out'))}"
    program = f"""
import sys
from logdump.cli import main
main(["-c", {command!r}])
print(sorted(name for name in sys.modules if name in {heavy!r}), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == "[]\n"
    assert (tmp_path / "out").exists()
