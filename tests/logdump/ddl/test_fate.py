"""DDL, EXPLAIN DDL and the view ``ddl`` on drawn trails: copies, statements after damage, and in cut transactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures.capture import Capture
from fixtures.flavour import MYSQL_21
from logdump.features.ddl.model import DdlCounted, DdlEvaluated, Outcome
from logdump.features.explain.model import Explained
from logdump.parameters.model import ProcessSide
from tests.logdump.line import Line
from tests.logdump.tables.reads import rows
from tests.searching import Random, examples
from trailformat import Record, TrailWriter
from trailformat.codec.tokens import make_token
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import DDL_OP, FIRST, ONLY, RESTART_ABEND

_SIDE = ProcessSide.REPLICAT
_PARAMETERS = ("REPLICAT r", "DDL INCLUDE MAPPED", "MAP teahouse.*, TARGET tea2.*;")


class Step(NamedTuple):
    """A statement by number of its transaction, whether that is cut, and what lies before: damage, a new file."""

    number: int
    is_cut: bool = False
    damage: bool = False
    rolls: bool = False


def written_trail(folder: Path, steps: Iterable[Step]) -> list[tuple[Path, int]]:
    """Write the statements; their positions. Damage is a record whose bytes become zeros."""
    positions, lost, files = list[tuple[Path, int]](), list[tuple[Path, int, int]](), list[TrailWriter]()
    for step in steps:
        if not files or step.rolls:
            path = folder / f"tr{len(files):09d}"
            files.append(TrailWriter(path, order=MYSQL_21.order))
            capture = Capture(files[-1], MYSQL_21)
        if step.damage:
            record = _statement(capture, 99)
            lost.append((path, record.rba, record.length))
        positions.append((path, _statement(capture, step.number, FIRST if step.is_cut else ONLY).rba))
        if step.is_cut:
            capture.event(RESTART_ABEND, trans_ind=ONLY)
    for file in files:
        file.commit()
    for path, rba, length in lost:
        with path.open("r+b") as opened:
            opened.seek(rba)
            opened.write(bytes(length))
    return positions


def _statement(capture: Capture, number: int, trans_ind: int = ONLY) -> Record:
    items = [("B3", "teahouse"), ("B4", f"t{number}"), ("B5", "TABLE"), ("B6", "CREATE")]
    data = build_ddl([*items, ("C1", f"create table teahouse.t{number} (x int)")])
    csn, xid = MYSQL_21.csn(number), MYSQL_21.xid(number)
    tokens = make_token("L", csn.encode()), make_token("6", xid.encode())
    return capture.event(DDL_OP, data, tokens, trans_ind=trans_ind)


def _expected(steps: list[Step], positions: list[tuple[Path, int]]) -> list[tuple[Outcome, str]]:
    """What a Replicat does with each, one after the other, and why."""
    whole, is_damaged, expected = dict[int, tuple[Path, int]](), False, list[tuple[Outcome, str]]()
    for step, position in zip(steps, positions, strict=True):
        is_damaged = is_damaged or step.damage
        if step.number in whole and not step.is_cut:
            path, rba = whole[step.number]
            where = f"RBA {rba}" if path == position[0] else f"RBA {rba} of {path.name}"
            expected.append((Outcome.COPY, f"the trail has it whole at {where}, a Replicat skips this copy"))
        elif is_damaged:
            expected.append((Outcome.NOT_APPLIED, "after damage, where Replicat abends"))
        elif step.is_cut:
            expected.append((Outcome.NOT_APPLIED, "its transaction is not whole, a Replicat drops it"))
        else:
            expected.append((Outcome.APPLIED, ""))
        if not step.is_cut:
            whole.setdefault(step.number, position)
    return expected


def _drawn(random: Random) -> list[Step]:
    """Some transactions, with several copies behind others, cuts, files, and damage in some."""
    steps, newest = [Step(1)], 1
    damage_at = random.randint(2, 12)
    for at in range(1, 10):
        number = random.choice([newest + 1, newest + 1, random.randint(1, newest)])
        is_cut = random.random() < 0.2
        steps.append(Step(number, is_cut, damage=at == damage_at, rolls=random.random() < 0.2))
        newest = max(newest, number)
    return steps


def _checked(steps: list[Step], folder: Path, line: Line) -> None:
    folder.mkdir()
    positions = written_trail(folder, steps)
    expected = _expected(steps, positions)
    outcomes = [outcome for outcome, _ in expected]
    parameters = folder.parent / "r.prm"
    parameters.write_text("\n".join(_PARAMETERS))
    line(f"params {parameters}")
    line(f"open {positions[0][0]}; across on; ddl all; across off")
    shown = [event for event in line.events if isinstance(event, DdlEvaluated)]
    assert [((evaluation.path, evaluation.rba), evaluation.outcome) for evaluation in shown] == list(
        zip(positions, outcomes, strict=True)
    ), steps
    assert [(evaluation.outcome, evaluation.reason) for evaluation in shown] == expected
    assert all((evaluation.statement is not None) == (evaluation.outcome is Outcome.APPLIED) for evaluation in shown)
    line(f"ddl over {folder / 'tr*'}")
    assert [event.outcome for event in line.events if isinstance(event, DdlEvaluated)] == outcomes
    line(f"ddl leftout over {folder / 'tr*'}")
    left_out = [event.outcome for event in line.events if isinstance(event, DdlEvaluated)]
    assert left_out == [outcome for outcome in outcomes if outcome is not Outcome.APPLIED]
    (sums,) = (event for event in line.events if isinstance(event, DdlCounted))
    assert sums.outcomes == tuple(
        (_SIDE, outcome, outcomes.count(outcome)) for outcome in Outcome if outcome in outcomes
    )
    view = rows(folder / "tr*", analysis="ddl", params=str(parameters), mode="PERMISSIVE")
    assert [(Path(row["file"]), row["rba"]) for row in view] == positions
    assert [row["outcome"] for row in view] == [outcome.value for outcome in outcomes]
    line(f"open {positions[0][0]}; across on; explain ddl; across off")
    (explained,) = (event for event in line.events if isinstance(event, Explained))
    counted = Counter(f"Replicat {outcome.value.replace('_', ' ')}" for outcome in outcomes)
    assert explained.parts[0].text == (
        f"{len(steps)} statements: " + ", ".join(f"{name} {number}" for name, number in counted.items()),
    )
    if not explained.is_partial:
        assert f"{counted['Replicat applied']} statements" in str(explained.verdict.text)


@pytest.mark.parametrize("case", range(examples(8)))
def test_each_command_knows_which_statements_a_replicat_applies(case: int, tmp_path: Path, line: Line) -> None:
    _checked(_drawn(Random(case)), tmp_path / "trail", line)


@pytest.mark.parametrize("case", range(examples(8)))
def test_before_and_after_damage_there_is_a_statement_of_each_kind(case: int, tmp_path: Path, line: Line) -> None:
    """In any order: a new one, a copy, a cut one that is new, and one that cuts what the trail has whole before."""
    random, steps = Random(f"each kind {case}"), [Step(1), Step(2)]
    for damage in (False, True):
        newest = max(step.number for step in steps)
        kinds = [Step(newest + 1), Step(1), Step(newest + 2, is_cut=True), Step(2, is_cut=True)]
        random.shuffle(kinds)
        steps += [kinds[0]._replace(damage=damage), *kinds[1:]]
    rolls = [steps[0], *(step._replace(rolls=random.random() < 0.2) for step in steps[1:])]
    _checked(rolls, tmp_path / "trail", line)


def test_of_several_copies_each_names_the_first(tmp_path: Path, line: Line) -> None:
    """T2 comes four times: in its file, behind another, and in the next file."""
    steps = [Step(1), Step(2), Step(2), Step(3), Step(2), Step(4, rolls=True), Step(2)]
    _checked(steps, tmp_path / "trail", line)
    line(f"open {tmp_path / 'trail' / 'tr000000000'}; across on; ddl all")
    shown = [event for event in line.events if isinstance(event, DdlEvaluated)]
    first = shown[1]
    where = [f"RBA {first.rba}", f"RBA {first.rba}", f"RBA {first.rba} of tr000000000"]
    copies = [evaluation.reason for evaluation in shown if evaluation.outcome is Outcome.COPY]
    assert copies == [f"the trail has it whole at {place}, a Replicat skips this copy" for place in where]


def test_extract_alone_has_captured_copies_too(tmp_path: Path, line: Line) -> None:
    (folder := tmp_path / "trail").mkdir()
    positions = written_trail(folder, [Step(1), Step(2), Step(2)])
    (tmp_path / "e.prm").write_text("EXTRACT e\nDDL INCLUDE ALL\nTRANLOGOPTIONS x\nTABLE teahouse.*;\n")
    line(f"params {tmp_path / 'e.prm'}; open {positions[0][0]}; ddl all")
    assert [event.outcome for event in line.events if isinstance(event, DdlEvaluated)] == [Outcome.CAPTURED] * 3


def test_each_target_of_a_statement_that_is_not_reached_is_told(tmp_path: Path, line: Line) -> None:
    """Two MAP statements take the table, one of the three tables for one target alone."""
    (folder := tmp_path / "trail").mkdir()
    positions = written_trail(folder, [Step(1), Step(2), Step(1), Step(2)])
    maps = ("MAP teahouse.*, TARGET a.*;", "MAP teahouse.t?, TARGET b.*;", "MAP teahouse.t1, TARGET c.*;")
    (tmp_path / "r.prm").write_text("\n".join(("REPLICAT r", *maps)))
    line(f"params {tmp_path / 'r.prm'}; open {positions[0][0]}; ddl all")
    shown = [(event.outcome, event.target) for event in line.events if isinstance(event, DdlEvaluated)]
    applied, copy = Outcome.APPLIED, Outcome.COPY
    assert shown == [(applied, None), (applied, 1), (applied, 2), (copy, None), (copy, 1), (copy, 2)]
