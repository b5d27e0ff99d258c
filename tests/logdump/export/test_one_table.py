"""CSV of one table for a spreadsheet: its own columns, a byte order mark, names of files, columns by plain names."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from fixtures.changes import insert
from fixtures.flavour import ORACLE_12
from fixtures.shop import FIRST_SALE, GYOKURO, THIRD_SALE
from logdump.arrow.tables.layout import FileNames, TableLayout
from tests.logdump.program import logdump
from tests.searching import Random
from tests.simulated.pairs import Copier
from trailformat import Record, TrailFile

TRAILS = ("et000000000", "at000000001", "gl000000000", "kt000000000", "st", "at", "zt000000000", "ut000000000")
BOM = "\ufeff"


def _by_table(trail: Path, folder: Path) -> dict[str, str]:
    """The files of EXPORT BY TABLE by the tables that its report names, those of several definitions left out."""
    answer = logdump("export", str(trail), "--by-table", "--format", "csv", "-o", str(folder), "--replace")
    named = [line.split(": ", 1) for line in answer.err.splitlines() if " of " in line and ".csv: " in line]
    tables = [text.split(" of ", 1)[1] for _, text in named]
    return {
        table: (folder / name).read_bytes().decode()
        for (name, _), table in zip(named, tables, strict=True)
        if tables.count(table) == 1 and "." in table and not name.endswith(".undefined.csv")
    }


def test_csv_of_a_table_is_its_file_of_by_table(trails: Path, tmp_path: Path) -> None:
    seen = 0
    for name in Random().sample(TRAILS, 4):
        for table, text in _by_table(trails / name, tmp_path / "tables").items():
            answer = logdump("export", str(trails / name), "--table", table, "--format", "csv")
            assert answer.out == text
            target = tmp_path / "one.csv"
            logdump("export", str(trails / name), "--table", table, "-o", str(target), "--bom", "--replace")
            assert target.read_bytes().decode() == BOM + text
            seen += 1
    assert seen > 2


def test_more_than_one_table_is_refused_and_nothing_is_written(trails: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    for options in (["--table", "TEAHOUSE.*"], ["--table", "*.TEAS", "--table", "*.SALES"]):
        answer = logdump("export", str(trails / "et"), *options, "-o", str(target))
        assert (answer.status, answer.out) == (1, "")
        assert "--by-table" in answer.err
        assert not any(tmp_path.iterdir())
        assert logdump("export", str(trails / "et"), *options, "-o", str(target), "--meta").status == 0
        assert target.read_text().startswith('"file","rba","length"')
        target.unlink()


@pytest.mark.parametrize("options", [["--by-table"], ["--meta"], ["--bom"], ["--table", "*.SALES"]])
def test_columns_are_of_one_table(options: list[str], trails: Path) -> None:
    answer = logdump("export", str(trails / "et"), "--table", "TEAHOUSE.TEAS", "--columns", "op,NAME", *options)
    assert answer.status == 2
    assert "--columns needs one --table" in answer.err
    assert logdump("export", str(trails / "et"), "--bom").status == 2


def test_a_plain_name_is_the_value_after_a_change_and_before_a_delete(trails: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    drawn = Random()
    for table, text in _by_table(trails / "et", tmp_path / "tables").items():
        rows = [*csv.DictReader(io.StringIO(text))]
        own = [name.removeprefix("after_") for name in rows[0] if name.startswith("after_")]
        names = [drawn.choice([name, name.lower()]) for name in drawn.sample(own, 2)]
        target = tmp_path / "columns.csv"
        chosen = ["op", *names, f"before_{own[0]}", "rba"]
        answer = logdump(
            "export",
            str(trails / "et"),
            "--table",
            table,
            "--columns",
            ",".join(chosen),
            "-o",
            str(target),
            "--replace",
        )
        assert (answer.status, "FILTER" in answer.err) == (0, False)
        written = [*csv.DictReader(io.StringIO(target.read_text()))]
        assert [*written[0]] == chosen
        for row, had in zip(written, rows, strict=True):
            side = "before" if had["op"] == "DELETE" else "after"
            assert [*map(_plain, (row[name] for name in names))] == [
                _plain(had[f"{side}_{name.upper()}"]) for name in names
            ]
            assert (row["op"], row["rba"]) == (had["op"], had["rba"])


@pytest.mark.parametrize("words", [(), ("--limit", "3"), ("--rba", "3,391"), ("--rba", "3391", "--limit", "2")])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_columns_are_printed_as_they_are_written(
    kind: str, words: tuple[str, ...], trails: Path, tmp_path: Path
) -> None:
    """To standard output, and nothing besides; from an RBA on, up to a limit."""
    pytest.importorskip("duckdb")
    given = ("export", str(trails / "et000000000"), "--table", "TEAHOUSE.TEAS", "--columns", "rba,NAME", *words)
    printed = logdump(*given, "--format", kind)
    assert (printed.status, printed.err) == (0, "")
    target = tmp_path / f"columns.{kind}"
    assert logdump(*given, "-o", str(target)).out == ""
    assert printed.out.splitlines() == target.read_text(encoding="utf-8").splitlines()
    every = [record.rba for record in _rows(trails / "et000000000")]
    wanted = [rba for rba in every if "--rba" not in words or rba >= 3391][
        : int(words[-1]) if "--limit" in words else None
    ]
    lines = printed.out.splitlines()[kind == "csv" :]
    assert [int(line.partition(",")[0].rpartition(":")[2]) for line in lines] == wanted


def test_a_limit_of_each_trail_is_none_of_all(trails: Path) -> None:
    """Of the second trail nothing was written."""
    given = ("export", str(trails / "et"), str(trails / "el"), "--table", "TEAHOUSE.TEAS", "--limit", "2")
    assert len(logdump(*given, "--format", "jsonl").out.splitlines()) == 4
    answer = logdump(*given, "--columns", "rba,NAME")
    assert (answer.status, answer.out) == (2, "")
    assert "--columns with --limit takes one trail, not 2" in answer.err


OF_CHANGES = ("file", "rba", "op", "csn", "xid", "time", "trans_ind", "nulls", "problems")


@pytest.mark.parametrize("name", [*OF_CHANGES, "SOLD_AT"])
def test_a_column_of_the_table_is_not_that_of_every_change(name: str, tmp_path: Path) -> None:
    """SALES has a column of this name, TEAS has none: of SALES the time of the change was written as its TIME."""
    pytest.importorskip("duckdb")
    column, flavour = name.upper(), ORACLE_12
    columns = [
        definition._replace(name=column) if definition.name == "SOLD_AT" else definition
        for definition in flavour.sales.columns
    ]
    sales = flavour.sales._replace(columns=tuple(columns))
    copier = Copier(tmp_path, Random(1), roll_chance=0.5, flavour=flavour, tables=(flavour.teas, sales))
    for number, row in enumerate([insert(flavour.teas, GYOKURO), insert(sales, FIRST_SALE), insert(sales, THIRD_SALE)]):
        copier.begin(number + 1)
        copier.rows([row], 1)
    copier.close()
    wanted = [str(sale[2])[:10] for sale in (FIRST_SALE, THIRD_SALE)]
    is_both = name in OF_CHANGES
    for words, is_told in ((f"GRAMS,{column}", not is_both), (f'"{column}"', True), (f'after_{column},"GRAMS"', True)):
        given = ("--columns", words, "--format", "csv")
        answer = logdump("export", str(tmp_path / "sm"), "--table", sales.name, *given)
        assert answer.status == (0 if is_told else 2), answer.err
        assert [text in answer.out for text in wanted] == [is_told] * 2, (words, answer.out)
        assert is_told or f"{column} is a column of TEAHOUSE.SALES and of every change" in answer.err
    if is_both:
        damaged = tmp_path / "aa000000000"
        damaged.write_bytes(b"\x1f\x8b, but no gzip")
        answer = logdump("export", str(damaged), str(tmp_path / "sm"), "--table", sales.name, "--columns", column)
        assert answer.status == 2, "the trail after it defines the table"
    teas = logdump("export", str(tmp_path / "sm"), "--table", "TEAHOUSE.TEAS", "--columns", f"NAME,{name}")
    assert (teas.status, name in teas.out) == ((0, True) if is_both else (1, False))


def _rows(path: Path) -> list[Record]:
    """The rows of TEAHOUSE.TEAS."""
    with TrailFile(path) as trail:
        records = [record for record in trail.records() if not (record.is_file_header or record.is_metadata)]
        return [record for record in records if trail.name_of(record) == "TEAHOUSE.TEAS"]


def _plain(text: str) -> str:
    """A value of either file, a time without the sign before it and the zeros at its end."""
    return text.replace("T", " ").removesuffix(".000000").strip()


def test_names_of_files_keep_their_letters_and_differ() -> None:
    names = FileNames(".csv")
    tables = [
        "SHOP.KUNDEN_MÜNCHEN",
        "SHOP.kunden_münchen",
        "店.茶",
        "a/b",
        "a\\b",
        "x\x1b[2J",
        "..",
        "茶" * 200,
        "茶" * 199,
    ]
    made = [names.new(TableLayout(table, (), "utf-8")) for table in tables]
    assert made[0] == "SHOP.KUNDEN_MÜNCHEN.csv"
    assert made[2] == "店.茶.csv"
    assert len({name.casefold() for name in made}) == len(tables)
    assert all(name.isprintable() and "/" not in name and len(name.encode()) <= 255 for name in made)
