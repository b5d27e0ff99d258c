"""What columns decide needs no record: which filters that holds of, and that no row of theirs is left open."""

from __future__ import annotations

import pickle
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from logdump.filters import OPTIONS, FilterSet, Match, Needs, parse_criterion
from logdump.filters.rows import FilterRows, FilterSource
from logdump.notation.times import GMT
from trailformat import ByteOrder, TrailFile
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.tracker import TransactionTracker

from .by_hand import trail_in
from .subjects import broken, file_header, filters, subject
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
    _, everything = read_for(tmp_path, "RBA > 0")  # the header of the file is no record
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


INSERT = subject("HR.REGIONS", io_type=5)
DELETE = subject("HR.REGIONS", io_type=3)
OTHER = subject("HR.JOBS", io_type=5)
DEFINITION = subject("HR.REGIONS", io_type=170, orig_node=2)
REFUSED = {"PROCESS", "TRANSID"}


def test_a_new_filter_is_enabled_and_lets_everything_pass() -> None:
    new = FilterSet()
    assert new.enabled
    assert new.is_empty
    assert not new.active
    assert new.include.match is new.exclude.match is Match.ANY
    assert all(filtered_record.meets(new) for filtered_record in (INSERT, file_header()))
    assert not broken().meets(new)


def test_any_criterion_to_include_suffices() -> None:
    made = filters("INCLUDE FILENAME hr.regions", "RECTYPE 5")
    assert [filtered_record.meets(made) for filtered_record in (INSERT, DELETE, OTHER)] == [True, True, True]


def test_with_match_all_every_criterion_must_hold() -> None:
    made = filters("INCLUDE FILENAME hr.regions", "RECTYPE 5", "MATCH ALL")
    assert [filtered_record.meets(made) for filtered_record in (INSERT, DELETE, OTHER)] == [True, False, False]


def test_what_is_excluded_never_passes() -> None:
    made = filters("EXCLUDE RECTYPE 3", "INCLUDE FILENAME hr.regions")
    assert [filtered_record.meets(made) for filtered_record in (INSERT, DELETE, OTHER)] == [True, False, False]


def test_the_exclude_set_has_a_match_of_its_own() -> None:
    made = filters("EXCLUDE RECTYPE 3", "EXCLUDE FILENAME hr.regions", "EXCLUDE MATCH ALL")
    assert [filtered_record.meets(made) for filtered_record in (INSERT, DELETE, OTHER)] == [True, False, True]


def test_a_list_is_one_criterion_also_under_match_all() -> None:
    made = filters("FILENAME hr.regions, hr.jobs", "RECTYPE 5", "MATCH ALL")
    assert [filtered_record.meets(made) for filtered_record in (INSERT, DELETE, OTHER)] == [True, False, True]


def test_two_criteria_make_a_range_under_match_all() -> None:
    made = filters("CSN >= 100", "CSN < 200", "MATCH ALL")
    assert [subject(csn=csn).meets(made) for csn in ("99", "100", "199", "200")] == [False, True, True, False]


def test_a_disabled_filter_lets_everything_pass_and_keeps_its_criteria() -> None:
    made = filters("RECTYPE 3", "OFF")
    assert INSERT.meets(made)
    assert not made.active
    assert not made.is_empty


def test_file_header_and_metadata_pass_only_when_they_meet_what_is_included() -> None:
    by_name, by_type = filters("FILENAME hr.regions"), filters("RECTYPE 5")
    assert not file_header().meets(by_name)
    assert DEFINITION.meets(by_name)
    assert not DEFINITION.meets(by_type)
    assert file_header().meets(filters("RBA 0"))


def test_file_header_and_metadata_stay_unless_they_meet_what_is_excluded_and_damage_never_passes() -> None:
    made = filters("EXCLUDE RECTYPE 5", "EXCLUDE AUDITRBA <> 0")
    assert file_header().meets(made)
    assert not broken().meets(made)
    assert not DEFINITION.meets(filters("EXCLUDE RECTYPE Metadata"))


def test_a_scan_learns_what_to_decode() -> None:
    made = filters("RECTYPE 5", "EXCLUDE FILENAME hr.*")
    assert made.needs == Needs.HEADER | Needs.NAME
    assert filters("CSN > 5", "STRING x").needs == Needs.TRANSACTION | Needs.DATA
    assert filters("RBA > 5").needs == Needs.NOTHING
    assert filters("STRING x", "OFF").needs == Needs.NOTHING


def test_a_copy_goes_its_own_way() -> None:
    made = filters("RECTYPE 5", "MATCH ALL", "EXCLUDE STRING x")
    copy = made.copy()
    assert copy == made
    copy.include.criteria.clear()
    copy.exclude.criteria.clear()
    copy.exclude.match = Match.ALL
    copy.enabled = False
    assert made == filters("RECTYPE 5", "MATCH ALL", "EXCLUDE STRING x")


def test_every_criterion_is_plain_data() -> None:
    for option in OPTIONS:
        if option.keyword not in REFUSED:
            criterion = parse_criterion(option.example, GMT)
            assert parse_criterion(option.example, GMT) == criterion
            assert len({criterion, parse_criterion(option.example, GMT)}) == 1
            assert pickle.loads(pickle.dumps(criterion)) == criterion
    made = filters("RECTYPE 5", "EXCLUDE STRING x")
    assert pickle.loads(pickle.dumps(made)) == made
