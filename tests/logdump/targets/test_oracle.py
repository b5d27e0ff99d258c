"""The statements for Oracle, as text: no server of it runs here."""

from __future__ import annotations

import datetime as dt
from typing import Any, Self

import pyarrow as pa
import pytest

from logdump.targets.database import DatabaseTarget
from logdump.targets.dialects import OracleDialect, dialect_for
from logdump.targets.net_effect import Changes
from logdump.targets.target import AppliedPosition, SourceTable

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
    names = ("_op", "_sequence", "CODE", "NAME", "KG", "_absent")
    types = (pa.string(), pa.string(), pa.string(), pa.string(), pa.int64(), pa.list_(pa.string()))
    changes = Changes([*TEAS.columns], TEAS.keys)
    changes.add(
        pa.Table.from_pylist(
            [dict(zip(names, step, strict=True)) for step in steps], pa.schema([*zip(names, types, strict=True)])
        )
    )
    return changes


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    server = _Server()
    monkeypatch.setattr(OracleDialect, "connect", lambda _: server)
    dialect = dialect_for("oracle://tea:secret@db:1521/shop")
    assert isinstance(dialect, OracleDialect)
    target = DatabaseTarget(dialect)
    target.open({TEAS.name: ""})
    target.prepare([TEAS], create=True)
    target.apply(TEAS.name, _changes(), overwrite=False)
    target.commit(
        {TEAS.name: AppliedPosition("0005.0", "0005.0", "41882317", dt.datetime(2024, 3, 14, tzinfo=dt.UTC), 4)}
    )
    return server.statements


def _one(statements: list[str], beginning: str) -> str:
    found = [one for one in statements if one.startswith(beginning)]
    assert len(found) == 1, (beginning, statements)
    return found[0]


def test_a_new_table_has_names_in_capitals(statements: list[str]) -> None:
    assert _one(statements, 'CREATE TABLE "TEAS"') == (
        'CREATE TABLE "TEAS" ("CODE" VARCHAR2(1000), "NAME" CLOB, "KG" NUMBER(19), PRIMARY KEY ("CODE"))'
    )


def test_the_stage_outlives_a_commit(statements: list[str]) -> None:
    stage = _one(statements, "CREATE PRIVATE TEMPORARY TABLE")
    assert stage.startswith(
        "CREATE PRIVATE TEMPORARY TABLE ora$ptt_logdump_stage_0 ON COMMIT PRESERVE DEFINITION AS SELECT "
    )
    assert stage.endswith('FROM dual d LEFT JOIN "TEAS" t ON 1 = 0 WHERE 1 = 0')


def test_an_update_sets_no_column_of_its_condition(statements: list[str]) -> None:
    merge = _one(statements, 'MERGE INTO "TEAS" t')
    condition, sets = merge.split(" WHEN MATCHED THEN UPDATE SET ")
    assert condition.endswith("ON (t.\"CODE\" = s.o1 AND s.kind = 'u')")
    assert sets == 't."KG" = s.c3'


def test_a_row_that_moves_keeps_what_the_trail_does_not_have(statements: list[str]) -> None:
    merge = _one(statements, "MERGE INTO ora$ptt_logdump_stage_0 s")
    assert "ON (t.\"CODE\" = s.o1 AND s.kind = 'm')" in merge
    assert "s.c2 = CASE WHEN SUBSTR(s.a, 2, 1) = '0' THEN s.c2 ELSE t.\"NAME\" END" in merge


def test_rows_that_go_are_deleted_before_others_are_inserted(statements: list[str]) -> None:
    gone = _one(statements, 'DELETE FROM "TEAS"')
    inserted = _one(statements, 'INSERT INTO "TEAS"')
    assert gone.endswith(
        "WHERE EXISTS (SELECT 1 FROM ora$ptt_logdump_stage_0 s WHERE t.\"CODE\" = s.o1 AND s.kind = 'd')"
    )
    assert inserted.endswith("FROM ora$ptt_logdump_stage_0 s WHERE s.kind IN ('i', 'm')")
    assert statements.index(gone) < statements.index(inserted)


def test_the_position_is_committed_with_the_rows(statements: list[str]) -> None:
    assert statements[-1] == "COMMIT"
    written = next(at for at, one in enumerate(statements) if one.startswith("UPDATE logdump_position SET place = :1,"))
    rows = statements.index(_one(statements, 'INSERT INTO "TEAS"'))
    assert rows < written
    assert "COMMIT" not in statements[rows:-1]
