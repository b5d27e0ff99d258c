from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from logdump.session.errors import ExitStatus
from logdump.session.events import NoRecordThere, PositionShown, Progress
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.trailformat.index.reference import walked
from tests.trailformat.samples import IO_TIME, row, trail_of
from trailformat.scan import BAD_SPAN


def test_a_mark_is_where_the_last_record_displayed_stands(shop: Line) -> None:
    shop("pos 2008; n; mark a; pos 0; pos mark a")
    assert shop.session.cursor.next == 2008


def test_marks_are_listed_by_file_and_rba_with_their_notes(shop: Line) -> None:
    path = shop.session.trail.path
    shop("pos 3069; mark b; pos 2008; mark a abended here; pos 0; mark z")
    assert shop("mark") == [
        f"z        RBA            0  {path}",
        f"a        RBA         2008  {path}  abended here",
        f"b        RBA         3069  {path}",
    ]


def test_a_mark_in_another_file_opens_it(shop: Line, trails: Path) -> None:
    path = shop.session.trail.path
    shop(f"pos 2008; mark a; open {trails / 'st000000000'}")
    assert shop("pos mark a") == [f"Current LogTrail is {path}", "Reading forward from RBA 2008"]
    assert shop.session.trail.path == path


def test_a_mark_of_the_same_name_takes_its_place(shop: Line) -> None:
    shop("pos 2008; mark a; pos 3069; mark a")
    assert [mark.rba for mark in shop.session.marks.values()] == [3069]


def test_marks_are_forgotten_one_by_one_or_all(shop: Line) -> None:
    shop("mark a; mark b; mark c; mark clear b")
    assert sorted(shop.session.marks) == ["a", "c"]
    shop("mark clear")
    assert shop("mark") == ["No marks. MARK <name> sets one at the position."]


def test_a_mark_that_is_not_there_is_a_failure(shop: Line) -> None:
    assert shop("pos mark x") == ["No mark 'x'; MARK lists them."]
    assert shop("mark clear x") == ["No mark 'x'; MARK lists them."]


def test_a_mark_needs_an_open_trail(line: Line) -> None:
    assert line("mark a") == ["No LogTrail is open. OPEN <filename> opens one."]
    assert len(line.failures) == 1


def test_a_note_with_control_characters_is_harmless(shop: Line) -> None:
    shop("mark a \x1b[31mred")
    assert "\\x1b[31mred" in shop("mark")[0]


def _rbas(line: Line) -> list[int]:
    return [record.rba for record in line.session.trail.records()]


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
    assert shop(command)[:1] == [answer]


GOES_FORWARD = ("csn 41882385", "time 2000-01-01", "mark here")
PLACES = ("2722", "rba 2722", "record 3", "first", "last", "eof", *GOES_FORWARD)


@pytest.mark.parametrize("word", ["", "rev", "for"])
@pytest.mark.parametrize("before", ["rev", "for"])
@pytest.mark.parametrize("place", PLACES)
def test_a_direction_beside_a_place_holds_there_and_without_one_the_former_stays(
    place: str, before: str, word: str, shop: Line
) -> None:
    """CSN, TIME and MARK read forward unless it is said otherwise, before the place: words behind belong to it."""
    shop("pos 3069; mark here; pos 0")
    stays = "for" if place in GOES_FORWARD else before
    way = "in reverse" if (word or stays) == "rev" else "forward"
    for command in (f"pos {word} {place}", *([f"pos {place} {word}"] if place not in GOES_FORWARD else [])):
        shop(f"pos {before}")
        assert shop(command)[0].startswith(f"Reading {way} from RBA ")
        assert shop.session.cursor.is_backwards == (way == "in reverse")


def test_position_last_is_the_last_record(shop: Line) -> None:
    shop("pos last; n")
    assert shop.rbas == [_rbas(shop)[-1]]


def test_position_last_in_a_file_of_one_record_is_that_record(line: Line, tmp_path: Path) -> None:
    line(f"open {trail_of(tmp_path, row())}; pos last; n")
    assert line.rbas == [0]


def test_beyond_the_end_there_is_nothing_to_read(shop: Line) -> None:
    shop("pos 999999")
    assert shop("n") == []


def test_reading_in_reverse_from_the_end_begins_with_the_last_whole_record(line: Line, tmp_path: Path) -> None:
    line(f"open {trail_of(tmp_path, row(), row(), row().raw[:50])}")
    line("pos eof rev; n 5")
    assert line.rbas == [row().length, 0]


def test_what_has_been_read_is_not_exported(shop: Line, tmp_path: Path) -> None:
    shop(f"n 20; export jsonl to {tmp_path / 'out'}")
    written = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert [json.loads(text)["rba"] for text in written] == _rbas(shop)[20:]


def test_position_in_the_middle_of_a_record_names_the_next_good_header(shop: Line) -> None:
    second = _rbas(shop)[1]
    shown = shop("pos 7") and shop("n")
    assert shown[0].startswith("Bad record found at RBA 7")
    assert shown[-1] == f"Next good header at RBA {second}: SCANFORHEADER (SFH) goes there."


@pytest.mark.parametrize("word", ["o", "there", "-1", "1.5", "0x", "99999999999999999999", "Straße", "reverse;"])
def test_position_refuses_what_is_no_place_as_logdump_does(word: str, shop: Line) -> None:
    shop("pos 1130")
    assert shop(f'pos "{word}"') == [f"Error: Invalid file position ({word.upper()})"]
    assert shop("pos") == ["Reading forward from RBA 1130"]


@pytest.mark.parametrize(
    ("form", "refusal"),
    [
        ("csn x", "POSITION: 'x' is not a CSN; write a number, 4:1095, 00000000/05002818 or the like."),
        ("time x", "POSITION: a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, "),
        ("mark x", "No mark 'x'; MARK lists them."),
        ("record x", "POSITION: 'x' is not the number of a record."),
    ],
)
def test_the_forms_of_our_own_have_refusals_of_their_own(form: str, refusal: str, shop: Line) -> None:
    assert shop(f"pos {form}")[0].startswith(refusal)
    assert len(shop.failures) == 1


def test_position_record_goes_to_a_record_by_its_number(shop: Line) -> None:
    for number, rba in enumerate(_rbas(shop)):
        assert shop(f"pos record {number}") == [f"Reading forward from RBA {rba}"]
    assert shop("pos rec 0x3 rev; n")[0] == f"Reading in reverse from RBA {_rbas(shop)[3]}"
    assert shop.rbas == [_rbas(shop)[2]]


def test_position_record_counts_damage_as_a_record(line: Line, trails: Path) -> None:
    line(f"open {trails / 'gt000000000'}")
    (bad,) = [row for row in walked(trails / "gt000000000") if row.kind == BAD_SPAN]
    assert line(f"pos record {bad.number}")[0] == f"Reading forward from RBA {bad.rba}"


@pytest.mark.parametrize("word", ["", "five", "-1"])
def test_position_record_wants_a_number(word: str, shop: Line) -> None:
    assert shop(f"pos record {word}")[0] == f"POSITION: {word!r} is not the number of a record."


def test_position_record_beyond_the_last_moves_nowhere(shop: Line) -> None:
    shop("n 3")
    assert shop("pos record 22") == ["There is no record 22: the file has 22, and the first is 0."]
    assert shop("pos") == [f"Reading forward from RBA {_rbas(shop)[3]}"]


def test_position_record_tells_how_far_it_is(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.index.trail_index._ROWS", 1 << 12)
    path = trail_of(tmp_path, *[row()] * 9000)
    line(f"open {path}; notify 4000")
    line("pos record 8999")
    told = [event for event in line.events if isinstance(event, Progress)]
    assert [event.records // 4000 for event in told] == [1, 2]
    assert [event.rba for event in told] == [event.records * row().length for event in told]
    assert {(event.time, event.size) for event in told} == {(row().header.io_time, path.stat().st_size)}
    line("pos record 5")
    assert len(line.events) == 1


def test_position_record_tells_the_time_that_it_has_come_to(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trailformat.index.trail_index._ROWS", 1 << 9)
    rows = [row(io_time=IO_TIME + number) for number in range(1100)]
    line(f"open {trail_of(tmp_path, *rows)}; notify 500; pos record 1099")
    told = [(event.records, event.time - IO_TIME) for event in line.events if isinstance(event, Progress)]
    assert told == [(512, 256), (1024, 768)]


@pytest.mark.parametrize("number", [4095, 4096, 4097])
def test_position_record_finds_those_around_the_end_of_what_is_gone_over_at_once(
    number: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trailformat.index.trail_index._ROWS", 1 << 12)
    line(f"open {trail_of(tmp_path, *[row()] * 4200)}")
    assert line(f"pos record {number}") == [f"Reading forward from RBA {number * row().length}"]


def test_position_record_counts_anew_in_a_file_that_has_become_shorter(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row(), row())
    line(f"open {path}; pos record 2")
    path.write_bytes(row(b"of another length").raw * 2)
    assert line("pos record 2") == ["There is no record 2: the file has 2, and the first is 0."]


def test_position_record_in_a_file_that_grows_and_one_that_was_written_anew(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    line(f"open {path}; pos record 1")
    assert line("pos record 2")[0].startswith("There is no record 2: ")
    path.write_bytes(row().raw * 3)
    assert line("pos record 2") == [f"Reading forward from RBA {2 * row().length}"]
    path.write_bytes(row(b"of another length").raw * 2)
    assert line("pos record 1") == [f"Reading forward from RBA {row(b'of another length').length}"]


def test_reading_in_reverse_shows_damage_where_it_begins_and_goes_on_before_it(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row(), b"no record", row())
    line(f"open {path}; pos eof rev; n")
    shown = line("n")
    assert shown[0].startswith(f"Bad record found at RBA {2 * row().length}: no record starts here")
    assert shown[-1] == f"Previous good header at RBA {row().length}: SCANFORHEADER PREV (SFH PREV) goes there."
    line("sfh prev; n 5")
    assert line.rbas == [row().length, 0]


@pytest.mark.parametrize("inside", [1, 20])
def test_reading_in_reverse_from_inside_a_record_names_it(inside: int, line: Line, tmp_path: Path) -> None:
    line(f"open {trail_of(tmp_path, row(), row())}")
    rba = row().length + inside
    shown = line(f"pos {rba} rev") and line("n")
    there = f"no record ends here, found a place inside the record at RBA {row().length}"
    assert shown[0] == f"Bad record found at RBA {rba}: {there}"


def test_the_previous_good_header_is_none_in_the_data_of_a_record(line: Line, tmp_path: Path) -> None:
    outer = row(b"data " + row().raw + b" more data")
    line(f"open {trail_of(tmp_path, row(), outer, b'damage', row())}")
    line(f"pos {row().length + outer.length + 6}; sfh prev")
    assert line.rbas == [row().length]


def test_skip_moves_without_showing(shop: Line) -> None:
    assert shop("skip 4") == []
    shop("n")
    assert shop.rbas == [_rbas(shop)[4]]


def test_skip_filter_counts_only_records_that_pass(shop: Line) -> None:
    shop("filter rectype insert; skip 2 filter; n")
    third = [
        record.rba
        for record in shop.session.trail.records()
        if not record.is_file_header and record.header.io_type == 5
    ][2]
    assert shop.rbas == [third]


def test_skip_filter_without_a_number_is_for_one_record(shop: Line) -> None:
    shop("filter rectype insert; skip filter; n")
    second = [
        record.rba
        for record in shop.session.trail.records()
        if not record.is_file_header and record.header.io_type == 5
    ][1]
    assert shop.rbas == [second]


def test_skip_refuses_two_numbers_and_says_what_it_got(shop: Line) -> None:
    assert shop("skip 2 3")[0] == "SKIP: takes one number, but got '2 3'."
    assert shop("pos") == ["Reading forward from RBA 0"]


def test_next_under_a_filter_tells_how_many_it_dropped(shop: Line) -> None:
    shown = shop("filter rectype delete; n")
    assert shown[-1].startswith("Filtering suppressed ")
    assert shop.session.trail.record_at(shop.rbas[0]).header.io_type == 3  # type: ignore[union-attr]


def test_a_csn_filter_matches_all_records_of_the_transaction(shop: Line) -> None:
    first = next(
        record for record in shop.session.trail.records() if not record.is_file_header and record.csn is not None
    )
    shop(f"filter csn {first.csn}; n 100")
    shown = [shop.session.trail.record_at(rba) for rba in shop.rbas]
    assert [record.header.trans_ind for record in shown if record] in ([0, 2], [0, 1, 2], [0, 1, 1, 2], [3])


def test_a_csn_filter_in_reverse_finds_the_same_records(shop: Line) -> None:
    first = next(
        record for record in shop.session.trail.records() if not record.is_file_header and record.csn is not None
    )
    shop(f"filter csn {first.csn}; n 100")
    forward = shop.rbas
    shop("pos eof reverse; n 100")
    assert shop.rbas == forward[::-1]


def test_a_growing_trail_shows_its_new_records(line: Line, trails: Path, tmp_path: Path) -> None:
    whole = (trails / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:-50])
    said = line(f"open {path}; n 100")
    assert len(line.failures) == 1
    assert any(text.startswith("Partial record found at RBA 5352") for text in said)
    seen = line.rbas
    with path.open("ab") as file:
        file.write(whole[-50:])
    line("n")
    assert [*seen, *line.rbas] == _rbas(line)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("pos 2800", NoRecordThere(Path(), 2800, False, 2722, 2892, True, 5453)),
        ("pos 999999", NoRecordThere(Path(), 999_999, False, 5352, None, False, 5453)),
        ("pos 2800 rev", NoRecordThere(Path(), 2800, True, 2722, 2892, True, 5453)),
        ("pos 5454 rev", NoRecordThere(Path(), 5454, True, 5352, None, False, 5453)),
        ("pos mark here", NoRecordThere(Path(), 3000, False, 2892, 3069, True, 5453)),
    ],
)
def test_a_place_without_a_record_is_told_at_once_with_those_around_it(
    command: str, told: NoRecordThere, shop: Line
) -> None:
    shop("pos 3000; mark here; pos 0")
    shop(command)
    position, there = shop.events
    assert isinstance(position, PositionShown)
    assert there == told._replace(path=shop.session.trail.path)


@pytest.mark.parametrize("command", ["pos", "pos 0", "pos 1811", "pos eof", "pos 5453 rev", "pos 2008 rev", "pos last"])
def test_nothing_is_told_where_reading_can_go_on(command: str, shop: Line) -> None:
    shop(command)
    assert [type(event) for event in shop.events] == [PositionShown]


def test_nothing_is_told_in_reverse_where_a_record_ends_before_damage(line: Line, tmp_path: Path) -> None:
    line(f"open {trail_of(tmp_path, row(), b'no record', row())}; pos rev")
    line(f"pos {row().length}")
    assert [type(event) for event in line.events] == [PositionShown]


def test_it_is_narration_and_the_command_has_failed(trails: Path) -> None:
    answer = logdump("-c", f"open {trails / 'et000000000'}", "-c", "pos 2800; pos")
    assert answer.status == ExitStatus.COMMAND_FAILED
    assert answer.out.splitlines()[1:] == ["Reading forward from RBA 2800"] * 2
    assert answer.err.splitlines() == [
        "No record starts at RBA 2800: it is inside the record at RBA 2722.",
        "The record before it: RBA 2722. The record after it: RBA 2892.",
    ]


def test_in_damage_it_says_so(line: Line, trails: Path) -> None:
    line(f"open {trails / 'gt000000000'}")
    assert line("pos 3600")[1:] == [
        "No record starts at RBA 3600: the bytes there are damaged.",
        "The record before it: RBA 3391. The record after it: RBA 3631.",
    ]


@pytest.mark.parametrize("name", ["et000000000", "el000000000", "kl000000000", "st000000000", "nh000000"])
def test_from_the_end_of_a_growing_trail_each_record_is_read_when_it_is_whole(
    name: str, line: Line, trails: Path, tmp_path: Path
) -> None:
    content = (trails / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(content)
    line(f"open {path}")
    places = _rbas(line)
    for begin, end in pairwise([*places[-5:], len(content)]):
        for size in {1, 7, 8, 20, (end - begin) // 2, end - begin - 1}:
            path.write_bytes(content[: begin + size])
            assert line("pos eof")[0] == f"Reading forward from RBA {begin}"
            assert line("n")[0].startswith(f"Partial record found at RBA {begin}:")
            path.write_bytes(content[:end])
            line("n; n")
            assert line.rbas == [begin]


def test_the_end_of_a_trail_that_ends_in_damage_is_its_end(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), b"damage")
    assert line(f"open {path}; pos eof")[1] == f"Reading forward from RBA {path.stat().st_size}"
