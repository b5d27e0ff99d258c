"""Drawn conditions give the rows that they give where nothing of the trail is left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fixtures import TRAILS
from tests.logdump.sql.told import Asked
from tests.searching import IS_LONG, Random
from trailformat import TrailFile, to_datetime

COLUMNS = ("rba", "csn", "time", "op", "op_code", '"table"')
SIGNS = ("=", "=", "<>", "<", "<=", ">", ">=")
AT = "at00000000*"


def _values(asked: Asked) -> dict[str, list[str]]:
    """What each column holds, and for times the bounds in the headers of the files."""
    values = {}
    for column in COLUMNS:
        rows = asked.rows(f"over {TRAILS}/{AT} select distinct {column}::varchar from records")
        values[column] = [f"'{value}'" for (value,) in rows if value]
    values["time"] += [f"'{bound}'" for bound in _bounds()] * 3
    return {column: sorted(texts) for column, texts in values.items()}


def _condition(random: Random, values: dict[str, list[str]], depth: int, columns: Sequence[str] = COLUMNS) -> str:
    """A tree of AND, OR and NOT over comparisons, of which some are of one column."""
    if depth and random.random() < 0.8:
        word = random.choice((" AND ", " OR "))
        own = columns if random.random() < 0.6 else [random.choice(columns)]
        parts = [_condition(random, values, depth - 1, own) for _ in range(random.choice((2, 2, 3)))]
        return f"{random.choice(('', '', 'NOT '))}({word.join(parts)})"
    column = random.choice(columns)
    pick = random.choice(values[column])
    kind = random.random()
    if kind < 0.15:
        return f"{column} IN ({', '.join(random.sample(values[column], min(2, len(values[column]))))})"
    if kind < 0.3:
        return f"{column} BETWEEN {pick} AND {random.choice(values[column])}"
    return f"{random.choice(('', '', 'NOT '))}{column} {random.choice(SIGNS)} {pick}"


@pytest.fixture(scope="module")
def values() -> dict[str, list[str]]:
    """The values that conditions compare with."""
    return _values(Asked())


def _check(conditions: list[str]) -> None:
    """Hold the rows of each condition against those of which one read of all says that it is true."""
    marks = ", ".join(f"({condition}) IS TRUE" for condition in conditions)
    everything = Asked().rows(f"over {TRAILS}/{AT} select file, rba, {marks} from records order by file, rba")
    for number, condition in enumerate(conditions, 2):
        statement = f"over {TRAILS}/{AT} select file, rba from records where {condition} order by file, rba"
        assert Asked().rows(statement) == [row[:2] for row in everything if row[number]], condition


def test_what_is_left_out_is_no_row_of_a_condition(values: dict[str, list[str]]) -> None:
    _check([_condition(Random(seed), values, 2) for seed in range(400 if IS_LONG else 30)])


@pytest.mark.parametrize("word", ["OR", "AND"])
def test_two_comparisons_of_one_column_are_both_in_force(word: str, values: dict[str, list[str]]) -> None:
    pairs = (("=", "="), (">", "<"), ("<=", ">="))
    random = Random(word)
    sides = {column: random.sample(values[column], 2) for column in COLUMNS}
    _check(
        [
            f"({column} {first} {own} {word} {column} {last} {other})"
            for column, (one, two) in sides.items()
            for first, last in pairs
            for own, other in ((one, two), (two, one))
        ]
    )


def test_a_time_that_is_a_bound_of_a_file_is_in_it() -> None:
    _check([f"time {sign} '{bound}'" for bound in _bounds() for sign in ("=", "<", "<=", ">", ">=")])


def _bounds() -> list[str]:
    """The first and the last time in the header of each file."""
    times = []
    for path in sorted(TRAILS.glob(AT)):
        with TrailFile(path) as trail:
            header = trail.file_header
            assert header is not None
            times += [time for time in (header.first_time, header.last_time) if time is not None]
    return [f"{to_datetime(time)}" for time in times]
