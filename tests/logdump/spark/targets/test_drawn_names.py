"""Drawn names of tables and columns (dots, quotes, backticks, blanks, capitals, reserved words) in every target."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import logdump
from logdump.targets.kafka.request import TableTopics
from logdump.targets.run import target_for
from logdump.targets.target import BadTarget, SourceTable
from tests.logdump.spark.targets.places import Place, mariadb_place, postgresql_place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import IS_LONG, Random, part_of

WORDS = ["select", "ORDER", "User", "table", "Group", "index", "key", "_op", "_csn", "from", "null", "LIMIT"]
PARTS = [*"ab.AB\"'`%?*,;:=/\\#$&@!~^|<>()[]{}-+", " ", "é", "ß", "名", "--", "/*", "%s", "{0}", ":a", "''", '""']
Read = Callable[[str, list[str]], list[tuple[Any, ...]]]
"""Returns the rows of a table, by its name in the trail and its columns."""


def drawn(random: Random, count: int) -> list[str]:
    """Names that differ in more than case; none begins or ends with a blank, which MySQL does not take."""
    names: dict[str, str] = {}
    while len(names) < count:
        name = "".join(random.choices(PARTS, k=random.randint(1, 6))) if random.random() < 0.7 else random.choice(WORDS)
        if name.strip() == name:
            names.setdefault(name.casefold(), name)
    return [*names.values()]


def in_trail(name: str) -> str:
    """A name of a table as a trail has it."""
    return f'S."{name.replace(chr(34), chr(34) * 2)}"'


def _of_database(place: Place) -> Read:
    sign = "`" if place.url.startswith("mariadb") else '"'

    def quoted(name: str) -> str:
        return f"{sign}{name.replace(sign, sign * 2)}{sign}"

    def read(table: str, columns: list[str]) -> list[tuple[Any, ...]]:
        names = ", ".join(quoted(name) for name in found_columns(place, table, columns, quoted))
        plain = table[3:-1].replace('""', '"')
        with closing(place.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute(f"SELECT {names} FROM {quoted(plain)}")
            return sorted(tuple(row) for row in cursor.fetchall())

    return read


def found_columns(place: Place, table: str, columns: list[str], quoted: Callable[[str], str]) -> list[str]:
    """The columns as the table has them: they may differ in case."""
    plain = table[3:-1].replace('""', '"')
    with closing(place.connect()) as connection:
        cursor = connection.cursor()
        cursor.execute(f"SELECT * FROM {quoted(plain)}")
        there = {column[0].lower(): column[0] for column in cursor.description}
    return [there[name.lower()] for name in columns]


def _of_lake(given: Any) -> Read:
    def read(table: str, columns: list[str]) -> list[tuple[Any, ...]]:
        kinds = dict(zip(columns, [pa.int64(), *[pa.string()] * (len(columns) - 1)], strict=True))
        with closing(target_for(given)) as target:
            target.open({table: ""})
            lake: Any = target
            source = SourceTable(table, None, kinds, (columns[0],))
            return sorted(tuple(row.values()) for row in lake.read(source, [(1,), (2,), (3,)]).to_pylist())

    return read


def _places(kind: str, request: pytest.FixtureRequest, folder: Path) -> tuple[Any, Read]:
    """A target, and what reads it."""
    if kind == "delta":
        pytest.importorskip("deltalake")
        return f"delta:{folder}/lake", _of_lake(f"delta:{folder}/lake")
    if kind == "iceberg":
        sql = pytest.importorskip("pyiceberg.catalog.sql")
        catalog = sql.SqlCatalog("local", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/warehouse")
        return catalog, _of_lake(catalog)
    if kind == "sqlite":
        place = sqlite_place(folder)
    elif kind == "postgresql":
        place = postgresql_place(request.getfixturevalue("postgresql"))
    else:
        place = mariadb_place(request.getfixturevalue("mariadb"))
    return place.url, _of_database(place)


@pytest.mark.parametrize("kind", part_of(["sqlite", "postgresql", "mariadb", "delta", "iceberg"], 0))
def test_tables_and_columns_of_drawn_names_are_made_and_gone_on_with(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    random = Random(kind)
    left_out = "#?" if kind == "iceberg" else ""
    names = (name for name in drawn(random, 60 if IS_LONG else 8) if not {*name} & {*left_out})
    tables = {in_trail(name): drawn(random, 4) for name in names}
    if kind == "iceberg":
        tables = {name: [own[0].replace(".", "_"), *own[1:]] for name, own in tables.items()}
    kinds = ["INT64", *["VARCHAR"] * 3]
    trail = Trail({name: dict(zip(own, kinds, strict=True)) for name, own in tables.items()})
    given, read = _places(kind, request, tmp_path)
    for name in tables:
        trail.insert(name, 1, "a", "b", None)
        trail.insert(name, 2, "c", name, "d")
    path = trail.write(tmp_path / "trail")
    assert logdump.apply(path, given, once=True, create=True).rows == 2 * len(tables)
    for name in tables:
        trail.update(name, 1, ..., "new", ...)
        trail.delete(name, 2)
        trail.insert(name, 3, "e", None, "f")
    trail.write(tmp_path / "trail")
    assert logdump.apply(path, given, once=True, create=True).rows == 3 * len(tables)
    assert logdump.apply(path, given, once=True).rows == 0
    for name, columns in tables.items():
        assert read(name, columns) == [(1, "a", "new", None), (3, "e", None, "f")], (name, columns)


def test_topics_of_drawn_names_may_be_called_so_and_are_shared_by_none() -> None:
    random = Random("topics")
    for _ in range(200):
        names = [in_trail(name) for name in drawn(random, 3)]
        plain = [re.sub(r"[^a-zA-Z0-9._-]", "_", f"S.{name[3:-1].replace(chr(34) * 2, chr(34))}") for name in names]
        if len({*plain}) < len(plain):
            with pytest.raises(BadTarget, match="would share the topic"):
                TableTopics.of(names, "{table}")
            continue
        assert sorted(plain) == TableTopics.of(names, "{table}").names


@pytest.mark.parametrize("name", ["a#b", "#", "c?"])
def test_a_name_that_iceberg_cannot_have_is_refused_before_anything_is_written(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Its table would be in the folder of another."""
    catalog, read = _places("iceberg", request, tmp_path)
    trail = Trail({"S.OK": {"ID": "INT64"}, in_trail(name): {"ID": "INT64"}})
    trail.insert(in_trail(name), 1)
    path = trail.write(tmp_path / "trail")
    with pytest.raises(BadTarget, match=r"nothing was written: .* pyiceberg makes no table with # or \? in"):
        logdump.apply(path, catalog, once=True, create=True)
    assert not (tmp_path / "warehouse").exists()
    assert logdump.apply(path, catalog, {in_trail(name): "s.other"}, once=True, create=True).rows == 1
    assert read("s.other", ["ID"]) == [(1,)]


@pytest.mark.parametrize("sign", [*"#?\\[]^|\x7f", "%20"])
def test_a_folder_that_deltalake_cannot_read_is_refused(sign: str, tmp_path: Path) -> None:
    pytest.importorskip("deltalake")
    trail = Trail({"S.T": {"ID": "INT64"}})
    trail.insert("S.T", 1)
    path = trail.write(tmp_path / "trail")
    for url, tables in ((f"delta:{tmp_path}/a{sign}b", {"S.T": ""}), (f"delta:{tmp_path}/lake", {"S.T": f"a{sign}b"})):
        with pytest.raises(BadTarget, match="nothing was written: deltalake finds no folder again with"):
            logdump.apply(path, url, tables, once=True, create=True)
    assert {file.name for file in tmp_path.iterdir()} == {"trail"}


def test_a_key_by_which_iceberg_finds_no_rows_is_refused(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    catalog, _ = _places("iceberg", request, tmp_path)
    trail = Trail({"S.T": {"a.b": "INT64", "N": "INT64"}})
    trail.insert("S.T", 1, 2)
    path = trail.write(tmp_path / "trail")
    with pytest.raises(BadTarget, match=r"pyiceberg finds no rows by a key with a dot in its name, a\.b"):
        logdump.apply(path, catalog, once=True, create=True)
    assert logdump.apply(path, catalog, once=True, create=True, rename={"S.T": {"a.b": "ab"}}).rows == 1


def test_changes_are_appended_once_to_a_table_with_a_number_sign(tmp_path: Path) -> None:
    """A name without quotes may have it: HR.EMP#."""
    pytest.importorskip("deltalake")
    trail = Trail({"HR.EMP#": {"ID": "INT64"}})
    trail.insert("HR.EMP#", 1)
    path, url = trail.write(tmp_path / "trail"), f"delta:{tmp_path}/lake"
    for expected in (1, 0):
        assert logdump.apply(path, url, once=True, create=True, write="append").rows == expected
    assert {file.name for file in (tmp_path / "lake").iterdir() if file.is_dir()} == {"HR.EMP=23"}
