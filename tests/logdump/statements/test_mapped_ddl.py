"""DDL as Replicat would run it is run on servers and SQLite: the objects are there under the names of the target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.parameters.tree import ParameterFile
from tests.logdump.ddl.files import evaluated, parameter_file
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer
from tests.simulated.memory_database import memory_database

STATEMENTS = (
    "create table shop.teas (code varchar(6) primary key, note text default '-- /* ''none''')",
    "create table prices (tea varchar(6), price numeric(8, 2)) -- of 100 g",
    'create table shop."Green Teas" ("Tea Code" varchar(6))',
    "create unique index prices_tea on shop.prices (tea)",
    "create view shop.dear as select 'shop.teas' as source, 1 as one",
    "alter table /* the shop's */ shop.prices add column since date",
    "alter table shop.prices rename to costs",
    "alter table shop.costs rename column since to valid_from",
    'drop table shop."Green Teas"',
)
POSTGRESQL = (
    *STATEMENTS,
    "create sequence shop.ids start with 5",
    "create materialized view shop.top as select 1 as one",
    "comment on column shop.teas.note is $$ shop.teas; 'as it is' $$",
    "grant select on shop.teas to public",
    "truncate table shop.costs",
    "create function shop.tax(p int) returns int as $f$ begin return p; end $f$ language plpgsql",
)
MARIADB = (
    r"create table shop.`teas` (code varchar(6) primary key, note varchar(30) default 'it\'s # -- /* none') # shop.all",
    "create table /*!32312 if not exists */ shop.2024_prices (`tea` varchar(6), n int default (5--1)) -- of 100 g",
    "create /*!50003 trigger shop.keep before insert on shop.teas for each row set @`x` = '*/' */",
    "alter table shop.2024_prices rename to shop.`costs`",
)
MAPS = {
    "everything": (("MAP shop.*, TARGET tea2.*;",), {"teas": "teas", "costs": "costs", "dear": "dear"}),
    "with a prefix": (
        ("MAP shop.*, TARGET tea2.my_*;",),
        {"teas": "my_teas", "costs": "my_costs", "dear": "my_dear"},
    ),
    "in quotes": (
        ('MAP shop.teas, TARGET tea2."The Teas";', "MAP shop.*, TARGET tea2.*;"),
        {"teas": "The Teas", "costs": "costs", "dear": "dear"},
    ),
}


@pytest.fixture(params=MAPS)
def mapped(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[ParameterFile, dict[str, str]]:
    """A Replicat's file, and what the objects have to be called."""
    lines, names = MAPS[request.param]
    return parameter_file(tmp_path, "REPLICAT r", *lines), names


def run(file: ParameterFile, statements: tuple[str, ...]) -> Iterator[str]:
    for statement in statements:
        (result,) = evaluated(statement, file, owner="shop")
        assert result.scope == "MAPPED"
        assert result.statement is not None
        yield result.statement


def test_postgresql_has_the_objects_of_the_target(
    mapped: tuple[ParameterFile, dict[str, str]], postgresql: PostgreSQLServer
) -> None:
    file, names = mapped
    begin = "DROP SCHEMA IF EXISTS tea2 CASCADE; CREATE SCHEMA tea2; SET search_path TO tea2;"
    shown = "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'tea2';"
    script = [begin, *(f"{statement}\n;" for statement in run(file, POSTGRESQL)), shown]
    found = set(postgresql.execute("\n".join(script)).splitlines())
    assert set(names.values()) <= found
    assert not {name for name in found if name in ("prices", "my_prices") or "Green" in name}


def test_sqlite_has_the_objects_of_the_target(mapped: tuple[ParameterFile, dict[str, str]]) -> None:
    file, names = mapped
    database = memory_database()
    database.execute("ATTACH ':memory:' AS tea2")
    for statement in run(file, STATEMENTS):
        if not statement.startswith("create unique index"):  # SQLite takes the schema before the index alone
            database.execute(statement)
    found = {name for (name,) in database.execute("SELECT name FROM tea2.sqlite_master")}
    database.close()
    assert set(names.values()) <= found
    assert not {name for name in found if name in ("prices", "my_prices") or "Green" in name}


def test_mariadb_has_the_objects_of_the_target_with_the_texts_of_the_source(
    mariadb: MariaDBServer, tmp_path: Path
) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "MAP shop.*, TARGET tea2.*;")
    begin = "DROP DATABASE IF EXISTS tea2; CREATE DATABASE tea2;"
    shown = (
        "SHOW TABLES FROM tea2; INSERT INTO tea2.teas (code) VALUES ('a'); SELECT note FROM tea2.teas;"
        "SELECT event_object_table FROM information_schema.triggers WHERE trigger_schema = 'tea2';"
    )
    found = mariadb.execute("\n".join([begin, *(f"{statement}\n;" for statement in run(file, MARIADB)), shown]))
    assert found.splitlines() == ["costs", "teas", "it's # -- /* none", "teas"]
