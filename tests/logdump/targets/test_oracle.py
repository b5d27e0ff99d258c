"""The statements for Oracle, as text: no server of it runs here."""

from __future__ import annotations

import datetime as dt
from typing import Any, Self

import pyarrow as pa
import pytest

from logdump.targets.database import DatabaseTarget
from logdump.targets.dialects import OracleDialect, dialect_for
from logdump.targets.load import LoadRequest
from logdump.targets.net_effect import Changes
from logdump.targets.target import AppliedPosition, SourceTable
from logdump.targets.writing import Writing

TEAS = SourceTable("TEAHOUSE.TEAS", None, {"CODE": pa.string(), "NAME": pa.string(), "KG": pa.int64()}, ("CODE",))


class _Server:
    """A connection and its cursors: statements are noted; each finds the row that it changes."""

    rowcount = 1

    def __init__(self) -> None:
        self.statements: list[str] = []

    def cursor(self) -> _Server:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def execute(self, statement: str, _values: Any = ()) -> None:
        self.statements.append(statement)

    def executemany(self, statement: str, values: list[Any]) -> None:
        self.statements.append(f"{statement} [{len(values)}]")

    def fetchall(self) -> list[Any]:
        return []

    def fetchone(self) -> tuple[int]:
        return (41882317,)

    def callfunc(self, *_: object) -> int:
        return 0

    def commit(self) -> None:
        self.statements.append("COMMIT")


def _changes() -> Changes:
    """An update of a row, a move of one whose name the trail does not have, a delete, an insert."""
    steps: list[tuple[str, str, str, str | None, int | None, list[str] | None]] = [
        ("update", "0001.0", "A", None, 5, ["NAME"]),
        ("delete", "0002.0", "B", None, None, ["NAME", "KG"]),
        ("insert", "0002.1", "C", None, 7, ["NAME"]),
        ("delete", "0003.0", "D", None, None, ["NAME", "KG"]),
        ("insert", "0004.0", "E", "Earl Grey", 9, None),
    ]
    names = ("_op", "_sequence", "CODE", "NAME", "KG", "_absent", "_csn", "_xid", "_time")
    texts = pa.string(), pa.string(), pa.string(), pa.string()
    types = (*texts, pa.int64(), pa.list_(pa.string()), pa.string(), pa.string(), pa.timestamp("us", "UTC"))
    about = "41882317", "1.2.3", dt.datetime(2024, 3, 14, tzinfo=dt.UTC)
    changes = Changes([*TEAS.columns], TEAS.keys)
    changes.add(
        pa.Table.from_pylist(
            [dict(zip(names, (*step, *about), strict=True)) for step in steps],
            pa.schema([*zip(names, types, strict=True)]),
        )
    )
    return changes


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return _statements(monkeypatch, Writing())


@pytest.fixture
def of_history(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that write a history."""
    return _statements(monkeypatch, Writing("history"))


def _statements(monkeypatch: pytest.MonkeyPatch, writing: Writing) -> list[str]:
    server = _Server()
    monkeypatch.setattr(OracleDialect, "connect", lambda _: server)
    dialect = dialect_for("oracle://tea:secret@db:1521/shop")
    assert isinstance(dialect, OracleDialect)
    target = DatabaseTarget(dialect)
    target.open({TEAS.name: ""})
    target.prepare([TEAS._replace(writing=writing)], create=True)
    target.apply(TEAS.name, _changes(), overwrite=False)
    target.commit(
        {TEAS.name: AppliedPosition("0005.0", "0005.0", "41882317", dt.datetime(2024, 3, 14, tzinfo=dt.UTC), 4)}
    )
    return server.statements


def _only_statement(statements: list[str], beginning: str) -> str:
    found = [statement for statement in statements if statement.startswith(beginning)]
    assert len(found) == 1, (beginning, statements)
    return found[0]


def test_a_new_table_has_names_in_capitals(statements: list[str]) -> None:
    assert _only_statement(statements, 'CREATE TABLE "TEAS"') == (
        'CREATE TABLE "TEAS" ("CODE" VARCHAR2(1000), "NAME" CLOB, "KG" NUMBER(19), PRIMARY KEY ("CODE"))'
    )


def test_the_stage_outlives_a_commit(statements: list[str]) -> None:
    stage = _only_statement(statements, "CREATE PRIVATE TEMPORARY TABLE")
    assert stage.startswith(
        "CREATE PRIVATE TEMPORARY TABLE ora$ptt_logdump_stage_0 ON COMMIT PRESERVE DEFINITION AS SELECT "
    )
    assert stage.endswith('FROM dual d LEFT JOIN "TEAS" t ON 1 = 0 WHERE 1 = 0')


def test_an_update_sets_no_column_of_its_condition(statements: list[str]) -> None:
    merge = _only_statement(statements, 'MERGE INTO "TEAS" t')
    condition, sets = merge.split(" WHEN MATCHED THEN UPDATE SET ")
    assert condition.endswith("ON (t.\"CODE\" = s.o1 AND s.kind = 'u')")
    assert sets == 't."KG" = s.c3'


def test_a_row_that_moves_keeps_what_the_trail_does_not_have(statements: list[str]) -> None:
    merge = _only_statement(statements, "MERGE INTO ora$ptt_logdump_stage_0 s")
    assert "ON (t.\"CODE\" = s.o1 AND s.kind = 'm')" in merge
    assert "s.c2 = CASE WHEN SUBSTR(s.a, 2, 1) = '0' THEN s.c2 ELSE t.\"NAME\" END" in merge


def test_rows_that_go_are_deleted_before_others_are_inserted(statements: list[str]) -> None:
    gone = _only_statement(statements, 'DELETE FROM "TEAS"')
    inserted = _only_statement(statements, 'INSERT INTO "TEAS"')
    assert gone.endswith(
        "WHERE EXISTS (SELECT 1 FROM ora$ptt_logdump_stage_0 s WHERE t.\"CODE\" = s.o1 AND s.kind = 'd')"
    )
    assert inserted.endswith("FROM ora$ptt_logdump_stage_0 s WHERE s.kind IN ('i', 'm')")
    assert statements.index(gone) < statements.index(inserted)


def test_the_position_is_committed_with_the_rows(statements: list[str]) -> None:
    assert statements[-1] == "COMMIT"
    written = next(
        at for at, statement in enumerate(statements) if statement.startswith("UPDATE logdump_position SET place = :1,")
    )
    rows = statements.index(_only_statement(statements, 'INSERT INTO "TEAS"'))
    assert rows < written
    assert "COMMIT" not in statements[rows:-1]


def test_a_version_ends_by_an_update_whose_condition_has_the_column_that_it_sets(of_history: list[str]) -> None:
    gone = 'FROM ora$ptt_logdump_stage_0 s WHERE t."CODE" = s.o1 AND s.kind = \'d\' AND t."_VALID_TO" IS NULL'
    ended = _only_statement(of_history, 'UPDATE "TEAS" t')
    assert ended == (
        'UPDATE "TEAS" t SET (t."_VALID_TO_CSN", t."_VALID_TO") = '
        f"(SELECT s.c7, s.c8 {gone}) WHERE EXISTS (SELECT 1 {gone})"
    )
    filled = _only_statement(of_history, "MERGE INTO ora$ptt_logdump_stage_0 s")
    assert 'ON (t."CODE" = s.o1 AND s.kind <> \'d\' AND t."_VALID_TO" IS NULL)' in filled
    assert of_history.index(filled) < of_history.index(ended)
    assert of_history.index(ended) < of_history.index(_only_statement(of_history, 'INSERT INTO "TEAS"'))


def test_a_history_has_an_index_and_times_with_a_zone(of_history: list[str]) -> None:
    created = _only_statement(of_history, 'CREATE TABLE "TEAS"')
    assert created.endswith('"_VALID_TO_CSN" VARCHAR2(255), "_VALID_TO" TIMESTAMP(6) WITH TIME ZONE)')
    assert _only_statement(of_history, "CREATE INDEX").endswith(' ON "TEAS" ("CODE")')


class _Source(_Server):
    """A source with one table."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Any] = [[("A", "Assam", 5), ("B", None, 7)]]

    def fetchall(self) -> list[Any]:
        if "all_tables" in self.statements[-1]:
            return [("TEAHOUSE", "TEAS")]
        return [
            ("CODE", "VARCHAR2", None, "N", None, None, 10, "N"),
            ("NAME", "CLOB", None, "Y", None, None, None, "N"),
            ("KG", "NUMBER", 0, "Y", None, 9, None, "N"),
        ]

    def fetchmany(self, _count: int) -> list[Any]:
        return self._rows.pop() if self._rows else []

    def close(self) -> None:
        return


@pytest.mark.parametrize(("given", "csn"), [("41882000", "41882000"), (None, "41882317")])
def test_a_load_reads_as_of_an_scn(given: str | None, csn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = _Source()
    monkeypatch.setattr(OracleDialect, "connect", lambda _: source)
    rows = LoadRequest("oracle://tea:secret@db:1521/shop", given).checked().opened(iter)
    assert rows.csn == csn
    [portion] = rows.rows(TEAS)
    assert portion.to_pylist() == [{"CODE": "A", "NAME": "Assam", "KG": 5}, {"CODE": "B", "NAME": None, "KG": 7}]
    assert f'SELECT "CODE", "NAME", "KG" FROM "TEAHOUSE"."TEAS" AS OF SCN {csn}' in source.statements
    assert source.statements[0] == "SET TRANSACTION READ ONLY"
    assert ("get_system_change_number" in source.statements[1]) == (given is None)
