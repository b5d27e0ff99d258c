"""Laws of EXPLAIN: each moment around missing beats, clocks of two machines, and all that there is to tell of DDL."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixtures.flavour import ORACLE_12
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.explain import ddl
from logdump.features.explain.lag_facts import DefinitionClocks
from logdump.features.explain.model import Explained, When
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import MINUTE, SECOND, beat
from tests.simulated.recovery import Kill, RecoveringExtract
from tests.simulated.source import Source
from trailformat import TrailFile, to_datetime
from trailformat.changes.transactions import is_transactional
from trailformat.records.record_header import FIRST, RESTART_ABEND
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.whole_trail import WholeTrail


def _explained(line: Line, command: str) -> Explained:
    line(command)
    (found,) = (event for event in line.events if isinstance(event, Explained))
    return found


def _time(moment: int) -> str:
    found = to_datetime(BEGUN + moment)
    assert found is not None
    return f"{found:%Y-%m-%dT%H:%M:%S.%fZ}"


@given(lost=st.sets(st.integers(2, 11), max_size=3), quiet=st.integers(0, 4))
@settings(max_examples=examples(8, short=3), deadline=None)
def test_beats_are_missing_at_each_moment_between_two_that_are_too_far_apart_and_at_no_other(
    lost: set[int], quiet: int
) -> None:
    """The end of the trail, up to which none came, is such a moment too; behind it nothing is known."""
    minutes = [minute for minute in range(14) if minute not in lost]
    last, newest = minutes[-1] * MINUTE, (minutes[-1] + quiet) * MINUTE
    gaps = [(before * MINUTE, after * MINUTE) for before, after in pairwise(minutes) if after - before > 1]
    line = Line()
    with tempfile.TemporaryDirectory() as folder:
        trail = HeartbeatTrail(Path(folder) / "hb000000000")
        for minute in minutes:
            trail.insert(beat(minute * MINUTE, 0.25), minute * MINUTE)
        trail.worked(newest)
        line(f"open {trail.close()}")
        edges = {moment for gap in (*gaps, (last, newest)) for moment in gap}
        moments = {edge + off for edge in edges for off in (-1, 0, 1)} | {newest + 3 * MINUTE}
        for moment in sorted(moments):
            expected = "no_lag"
            if moment > newest and moment - last > 3 * MINUTE // 2:
                expected = "trail_ends"
            elif any(before < moment < after for before, after in gaps) or (quiet > 1 and last < moment <= newest):
                expected = "beats_missing"
            assert _explained(line, f"explain lag at {_time(moment)}").verdict.rule == expected, moment


@pytest.mark.parametrize("off", [0, 2 * SECOND, 4 * MINUTE, 10 * MINUTE])
def test_a_restart_between_two_beats_is_there_by_its_place_whatever_its_clock_says(
    off: int, line: Line, tmp_path: Path
) -> None:
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    for minute in (*range(6), *range(12, 18)):
        if minute == 12:
            trail.restart(12 * MINUTE - SECOND + off)
        trail.insert(beat(minute * MINUTE, 0.25), minute * MINUTE)
    assert _explained(line, f"open {trail.close()}; explain lag").verdict.rule == "extract_down"


@pytest.mark.parametrize("cuts", range(3))
def test_of_several_copies_of_a_transaction_the_first_whole_one_is_named(cuts: int, line: Line, tmp_path: Path) -> None:
    extract = RecoveringExtract(tmp_path, Random(7), ORACLE_12, roll_chance=0)
    source = Source(Random(7), ORACLE_12.teas)
    changes = [change for _ in range(3) for change in source.transaction()]
    extract.whole(changes[:1])
    extract.begin()
    for _ in range(cuts + 1):
        extract.fail(changes, Kill(2, rolls=False, marker=RESTART_ABEND))
    extract.rows(changes, len(changes))
    extract.whole(changes[:1])
    extract.close()
    path = extract.paths[-1]
    with TrailFile(path) as trail:
        rows = [record for record in trail.records() if not record.is_file_header and is_transactional(record)]
    begins = [at for at, record in enumerate(rows) if record.header.trans_ind == FIRST]
    inside, whole = rows[begins[0] + 1].rba, rows[begins[-1]].rba
    assert len(begins) == cuts + 2
    said = str(_explained(line, f"open {path}; explain restart at 0 {inside}").verdict.text)
    assert f"which has a whole copy at RBA {whole} of" in said


def test_each_statement_that_does_not_get_through_as_it_should_is_told(
    line: Line, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that does, with names in it that are not those of the target."""
    monkeypatch.setattr(ddl, "MOST_SHOWN", 1000)
    monkeypatch.chdir(Path(__file__).parents[2] / "transcripts" / "obey")
    line(f"open {trails / 'zt000000000'}; params rep1.prm")
    line("ddl all")
    found = [event for event in line.events if isinstance(event, DdlEvaluated)]
    shown = ["".join(map(str, part.text)) for part in _explained(line, "explain ddl").parts]
    assert any(result.not_converted for result in found)
    for evaluation in found:
        is_told = any(evaluation.title in text and evaluation.outcome.value.replace("_", " ") in text for text in shown)
        assert is_told or (
            evaluation.outcome in (Outcome.APPLIED, Outcome.CAPTURED) and not evaluation.not_converted
        ), evaluation.title
        for name in evaluation.not_converted:
            assert any(evaluation.title in text and name in text for text in shown)


STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=8)


@given(steps=STEPS, at=st.none() | st.integers(-1, 31))
@example(steps=[(False, 10), (True, 9), (True, 3)], at=None)
@example(steps=[(False, 10), (True, 9), (True, 3)], at=11)
@settings(max_examples=examples(20, short=12), deadline=None)
def test_the_clock_of_a_definition_is_held_against_the_next_row_and_no_other(
    steps: list[tuple[bool, int]], at: int | None
) -> None:
    """Of several the greatest lag counts, or at a moment the last one up to it."""
    clocks = DefinitionClocks(None if at is None else BEGUN + at * MINUTE)
    waiting: int | None = -5
    lags: list[tuple[int, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        trail = HeartbeatTrail(Path(folder) / "hb000000000", created=-5 * MINUTE)
        for is_row, minute in [(False, -5), (True, -6), *steps]:
            if not is_row:
                trail.defined(minute * MINUTE)
                waiting = minute
                continue
            trail.worked(minute * MINUTE)
            if waiting is not None:
                lags.append((waiting, waiting - minute))
                waiting = None
        whole = WholeTrail.around(trail.close())
        for found in whole.batches():
            clocks.take(FilePosition(found.trail.path, 0), found.batch)
    known = lags if at is None else [lag for lag in lags if lag[0] <= at]
    expected = None
    if known:
        expected = max(known, key=lambda pair: pair[1]) if at is None else known[-1]
    told = clocks.found
    assert (told and ((told.written - BEGUN) // MINUTE, told.lag // MINUTE)) == expected


@pytest.mark.parametrize("quiet", [1, 2, 3])
def test_the_verdict_of_a_moment_behind_the_trail_names_its_end_and_its_last_beat(
    quiet: int, line: Line, tmp_path: Path
) -> None:
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    for minute in range(6):
        trail.insert(beat(minute * MINUTE, 0.25), minute * MINUTE)
    trail.worked(5 * MINUTE + quiet * 10 * SECOND)
    text = _explained(line, f"open {trail.close()}; explain lag at {_time(40 * MINUTE)}").verdict.text
    moments = [(part.julian - BEGUN) // SECOND for part in text if isinstance(part, When)]
    assert text[0] == "The trail ends before that moment, "
    assert moments == [300 + quiet * 10, 300]
