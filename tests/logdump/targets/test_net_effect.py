"""The net effect of changes, wherever keys meet: swaps at once and by way of a third, there and back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from logdump.targets.net_effect import Changes, NetEffect, RowEffect
from tests.searching import Random

Row = dict[str, Any]


def _net(*steps: tuple[Any, ...], present: tuple[int, ...] = ()) -> NetEffect:
    return _changes(*steps).net({(key,) for key in present})


def _changes(*steps: tuple[Any, ...]) -> Changes:
    """Of steps (op, key, A, B): ``...`` is a column that is absent; a move has both keys."""
    rows: list[Row] = []
    for number, (op, key, *values) in enumerate(steps):
        absent = [name for name, value in zip("AB", values, strict=False) if value is ...]
        own = {name: None if value is ... else value for name, value in zip("AB", values, strict=False)}
        place = f"{number:04d}"
        if op == "move":
            rows.append({"ID": key[0], "_op": "delete", "_sequence": f"{place}.0", "_absent": ["A", "B"]})
            rows.append({"ID": key[1], **own, "_op": "insert", "_sequence": f"{place}.1", "_absent": absent or None})
        else:
            rows.append({"ID": key, **own, "_op": op, "_sequence": f"{place}.0", "_absent": absent or None})
    fields = {"ID": pa.int64(), "A": pa.string(), "B": pa.string(), "_op": pa.string(), "_sequence": pa.string()}
    changes = Changes(["ID", "A", "B"], ["ID"])
    changes.add(pa.Table.from_pylist(rows, pa.schema([*fields.items(), ("_absent", pa.list_(pa.string()))])))
    return changes


def _told(net: NetEffect) -> tuple[set[int], set[tuple[Any, ...]]]:
    """The keys that go, and of each row kind, key before, key and columns."""
    rows = zip(net.kinds, net.origins, net.rows.to_pylist(), net.absent, strict=True)
    return {key[0] for key in net.gone}, {
        (kind, origin and origin[0], row["ID"], *(... if name in absent else row[name] for name in "AB"))
        for kind, origin, row, absent in rows
    }


INSERT, UPDATE, MOVE = RowEffect.INSERT, RowEffect.UPDATE, RowEffect.MOVE


@pytest.mark.parametrize(
    ("steps", "present", "gone", "rows"),
    [
        ([("insert", 1, "a", "b"), ("update", 1, "c", ...)], (), set(), {(INSERT, None, 1, "c", "b")}),
        ([("update", 1, "c", ...), ("update", 1, ..., "d")], (), set(), {(UPDATE, 1, 1, "c", "d")}),
        ([("update", 1, "c", ...), ("update", 1, None, ...)], (), set(), {(UPDATE, 1, 1, None, ...)}),
        ([("insert", 1, "a", "b"), ("delete", 1)], (), set(), set()),
        ([("delete", 1), ("insert", 1, "a", "b")], (), {1}, {(INSERT, None, 1, "a", "b")}),
        ([("move", (1, 2), "a", ...)], (), {1}, {(MOVE, 1, 2, "a", ...)}),
        ([("move", (1, 2), ..., ...), ("update", 2, "x", ...)], (), {1}, {(MOVE, 1, 2, "x", ...)}),
        ([("move", (1, 2), ..., ...), ("move", (2, 1), ..., "b")], (), {1, 2} - {2}, {(MOVE, 1, 1, ..., "b")}),
        (
            [("move", (1, 2), ..., ...), ("move", (2, 1), ..., ...)],
            (2,),
            {1, 2},
            {(MOVE, 1, 2, ..., ...), (MOVE, 2, 1, ..., ...)},
        ),
        (
            [("move", (1, 2), ..., ...), ("update", 2, "x", ...), ("move", (2, 1), ..., "b")],
            (2,),
            {1, 2},
            {(MOVE, 1, 2, "x", ...), (MOVE, 2, 1, ..., "b")},
        ),
        (
            [("move", (1, 9), ..., ...), ("move", (2, 1), ..., ...), ("move", (9, 2), ..., ...)],
            (1, 2),
            {1, 2},
            {(MOVE, 1, 2, ..., ...), (MOVE, 2, 1, ..., ...)},
        ),
        ([("move", (1, 2), ..., ...), ("delete", 2)], (2,), {1, 2}, {(MOVE, 1, 2, ..., ...)}),
        ([("move", (1, 2), ..., ...), ("delete", 2)], (), {1}, set()),
        ([("insert", 1, "a", "b"), ("move", (1, 2), "c", ...)], (), set(), {(INSERT, None, 2, "c", "b")}),
        ([("upsert", 1, "a", ...)], (), set(), {(INSERT, None, 1, "a", ...)}),
        ([("upsert", 1, "a", ...)], (1,), set(), {(UPDATE, 1, 1, "a", ...)}),
        ([("upsert", 1, "a", ...), ("upsert", 1, ..., "b")], (1,), set(), {(UPDATE, 1, 1, "a", "b")}),
        ([("insert", 1, "a", "b"), ("upsert", 1, "c", ...)], (), set(), {(INSERT, None, 1, "c", "b")}),
        ([("upsert", 1, "a", "b"), ("delete", 1)], (), set(), set()),
        ([("upsert", 1, "a", "b"), ("delete", 1)], (1,), {1}, set()),
        ([("delete", 1), ("upsert", 1, "a", ...)], (1,), {1}, {(INSERT, None, 1, "a", ...)}),
        ([("upsert", 1, "a", "b"), ("move", (1, 2), "c", ...)], (), set(), {(INSERT, None, 2, "c", "b")}),
        ([("upsert", 1, "a", ...), ("move", (1, 2), ..., ...)], (1,), {1}, {(MOVE, 1, 2, "a", ...)}),
        (
            [("move", (1, 2), ..., ...), ("upsert", 1, "a", "b")],
            (1,),
            {1},
            {(MOVE, 1, 2, ..., ...), (INSERT, None, 1, "a", "b")},
        ),
        ([("move", (1, 2), ..., ...), ("upsert", 2, "a", ...)], (), {1}, {(MOVE, 1, 2, "a", ...)}),
    ],
)
def test_rows_that_go_and_rows_that_come(
    steps: list[tuple[Any, ...]], present: tuple[int, ...], gone: set[int], rows: set[tuple[Any, ...]]
) -> None:
    net = _net(*steps, present=present)
    assert _told(net) == (gone, rows)
    assert not net.conflicts
    assert not net.is_truncated


def test_the_rows_that_decide_an_upsert_or_a_move_are_asked_for() -> None:
    steps = [("upsert", 1, "a", "b"), ("move", (2, 3), "c", ...), ("insert", 4, "d", "e")]
    assert _changes(*steps).sought() == {(1,), (3,)}
    assert _changes(*steps).sought(overwrite=True) == {(1,), (2,), (3,)}
    assert _changes(*steps[2:]).sought(overwrite=True) == set()


@pytest.mark.parametrize(
    ("present", "row"),
    [
        ((1,), (MOVE, 1, 4, "d", "b")),
        ((2,), (MOVE, 2, 4, "d", "b")),
        ((3,), (MOVE, 3, 4, "d", "b")),
        ((4,), (UPDATE, 4, 4, "d", "b")),
        ((2, 3, 4), (MOVE, 2, 4, "d", "b")),
        ((), (MOVE, 1, 4, "d", "b")),
    ],
)
def test_a_row_that_has_moved_already_is_that_of_the_first_of_its_keys_that_is_there(
    present: tuple[int, ...], row: tuple[Any, ...]
) -> None:
    """Where rows are replaced, a target may have any of the keys that the row has had."""
    steps = [("move", (1, 2), ..., "b"), ("move", (2, 3), "c", ...), ("move", (3, 4), "d", ...)]
    net = _changes(*steps).net({(key,) for key in present}, overwrite=True)
    assert _told(net) == ({1, 2, 3}, {row})


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_change_whose_effect_is_not_known_is_a_conflict_also_where_rows_are_replaced(*, overwrite: bool) -> None:
    changes = _changes(("insert", 1, "a", "b"), ("type 141", 1), ("update", 1, "c", ...))
    [conflict] = changes.net(overwrite=overwrite).conflicts
    assert (conflict.number, conflict.problem) == (1, "its effect on the table is not known")


def test_a_truncate_forgets_the_rows_that_an_upsert_would_overwrite() -> None:
    net = _net(("truncate", None), ("upsert", 2, "a", "b"), present=(2,))
    assert _told(net) == (set(), {(INSERT, None, 2, "a", "b")})


def test_a_truncate_forgets_what_was_before() -> None:
    net = _net(("delete", 1), ("update", 2, "x", ...), ("truncate", None), ("insert", 2, "a", "b"))
    assert net.is_truncated
    assert _told(net) == (set(), {(INSERT, None, 2, "a", "b")})


@pytest.mark.parametrize(
    ("steps", "present", "problem"),
    [
        ([("delete", 1), ("update", 1, "a", ...)], (), "update of a row that is not there: 1"),
        ([("delete", 1), ("delete", 1)], (), "delete of a row that is not there: 1"),
        ([("truncate", None), ("delete", 1)], (), "delete of a row that is not there: 1"),
        ([("move", (1, 2), ..., ...)], (2,), "two rows have the key 2"),
        ([("insert", 1, "a", "b"), ("insert", 1, "c", "d")], (), "two rows have the key 1"),
        ([("upsert", None, "a", "b")], (), "the upsert has no value for a column of the key"),
        ([("update", None, "a", "b")], (), "the update has no value for a column of the key"),
    ],
)
def test_changes_that_cannot_be_are_named(steps: list[tuple[Any, ...]], present: tuple[int, ...], problem: str) -> None:
    [conflict] = _net(*steps, present=present).conflicts
    assert conflict.problem == problem


@pytest.mark.parametrize(
    ("steps", "present", "number"),
    [
        ([("insert", 1, "a", "b"), ("insert", 1, "c", "d"), ("insert", 2, "e", "f")], (), 1),
        ([("move", (1, 2), ..., ...), ("update", 2, "x", ...), ("insert", 3, "a", "b")], (2,), 2),
    ],
)
def test_the_change_that_is_named_is_the_last_one_of_the_row_that_came_last(
    steps: list[tuple[Any, ...]], present: tuple[int, ...], number: int
) -> None:
    [conflict] = _net(*steps, present=present).conflicts
    assert (conflict.number, conflict.is_open) == (number, True)


@pytest.mark.parametrize(
    ("steps", "gone", "rows"),
    [
        ([("insert", 1, "a", "b"), ("move", (2, 1), "c", ...)], {2}, {(MOVE, 2, 1, "c", ...)}),
        ([("move", (2, 1), "c", ...), ("insert", 1, "a", "b")], {2}, {(INSERT, None, 1, "a", "b")}),
        (
            [("insert", 1, "a", "b"), ("insert", 1, "c", "d"), ("update", 1, "e", ...)],
            set(),
            {(INSERT, None, 1, "e", "d")},
        ),
    ],
)
def test_of_rows_with_one_key_the_last_one_replaces_the_others(
    steps: list[tuple[Any, ...]], gone: set[int], rows: set[tuple[Any, ...]]
) -> None:
    net = _changes(*steps).net(overwrite=True)
    assert _told(net) == (gone, rows)
    assert not net.conflicts


def test_a_row_that_has_replaced_one_of_the_table_is_the_one_that_moves_on() -> None:
    """The table has a row with the key in between, too, which is known as an upsert of it follows."""
    steps = [("move", (2, 1), "c", ...), ("move", (1, 3), ..., ...), ("upsert", 1, "a", "b")]
    net = _changes(*steps).net({(1,), (2,)}, overwrite=True)
    assert _told(net) == ({1, 2}, {(MOVE, 2, 3, "c", ...), (INSERT, None, 1, "a", "b")})


def test_a_truncate_forgets_the_rows_that_were_there_to_move_to() -> None:
    net = _net(("truncate", None), ("insert", 1, "a", "b"), ("move", (1, 2), "c", ...), present=(2,))
    assert net.is_truncated
    assert _told(net) == (set(), {(INSERT, None, 2, "c", "b")})
    assert not net.conflicts


Table = dict[int, tuple[str | None, str | None]]


def _changed(random: Random, table: Table) -> tuple[Any, ...]:
    """A change that the table can have, which it then has had."""
    there, free = sorted(table), [key for key in range(1, 7) if key not in table]
    kinds = ["truncate"] + 4 * ["insert"] * bool(free) + ["update", "update", "delete"] * bool(there)
    op = random.choice(kinds + 4 * ["move"] * bool(there and free))
    values = [random.choice((..., None, "x", "y")) for _ in "AB"]
    if op == "truncate":
        table.clear()
        return op, None
    if op == "insert":
        key = random.choice(free)
        whole = [None if value is ... else value for value in values]
        table[key] = (whole[0], whole[1])
        return op, key, *whole
    key = random.choice(there)
    if op == "delete":
        del table[key]
        return op, key
    old = table.pop(key)
    new = [before if value is ... else value for before, value in zip(old, values, strict=True)]
    target = random.choice(free) if op == "move" else key
    table[target] = (new[0], new[1])
    return (op, (key, target), *values) if op == "move" else (op, key, *values)


def _applied(net: NetEffect, table: Table) -> Table:
    """The table after a net effect, in the order in which targets apply it: rows go, change, come."""
    result = {} if net.is_truncated else dict(table)
    before = dict(result)
    for key in net.gone:
        del result[key[0]]
    for row, kind, origin, absent in zip(net.rows.to_pylist(), net.kinds, net.origins, net.absent, strict=True):
        old = before.get(origin[0]) if origin is not None else None
        values = [old[at] if name in absent and old is not None else row[name] for at, name in enumerate("AB")]
        assert (row["ID"] in result) == (kind is RowEffect.UPDATE), "an insert of a row that is there, or the reverse"
        result[row["ID"]] = (values[0], values[1])
    return result


@pytest.mark.parametrize("seed", range(5))
def test_the_net_effect_of_drawn_changes_is_what_they_make_of_a_table(seed: int) -> None:
    """Truncates among moves, keys that are used again, rows that were there before."""
    random = Random(seed)
    for _ in range(60):
        table: Table = {key: ("o", f"{key}") for key in random.sample(range(1, 7), random.randrange(5))}
        before = dict(table)
        steps = [_changed(random, table) for _ in range(random.randrange(1, 9))]
        moves = {step[1][1] for step in steps if step[0] == "move"}
        net = _net(*steps, present=tuple(moves & before.keys()))
        assert not net.conflicts, steps
        assert _applied(net, before) == table, steps
