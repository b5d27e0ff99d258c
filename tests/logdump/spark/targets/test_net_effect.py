"""The net effect of changes, wherever keys meet: swaps at once and by way of a third, there and back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from logdump.spark.targets.net_effect import Changes, NetEffect, RowEffect

Row = dict[str, Any]


def _net(*steps: tuple[Any, ...], present: tuple[int, ...] = ()) -> NetEffect:
    return _changes(*steps).net({(one,) for one in present})


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


def test_the_rows_that_decide_an_upsert_are_asked_for() -> None:
    steps = [("upsert", 1, "a", "b"), ("move", (2, 3), "c", ...), ("insert", 4, "d", "e")]
    assert _changes(*steps).sought() == {(1,), (3,)}
    assert _changes(*steps).sought(overwrite=True) == {(1,)}


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
