"""A statement over a table that is altered somewhere in the trail: its columns are those of all definitions."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from fixtures import TRAILS
from logdump.features.sql.local_query import LocalQuery
from logdump.features.sql.trail_table import TrailTable
from logdump.session.errors import CommandError
from logdump.tables import defined_tables
from tests.searching import part_of
from tests.trailformat.samples import header, metadata_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Images, Record, TableDefinition, encode_value, make_column, make_record
from trailformat.definitions.metadata import build_table

SHOP = (TRAILS / "et000000000").read_bytes()[:1130]
MANY = 12_000
"""More rows than DuckDB gives at a time."""
Column = tuple[str, str]
OLD: Sequence[Column] = (("LEAF", "INT32"),)
NEW: Sequence[Column] = (("LEAF", "VARCHAR"), ("GRADE", "INT32"))


def definition(columns: Sequence[Column], name: str = "TEA.LEAVES") -> Record:
    table = TableDefinition(
        1, 0, tuple(KINDS[kind].definition._replace(name=column_name) for column_name, kind in columns)
    )
    return metadata_record(2, 1, name, build_table(table, ByteOrder.BIG))


def row(columns: Sequence[Column], *values: int | str) -> Record:
    pairs = enumerate(zip(columns, values, strict=True))
    stored = [
        make_column(at, encode_value(value, KINDS[kind].definition, ByteOrder.BIG)) for at, ((_, kind), value) in pairs
    ]
    return make_record(header(1), Images(None, tuple(stored)))


ALTERED = {
    "at the end of the file": [[definition(OLD), *[row(OLD, 7)] * 3, definition(NEW)]],
    "between rows": [[definition(OLD), row(OLD, 7), definition(NEW), row(NEW, "Sencha", 1)]],
    "twice, back to what it was": [[definition(OLD), row(OLD, 7), definition(NEW), definition(OLD), row(OLD, 8)]],
    "behind many rows": [[definition(OLD), *[row(OLD, 7)] * MANY, definition(NEW), row(NEW, "Sencha", 1)]],
    "in the last file": [
        [definition(OLD), row(OLD, 7)],
        [definition(OLD), row(OLD, 8)],
        [definition(OLD), row(OLD, 9), definition(NEW)],
    ],
    "before the last file": [[definition(OLD), *[row(OLD, 7)] * MANY], [definition(NEW), row(NEW, "Sencha", 1)]],
    "in capitals": [[definition(OLD), row(OLD, 7), definition(NEW, "Tea.Leaves"), row(NEW, "Sencha", 1)]],
    "not at all": [[definition(OLD), row(OLD, 7)], [definition(OLD), row(OLD, 8)]],
}
STATEMENTS = (
    "select count(*), count(after_LEAF) from tea.leaves",
    "select max(after_LEAF) from TEA.LEAVES",
    "select * exclude (file) from TEA.LEAVES order by file, rba",
    "select * exclude (file) from tea.leaves",
    "select after_LEAF from TEA.LEAVES limit 1",
    "select after_LEAF from TEA.LEAVES where rba < 1500",
    "select after_GRADE from TEA.LEAVES where after_GRADE is not null",
    "select sum(after_LEAF) from TEA.LEAVES",
    "select a.after_LEAF from TEA.LEAVES a join TEA.LEAVES b on a.rba = b.rba and a.file = b.file order by all",
    "describe TEA.LEAVES",
    "explain select after_GRADE from TEA.LEAVES",
    "select after_NOTHING from TEA.LEAVES",
)


def answer(path: str, statement: str, *, looks_for_all: bool) -> Any:
    """The columns with their types, and the rows, or the error."""
    query = LocalQuery({"path": path}, {})
    query._looks_for_all = looks_for_all
    try:
        batches = [*query.batches(statement, None)]
    except (duckdb.Error, CommandError) as error:
        return type(error), str(error)
    rows = [found_row for batch in batches for found_row in batch.to_pylist()]
    return batches[0].schema, (len(rows) if statement.startswith("explain") else rows)


@pytest.mark.parametrize("where", ALTERED)
def test_the_columns_are_those_of_all_definitions(where: str, tmp_path: Path) -> None:
    for number, records in enumerate(ALTERED[where]):
        trail_of(tmp_path, SHOP, *records).rename(tmp_path / f"at{number:09}")
    path = str(tmp_path / "at*")
    for statement in part_of(STATEMENTS, [*ALTERED].index(where), 6):
        found = answer(path, statement, looks_for_all=False)
        assert found == answer(path, statement, looks_for_all=True), statement


def test_a_table_is_read_once_where_nothing_alters_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        shutil.copy(TRAILS / "et000000000", tmp_path / f"et{number:09}")
    passes: list[object] = []
    tables_in = defined_tables._tables_in

    def noted(parts: Any, **given: Any) -> Any:
        passes.append(parts[0].path)
        return tables_in(parts, **given)

    monkeypatch.setattr(defined_tables, "_tables_in", noted)
    path = str(tmp_path / "et*")
    _, [counted] = answer(path, "select count(*) n from teahouse.teas", looks_for_all=False)
    assert (counted, passes) == ({"n": 33}, [])
    answer(path, "select op from teahouse.teas limit 1", looks_for_all=False)
    assert set(passes) <= {str(tmp_path / f"et{number:09}") for number in range(3)}


def test_a_read_in_python_has_the_columns_of_all_definitions(tmp_path: Path) -> None:
    path = str(trail_of(tmp_path, SHOP, *ALTERED["at the end of the file"][0]))
    assert "after_GRADE" in TrailTable({"path": path, "rowsOf": "TEA.LEAVES"}).schema.names
