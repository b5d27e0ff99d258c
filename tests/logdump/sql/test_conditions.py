"""Drawn conditions give the rows that they give where nothing of the trail is left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.sql import local_query
from logdump.features.sql.trail_table import Narrowed, TrailTable
from logdump.tables.slice import RbaRange
from tests.logdump.sql.told import Asked
from tests.searching import IS_LONG, Random, examples
from tests.simulated.eventful import Eventful
from trailformat import TrailFile, to_datetime

COLUMNS = ("rba", "csn", "time", "op", "op_code", '"table"')
SIGNS = ("=", "=", "<>", "<", "<=", ">", ">=")
AT = "at00000000*"
NOWHERE = {
    "rba": ("1", "99999999"),
    "csn": ("1", "x", "0000041882368", "41882368.1"),
    "op": ("insert", "No such", "INSERT"),
    "op_code": ("0", "999", "256", "-1"),
    "time": ("1970-01-01 00:00:00+00", "2262-04-11 23:47:16+00"),
    '"table"': ("teahouse.teas", "TEAHOUSE.*", "TEAHOUSE.TEAS,TEAHOUSE.SALES", " ", "it''s"),
}
"""What no record has."""


def _values(asked: Asked) -> dict[str, list[str]]:
    """What each column holds, and for times the bounds in the headers of the files."""
    values = {}
    for column in COLUMNS:
        rows = asked.rows(f"over {TRAILS}/{AT} select distinct {column}::varchar from records")
        values[column] = [f"'{value}'" for (value,) in rows if value]
    values["time"] += [f"'{bound}'" for bound in _bounds()] * 3
    for column, others in NOWHERE.items():
        values[column] += [f"'{other}'" for other in others]
    return {column: sorted(texts) for column, texts in values.items()}


def _condition(
    random: Random, values: dict[str, list[str]], depth: int, columns: Sequence[str] = COLUMNS, alias: str = ""
) -> str:
    """A tree of AND, OR and NOT over comparisons of the columns of a relation, of which some are of one column."""
    if depth and random.random() < 0.8:
        word = random.choice((" AND ", " OR "))
        own = columns if random.random() < 0.6 else [random.choice(columns)]
        parts = [_condition(random, values, depth - 1, own, alias) for _ in range(random.choice((2, 2, 3)))]
        return f"{random.choice(('', '', 'NOT '))}({word.join(parts)})"
    name = random.choice(columns)
    column, pick = alias + name, random.choice(values[name])
    kind = random.random()
    if kind < 0.15:
        return f"{column} IN ({', '.join(random.sample(values[name], min(2, len(values[name]))))})"
    if kind < 0.3:
        return f"{column} BETWEEN {pick} AND {random.choice(values[name])}"
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
            for column, (left, right) in sides.items()
            for first, last in pairs
            for own, other in ((left, right), (right, left))
        ]
    )


def test_what_no_record_has_is_in_no_row() -> None:
    _check([f"{column} {sign} '{other}'" for column, others in NOWHERE.items() for other in others for sign in "=<>"])


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


SOURCES = (
    ("at00000000*", "records", COLUMNS),
    ("st00000000*", "records", COLUMNS),
    ("zt000000000", "records", ("rba", "csn", "time", "op", "op_code")),
    ("at00000000*", "teahouse.teas", ("rba", "csn", "time", "op", "trans_ind")),
    ("st00000000*", "teahouse.sales", ("rba", "csn", "time", "op", "xid")),
)
"""Trails, the views that are asked over them, and the columns of those that conditions are on."""
SHAPES = (
    "select file, rba from {view} where {one} and {other}",
    "select file, rba from (select * from {view} order by file, rba limit {few}) where {one}",
    "select file, rba from (select * from {view} order by file desc, rba desc limit {few} offset 2) where {one}",
    "select file, rba, n from (select *, row_number() over (order by file, rba) n from {view}) where {one}",
    "select a.file, a.rba, b.rba from {view} a left join {view} b on a.file = b.file and a.rba = b.rba and {b}",
    "select a.file, a.rba, b.file, b.rba from {view} a left join {view} b on a.rba = b.rba and {a}",
    "select file, rba from {view} where {one} union all select file, rba from {view} where {other}",
    "select file, rba from {view} where {one} except select file, rba from {view} where {other}",
    "select file, rba from {view} where rba in (select rba from {view} where {one})",
    "select a.file, a.rba from {view} a where {a} and exists (select 1 from {view} b where b.rba > a.rba and {b})",
    "select op, count(*), min(rba), max(time) from {view} where {one} group by op having count(*) > 1",
    "with w as (select * from {view} where {one}) select file, rba from w where {other}",
    "with w as materialized (select * from {view}) select a.file, a.rba from w a, w b where a.rba = b.rba and {a}",
    "select file, rba, ({one}) is true, case when {other} then 1 end from {view}",
    "select file, rba from {view} where ({one}) is not true",
)
"""Statements in which a condition may narrow the read of a view, or must not: it is on what was made of its rows."""


@cache
def _values_of(path: str, view: str, columns: tuple[str, ...]) -> dict[str, list[str]]:
    """What each column of a view holds; times in other zones and between two seconds too."""
    values = {}
    for column in columns:
        rows = Asked().rows(f"over {TRAILS}/{path} select distinct {column}::varchar from {view}")
        values[column] = sorted(f"'{value}'" for (value,) in rows if value)
    for column in columns:
        values[column] += [f"'{other}'" for other in NOWHERE.get(column, ())]
    random = Random(f"{path} {view}")
    for text in values["time"][:]:
        moment = datetime.fromisoformat(text.strip("'"))
        zone = timezone(timedelta(minutes=random.choice((-450, -60, 60, 345))))
        values["time"] += [
            f"'{moment.astimezone(zone)}'",
            f"'{moment + timedelta(microseconds=random.choice((-1, 1)))}'",
        ]
    return values


@pytest.mark.parametrize("shape", SHAPES)
def test_a_statement_of_any_shape_has_the_rows_of_a_view_that_is_read_whole(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(shape)
    for path, view, columns in random.sample(SOURCES, len(SOURCES) if IS_LONG else 3):
        values = _values_of(path, view, columns)
        names = (("one", ""), ("other", ""), ("a", "a."), ("b", "b."))
        parts = {name: f"({_condition(random, values, 1, columns, alias)})" for name, alias in names}
        asked_as = random.choice((view, f"trail('{TRAILS}/{path}', '{view}')"))
        shaped = shape.format(view=asked_as, few=random.randint(2, 9), **parts)
        over = f"over {TRAILS}/{path} " if asked_as == view else ""
        statement = f"{over}{shaped} order by all"
        narrowed = Asked().rows(statement)
        with monkeypatch.context() as whole:
            whole.setattr(local_query, "needs_of", lambda *_: Narrowed())
            assert narrowed == Asked().rows(statement), statement


ANALYSES = (
    ("at*", "restarts", ("rba", "time")),
    ("at*", "transactions", ("csn", "is_whole")),
    ("at*", "summary", ('"table"', "op", "op_code")),
    ("zt*", "ddl", ("rba", "time", "csn")),
    ("yt*", "heartbeats", ("rba", "csn", '"table"')),
)
"""Trails, analyses of them, and columns that have the names of those by which records are narrowed."""


@pytest.mark.parametrize(("path", "view", "columns"), ANALYSES)
def test_a_condition_on_an_analysis_leaves_its_rows_as_they_are_without_it(
    path: str, view: str, columns: tuple[str, ...]
) -> None:
    """Each row may depend on any record: none is left out by a condition on the rows."""
    random, over, conditions = Random(view), f"over {TRAILS}/{path}", list[str]()
    for column in columns:
        texts = Asked().rows(f"{over} select {column}::varchar from {view} order by {column}")
        values = [text for (text,) in texts if text is not None]
        signs = random.sample(("=", "<", "<=", ">", ">=", "<>"), 3)
        places = (values[0], values[len(values) // 2], values[-1])
        conditions += [f"{column} {sign} '{random.choice(places)}'" for sign in signs]
    everything = Asked().rows(f"{over} select {', '.join(f'({text}) IS TRUE' for text in conditions)}, * from {view}")
    for number, condition in enumerate(conditions):
        rows = Asked().rows(f"{over} select * from {view} where {condition}")
        expected = [row[len(conditions) :] for row in everything if row[number]]
        assert sorted(map(repr, rows)) == sorted(map(repr, expected)), condition


@pytest.mark.parametrize("seed", range(examples(100, short=30)))
@pytest.mark.parametrize("options", [{"analysis": "transactions"}, {"analysis": "restarts"}, {"summary": "true"}])
def test_an_analysis_is_of_the_whole_trail_whatever_places_and_options_its_reader_names(
    options: dict[str, str], seed: int, tmp_path: Path
) -> None:
    """Also where the files have other RBAs than those."""
    random = Random(f"{options} {seed}")
    trail = Eventful(tmp_path, random, is_sound=True, steps=("whole", "restart", "cut", "again", "over"))
    table = TrailTable({"path": f"{trail.name}*", **options})
    first, last = sorted(random.randrange(max(file.size for file in trail.files)) for _ in range(2))
    rbas = random.choice((RbaRange(first), RbaRange(0, last), RbaRange(first, last)))
    others = random.choice(({}, {"startCsn": "110"}, {"where": "IOTYPE 3"}, {"table": "TEA.POTS"}))
    narrowed = table.narrowed(Narrowed(random.choice((None, frozenset(table.schema.names))), rbas, others))
    assert [row for batch in narrowed for row in batch.to_pylist()] == table.to_arrow().to_pylist()
