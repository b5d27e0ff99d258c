from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.line import Line


def _rbas(line: Line) -> list[int]:
    return [one.rba for one in line.session.trail.records()]


def test_next_shows_so_many_records_and_nothing_at_the_end(shop: Line) -> None:
    shop("n 100")
    assert shop.rbas == _rbas(shop)
    assert shop("n") == []


def test_next_in_reverse_shows_them_last_first(shop: Line) -> None:
    shop("pos eof reverse; n 100")
    assert shop.rbas == _rbas(shop)[::-1]
    assert shop("n") == []


def test_turning_round_shows_the_same_record_again(shop: Line) -> None:
    shop("n 3")
    shop("pos rev; n")
    assert shop.rbas == [_rbas(shop)[2]]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("pos 519123", "Reading forward from RBA 519123"),
        ("position 0x10", "Reading forward from RBA 16"),
        ("pos first", "Reading forward from RBA 0"),
        ("pos rev", "Reading in reverse from RBA 0"),
    ],
)
def test_position_answers_where_reading_goes_on(command: str, answer: str, shop: Line) -> None:
    assert shop(command) == [answer]


def test_position_last_is_the_last_record(shop: Line) -> None:
    shop("pos last; n")
    assert shop.rbas == [_rbas(shop)[-1]]


def test_position_in_the_middle_of_a_record_names_the_next_good_header(shop: Line) -> None:
    second = _rbas(shop)[1]
    shown = shop("pos 7; n")
    assert shown[1].startswith("Bad record found at RBA 7")
    assert shown[-1] == f"Next good header at RBA {second}: SCANFORHEADER (SFH) goes there."


def test_position_refuses_what_is_no_place(shop: Line) -> None:
    assert "an RBA, FIRST, LAST, EOF, RECORD, REVERSE or FORWARD" in shop("pos there")[0]


def test_skip_moves_without_showing(shop: Line) -> None:
    assert shop("skip 4") == []
    shop("n")
    assert shop.rbas == [_rbas(shop)[4]]


def test_skip_filter_counts_only_records_that_pass(shop: Line) -> None:
    shop("filter rectype insert; skip 2 filter; n")
    third = [one.rba for one in shop.session.trail.records() if not one.is_file_header and one.header.io_type == 5][2]
    assert shop.rbas == [third]


def test_next_under_a_filter_tells_how_many_it_dropped(shop: Line) -> None:
    shown = shop("filter rectype delete; n")
    assert shown[-1].startswith("Filtering suppressed ")
    assert shop.session.trail.record_at(shop.rbas[0]).header.io_type == 3  # type: ignore[union-attr]


def test_a_csn_filter_matches_all_records_of_the_transaction(shop: Line) -> None:
    first = next(one for one in shop.session.trail.records() if not one.is_file_header and one.csn is not None)
    shop(f"filter csn {first.csn}; n 100")
    shown = [shop.session.trail.record_at(rba) for rba in shop.rbas]
    assert [one.header.trans_ind for one in shown if one] in ([0, 2], [0, 1, 2], [0, 1, 1, 2], [3])


def test_a_csn_filter_in_reverse_finds_the_same_records(shop: Line) -> None:
    first = next(one for one in shop.session.trail.records() if not one.is_file_header and one.csn is not None)
    shop(f"filter csn {first.csn}; n 100")
    forward = shop.rbas
    shop("pos eof reverse; n 100")
    assert shop.rbas == forward[::-1]


def test_a_growing_trail_shows_its_new_records(line: Line, trails: Path, tmp_path: Path) -> None:
    whole = (trails / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:-50])
    line(f"open {path}; n 100")
    assert line.failures
    seen = line.rbas
    with path.open("ab") as file:
        file.write(whole[-50:])
    line("n")
    assert [*seen, *line.rbas] == _rbas(line)
