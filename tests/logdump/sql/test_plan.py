"""What the conditions of a plan narrow: several of one kind, in any order, and those that narrow nothing."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import duckdb
import pytest

from logdump.features.sql.plan import PlannedScan, Relation, conjuncts, needs_of, parse, planned_scans
from logdump.features.sql.trail_table import Narrowed
from logdump.tables.slice import END_OF_FILE, RbaRange
from tests.searching import Random, examples

OFFERED = ("rba", "op", "op_code", "csn", "time", "table", "raw")


def narrowed(*conditions: str, columns: tuple[str, ...] = ("0.rba", "0.op")) -> Narrowed:
    """What a scan of view 0 needs under conditions."""
    return needs_of("0.", OFFERED, [PlannedScan(columns, conditions)])


@pytest.mark.parametrize(
    ("conditions", "rbas"),
    [
        (("0.rba >= 2000", "0.rba > 2500", "0.rba >= 1000"), (2501, END_OF_FILE)),
        (("0.rba <= 5000", "0.rba < 4000", "0.rba <= 4500"), (0, 3999)),
        (("0.rba > 10", "0.rba = 40", "0.rba < 90"), (40, 40)),
        (("0.rba >= 7", "0.rba <= 7"), (7, 7)),
        (("1.rba > 5", "0.rba > 3", "0.rba + 1 > 9"), (4, END_OF_FILE)),
        (("0.rba > 3 OR 0.rba < 9", "0.rba <= 8", "0.rba != 4"), (0, 8)),
        (("0.rba > 3 OR 1.rba > 3", "0.rba = 2 OR 0.op = 'Insert'"), (0, END_OF_FILE)),
    ],
)
def test_of_several_bounds_the_narrowest_holds_whichever_comes_last(
    conditions: tuple[str, ...], rbas: tuple[int, int]
) -> None:
    for some in permutations(conditions):
        assert narrowed(*some).rbas == RbaRange(*rbas)


ZONES = ("+01", "-10", "+10:00", "+05:30", "-00:30", "")
"""Time zones that are not UTC, and none."""
TIME = "0.time {} '2024-03-14 09:3{}:00+00'::TIMESTAMP WITH TIME ZONE"


@pytest.mark.parametrize(
    ("conditions", "options"),
    [
        (
            (TIME.format(">=", 1), TIME.format("<", 5)),
            {
                "startTimestamp": "2024-03-14T09:31:00Z",
                "endTimestamp": "2024-03-14T09:35:00Z",
                "skipFiles": "false",
            },
        ),
        ((TIME.format(">", 2),), {"startTimestamp": "2024-03-14T09:32:00Z"}),
        *(((TIME.format(sign, 2).replace("+00'", f"{zone}'"),), {}) for zone in ZONES for sign in "<=>"),
        (
            (
                TIME.format(">=", 1).replace("+00'", "+01'"),
                TIME.format(">=", 2),
                TIME.format("<", 3).replace("+00'", "-04'"),
            ),
            {"startTimestamp": "2024-03-14T09:32:00Z"},
        ),
        (("0.op = 'Insert' OR 0.op = 'Delete' OR 0.op_code = 5",), {}),
        (("0.op = 'Insert' OR 0.op = 'Delete' OR 0.op = 'Update'",), {"where": "IOTYPE 3,5,10"}),
        (("0.op_code = 5 OR 0.op_code = 3 OR 0.op_code = 10",), {"where": "IOTYPE 3,5,10"}),
        (("0.op = 'Insert' OR 0.op = 'No such' OR 0.op = 'Update'",), {}),
        (("0.op_code > 5",), {}),
        (("0.csn = '12'", "0.csn > '3'"), {"startCsn": "12", "endCsn": "12"}),
        (("0.csn = '12' OR 0.csn = '13'",), {}),
        (("0.csn = '0.12.3'",), {}),
        (("0.table = 'A.B'", "0.table != 'A.C'"), {"table": "A.B"}),
        (("0.table = 'A.B' OR 0.table = 'A.C'",), {}),
        (("0.table = 'A.*'",), {}),
        (("0.table = ''",), {}),
        (("1.table = 'A.B'",), {}),
    ],
)
def test_a_condition_selects_records_by_an_option_or_not_at_all(
    conditions: tuple[str, ...], options: dict[str, str]
) -> None:
    for some in permutations(conditions):
        assert dict(narrowed(*some).options) == options


def test_columns_are_those_of_all_scans_of_a_view_and_bounds_those_of_an_only_one() -> None:
    scans = [
        PlannedScan(("0.rba",), ("0.rba > 5",)),
        PlannedScan(("1.op", "1.raw"), ("1.rba > 6",)),
        PlannedScan(("0.csn", "0.op"), ()),
    ]
    assert needs_of("0.", OFFERED, scans) == Narrowed(frozenset({"rba", "csn", "op"}))
    assert needs_of("1.", OFFERED, scans) == Narrowed(frozenset({"op", "raw"}), RbaRange(7))
    assert needs_of("0.", OFFERED, [*scans, PlannedScan(None, ())]) == Narrowed()


def _node(name: str, *children: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {"name": name, "children": [*children], "extra_info": {key.title(): fact for key, fact in facts.items()}}


def test_a_scan_has_the_columns_that_its_node_names_and_the_conditions_of_the_filter_above_it() -> None:
    """A name is a text, several are a list; where none is said all may be read. Of filters that right above counts."""
    several = _node("PYTHON_ARROW_SCAN", projections=["0.rba", "0.op"])
    single = _node(" ARROW_SCAN ", projections="1.op")
    silent = _node("ARROW_SCAN_DUMB", function="ARROW_SCAN")
    joined = _node("HASH_JOIN", several, _node("FILTER ", single, expression="((1.op > 2) AND (1.rba = 3))"))
    other = _node("SEQ_SCAN", projections="2.csn")
    below = _node("FILTER", _node("PROJECTION", silent, projections="42"), expression="(0.rba > 1)")
    unsure = _node("FILTER", _node("FILTER", silent, expression=["(a)", "(b)"]), expression="(0.rba > 2)")
    plan = [_node("UNION", joined, other, below, unsure)]
    assert planned_scans(json.dumps(plan)) == [
        PlannedScan(("0.rba", "0.op"), ()),
        PlannedScan(("1.op",), ("1.op > 2", "1.rba = 3")),
        PlannedScan(None, ()),
        PlannedScan(None, ()),
    ]
    assert needs_of("0.", OFFERED, planned_scans(json.dumps(plan))) == Narrowed()


@pytest.mark.parametrize(
    ("expression", "conditions"),
    [
        ("(a > 1)", ("a > 1",)),
        ("((a > 1) AND (b < 2) AND (c = 3))", ("a > 1", "b < 2", "c = 3")),
        ("((a > 1) AND ((b < 2) OR (c = 3)))", ("a > 1", "(b < 2) OR (c = 3)")),
        ("((a > 1) OR ((b < 2) AND (c = 3)))", ("(a > 1) OR ((b < 2) AND (c = 3))",)),
        ("((a = ' AND ') AND (b = '(' ))", ("a = ' AND '", "b = '(' ")),
        ("((1.a BETWEEN 3 AND 5) AND (b < 2))", ("1.a >= 3", "1.a <= 5", "b < 2")),
        ("(1.a BETWEEN 3 AND 5 AND (b < 2))", ("1.a >= 3", "1.a <= 5", "b < 2")),
        ("((a > 1) AND (b < 2) OR (c = 3))", ("(a > 1) AND (b < 2) OR (c = 3)",)),
        ("((c = 3) OR (a > 1) AND (b < 2))", ("(c = 3) OR (a > 1) AND (b < 2)",)),
        ("", ()),
    ],
)
def test_conditions_joined_by_and_are_parted(expression: str, conditions: tuple[str, ...]) -> None:
    assert conjuncts(expression) == conditions


NAMES = ("teas", "records", "w")


def _query(random: Random, depth: int, defined: frozenset[str]) -> tuple[str, set[Relation]]:
    """A query, and the relations that it reads: a name of its WITH hides one from the next name on."""
    definitions, read = [], set[Relation]()
    word = "recursive " * (random.random() < 0.3)
    for name in random.sample(NAMES, random.randint(0, 2 if depth else 0)):
        inner, of_inner = _query(random, depth - 1, defined)
        if word and random.random() < 0.5:
            more, of_more = _query(random, 0, defined | {name})
            inner, of_inner = (
                f"select x from ({inner}) a union all select 1 as x from ({more}) b, {name}",
                of_inner | of_more,
            )
        definitions.append(f"{random.choice((name, name.upper()))} as ({inner})")
        defined, read = defined | {name}, read | of_inner
    sources = []
    for number in range(random.randint(1, 3)):
        if depth and random.random() < 0.3:
            inner, of_inner = _query(random, depth - 1, defined)
            sources.append(f"({inner}) s{number}")
            read |= of_inner
            continue
        name, schema = random.choice(NAMES), random.choice(("", "teahouse"))
        sources.append(f"{schema}{'.' * bool(schema)}{name} r{number}")
        if schema or name not in defined:
            read.add(Relation(schema, name))
    head = f"with {word}{', '.join(definitions)} " if definitions else ""
    return f"{head}select 1 as x from {', '.join(sources)}", read


def test_a_name_of_with_hides_relations_without_a_schema_from_the_next_query_on() -> None:
    """Which relations a query reads is what DuckDB misses without them."""
    connection, random = duckdb.connect(), Random("with")
    connection.execute("create schema teahouse")
    for _ in range(examples(300)):
        text, read = _query(random, 2, frozenset())
        assert {*parse(connection, text).relations} == read, text
        for relation in read:
            connection.execute(f"create view {'.'.join(filter(None, relation))} as select 1 as x")
        connection.execute(f"explain {text}")
        for relation in read:
            connection.execute(f"drop view {'.'.join(filter(None, relation))}")
