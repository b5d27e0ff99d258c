"""SQL in this process: what a statement answers, what it may not reach, what it says where it fails."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from logdump.display import text
from logdump.features.sql import command, local_query
from logdump.features.sql.model import RowsShown
from logdump.features.sql.trail_table import Ahead, TrailTable
from logdump.session.errors import ExitStatus, MissingFileError
from logdump.session.events import Notice, Text
from logdump.session.settings import Settings
from logdump.tables.errors import BadOption, BadTrail, FileChanged, NoTrailFiles, SplitMismatch
from tests.logdump.sql.told import Asked
from tests.searching import IS_LONG, in_turn
from tests.trailformat.samples import header, metadata_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Images, TableDefinition, encode_value, make_column, make_record
from trailformat.definitions.metadata import build_table

SHOP = TRAILS / "et000000000"


def test_a_question_over_the_fixture(asked: Asked) -> None:
    found = asked.rows("select op, count(*) n from records group by op order by n desc, op limit 3")
    assert found == [("Insert", 7), ("FieldComp", 3), ("GGSUnifiedUpdate", 3)]


def test_a_name_of_with_may_be_that_of_the_view_that_its_query_reads(asked: Asked) -> None:
    rows = "records as (select * from records where op = 'Insert')"
    assert asked.rows(f"with {rows} select count(*), min(op) from records") == [(7, "Insert")]
    teas = "\"TEAHOUSE.TEAS\" as (select * from teahouse.teas where op = 'INSERT')"
    assert asked.rows(f'with {rows}, {teas} select min(b.op) from records a join "TEAHOUSE.TEAS" b using (rba)') == [
        ("INSERT",)
    ]


@pytest.mark.parametrize("name", ['"TEAHOUSE.TEAS"', "TEAHOUSE.TEAS", "teahouse.teas", '"teahouse.teas"'])
def test_a_table_has_a_view_by_its_name(name: str, asked: Asked) -> None:
    assert asked.rows(f"select distinct op from {name} where after_NAME = 'Gyokuro 玉露'") == [("INSERT",)]


@pytest.mark.parametrize(
    "statement",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/passwd')",
        "select * from glob('/etc/*')",
        "select * from '/etc/passwd'",
        "select * from read_parquet('https://localhost/x.parquet')",
    ],
)
def test_a_statement_reads_no_file(statement: str, asked: Asked) -> None:
    refusal = asked.refusal(statement)
    assert "root:" not in refusal
    assert "disabled by configuration" in refusal or "does not exist" in refusal or "no table" in refusal


@pytest.mark.parametrize(
    "statement",
    [
        "create table t (a int)",
        "drop view records",
        "insert into records values (1)",
        "copy records to 'x.csv'",
        "attach 'x.db'",
        "install httpfs",
        "load httpfs",
        "set threads = 1",
        "pragma version",
        "call duckdb_settings()",
        'select 1"; "select 2',
        "export database 'x'",
        "",
    ],
)
def test_nothing_but_one_query_is_run(
    statement: str, asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked(f"sql {statement}")
    assert not [event for event in asked.events if isinstance(event, RowsShown)]
    assert asked.failures
    assert not [*tmp_path.iterdir()]


def test_the_configuration_is_locked() -> None:
    query = local_query.LocalQuery({}, {})
    settings = "enable_external_access", "lock_configuration", "python_enable_replacements"
    [_, batch] = query.batches(f"select name, value from duckdb_settings() where name in {settings} order by 1", None)
    assert batch.to_pydict()["value"] == ["false", "true", "false"]


def test_memory_is_what_duckdb_may_hold(asked: Asked) -> None:
    setting = "select value from duckdb_settings() where name = 'memory_limit'"
    assert [asked.rows(setting), asked.rows(f"memory 1,000 {setting}")] == [[("1.8 GiB",)], [("953.6 MiB",)]]
    assert asked.rows("memory 50 select count(distinct a.rba + b.rba * 6000) from records a, records b") == [(484,)]
    assert "Out of Memory" in asked.refusal("memory 50 select max(l) from (select list(i) l from range(20000000) t(i))")


def test_a_variable_of_ours_is_no_table(asked: Asked) -> None:
    assert "no table asked" in asked.refusal("select * from asked")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("selec 1", 'syntax error at or near "selec"'),
        ("select table, op from records", 'the column is written "table", in double quotes'),
        ("select csn, end from transactions", 'the column is written "end", in double quotes'),
        ("select opp from records", 'column "opp" not found'),
        ("select * from recods", "there is a view records"),
        ("select * from teahouse.tees", "did you mean TEAHOUSE.TEAS?"),
        ("select * from a.b.c", 'A name of three parts goes into double quotes: "a.b.c".'),
        ("select * from trail(1)", "trail(…) takes a path"),
        ("select " + "(" * 3000 + "1" + ")" * 3000, ""),
    ],
)
def test_what_is_wrong_is_said(statement: str, words: str, asked: Asked) -> None:
    assert words.lower() in asked.refusal(statement).lower()


@pytest.mark.parametrize(
    "statement",
    [
        "select op, WRONG from records",
        "select WRONG",
        "with w as (select 1 as a)\nselect a,\n  WRONG from w",
        f"select a.op, WRONG from trail('{TRAILS}/st*') a join records b using (rba)",
        f"select op from trail('{TRAILS}/st*', 'teahouse.teas') a where WRONG = 1",
        "select 1," + "\n" * 8 + "WRONG",
        "select op from records, WRONG",
        "select 'é', 1 from records\nwhere rba in (select rba\nfrom  WRONG a join WRONG b using (rba))",
        "explain select " + ", ".join(["op"] * 50) + " from WRONG where " + " and ".join(["rba > 1"] * 20),
    ],
)
def test_an_error_shows_its_place_in_the_statement(statement: str, asked: Asked) -> None:
    lines = asked.refusal(statement).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("LINE "))
    assert lines[at].index("WRONG") == lines[at + 1].index("^")
    number, _, text = lines[at].removeprefix("LINE ").partition(": ")
    assert text.removeprefix("...").removesuffix("...") in statement.splitlines()[int(number) - 1]


def test_a_table_that_another_trail_lacks_is_shown_where_it_is_named(asked: Asked) -> None:
    statement = f"select 1\nfrom records, trail('{TRAILS}/st*', 'WRONG')"
    *_, line, mark = asked.refusal(statement).splitlines()
    assert line[mark.index("^") :].startswith("trail(")


def test_two_trails_under_the_names_of_their_views(asked: Asked) -> None:
    trails = f"trail('{TRAILS}/st*') as a, trail('{TRAILS}/at*') as b, trail('{TRAILS}/at*', 'restarts')"
    [row] = asked.rows(
        f"select count(distinct a.file), count(distinct b.file), count(distinct restarts.file) from {trails}"
    )
    assert row == (2, 3, 3)
    assert asked.rows(f"select count(records.rba) from trail('{TRAILS}/st*')") == [(26,)]


def test_filter_and_effective_apply_to_other_trails_too() -> None:
    asked = Asked("filter include iotype insert")
    at = f"trail('{TRAILS}/at*')"
    assert asked.rows(f"select distinct op from {at}") == [("Insert",)]
    everything, applied = (asked.rows(f"{word} select count(*) from {at}") for word in ("", "effective"))
    assert applied < everything
    here = asked.rows(f"over {TRAILS}/at* effective select count(*) from {at} a join records b using (file, rba)")
    assert here == applied


def test_a_statement_of_a_megabyte(asked: Asked) -> None:
    assert asked.rows(f"select '{'x' * 1_000_000}' = 'x' as a") == [(False,)]


def test_another_trail_is_joined(asked: Asked) -> None:
    trail = f"trail('{TRAILS}/st*')"
    assert asked.rows(f"select count(*) from {trail}") == [(26,)]
    assert asked.rows(f"select count(distinct a.file), count(distinct b.file) from {trail} a, records b") == [(2, 1)]
    teas = f"trail('{TRAILS}/st*', 'teahouse.teas')"
    [(number,)] = asked.rows(f"select count(*) from {teas}")
    assert number == asked.rows(f"over {TRAILS}/st* select count(*) from teahouse.teas")[0][0] == 10


def test_across_and_over_take_the_files_of_a_trail() -> None:
    asked = Asked(f"open {TRAILS / 'st000000000'}")
    alone = asked.rows("select count(*) from records")
    asked("across on")
    together = asked.rows("select count(*) from records")
    assert (alone, together) == ([(19,)], [(26,)])
    assert (
        asked.rows(f"over {TRAILS / 'st000000000'},{TRAILS / 'st000000001'} select count(*) from records") == together
    )


def test_the_filter_of_the_session_applies(asked: Asked) -> None:
    asked("filter include iotype insert")
    assert asked.rows("select distinct op from records") == [("Insert",)]
    assert asked.rows("select distinct op from teahouse.teas") == [("INSERT",)]
    assert Notice(("The FILTER applies to the views.",), ExitStatus.OK) in asked.events


def test_effective_leaves_out_what_a_replicat_does_not_apply() -> None:
    asked = Asked()
    asked(f"open {TRAILS / 'at000000000'}; across on")
    [(everything,)] = asked.rows("select count(*) from records")
    [(applied,)] = asked.rows("effective select count(*) from records")
    assert applied < everything
    assert asked.rows("effective select count(*) from restarts") == asked.rows("select count(*) from restarts")


def test_damage_ends_a_statement_and_can_be_shown_or_stepped_over() -> None:
    damaged = TRAILS / "ft000000000"
    asked = Asked(f"open {damaged}")
    assert f"Error: {damaged}, seqno 0, RBA 3522: " in asked.refusal("select count(*) from records")
    assert asked.failures[0].status is ExitStatus.BAD_DATA
    shown = asked.rows("mode permissive select rba from records where _corrupt_record is not null")
    assert shown == [(3522,)]
    assert asked.rows("mode dropmalformed select count(*) from records where rba = 3522") == [(0,)]


def test_a_file_that_goes_away_meanwhile_ends_a_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "et000000000"
    shutil.copy(SHOP, path)
    asked = Asked(f"open {path}")
    define = local_query.LocalQuery._narrow

    def cut(self: local_query.LocalQuery, *arguments: object) -> None:
        define(self, *arguments)  # type: ignore[arg-type]
        path.unlink()

    monkeypatch.setattr(local_query.LocalQuery, "_narrow", cut)
    asked.refusal("select count(*) from records")
    assert asked.failures[0].status is ExitStatus.BAD_DATA


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadTrail("no trail"), ExitStatus.BAD_DATA),
        (FileChanged("shorter"), ExitStatus.BAD_DATA),
        (SplitMismatch("elsewhere"), ExitStatus.BAD_DATA),
        (NoTrailFiles("nothing"), MissingFileError.status),
        (BadOption("wrong"), ExitStatus.COMMAND_FAILED),
    ],
)
def test_the_status_tells_a_wrong_statement_from_a_trail_that_cannot_be_read(
    error: Exception, status: ExitStatus, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: TrailTable, *_: object) -> Iterator[object]:  # noqa: ARG001 - it stands for a method
        raise error
        yield

    monkeypatch.setattr(TrailTable, "narrowed", fail)
    asked("sql select count(*) from records")
    assert [failure.status for failure in asked.failures] == [status]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_result_goes_into_a_file(ending: str, asked: Asked, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{ending}"
    asked(f"sql select rba, op, gg_tokens from records where rba < 2000 to {path}")
    assert not asked.failures
    assert f"Wrote 4 rows to {path}" in str(asked.events)
    if ending == "parquet":
        assert pq.read_table(path).column("rba").to_pylist() == [0, 1130, 1261, 1811]
    elif ending == "csv":
        assert path.read_bytes().split(b"\r\n")[:2] == [b'"rba","op","gg_tokens"', b'0,"FileHeader",']
    else:
        assert [json.loads(line)["rba"] for line in path.read_text().splitlines()] == [0, 1130, 1261, 1811]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_format_prints_the_lines_that_a_file_has(ending: str, asked: Asked, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{ending}"
    statement = "select rba, op, gg_tokens, time, csn as 'a\"b' from records"
    asked(f"sql {statement} to {path}")
    asked(f"sql {statement} format {ending}")
    lines = [line for event in asked.events if isinstance(event, Text) for line in event.lines]
    assert lines == path.read_text().splitlines()
    assert len(lines) == 22 + (ending == "csv")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_format_prints_every_row_of_a_result_a_line_each(ending: str) -> None:
    answered = Asked()(f"sql select 'a' || chr(10) || chr(27) as one from range(2500) format {ending}")
    shown = [line for event in answered for line in text.render(event, Settings())]
    assert len(shown) == 2500 + (ending == "csv")
    assert all(line.isprintable() for line in shown)


def test_a_file_is_whole_or_not_there_and_replaced_where_that_is_said(asked: Asked, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    asked(f"sql over {TRAILS / 'ft000000000'} select rba from records to {path}")
    assert asked.failures
    assert not [*tmp_path.iterdir()]
    path.write_text("mine")
    assert asked.refusal(f"select 1 to {path}") == f"{path} exists already; SQL … TO rows.csv REPLACE replaces it."
    asked(f"sql select 1 as one to {path} replace")
    assert path.read_bytes() == b'"one"\r\n1\r\n'


def test_what_is_interrupted_ends_without_a_result() -> None:
    query, ended = local_query.LocalQuery({"path": str(SHOP)}, {}), threading.Event()

    def interrupt() -> None:
        while not ended.wait(0.1):
            query.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt), local_query.as_ours():
            list(query.batches("select count(*) from range(100000000000) a", None))
    finally:
        ended.set()
        thread.join()


def test_an_interruption_before_an_operation_begins_is_not_lost() -> None:
    interrupted, begun = threading.Event(), threading.Event()

    def operations() -> Iterator[int]:
        begun.wait()  # as while the database is opened
        interrupted.clear()
        yield int(interrupted.wait(30))

    work, asked = Ahead(operations()), list[bool]()

    def interrupt() -> None:
        asked.append(begun.is_set())
        interrupted.set()
        begun.set()

    work.stop(interrupt)
    assert asked[:2] == [False, True]
    assert interrupted.is_set()


def test_ctrl_c_while_rows_are_made_ends_the_threads(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    items = Ahead.items

    def interrupted(self: Ahead[object], every: float | None = None) -> Iterator[object]:
        for number, item in enumerate(items(self, every)):
            yield item
            if number and every is not None:
                raise KeyboardInterrupt

    monkeypatch.setattr(Ahead, "items", interrupted)
    with pytest.raises(KeyboardInterrupt):
        asked("format jsonl; sql select a.rba from records a, records b, records c")
    assert not [thread for thread in threading.enumerate() if thread.name == "logdump batches"]


@pytest.mark.parametrize("view", ["information_schema.tables", "duckdb_tables()"])
def test_what_duckdb_tells_of_itself_is_there(view: str, asked: Asked) -> None:
    asked(f"sql select count(*) from {view}")
    assert not asked.failures


def test_describe_and_explain(asked: Asked) -> None:
    described = asked.rows("describe records")
    assert described[0][:2] == ("file", "VARCHAR")
    assert any("PYTHON_ARROW_SCAN" in row[0] for row in asked.rows("explain select op from records"))


def test_without_the_extra_it_says_what_to_install(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "duckdb" else name)
    assert asked.refusal("select 1") == "SQL is an extra: pip install 'logdump[sql]' (duckdb not installed)."


def test_statements_without_views_need_no_trail() -> None:
    assert Asked().rows("select 1 as one, 'a\";\"b' as two") == [(1, 'a";"b')]
    assert Asked().refusal("select * from records") == "No LogTrail is open. OPEN <filename> opens one."


@pytest.mark.parametrize(
    ("what", "replace"),
    in_turn(["the open trail", "its second name", "the log", "a link", "a pipe", "a folder"], ["", " replace"]),
)
def test_a_result_goes_onto_a_regular_file_that_is_not_in_use_or_nothing(
    what: str, replace: str, tmp_path: Path
) -> None:
    trail, target = tmp_path / "trail.csv", tmp_path / "target.csv"
    shutil.copy(SHOP, trail)
    asked = Asked(f"open {trail}")
    if what == "the open trail":
        target = trail
    elif what == "its second name":
        target.hardlink_to(trail)
    elif what == "the log":
        asked(f"log to {target}")
    elif what == "a link":
        target.symlink_to(tmp_path / "elsewhere")
    elif what == "a pipe":
        os.mkfifo(target)
    else:
        target.mkdir()
    there = sorted((path.name, path.lstat().st_ino) for path in tmp_path.iterdir())
    asked(f"sql select 1 as one to {target}{replace}")
    assert asked.failures
    assert sorted((path.name, path.lstat().st_ino) for path in tmp_path.iterdir()) == there
    assert trail.read_bytes() == SHOP.read_bytes()
    asked.session.end()


def test_conditions_on_an_analysis_leave_it_the_whole_trail() -> None:
    asked = Asked(f"open {TRAILS / 'at000000002'}")
    [(rba, time)] = asked.rows("select rba, time from restarts where time >= '2024-03-14 00:00:00Z'")
    assert asked.rows(f"select rba, time from restarts where rba = {rba}") == [(rba, time)]
    asked.session.end()


TDR = 1261, 1811
"""The RBAs of the definition of TEAHOUSE.TEAS in the shop's trail, and of the record after it."""


def with_definitions(path: Path, definitions: bytes) -> Path:
    """The shop's trail with other definitions of its first table, before it."""
    data = SHOP.read_bytes()
    path.write_bytes(data[: TDR[0]] + definitions + data[TDR[0] :])
    return path


def test_very_many_tables(tmp_path: Path) -> None:
    definition = SHOP.read_bytes()[slice(*TDR)]
    number = 5000 if IS_LONG else 500
    many = b"".join(definition.replace(b"TEAHOUSE.TEAS", b"TEAHOUSE.%04x" % at) for at in range(number))
    asked = Asked(f"open {with_definitions(tmp_path / 'mt000000000', many)}")
    assert asked.rows("select count(distinct r.table) from records r") == [(number + 2,)]
    assert asked.rows("select count(*) from teahouse.teas") == [(11,)]
    assert asked.rows('select * from "TEAHOUSE.00ff"') == []
    assert "did you mean TEAHOUSE." in asked.refusal("select * from teahouse.tees")
    assert len(asked.refusal("select * from elsewhere.leaves")) < 2000


def test_names_with_quotes_dots_and_semicolons(tmp_path: Path) -> None:
    name = """A"B.C'D.E;F--G"""
    path = tmp_path / "qt000000000"
    path.write_bytes(SHOP.read_bytes().replace(b"TEAHOUSE.SALES", name.encode()))
    asked = Asked(f"open {path}")
    quoted = name.replace('"', '""')
    assert asked.rows(f'select count(*) from "{quoted}"') == [(7,)]
    in_text = name.replace("'", "''")
    assert asked.rows(f"select count(*) from trail('{path}', '{in_text}')") == [(7,)]
    assert asked.rows(f"""select count(*) from records r where "table" = '{in_text}' and op = 'Insert'""") == [(3,)]


def test_a_column_that_two_definitions_type_differently(tmp_path: Path) -> None:
    columns = [KINDS[kind].definition._replace(name="LEAF") for kind in ("INT32", "VARCHAR")]
    records = []
    values: tuple[int | str, ...] = (7, "Sencha")
    for value, column in zip(values, columns, strict=True):
        table = build_table(TableDefinition(1, 0, (column,)), ByteOrder.BIG)
        stored = make_column(0, encode_value(value, column, ByteOrder.BIG))
        records += [metadata_record(2, 1, "TEA.LEAVES", table), make_record(header(1), Images(None, (stored,)))]
    path = trail_of(tmp_path, SHOP.read_bytes()[:1130], *records)
    asked = Asked(f"open {path}")
    found = asked.rows("select after_LEAF, problems from tea.leaves order by rba")
    assert [str(value) for value, _ in found] == ["7", "Sencha"]


@pytest.mark.parametrize("what", ["grows", "is replaced"])
def test_a_trail_that_changes_after_it_was_planned(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has grown is read as it is when the scan begins; another file of its name is not read."""
    path = tmp_path / "et000000000"
    shutil.copy(SHOP, path)
    asked = Asked(f"open {path}")
    narrow = local_query.LocalQuery._narrow

    def change(self: local_query.LocalQuery, *arguments: object) -> None:
        narrow(self, *arguments)  # type: ignore[arg-type]
        if what == "grows":
            with path.open("ab") as file:
                file.write(SHOP.read_bytes()[1811:2722])
        else:
            (tmp_path / "other").write_bytes(SHOP.read_bytes()[:1811])
            (tmp_path / "other").replace(path)

    monkeypatch.setattr(local_query.LocalQuery, "_narrow", change)
    if what == "grows":
        assert asked.rows("select count(*) from records") == [(22 + 3,)]
    else:
        assert "the file was replaced by another one while it was read" in asked.refusal("select count(*) from records")
