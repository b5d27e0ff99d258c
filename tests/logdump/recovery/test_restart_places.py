"""A Replicat that starts where SAFE, EXPLAIN RESTART or RECOVERY says applies what they say, each transaction once.

Trails are drawn: Extract is killed again and again inside transactions, with a marker, a new file or neither; a pump
writes transactions again; new records stand over old ones; records are destroyed; files are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.features.bounded_recovery.model import BrOptions
from logdump.features.explain.model import Explained
from logdump.features.explain.restart import RestartQuestion
from tests.kernels import WAYS, Kernels, run
from tests.logdump.recovery.surveys import report, whole_trail
from tests.searching import examples, in_turn, part_of
from tests.simulated.drawn_histories import KINDS, drawn
from tests.simulated.extract import Written
from tests.simulated.restarted_replicat import History
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.restart_places import RestartPlaces, restart_places

SEEDS = st.integers(0, 1 << 32)
WITHOUT_GAP = [kind for kind in KINDS if kind != "gap"]
"""A Replicat waits where a file is missing, and SAFE does not look behind that: the model reads on."""


def _places(history: History) -> list[FilePosition]:
    """Where records begin and end, and where files begin."""
    positions = {FilePosition(path, 0) for path in history.paths}
    for record in history.written:
        at, end = FilePosition(record.path, record.rba), FilePosition(record.path, record.rba + record.length)
        is_lost = any(zeros.path == record.path and zeros.start <= record.rba < zeros.stop for zeros in history.zeros)
        positions |= set() if is_lost else {at, end}
    return sorted(positions, key=history.order)


def _asked(position: FilePosition) -> RestartPlaces:
    with TrailFile(position.path) as trail:
        return restart_places(trail, position.rba)


def _all_but(history: History, first: FilePosition, *, again: FilePosition) -> list[int]:
    """The transactions that a Replicat applies of the whole trail, but neither before a place nor from another on."""
    start = FilePosition(history.paths[0], 0)
    every = history.run(start, past_damage=True).whole
    before = set(history.run(start, first, past_damage=True).whole)
    after = set(history.run(again, past_damage=True).whole)
    return [number for number in every if number not in before | after]


@pytest.mark.parametrize("kind", part_of(WITHOUT_GAP, 0, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(5, short=1), deadline=None)
def test_a_replicat_that_starts_at_a_place_applies_what_is_said(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        numbers = {FilePosition(record.path, record.rba): record.transaction for record in history.written}
        for position in _places(history):
            places = _asked(position)
            _check_safe(history, position, places)
            _check_begin(history, places, numbers)
            _check_leave_out(history, places, numbers)


def test_damage_in_a_file_before_that_of_the_place_does_not_make_the_place_unsafe() -> None:
    """The walk begins two files earlier, so that it meets the damage before it reaches the file asked for."""
    with drawn("damaged", 247190) as history:
        for position in _places(history):
            _check_safe(history, position, _asked(position))


def test_the_end_of_the_file_is_not_safe_while_a_transaction_is_open(trails: Path, tmp_path: Path) -> None:
    """All its records that are there lie before the place; those that are still to come do not."""
    whole = (trails / "et000000000").read_bytes()
    cut = tmp_path / "et000000000"
    with TrailFile(trails / "et000000000") as trail:
        places = [restart_places(trail, record.rba) for record in trail.records()]
    inside = [inner_places for inner_places in places if inner_places.extent is not None and not inner_places.is_begin]
    assert inside
    for asked_places in inside:
        cut.write_bytes(whole[: asked_places.asked.rba])
        found = _asked(asked_places.asked._replace(path=cut))
        assert found.extent is not None
        assert found.extent.before == found.extent.records > 0
        assert not found.is_safe


def _check_safe(history: History, position: FilePosition, places: RestartPlaces) -> None:
    """A place is safe where no transaction is met in its middle and none is missed."""
    run = history.run(position)
    if places.is_safe:
        assert not run.halves
        assert _all_but(history, position, again=position) == []
    is_open_there = places.extent is not None and places.extent.after is None
    is_damaged_there = places.is_begin and run.abended and places.extent is not None and places.extent.damage
    meets_whole = places.is_begin or not (run.starts_inside or run.starts_with_damage or is_open_there)
    assert places.is_safe == (meets_whole and not is_damaged_there)


def _check_begin(history: History, places: RestartPlaces, numbers: dict[FilePosition, int]) -> None:
    """From its begin a transaction is applied once, and nothing is missed."""
    extent = places.extent
    if extent is None or extent.begin is None or extent.damage:
        return
    run = history.run(extent.begin, past_damage=True)
    assert run.whole.count(numbers[extent.begin]) == (places.whole is not None)
    assert not history.run(extent.begin).halves
    assert _all_but(history, extent.begin, again=extent.begin) == []


def _check_leave_out(history: History, places: RestartPlaces, numbers: dict[FilePosition, int]) -> None:
    """Where a transaction is left out it is never applied, and only so many others are left out."""
    if places.extent is None or places.extent.transaction.csn is None or places.leave_out is None:
        return
    assert places.extent.first is not None
    number = numbers[places.extent.first]
    run = history.run(places.leave_out)
    assert not run.halves
    assert not run.starts_inside
    assert number not in run.whole
    begin = places.extent.begin
    if begin is not None and not places.extent.damage:
        missed = set(_all_but(history, begin, again=places.leave_out)) - {number}
        assert len(missed) == places.others


@pytest.mark.parametrize("kind", part_of(KINDS, 1, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_explain_restart_names_the_same_places_and_calls_none_safe_that_is_not(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        for position, explained in _explained(history):
            places = _asked(position)
            rule = explained.verdict.rule
            verdict = "".join(map(str, explained.verdict.text))
            assert (rule == "safe") <= places.is_safe
            assert (rule == "inside") <= (not places.is_safe)
            if rule == "inside":
                begin = places.extent.begin if places.extent is not None else None
                assert begin is None or f"RBA {begin.rba} of {begin.path.name}" in verdict
                skip = places.leave_out
                assert skip is None or f"at RBA {skip.rba} of {skip.path.name} to skip it" in verdict
            if rule == "damaged":
                assert history.run(position).abended


def _explained(history: History) -> Iterator[tuple[FilePosition, Explained]]:
    """EXPLAIN RESTART at places; what is read of the trail does not depend on the place."""
    question = RestartQuestion(whole_trail(list(history.paths)), None, BrOptions())
    for _ in question.run(1 << 40, RowDefinitions):
        pass
    for position in part_of(_places(history), 0):
        question._place = position
        yield position, question.explained("", is_partial=question.reading().is_partial)


@pytest.mark.parametrize("kind", part_of(KINDS, 2, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(8, short=1), deadline=None)
def test_at_a_recovery_point_nothing_is_missed_and_recovery_counts_what_is_applied(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        found = report(list(history.paths))
        start = FilePosition(history.paths[0], 0)
        assert found.shown("", None, is_partial=False).effective == len(history.run(start).whole)
        for restart in found.restarts():
            if restart.recovery_point is not None and not history.zeros:
                assert not history.run(restart.recovery_point).halves
                assert _all_but(history, restart.recovery_point, again=restart.recovery_point) == []


@pytest.mark.parametrize(("kind", "way"), in_turn(KINDS, WAYS))
@given(seed=SEEDS)
@settings(max_examples=examples(8, short=1), deadline=None)
def test_the_rows_that_count_as_applied_are_those_of_a_replicat_that_abends_at_damage(
    kind: str, way: Kernels, seed: int
) -> None:
    with drawn(kind, seed) as history, run(way):
        found = NotApplied(whole_trail(list(history.paths)))
        rows = [part for part in history.events if isinstance(part, Written) and part.change is not None]
        kept = {FilePosition(record.path, record.rba) for record in rows if not found.of(record.path).hold(record.rba)}
        assert kept == history.run(FilePosition(history.paths[0], 0)).rows


@pytest.mark.parametrize("kind", part_of(KINDS, 3, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(6, short=1), deadline=None)
def test_recovery_tells_the_same_whichever_engine_reads(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        told = []
        for way in WAYS:
            with run(way):
                found = report(list(history.paths))
                lists = (found.restarts(), found.cuts(is_alone=True), found.second_copies(), found.order_breaks())
                told.append([found.shown("", None, is_partial=False), *map(list, lists), list(found.overwritten())])
        assert all(answer == told[0] for answer in told)
