"""Columns that the target alone has: what is in them belongs to the row, and stays with it.

A row that is updated or gets another key keeps them. Where the row before stays beside the new one, as a version or
marked as deleted, a column with a default has that in the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from logdump.targets.in_process import InProcess
from tests.logdump.spark.targets.direct import Apply, applied
from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import COLUMNS, TABLE, WAYS, Model, Row, Step, expected, transaction, write
from tests.searching import Random

OWN: Mapping[str, list[str]] = {
    "postgresql": [
        "ADD made VARCHAR(9) NOT NULL DEFAULT 'new'",
        "ADD note VARCHAR(9)",
        "ADD twice BIGINT GENERATED ALWAYS AS (n * 2) STORED",
        "ADD number BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE",
    ],
    "mariadb": [
        "ADD made VARCHAR(9) NOT NULL DEFAULT 'new'",
        "ADD note VARCHAR(9)",
        "ADD twice BIGINT AS (n * 2) STORED",
        "ADD number BIGINT NOT NULL AUTO_INCREMENT UNIQUE",
    ],
    "sqlite": [
        "ADD made VARCHAR(9) NOT NULL DEFAULT 'new'",
        "ADD note VARCHAR(9)",
        "ADD twice BIGINT AS (n * 2) VIRTUAL",
    ],
}
"""Columns with a default, with none, computed, and a number of its own for each row."""
READ = {
    "mirror": "SELECT id, name, n, made, note FROM t",
    "history": "SELECT id, name, n, made, note, _valid_from_csn, _valid_to_csn FROM t",
    "soft": "SELECT id, name, n, made, note, _deleted_csn FROM t",
}
OF_ROW: Mapping[str, Mapping[str, Row]] = {
    "mirror": {"update": (..., ...), "move": (..., ...)},
    "soft": {"update": (..., ...), "move": ("new", ...)},
    "history": {"update": ("new", ...), "move": ("new", ...)},
}
"""What a row has in its own columns after a change: the same (``...``), or the default."""


class Drawn:
    """Transactions, and notes that somebody writes into the target between two runs."""

    def __init__(self, random: Random, way: str) -> None:
        self._random, self._of_row = random, OF_ROW[way]
        self.trail, self.model = Trail({TABLE: COLUMNS}), Model()
        self._there: dict[int, Row] = {}
        self._csn = 101

    def go_on(self, count: int) -> None:
        """More transactions."""
        for _ in range(count):
            steps = transaction(self._random, self._there, truncates=0.03)
            write(self.trail, steps)
            self.model.transaction(str(self._csn), [self._with_own(step) for step in steps])
            self._csn += 1

    def _with_own(self, step: Step) -> Step:
        op, before, after, values = step
        kind = "update" if op == "upsert" and before is not None else op
        return op, before, after, (*values, *self._of_row.get(kind, ("new", None)))

    def notes(self) -> dict[int, Row]:
        """What somebody writes to some rows that are there."""
        keys = [key for key in sorted(self.model.now) if self._random.random() < 0.5]
        written = {key: (f"by {self._random.randrange(999)}", f"see {key}") for key in keys}
        self.model.edit(lambda key, values: (*values[:2], *written[key]) if key in written else values)
        return written


@pytest.mark.parametrize("way", READ)
@pytest.mark.parametrize("seed", range(4))
def test_what_the_target_alone_has_stays_with_its_row(
    seed: int, way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    random = Random(f"{seed} {way}")
    drawn, given = Drawn(random, way), WAYS[way]
    drawn.go_on(1)
    apply(drawn.trail.write(tmp_path / "a"), place, TABLE, create=True, **given)
    place.run(*(f"ALTER TABLE t {column}" for column in OWN[place.url.partition(":")[0]]))
    end = {"history": " AND _valid_to IS NULL", "soft": " AND _deleted IS NULL"}.get(way, "")
    for _ in range(4):
        for key, (made, note) in drawn.notes().items():
            place.run(f"UPDATE t SET made = '{made}', note = '{note}' WHERE id = {key}{end}")
        drawn.go_on(random.randrange(1, 6))
        size = random.choice((1, 1000))
        apply(drawn.trail.write(tmp_path / "a"), place, TABLE, maxTransactionsPerTrigger=size, **given)
        assert sorted(place.query(READ[way]), key=repr) == expected(drawn.model, way)


def test_what_the_target_alone_has_stays_where_a_change_replaces_a_row(
    tmp_path: Path, place: Place, apply: Apply
) -> None:
    """Changes that overlap with a load: the row that is there already is the same one."""
    place.run(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(9), n BIGINT, made VARCHAR(9) NOT NULL DEFAULT 'new')",
        "INSERT INTO t VALUES (1, 'a', 1, 'one'), (2, 'b', 2, 'two'), (8, 'h', 8, 'eight'), (9, 'i', 9, 'nine')",
    )
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "a", 10)
    trail.move(TABLE, (2,), (3, "b", 2))
    trail.insert(TABLE, 4, "d", 4)
    trail.update(TABLE, 5, "e", 5)
    trail.move(TABLE, (7,), (8, "h", 80))
    trail.move(TABLE, (6,), (10, "j", 10))
    trail.delete(TABLE, 9)
    trail.insert(TABLE, 9, "i", 90)
    apply(trail.write(tmp_path / "a"), place, TABLE, collisions="overwrite")
    made = {1: "one", 3: "two", 4: "new", 5: "new", 8: "eight", 9: "new", 10: "new"}
    assert dict(place.query("SELECT id, made FROM t")) == made


AFTER_PURGE: Mapping[str, list[Row]] = {
    "mirror": [(2, 20, "b"), (3, 11, "a")],
    "soft": [(1, 11, "a"), (2, 20, "b"), (3, 11, "a")],
    "history": [(1, 10, "a"), (1, 11, "a"), (2, 2, "b"), (2, 20, "b"), (3, 11, "a")],
}


@pytest.mark.parametrize("way", AFTER_PURGE)
def test_what_a_purged_definition_alone_had_stays_with_its_row(
    way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    """Once the files with the column are gone, it is one that the target alone has."""
    trail = Trail({TABLE: {"ID": "INT64", "N": "INT32", "NAME": "VARCHAR"}})
    trail.insert(TABLE, 1, 10, "a")
    trail.insert(TABLE, 2, 2, "b")
    given: dict[str, Any] = {**WAYS[way], "create": True, "evolve": "add", "ddl": "ignore"}
    first, begin = trail.write(tmp_path / "a"), trail.rba
    apply(first.parent, place, TABLE, **given)
    trail.alter(TABLE, {"ID": "INT64", "N": "INT32"})
    trail.update(TABLE, 2, 20)
    later = trail.write(tmp_path / "a").read_bytes()[begin:]
    first.write_bytes(first.read_bytes()[:begin])
    second = first.with_name("tt000000001")
    second.write_bytes(later)
    apply(first.parent, place, TABLE, **given)
    first.unlink()
    end = trail.rba
    trail.update(TABLE, 1, 11)
    trail.move(TABLE, (1,), (3,))
    second.write_bytes(later + trail.write(tmp_path / "b").read_bytes()[end:])
    apply(first.parent, place, TABLE, **given)
    assert sorted(place.query("SELECT id, n, name FROM t")) == AFTER_PURGE[way]


@pytest.mark.filterwarnings("ignore:Delete operation did not match any records")
@pytest.mark.parametrize("lake", ["delta", "iceberg"])
@pytest.mark.parametrize("seed", range(3))
def test_what_a_lake_alone_has_stays_with_its_row(seed: int, lake: str, tmp_path: Path) -> None:
    """A lake gives no defaults."""
    random = Random(f"{seed} {lake}")
    drawn = Drawn(random, "mirror")
    target, content, overwrite = _lake(lake, tmp_path)
    drawn.go_on(1)
    applied(InProcess(once=True), drawn.trail.write(tmp_path / "a"), target, TABLE, create=True)
    for _ in range(4):
        written, rows = drawn.notes(), content().to_pylist()
        for row in rows:
            made, note = written.get(row["ID"], (row.get("made"), row.get("note")))
            row |= {"made": made, "note": note}
        own = pa.schema([("made", pa.string()), ("note", pa.string())])
        kinds = {field.name: field.type for field in (*content().schema, *own)}
        overwrite(pa.Table.from_pylist(rows, pa.schema([*kinds.items()])))
        drawn.go_on(random.randrange(1, 6))
        applied(InProcess(once=True), drawn.trail.write(tmp_path / "a"), target, TABLE)
        found = [(row["ID"], row["NAME"], row["N"], row["made"] or "new", row["note"]) for row in content().to_pylist()]
        assert sorted(found, key=repr) == expected(drawn.model, "mirror")


def _lake(kind: str, folder: Path) -> tuple[Any, Callable[[], pa.Table], Callable[[pa.Table], None]]:
    """A lake, how the rows of its table are read, and how all are replaced."""
    if kind == "delta":
        deltalake = pytest.importorskip("deltalake")
        path = folder / "lake" / TABLE
        return (
            f"delta:{path.parent}",
            lambda: deltalake.DeltaTable(str(path)).to_pyarrow_table(),
            lambda rows: deltalake.write_deltalake(str(path), rows, mode="overwrite", schema_mode="merge"),
        )
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    where = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}
    catalog = sql.SqlCatalog("local", **where)

    def overwrite(rows: pa.Table) -> None:
        table = catalog.load_table(TABLE)
        with table.update_schema() as update:
            update.union_by_name(rows.schema)
        table.overwrite(rows)

    return catalog, lambda: catalog.load_table(TABLE).scan().to_arrow(), overwrite
