"""Tables and columns of any name, and the types of those that ``apply`` creates."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fixtures.changes import insert
from fixtures.shop import ORACLE_TEAS, tea
from fixtures.statements import Ddl
from logdump.language.call import in_quotes
from logdump.targets.run import DdlFound
from logdump.targets.target import BadTarget, Refused
from tests.logdump.program import logdump
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, postgresql_place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random
from tests.simulated.dimensions import SizedExtract

COLUMNS = {"ID": "INT64", "NAME": "VARCHAR"}
NAMES = [
    "S.T",
    'S."T.X"',
    'S."My Table"',
    'S."A.X"',
    'S."B.X"',
    'S."a""b"',
    'S."it\'s"',
    'S."tab`le"',
    'S."select"',
    'S."A,B"',
    'S."A,B,C.D"',
    'S."TAB*LE"',
    'S."TAB?LE"',
    '"S.S".V',
    'C."S.S"."W W"',
    "_S._U",
]


@pytest.fixture(params=["sqlite", "postgresql"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Two of the databases."""
    if request.param == "sqlite":
        return sqlite_place(tmp_path)
    return postgresql_place(request.getfixturevalue("postgresql"))


def table_names(base: Place) -> set[str]:
    """The tables that were created."""
    schema = (
        "sqlite_master WHERE type = 'table'"
        if base.url.startswith("sqlite")
        else ("(SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public') x")
    )
    return {row[0] for row in base.query(f"SELECT name FROM {schema}")} - {"logdump_position"}


def test_tables_of_any_name_are_created_and_gone_on_with(tmp_path: Path, base: Place, apply: Apply) -> None:
    trail = Trail(dict.fromkeys(NAMES, COLUMNS))
    for number in (1, 2, 3):
        for name in NAMES:
            trail.insert(name, number, name)
        assert apply(trail.write(tmp_path / "a"), base, create=True).rows == len(NAMES)
    plain = {
        "t",
        "T.X",
        "My Table",
        "A.X",
        "B.X",
        'a"b',
        "it's",
        "tab`le",
        "select",
        "A,B",
        "A,B,C.D",
        "TAB*LE",
        "TAB?LE",
        "v",
        "W W",
        "_u",
    }
    assert table_names(base) == plain
    for name in plain:
        quoted = name.replace('"', '""')
        rows = base.query(f'SELECT id, name FROM "{quoted}" ORDER BY id')
        assert [row[0] for row in rows] == [1, 2, 3]
        assert len({row[1] for row in rows}) == 1
        assert rows[0][1].split(".")[-1].strip('"').lower().endswith(name.split(".")[-1].replace('"', '""').lower())


@pytest.mark.parametrize("seed", range(3))
def test_a_table_whose_name_is_given_is_that_one(seed: int, tmp_path: Path, base: Place, apply: Apply) -> None:
    """Whatever its name has of a list or a wildcard, and whichever others are called like it."""
    random = Random(seed)
    names = [f'S."{"".join(random.choices(",*?AB", k=3))}"' for _ in range(12)]
    names = [*dict.fromkeys(names), 'S."A,B"', "S.B", 'S."A*"', 'S."A?"', 'S."AB"']
    trail = Trail(dict.fromkeys(dict.fromkeys(names), COLUMNS))
    for name in dict.fromkeys(names):
        trail.insert(name, 1, name)
    path = trail.write(tmp_path / "a")
    chosen = random.sample([*dict.fromkeys(names)], 3)
    assert apply(path, base, chosen[:2], create=True).rows == 2
    assert apply(path, base, {chosen[2]: "other_name"}, create=True).rows == 1
    plain = {name[2:].strip('"') if '"' in name else name[2:].lower() for name in chosen[:2]} | {"other_name"}
    assert table_names(base) == plain
    assert base.query("SELECT name FROM other_name") == [(chosen[2],)]
    line = f"apply over {path.parent}/tt to {base.url} tables {in_quotes(','.join(chosen[:2]))} once"
    assert logdump("-c", line) == (0, "No change to apply.\n", "")


def test_columns_of_any_name_are_created_and_gone_on_with(tmp_path: Path, base: Place, apply: Apply) -> None:
    """Those among them that every change has as well, and others that begin as these do."""
    others = [
        "_op",
        "__op",
        "_TABLE",
        "_sequence",
        "_absent",
        "_csn",
        "_x",
        "a.b",
        'a"b',
        "a`b",
        "a b",
        "o1",
        "n",
        "kind",
    ]
    columns = {"_ID": "INT64", **dict.fromkeys(others, "VARCHAR")}
    trail = Trail({"S.T": columns, "S.U": columns})
    for name in ("S.T", "S.U"):
        trail.insert(name, 1, *others)
        trail.insert(name, 2, *others)
        trail.update(name, 1, "new", ..., None)
        trail.move(name, (2,), (3, ..., "moved"))
    path = trail.write(tmp_path / "a")
    expected = [(1, "new", "__op", None, *others[3:]), (3, "_op", "moved", *others[2:])]
    assert apply(path, base, "S.T", create=True).rows == 5
    assert sorted(base.rows("S.T")) == expected
    base.run("DROP TABLE t", "DELETE FROM logdump_position")
    assert apply(path, base, ["S.T", "S.U"], create=True).rows == 10
    assert sorted(base.rows("S.T")) == sorted(base.rows("S.U")) == expected


def test_names_that_are_too_long_are_refused_before_anything_is_written(
    tmp_path: Path, base: Place, apply: Apply
) -> None:
    long, wide = "T" * 62, "é" * 32
    trail = Trail({f"S.{long}1": COLUMNS, f"S.{long}AB": COLUMNS, f'S."{wide}"': COLUMNS, "S.U": {"I" * 64: "INT64"}})
    path = trail.write(tmp_path / "a")
    if base.url.startswith("sqlite"):
        apply(path, base, create=True)
        assert len(table_names(base)) == 4
        return
    for name, size in ((f"S.{long}AB", 64), (f'S."{wide}"', 64), ("S.U", 64)):
        with pytest.raises(BadTarget, match=f"^nothing was written: .* has {size} bytes, and a name has 63 at most"):
            apply(path, base, ["S.T" if name == "?" else name], create=True)
    with pytest.raises(BadTarget):
        apply(path, base, create=True)
    assert table_names(base) == set()
    apply(path, base, {f"S.{long}1": "", f"S.{long}AB": "short"}, create=True)
    assert table_names(base) == {f"{long}1".lower(), "short"}


def test_columns_that_differ_in_case_alone_are_refused(tmp_path: Path, base: Place, apply: Apply) -> None:
    path = Trail({"S.T": {"ID": "INT64"}, "S2.T": {"ID": "INT64"}}).write(tmp_path / "a")
    with pytest.raises(BadTarget, match=r"S\.T and S2\.T would share the table"):
        apply(path, base, create=True)
    assert table_names(base) == set()


def test_numbers_of_any_digits_are_numbers(tmp_path: Path, base: Place, apply: Apply) -> None:
    """A number without a precision, as key and as column: in PostgreSQL numeric, in SQLite text, which is exact."""
    values = [Decimal(text) for text in ("9", "10", "0.5", "-3", "123456789012345678901234567890.123456789")]
    trail = Trail({"S.T": {"ID": "VARCHAR of a number", "N": "VARCHAR of a number", "NAME": "VARCHAR"}})
    for number in values:
        trail.insert("S.T", number, -number, "x")
    trail.update("S.T", values[1], Decimal("1.50"))
    trail.delete("S.T", values[3])
    apply(trail.write(tmp_path / "a"), base, create=True)
    rows = {Decimal(row[0]): Decimal(row[1]) for row in base.rows("S.T")}
    assert rows == {number: -number for number in values if number not in (10, -3)} | {Decimal(10): Decimal("1.5")}
    if not base.url.startswith("sqlite"):
        assert base.query("SELECT max(id) FROM t WHERE id < 100") == [(Decimal(10),)]


@pytest.mark.parametrize(
    ("kind", "column", "is_less"),
    [
        ("INT16", "smallint", False),
        ("INT32", "smallint", True),
        ("INT64", "smallint", True),
        ("INT64", "integer", True),
        ("INT32", "integer", False),
        ("INT64", "bigint", False),
        ("INT32", "bigint", False),
        ("UINT16", "smallint", True),
        ("INT64", "numeric(20)", False),
        ("INT64", "text", False),
    ],
)
def test_a_column_holds_all_values_of_its_type(
    kind: str, column: str, is_less: bool, tmp_path: Path, base: Place, apply: Apply
) -> None:
    trail = Trail({"S.T": {"ID": "INT64", "N": kind}})
    trail.insert("S.T", 1, 7)
    path = trail.write(tmp_path / "a")
    base.run(f"CREATE TABLE t (id bigint PRIMARY KEY, n {column})")
    if is_less and not base.url.startswith("sqlite"):
        with pytest.raises(
            BadTarget, match=f"^nothing was written: .* N is int.*, and {column} in the target, which holds"
        ):
            apply(path, base)
    else:
        assert apply(path, base).rows == 1


def test_a_column_that_the_database_generates_always_takes_the_value(
    tmp_path: Path, apply: Apply, postgresql: Any
) -> None:
    base = postgresql_place(postgresql)
    base.run("CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text)")
    trail = Trail({"S.T": COLUMNS})
    trail.insert("S.T", 7, "a")
    trail.insert("S.T", 8, "b")
    trail.move("S.T", (8,), (9, "c"))
    trail.update("S.T", 7, "d")
    apply(trail.write(tmp_path / "a"), base)
    assert sorted(base.rows("S.T")) == [(7, "d"), (9, "c")]


def test_a_nul_in_a_text_is_named(tmp_path: Path, apply: Apply, postgresql: Any) -> None:
    base = postgresql_place(postgresql)
    trail = Trail({"S.T": {**COLUMNS, "NOTE": "VARCHAR"}})
    trail.insert("S.T", 1, "a", "b")
    trail.insert("S.T", 2, "a", "b\0c")
    with pytest.raises(Refused, match=r"CSN 102: insert of S\.T: .*; the text of column NOTE holds a NUL character$"):
        apply(trail.write(tmp_path / "a"), base, create=True)
    assert base.rows("S.T") == [(1, "a", "b")]


def test_what_the_database_refuses_before_the_first_change_is_told_as_nothing_written(
    tmp_path: Path, apply: Apply, postgresql: Any
) -> None:
    base = postgresql_place(postgresql)
    path = Trail({"S.T": COLUMNS}).write(tmp_path / "a")
    with pytest.raises(BadTarget, match=r'^nothing was written: schema "nowhere" does not exist$'):
        apply(path, base, {"S.T": "nowhere.t"}, create=True)


WIDTHS = (2, 4, 3, 6)
"""Columns that TEAS has, one definition after another."""


def _altered(folder: Path, *, is_stated: bool = True) -> Path:
    """Two rows under each definition, and before each but the first a statement."""
    folder.mkdir()
    extract = SizedExtract(folder, tables=())
    for number, width in enumerate(WIDTHS):
        table = ORACLE_TEAS._replace(columns=ORACLE_TEAS.columns[:width])
        if number and is_stated:
            extract.statement(Ddl("ALTER", "TABLE", "TEAS", f"alter table teahouse.TEAS to {width}"))
        extract.defined(table)
        for at in range(2):
            extract.begin()
            row = tea(f"{number}{at}", "x", "Uji", grade="A ", price="1.00", stock=1)[:width]
            extract.rows([insert(table, row)], 1)
        if number == 1:
            extract.roll()
    extract.close()
    return folder / "sm*"


def _columns(base: Place) -> list[str]:
    """The columns of TEAS in the target."""
    if base.url.startswith("sqlite"):
        return [row[0] for row in base.query("SELECT name FROM pragma_table_info('teas') ORDER BY cid")]
    of_table = "information_schema.columns WHERE table_name = 'teas' ORDER BY ordinal_position"
    return [row[0] for row in base.query(f"SELECT column_name FROM {of_table}")]


def _alter(base: Place, width: int) -> None:
    """Run a statement in the target."""
    names = [column.name.lower() for column in ORACLE_TEAS.columns]
    there = _columns(base)
    base.run(*(f"ALTER TABLE teas DROP COLUMN {name}" for name in there if name in names[width:]))
    base.run(*(f"ALTER TABLE teas ADD COLUMN {name} TEXT" for name in names[:width] if name not in there))


@pytest.mark.parametrize("is_told", [True, False])
def test_a_table_is_created_as_it_is_where_it_begins(is_told: bool, tmp_path: Path, base: Place, apply: Apply) -> None:
    """Each statement then runs in the target as it did in the source, by hand or by the function ``ddl``."""
    path, met = _altered(tmp_path / "a"), list[int]()

    def take(text: str, _table: str) -> None:
        met.append(len(_columns(base)))
        _alter(base, int(text.rpartition(" ")[2]))

    for width in WIDTHS[1:] if not is_told else ():
        with pytest.raises(DdlFound, match=f"all before it is applied: alter table TEAHOUSE.TEAS to {width}"):
            apply(path, base, "TEAHOUSE.TEAS", create=True)
        met.append(len(_columns(base)))
        _alter(base, width)
    apply(path, base, "TEAHOUSE.TEAS", create=True, **({"ddl": take} if is_told else {}))
    assert met == [*WIDTHS[:-1]]
    assert sorted(row[0] for row in base.rows("TEAHOUSE.TEAS")) == [
        f"{number}{at}" for number in range(4) for at in (0, 1)
    ]
    assert len(_columns(base)) == WIDTHS[-1]


@pytest.mark.parametrize("given", [{"ddl": "ignore"}, {}])
def test_a_table_has_the_columns_of_all_definitions_where_no_statement_is_met(
    given: dict[str, str], tmp_path: Path, base: Place, apply: Apply
) -> None:
    apply(_altered(tmp_path / "a", is_stated=bool(given)), base, "TEAHOUSE.TEAS", create=True, **given)
    assert len(base.rows("TEAHOUSE.TEAS")) == 2 * len(WIDTHS)
    assert len(_columns(base)) == max(WIDTHS)
