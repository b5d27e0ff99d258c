"""Tables that change in the trail: the target changes with them where they do, or it stops and says how."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import logdump
from logdump.targets.evolution import says_no_more
from logdump.targets.in_process import InProcess
from logdump.targets.run import DdlFound
from logdump.targets.target import BadTarget
from tests.logdump.spark.targets.direct import Apply, WithoutJava, applied
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T, U = "S.T", "S.U"
FIRST = {"ID": "INT64", "A": "INT16", "B": "VARCHAR:20"}


@pytest.fixture
def target(tmp_path: Path) -> Place:
    """A file of SQLite."""
    return sqlite_place(tmp_path)


def kind(place: Place) -> str:
    """The kind of a database."""
    return place.url.partition(":")[0]


def types(place: Place, table: str = "t") -> dict[str, str]:
    """The types of the columns of a table."""
    if kind(place) == "sqlite":
        return dict(place.query(f"SELECT name, type FROM pragma_table_info('{table}')"))
    own = "current_schema()" if kind(place) == "postgresql" else "database()"
    size = "coalesce(character_maximum_length, numeric_precision)"
    query = f"SELECT column_name, data_type, {size} FROM information_schema.columns"
    rows = place.query(f"{query} WHERE table_schema = {own} AND table_name = '{table}'")
    return {name: f"{kind} {size}" if size else kind for name, kind, size in rows}


def rows(place: Place, columns: str = "*", table: str = "t") -> list[tuple[Any, ...]]:
    """Some columns of a table, in order."""
    return sorted(place.query(f"SELECT {columns} FROM {table}"), key=str)


def test_a_column_is_added_where_the_trail_has_it(tmp_path: Path, place: Place, apply: Apply) -> None:
    """Two columns, one after the other, in one run and in several; what was there has NULL."""
    for is_one_run in (True, False):
        folder, trail = tmp_path / f"{is_one_run}", Trail({T: FIRST})

        def run(trail: Trail = trail, folder: Path = folder, *, is_now: bool = not is_one_run) -> None:
            if is_now:
                apply(trail.write(folder), place, T, create=True, evolve="add")

        trail.insert(T, 1, 1, "one")
        run()
        trail.alter(T, {**FIRST, "C": "INT32"})
        trail.insert(T, 2, 2, "two", 22)
        trail.update(T, 1, ..., ..., 11)
        run()
        trail.alter(T, {**FIRST, "C": "INT32", "D": "VARCHAR"})
        run()
        trail.insert(T, 3, 3, "three", 33, "new")
        trail.insert(T, 4, 4, None, None, None)
        run(is_now=True)
        expected = [
            (1, 1, "one", 11, None),
            (2, 2, "two", 22, None),
            (3, 3, "three", 33, "new"),
            (4, 4, None, None, None),
        ]
        assert rows(place, "id, a, b, c, d") == expected
        assert place.query("SELECT changes FROM logdump_position") == [(5,)]
        place.run("DROP TABLE t", "DELETE FROM logdump_position")


@pytest.mark.parametrize("evolve", ["stop", "add"])
def test_what_came_is_not_there_before_its_place(evolve: str, tmp_path: Path, target: Place, apply: Apply) -> None:
    """A row that is refused before the place of the new column: the target has no such column yet."""
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.insert(T, 1, 1, "again")
    trail.alter(T, {**FIRST, "C": "INT32"})
    trail.insert(T, 2, 2, "two", 22)
    with pytest.raises(Exception, match=r"insert of S"):
        apply(trail.write(tmp_path / "a"), target, T, create=True, evolve=evolve)
    assert [*types(target)] == (["id", "a", "b"] if evolve == "add" else ["id", "a", "b", "c"])


WIDER = {
    "postgresql": {"a": "bigint 64", "b": "character varying 60"},
    "mariadb": {"a": "bigint 19", "b": "varchar 60"},
    "sqlite": {"a": "SMALLINT", "b": "VARCHAR(20)"},
}


def test_a_type_gets_wider(tmp_path: Path, place: Place, apply: Apply) -> None:
    """A text in a column of one's own, and a number whose type is too small for later values."""
    place.run("CREATE TABLE t (id BIGINT PRIMARY KEY, a SMALLINT, b VARCHAR(20))")
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 32_000, "x" * 20)
    trail.alter(T, {**FIRST, "A": "INT64", "B": "VARCHAR:60"})
    trail.insert(T, 2, 1 << 40, "x" * 60)
    for _ in range(2):
        apply(trail.write(tmp_path / "a"), place, T, evolve="add")
    assert rows(place) == [(1, 32_000, "x" * 20), (2, 1 << 40, "x" * 60)]
    assert {name: types(place)[name] for name in "ab"} == WIDER[kind(place)]


def test_room_that_the_target_has_is_left_as_it_is(tmp_path: Path, place: Place, apply: Apply) -> None:
    place.run("CREATE TABLE t (id BIGINT PRIMARY KEY, a DECIMAL(30,5) NOT NULL, b VARCHAR(200) DEFAULT 'x')")
    before = types(place)
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "A": "INT64", "B": "VARCHAR:60"})
    trail.insert(T, 2, 2, "two")
    apply(trail.write(tmp_path / "a"), place, T, evolve="add")
    assert types(place) == before


def test_a_number_before_that_a_later_type_would_not_hold_is_applied(
    tmp_path: Path, place: Place, apply: Apply
) -> None:
    """Rows are read by their own definition, not by the newest of the trail."""
    trail = Trail({T: {**FIRST, "A": "INT64"}})
    trail.insert(T, 1, 1 << 40, "one")
    trail.alter(T, FIRST)
    trail.insert(T, 2, 2, "two")
    path = trail.write(tmp_path / "a")
    with pytest.raises(
        DdlFound, match=r"all before it is applied: S.T is defined anew: column A is int16, and was int64"
    ):
        apply(path, place, T, create=True, evolve="add")
    assert rows(place) == [(1, 1 << 40, "one")]
    apply(path, place, T, evolve="add")
    assert rows(place) == [(1, 1 << 40, "one"), (2, 2, "two")]


@pytest.mark.parametrize("create", [True, False])
def test_a_table_that_comes_later_is_made(create: bool, tmp_path: Path, place: Place, apply: Apply) -> None:
    """In the same run, and in a later one, as its first definition is, and then altered."""
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    path = trail.write(tmp_path / "a")
    apply(path, place, "S.*", create=True, evolve="add")
    trail.create(U, {"ID": "INT64", "N": "INT16"})
    trail.insert(U, 1, 7)
    trail.insert(T, 2, 2, "two")
    trail.alter(U, {"ID": "INT64", "N": "INT16", "M": "INT16"})
    trail.insert(U, 2, 8, 9)
    trail.write(tmp_path / "a")
    for _ in range(2):
        apply(path, place, "S.*", create=create, evolve="add")
    assert rows(place) == [(1, 1, "one"), (2, 2, "two")]
    assert rows(place, "id, n, m", "u") == [(1, 7, None), (2, 8, 9)]
    assert dict(place.query("SELECT table_name, changes FROM logdump_position")) == {T: 2, U: 2}


GONE = {
    "sqlite": 'ALTER TABLE "main"."t" DROP COLUMN "b"',
    "postgresql": 'ALTER TABLE "public"."t" DROP COLUMN "b"',
    "mariadb": "ALTER TABLE `bank`.`t` DROP COLUMN `b`",
}


@pytest.mark.parametrize("is_run", [True, False])
def test_a_column_that_goes_stops_with_the_statement(is_run: bool, tmp_path: Path, place: Place, apply: Apply) -> None:
    """Once; it goes on whether the statement was run or not."""
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {"ID": "INT64", "A": "INT16"})
    trail.insert(T, 2, 2)
    path = trail.write(tmp_path / "a")
    statement = GONE[kind(place)]
    with pytest.raises(DdlFound, match=re.escape(f"S.T is defined anew: {statement}") + "$"):
        apply(path, place, T, create=True, evolve="add")
    assert rows(place) == [(1, 1, "one")]
    if is_run:
        place.run(statement)
    apply(path, place, T, evolve="add")
    assert rows(place) == ([(1, 1), (2, 2)] if is_run else [(1, 1, "one"), (2, 2, None)])


def test_a_renamed_column_stops_with_both_statements(tmp_path: Path, target: Place, apply: Apply) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {"ID": "INT64", "A": "INT16", "NEW": "VARCHAR"})
    trail.insert(T, 2, 2, "two")
    path = trail.write(tmp_path / "a")
    add, drop = 'ALTER TABLE "main"."t" ADD "new" TEXT', 'ALTER TABLE "main"."t" DROP COLUMN "b"'
    with pytest.raises(DdlFound, match=re.escape(f"{add}; {drop}")):
        apply(path, target, T, create=True, evolve="add")
    with pytest.raises(BadTarget, match=r"the target has no column NEW"):
        apply(path, target, T, evolve="add")
    target.run('ALTER TABLE t RENAME COLUMN b TO "new"')
    apply(path, target, T, evolve="add")
    assert rows(target) == [(1, 1, "one"), (2, 2, "two")]


def test_a_key_of_other_columns_stops(tmp_path: Path, target: Place, apply: Apply) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {"A": "INT16", "ID": "INT64", "B": "VARCHAR:20"})
    trail.insert(T, 2, 2, "two")
    with pytest.raises(DdlFound, match=r"S.T is defined anew: the key is A now$"):
        apply(trail.write(tmp_path / "a"), target, T, create=True, evolve="add")


def test_a_definition_that_goes_back_is_passed(tmp_path: Path, place: Place, apply: Apply) -> None:
    """An older file that was written again, between newer ones: no column goes, and none comes twice."""
    wide = {**FIRST, "A": "INT64", "C": "INT32"}
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, wide)
    trail.insert(T, 2, 1 << 40, "two", 22)
    trail.alter(T, FIRST)
    trail.insert(T, 3, 3, "three")
    trail.update(T, 2, ..., "too")
    trail.alter(T, wide)
    trail.insert(T, 4, 1 << 41, "four", 44)
    apply(trail.write(tmp_path / "a"), place, T, create=True, evolve="add")
    expected = [(1, 1, "one", None), (2, 1 << 40, "too", 22), (3, 3, "three", None), (4, 1 << 41, "four", 44)]
    assert rows(place, "id, a, b, c") == expected


STATEMENTS = {
    "alter table s.t add (c number(9))": True,
    "ALTER TABLE t ADD COLUMN c int NULL": True,
    "ALTER TABLE t MODIFY b varchar2(60)": True,
    "ALTER TABLE t ALTER COLUMN b TYPE varchar(60)": True,
    'ALTER TABLE t ADD "DEFAULT" int': True,
    "ALTER TABLE t ADD c int /* DEFAULT 5 */": True,
    "CREATE TABLE s.t (id int NOT NULL PRIMARY KEY, c int DEFAULT 5)": True,
    "ALTER TABLE t ADD c int DEFAULT 5": False,
    "ALTER TABLE t ADD c int NOT NULL": False,
    "ALTER TABLE t ADD c int GENERATED ALWAYS AS (a + 1)": False,
    "ALTER TABLE t ADD CONSTRAINT k UNIQUE (a)": False,
    "ALTER TABLE t ADD PRIMARY KEY (a)": False,
    "ALTER TABLE t ADD PARTITION p VALUES LESS THAN (5)": False,
    "ALTER TABLE t DROP COLUMN c": False,
    "ALTER TABLE t ADD c int, DROP COLUMN b": False,
    "ALTER TABLE t RENAME COLUMN b TO c": False,
    "ALTER TABLE t RENAME TO u": False,
    "ALTER TABLE t ALTER COLUMN b TYPE int USING b::int": False,
    "ALTER TABLE t ADD INDEX (a)": False,
    "CREATE TABLE t AS SELECT * FROM u": False,
    "CREATE OR REPLACE TABLE t (id int)": False,
    "CREATE INDEX i ON t (a)": False,
    "TRUNCATE TABLE t": False,
    "DROP TABLE t": False,
    "RENAME t TO u": False,
    "": False,
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_passed_if_it_says_no_more_than_a_definition(text: str) -> None:
    assert says_no_more(text) is STATEMENTS[text]


@pytest.mark.parametrize("text", [text for text in STATEMENTS if text and " s." not in text][2:])
def test_a_statement_beside_a_definition(text: str, tmp_path: Path, target: Place, apply: Apply) -> None:
    """One that the definition says too is passed; any other stops once, with all before it applied."""
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.state(T, text)
    trail.alter(T, {**FIRST, "C": "INT32"})
    trail.insert(T, 2, 2, "two", 22)
    path = trail.write(tmp_path / "a")
    if not STATEMENTS[text]:
        with pytest.raises(DdlFound, match=re.escape(text)):
            apply(path, target, T, create=True, evolve="add")
        assert rows(target, "id, a, b") == [(1, 1, "one")]
    apply(path, target, T, create=True, evolve="add")
    assert rows(target, "id, a, b, c") == [(1, 1, "one", None), (2, 2, "two", 22)]


def test_a_function_gets_what_is_more_than_a_column(tmp_path: Path, target: Place, apply: Apply) -> None:
    said: list[tuple[str, str]] = []
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {"ID": "INT64", "A": "INT16"})
    trail.insert(T, 2, 2)

    def run(text: str, table: str) -> None:
        said.append((text, table))
        target.run(text)

    apply(trail.write(tmp_path / "a"), target, T, create=True, evolve="add", ddl=run)
    assert said == [(GONE["sqlite"], T)]
    assert rows(target) == [(1, 1), (2, 2)]


def test_statements_that_are_ignored_do_not_keep_columns_from_coming(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.state(T, "ALTER TABLE t DROP COLUMN b")
    trail.alter(T, {"ID": "INT64", "A": "INT16", "C": "INT16"})
    trail.insert(T, 2, 2, 22)
    apply(trail.write(tmp_path / "a"), target, T, create=True, evolve="add", ddl="ignore")
    assert rows(target, "id, a, b, c") == [(1, 1, "one", None), (2, 2, None, 22)]


def test_columns_names_and_masks_of_what_comes(
    tmp_path: Path, place: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new column that is renamed, one that is masked, one that is left out; a wider type under a mask."""
    monkeypatch.setenv("LOGDUMP_MASK_KEY", "k")
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "A": "INT64", "C": "INT16", "D": "VARCHAR", "E": "INT16"})
    trail.insert(T, 2, 1 << 40, "two", 22, "hidden", 7)
    rules: dict[str, Any] = {
        "columns": {T: ["ID", "A", "B", "C", "D"]},
        "rename": {T: {"C": "sea"}},
        "mask": {T: {"D": {"fixed": "-"}, "A": "hash"}},
    }
    apply(trail.write(tmp_path / "a"), place, T, create=True, evolve="add", **rules)
    got = rows(place, "id, b, sea, d, length(a)")
    assert got == [(1, "one", None, None, 64), (2, "two", 22, "-", 64)]
    assert {*types(place)} == {"id", "a", "b", "sea", "d"}


def test_a_new_column_whose_name_is_taken_is_refused(tmp_path: Path, target: Place, apply: Apply) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "NEW": "INT16"})
    trail.insert(T, 2, 2, "two", 3)
    with pytest.raises(Exception, match=r"rename: S.T: B and NEW would both be NEW"):
        apply(trail.write(tmp_path / "a"), target, T, create=True, evolve="add", rename={T: {"B": "new"}})


ODD: Mapping[str, str] = {"a.b": '"a.b"', 'q"q': '"q""q"', "Caps": '"caps"', "select": '"select"', "é ü": '"é ü"'}


def test_names_of_any_characters_come_as_they_are(tmp_path: Path, place: Place, apply: Apply) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, **dict.fromkeys(ODD, "INT16")})
    trail.insert(T, 2, 2, "two", 1, 2, 3, 4, 5)
    for _ in range(2):
        apply(trail.write(tmp_path / "a"), place, T, create=True, evolve="add")
    assert rows(place) == [(1, 1, "one", None, None, None, None, None), (2, 2, "two", 1, 2, 3, 4, 5)]
    assert [*types(place)][3:] == [name.lower() for name in ODD]


def test_a_column_that_comes_in_the_middle_of_a_transaction(tmp_path: Path, target: Place, apply: Apply) -> None:
    """Of another table than its rows before: the transaction is one of the target, after the column has come."""
    from trailformat.records.record_header import FIRST as BEGIN
    from trailformat.records.record_header import LAST, ONLY

    trail = Trail({T: FIRST, U: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.role = BEGIN
    trail.insert(U, 1, 1, "one")
    trail.alter(T, {**FIRST, "C": "INT16"})
    trail.role = LAST
    trail.insert(T, 2, 2, "two", 22)
    trail.role = ONLY
    trail.insert(U, 2, 2, "two")
    path = trail.write(tmp_path / "a")
    for _ in range(2):
        apply(path, target, [T, U], create=True, evolve="add")
    assert rows(target, "id, c") == [(1, None), (2, 22)]
    assert rows(target, "id", "u") == [(1,), (2,)]
    assert dict(target.query("SELECT table_name, changes FROM logdump_position")) == {T: 2, U: 2}


def test_a_trigger_or_a_view_in_the_way_is_told_with_the_statement(
    tmp_path: Path, request: pytest.FixtureRequest, apply: Apply
) -> None:
    from tests.logdump.spark.targets.places import postgresql_place

    place = postgresql_place(request.getfixturevalue("postgresql"))
    place.run("CREATE TABLE t (id bigint PRIMARY KEY, a smallint, b text)", "CREATE VIEW v AS SELECT a FROM t")
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "A": "INT32"})
    trail.insert(T, 2, 1 << 20, "two")
    path = trail.write(tmp_path / "a")
    statement = re.escape('ALTER TABLE "public"."t" ALTER COLUMN "a" TYPE bigint')
    for _ in range(2):
        with pytest.raises(BadTarget, match=rf"^all before it is applied; S\.T: {statement}: cannot alter type"):
            apply(path, place, T, evolve="add")
        assert rows(place) == [(1, 1, "one")]
    place.run("DROP VIEW v")
    apply(path, place, T, evolve="add")
    assert rows(place) == [(1, 1, "one"), (2, 1 << 20, "two")]


def test_mariadb_keeps_what_a_new_type_would_take(tmp_path: Path, request: pytest.FixtureRequest, apply: Apply) -> None:
    from tests.logdump.spark.targets.places import mariadb_place

    place = mariadb_place(request.getfixturevalue("mariadb"))
    place.run("CREATE TABLE t (id BIGINT PRIMARY KEY, a SMALLINT NOT NULL DEFAULT 7, b TEXT)")
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "A": "INT32"})
    trail.insert(T, 2, 1 << 20, "two")
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTarget, match=r"column a has a default or is NOT NULL, which this would take: ALTER TABLE"):
        apply(path, place, T, evolve="add")
    place.run("ALTER TABLE t MODIFY a BIGINT NOT NULL DEFAULT 7")
    apply(path, place, T, evolve="add")
    assert rows(place) == [(1, 1, "one"), (2, 1 << 20, "two")]


@pytest.mark.parametrize("lake", ["delta", "iceberg"])
def test_a_lake_gets_columns_and_refuses_types(lake: str, tmp_path: Path, apply: Apply) -> None:
    deltalake = pytest.importorskip("deltalake")
    catalog = None
    if lake == "iceberg":
        sql = pytest.importorskip("pyiceberg.catalog.sql")
        where = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}/warehouse"}
        catalog = sql.SqlCatalog("local", **where)
    place = Place(catalog or f"delta:{tmp_path / 'lake'}", lambda: None)

    def content() -> Any:
        found = catalog.load_table(T).scan().to_arrow() if catalog else None
        return found or deltalake.DeltaTable(str(tmp_path / "lake" / T)).to_pyarrow_table()

    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "C": "INT32"})
    trail.insert(T, 2, 2, "two", 22)
    trail.update(T, 1, ..., ..., 11)
    trail.create(U, {"ID": "INT64"})
    trail.insert(U, 9)
    path = trail.write(tmp_path / "a")
    for _ in range(2):
        apply(path, place, "S.*", create=True, evolve="add")
    table = content().to_pylist()
    rest = {"A": 1, "B": "one", "C": 11}, {"A": 2, "B": "two", "C": 22}
    assert sorted(table, key=str) == [{"ID": 1, **rest[0]}, {"ID": 2, **rest[1]}]
    trail.alter(T, {**FIRST, "A": "INT64", "C": "INT32"})
    trail.insert(T, 3, 1 << 40, "three", 33)
    trail.write(tmp_path / "a")
    for _ in range(2):
        with pytest.raises(
            BadTarget, match=r"all before it is applied; S\.T: column A has to be int64: no type is altered"
        ):
            apply(path, place, "S.*", evolve="add")


@pytest.mark.parametrize("first", [101, 102, 103, 104])
def test_a_table_that_begins_later_begins_with_its_definition_there(
    first: int, tmp_path: Path, target: Place, apply: Apply
) -> None:
    """What changed before the first CSN is neither made again nor stopped at."""
    trail = Trail({T: {"ID": "INT64", "X": "INT16", "Y": "INT16"}})
    trail.insert(T, 1, 1, 1)
    trail.alter(T, {"ID": "INT64", "X": "INT16"})
    trail.insert(T, 2, 2)
    trail.alter(T, {"ID": "INT64", "Z": "INT16"})
    trail.insert(T, 3, 3)
    trail.alter(T, {"ID": "INT64", "Z": "INT16", "W": "INT16"})
    trail.insert(T, 4, 4, 4)
    path, stops = trail.write(tmp_path / "a"), 0
    for _ in range(4):
        try:
            apply(path, target, T, create=True, evolve="add", from_csn=first)
        except DdlFound:
            target.run(
                *(['ALTER TABLE t DROP COLUMN "y"'], ['ALTER TABLE t RENAME COLUMN "x" TO z'])[first + stops - 101]
            )
            stops += 1
    assert stops == max(0, 103 - first)
    assert [row[0] for row in rows(target)] == [*range(first - 100, 5)]
    assert [*types(target)] == ["id", "z", "w"]


@pytest.mark.parametrize("driver", ["in process", "spark"])
def test_what_comes_while_it_follows_the_trail(driver: str, tmp_path: Path, target: Place) -> None:
    """A column, a table and a column of that table, each of which was not there when the run began."""
    made = InProcess(interval=0.01) if driver == "in process" else WithoutJava(Random("follow"), once=False)
    stop, trail = threading.Event(), Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    path = trail.write(tmp_path / "a")
    given: dict[str, Any] = {"create": True, "evolve": "add", "interval": 0.01, "stop": stop}
    wanted = [1]

    def see(progress: logdump.ApplyProgress) -> None:
        """Write more as soon as all that is there is applied."""
        if progress.rows < wanted[0]:
            return
        if wanted[0] == 1:
            trail.alter(T, {**FIRST, "C": "INT16"})
            trail.insert(T, 2, 2, "two", 22)
        elif wanted[0] == 2:
            trail.create(U, {"ID": "INT64"})
            trail.insert(U, 1)
        elif wanted[0] == 3:
            trail.alter(U, {"ID": "INT64", "N": "INT16"})
            trail.insert(U, 2, 9)
            trail.insert(T, 3, 3, "three", 33)
        else:
            stop.set()
        wanted[0] = {1: 2, 2: 3, 3: 5}.get(wanted[0], 5)
        trail.write(tmp_path / "a")

    timer = threading.Timer(60, stop.set)
    timer.start()
    applied(made, path, target.url, "S.*", progress=see, **given)
    timer.cancel()
    assert rows(target, "id, c") == [(1, None), (2, 22), (3, 33)]
    assert rows(target, "id, n", "u") == [(1, None), (2, 9)]


@pytest.mark.spark
def test_in_spark(spark: SparkSession, tmp_path: Path, target: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it by a real session, with the options in a file."""
    import logdump.spark

    monkeypatch.setenv("LOGDUMP_MASK_KEY", "k")
    file = tmp_path / "o.yaml"
    file.write_text(
        "create: true\nonce: true\nevolve: add\nmask: {S.T: {B: hash}}\nrename: {S.T: {C: sea}}\ntables: S.*\n"
    )
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 1, "one")
    trail.alter(T, {**FIRST, "A": "INT64", "C": "INT16"})
    trail.insert(T, 2, 1 << 40, "two", 22)
    trail.create(U, {"ID": "INT64"})
    trail.insert(U, 1)
    path = trail.write(tmp_path / "a")
    for number in (3, 0):
        done = logdump.spark.apply(spark, str(path), target.url, options=file)
        assert done.rows == number
    assert rows(target, "id, a, length(b), sea") == [(1, 1, 64, None), (2, 1 << 40, 64, 22)]
    assert rows(target, "*", "u") == [(1,)]


@pytest.mark.parametrize("seed", range(3))
def test_drawn_alterations_in_drawn_runs(seed: int, tmp_path: Path, place: Place, apply: Apply) -> None:
    """Columns and wider types that come at drawn places, rows of two tables between, runs that end anywhere."""
    random = Random(f"{seed}")
    columns = {name: dict(FIRST) for name in (T, U)}
    trail, model = Trail(columns), {T: dict[int, dict[str, Any]](), U: dict[int, dict[str, Any]]()}
    number, is_wide = 0, set[str]()
    for run in range(4):
        for _ in range(random.randrange(14)):
            name, number = random.choice((T, U)), number + 1
            if random.random() < 0.3:
                if random.random() < 0.3 and name not in is_wide and kind(place) != "sqlite":
                    is_wide.add(name)
                    columns[name]["A"] = "INT64"
                else:
                    columns[name][f"C{number}"] = random.choice(("INT16", "INT64", "VARCHAR:30"))
                trail.alter(name, columns[name])
            own = model[name]
            values = [_value(random, column_kind) for column_kind in [*columns[name].values()][1:]]
            if own and random.random() < 0.4:
                key = random.choice([*own])
                given = [value if random.random() < 0.5 else ... for value in values]
                trail.update(name, key, *given)
            else:
                key, given = number, values
                trail.insert(name, key, *given)
            pairs = zip([*columns[name]][1:], given, strict=True)
            own[key] = own.get(key, {}) | {column: value for column, value in pairs if value is not ...}
        path = trail.write(tmp_path / "a")
        size = random.choice((1, 3, 1000))
        apply(path, place, "S.*", create=run % 2 == 0 or not run, evolve="add", maxTransactionsPerTrigger=size)
    for name in (T, U):
        table = name.rpartition(".")[2].lower()
        names = [column.lower() for column in columns[name]]
        if not model[name]:
            continue
        got = {row[0]: row[1:] for row in rows(place, ", ".join(names), table)}
        wanted = {key: tuple(row.get(column) for column in [*columns[name]][1:]) for key, row in model[name].items()}
        assert got == wanted


def _value(random: Random, kind: str) -> Any:
    if random.random() < 0.1:
        return None
    return (
        random.choice(("x", "y" * 20))
        if kind.startswith("VARCHAR")
        else random.randrange(1 << (15 if kind == "INT16" else 40))
    )
