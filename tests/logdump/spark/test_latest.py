"""The last state of each row, from drawn changes of one table or several: keys change, swap, tables are truncated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

import logdump.spark
from logdump.tables.errors import BadTrail
from logdump.targets.target import BadTarget
from tests.searching import IS_LONG, Random

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
Key = tuple[Any, ...]
Change = dict[str, Any]
KEYS = {"S.ONE": ("ID",), "S.TWO": ("A", "B b")}
OTHERS = {"S.ONE": ("NAME", "N"), "S.TWO": ("V", "W")}
_ABOUT = ("_op", "_sequence", "_absent", "_file", "_rba", "_table")


class Rows:
    """A table as lists of rows by key: of two with one key, as in the middle of a swap, the first leaves first."""

    def __init__(self, table: str) -> None:
        self._keys = KEYS[table]
        self.by_key: dict[Key, list[dict[str, Any]]] = {}

    def take(self, changes: Sequence[Change]) -> None:
        """Take one change, or the two halves of an update of the key."""
        first, last = changes[0], changes[-1]
        own = {name: value for name, value in last.items() if name not in (*_ABOUT, *(last["_absent"] or ()))}
        key = tuple(last[name] for name in self._keys)
        if None in key and last["_op"] != "truncate":
            return  # no row is known by it
        if len(changes) == 2:
            self.by_key.setdefault(key, []).append({**self._leave(first), **own})
        elif last["_op"] == "truncate":
            self.by_key.clear()
        elif last["_op"] == "delete":
            self._leave(last)
        elif last["_op"] == "insert":
            self.by_key[key] = [own]
        else:
            self.by_key.setdefault(key, [{}])[-1].update(own)

    def _leave(self, change: Change) -> dict[str, Any]:
        key = tuple(change[name] for name in self._keys)
        rows = self.by_key.get(key, [])
        row = rows.pop(0) if rows else {}
        if not rows:
            self.by_key.pop(key, None)
        return row

    def last(self) -> list[tuple[Any, ...]]:
        """The last row of each key: its values and the names of the columns that nothing has told."""
        names = (*self._keys, *OTHERS["S.ONE" if len(self._keys) == 1 else "S.TWO"])
        rows = (rows[-1] for rows in self.by_key.values())
        return sorted(
            (*(row.get(name) for name in names), tuple(name for name in sorted(names) if name not in row))
            for row in rows
        )


OF_ALL_KINDS = (*["insert"] * 12, *["update"] * 16, *["upsert", "delete", "move", "move"] * 4, "truncate")


def drawn(
    random: Random, table: str, number: int, *, size: int = 6, ops: Sequence[str] = OF_ALL_KINDS
) -> Iterator[list[Change]]:
    """Changes of a table in order, an update of the key as two; keys are few, so that they meet.

    Some of the keys may be such that no update changes; a part of one may be null.
    """
    first = random.choice((0, size // 2, size // 2))

    def moving() -> dict[str, Any]:
        return numbered(random.randrange(first, size))

    def numbered(number: int) -> dict[str, Any]:
        return {"ID": number} if table == "S.ONE" else {"A": "xy"[number % 2], "B b": number // 2}

    def key() -> dict[str, Any]:
        is_null = table == "S.TWO" and random.random() < 0.1
        return numbered(random.randrange(size)) | ({"B b": None} if is_null else {})

    def values(*, is_whole: bool) -> tuple[dict[str, Any], list[str] | None]:
        absent = [] if is_whole else [name for name in OTHERS[table] if random.random() < 0.4]
        told = {name: None if name in absent else f"{name}{random.randrange(99)}" for name in OTHERS[table]}
        return told, absent or None

    none = dict.fromkeys((*KEYS[table], *OTHERS[table]))
    for at in range(number):
        op = random.choice(ops)
        place = {"_sequence": f"{at:06}0", "_file": "F", "_rba": at, "_table": table, "_absent": None}
        told, absent = values(is_whole=op == "insert" and random.random() < 0.5)
        if op == "truncate":
            yield [{**none, **place, "_op": op}]
        elif op == "delete":
            images = told if random.random() < 0.5 else {"_absent": [*OTHERS[table]]}
            yield [{**none, **key(), **place, "_op": op, **images}]
        elif op == "move":
            before, after = moving(), moving()
            if before != after:
                removed = {**none, **before, **place, "_op": "delete", "_absent": [*OTHERS[table]]}
                yield [
                    removed,
                    {**after, **told, **place, "_op": "insert", "_absent": absent, "_sequence": f"{at:06}1"},
                ]
        else:
            yield [{**key(), **told, **place, "_op": op, "_absent": absent}]


def frame_of(spark: SparkSession, tables: Mapping[str, Sequence[Change]], random: Random) -> DataFrame:
    """A frame as that of ``changes``, in drawn order: the columns of one table, or a struct for each of several."""
    from pyspark.sql import types

    def fields(table: str) -> list[types.StructField]:
        kinds = {"ID": types.LongType(), "B b": types.IntegerType()}
        return [
            types.StructField(
                name,
                kinds.get(name, types.StringType()),
                metadata={"logdump.table": table, "logdump.key": name in KEYS[table]},
            )
            for name in (*KEYS[table], *OTHERS[table])
        ]

    about = [
        types.StructField("_op", types.StringType()),
        types.StructField("_sequence", types.StringType()),
        types.StructField("_absent", types.ArrayType(types.StringType())),
        types.StructField("_file", types.StringType()),
        types.StructField("_rba", types.LongType()),
        types.StructField("_table", types.StringType()),
    ]
    if len(tables) == 1:
        [(table, changes)] = tables.items()
        columns, rows = fields(table), [*changes]
    else:
        columns = [types.StructField(name, types.StructType(fields(name))) for name in tables]
        rows = [
            {
                **{name: change[name] for name in _ABOUT},
                table: {name: change[name] for name in (*KEYS[table], *OTHERS[table])},
            }
            for table, changes in tables.items()
            for change in changes
        ]
    schema = types.StructType([*columns, *about])
    random.shuffle(rows)
    tuples = [tuple(row.get(name) for name in schema.names) for row in rows]
    return spark.createDataFrame(tuples, schema).repartition(3)


@pytest.mark.parametrize("case", range(12 if IS_LONG else 3))
def test_the_last_rows_are_those_that_the_changes_leave_one_by_one(spark: SparkSession, case: int) -> None:
    random = Random(f"latest {case}")
    names = [*KEYS] if case % 3 == 0 else [[*KEYS][case % 2]]
    histories = {name: [*drawn(random, name, random.choice([3, 40, 120]))] for name in names}
    flat = {name: [change for pair in history for change in pair] for name, history in histories.items()}
    frame = frame_of(spark, flat, random)
    for name, history in histories.items():
        rows = Rows(name)
        for changes in history:
            rows.take(changes)
        found = logdump.spark.latest(frame, name.lower() if len(names) > 1 else None).collect()
        assert [row for row in found if row["_absent"] == []] == []
        assert sorted((*row[:-1], tuple(row["_absent"] or ())) for row in found) == rows.last()


@pytest.mark.parametrize("table", KEYS)
def test_of_each_row_the_changes_since_its_last_insert_or_delete_tell_the_values(
    spark: SparkSession, table: str
) -> None:
    """Many rows of a few changes each, whose keys no update changes: what was before an insert is no value of it."""
    random, rows = Random(f"latest since {table}"), Rows(table)
    ops = ("insert", "insert", "update", "upsert", "delete")
    histories = [*drawn(random, table, 1200, size=300, ops=ops)]
    for changes in histories:
        rows.take(changes)
    frame = frame_of(spark, {table: [change for pair in histories for change in pair]}, random)
    found = logdump.spark.latest(frame).collect()
    assert sorted((*row[:-1], tuple(row["_absent"] or ())) for row in found) == rows.last()


def test_the_first_change_whose_effect_is_not_known_is_told_wherever_it_is(spark: SparkSession) -> None:
    random = Random("latest unknown")
    changes = [change for pair in drawn(random, "S.ONE", 30) for change in pair]
    for number, at in enumerate(sorted(random.sample(range(len(changes)), 3))):
        changes[at] |= {"_op": f"Type {99 - number}", "_rba": 4711 - number, "_file": "odd"}
    with pytest.raises(BadTrail, match="odd, RBA 4711: Type 99: its effect on the table is not known"):
        logdump.spark.latest(frame_of(spark, {"S.ONE": changes}, random))


def test_the_table_is_named_where_there_are_several(spark: SparkSession) -> None:
    frame = frame_of(spark, {name: [] for name in KEYS}, Random("latest names"))
    with pytest.raises(BadTarget, match=r"table names one of S\.ONE, S\.TWO"):
        logdump.spark.latest(frame)
    with pytest.raises(BadTarget, match=r"there is no table S\.THREE; there are S\.ONE, S\.TWO"):
        logdump.spark.latest(frame, "S.THREE")
