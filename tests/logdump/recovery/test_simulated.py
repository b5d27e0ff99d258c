"""What is told of a trail is what its Extract has done, and the effective trail is what a Replicat applies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from tests.kernels import WAYS, Kernels, run
from tests.logdump.recovery.surveys import effective, report, surveyed
from tests.searching import Random, examples, stride
from tests.simulated.recovery import RecoveringExtract, append_recovery, overwritten, rebuilt
from tests.simulated.replicat import replicat
from trailformat.trail.sequence import FilePosition

FLAVOURS = [MYSQL_21, ORACLE_12]
SEEDS = st.integers(0, 1 << 32)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _applied(extract: RecoveringExtract) -> list[FilePosition]:
    """Where the transactions begin that the simulated Replicat applies."""
    _, applied = replicat(extract.written, extract.first_rows)
    return [FilePosition(records[0].path, records[0].rba) for records in applied]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("flavour", FLAVOURS, ids=lambda flavour: flavour.order.name)
@given(seed=SEEDS)
@settings(max_examples=examples(5), deadline=None)
def test_the_effective_trail_is_what_was_committed_whatever_the_kills(flavour: Flavour, seed: int) -> None:
    with _folder() as folder:
        extract = append_recovery(folder, Random(seed), flavour)
        assert effective(extract.paths) == _applied(extract)


@pytest.mark.usefixtures("kernels")
@given(seed=SEEDS)
@settings(max_examples=examples(5), deadline=None)
def test_every_cut_is_told_and_has_its_copy_and_nothing_else_is_found(seed: int) -> None:
    with _folder() as folder:
        extract = append_recovery(folder, Random(seed), ORACLE_12)
        survey = surveyed(extract.paths)
        assert survey.cuts.number == len(extract.kills)
        assert [transaction.records for transaction in survey.cuts.found] == [kill.records for kill in extract.kills]
        assert survey.cuts.lost == 0
        assert (survey.twice.number, survey.falls.number, survey.overwritten.number) == (0, 0, 0)


@given(seed=SEEDS)
@settings(max_examples=examples(5), deadline=None)
def test_the_copy_of_a_cut_begins_with_what_was_cut(seed: int) -> None:
    with _folder() as folder:
        extract = append_recovery(folder, Random(seed), MYSQL_21)
        cuts = list(report(extract.paths).cuts(is_alone=True))
        assert {cut.again.likeness if cut.again else None for cut in cuts} <= {"prefix"}


@given(seed=SEEDS)
@settings(max_examples=examples(5), deadline=None)
def test_every_marker_and_every_file_that_a_failure_has_begun_is_a_restart(seed: int) -> None:
    with _folder() as folder:
        extract = append_recovery(folder, Random(seed), MYSQL_21)
        markers = [FilePosition(record.path, record.rba) for record in extract.written if record.change is None]
        restarts = list(report(extract.paths).restarts())
        assert [restart.position for restart in restarts if restart.kind != "rollover"] == markers
        begun = [restart.position for restart in restarts if restart.kind == "rollover"]
        rolled = sum(kill.rolls for kill in extract.kills)
        assert len(begun) >= rolled
        assert all(position.rba == 0 for position in begun)


@given(seed=SEEDS)
@settings(max_examples=examples(5), deadline=None)
def test_readers_go_on_behind_the_last_transaction_that_a_replicat_has_applied(seed: int) -> None:
    with _folder() as folder:
        extract = append_recovery(folder, Random(seed), MYSQL_21)
        _, applied = replicat(extract.written, extract.first_rows)
        order = {path: number for number, path in enumerate(extract.paths)}
        ends = [(order[transaction[-1].path], transaction[-1].rba + transaction[-1].length) for transaction in applied]
        for restart in report(extract.paths).restarts():
            before = [end for end in ends if end <= (order[restart.position.path], restart.position.rba)]
            found = (order[restart.recovery_point.path], restart.recovery_point.rba) if restart.recovery_point else None
            assert found == (before[-1] if before else None)


@pytest.mark.usefixtures("kernels")
@given(seed=SEEDS)
@settings(max_examples=examples(5), deadline=None)
def test_transactions_of_rebuilt_files_are_told_with_both_places(seed: int) -> None:
    with _folder() as folder:
        made = rebuilt(folder, Random(seed), ORACLE_12)
        begins = [written_record for written_record in made.extract.written if written_record.trans_ind in (0, 3)]
        places: dict[int, list[FilePosition]] = {}
        for record in begins:
            places.setdefault(record.transaction, []).append(FilePosition(record.path, record.rba))
        told = [(event.first, event.copy.begin) for event in report(made.extract.paths).second_copies()]
        assert told == [tuple(places[number]) for number in made.again]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("flavour", FLAVOURS, ids=lambda flavour: flavour.order.name)
@given(seed=SEEDS)
@settings(max_examples=examples(8), deadline=None)
def test_old_data_under_new_are_told_and_whether_the_trail_comes_back_to_what_it_had_passed(
    flavour: Flavour, seed: int
) -> None:
    with _folder() as folder:
        made = overwritten(folder, Random(seed), flavour)
        found = report([made.path])
        told = [(event.position, event.was_passed) for event in found.overwritten()]
        assert told == (
            [(FilePosition(made.path, made.end), made.tells)] if made.is_broken and made.is_followed else []
        )
        assert found.shown("", None, is_partial=False).modes == (0,)


@given(seed=SEEDS, way=st.sampled_from(WAYS))
@settings(max_examples=examples(1), deadline=None)
def test_of_a_trail_that_ends_anywhere_no_transaction_is_told_that_is_not_there(seed: int, way: Kernels) -> None:
    with _folder() as folder, run(way):
        extract = append_recovery(folder, Random(seed), MYSQL_21, most_kills=2)
        last = extract.paths[-1]
        data = last.read_bytes()
        ends = _ends_of(extract)
        for size in range(1, len(data), stride(7)):
            last.write_bytes(data[:size])
            here = [begin for begin, end in ends if end.path != last or end.rba <= size]
            assert effective(extract.paths) == here


def _ends_of(extract: RecoveringExtract) -> list[tuple[FilePosition, FilePosition]]:
    _, applied = replicat(extract.written, extract.first_rows)
    return [
        (
            FilePosition(transaction[0].path, transaction[0].rba),
            FilePosition(transaction[-1].path, transaction[-1].rba + transaction[-1].length),
        )
        for transaction in applied
    ]
