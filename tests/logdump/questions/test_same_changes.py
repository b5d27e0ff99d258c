"""The changes of drawn tables, told by rows of a table, by changes, by EXPORT and by DIFF VALUES, against the draw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.features.diff.model import DifferenceKind, DifferenceShown
from logdump.features.sql.trail_table import TrailTable
from tests.logdump.line import Line
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.test_changes import changes_in
from tests.searching import Random, examples
from trailformat.values import plain_text

TABLES = {
    "S.A": {"ID": "INT64", "N": "VARCHAR", "P": "INT64 with a scale"},
    "S.B": {"ID": "INT32", "X": "VARCHAR"},
    "S.C": {"ID": "VARCHAR", "P": "INT16", "N": "VARCHAR", "X": "INT64 with a scale"},
}
Image = dict[str, Any]


class Step(NamedTuple):
    """A change: its table and operation, and the columns that its images have; None is NULL."""

    table: str
    op: str
    before: Image
    after: Image


def _value(kind: str, random: Random) -> Any:
    if kind == "VARCHAR":
        return random.choice(("", "x", "Uji, 2014", 'a "b"', "宇治", "NULL", "0"))
    number = random.randrange(-300, 300)
    return Decimal(number).scaleb(-2) if "scale" in kind else number


def _steps(random: Random) -> Iterator[Step]:
    """Yield changes of all tables among each other."""
    for number in range(random.randrange(8, 25)):
        table = random.choice([*TABLES])
        columns = TABLES[table]
        (key, kind), *others = columns.items()
        keys = [f"k{number}" if kind == "VARCHAR" else number * 2 + at for at in range(2)]
        image = {
            name: None if random.random() < 0.2 else _value(own, random)
            for name, own in others
            if random.random() < 0.7
        }
        whole = {name: image.get(name) for name, _ in others}
        op = random.choice(("INSERT", "UPDATE", "UPDATE", "DELETE", "PK UPDATE"))
        if op == "INSERT":
            yield Step(table, op, {}, {key: keys[0], **whole})
        elif op == "DELETE":
            yield Step(table, op, {key: keys[0], **image}, {})
        else:
            before = {key: keys[1]} if op == "PK UPDATE" else {}
            yield Step(table, op, before, {key: keys[0], **image})


def _written(folder: Path, steps: list[Step]) -> Path:
    trail = Trail(TABLES)
    for step in steps:
        before, after = ([image.get(name, ...) for name in TABLES[step.table]] for image in (step.before, step.after))
        if step.op == "PK UPDATE":
            trail.move(step.table, before, after)
        else:
            make = {"INSERT": trail.insert, "UPDATE": trail.update, "DELETE": trail.delete}[step.op]
            make(step.table, *(before if step.op == "DELETE" else after))
    return trail.write(folder)


def _of_table(path: Path, table: str) -> list[Step]:
    """The rows of a table."""
    rows = TrailTable({"path": str(path), "rowsOf": table}).to_arrow().to_pylist()
    sides = [[f"{side}_{name}" for name in TABLES[table]] for side in ("before", "after")]
    return [
        Step(
            table,
            row["op"],
            *(
                {
                    name.partition("_")[2]: row[name]
                    for name in names
                    if row[name] is not None or name in (row["nulls"] or ())
                }
                for names in sides
            ),
        )
        for row in rows
    ]


def _exported(folder: Path, table: str) -> list[Step]:
    """The rows of an export, whose values are texts."""
    file = folder / f"{table}.jsonl"
    rows = [json.loads(text) for text in file.read_text().splitlines()] if file.exists() else []
    steps = []
    for row in rows:
        images = [
            {name.removeprefix(side): value for name, value in row.items() if name.startswith(side)}
            for side in ("before_", "after_")
        ]
        steps.append(Step(table, row["op"], *images))
    return steps


def _as_text(step: Step) -> Step:
    images = (
        {name: None if value is None else plain_text(value) for name, value in image.items()}
        for image in (step.before, step.after)
    )
    return Step(step.table, step.op, *images)


def _changes(step: Step) -> list[tuple[str, Image]]:
    """The changes that a copy of the table takes: an update of the key is a delete and an insert."""
    if step.op == "PK UPDATE":
        return [("delete", step.before), ("insert", step.after)]
    return [(step.op.lower(), step.before or step.after)]


@pytest.mark.parametrize("seed", range(examples(16)))
def test_each_tells_the_changes_that_were_drawn(seed: int, line: Line, tmp_path: Path) -> None:
    steps = [*_steps(Random(seed))]
    path, out = _written(tmp_path / "a", steps), tmp_path / "out"
    line(f"open {path}; export jsonl to {out} by table")
    for table, columns in TABLES.items():
        own = [step for step in steps if step.table == table]
        assert _of_table(path, table) == own
        assert _exported(out, table) == [*map(_as_text, own)]
        changes = [
            (row["_op"], {name: row[name] for name in columns if name not in (row["_absent"] or ())})
            for row in changes_in(path, table)
        ]
        assert changes == [change for step in own for change in _changes(step)]


def _changed(step: Step, random: Random) -> Step:
    """The same change with other values, or others that are NULL; the key stays."""
    key = next(iter(TABLES[step.table]))
    images = (
        {
            name: value
            if name == key or random.random() < 0.5
            else random.choice((None, _value(TABLES[step.table][name], random)))
            for name, value in image.items()
        }
        for image in (step.before, step.after)
    )
    return Step(step.table, step.op, *images)


@pytest.mark.parametrize("seed", range(examples(16)))
def test_diff_of_values_tells_the_columns_in_which_two_draws_differ(seed: int, line: Line, tmp_path: Path) -> None:
    random = Random(seed)
    steps = [*_steps(random)]
    others = [_changed(step, random) if random.random() < 0.4 else step for step in steps]
    paths = [_written(tmp_path / name, some) for name, some in (("a", steps), ("b", others))]
    line(f"diff {paths[0]} {paths[1]} values")
    told = [event for event in line.events if isinstance(event, DifferenceShown)]
    assert {event.kind for event in told} <= {DifferenceKind.CHANGED}
    expected = [
        (
            step.table,
            {
                (side, name)
                for side in ("before", "after")
                for name, value in getattr(step, side).items()
                if value != getattr(other, side)[name]
            },
        )
        for step, other in zip(steps, others, strict=True)
        if step != other
    ]
    assert [(event.table, {(part.part, part.column) for part in event.parts}) for event in told] == expected
