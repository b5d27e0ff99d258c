"""ROW where the name is that of several tables, by their capitals or by a wildcard: one table, never rows of two."""

from __future__ import annotations

import fnmatch
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from fixtures.changes import Change, delete, insert, truncate, unified_key_update, unified_update
from fixtures.flavour import ORACLE_12
from fixtures.shop import ORACLE_TEAS, Row, ShopTable
from logdump.features.row.model import RowChangeShown, RowStoryShown
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.pairs import Copier
from trailformat import TrailFile

TABLES = (
    ("HR.TEAS", "hr.teas", "Hr.Teas"),
    ("HR.A*B", "HR.AxB", "HR.AB"),
    ("HR.A?B", "HR.AxB", "hr.a?b"),
    ("P1.HR.TEAS", "P2.HR.TEAS", "HR.TEAS"),
)
PATTERNS = ("HR.teaS", "*.TEAS", "P?.HR.TEAS", "HR.A*", "HR.axB")


class Step(NamedTuple):
    """A change of a row: its table, and its key before and after it; neither for a truncate."""

    table: str
    before: str | None = None
    after: str | None = None


def _drawn(random: Random, names: tuple[str, ...]) -> list[Step]:
    """Changes of rows with the same few keys in several tables."""
    steps: list[Step] = []
    rows: dict[str, set[str]] = {name: set() for name in names}
    for _ in range(random.randint(3, 16)):
        table, key = random.choice(names), random.choice("ABC")
        own = rows[table]
        if random.random() < 0.1:
            step = Step(table)
        elif key in own:
            step = Step(table, key, random.choice([None, key, *sorted({*"ABCD"} - own)]))
        else:
            step = Step(table, None, key)
        own.difference_update(own if step == Step(table) else {step.before})
        if step.after is not None:
            own.add(step.after)
        steps.append(step)
    return steps


def _change(step: Step, table: ShopTable) -> Change:
    before, after = (None if key is None else _row(key) for key in step[1:])
    if before is None:
        return truncate(table) if after is None else insert(table, after)
    if after is None:
        return delete(table, before)
    return (unified_update if before == after else unified_key_update)(table, before, after)


def _row(key: str) -> Row:
    return (key, "Sencha", None, "A ", Decimal("9.50"), Decimal(7))


def _written(folder: Path, steps: list[Step], names: tuple[str, ...], random: Random) -> list[str]:
    """Write a trail; return the place of each step."""
    tables = {name: ShopTable(name, at, ORACLE_TEAS.columns) for at, name in enumerate(names, 1)}
    copier = Copier(folder, random, roll_chance=0.2, flavour=ORACLE_12, tables=tuple(tables.values()))
    for number, step in enumerate(steps, 1):
        copier.begin(number)
        copier.rows([_change(step, tables[step.table])], 1)
    copier.close()
    places = []
    for path in sorted(folder.iterdir()):
        with TrailFile(path) as trail:
            places += [
                f"{path.name}:{record.rba}" for record in trail.records(trail.first_rba) if not record.is_metadata
            ]
    return places


def _of_row(steps: list[Step], table: str, key: str) -> list[int]:
    """The numbers of the changes of those rows of a table that had the key at some time."""
    rows: dict[str | None, list[int]] = {}
    found: set[int] = set()
    lives: list[list[int]] = []
    for number, step in enumerate(steps):
        if step.table != table or step == Step(table):
            continue
        life = rows.pop(step.before, None) if step.before is not None else None
        if life is None:
            lives.append(life := [])
        life.append(number)
        if step.after is not None:
            rows[step.after] = life
    for life in lives:
        if any(key in steps[number][1:] for number in life):
            found.update(life)
    return sorted(found)


def test_the_rows_of_one_table_are_told(tmp_path: Path) -> None:
    """The table that is spelled so, else the only one that has such a row; else those that have one are named."""
    for seed in range(examples(60)):
        random = Random(seed)
        names = random.choice(TABLES)
        steps = _drawn(random, names)
        folder = tmp_path / str(seed)
        folder.mkdir()
        places = _written(folder, steps, names, random)
        for name in (*names, *PATTERNS):
            key = random.choice("ABC")
            of_table = {table: _of_row(steps, table, key) for table in names if _is_meant(name, table)}
            having = [name] if name in names else [table for table, changes in of_table.items() if changes]
            line = Line()
            text = line(f"open {min(folder.iterdir())}; across on; row {name} TEA_CODE={key}")
            told = [
                f"{change.path.name}:{change.row.rba}" for change in line.events if isinstance(change, RowChangeShown)
            ]
            if len(having) == 1:
                assert told == [places[number] for number in of_table[having[0]]], (seed, name, key)
                ends = [event for event in line.events if isinstance(event, RowStoryShown)]
                assert [end.table for end in ends] == ([having[0]] if told else []), (seed, name, key)
                assert not any(f"TRUNCATE of {other} " in "\n".join(text) for other in {*names} - {*having} if told)
            else:
                assert not told, (seed, name, key)
                assert all(table in text[-1] for table in having), (seed, name, text)


def _is_meant(name: str, table: str) -> bool:
    return fnmatch.fnmatchcase(table.upper(), name.upper())


def test_what_takes_a_row_back_is_of_one_table(line: Line, tmp_path: Path) -> None:
    """A script that deletes the rows of two tables was headed by the name of one."""
    names = ("HR.TEAS", "hr.teas")
    _written(tmp_path, [Step(name, None, "A") for name in names], names, Random(1))
    path = min(tmp_path.iterdir())
    text = "\n".join(line(f"open {path}; across on; row undo HR.TEAS TEA_CODE=A"))
    assert text.count("DELETE FROM") == text.count('DELETE FROM "HR"."TEAS"') == 1
    line(f"open {path}; across on; row undo HR.* TEA_CODE=A")
    [failure] = line.failures
    assert failure.lines == ("2 tables with such a row are called HR.*: HR.TEAS, hr.teas. Name one of them.",)
