from __future__ import annotations

import pickle

from logdump.filters import OPTIONS, FilterSet, Match, Needs, parse_criterion
from logdump.notation.times import GMT

from .subjects import broken, file_header, filters, subject

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
    assert all(one.meets(new) for one in (INSERT, file_header()))
    assert not broken().meets(new)


def test_any_criterion_to_include_suffices() -> None:
    made = filters("INCLUDE FILENAME hr.regions", "RECTYPE 5")
    assert [one.meets(made) for one in (INSERT, DELETE, OTHER)] == [True, True, True]


def test_with_match_all_every_criterion_must_hold() -> None:
    made = filters("INCLUDE FILENAME hr.regions", "RECTYPE 5", "MATCH ALL")
    assert [one.meets(made) for one in (INSERT, DELETE, OTHER)] == [True, False, False]


def test_what_is_excluded_never_passes() -> None:
    made = filters("EXCLUDE RECTYPE 3", "INCLUDE FILENAME hr.regions")
    assert [one.meets(made) for one in (INSERT, DELETE, OTHER)] == [True, False, False]


def test_the_exclude_set_has_a_match_of_its_own() -> None:
    made = filters("EXCLUDE RECTYPE 3", "EXCLUDE FILENAME hr.regions", "EXCLUDE MATCH ALL")
    assert [one.meets(made) for one in (INSERT, DELETE, OTHER)] == [True, False, True]


def test_a_list_is_one_criterion_also_under_match_all() -> None:
    made = filters("FILENAME hr.regions, hr.jobs", "RECTYPE 5", "MATCH ALL")
    assert [one.meets(made) for one in (INSERT, DELETE, OTHER)] == [True, False, True]


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
            one = parse_criterion(option.example, GMT)
            assert parse_criterion(option.example, GMT) == one
            assert len({one, parse_criterion(option.example, GMT)}) == 1
            assert pickle.loads(pickle.dumps(one)) == one
    made = filters("RECTYPE 5", "EXCLUDE STRING x")
    assert pickle.loads(pickle.dumps(made)) == made
