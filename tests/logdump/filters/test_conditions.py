"""Drawn conditions select the records that an oracle selects, which reads the values of each record on its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.filters import FilterError, parse_criterion
from logdump.filters.conditions import ColumnTest, begins_condition, columns_in
from logdump.notation.times import GMT
from logdump.session.searching import parse_search
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random
from tests.trailformat.values.kinds import of
from trailformat import TrailFile, Value, change_of
from trailformat.trail.row_definitions import RowDefinitions

TRAILS = ("et000000000", "el000000000", "at000000001", "ul000000000", "st000000000")
WORDS = ("Assam", "SEN01", "B ", "AA", "nothing", "Uji")
NUMBERS = (-5, 0, 9, 14, 260, 310, 500001)


class Images(NamedTuple):
    """The values of one record by column, before and after, and of the whole change."""

    table: str
    before: dict[str, Value]
    after: dict[str, Value]
    changed: frozenset[str]


def _records(path: Path) -> dict[int, Images]:
    records = {}
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for record in trail.records():
            change = None if record.is_file_header else change_of(trail, record, definitions)
            if change is None or change.problem is not None:
                continue
            is_alone = len(change.records) == 1
            is_first = change.records[0].rba == record.rba  # of two records, each has one image
            changed = (
                column.name.upper()
                for column in change.columns
                if "UPDATE" in change.op
                and (column.is_changed or (column.before is None and column.after is not None and not column.is_key))
            )
            before, after = (
                {
                    column.name.upper(): value
                    for column in change.columns
                    if (value := column.before if is_before else column.after) is not None
                    and (is_alone or is_first is is_before)
                }
                for is_before in (True, False)
            )
            records[record.rba] = Images(change.table.upper(), before, after, frozenset(changed))
    return records


Holds = Callable[[Images], bool]


class Drawn(NamedTuple):
    """A condition as text, and what it means."""

    text: str
    holds: Holds


def _leaf(drawn: Random) -> Drawn:
    if drawn.random() < 0.2:
        column = drawn.choice(["PRICE", "STOCK_KG", "TEA_CODE", "AMOUNT"])
        return Drawn(f"CHANGED {column}", lambda images: column in images.changed)
    column, is_number = drawn.choice([("STOCK_KG", True), ("NAME", False), ("TEA_CODE", False), ("ORIGIN", False)])
    test, text = _test(drawn, is_number=is_number)
    image = drawn.choice(["", "", "BEFORE", "AFTER"])
    table = drawn.choice(["", "", "TEAHOUSE.TEAS", "TEAS"])

    def holds(images: Images) -> bool:
        if table and not f".{images.table}".endswith(f".{table}"):
            return False
        sides = {"": (images.before, images.after), "BEFORE": (images.before,), "AFTER": (images.after,)}[image]
        return any(test(side[column]) for side in sides if column in side)

    name = f"{table}.{drawn.choice([column, column.lower()])}".lstrip(".")
    return Drawn(f"{drawn.choice([image, image.lower()])} {name} {text}".strip(), holds)


def _test(drawn: Random, *, is_number: bool) -> tuple[Callable[[Value], bool], str]:
    values = NUMBERS if is_number else WORDS
    low, high = sorted(drawn.sample(values, 2))  # type: ignore[type-var]

    def spelled(value: object) -> str:
        return str(value) if is_number else f"'{value}'"

    def plain(value: Value) -> Any:
        """The value as it is compared: trailing blanks of a column of fixed length do not count."""
        return value.value.rstrip(" ") if isinstance(value.value, str) else value.value

    known = {value.rstrip(" ") if isinstance(value, str) else value for value in (low, high)}
    first, last = (value.rstrip(" ") if isinstance(value, str) else value for value in (low, high))
    word = str(drawn.choice(WORDS)).strip()
    tests: list[tuple[Callable[[Value], bool], str]] = [
        (lambda value: value.is_null, "IS NULL"),
        (lambda value: not value.is_null, "is not null"),
        (
            lambda value: not value.is_null and first <= plain(value) <= last,
            f"BETWEEN {spelled(low)} AND {spelled(high)}",
        ),
        (
            lambda value: not value.is_null and not first <= plain(value) <= last,
            f"not between {spelled(low)} and {spelled(high)}",
        ),
        (lambda value: not value.is_null and plain(value) in known, f"IN ({spelled(low)},{spelled(high)})"),
        (lambda value: not value.is_null and plain(value) not in known, f"NOT IN ( {spelled(low)} , {spelled(high)} )"),
        (lambda value: not value.is_null and plain(value) == first, f"= {spelled(low)}"),
    ]
    if not is_number:
        pattern = drawn.choice([f"{word[0]}%", f"%{word[-1]}", f"%{word[1:2]}%", word, f"_{word[1:]}", "%"])
        like = re.compile(re.escape(pattern).replace("%", ".*").replace("_", "."), re.DOTALL)
        tests += [
            (lambda value: not value.is_null and like.fullmatch(str(plain(value))) is not None, f"LIKE '{pattern}'"),
            (lambda value: not value.is_null and like.fullmatch(str(plain(value))) is None, f"NOT LIKE '{pattern}'"),
        ]
    return drawn.choice(tests)


def _drawn(drawn: Random, depth: int = 2) -> Drawn:
    if not depth or drawn.random() < 0.3:
        return _leaf(drawn)
    parts = [_drawn(drawn, depth - 1) for _ in range(drawn.randint(2, 3))]
    word, join = drawn.choice([("AND", all), ("OR", any), ("and", all)])
    texts = [
        f"({part.text})" if " AND " in f" {part.text.upper()} " or " OR " in part.text else part.text for part in parts
    ]
    return Drawn(f" {word} ".join(texts), lambda images: join(part.holds(images) for part in parts))


def _selected(line: Line, text: str) -> list[int]:
    line("filter clear")
    line(f"filter value {text}; filter exclude rectype metadata; pos 0; next all")
    assert not [failure for failure in line.failures if "FILTER" in failure.lines[0]], line.failures
    return line.rbas


def test_conditions_select_what_they_say(trails: Path, line: Line) -> None:
    drawn = Random()
    for name in drawn.sample(TRAILS, 2):
        records = _records(trails / name)
        line(f"open {trails / name}")
        for _ in range(25):
            condition = _drawn(drawn)
            wanted = sorted(rba for rba, images in records.items() if condition.holds(images))
            assert sorted(set(_selected(line, condition.text)) & set(records)) == wanted, (name, condition.text)


def test_a_condition_is_the_same_in_find_in_where_and_in_a_filter(trails: Path, line: Line) -> None:
    drawn = Random()
    path = trails / "et000000000"
    line(f"open {path}; detail on")
    for _ in range(6):
        text = _leaf(drawn).text
        selected = _selected(line, text)
        line("filter clear; pos 0")
        listed = logdump("list", str(path), "--where", text, "--op", "insert,update,delete")
        found = logdump("find", str(path), text, "--limit", "99", "--op", "insert,update,delete")
        assert [int(row.split()[0]) for row in listed.out.splitlines()] == selected
        assert [int(rba) for rba in re.findall(r"Len +\d+ RBA (\d+)", found.out)] == selected, text
        assert found.status == (0 if selected else 1)
        assert begins_condition(text)
        assert parse_search(line.session, text).filters.include.criteria == [parse_criterion(f"VALUE {text}", GMT)]


def test_what_show_filter_prints_reads_back() -> None:
    drawn = Random()
    for _ in range(30):
        criterion = parse_criterion(f"VALUE {_drawn(drawn).text}", GMT)
        again = parse_criterion(f"VALUE {criterion.describe()[0][0]}", GMT)
        assert again.describe() == criterion.describe()
        assert [*columns_in(again)] == [*columns_in(criterion)]


@pytest.mark.parametrize(
    "text",
    [
        "A = 1 AND",
        "A = 1 AND B",
        "A = 1 OR B C",
        "(A = 1",
        "A = 1)  ",
        "A IN 1, 2",
        "A IN (1, 2",
        "A IN ()",
        "A BETWEEN 1",
        "A BETWEEN 1 AND",
        "A BETWEEN 1 AND NULL",
        "A LIKE",
        "A LIKE NULL",
        "A NOT = 1",
        "BEFORE GGS_OP_TYPE = 'INSERT'",
        "GGS_OP_TYPE LIKE 'I%'",
        "CHANGED",
        "(" * 40 + "A = 1" + ")" * 40,
    ],
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    if text.endswith(")  "):  # a bracket without its partner is part of an unquoted value
        assert parse_criterion(f"VALUE {text}", GMT).describe() == [("A = '1)'",)]
        return
    with pytest.raises(FilterError):
        parse_criterion(f"VALUE {text}", GMT)


@pytest.mark.parametrize(
    "text", ["people like us", "changed my mind", "between you and me", "in (house)", "salt and pepper", "is null", "a"]
)
def test_other_texts_are_searched_as_text(text: str) -> None:
    assert not begins_condition(text)


@pytest.mark.parametrize("name", ["BEFORE", "AFTER", "CHANGED", "LIKE", "IN", "AND"])
def test_a_column_may_have_the_name_of_a_word(name: str) -> None:
    for text in (f"{name} = 1", f'"{name}" = 1', f"{name} IS NULL"):
        assert [column.name for column in columns_in(parse_criterion(f"VALUE {text}", GMT))] == [name]


@pytest.mark.parametrize(
    "text", ["STATSU LIKE 'x'", "STOCK_KG = 1 AND STATSU IN (1)", "CHANGED STATSU", "BEFORE STATSU = 1"]
)
def test_a_column_that_is_not_defined_is_said(text: str, trails: Path) -> None:
    for verb in (["list", "--where", text], ["find", text]):
        answer = logdump(verb[0], str(trails / "et000000000"), *verb[1:])
        assert (answer.status, answer.out) == (1, "")
        assert answer.err.count("No table with a column STATSU is defined") == 1


VALUES = [
    ("BETWEEN 4 AND 9", [4, 9, 5], [3, 10, -4]),
    ("NOT IN (4, 9)", [3, 5, -4], [4, 9]),
    ("LIKE 'A%'", ["A", "AB", "A\nB"], ["a", "BA", ""]),
    ("LIKE 'A_C'", ["ABC", "A%C", "A.C "], ["AC", "ABBC"]),
    ("NOT LIKE 'A%'", ["a", "BA"], ["A", "AB"]),
    ("LIKE '4%'", [4, 46], [14]),
    ("LIKE 'N%'", [], ["none"]),
]
"""A test, values that satisfy it, and values that do not."""


@pytest.mark.parametrize(("text", "held", "others"), VALUES)
def test_a_value_alone_is_tested(text: str, held: list[Any], others: list[Any]) -> None:
    criterion = parse_criterion(f"VALUE A {text}", GMT)
    assert isinstance(criterion, ColumnTest)
    like = of(0)  # text of a fixed length: blanks at its end do not count
    for values, is_held in ((held, True), (others, False)):
        assert all(criterion.test.holds(Value(b"", value), like) is is_held for value in values), values
    for unknown in (Value(b"", is_null=True), Value(b"\1", problem="INT64: wrong size of the value")):
        assert not criterion.test.holds(unknown, like)


@pytest.mark.parametrize(
    "text",
    [
        "ID IN (" + ",".join("1" * 300_000) + ")",
        "ID IN (" + ",".join(["'a'"] * 100_000) + ")",
        "ID IN (" + ", ".join(["NULL"] * 100_000),
        "ID = x" + " " * 500_000 + "y = ",
        "ID = 1 OR " * 50_000 + "ID",
    ],
    ids=["numbers", "texts", "not closed", "blanks", "joined"],
)
def test_a_condition_of_many_characters_is_read_once_through(text: str) -> None:
    """A text that is looked at from each place in it again takes hours."""
    with suppress(FilterError):
        parse_criterion(f"VALUE {text}", GMT)
