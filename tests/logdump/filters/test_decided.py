"""What columns decide needs no record: which filters that holds of, and that no row of theirs is left open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logdump.filters import Comparison
from trailformat import ByteOrder, TrailFile
from trailformat.scan import scan
from trailformat.transactions.tracker import TransactionTracker

from .by_hand import trail_in
from .test_by_hand import told, with_numpy

pytest.importorskip("numpy", reason="masks need numpy")

DECIDED = [
    "RECTYPE 5",
    "IOTYPE 5",
    "FILENAME tea.*",
    "ANSINAME TEA.LEAVES",
    "RBA > 500",
    "RECLEN 6",
    "AUDITRBA 211",
    "TRANSIND last",
    "STARTTIME 2024-03-14 09:05",
    "ENDTIME 2024-03-14 09:05",
    "STRING Denver",
    "HEX 00",
    "INT16 258",
    "INT32 107",
    "INT64 107",
    "CSN > 99",
    "GGSTOKEN LOGCSN",
    "GGSTOKEN TRANID 5.1.7",
    "GGSTOKEN ORATAG Denver",
]
OPEN = ["SYSKEY 107", "SYSKEYLEN 4", "UNDOFLAG 1", "USERTOKEN TK-HOST"]


def verdicts(tmp_path: Path, *statements: str) -> tuple[Any, Any]:
    """What the columns of the trail by hand say: RBAs that may pass, and that pass for sure."""
    from logdump.filters.masks import MaskSource, verdict

    path, _ = trail_in(tmp_path, ByteOrder.BIG)
    with TrailFile(path) as trail:
        (one,) = scan(trail)
        batch: Any = with_numpy(one)
        owners = TransactionTracker(trail).of(batch)
        found = verdict(told(statements), batch, MaskSource(trail.buffer, owners))
        return batch.rba[found.may].tolist(), batch.rba[found.surely].tolist()


@pytest.mark.parametrize("option", DECIDED)
def test_columns_decide(option: str, tmp_path: Path) -> None:
    from logdump.filters.masks import is_decided

    for statement in (option, f"EXCLUDE {option}"):
        assert is_decided(told([statement]))
        may, surely = verdicts(tmp_path, statement)
        assert may == surely != []


@pytest.mark.parametrize("option", [*OPEN, "VALUE QTY = 7"])
@pytest.mark.parametrize("which", ["INCLUDE", "EXCLUDE"])
def test_records_are_asked(which: str, option: str) -> None:
    from logdump.filters.masks import is_decided

    assert not is_decided(told(["RECTYPE 5", f"{which} {option}", "EXCLUDE RECTYPE 3"]))


@pytest.mark.parametrize("option", OPEN)
def test_records_are_asked_only_where_the_columns_leave_it_open(option: str, tmp_path: Path) -> None:
    inserts, _ = verdicts(tmp_path, "RECTYPE 5")
    everything, _ = verdicts(tmp_path, "RBA >= 0")
    others = [rba for rba in everything if rba not in inserts]
    assert verdicts(tmp_path, option) == (everything, [])
    assert verdicts(tmp_path, "RECTYPE 5", option) == (everything, inserts)
    assert verdicts(tmp_path, "RECTYPE 5", option, "MATCH ALL") == (inserts, [])
    assert verdicts(tmp_path, f"EXCLUDE {option}") == (everything, [])
    assert verdicts(tmp_path, "EXCLUDE RECTYPE 5", f"EXCLUDE {option}") == (others, [])
    assert verdicts(tmp_path, "EXCLUDE RECTYPE 5", f"EXCLUDE {option}", "EXCLUDE MATCH ALL") == (everything, others)


def test_a_filter_on_transactions_needs_to_be_told_them(tmp_path: Path) -> None:
    from logdump.filters.masks import MaskSource, verdict
    from logdump.filters.token_criteria import GgsToken

    path, _ = trail_in(tmp_path, ByteOrder.BIG)
    with TrailFile(path) as trail:
        (one,) = scan(trail)
        for option in ("CSN > 99", "GGSTOKEN TRANID 5.1.7"):
            with pytest.raises(ValueError, match=r"^a filter needs transactions, which were not collected$"):
                verdict(told([option]), with_numpy(one), MaskSource(trail.buffer, None))
    assert not GgsToken(ord("6"), Comparison.EQUAL, None).fits(None, "5.1.7")
