"""``doctor --since-last STATE``: what is new since the last run, by a model; quiet if nothing is."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.text import Severity
from logdump.features.doctor.model import DoctorShown, Finding, NewFindings
from logdump.features.doctor.since_last import new_findings
from logdump.notation.text import amount
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.state_file import StateFile
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.trailformat.samples import row, trail_of
from trailformat import Record
from trailformat.records.record_header import FIRST, RESTART_ABEND
from trailformat.trail.sequence import FilePosition

CUT = (row(b"", trans_ind=FIRST), row(b"", io_type=RESTART_ABEND))


def garbage(number: int) -> bytes:
    """Damage of its own length, so that the place alone tells two apart."""
    return b"no record at all" * 4 + b"x" * number


@pytest.mark.parametrize("case", range(examples(10)))
def test_each_problem_is_told_once_and_then_never_again(case: int, tmp_path: Path) -> None:
    """A trail grows file by file, each with some problems or none; a run in between tells those since the last run."""
    draw, state, told = Random(f"since {case}"), tmp_path / "state", 0
    for number in range(draw.randint(2, 4)):
        damages, cuts = draw.choice([(0, 0), (1, 0), (0, 1), (2, 1)])
        pieces: list[tuple[Record | bytes, ...]] = [*[(garbage(number),)] * damages, *[CUT] * cuts]
        draw.shuffle(pieces)
        records = [record for piece in pieces for record in (row(b""), *piece)]
        trail_of(tmp_path, *records, row(b""), name=f"tt{number:09}")
        if draw.random() < 0.3:
            told += damages + cuts
            continue
        answer = logdump("doctor", str(tmp_path / "tt"), "--since-last", str(state))
        new = damages + cuts + told
        told = 0
        assert answer.status == (4 if "!!" in answer.out else 3 if new else 0)
        marks = [line for line in answer.out.splitlines() if line.lstrip().startswith("!")]
        assert len(marks) == new
        assert ("this is the first run" in answer.err) == (number == 0 or "first run" in answer.err)
        again = logdump("doctor", str(tmp_path / "tt"), "--since-last", str(state))
        assert (again.out, again.err, again.status) == ("", "", 0)


@pytest.mark.parametrize("damage", ["missing", "empty", "zeros", "cut", "version", "shape"])
def test_a_state_that_is_missing_or_damaged_is_a_first_run_and_is_said(damage: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    trail = str(TRAILS / "at")
    first = logdump("doctor", trail, "--since-last", str(state))
    assert "there is none yet: this is the first run" in first.err
    data = state.read_bytes()
    if damage == "missing":
        state.unlink()
    else:
        state.write_bytes(
            {
                "empty": b"",
                "zeros": bytes(100),
                "cut": data[: len(data) // 2],
                "version": data.replace(b'"version":1', b'"version":7'),
                "shape": data.replace(b'"findings":{', b'"found":{'),
            }[damage]
        )
    again = logdump("doctor", trail, "--since-last", str(state))
    assert "this is the first run" in again.err
    assert (again.out, again.status) == (first.out, 3)
    assert logdump("doctor", trail, "--since-last", str(state)).out == ""


@pytest.mark.parametrize(("size", "problem"), [(0, "empty"), (1, "damaged"), (100, "damaged"), (64 << 20, "damaged")])
def test_a_state_of_zeros_is_damaged(size: int, problem: str, tmp_path: Path) -> None:
    """As a crash of the machine leaves it; but what is larger than any state is none."""
    path = tmp_path / "state"
    path.touch()
    os.truncate(path, size)
    assert StateFile(path, "doctor").read() == ({}, f"it is {problem}")
    os.truncate(path, (64 << 20) + 1)
    with pytest.raises(CommandError, match="is not replaced"):
        StateFile(path, "doctor").read()


def test_a_file_that_is_no_state_is_not_replaced(tmp_path: Path) -> None:
    """Not a trail, whose name was given by mistake; not a device, nor a folder."""
    trail = trail_of(tmp_path, row(b""))
    data = trail.read_bytes()
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "elsewhere")
    os.mkfifo(pipe)
    there = sorted(tmp_path.iterdir())
    for state in (trail, tmp_path, link, pipe):
        answer = logdump("doctor", str(TRAILS / "at"), "--since-last", str(state))
        assert answer.status == 1, state
        assert answer.out == ""
    assert trail.read_bytes() == data
    assert sorted(tmp_path.iterdir()) == there
    assert link.is_symlink()


def test_several_trails_have_one_state_and_a_run_of_one_keeps_the_others(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    both = [str(TRAILS / name) for name in ("at", "gt")]
    assert logdump("doctor", *both, "--since-last", state).status == 3
    for words in ([both[0]], [both[1]], both):
        answer = logdump("doctor", *words, "--since-last", state)
        assert (answer.out, answer.err, answer.status) == ("", "", 0)


@pytest.mark.parametrize("case", range(examples(8)))
def test_each_trail_has_its_own_part_of_the_state(case: int, tmp_path: Path) -> None:
    """However alike their names are: digits may end what comes before the number."""
    draw, state = Random(f"names {case}"), str(tmp_path / "state")
    names = draw.sample(["l1", "l2", "l9", "1l", "11", "lt", "xx9", "x"], 3)
    digits = draw.choice([6, 9])
    for number, name in enumerate(names):
        trail_of(tmp_path, *[row(b""), *CUT] * (3 - number), row(b""), name=f"{name}{number:0{digits}}")
    for is_first in (True, False):
        for name in names:
            (file,) = tmp_path.glob(f"{name}{digits * '[0-9]'}")
            answer = logdump("doctor", str(file), "--since-last", state)
            assert ("this is the first run" in answer.err, answer.status) == (is_first, 3 if is_first else 0), name


def test_more_records_of_a_kind_are_news_and_fewer_are_not(tmp_path: Path) -> None:
    """A problem that adds up what is in many places is the same wherever the first of them is now."""
    state = tmp_path / "state"
    trail_of(tmp_path, *[row(b"", io_type=77)] * 2, name="tt000000000")
    logdump("doctor", str(tmp_path / "tt"), "--since-last", str(state))
    trail_of(tmp_path, row(b"", io_type=77), name="tt000000001")
    more = logdump("doctor", str(tmp_path / "tt"), "--since-last", str(state))
    assert (more.status, "new problem" in more.out) == (3, True)
    (tmp_path / "tt000000000").unlink()
    fewer = logdump("doctor", str(tmp_path / "tt"), "--since-last", str(state))
    assert "effect is not known" in more.out
    assert "effect is not known" not in fewer.out


@pytest.fixture
def shown(line: Line) -> DoctorShown:
    """What DOCTOR finds in a trail."""
    line(f'doctor "{TRAILS / "et000000000"}"')
    (shown,) = (event for event in line.events if isinstance(event, DoctorShown))
    return shown


def _told(shown: DoctorShown, folder: Path, findings: list[Finding]) -> list[Event]:
    """What is told of a run with these findings, with the state in a folder."""

    def examined() -> Generator[Event, None, DoctorShown]:
        yield from ()
        return shown._replace(findings=tuple(findings))

    return list(new_findings(examined(), folder / "state"))


@pytest.mark.parametrize("case", range(3))
def test_a_problem_that_the_run_before_had_not_is_news_and_a_note_never_is(
    case: int, shown: DoctorShown, tmp_path: Path
) -> None:
    """Of all findings each run has some: what was gone and is back is news too."""
    draw, spots = Random(f"notes {case}"), [None, *(FilePosition(tmp_path / "tt000000000", rba) for rba in (0, 77))]
    pool = [Finding(severity, "odd", spot, "LIST") for severity in Severity for spot in spots]
    before: set[Finding] = set()
    for _ in range(6):
        found = draw.sample(pool, draw.randrange(len(pool)))
        news = [event.findings for event in _told(shown, tmp_path, found) if isinstance(event, NewFindings)]
        new = [finding for finding in found if finding.severity is not Severity.NOTE and finding not in before]
        assert news == ([tuple(new)] if new else [])
        before = {*found}


@pytest.mark.parametrize("case", range(3))
def test_more_of_what_a_problem_adds_up_is_news_whatever_has_become_less(
    case: int, shown: DoctorShown, tmp_path: Path
) -> None:
    """Tables whose names differ in a number alone, and types that come and go: each is counted for itself."""
    draw = Random(f"counts {case}")
    names = ['S."T 1" UPDATE', 'S."T 2" UPDATE', "type 101", "type 102", "type 103"]
    before = dict.fromkeys(names, -1)
    for _ in range(8):
        counts = {name: draw.randint(1, 3) for name in draw.sample(names, draw.randint(1, len(names)))}
        tables = [(name, counts[name]) for name in names[:2] if name in counts]
        types = tuple((name, counts[name]) for name in names[2:] if name in counts)
        findings = [Finding(Severity.WARNING, amount(pair[1], "record"), None, "LIST", (pair,)) for pair in tables]
        findings += [Finding(Severity.WARNING, f"types {types}", None, "LIST", types)] if types else []
        expected = tuple(finding for finding in findings if any(count > before[name] for name, count in finding.counts))
        news = [event.findings for event in _told(shown, tmp_path, findings) if isinstance(event, NewFindings)]
        assert news == ([expected] if expected else [])
        before = {**dict.fromkeys(names, -1), **counts}


def test_two_runs_at_once_do_not_take_one_state(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with StateFile(state, "doctor").locked():
        answer = logdump("doctor", str(TRAILS / "at"), "--since-last", str(state))
    assert (answer.status, answer.out) == (1, "")
    assert "another process uses this state" in answer.err
