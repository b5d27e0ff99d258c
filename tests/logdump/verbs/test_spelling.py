"""Each option of a verb as words of commands, with and without it; and several trails, of which some have an answer."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from tests.logdump.program import logdump

UPDATES = "Update, UpdateComp, FieldComp, GGSPKUpdate, GGSKeyFieldComp32, GGSUnifiedUpdate, GGSUnifiedPKUpdate"
SHOWN = ("GHDR ON", "VALUES ON", "OPEN et000000000")
SPELLED = {
    "show et000000000 --table A.B --table C.* --table D.E": (
        *SHOWN,
        "FILTER FILENAME A.B, C.*, D.E",
        "FILTER EXCLUDE RECTYPE Metadata",
        "NEXT ALL",
    ),
    "show et000000000 --op update --limit 3": (*SHOWN, f"FILTER RECTYPE {UPDATES}", "NEXT 3"),
    "show et000000000 --table A.B --op delete": (
        *SHOWN,
        "FILTER FILENAME A.B",
        "FILTER EXCLUDE RECTYPE Metadata",
        "FILTER RECTYPE Delete",
        "FILTER MATCH ALL",
        "NEXT ALL",
    ),
    "show et000000000 --where 'A > 1' --where 'B > 2' --where 'C > 3'": (
        *SHOWN,
        "FILTER VALUE A > 1",
        "FILTER VALUE B > 2",
        "FILTER VALUE C > 3",
        "FILTER MATCH ALL",
        "NEXT ALL",
    ),
    "show et000000000 --rba 3987": (*SHOWN, "POSITION RBA 3987", "NEXT 1"),
    "show et000000000 --rba 3987 --limit 4": (*SHOWN, "POSITION RBA 3987", "NEXT 4"),
    "show et000000000 --hex": ("GHDR ON", "DETAIL DATA", "VALUES ON", "OPEN et000000000", "NEXT ALL"),
    "list et000000000 --from-csn 5 --to-csn 9 --columns A,B --limit 2": (
        "OPEN et000000000",
        "FILTER CSN >= 5",
        "FILTER CSN <= 9",
        "FILTER MATCH ALL",
        'LIST 2 COLUMNS "A,B"',
    ),
    "list et000000000 -F": ("OPEN et000000000", "LIST ALL", "FOLLOW LIST"),
    "list et000000000 at000000001 --op delete --where 'A > 1' --limit 2": (  # of two trails the filter is set once
        "OPEN @/at000000001",
        "ACROSS TO @/at000000001",
        "FILTER RECTYPE Delete",
        "FILTER VALUE A > 1",
        "FILTER MATCH ALL",
        "LIST 2",
        "OPEN @/et000000000",
        "ACROSS ON",
        "LIST 2",
    ),
    "tail 'at*'": ("GHDR ON", "VALUES ON", "OPEN @/at000000002", "POSITION EOF", "FOLLOW"),
    "tail 'at*' --list --idle 3": ("OPEN @/at000000002", "POSITION EOF", "FOLLOW LIST IDLE 3"),
    "tail 'at*' --since 2024-03-14T09:31Z --list": (
        "OPEN @/at000000000",
        "FILTER STARTTIME 2024-03-14T09:31Z",
        "FOLLOW LIST",
    ),
    "tail 'at*' --from-csn 7 --list": ("OPEN @/at000000000", "FILTER CSN >= 7", "FOLLOW LIST"),
    "tail 'at*' --table A.B --list": (
        "OPEN @/at000000002",
        "POSITION EOF",
        "FILTER FILENAME A.B",
        "FILTER EXCLUDE RECTYPE Metadata",
        "FOLLOW LIST",
    ),
    "find et000000000 Uji": (*SHOWN, "FIND Uji"),
    "find et000000000 Uji --limit 3": (*SHOWN, "FIND Uji", "FIND NEXT   -- up to 2 times"),
    "count 'at*'": ("COUNT LOG at*",),
    "count 'at*' --effective --detail": ("COUNT DETAIL LOG at* EFFECTIVE",),
    "count et000000000 --effective": ("COUNT et000000000 EFFECTIVE",),
    "tables 'at*'": ("COUNT DETAIL LOG at*",),
    "tables 'at*' --effective": ("COUNT DETAIL LOG at* EFFECTIVE",),
    "export et000000000 --format sql --limit 2": ("OPEN et000000000", "EXPORT SQL TO - 2 TRANSACTIONS"),
    "export et000000000 -o x.sql --limit 2": ("OPEN et000000000", "EXPORT SQL TO x.sql 2 TRANSACTIONS"),
    "export et000000000 --format csv --limit 2 --effective": (
        "OPEN et000000000",
        "EXPORT CSV TO - 2 RECORDS EFFECTIVE",
    ),
    "export et000000000 -o OUT.CSV.GZ": ("OPEN et000000000", "EXPORT CSV TO OUT.CSV.GZ COMPRESSION GZIP"),
    "export et000000000 -o x.Jsonl --replace": ("OPEN et000000000", "EXPORT JSONL TO x.Jsonl REPLACE"),
    "redo et000000000 --limit 2": ("OPEN et000000000", "EXPORT SQL TO - 2 TRANSACTIONS"),
    "undo et000000000 --limit 2": ("OPEN et000000000", "EXPORT SQL TO - UNDO 2 TRANSACTIONS"),
    "diff et000000000 'at*'": ("DIFF et000000000 at*",),
    "diff et000000000 'at*' --op insert --limit 2": (
        "OPEN @/at000000000",
        "FILTER RECTYPE Insert",
        "DIFF et000000000 at* LIMIT 2 FILTERED",
    ),
    "row et000000000 T K=1": ("OPEN et000000000", "ROW T K=1"),
    "row et000000000 T K=1 --undo": ("OPEN et000000000", "ROW UNDO T K=1"),
    "row et000000000 T K=1 --undo --last 2": ("OPEN et000000000", "ROW UNDO LAST 2 T K=1"),
    "sql 'select 1' et000000000": ("SQL OVER et000000000 select 1",),
    "sql 'select 1' et000000000 --effective": ("SQL OVER et000000000 EFFECTIVE select 1",),
    "check et000000000 --values": ("CHECK VALUES et000000000",),
    "transactions 'at*' --limit 4": ("TRANSACTIONS OVER at* 4",),
    "recovery 'at*' --op insert": ("OPEN @/at000000000", "FILTER RECTYPE Insert", "RECOVERY OVER at* FILTERED"),
    "ddl 'at*' --params one.prm --params two.prm --params three.prm": (
        "PARAMS one.prm",
        "PARAMS two.prm",
        "PARAMS three.prm",
        "DDL OVER at*",
    ),
    "export et000000000 --table A.B --columns op --rba 3,987 --limit 4": (
        "SQL OVER et000000000 SELECT op FROM A.B WHERE rba >= 3987 LIMIT 4 FORMAT JSONL",
    ),
    "check et000000000 --format jsonl -o out.json": ("FORMAT JSONL", "CHECK et000000000"),
    "export et000000000 --format csv -o out.txt": ("OPEN et000000000", "EXPORT CSV TO out.txt"),
    "export et000000000 --format sql -o out.txt.gz": ("OPEN et000000000", "EXPORT SQL TO out.txt.gz COMPRESSION GZIP"),
    "info at000000000 at000000001 et000000000": (  # part of a trail, and another trail
        'RECOVERY OVER "@/at000000000,@/at000000001" FILES',
        "RECOVERY OVER @/et000000000 FILES",
    ),
    "info at000000000 at000000001 at000000002 et000000000": (
        "RECOVERY OVER @/at FILES",
        "RECOVERY OVER @/et000000000 FILES",
    ),
    "info 'at*'": ("RECOVERY OVER at* FILES",),
    "report et000000000 --rba 3987 -o x.md --replace": ("REPORT OVER et000000000 AT 3987 TO x.md REPLACE",),
    "repair et000000000 -o y000000 --dry --replace": ("REPAIR OVER et000000000 TO y000000 REPLACE DRY",),
}
"""Lines of the shell, and the commands that they mean; ``@`` is the folder."""


@pytest.mark.parametrize("line", SPELLED)
def test_options_are_words_of_commands(line: str, trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trails)
    lines = logdump(*shlex.split(line), "--explain").out.splitlines()
    assert lines == [text.replace("@", str(trails)) for text in SPELLED[line]]


@pytest.fixture
def several(trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three trails, of which the second alone has a row with the key ASS09, and two files of one trail."""
    data = (trails / "et000000000").read_bytes()
    for name, key in (("aa", b"ASS08"), ("bb", b"ASS09"), ("cc", b"ASS07")):
        (tmp_path / f"{name}000000000").write_bytes(data.replace(b"ASS09", key))
    for name in ("st000000000", "st000000001"):
        shutil.copy(trails / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("names", "status"),
    [(("aa", "bb", "cc"), 0), (("aa", "cc", "bb"), 0), (("bb", "aa", "cc"), 0), (("aa", "cc"), 1), (("bb",), 0)],
)
@pytest.mark.usefixtures("several")
def test_a_row_is_sought_in_every_trail_and_missing_only_if_none_has_it(names: tuple[str, ...], status: int) -> None:
    files = [f"{name}000000000" for name in names]
    answer = logdump("row", *files, "TEAHOUSE.TEAS", "TEA_CODE=ASS09")
    assert (answer.status, "ASS09" in answer.out) == (status, status == 0)


@pytest.mark.parametrize(("names", "is_written"), [(("aa", "cc"), False), (("aa", "bb"), True), (("bb", "cc"), True)])
def test_an_answer_is_written_where_any_trail_has_one(
    names: tuple[str, ...], several: Path, *, is_written: bool
) -> None:
    files = [f"{name}000000000" for name in names]
    logdump("row", *files, "TEAHOUSE.TEAS", "TEA_CODE=ASS09", "-o", "page.txt")
    assert (several / "page.txt").exists() is is_written


@pytest.mark.parametrize("target", ["aa000000000", "bb000000000", "st000000000", "st000000001"])
def test_an_answer_is_written_over_none_of_the_files_that_are_read(target: str, several: Path) -> None:
    before = (several / target).read_bytes()
    answer = logdump("list", "aa000000000", "bb000000000", "st", "-o", target, "--replace")
    assert (answer.status, "nothing is written over it" in answer.err) == (2, True)
    assert (several / target).read_bytes() == before


def test_of_each_trail_as_many_are_found_as_are_wanted_and_there(trails: Path) -> None:
    """The first has fewer than the limit."""
    few, many = (str(trails / name) for name in ("at000000000", "et000000000"))
    answer, other = (logdump("find", name, "GYO01", "--limit", "4").out for name in (few, many))
    assert 0 < answer.count(" Len ") < other.count(" Len ") == 4
    assert logdump("find", few, many, "GYO01", "--limit", "4").out == answer + other


def test_a_column_of_a_delete_is_that_before_it(trails: Path) -> None:
    words = ("--table", "TEAHOUSE.SALES", "--columns", "op,SALE_ID,before_SALE_ID,after_SALE_ID")
    rows = [json.loads(line) for line in logdump("export", str(trails / "et000000000"), *words).out.splitlines()]
    assert {"INSERT", "DELETE"} <= {row["op"] for row in rows}
    for row in (row for row in rows if row["op"] != "TRUNCATE"):
        side = "before_SALE_ID" if row["op"] == "DELETE" else "after_SALE_ID"
        assert row["SALE_ID"] == row[side] is not None
