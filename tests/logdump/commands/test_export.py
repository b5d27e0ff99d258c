"""EXPORT at the prompt.

EXPORT begins at the position, and leaves it where the next one goes on.
EXPORT to standard output: the bytes that the file would have, and nothing else.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from fixtures.shop import ORACLE_SALES
from logdump.arrow.records import texts
from logdump.features.export import target
from logdump.session.errors import ExitStatus
from tests.logdump.export.exported import FORMATS, rbas_in
from tests.logdump.line import Line
from tests.logdump.program import COMMAND, answered_in_bytes, logdump
from tests.searching import IS_LONG
from tests.trailformat.samples import metadata_record, row, table_record, trail_of
from trailformat import ByteOrder, TableDefinition
from trailformat.definitions.metadata import build_table


def _exported(shop: Line, format_: str, target: Path, words: str = "") -> bytes:
    shop(f"export {format_} to {target} {words}")
    return target.read_bytes() if target.exists() else b""


@pytest.mark.parametrize("format_", FORMATS)
def test_one_export_after_another_writes_the_whole_file(format_: str, shop: Line, tmp_path: Path) -> None:
    whole = _exported(shop, format_, tmp_path / "1")
    shop(f"export csv to {tmp_path / 'between'}; count")
    assert _exported(shop, format_, tmp_path / "2") == whole


@pytest.mark.parametrize("format_", FORMATS)
def test_a_position_that_is_set_after_an_export_counts(format_: str, shop: Line, tmp_path: Path) -> None:
    part = _exported(shop, format_, tmp_path / "1", f"!; pos 3391; export {format_} to {tmp_path / '1'} !")
    shop(f"export {format_} to {tmp_path / '2'}; pos 3391")
    assert _exported(shop, format_, tmp_path / "3") == part


@pytest.mark.parametrize("words", ["csv to T 12 records", "parquet to T 12 records", "sql to T 2 transactions"])
def test_a_limited_export_goes_on_where_the_last_one_ended(words: str, shop: Line, tmp_path: Path) -> None:
    shop(f"export {words.replace('T', str(tmp_path / '1'))}")
    here = shop.session.cursor.next
    assert 0 < here < shop.session.trail.size
    shop(f"export {words.replace('T', str(tmp_path / '2')).rsplit(maxsplit=2)[0]}")
    shop(f"pos {here}; export {words.replace('T', str(tmp_path / '3')).rsplit(maxsplit=2)[0]}")
    assert (tmp_path / "2").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize("format_", FORMATS)
def test_where_nothing_is_left_nothing_is_written(format_: str, shop: Line, tmp_path: Path) -> None:
    end = shop.session.trail.size
    assert shop(f"pos {end}; export {format_} to {tmp_path / 'out'}")[-1] == (
        f"Nothing is left to export from RBA {end} on. POSITION 0 goes to the beginning."
    )
    assert [failure.status for failure in shop.failures] == [ExitStatus.COMMAND_FAILED]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("position", ["pos 3391", "export csv to {other}"])
def test_an_export_that_fails_leaves_the_position(position: str, shop: Line, tmp_path: Path) -> None:
    shop(position.format(other=tmp_path / "other"))
    here = shop.session.cursor.next
    target = tmp_path / "no" / "folder"
    assert shop(f"export csv to {target}") == [f"Error: {target}: No such file or directory"]
    assert len(shop.failures) == 1
    assert shop.session.cursor.next == here
    shop(f"export csv to {tmp_path / 'out'}")
    begins = 0 if position != "pos 3391" else 3391
    assert [rba for rba in rbas_in(tmp_path / "out") if rba < begins] == []
    assert bool(begins) or rbas_in(tmp_path / "out")[0] == 1130


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet", "jsonl to T by table", "parquet to T by table"])
def test_half_a_record_at_the_end_is_exported_when_it_is_whole(format_: str, line: Line, tmp_path: Path) -> None:
    path = tmp_path / "ct000000000"
    path.write_bytes((TRAILS / "ct000000000").read_bytes())
    target = str(tmp_path / "out")
    words = format_.replace("T", target) if " " in format_ else f"{format_} to {target}"
    line(f"open {path}; export {words}")
    assert line.session.cursor.next == 5352
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    line("n")
    assert line.rbas == [5352]


SHOP = f"open {TRAILS / 'et000000000'}"


def _told_as_to_a_file(words: str, folder: Path, status: int, out: bytes, err: bytes) -> None:
    """What an export to standard output has given is what one to a file gives."""
    format_, _, more = words.partition(" ")
    to_file = logdump("-c", f"{SHOP}; export {format_} to {folder / 'out'} {more}")
    assert out == (folder / "out").read_bytes()
    told = err.decode()
    assert told.startswith("Current LogTrail is ")
    assert to_file.out.replace(str(folder / "out"), "standard output") in told + to_file.err
    assert (to_file.status, to_file.err in told) == (status, True)


@pytest.mark.parametrize("words", [*FORMATS, "csv compression gzip", "sql undo mysql"])
def test_standard_output_holds_what_the_file_would_and_nothing_else(words: str, tmp_path: Path) -> None:
    format_, _, more = words.partition(" ")
    _told_as_to_a_file(words, tmp_path, *answered_in_bytes("-c", f"{SHOP}; export {format_} to - {more}"))


def test_standard_output_of_a_process_holds_what_the_file_would(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "-c", f"{SHOP}; export parquet to -"], capture_output=True, check=False, timeout=60
    )
    _told_as_to_a_file("parquet", tmp_path, done.returncode, done.stdout, done.stderr)


def test_under_jsonl_standard_output_is_for_the_data_too() -> None:
    done = logdump("--format", "jsonl", "-c", f"{SHOP}; export csv to - 2 records")
    assert done.out.startswith('"file","rba"')
    assert [json.loads(line)["type"] for line in done.err.splitlines()] == ["text", "text", "text"]


@pytest.mark.parametrize("format_", FORMATS if IS_LONG else ["csv", "parquet"])
def test_a_reader_that_has_enough_ends_the_export_quietly(format_: str, tmp_path: Path) -> None:
    commands = f"{SHOP}; " + f"export {format_} to -; " * 9
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe, (tmp_path / "err").open("wb") as errors:
        done = subprocess.run([*COMMAND, "-c", commands], stdout=pipe, stderr=errors, check=False, timeout=60)
    assert done.returncode == 0
    assert "roken" not in (tmp_path / "err").read_text()


def test_what_standard_output_cannot_take_is_refused(shop: Line, tmp_path: Path) -> None:
    assert shop("export csv to - by table")[0] == "EXPORT: BY TABLE writes several files, and - is standard output."
    refused = "The full-screen view uses standard output: EXPORT … TO - works in line mode, with -c and with -f."
    assert shop("export csv to -") == [refused]
    path = tmp_path / "et000000000"
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    with path.open("ab") as file:
        command = [*COMMAND, "-c", f"open {path}; export csv to -"]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.stderr.endswith(b"Standard output is the open trail: EXPORT never writes over it.\n")
    assert path.read_bytes() == (TRAILS / "et000000000").read_bytes()


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_no_control_characters_and_nothing_binary(line: Line) -> None:
    terminal = _Terminal()
    line.session.standard_output = lambda: terminal
    line(f"open {TRAILS / 'ut000000000'}; export csv to -; pos 0; export jsonl to -; pos 0; export sql to -")
    shown = terminal.getvalue().decode()
    assert shown.replace("\n", "").isprintable()
    assert ('"file","rba"' in shown, '{"type":' in shown, "INSERT INTO" in shown) == (True, True, True)
    for words in ("parquet to -", "arrow to -", "csv to - compression gzip"):
        refused = "This is binary, and standard output is a terminal: send it to a file or a program."
        assert line(f"pos 0; export {words}")[-1] == refused


def test_it_tells_what_was_written_and_what_left_out(shop: Line, tmp_path: Path) -> None:
    assert shop(f"export parquet to {tmp_path / 'out'} by table") == [
        "TEAHOUSE.TEAS.parquet: 11 rows of TEAHOUSE.TEAS",
        "TEAHOUSE.SALES.parquet: 7 rows of TEAHOUSE.SALES",
        f"Exported 18 records to 2 files in {tmp_path / 'out'}",
        "Left out 4 records that are not rows: FileHeader 1, Metadata 3",
    ]


@pytest.mark.parametrize(
    "words", ["jsonl to T", "csv to T", "parquet to T", "parquet to T by table", "jsonl to T by table"]
)
def test_filter_position_and_number_choose_the_records(words: str, shop: Line, tmp_path: Path) -> None:
    shop("filter include filename TEAHOUSE.SALES; pos 3391")
    shop("export " + words.replace("T", str(tmp_path / "out")) + " 2 records")
    found = list((tmp_path / "out").iterdir()) if "table" in words else [tmp_path / "out"]
    assert len(found) == 1
    assert rbas_in(found[0]) == [3817, 3987]
    assert shop.session.cursor.next == 4234


@pytest.mark.parametrize("words", ["jsonl to T", "parquet to T by table", "sql to T"])
def test_reading_backwards_changes_nothing(words: str, shop: Line, tmp_path: Path) -> None:
    shop("pos eof; pos reverse; pos 0")
    shop("export " + words.replace("T", str(tmp_path / "out")))
    assert not shop.failures
    assert shop.session.cursor.next == shop.session.trail.size
    assert shop.session.cursor.is_backwards


_SQL_PLUS = ["SET DEFINE OFF", "SET SQLBLANKLINES ON"]


@pytest.mark.parametrize(
    ("words", "preamble"),
    [
        ("", _SQL_PLUS),
        ("undo", _SQL_PLUS),
        ("undo postgresql", ["SET client_encoding TO 'UTF8';"]),
        ("mysql", ["SET NAMES utf8mb4;"]),
        ("ansi", []),
    ],
)
def test_a_script_is_what_redo_and_undo_print(words: str, preamble: list[str], shop: Line, tmp_path: Path) -> None:
    shop("filter include filename TEAHOUSE.SALES; pos 3391")
    shop(f"export sql to {tmp_path / 'out'} {words} 3 transactions")
    position = shop.session.cursor.next
    shop("pos 3391")
    command, dialect = ("undo" if "undo" in words else "redo"), words.replace("undo", "")
    printed = [line for line in shop(f"{command} 3 {dialect}") if not line.startswith("Filtering")]
    assert (tmp_path / "out").read_text().splitlines() == preamble + printed
    assert shop.session.cursor.next == position


def test_a_script_has_what_was_left_out_as_comments_when_asked(line: Line, tmp_path: Path) -> None:
    (tmp_path / "et000000000").write_bytes((TRAILS / "et000000000").read_bytes()[:2700])
    line(f"open {tmp_path / 'et000000000'}; pos 1811; export sql to {tmp_path / 'out'} ansi include cut")
    assert (tmp_path / "out").read_text().count("\n-- INSERT INTO") == 2


def test_a_script_has_the_columns_of_the_definitions_file(line: Line, tmp_path: Path) -> None:
    definitions = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
    line(f"open {TRAILS / 'ot000000'}; sourcedefs {definitions}; export sql to {tmp_path / 'out'}")
    assert "TEA_CODE" in (tmp_path / "out").read_text()


def test_the_filter_takes_the_names_of_the_file_in_which_a_transaction_began(line: Line, tmp_path: Path) -> None:
    order = ByteOrder.BIG
    for number, table in enumerate(("TEA.LEAVES", "TEA.POTS")):
        definition, record = table_record(1, table, order), row(bytes(8), 1, order, trans_ind=2 * number)
        path = trail_of(tmp_path, definition, record, name=f"tt{number:09}")
    line(f"open {path}; filter filename TEA.LEAVES; export sql to {tmp_path / 'out'} ansi")
    assert 'INSERT INTO "TEA"."LEAVES"' in (tmp_path / "out").read_text()


@pytest.mark.parametrize("format_", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("name", ["et000000000", "gt000000000"])
def test_under_across_each_file_follows_the_one_before_it(name: str, format_: str, line: Line, tmp_path: Path) -> None:
    files = [tmp_path / f"xx{number:09}" for number in range(2)]
    for path in files:
        path.write_bytes((TRAILS / name).read_bytes())
    told = line(f"open {files[0]}; across on; export {format_} to {tmp_path / 'out'}")
    assert len([text for text in told if str(files[1]) in text and "are not exported" not in text]) == 1
    found = _files_in(tmp_path / "out")
    assert found == [str(path) for path in files for _ in range(len(found) // 2)]


def _files_in(path: Path) -> list[str]:
    """The file that each record came from."""
    if path.read_bytes()[:1] == b"P":
        return [str(file) for file in pq.read_table(path)["file"].to_pylist()]
    with path.open(encoding="utf-8", newline="") as file:
        rows = map(json.loads, file) if path.read_bytes()[:1] == b"{" else csv.DictReader(file)
        return [row["file"] for row in rows]


def test_a_record_in_a_batch_has_the_number_of_its_file(shop: Line, tmp_path: Path) -> None:
    shop(f"export parquet to {tmp_path / 'out'}")
    assert set(pq.read_table(tmp_path / "out")["seqno"].to_pylist()) == {0}


def test_a_record_that_no_batch_can_hold_is_told_with_its_file(
    shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "_MOST_BYTES", 3)
    told = shop(f"export parquet to {tmp_path / 'out'}")
    assert told[0].startswith(f"Error: {TRAILS / 'et000000000'}: ")
    assert "too much text for one array from the values of 22 records" in told[0]


def test_changes_that_no_statement_expresses_are_told(shop: Line, tmp_path: Path) -> None:
    shown = shop(f"pos 5352; export sql to {tmp_path / 'out'} undo")
    assert "1 change could not be written: a comment says why." in shown
    assert "rows that TRUNCATE deleted" in (tmp_path / "out").read_text()


def test_text_is_compressed_when_asked(shop: Line, tmp_path: Path) -> None:
    shop(f"export csv to {tmp_path / 'plain'}")
    shop(f"pos 0; export csv to {tmp_path / 'rows.gz'} compression gzip")
    assert gzip.decompress((tmp_path / "rows.gz").read_bytes()) == (tmp_path / "plain").read_bytes()
    shop(f"pos 0; export sql to {tmp_path / 'script'}; pos 0; export sql to {tmp_path / 'script.gz'} compression gzip")
    assert gzip.decompress((tmp_path / "script.gz").read_bytes()) == (tmp_path / "script").read_bytes()


@pytest.mark.parametrize("format_", ["jsonl", "csv"])
def test_compressed_files_of_tables_are_named_as_such(format_: str, shop: Line, tmp_path: Path) -> None:
    shop(f"export {format_} to {tmp_path / 'tables'} by table compress gzip")
    names = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert names == [f"TEAHOUSE.SALES.{format_}.gz", f"TEAHOUSE.TEAS.{format_}.gz"]


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
    columns = tuple(column._replace(name=f'"{at}", x') for at, column in enumerate(ORACLE_SALES.columns[1:2] * 2))
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


def test_wrong_arguments_are_named_with_the_syntax(shop: Line) -> None:
    assert shop("export xml to x") == [
        "EXPORT: takes one of JSONL, CSV, PARQUET, ARROW, SQL, XLSX first.",
        f"Syntax: EXPORT {{{' | '.join(target.FORMATS)}}} TO {{<file> | -}} [REPLACE] [<n> RECORDS] [<options>]",
        "See HELP EXPORT.",
    ]
    assert len(shop.failures) == 1


def test_without_a_trail_nothing_is_made(line: Line, tmp_path: Path) -> None:
    assert "No LogTrail is open" in line(f"export csv to {tmp_path / 'out'}")[0]
    assert not list(tmp_path.iterdir())


def _python(program: str) -> str:
    """What a process of its own says on its standard error."""
    lines = f"import sys\nfrom logdump.cli import main\n{program}"
    return subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True, timeout=60).stderr


def test_without_pyarrow_rows_of_tables_are_text_and_the_package_is_told(line: Line, tmp_path: Path) -> None:
    begin = f"open {TRAILS / 'gt000000000'}; export"
    missing = [f"{begin} {format_} to {tmp_path / format_} by table" for format_ in ("PARQUET", "ARROW")]
    texts = [f"{begin} {format_} to {tmp_path / 'without' / format_} by table" for format_ in ("csv", "jsonl")]
    (tmp_path / "without").mkdir()
    told = _python(f'sys.modules["pyarrow"] = None\nfor one in {missing + texts}: main(["-c", one])')
    needed = [f"EXPORT {format_} needs pip install 'logdump[export]'." for format_ in ("PARQUET", "ARROW")]
    assert told.splitlines()[:2] == needed
    assert {path.name for path in tmp_path.iterdir()} == {"without"}
    for format_ in ("csv", "jsonl"):
        line(f"{begin} {format_} to {tmp_path / format_} by table")
        folders = (tmp_path / format_, tmp_path / "without" / format_)
        found = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
        assert found[0] == found[1] != {}


def test_text_needs_no_other_package(tmp_path: Path) -> None:
    heavy = {"pyarrow", "numba", "pyspark", "textual"}
    exports = [f"{SHOP}; export {text.replace('T', str(tmp_path / text[:3]))}" for text in _TEXTS]
    told = _python(f"""
for one in {exports!r}: main(["-c", one])
print(sorted(name for name in sys.modules if name in {heavy!r}), file=sys.stderr)
""")
    assert told == "[]\n"
    assert {path.name for path in tmp_path.iterdir()} == {text[:3] for text in _TEXTS}


_TEXTS = ("jsonl to T", "csv to T by table", "sql to T")
