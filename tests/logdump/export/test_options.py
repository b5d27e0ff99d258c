"""The arguments of EXPORT: what each form asks for, and what is said of those that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.features.export.target import STANDARD_OUTPUT, ExportOptions
from logdump.language.reader import Context, parse
from logdump.session.errors import ArgumentError

_HERE = Path("/trails")
_ROOT = Path("/")
"""The current directory."""


def _of(format_: str, target: Path = _HERE / "x", compression: str = "NONE") -> ExportOptions:
    return ExportOptions(format_, target, compression=compression)


def parsed(text: str) -> ExportOptions:
    options = parse(REGISTRY.find("EXPORT").form, text, Context())
    assert isinstance(options, ExportOptions)
    return options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("jsonl to /trails/x", _of("JSONL")),
        ("CSV TO /trails/x", _of("CSV")),
        ("parquet to /trails/x", _of("PARQUET", compression="SNAPPY")),
        ("arrow to /trails/x", _of("ARROW")),
        ("sql to /trails/x", _of("SQL")),
        ("csv to ~/x", _of("CSV", Path.home() / "x")),
        ("csv to x", _of("CSV", _ROOT / "x")),
        ("csv to /trails/y/../x", _of("CSV")),
        ('csv to "/trails/my x"', _of("CSV", _HERE / "my x")),
        ("csv to -", _of("CSV", STANDARD_OUTPUT)),
        ("csv to ./-", _of("CSV", _ROOT / "-")),
        ("csv to /trails/x!", _of("CSV")._replace(replaces=True)),
        ("csv to /trails/x !", _of("CSV")._replace(replaces=True)),
        ("csv to /trails/x replace", _of("CSV")._replace(replaces=True)),
        ("csv to !", _of("CSV", _ROOT / "!")),
        ("csv to /trails/x by table", _of("CSV")._replace(by_table=True)),
        ("csv to /trails/x By Table 7 records", _of("CSV")._replace(by_table=True, records=7)),
        ("csv to /trails/x 1 record", _of("CSV")._replace(records=1)),
        ("sql to /trails/x 1 transaction", _of("SQL")._replace(transactions=1)),
        ("sql to /trails/x 2 transactions undo", _of("SQL")._replace(transactions=2, takes_back=True)),
        ("sql to /trails/x include cut", _of("SQL")._replace(includes_cut=True)),
        ("sql to /trails/x PostgreSQL", _of("SQL")._replace(dialect="POSTGRESQL")),
        ("sql to /trails/x compress gzip", _of("SQL", compression="GZIP")),
        ("jsonl to /trails/x debezium", _of("JSONL")._replace(messages="debezium")),
        ("jsonl to - 3 records Debezium", _of("JSONL", STANDARD_OUTPUT)._replace(messages="debezium", records=3)),
        ("jsonl to /trails/x truncates debezium", _of("JSONL")._replace(messages="debezium", truncates=True)),
        ("jsonl to /trails/x ogg 2 records", _of("JSONL")._replace(messages="ogg", records=2)),
        ("arrow to /trails/x compression lz4", _of("ARROW", compression="LZ4")),
    ],
)
def test_what_is_asked_for(text: str, options: ExportOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_ROOT)
    assert parsed(text) == options


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "takes one of JSONL, CSV, PARQUET, ARROW, SQL, XLSX first."),
        ("xml to x", "takes one of JSONL, CSV, PARQUET, ARROW, SQL, XLSX first."),
        ("csv", "CSV takes TO and a file name."),
        ("csv into x", "CSV takes TO and a file name."),
        ("csv to", "CSV takes TO and a file name."),
        ("csv to x frobnicate", "'frobnicate' is not an option of EXPORT or a number of RECORDS."),
        ("csv to x 5", "5 takes RECORDS for CSV, not ''."),
        ("csv to x 0 records", "0 is out of range: 1 to 9223372036854775807."),
        ("csv to x 5 transactions", "5 takes RECORDS for CSV, not 'transactions'."),
        ("sql to x 5 records", "5 takes TRANSACTIONS for SQL, not 'records'."),
        ("sql to x by table", "SQL is written as one script, because a transaction may change several tables."),
        ("csv to x by", "BY takes TABLE."),
        ("csv to x by name", "BY takes TABLE."),
        ("csv to x undo", "UNDO goes with SQL, not with CSV."),
        ("csv to x oracle", "ORACLE goes with SQL, not with CSV."),
        ("csv to x include cut", "INCLUDE CUT goes with SQL, not with CSV."),
        ("sql to x include", "INCLUDE takes CUT."),
        ("sql to x include all", "INCLUDE takes CUT."),
        ("csv to x compression", "COMPRESSION of CSV is one of NONE, GZIP, ZSTD, not ''."),
        ("csv to x compression lz4", "COMPRESSION of CSV is one of NONE, GZIP, ZSTD, not 'lz4'."),
        ("arrow to x compression snappy", "COMPRESSION of ARROW is one of NONE, LZ4, ZSTD, not 'snappy'."),
        ("csv to - by table", "BY TABLE writes several files, and - is standard output."),
    ],
)
def test_wrong_arguments_are_named(arguments: str, message: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        parsed(arguments)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("options", "is_binary"),
    [
        (_of("CSV"), False),
        (_of("SQL"), False),
        (_of("JSONL", compression="GZIP"), True),
        (_of("PARQUET", compression="SNAPPY"), True),
        (_of("ARROW"), True),
    ],
)
def test_what_is_no_text(options: ExportOptions, *, is_binary: bool) -> None:
    assert options.is_binary == is_binary


@pytest.mark.parametrize(
    ("options", "is_limited"),
    [
        (_of("CSV"), False),
        (_of("CSV")._replace(records=1), True),
        (_of("SQL")._replace(transactions=1), True),
    ],
)
def test_a_number_of_records_or_transactions_is_a_limit(options: ExportOptions, *, is_limited: bool) -> None:
    assert options.is_limited == is_limited


def test_the_target_in_words() -> None:
    assert _of("CSV").target_name == "/trails/x"
    assert _of("CSV", STANDARD_OUTPUT).target_name == "standard output"
