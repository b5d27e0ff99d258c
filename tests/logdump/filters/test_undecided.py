"""A change of which a filter cannot tell whether it matches is never left out without a word and a status.

The oracle is a logic of three values, by hand: True, False, and None for what is not known of a change whose table is
not defined or whose columns do not decode. A change may match if it is not known after all conditions.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures import TRAILS
from logdump.filters import OPTIONS
from logdump.filters.criterion import Option
from logdump.session import passing
from logdump.session import scan as session_scan
from tests.logdump.program import logdump
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.tables.reads import rows
from tests.searching import Random
from trailformat import TrailFile
from trailformat.scan import parallel

TABLES = ("S.A", "S.B", "T.C")
TOLD = re.compile(r"whether the change at RBA (\d+) matches is not known")


class Written(NamedTuple):
    """A file, its changes as (RBA, table, ID), the undefined table and the change that does not decode."""

    path: Path
    changes: list[tuple[int, str, int]]
    undefined: str
    broken: int


class Condition(NamedTuple):
    """A condition as it is entered: of the table, or of the value of ID."""

    text: str
    table: str
    value: int

    def holds(self, table: str, value: int, written: Written, rba: int) -> bool | None:
        if self.table:
            return None if table == written.undefined else table.startswith(self.table)
        return None if table == written.undefined or rba == written.broken else value == self.value


@pytest.fixture
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Written:
    random = Random(request.node.name)
    trail = Trail({table: {"ID": "INT64"} for table in TABLES})
    rows = [(random.choice(TABLES), random.randint(1, 4)) for _ in range(random.randint(4, 14))]
    for table, value in rows:
        trail.insert(table, value)
    undefined = random.choice(["", *TABLES])
    if undefined:
        trail.undefine(undefined)
    path = trail.write(tmp_path)
    with TrailFile(path) as file:
        rbas = [record.rba for record in file.records() if not record.is_file_header and record.header.io_type == 5]
        ends = [rba + file.record_at(rba).length for rba in rbas]  # type: ignore[union-attr]
    broken = random.choice([-1, *range(len(rbas))])
    if broken >= 0:
        data = bytearray(path.read_bytes())
        place = data.index(bytes.fromhex("0000000a0000"), rbas[broken], ends[broken])
        data[place + 3] += 60
        path.write_bytes(data)
    os.utime(path, (1, 1))  # a file that has settled: a command goes on with what the one before it has read
    changes = [(rba, *row) for rba, row in zip(rbas, rows, strict=True)]
    return Written(path, changes, undefined, rbas[broken] if broken >= 0 else -1)


def drawn_conditions(random: Random) -> list[Condition]:
    of_table = [Condition(f"filename {name}.*", f"{name}.", 0) for name in "ST"]
    of_value = [Condition(f"value ID = {value}", "", value) for value in range(1, 5)]
    return random.sample([*of_table, *of_value], random.randint(1, 3))


def answers(written: Written, conditions: list[Condition], *, is_all: bool) -> dict[int, bool | None]:
    """What the filter says of each change, by RBA."""
    answered = dict[int, bool | None]()
    for rba, table, value in written.changes:
        held = [condition.holds(table, value, written, rba) for condition in conditions]
        decisive = not is_all
        answered[rba] = decisive if decisive in held else None if None in held else not decisive
    return answered


COMMANDS = {
    "list": "list",
    "count": "count",
    "detail": "count detail",
    "rows": "export jsonl to -",
    "statements": "export sql to -",
    "save": "save {copy}",
    "transactions": "transactions filtered",
}


@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_tells_the_first_change_that_may_match(
    command: str, case: int, written: Written, tmp_path: Path
) -> None:
    random = Random(f"conditions {command} {case}")
    conditions, is_all = drawn_conditions(random), random.choice([True, False])
    undecided = [rba for rba, answer in answers(written, conditions, is_all=is_all).items() if answer is None]
    lines = [f"filter match {'all' if is_all else 'any'}", *(f"filter {condition.text}" for condition in conditions)]
    line = COMMANDS[command].format(copy=tmp_path / "copy")
    answer = logdump(str(written.path), "-c", "; ".join([*lines, line]))
    assert [int(rba) for rba in TOLD.findall(answer.err)] == undecided[:1], (lines, answer.err)
    assert not undecided or answer.status, lines


@pytest.mark.parametrize("size", [0, 200])
@pytest.mark.parametrize("case", range(6))
def test_a_summary_has_rows_for_what_may_match(case: int, size: int, written: Written) -> None:
    """A task of Spark logs it where nobody reads it; COUNT under ENGINE SPARK takes its status from these rows."""
    random = Random(f"summary {case} {size}")
    conditions, is_all = drawn_conditions(random), random.choice([True, False])
    answered = answers(written, conditions, is_all=is_all)
    undecided = [rba for rba, answer in answered.items() if answer is None]
    filters = [f"filter match {'all' if is_all else 'any'}", *(f"filter {condition.text}" for condition in conditions)]
    given = {"summary": "true", "mode": "PERMISSIVE", "maxPartitionBytes": size}
    columns = random.choice([(), ("op", "records", "length", "first_rba", "last_rba", "_corrupt_record")])
    summary = rows(written.path, *columns, where="; ".join(filters), **given)
    told = [row for row in summary if row["_corrupt_record"] is not None]
    assert sum(row["records"] for row in summary if row["op"] == "Insert") == [*answered.values()].count(True)
    assert [row["length"] for row in told] == [0] * len(told)
    assert {row["first_rba"] for row in told} | {row["last_rba"] for row in told} <= {*undecided}
    for rba in undecided:
        assert any(row["first_rba"] <= rba <= row["last_rba"] for row in told)


@pytest.mark.parametrize("is_in_pieces", [False, True])
@pytest.mark.parametrize("case", range(4))
def test_what_passes_and_what_is_told_are_all_that_may_match(
    case: int, is_in_pieces: bool, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEXT after NEXT: each command shows a change, then names the first that it passed over."""
    if is_in_pieces:  # threads decide about batches of four records
        monkeypatch.setattr(session_scan, "_LARGEST", 1)
        monkeypatch.setattr(parallel, "PIECE", 300)
        monkeypatch.setattr(passing, "BATCH_SIZE", 4)
    random = Random(f"steps {case}")
    conditions, is_all = drawn_conditions(random), random.choice([True, False])
    answered = answers(written, conditions, is_all=is_all)
    expected, waiting = [], list[int]()
    for rba, is_passing in answered.items():
        waiting += [rba] if is_passing is None else []
        if is_passing:
            expected += [rba, *waiting[:1]]
            waiting = []
    expected += waiting[:1]
    lines = [f"filter match {'all' if is_all else 'any'}", *(f"filter {condition.text}" for condition in conditions)]
    steps = ["next"] * (len(written.changes) + 1)
    metadata = "filter exclude rectype 170"
    answer = logdump(str(written.path), "-c", "; ".join([*lines, metadata, *steps]), is_one_stream=True)
    shown = re.findall(r"Len +\d+ RBA (\d+)|whether the change at RBA (\d+) matches", answer.out)
    assert _without_the_end(shown) == expected, (lines, answer.out)


def _without_the_end(shown: list[tuple[str, str]]) -> list[int]:
    """The RBAs, without those that NEXT tells again when it is repeated at the end."""
    rbas = [int(record or told) for record, told in shown]
    return list(dict.fromkeys(rbas))


@pytest.mark.parametrize("case", range(4))
def test_find_says_what_it_passed_over(case: int, written: Written) -> None:
    value = Random(f"find {case}").randint(1, 4)
    answered = answers(written, [Condition("", "", value)], is_all=True)
    before = []
    for rba, is_match in answered.items():
        if is_match:
            break
        before += [rba] if is_match is None else []
    answer = logdump("find", str(written.path), f"ID={value}")
    assert [int(rba) for rba in TOLD.findall(answer.err)] == before[:1], answer.err
    has_match = True in answered.values()
    assert answer.status == (4 if before else 0 if has_match else 1)


@pytest.mark.parametrize("case", range(4))
def test_row_says_it_of_a_change_that_does_not_decode(case: int, written: Written) -> None:
    table, value = Random(f"row {case}").choice(TABLES), Random(f"value {case}").randint(1, 4)
    broken = [
        change for change in written.changes if change[0] == written.broken and change[1] in (table, written.undefined)
    ]
    nameless = [change for change in written.changes if change[1] == written.undefined]
    answer = logdump("row", str(written.path), table, f"ID={value}")
    if table == written.undefined:
        assert answer.status == (4 if nameless else 1)
        return
    assert (answer.status == 4) == bool(broken or nameless), answer.err
    assert ("not all was read" in answer.out) == bool(answer.out and (broken or nameless))


@pytest.mark.parametrize("case", range(3))
def test_changed_cannot_tell_of_an_update_of_an_undefined_table(case: int, tmp_path: Path) -> None:
    random = Random(f"changed {case}")
    trail = Trail({table: {"ID": "INT64", "N": "INT64"} for table in TABLES})
    tables = [random.choice(TABLES) for _ in range(random.randint(3, 9))]
    for number, table in enumerate(tables):
        trail.change(table, (number, 1), (number, 1 + number % 2))
    undefined = random.choice(TABLES)
    trail.undefine(undefined)
    path = trail.write(tmp_path)
    answer = logdump("count", str(path), "--where", "CHANGED N")
    matching = [number for number, table in enumerate(tables) if table != undefined and number % 2]
    assert f"has {len(matching)} record" in answer.out
    assert bool(TOLD.findall(answer.err)) == (answer.status == 4) == (undefined in tables)


@pytest.mark.parametrize("verb", ["count", "list", "export"])
def test_each_file_is_told_once(verb: str, tmp_path: Path) -> None:
    random, told = Random(f"files {verb}"), list[int]()
    for number in range(3):
        trail = Trail({table: {"ID": "INT64"} for table in TABLES})
        tables = random.choices(TABLES, k=random.randint(2, 5))
        for table in tables:
            trail.insert(table, 1)
        undefined = random.choice(["", *TABLES])
        if undefined:
            trail.undefine(undefined)
        path = trail.write(tmp_path / "one").rename(tmp_path / f"tt{number:09}")
        with TrailFile(path) as file:
            changes = [record.rba for record in file.records() if record.header.io_type == 5]
        told += [rba for rba, table in zip(changes, tables, strict=True) if table == undefined][:1]
    answer = logdump(verb, *(str(tmp_path / f"tt{number:09}") for number in range(3)), "--table", "S.*")
    assert [int(rba) for rba in TOLD.findall(answer.err)] == told, answer.err


@pytest.mark.parametrize("how", ["include", "exclude"])
@pytest.mark.parametrize("option", OPTIONS, ids=[option.keyword for option in OPTIONS])
def test_the_header_of_a_file_is_no_change_that_is_not_known(option: Option, how: str) -> None:
    """Of a sound trail whose tables are all defined, each option of FILTER is decided."""
    answer = logdump("-c", f"open {TRAILS / 'et000000000'}; filter {how} {option.example}; count")
    assert "LogTrail" in answer.out
    assert "is not known" not in answer.out + answer.err
    assert answer.status != 4
