"""Every record is accounted for, whatever its IOType: it is a row of an answer, or the answer names and counts it.

One trail has a transaction for each of the 256 types: a record of the type between two inserts, all of one table.
"""

from __future__ import annotations

import csv
import json
import re
from contextlib import closing
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from fixtures.capture import Capture
from fixtures.changes import insert
from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from logdump import read as logdump_read
from logdump.display.sql import DIALECTS
from logdump.spark.source.data_source import TrailSource
from logdump.spark.stream.apply import source_tables
from logdump.tables.errors import BadTrail
from logdump.targets.target import SourceTable
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.spark.targets.bank import end_of, opened, parts
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.tables.reads import rows as read_rows
from tests.searching import IS_LONG
from trailformat import TrailWriter, io_type_name, make_token
from trailformat.codec.tokens import Token
from trailformat.records.columns import build_columns
from trailformat.records.record_header import FIRST, LAST, MIDDLE

TABLE, NAME = MYSQL_21.teas, MYSQL_21.teas.name
TYPES = range(256)
OUTSIDE = {152, 170, 205}
"""The end of a recovery, metadata and comments, which no transaction has."""
RESTARTS = {150, 151}
"""They cut the transaction."""
PARTS = {116, 161}
"""Pieces of a LOB and fragments of a record, which belong to the row before them."""
DDL, SEQUENCE, TRUNCATE, UPSERT = 160, 132, 100, 140
INSERTS = {5, UPSERT}
IN_ONE_IMAGE = {3, 5, 10, 15, UPSERT}
ROWS = {*IN_ONE_IMAGE, 11, 100, 115, 117, 134, 135}
"""Rows of a table, of which 3 has no before image here, and 115, 134, 135 no length before the first of two images."""
UNDECODED = {115, 134, 135}
"""Updates whose columns do not decode, as their data has another form here than such updates have."""
UNKNOWN = {*TYPES} - OUTSIDE - RESTARTS - PARTS - ROWS - {DDL, SEQUENCE}


class Trail(NamedTuple):
    """A trail, and the RBA of the record of each type in it."""

    path: Path
    rbas: dict[int, int]


def _key(number: int) -> str:
    return f"T{number:04d}"


def _row(number: int) -> Row:
    return (_key(number), "Sencha", "Uji", "A ", Decimal("1.50"), Decimal(number))


def write(path: Path, *types: int, tokens: tuple[Token, ...] = (), skips: bool = False) -> Trail:
    """Write a trail; with ``skips`` the records of the types are left out."""
    order, rbas = MYSQL_21.order, dict[int, int]()
    with TrailWriter(path, order=order) as writer:
        capture = Capture(writer, MYSQL_21)
        capture.database()
        capture.table(TABLE)
        for number in types:
            capture.begin()
            capture._row(insert(TABLE, _row(3 * number)), FIRST, ())
            data = build_columns(insert(TABLE, _row(3 * number + 1)).images(order).after or (), order)
            header = capture.header(number, TABLE.number, partition=capture.partition, orig_node=255, trans_ind=MIDDLE)
            if not skips:
                rbas[number] = writer.write_values(header, data, tokens).rba
            capture._row(insert(TABLE, _row(3 * number + 2)), LAST, ())
    return Trail(path, rbas)


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Trail:
    return write(tmp_path_factory.mktemp("types") / "ty000000000", *TYPES)


def _named(rbas: dict[int, int], text: str) -> set[int]:
    """The types whose record a script names by its RBA."""
    found = {int(rba) for rba in re.findall(r"-- RBA (\d+)\b", text)}
    return {number for number, rba in rbas.items() if rba in found}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("command", ["redo", "undo", "export"])
def test_a_script_has_each_as_a_statement_or_a_comment(
    trail: Trail, tmp_path: Path, line: Line, command: str, dialect: str
) -> None:
    """A piece of a LOB makes the row before it a comment; a restart cuts the transaction, which is a comment."""
    if command == "export":
        line(f"open {trail.path}; export sql to {tmp_path / 'script.sql'} {dialect}")
        text = (tmp_path / "script.sql").read_text(encoding="utf-8")
    else:
        text = "\n".join(line(f"open {trail.path}; {command} 999 {dialect}"))
    stated = set() if command == "undo" else {number for number in INSERTS if f"'{_key(3 * number + 1)}'" in text}
    stated |= {5} if command == "undo" and f"'{_key(16)}'" in text else set()
    stated |= {TRUNCATE} if "TRUNCATE TABLE" in text else set()
    stated |= {10, 15} if command != "undo" else set()
    assert stated | _named(trail.rbas, text) >= {*TYPES} - OUTSIDE - RESTARTS - PARTS
    assert stated >= INSERTS or command == "undo"
    assert text.count("-- Left out: transaction") == 2 * len(RESTARTS), "each half of one"
    refused = re.findall(r"could not be written", text)
    assert len(refused) >= len(UNKNOWN)
    for number in UNKNOWN:
        assert f"RBA {trail.rbas[number]} {io_type_name(number)} {NAME}: the effect of a record of this type" in text


def test_the_number_of_records_of_a_transaction_counts_each(trail: Trail, line: Line) -> None:
    titles = [row for row in line(f"open {trail.path}; redo 999") if row.startswith("-- Transaction")]
    assert {row.rpartition(", ")[2] for row in titles} == {"3 records", "2 records"}
    assert sum(row.endswith(", 2 records") for row in titles) == len(OUTSIDE | PARTS)


@pytest.mark.parametrize("words", ["jsonl", "csv"])
def test_an_export_of_records_has_a_row_for_each(trail: Trail, tmp_path: Path, line: Line, words: str) -> None:
    line(f"open {trail.path}; export {words} to {tmp_path / 'out'}")
    with (tmp_path / "out").open(encoding="utf-8", newline="") as file:
        rows: Any = map(json.loads, file) if words == "jsonl" else csv.DictReader(file)
        found = {int(row["rba"]): int(row["io_type"] if row["io_type"] not in ("", None) else -1) for row in rows}
    assert {number: found.get(rba) for number, rba in trail.rbas.items()} == dict(zip(TYPES, TYPES, strict=True))


@pytest.mark.parametrize("words", ["jsonl", "csv", "parquet", "arrow", "debezium truncates", "ogg"])
def test_an_export_of_rows_has_a_row_for_each_or_names_and_counts_it(
    trail: Trail, tmp_path: Path, line: Line, words: str
) -> None:
    of_tables = f"{words} to {tmp_path / 'out'} by table"
    form = f"jsonl to {tmp_path / 'out'} {words}" if words in ("debezium truncates", "ogg") else of_tables
    [told] = [row for row in line(f"open {trail.path}; export {form}") if row.startswith("Left out")]
    left = dict(text.rsplit(" ", 1) for text in told.partition(": ")[2].split(", "))
    assert {number for number in TYPES if left.get(io_type_name(number), "0") != "0"} == {*TYPES} - ROWS
    count = sum(map(int, left.values()))
    [exported] = [row for row in line(f"export {form} replace") if row.startswith("Exported")]
    assert int(exported.split()[1]) + count == 3 * 256 + len(("DDR", "TDR"))


def test_list_has_a_line_for_each(trail: Trail) -> None:
    rows = {row.split()[0]: row for row in logdump("list", str(trail.path)).out.splitlines()}
    assert {number for number in TYPES if str(trail.rbas[number]) in rows} == {*TYPES}
    for number in UNKNOWN:
        row = rows[str(trail.rbas[number])]
        assert re.search(rf" {re.escape(io_type_name(number))}, \d+ bytes: its effect is not known$", row)


def test_doctor_counts_each_and_finds_those_that_are_not_known(trail: Trail) -> None:
    told = json.loads(logdump("doctor", str(trail.path), "--format", "jsonl").out.splitlines()[-1])
    [table] = [table for table in told["tables"] if table["table"] == NAME]
    counted = {number for number in TYPES if table["types"].get(io_type_name(number))}
    assert counted == {*TYPES} - OUTSIDE - RESTARTS - {161}
    [text] = [finding["text"] for finding in told["findings"] if "effect" in finding["text"]]
    assert text.startswith(f"{len(UNKNOWN)} records whose effect is not known: ")


def test_row_says_what_may_concern_any_row(trail: Trail) -> None:
    answer = logdump("row", str(trail.path), NAME, f"TEA_CODE={_key(15)}")
    told = {int(rba) for rba in re.findall(r"at RBA (\d+) of", answer.err)}
    assert told == {trail.rbas[number] for number in UNKNOWN | UNDECODED | {TRUNCATE}}
    assert answer.out.splitlines()[-1].endswith("not all was read, so there may be more.")


def test_diff_finds_each_that_another_trail_lacks(trail: Trail, tmp_path: Path) -> None:
    """A restart cuts the transaction in one of them; what is outside of transactions is not compared."""
    other = write(tmp_path / "ot000000000", *TYPES, skips=True)
    told = logdump("-c", f"format jsonl; open {trail.path}; diff {other.path} values limit 999").out
    rbas = {int(rba) for rba in re.findall(r'"rba": ?(\d+)', told)}
    assert {number for number, rba in trail.rbas.items() if rba in rbas} >= {*TYPES} - OUTSIDE - RESTARTS - PARTS


@cache
def _read(path: Path, **options: str) -> list[dict[str, Any]]:
    """Return the rows of the source, read in this process."""
    if "rowsOf" in options:
        given = {name: value for name, value in options.items() if name != "rowsOf"}
        rows: list[dict[str, Any]] = logdump_read(path, table=options["rowsOf"], **given).to_arrow().to_pylist()
        return rows
    return read_rows(path, **options) if "changesOf" not in options else _batches(path, **options)[0].to_pylist()


def _batches(path: Path, **options: str) -> tuple[pa.Table, list[SourceTable]]:
    source: Any = TrailSource({"path": str(path), **options})
    schema = source.schema()
    reader = source.reader(schema)
    table = pa.Table.from_batches([batch for part in reader.partitions() for batch in reader.read(part)])
    return table, [*source_tables(schema, {NAME: ""}, {})] if "changesOf" in options else []


def test_rows_of_a_table_and_its_changes_have_each_with_a_problem(trail: Trail) -> None:
    """DDL and the pieces of a LOB are not rows; of each other type of the table there is one."""
    table = {row["rba"]: row for row in _read(trail.path, rowsOf=NAME, undecodable="null")}
    changes = {row["_rba"]: row for row in _read(trail.path, changesOf=NAME, undecodable="null")}
    for rows, op, problems in ((table, "op", "problems"), (changes, "_op", "_problems")):
        for number in UNKNOWN:
            row = rows[trail.rbas[number]]
            assert row[op].lower() == io_type_name(number).lower()
            assert row[problems][0]["reason"].endswith(": the effect of a record of this type is not known")
            assert row[problems][0]["bytes"]
        assert {number for number, rba in trail.rbas.items() if rba in rows} == UNKNOWN | ROWS | {SEQUENCE}
        assert rows[trail.rbas[UPSERT]][op].lower() == "upsert"
        assert rows[trail.rbas[UPSERT]][problems] is None
    records = {row["rba"]: row for row in _read(trail.path, undecodable="null")}
    assert {number for number, rba in trail.rbas.items() if rba in records} == {*TYPES}
    told = {number for number in TYPES if "not known" in str(records[trail.rbas[number]]["problems"])}
    assert told == UNKNOWN


def test_a_read_that_fails_at_what_does_not_decode_names_the_first(tmp_path: Path) -> None:
    made = write(tmp_path / "ty000000000", 5, 201)
    for option in ("rowsOf", "changesOf"):
        with pytest.raises(BadTrail, match=f"RBA {made.rbas[201]}: GGSFileClose: the effect of a record"):
            _read(made.path, **{option: NAME})


def test_a_query_has_each(trail: Trail, line: Line) -> None:
    asked = f'sql mode permissive SELECT rba FROM "{NAME}"'
    found = {row.strip() for row in line(f"open {trail.path}; {asked}")}
    assert {number for number, rba in trail.rbas.items() if str(rba) in found} == UNKNOWN | ROWS | {SEQUENCE}


@pytest.mark.parametrize("number", [*TYPES] if IS_LONG else [*range(3, 256, 7), UPSERT, SEQUENCE])
def test_apply_stops_at_what_it_does_not_know(tmp_path: Path, number: int) -> None:
    """It stops as it is read; and where the user has it read on, as it is applied: also where rows are replaced."""
    made = write(tmp_path / "ty000000000", number)
    rows, tables = _batches(made.path, changesOf=NAME, undecodable="null")
    place, overwrite = sqlite_place(tmp_path), bool(number % 2)
    with closing(place.target()) as target:
        applier = opened(target, tables, overwrite=overwrite)
        if number in UNKNOWN | {SEQUENCE}:
            reasons = "its data is not a list of columns", "the effect of a record of this type is not known"
            with pytest.raises(BadTrail, match=f"RBA {made.rbas[number]}, CSN .*: {reasons[number in UNKNOWN]}$"):
                applier.apply(parts(rows), end_of(rows))
            assert place.rows(NAME) == []
        elif number in INSERTS | PARTS | OUTSIDE:
            applier.apply(parts(rows), end_of(rows))
            assert len(place.rows(NAME)) == 2 + (number in INSERTS)


@pytest.mark.parametrize("number", sorted(IN_ONE_IMAGE))
def test_a_row_with_a_token_that_is_not_known_says_that_its_values_may_be_parts(
    tmp_path: Path, line: Line, number: int
) -> None:
    reason = "GGS token x45 is not known: the values may be parts of those in the row"
    tokens = (make_token("R", b"AAATeaAAFAAAAHo001\0\1"), make_token(0x45, b"piece"))
    made = write(tmp_path / "ty000000000", number, tokens=tokens)
    rba = made.rbas[number]
    for command in ("redo", "undo"):
        assert any(
            row.startswith(f"-- RBA {rba} ") and row.endswith(reason) for row in line(f"open {made.path}; {command}")
        )
    assert reason in line(f"values on; pos {rba}; n")
    told = map(json.loads, logdump("-c", f"format jsonl; open {made.path}; pos {rba}; n").out.splitlines())
    assert [shown["problems"] for shown in told if shown["type"] == "record"] == [[reason]]
    assert _read(made.path, rowsOf=NAME, undecodable="null")[1]["problems"][0]["reason"] == reason
    assert [row["problems"] for row in _read(made.path) if row["rba"] == rba] == [[reason]]
    with pytest.raises(BadTrail, match=f"RBA {rba}: {reason}"):
        _read(made.path, changesOf=NAME)
    line(f"pos 0; export jsonl to {tmp_path / 'out.jsonl'}")
    rows = map(json.loads, (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines())
    assert [row["problems"] for row in rows if row["rba"] == rba] == [[reason]]
    assert reason.partition(": ")[2] in " ".join(" ".join(line("format text; doctor")).split())  # lines are broken
    assert logdump("list", str(made.path)).out.count(reason) == 1
