"""What columns decide needs no record: which filters that holds of, and that no row of theirs is left open."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from logdump.filters.rows import FilterRows, FilterSource
from trailformat import ByteOrder, TrailFile
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.tracker import TransactionTracker

from .by_hand import trail_in
from .test_by_hand import told

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
"""What is looked up in each record."""


def read_for(tmp_path: Path, *statements: str) -> tuple[list[int], list[int]]:
    """The RBAs of the records that are read to apply a filter to the trail by hand, and of those that pass."""
    path, _ = trail_in(tmp_path, ByteOrder.BIG)
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        owners = TransactionTracker(trail).of(batch)
        with mock.patch.object(TrailFile, "record_at", autospec=True, side_effect=TrailFile.record_at) as read:
            rows = FilterRows(FilterSource(trail, lambda: RowDefinitions(trail)), batch, owners)
            mask = told(statements).mask(rows)
        return [call.args[1] for call in read.call_args_list], np.asarray(batch.rba)[mask].tolist()


@pytest.mark.parametrize("option", DECIDED)
def test_columns_decide_without_a_record(option: str, tmp_path: Path) -> None:
    for statement in (option, f"EXCLUDE {option}"):
        read, passing = read_for(tmp_path, statement)
        assert (read, passing != []) == ([], True)


@pytest.mark.parametrize("option", OPEN)
def test_records_are_read_only_where_the_columns_leave_it_open(option: str, tmp_path: Path) -> None:
    _, inserts = read_for(tmp_path, "RECTYPE 5")
    _, everything = read_for(tmp_path, "RBA >= 0")
    others = [rba for rba in everything if rba not in inserts]
    for statements, read in (
        ([option], everything),
        ([option, "RECTYPE 5"], others),
        ([option, "RECTYPE 5", "MATCH ALL"], inserts),
        ([f"EXCLUDE {option}"], everything),
        ([f"EXCLUDE {option}", "EXCLUDE RECTYPE 5"], others),
        ([f"EXCLUDE {option}", "EXCLUDE RECTYPE 5", "EXCLUDE MATCH ALL"], inserts),
        (["RECTYPE 5", f"EXCLUDE {option}"], inserts),
    ):
        assert read_for(tmp_path, *statements)[0] == read, statements


def test_a_filter_on_transactions_needs_to_be_told_them(tmp_path: Path) -> None:
    path, _ = trail_in(tmp_path, ByteOrder.BIG)
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        rows = FilterRows(FilterSource(trail, lambda: RowDefinitions(trail)), batch)
        for option in ("CSN > 99", "GGSTOKEN TRANID 5.1.7"):
            with pytest.raises(ValueError, match=r"^a filter needs transactions, which were not collected$"):
                told([option]).mask(rows)
