"""Drawn changes of one table in each target: what they make of a table, whatever batches and steps they come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from logdump.targets.applier import Applier
from logdump.targets.run import target_for
from logdump.targets.target import ApplyTarget, SourceTable, place_of
from tests.logdump.spark.targets.bank import end_of, parts
from tests.logdump.spark.targets.places import mariadb_place, postgresql_place, sqlite_place
from tests.searching import IS_LONG, Random

Key = tuple[int, int]
Table = dict[Key, tuple[str | None, str | None]]
Step = tuple[str, Key | None, Key | None, tuple[Any, Any]]
"""Operation, key before, key after, and the other columns; ``...`` is absent. A swap moves both rows at once."""
SOURCE = SourceTable(
    "S.T", None, {"ID": pa.int64(), "PART": pa.int64(), "A": pa.string(), "B": pa.string()}, ("ID", "PART")
)
KEYS = [(number, part) for number in (1, 2) for part in (1, 2, 3)]
SCHEMA = pa.schema(
    [
        *SOURCE.columns.items(),
        *((name, pa.string()) for name in ("_op", "_sequence", "_csn", "_xid", "_file", "_table")),
        ("_rba", pa.int64()),
        ("_time", pa.timestamp("us", "UTC")),
        ("_absent", pa.list_(pa.string())),
    ]
)


class Lot(NamedTuple):
    """A target, and what reads its rows."""

    target: ApplyTarget
    rows: Callable[[], list[tuple[Any, ...]]]


def _sqlite(_request: pytest.FixtureRequest, folder: Path) -> Lot:
    place = sqlite_place(folder)
    return Lot(place.target(), lambda: place.rows("T"))


def _postgresql(request: pytest.FixtureRequest, _folder: Path) -> Lot:
    place = postgresql_place(request.getfixturevalue("postgresql"), "drawn")
    return Lot(place.target(), lambda: place.rows("T"))


def _mariadb(request: pytest.FixtureRequest, _folder: Path) -> Lot:
    place = mariadb_place(request.getfixturevalue("mariadb"), "drawn")
    return Lot(place.target(), lambda: place.rows("T"))


def _delta(_request: pytest.FixtureRequest, folder: Path) -> Lot:
    deltalake = pytest.importorskip("deltalake")

    def rows() -> list[tuple[Any, ...]]:
        table: Any = deltalake.DeltaTable(f"{folder}/lake/S.T")
        return _tuples(table.to_pyarrow_table())

    return Lot(target_for(f"delta:{folder}/lake"), rows)


def _iceberg(_request: pytest.FixtureRequest, folder: Path) -> Lot:
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    catalog = sql.SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    return Lot(target_for(catalog), lambda: _tuples(catalog.load_table("S.T").scan().to_arrow()))


DRAWS = {_sqlite: 40, _postgresql: 6, _mariadb: 6, _delta: 5, _iceberg: 4}
"""How many histories are drawn for each target, by what one takes."""


def _tuples(rows: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in rows.select([*SOURCE.columns]).to_pylist()]


def _step(random: Random, table: Table, *, moves_whole: bool) -> Step:
    """A change that the table can have, which it then has had."""
    there, free = sorted(table), [key for key in KEYS if key not in table]
    kinds = 3 * ["insert"] * bool(free) + ["update", "update", "delete"] * bool(there) + ["upsert"]
    kinds += 3 * ["move"] * bool(there and free) + 3 * ["swap"] * (len(there) > 1 and not moves_whole)
    op = random.choice([*kinds, *(["truncate"] * (random.random() < 0.2))])
    values = random.choice((..., None, "x", "y")), random.choice((..., "z", "w"))
    if op == "truncate":
        table.clear()
        return op, None, None, (..., ...)
    if op == "swap":
        first_key, other = random.sample(there, 2)
        table[first_key], table[other] = table[other], table[first_key]
        return op, first_key, other, (..., ...)
    if op == "delete":
        key = random.choice(there)
        del table[key]
        return op, key, None, (..., ...)
    if op == "insert" or (op == "move" and moves_whole):
        values = tuple(None if value is ... else value for value in values)  # type: ignore[assignment]
    before = None if op == "insert" else random.choice(KEYS) if op == "upsert" else random.choice(there)
    after = random.choice(free) if op in ("insert", "move") else before
    old = table.pop(before, (None, None)) if before is not None else (None, None)
    own = [was if value is ... else value for was, value in zip(old, values, strict=True)]
    table[after or KEYS[0]] = own[0], own[1]
    return op, before, after, values


def _rows(steps: Sequence[Step], seqno: int) -> pa.Table:
    """The changes as a stream has them, each a transaction: a move is a delete and an insert."""
    made = list[dict[str, Any]]()
    for number, (op, before, after, values) in enumerate(steps, 1):
        moves = [(before, after), (after, before)] if op == "swap" else [(before, after)]
        for part, (old, new) in enumerate(moves):
            made += _changes("move" if op == "swap" else op, old, new, values, place=(seqno, 10 * number + part))
    return pa.Table.from_pylist(made, SCHEMA)


def _changes(
    op: str, before: Key | None, after: Key | None, values: tuple[Any, Any], *, place: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """The change or the two changes of a record at a place."""
    own = dict(zip("AB", values, strict=True))
    about = {
        "_csn": f"{place[0]}{place[1] // 10:04}",
        "_xid": f"1.{place[1] // 10}",
        "_file": "tt000000000",
        "_table": SOURCE.name,
        "_rba": place[1],
        "_time": datetime(2026, 1, 1, tzinfo=UTC),
    }
    key = dict(zip(SOURCE.keys, after or before or (None, None), strict=True))
    if op == "move":
        gone = dict(zip(SOURCE.keys, before or (), strict=True))
        yield {**about, **gone, "_op": "delete", "_sequence": f"{place_of(*place)}0", "_absent": ["A", "B"]}
    known = {name: value for name, value in own.items() if value is not ...}
    absent = [name for name, value in own.items() if value is ...] or None
    name, part = ("insert", 1) if op == "move" else (op, 0)
    yield {**about, **key, **known, "_op": name, "_sequence": f"{place_of(*place)}{part}", "_absent": absent}


def _batches(random: Random, steps: Sequence[Step], seqno: int) -> Iterator[pa.Table]:
    """The changes in two or three batches of whole transactions."""
    rows = _rows(steps, seqno)
    csns = rows["_csn"].to_pylist()
    ends = [at for at in range(1, len(rows)) if csns[at] != csns[at - 1]]
    cuts = [0, *sorted(random.sample(ends, min(len(ends), random.randint(1, 2)))), len(rows)]
    for first, stop in pairwise(cuts):
        yield rows.slice(first, stop - first)


def _expected(table: Table) -> list[tuple[Any, ...]]:
    return sorted((*key, *values) for key, values in table.items())


def _apply(applier: Applier, random: Random, batches: Iterator[pa.Table]) -> None:
    for batch in batches:
        applier.apply(parts(batch, random.choice((2, 3, 1000))), end_of(batch))


@pytest.mark.parametrize("lot", DRAWS)
@pytest.mark.parametrize("overwrites", [False, True])
def test_a_target_has_what_drawn_changes_make_of_a_table(
    lot: Any, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, overwrites: bool
) -> None:
    """Or, after a load of a later moment, what all of them make of it where rows are replaced."""
    random = Random(f"{lot.__name__} {overwrites}")
    for number in range(DRAWS[lot] * (10 if IS_LONG else 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.setattr("logdump.targets.applier._MOST_ROWS", random.choice((1, 2, 3, 200_000)))
        table = Table()
        first = [_step(random, table, moves_whole=overwrites) for _ in range(random.randint(1, 6))]
        loaded, begun = list[Step](), 0
        if overwrites:
            begun = random.randint(0, len(first))
            later = [_step(random, table, moves_whole=True) for _ in range(random.randint(0, 4))]
            loaded = [("insert", None, key, values) for key, values in table.items()]
            first += later
        else:
            loaded, first = first, []
        last = [_step(random, table, moves_whole=overwrites) for _ in range(random.randint(2, 9))]
        target, read = lot(request, folder)
        with closing(target):
            target.open({SOURCE.name: ""})
            target.prepare([SOURCE], create=True)
            if loaded:
                _apply(Applier(target, [SOURCE], {}), random, _batches(random, loaded, 1))
            applier = Applier(target, [SOURCE], {}, overwrite=overwrites)
            _apply(applier, random, _batches(random, [*first[begun:], *last], 2))
        told = loaded, [*first[begun:], *last]
        assert sorted(read(), key=repr) == sorted(_expected(table), key=repr), told


ABSENT = (..., ...)


@pytest.mark.parametrize("lot", DRAWS)
def test_a_row_that_has_moved_before_a_load_keeps_what_the_trail_lacks_of_it(
    lot: Any, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows move again and again to keys that no row had; the load has some of the changes, and all of them follow."""
    random = Random(f"{lot.__name__} moved")
    for number in range(max(2, DRAWS[lot] // 4)):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.setattr("logdump.targets.applier._MOST_ROWS", random.choice((1, 2, 200_000)))
        table: Table = {(row, 0): (f"a{row}", f"b{row}") for row in range(3)}
        steps: list[Step] = [("move", (0, part), (0, part + 1), ABSENT) for part in range(2)]
        states = [table, _moved(table, steps[0])]
        states.append(_moved(states[-1], steps[1]))
        for part in range(1, random.randint(4, 9)):
            before = random.choice([key for key in states[-1] if key[0]])
            after = random.choice([before, (before[0], part), (before[0], part)])
            values = random.choice((..., None, "x", "y")), random.choice((..., "z", "w"))
            steps.append(("update" if after == before else "move", before, after, values))
            states.append(_moved(states[-1], steps[-1]))
        loaded: list[Step] = [("insert", None, key, own) for key, own in random.choice(states[2:]).items()]
        target, read = lot(request, folder)
        with closing(target):
            target.open({SOURCE.name: ""})
            target.prepare([SOURCE], create=True)
            _apply(Applier(target, [SOURCE], {}), random, _batches(random, loaded, 1))
            applier = Applier(target, [SOURCE], {}, overwrite=True)
            if number:
                _apply(applier, random, _batches(random, steps, 2))
            else:
                _apply(applier, random, (_rows([change], seqno) for seqno, change in enumerate(steps, 2)))
        assert sorted(read(), key=repr) == sorted(_expected(states[-1]), key=repr), (loaded, steps)


def _moved(table: Table, step: Step) -> Table:
    """What a change of a row makes of a table."""
    _, before, after, values = step
    assert before is not None
    assert after is not None
    own = [was if value is ... else value for was, value in zip(table[before], values, strict=True)]
    return {key: row for key, row in table.items() if key != before} | {after: (own[0], own[1])}


A, B, C = KEYS[0], KEYS[1], KEYS[3]
TO_KEYS_THAT_ARE_TAKEN: list[tuple[list[Step], Table]] = [
    ([("swap", A, B, ABSENT)], {A: ("b", "w"), B: ("a", "z")}),
    ([("delete", B, None, ABSENT), ("move", A, B, ABSENT)], {B: ("a", "z")}),
    ([("delete", B, None, ABSENT), ("move", A, B, ("c", ...))], {B: ("c", "z")}),
    ([("move", B, C, ABSENT), ("move", A, B, ABSENT)], {C: ("b", "w"), B: ("a", "z")}),
    ([("move", A, C, ABSENT), ("move", B, A, ABSENT), ("move", C, B, (..., "v"))], {A: ("b", "w"), B: ("a", "v")}),
]
"""Changes of the rows A and B, and what they make of them: a row that moves keeps what the trail lacks of it."""


@pytest.mark.parametrize("lot", DRAWS)
def test_a_row_that_moves_to_a_key_that_was_taken_keeps_its_own_columns(
    lot: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    loaded: list[Step] = [("insert", None, A, ("a", "z")), ("insert", None, B, ("b", "w"))]
    cases = TO_KEYS_THAT_ARE_TAKEN if IS_LONG or lot is _sqlite else TO_KEYS_THAT_ARE_TAKEN[:2]
    for number, (steps, table) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        target, read = lot(request, folder)
        with closing(target):
            target.open({SOURCE.name: ""})
            target.prepare([SOURCE], create=True)
            for seqno, some in enumerate((loaded, steps), 1):
                batch = _rows(some, seqno)
                Applier(target, [SOURCE], {}).apply(parts(batch), end_of(batch))
        assert sorted(read()) == _expected(table), steps


@pytest.mark.parametrize("lot", DRAWS)
def test_a_batch_that_changes_no_row_moves_the_position(
    lot: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """A row that comes and goes within it: it is not read again, and its changes are counted."""
    target, read = lot(request, tmp_path)
    steps: list[list[Step]] = [
        [("insert", None, A, ("a", "z"))],
        [("insert", None, C, ("c", "w")), ("delete", C, None, ABSENT)],
        [("insert", None, B, ("b", "w"))],
    ]
    with closing(target):
        target.open({SOURCE.name: ""})
        target.prepare([SOURCE], create=True)
        changes = 0
        for seqno, some in enumerate(steps, 1):
            batch = _rows(some, seqno)
            Applier(target, [SOURCE], target.positions()).apply(parts(batch), end_of(batch))
            changes += len(some)
            position = target.positions()[SOURCE.name]
            assert (position.place, position.changes) == (end_of(batch), changes)
    assert sorted(read()) == _expected({A: ("a", "z"), B: ("b", "w")})
