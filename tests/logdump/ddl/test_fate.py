"""DDL, EXPLAIN DDL and the view ``ddl`` on drawn trails: copies, statements after damage, and in cut transactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures.capture import Capture
from fixtures.flavour import MYSQL_21
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.explain.model import Explained
from tests.logdump.line import Line
from tests.logdump.tables.reads import rows
from tests.searching import Random, examples
from trailformat import Record, TrailWriter
from trailformat.codec.tokens import make_token
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import DDL_OP, FIRST, ONLY, RESTART_ABEND

_PARAMETERS = ("REPLICAT r", "DDL INCLUDE MAPPED", "MAP teahouse.*, TARGET tea2.*;")


class Step(NamedTuple):
    """A statement by number of its transaction, whether that is cut, and what lies before: damage, a new file."""

    number: int
    is_cut: bool = False
    damage: bool = False
    rolls: bool = False


def _trail(folder: Path, steps: Iterable[Step]) -> list[tuple[Path, int]]:
    """Write the statements; their positions. Damage is a record whose bytes become zeros."""
    spots, lost, files = list[tuple[Path, int]](), list[tuple[Path, int, int]](), list[TrailWriter]()
    for step in steps:
        if not files or step.rolls:
            path = folder / f"tr{len(files):09d}"
            files.append(TrailWriter(path, order=MYSQL_21.order))
            capture = Capture(files[-1], MYSQL_21)
        if step.damage:
            record = _statement(capture, 99)
            lost.append((path, record.rba, record.length))
        spots.append((path, _statement(capture, step.number, FIRST if step.is_cut else ONLY).rba))
        if step.is_cut:
            capture.event(RESTART_ABEND, trans_ind=ONLY)
    for file in files:
        file.commit()
    for path, rba, length in lost:
        with path.open("r+b") as opened:
            opened.seek(rba)
            opened.write(bytes(length))
    return spots


def _statement(capture: Capture, number: int, trans_ind: int = ONLY) -> Record:
    items = [("B3", "teahouse"), ("B4", f"t{number}"), ("B5", "TABLE"), ("B6", "CREATE")]
    data = build_ddl([*items, ("C1", f"create table teahouse.t{number} (x int)")])
    csn, xid = MYSQL_21.csn(number), MYSQL_21.xid(number)
    tokens = make_token("L", csn.encode()), make_token("6", xid.encode())
    return capture.event(DDL_OP, data, tokens, trans_ind=trans_ind)


def _expected(steps: list[Step]) -> list[Outcome]:
    """What a Replicat does with each, one after the other."""
    whole, is_damaged, outcomes = set[int](), False, list[Outcome]()
    for step in steps:
        is_damaged = is_damaged or step.damage
        if step.number in whole and not step.is_cut:
            outcomes.append(Outcome.COPY)
        elif is_damaged or step.is_cut:
            outcomes.append(Outcome.NOT_APPLIED)
        else:
            outcomes.append(Outcome.APPLIED)
        whole |= set() if step.is_cut else {step.number}
    return outcomes


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
    spots, outcomes = _trail(folder, steps), _expected(steps)
    parameters = folder.parent / "r.prm"
    parameters.write_text("\n".join(_PARAMETERS))
    line(f"params {parameters}")
    line(f"open {spots[0][0]}; across on; ddl all; across off")
    shown = [event for event in line.events if isinstance(event, DdlEvaluated)]
    assert [((one.path, one.rba), one.outcome) for one in shown] == list(zip(spots, outcomes, strict=True)), steps
    assert all((one.statement is not None) == (one.outcome is Outcome.APPLIED) for one in shown)
    line(f"ddl over {folder / 'tr*'}")
    assert [event.outcome for event in line.events if isinstance(event, DdlEvaluated)] == outcomes
    view = rows(folder / "tr*", analysis="ddl", params=str(parameters), mode="PERMISSIVE")
    assert [(Path(one["file"]), one["rba"]) for one in view] == spots
    assert [one["outcome"] for one in view] == [outcome.value for outcome in outcomes]
    line(f"open {spots[0][0]}; across on; explain ddl; across off")
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


def test_of_several_copies_each_names_the_first(tmp_path: Path, line: Line) -> None:
    """T2 comes four times: in its file, behind another, and in the next file."""
    steps = [Step(1), Step(2), Step(2), Step(3), Step(2), Step(4, rolls=True), Step(2)]
    _checked(steps, tmp_path / "trail", line)
    line(f"open {tmp_path / 'trail' / 'tr000000000'}; across on; ddl all")
    shown = [event for event in line.events if isinstance(event, DdlEvaluated)]
    first = shown[1]
    where = [f"RBA {first.rba}", f"RBA {first.rba}", f"RBA {first.rba} of tr000000000"]
    copies = [one.reason for one in shown if one.outcome is Outcome.COPY]
    assert copies == [f"the trail has it whole at {place}, a Replicat skips this copy" for place in where]


def test_extract_alone_has_captured_copies_too(tmp_path: Path, line: Line) -> None:
    (folder := tmp_path / "trail").mkdir()
    spots = _trail(folder, [Step(1), Step(2), Step(2)])
    (tmp_path / "e.prm").write_text("EXTRACT e\nDDL INCLUDE ALL\nTRANLOGOPTIONS x\nTABLE teahouse.*;\n")
    line(f"params {tmp_path / 'e.prm'}; open {spots[0][0]}; ddl all")
    assert [event.outcome for event in line.events if isinstance(event, DdlEvaluated)] == [Outcome.CAPTURED] * 3
