"""A workbook of Excel, read back by another package: what Excel would change is text, and nothing in it is run."""

from __future__ import annotations

import math
import re
import tempfile
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from logdump.features.export import workbook
from logdump.session.errors import CommandError
from tests.logdump.program import logdump
from tests.searching import Random

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")

_HOSTILE = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "{=A1}",
    "<r><t>x</t></r>",
    "<r></r>",
    "http://example.com/",
    "mailto:a@b",
    "internal:rows!A1",
    "file:///etc/passwd",
    " blanks ",
    "\ttab\n",
    "a\r\nb\rc",
    "\x00\x07\x1b[31m\x7f",
    "_x0041_",
    "_x005F_x0041_",
    "\ufffe\uffff",
    "",
    "TRUE",
    "#N/A",
    "'",
    "007",
    "1e5",
    "12345678901234567890",
    "<&>\"'",
    "玉露 🍵",
    "]]>",
)
_DAYS = (date(1, 1, 1), date(1899, 12, 31), date(1900, 1, 1), date(1900, 2, 28), date(1900, 3, 1), date(9999, 12, 31))


def _read(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each sheet, texts as Excel reads them."""
    book = openpyxl.load_workbook(path)
    return {
        sheet.title: [tuple(map(_unescaped, row)) for row in sheet.iter_rows(values_only=True)]
        for sheet in book.worksheets
    }


def _unescaped(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return re.sub(r"_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), value)


def _moments(drawn: Random) -> datetime:
    day = drawn.choice(_DAYS)
    moment = datetime(day.year, day.month, day.day) + timedelta(  # noqa: DTZ001 - Excel has no zones
        seconds=drawn.randrange(86_400), microseconds=drawn.choice((0, 1, 1000, 999_000, 999_999))
    )
    return moment.replace(tzinfo=UTC) if drawn.random() < 0.5 else moment


_DRAWN: tuple[Callable[[Random], Any], ...] = (
    lambda _: None,
    lambda drawn: drawn.random() < 0.5,
    lambda drawn: drawn.choice((-1, 1)) * drawn.randrange(10 ** drawn.randint(1, 22)),
    lambda drawn: drawn.choice((0.1, -0.0, math.inf, math.nan, 1e-320, 1e15, 2.5e100, 1 / 3, drawn.random())),
    lambda drawn: Decimal(drawn.randrange(10 ** drawn.randint(1, 22))).scaleb(-drawn.randint(0, 20)),
    lambda drawn: drawn.choice(_HOSTILE),
    lambda drawn: drawn.choice(_DAYS),
    _moments,
    lambda drawn: time(drawn.randrange(24), 59, 1, drawn.choice((0, 5_000, 5_001))),
    lambda drawn: drawn.randbytes(3),
    lambda drawn: [drawn.choice(_HOSTILE[:3])],
)


def _expected(value: Any) -> Any:  # noqa: PLR0911 - a case for each type
    """What a cell has: the value, or its text where Excel would change it. An oracle of its own, by hand."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return f'["{value[0]}"]'
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | Decimal):
        text = str(value) if isinstance(value, int) else f"{value:f}"
        digits = (text.rstrip("0") if "." in text else text).replace(".", "").lstrip("-0")
        return float(value) if len(digits) <= 15 else text
    if isinstance(value, float):
        return value if value in (0.1, 1e15, 2.5e100) else _kept(value)
    if isinstance(value, datetime):
        wall = value.replace(tzinfo=None)
        is_date = wall >= datetime(1900, 3, 1) and wall.microsecond % 1000 == 0  # noqa: DTZ001 - as above
        return wall if is_date else wall.isoformat(" ")
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day) if value >= date(1900, 3, 1) else value.isoformat()  # noqa: DTZ001
    return value if value.microsecond % 1000 == 0 else value.isoformat()


def _kept(value: float) -> Any:
    return value if f"{value:.15g}" == repr(value) and math.isfinite(value) else repr(value)


def test_what_is_read_back_is_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, most = Random(), 5
    monkeypatch.setattr(workbook, "MOST_ROWS", most + 1)
    kinds = drawn.choices(_DRAWN, k=6)
    rows = [[drawn.choice(_DRAWN)(drawn) if drawn.random() < 0.1 else make(drawn) for make in kinds] for _ in range(17)]
    rows += [[*_HOSTILE[begin : begin + 6]] for begin in range(0, len(_HOSTILE), 6)]
    heads = [drawn.choice(_HOSTILE) for _ in kinds]
    book = workbook.Workbook(tmp_path / "x.xlsx")
    sheet = workbook.SheetRows(book, "rows", heads)
    sheet.add(rows[:3])
    sheet.add(rows[3:])
    assert sum(book.close()) == len(rows) + len(sheet.sheets)
    read = _read(tmp_path / "x.xlsx")
    assert [*read] == [name for name, _ in sheet.sheets] == ["rows", *(f"rows ({n})" for n in range(2, len(read) + 1))]
    assert {part[0] for part in read.values()} == {tuple(heads)}
    assert [len(part) for part in read.values()][:-1] == [most + 1] * (len(read) - 1)
    cells = [row for part in read.values() for row in part[1:]]
    for row, values in zip(cells, rows, strict=True):
        wanted = [_expected(value) for value in values]
        wanted += [None] * (len(row) - len(wanted))
        assert [_same(value) for value in row] == [_same(value) for value in wanted]
    with zipfile.ZipFile(tmp_path / "x.xlsx") as parts:
        names, sheets = parts.namelist(), [parts.read(name) for name in parts.namelist() if "worksheets/" in name]
    assert not any(b"<f" in text or b"hyperlink" in text for text in sheets)
    assert not any("rels/sheet" in name for name in names)


def _same(value: Any) -> Any:
    """A value without what neither Excel nor its reader knows: of numbers int or float, of dates parts of a ms."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    return float(value) if isinstance(value, int) else value


@pytest.mark.parametrize(("sign", "width"), [("a", 1), ("玉", 1), ("🍵", 2)])
def test_a_text_is_cut_where_a_cell_ends_and_that_is_told(sign: str, width: int, tmp_path: Path) -> None:
    drawn = Random()
    fits = sign * (workbook.MOST_LETTERS // width)
    longer = drawn.randint(0, 2) or width - 1
    texts = [fits] + [fits + sign * (index + 1) for index in range(longer)]
    book = workbook.Workbook(tmp_path / "x.xlsx")
    workbook.SheetRows(book, "T", ["A", "B"]).add((1, text) for text in texts)
    book.close()
    assert [row[1] for row in _read(tmp_path / "x.xlsx")["T"][1:]] == [fits] * len(texts)
    told = [line for notice in book.notices() for line in notice.lines]
    assert book.cut == longer
    assert len(told) == (longer > 0)
    assert all("sheet T, row 3, column B" in line and "32,767" in line for line in told)


def test_sheets_have_names_that_excel_takes(tmp_path: Path) -> None:
    drawn = Random()
    pieces = ("SHOP", "[x]", "a:b", "*?", "/\\", "'", "é", "玉露🍵", "\x07", "history", " ", "LONG" * 9)
    names = ["".join(drawn.choices(pieces, k=drawn.randint(0, 3))) for _ in range(12)]
    names += [drawn.choice((name.upper(), name.lower(), name + "x" * 40)) for name in names] + ["HISTORY", "History"]
    book = workbook.Workbook(tmp_path / "x.xlsx")
    given = [workbook.SheetRows(book, name, ["A"]).sheets[0][0] for name in names]
    book.close()
    assert [*_read(tmp_path / "x.xlsx")] == given
    assert len({name.casefold() for name in given}) == len(names)
    for name in given:
        assert 0 < len(name.encode("utf-16-le")) <= 62
        assert not set(name) & set("[]:*?/\\")
        assert name.isprintable()
        assert name.strip("'") == name
        assert name.casefold() != "history"


def test_what_no_sheet_takes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_COLUMNS", 2)
    monkeypatch.setattr(workbook, "MOST_SHEETS", 3)
    book = workbook.Workbook(tmp_path / "x.xlsx")
    with pytest.raises(CommandError, match="3 columns, and a sheet 2"):
        workbook.SheetRows(book, "T", ["A", "B", "C"])
    for _ in range(3):
        workbook.SheetRows(book, "T", ["A", "B"])
    with pytest.raises(CommandError, match="3 sheets"):
        workbook.SheetRows(book, "T", ["A"])
    book.abandon()


@pytest.mark.parametrize("trail", ["et", "at", "ut000000000", "kt000000000"])
def test_a_workbook_has_the_rows_of_the_tables(trail: str, trails: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.xlsx"
    answer = logdump("export", str(trails / trail), "-o", str(target))
    by_table = logdump("export", str(trails / trail), "--by-table", "--format", "csv", "-o", str(tmp_path / "tables"))
    assert answer.status == by_table.status
    count = re.compile(r"^.*: (\d+) rows? of (.*)$", re.MULTILINE)
    assert count.findall(answer.err) == count.findall(by_table.err) != []
    named = [(name, int(rows)) for name, rows in re.findall(r"^(.*): (\d+) rows? of ", answer.err, re.MULTILINE)]
    assert [(name, len(rows) - 1) for name, rows in _read(target).items()] == named
    assert logdump("export", str(trails / trail), "-o", str(target)).status == 1
    assert logdump("export", str(trails / trail), "-o", str(target), "--replace").status == answer.status


def test_numbers_of_a_table_are_numbers(trails: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.xlsx"
    pytest.importorskip("duckdb")
    for words in (("export",), ("export", "--columns", "op,PRICE,after_PRICE,NAME,time")):
        assert (
            logdump(*words, str(trails / "et"), "--table", "TEAHOUSE.TEAS", "-o", str(target), "--replace").status == 0
        )
        (rows,) = _read(target).values()
        column = rows[0].index("after_PRICE")
        assert {type(row[column]) for row in rows[1:]} <= {int, float, type(None)}
        assert {type(row[rows[0].index("time")]) for row in rows[1:]} == {datetime}


def test_a_query_goes_to_a_workbook(tmp_path: Path, trails: Path) -> None:
    pytest.importorskip("duckdb")
    target = tmp_path / "x.xlsx"
    answer = logdump(
        "sql",
        "select '=1+1' as f, 12345678901234567 as n, repeat('a', 40000) as t, [1, 2] as l",
        str(trails / "et"),
        "-o",
        str(target),
    )
    assert (answer.status, "32,767" in answer.err) == (4, True)
    assert _read(target)["rows"] == [("f", "n", "t", "l"), ("=1+1", "12345678901234567", "a" * 32767, "[1,2]")]
    assert logdump("sql", "select op from records", str(trails / "et"), "-o", str(target)).status == 1


def test_nothing_is_left_of_a_workbook_that_is_given_up(
    trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(workbook, "MOST_SHEETS", 1)
    (tmp_path / "out").mkdir()
    assert logdump("export", str(trails / "et"), "-o", str(tmp_path / "out/x.xlsx")).status == 1
    assert [*(tmp_path / "out").iterdir(), *temporary.iterdir()] == []
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert logdump("export", str(trails / "et"), "-o", str(tmp_path / "out/x.xlsx")).status == 0
    assert [path.name for path in (*(tmp_path / "out").iterdir(), *temporary.iterdir())] == ["x.xlsx"]
