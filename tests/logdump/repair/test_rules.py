"""Why REPAIR leaves a transaction out: of two reasons that hold the first one of the list is told."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from logdump.features.repair.model import LossReason
from tests.logdump.line import Line
from tests.logdump.repair.repaired import losses, repair, rows, shown, texts
from tests.trailformat.samples import header, row, table_record, trail_of
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, ONLY

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
    return [one.reason for one in losses(line) if one.begin is not None and one.reason in RULES]


@pytest.mark.parametrize("reason", RULES, ids=lambda one: one.name)
def test_each_reason_alone_is_told(reason: LossReason, line: Line, tmp_path: Path) -> None:
    _trail(tmp_path, (reason,))
    assert _reasons(line, tmp_path) == [reason]


@pytest.mark.parametrize("pair", tuple(combinations(RULES, 2)), ids=lambda pair: " and ".join(one.name for one in pair))
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
    assert [one.reason for one in losses(line)] == [LossReason.MISSING_FILE] * 2
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
