"""Trails in which something lacks or does not belong: it is told, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.recovery import model
from logdump.features.recovery import survey as survey_of_recovery
from logdump.features.recovery.model import RecoveryShown
from logdump.session.errors import ExitStatus
from tests.logdump.recovery.surveys import effective, report, surveyed
from tests.searching import IS_LONG
from tests.trailformat.samples import header, row, trail_of
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, LAST, MIDDLE, RESTART_ABEND
from trailformat.transactions import applied, whole_trail

pytestmark = pytest.mark.usefixtures("kernels")


def _first(csn: str) -> Record:
    return make_record(header(trans_ind=FIRST), b"leaf", [make_token("L", csn.encode()), make_token("6", b"1.1")])


_LAST = row(trans_ind=LAST)
_MARKER = row(b"", io_type=RESTART_ABEND)


def _file(folder: Path, number: int, *records: Record | bytes) -> Path:
    return trail_of(folder, *records, name=f"tt{number:09}")


def _shown(paths: list[Path]) -> RecoveryShown:
    return report(paths).shown("", None, is_partial=False)


def test_missing_files_are_named_and_what_goes_on_over_them_is_not_whole(tmp_path: Path) -> None:
    paths = [_file(tmp_path, 0, _first("10")), _file(tmp_path, 3, _LAST, *transaction("11", "1.2"))]
    shown = _shown(paths)
    assert [(gap.first.name, gap.last.name) for gap in shown.state.gaps] == [("tt000000001", "tt000000002")]
    assert (shown.transactions, shown.effective, shown.incomplete) == (3, 1, 2)


@pytest.mark.parametrize(
    ("begins_in", "is_open"),
    [(0, False), (2, False), (4, True)],
)
def test_what_is_open_at_the_end_may_begin_in_any_file_behind_the_last_gap(
    begins_in: int, is_open: bool, tmp_path: Path
) -> None:
    """Three stretches of one file; only what begins in the last can be open at the end."""
    whole = transaction("10", "1.1")
    paths = [_file(tmp_path, number, *whole, *([_first("20")] if number == begins_in else [])) for number in (0, 2, 4)]
    shown = _shown(paths)
    assert (shown.open is not None, shown.incomplete) == (is_open, int(not is_open))


@pytest.mark.parametrize(("begins_in", "is_open"), [(0, False), (1, False), (3, True), (4, True), (5, True)])
def test_an_open_transaction_goes_on_over_files_up_to_the_next_gap(
    begins_in: int, is_open: bool, tmp_path: Path
) -> None:
    """Files 0 and 1, then 3 to 5; the files after the one in which it begins have records of it only."""
    numbers = [number for number in (0, 1, 3, 4, 5) if number < begins_in or (number > 2) >= (begins_in > 2)]
    inside = row(trans_ind=MIDDLE)
    paths = []
    for number in numbers:
        is_over = begins_in < 2 and number > 2
        own = [_first("20")] if number == begins_in else [inside] if number > begins_in and not is_over else []
        paths.append(_file(tmp_path, number, *(transaction("10", "1.1") if number < begins_in or is_over else own)))
        if number == begins_in:
            paths[-1].write_bytes(b"".join(record.raw for record in (*transaction("10", "1.1"), *own)))
    shown = _shown(paths)
    assert (shown.open is not None, shown.incomplete) == (is_open, int(not is_open))


def test_a_rest_in_the_first_file_is_not_whole(tmp_path: Path) -> None:
    shown = _shown([_file(tmp_path, 4, _LAST, *transaction("11", "1.2"))])
    assert (shown.transactions, shown.effective, shown.incomplete) == (2, 1, 1)


def test_a_file_that_is_no_trail_is_told_and_stepped_over(tmp_path: Path) -> None:
    paths = [_file(tmp_path, 0, _first("10")), tmp_path / "tt000000001", _file(tmp_path, 2, _LAST)]
    paths[1].write_bytes(b"no trail")
    shown = _shown(paths)
    assert (shown.state.unreadable, shown.effective, shown.status) == ((paths[1],), 0, ExitStatus.BAD_DATA)


def test_an_empty_newest_file_is_one_that_is_begun(tmp_path: Path) -> None:
    paths = [_file(tmp_path, 0, *transaction("10", "1.1")), tmp_path / "tt000000001"]
    paths[1].write_bytes(b"")
    shown = _shown(paths)
    assert (shown.files, shown.status) == (1, ExitStatus.OK)


def test_equal_csns_are_neither_copies_nor_out_of_order(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, *(record for at in range(9) for record in transaction("10", f"1.{at}")))
    shown = _shown([path])
    assert (shown.effective, shown.state.twice, shown.state.order_breaks) == (9, 0, 0)


def test_csns_of_another_database_do_not_go_back(tmp_path: Path) -> None:
    pairs = ("900", "00000004:00000001", "901", "00000004:00000002")
    path = _file(tmp_path, 0, *(record for csn in pairs for record in transaction(csn, "1.1")))
    assert _shown([path]).state.order_breaks == 0


def test_transactions_without_a_csn_are_counted_and_applied(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, *transaction(None, None), *transaction(None, None))
    shown = _shown([path])
    assert (shown.effective, shown.unnamed, shown.state.twice) == (2, 2, 0)


def test_a_restart_that_damage_hides_leaves_a_transaction_that_is_not_whole(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, _first("10"), GARBAGE, _first("10"), _LAST)
    shown = _shown([path])
    assert (shown.effective, shown.after_damage, shown.cut) == (0, 1, 0)
    assert (shown.incomplete, shown.state.damaged) == (1, 1)


def test_a_cut_transaction_without_a_copy_is_a_finding(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, _first("10"), _MARKER, *transaction("11", "1.2"))
    shown = _shown([path])
    assert (shown.cut, shown.state.lost, shown.status) == (1, 1, ExitStatus.FINDINGS)


def test_a_cut_transaction_with_its_copy_is_none(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, _first("10"), _MARKER, _first("10"), _LAST)
    assert _shown([path]).status is ExitStatus.OK


def test_a_copy_may_come_after_later_transactions(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, _first("10"), _MARKER, *transaction("11", "1.2"), _first("10"), _LAST)
    shown = _shown([path])
    assert (shown.cut, shown.state.lost, shown.state.order_breaks, shown.effective) == (1, 0, 1, 2)


def test_the_copy_of_two_cuts_is_that_of_both(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, *(_first("10"), _MARKER) * 2, _first("10"), _LAST)
    assert [cut.again is not None for cut in report([path]).cuts(is_alone=True)] == [True, True]


def test_a_copy_that_differs_is_told_with_both_places(tmp_path: Path) -> None:
    tokens = [make_token("L", b"10"), make_token("6", b"1.1")]
    other = make_record(header(trans_ind=FIRST), b"another leaf", tokens)
    path = _file(tmp_path, 0, _first("10"), _MARKER, other, _LAST)
    (cut,) = report([path]).cuts(is_alone=True)
    assert cut.again is not None
    assert cut.again.likeness == "differs"
    second = _first("10").length + _MARKER.length
    assert [position.rba for position in cut.again.difference or () if position] == [0, second]


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize("kind", ["restarts", "copies"])
def test_findings_of_one_kind_beyond_the_list_are_not_all_listed(
    kind: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the other kinds there are none."""
    for module in (survey_of_recovery, model):
        monkeypatch.setattr(module, "MOST_LISTED", 3)
    whole = [_first("20"), _LAST]
    again = {"restarts": [_MARKER], "copies": whole}[kind]
    found = report([_file(tmp_path, 0, *whole, *again * number)])
    assert found.shown("", None, is_partial=False).is_listed == (number == 3)


def test_findings_beyond_the_list_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (survey_of_recovery, model):
        monkeypatch.setattr(module, "MOST_LISTED", 3)
    again = [record for at in range(5) for record in (_first(f"1{at}"), _MARKER, _first(f"1{at}"), _LAST)]
    found = report([_file(tmp_path, 0, *again)])
    shown = found.shown("", None, is_partial=False)
    assert (shown.state.restarts, shown.cut, shown.is_listed) == (5, 5, False)
    assert len(list(found.restarts())) == 3


@pytest.mark.parametrize("step", [1, -1])
def test_copies_of_more_cut_transactions_than_are_listed_are_found(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (survey_of_recovery, model):
        monkeypatch.setattr(module, "MOST_LISTED", 3)
    csns = [f"1{at}" for at in range(6)]
    records = [*(_first(csn) for csn in csns), *(record for csn in csns[::step] for record in (_first(csn), _LAST))]
    found = report([_file(tmp_path, 0, *records)])
    shown = found.shown("", None, is_partial=False)
    assert (shown.cut, shown.state.lost, shown.is_unsure) == (6, 0, False)
    assert [cut.again.likeness for cut in found.cuts(is_alone=True) if cut.again] == ["prefix"] * 3


def test_more_cut_transactions_than_are_waited_for_make_it_unsure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applied, "MOST_KNOWN", 3)
    path = _file(tmp_path, 0, *(_first(f"1{at}") for at in range(5)), *transaction("20", "1.1"))
    assert report([path]).shown("", None, is_partial=False).is_unsure


def test_thousands_of_restarts_are_told_quickly(tmp_path: Path) -> None:
    number = 10_000 if IS_LONG else 200
    csns = [str(number + at) for at in range(number)]
    again = [record for csn in csns for record in (_first(csn), _MARKER, _first(csn), _LAST)]
    survey = surveyed([_file(tmp_path, 0, *again)])
    assert (survey.restarts.number, survey.cuts.number, survey.cuts.lost) == (number, number, 0)


def test_a_file_of_another_trail_shows_in_its_header_and_its_csns(trails: Path, tmp_path: Path) -> None:
    sources = ("at000000000", "el000000000", "at000000001")
    paths = [tmp_path / f"zz00000000{number}" for number in range(3)]
    for path, source in zip(paths, sources, strict=True):
        path.write_bytes((trails / source).read_bytes())
    changed = {change.member for change in report(paths).producer_changes() if change.path == paths[1]}
    assert {"DatabaseInfo.Name", "ProducerInfo.VerString", "TrailInfo.Compatibility"} <= changed
    assert len(effective(paths)) == 3 + 10 + 2


def test_a_whole_copy_in_front_of_a_cut_one_is_not_its_second(tmp_path: Path) -> None:
    path = _file(tmp_path, 0, _first("10"), _LAST, _first("10"), _MARKER, *transaction("11", "1.2"))
    shown = _shown([path])
    assert (shown.cut, shown.state.lost) == (1, 1)


def test_a_cut_transaction_is_told_with_its_restart_wherever_a_batch_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(1))
    path = _file(tmp_path, 0, _first("10"), _MARKER, _first("10"), _LAST)
    (restart,) = report([path]).restarts()
    assert restart.cut is not None
