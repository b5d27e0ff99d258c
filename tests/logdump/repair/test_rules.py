"""Why REPAIR leaves a transaction out: of two reasons that hold the first one of the list is told.

Ranges of bytes are what they hold.
Where REPAIR writes: what it replaces, what it never touches, and what is left where it fails.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.features.repair.file_survey import ByteRange, ByteRanges
from logdump.features.repair.model import LossReason
from logdump.features.repair.plan import TransactionPlan
from tests.logdump.line import Line
from tests.logdump.repair.repaired import losses, refused, repair, rows, shown, texts
from tests.searching import examples
from tests.trailformat.samples import header, row, table_record, trail_of
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, ONLY
from trailformat.trail.whole_file import is_copy, mark_as_copy

GIVEN = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda pair: ByteRange(pair[0], sum(pair))))


@given(parts=GIVEN, rba=st.integers(0, 40), stop=st.integers(0, 40))
@settings(max_examples=examples(60), deadline=None)
def test_ranges_that_overlap_are_one(parts: list[ByteRange], rba: int, stop: int) -> None:
    held = {at for span in parts for at in range(*span)}
    ranges = ByteRanges(parts)
    assert [at for span in ranges for at in range(*span)] == sorted(held)
    assert all(span.stop < other.start for span, other in pairwise(ranges))
    assert ranges.size == len(held)
    assert (ranges.at(rba) is not None) == (rba in held)
    assert ranges.after(rba) == next((span for span in ranges if span.start >= rba), None)
    assert ranges.before(rba) == next((span for span in reversed(list(ranges)) if span.start < rba), None)
    assert [at for span in ranges.outside(rba, stop) for at in range(*span)] == sorted(set(range(rba, stop)) - held)


def test_a_target_is_no_file_of_the_source_s_trail(line: Line, tmp_path: Path) -> None:
    trail_of(tmp_path, *rows("a"), name="tt000000000")
    line(f"open {tmp_path / 'tt000000000'}; repair to {tmp_path / 'tt000000001'}")
    assert refused(line).endswith("would be a file of the trail of tt000000000: REPAIR takes another name.")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "tt000000000"} replace')
    assert "REPAIR never writes over it" in refused(line)


def test_only_a_copy_that_was_made_by_us_is_replaced(line: Line, tmp_path: Path) -> None:
    mine, made = tmp_path / "aa000000000", tmp_path / "bb000000000"
    mine.write_bytes(b"mine")
    line(f"open {TRAILS / 'et000000000'}; repair to {mine} replace")
    assert "is not known to be a copy" in refused(line)
    assert mine.read_bytes() == b"mine"
    line(f"save {made} 3 records")
    if not is_copy(made):
        pytest.skip("the file system has no attributes")
    line(f"repair to {made}")
    assert "REPLACE replaces a copy" in refused(line)
    for _ in range(2):
        line(f"repair to {made} replace")
        assert made.read_bytes() == (TRAILS / "et000000000").read_bytes()


def _full(_handle: int) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _interrupted(_handle: int) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("fail", [_full, _interrupted])
def test_a_full_disk_and_an_interrupt_leave_nothing(
    fail: Callable[[int], NoReturn], line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"open {TRAILS / 'ft000000000'}")
    monkeypatch.setattr(os, "fsync", fail)
    try:
        line(f"repair to {tmp_path / 'cp000000000'}")
    except KeyboardInterrupt:
        assert fail is _interrupted
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", ["", "all"])
def test_a_copy_that_lacks_more_than_is_told_does_not_get_its_name(
    words: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = TransactionPlan.takes
    monkeypatch.setattr(TransactionPlan, "takes", lambda plan, place: place.rba != 1811 and taken(plan, place))
    line(f"open {TRAILS / 'et000000000'}; repair to {tmp_path / 'cp000000000'} {words}")
    assert "differs from the source in more than the omitted records" in refused(line)
    assert list(tmp_path.iterdir()) == []


def test_a_mark_is_of_the_file_and_not_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        mark_as_copy(file.fileno())
    if not is_copy(path):
        pytest.skip("the file system has no attributes")
    path.unlink()
    path.write_bytes(b"another")
    assert not is_copy(path)


RULES = (LossReason.DAMAGE, LossReason.NO_DEFINITION, LossReason.MISSING_FILE, LossReason.OPEN)
"""The reasons, in the order in which they are tried."""
GARBAGE = b"no record at all, but bytes " * 4


def _trail(folder: Path, reasons: tuple[LossReason, ...]) -> None:
    """A trail with a transaction that is not whole for all of these reasons."""
    index = 7 if LossReason.NO_DEFINITION in reasons else "TEA.LEAVES"
    definition = bytearray(table_record(7, "TEA.LEAVES").raw)
    definition[0] ^= 0xFF
    begun: list[Record | bytes] = [row(b"b", index, trans_ind=FIRST)]
    begun += [GARBAGE] if LossReason.DAMAGE in reasons else []
    begun += [row(b"c", index, trans_ind=1)]
    ends = LossReason.MISSING_FILE not in reasons and LossReason.OPEN not in reasons
    begun += [row(b"d", index, trans_ind=2)] if ends else []
    lost = [bytes(definition)] if LossReason.NO_DEFINITION in reasons else []
    trail_of(folder, *rows("a"), *lost, *begun, name="tt000000000")
    if LossReason.MISSING_FILE in reasons:
        trail_of(folder, *rows("e"), name="tt000000002")


def _reasons(line: Line, folder: Path) -> list[LossReason]:
    line(f'repair over "{folder}/tt*" to {folder / "cp000000000"}')
    assert line.failures == []
    return [loss.reason for loss in losses(line) if loss.begin is not None and loss.reason in RULES]


@pytest.mark.parametrize("reason", RULES, ids=lambda rule: rule.name)
def test_each_reason_alone_is_told(reason: LossReason, line: Line, tmp_path: Path) -> None:
    _trail(tmp_path, (reason,))
    assert _reasons(line, tmp_path) == [reason]


@pytest.mark.parametrize(
    "pair", tuple(combinations(RULES, 2)), ids=lambda pair: " and ".join(rule.name for rule in pair)
)
def test_of_two_reasons_the_first_is_told(pair: tuple[LossReason, LossReason], line: Line, tmp_path: Path) -> None:
    _trail(tmp_path, pair)
    assert _reasons(line, tmp_path) == [pair[0]]


@pytest.mark.parametrize("between", ["missing", "no trail", "damaged header only"])
def test_halves_on_both_sides_of_a_file_that_is_not_read_are_no_whole_transactions(
    between: str, line: Line, tmp_path: Path
) -> None:
    trail_of(tmp_path, *rows("a"), *rows("bcd")[:2], name="tt000000000")
    trail_of(tmp_path, *rows("bcd")[2:], *rows("e"), name="tt000000002")
    if between != "missing":
        trail_of(tmp_path, GARBAGE if between == "no trail" else bytes(200), name="tt000000001")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "cp000000000"}')
    assert line.failures == []
    assert [loss.reason for loss in losses(line)] == [LossReason.MISSING_FILE] * 2
    assert [texts(tmp_path / f"cp00000000{number}") for number in (0, 1)] == [[b"a"], [b"e"]]


def test_the_last_csn_is_that_of_a_whole_transaction_though_a_later_one_is_copied_in_part(
    line: Line, tmp_path: Path
) -> None:
    whole = make_record(header(trans_ind=ONLY), b"", [make_token("L", b"4711")])
    begun = make_record(header(trans_ind=FIRST), b"", [make_token("L", b"4712")])
    repair(line, tmp_path, whole, begun, words="all")
    assert (shown(line).after_csn, shown(line).partial_transactions) == ("4711", 1)


def test_the_last_csn_is_not_that_of_one_that_the_next_overtakes(line: Line, tmp_path: Path) -> None:
    whole = make_record(header(trans_ind=ONLY), b"", [make_token("L", b"4711")])
    begun, other = (make_record(header(trans_ind=FIRST), b"", [make_token("L", csn)]) for csn in (b"4712", b"4713"))
    repair(line, tmp_path, whole, begun, other)
    assert shown(line).after_csn == "4711"
