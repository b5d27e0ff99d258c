"""Seed 003, rows 17 to 40: the session that it shows, command by command, on the tea shop's trail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.trailformat.samples import header, row, trail_of
from trailformat import Images, TrailFile, make_column, make_record
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import INSERT

RBA_OF_A_ROW = 1811


def test_003_17_a_session_begins_with_a_banner_and_a_numbered_prompt() -> None:
    answer = logdump(typed="quit\n")
    first = next(text for text in answer.out.splitlines() if text)
    assert first.startswith("logdump")
    assert "Logdump 1 >" in answer.out
    assert "Logdump 2 >" not in answer.out


def test_003_18_ghdr_shows_the_header_of_each_record(shop: Line) -> None:
    assert not any("Hdr-Ind" in text for text in shop(f"pos {RBA_OF_A_ROW}; n"))
    assert any("Hdr-Ind    :     E  (x45)" in text for text in shop(f"ghdr on; pos {RBA_OF_A_ROW}; n"))
    assert not any("Hdr-Ind" in text for text in shop(f"ghdr off; pos {RBA_OF_A_ROW}; n"))


def test_003_19_and_20_detail_shows_the_columns_and_detail_data_their_bytes(shop: Line) -> None:
    def columns(detail: str) -> list[str]:
        said = shop(f"{detail}; pos {RBA_OF_A_ROW}; n")
        return said[next((number for number, text in enumerate(said) if text.startswith("Column")), len(said)) :]

    off, on, data = columns("detail off"), columns("detail on"), columns("detail data")
    assert off == []
    assert [text.split()[1] for text in on if text.startswith("Column")] == ["0", "1", "2", "3", "4", "5"]
    assert [text for text in data if text in on] == on
    assert any("5345 4e30 31" in text for text in data)
    assert not any("5345 4e30 31" in text for text in on)


def test_003_21_usertoken_shows_user_tokens(line: Line, tmp_path: Path) -> None:
    data = Images(None, (make_column(0, b"leaf"),))
    line(f"open {trail_of(tmp_path, make_record(header(), data, (), build_user_tokens([(b'TEA', b'green')])))}")
    assert not any("tokens" in text for text in line("n"))
    on, detail = line("usertoken on; pos 0; n"), line("usertoken detail; pos 0; n")
    assert any("User tokens" in text for text in on)
    assert not any("green" in text for text in on)
    assert any("TEA" in text and "green" in text for text in detail)


@pytest.mark.parametrize("length", [4, 16, 33])
def test_003_22_reclen_cuts_what_is_shown_of_the_data(length: int, shop: Line) -> None:
    said = shop(f"detail off; reclen {length}; pos {RBA_OF_A_ROW}; n")
    shown = [text.partition("|")[0] for text in said if " | " in text]
    assert sum(len(text.replace(" ", "")) // 2 for text in shown) == length


def test_003_23_open_names_the_trail_that_is_current(line: Line, trails: Path) -> None:
    assert line(f"open {trails / 'et000000000'}") == [f"Current LogTrail is {trails / 'et000000000'}"]
    assert line("open") == [f"Current LogTrail is {trails / 'et000000000'}"]


def test_003_24_next_shows_one_record_or_so_many(shop: Line) -> None:
    with TrailFile(shop.session.trail.path) as trail:
        rbas = [record.rba for record in trail.records()]
    shown = []
    for command in ("next", "n", "n 3", "NEXT 2"):
        shop(command)
        shown.append(shop.rbas)
    assert shown == [rbas[:1], rbas[1:2], rbas[2:5], rbas[5:7]]


def test_003_25_and_26_pos_goes_to_a_place_or_to_the_first_record(shop: Line) -> None:
    for place, rba in ((str(RBA_OF_A_ROW), RBA_OF_A_ROW), ("first", 0), ("0", 0)):
        said = shop(f"pos {place}; n")
        assert said[0] == f"Reading forward from RBA {rba}"
        assert shop.rbas == [rba]
    assert any("FileHeader" in text for text in said)


def test_003_27_and_28_filter_takes_and_leaves_out_tables_until_it_is_cleared(shop: Line) -> None:
    def tables(filters: str) -> set[str]:
        shop(f"filter clear; {filters}; pos 0; n 100")
        return {shop.session.trail.name_of(shop.session.trail.record_at(rba)) for rba in shop.rbas}  # type: ignore[arg-type]

    everything = tables("filter clear")
    assert {"TEAHOUSE.TEAS", "TEAHOUSE.SALES"} <= everything
    assert tables("filter include filename TEAHOUSE.SALES") == {"TEAHOUSE.SALES"}
    assert tables("filter exclude filename TEAHOUSE.SALES") == everything - {"TEAHOUSE.SALES"}
    assert tables("filter clear") == everything


def test_003_29_several_criteria_on_a_line_with_match_all_and_match_any(shop: Line) -> None:
    def numbers(filters: str) -> int:
        shop(f"filter clear; filter {filters}; pos 0; n 100")
        return len(shop.rbas)

    sales, inserts = numbers("include filename TEAHOUSE.SALES"), numbers("include iotype insert")
    both = numbers("include filename TEAHOUSE.SALES; filter include iotype insert; filter match all")
    either = numbers("include filename TEAHOUSE.SALES; filter include iotype insert; filter match any")
    assert 0 < both < min(sales, inserts)
    assert either == sales + inserts - both


def test_003_30_count_tells_records_types_transactions_and_tables(shop: Line) -> None:
    with TrailFile(shop.session.trail.path) as trail:
        records = list(trail.records())
    said = shop("count detail")
    assert said[0] == f"LogTrail {shop.session.trail.path} has {len(records)} records"
    inserts = sum(record.header.io_type == INSERT for record in records if not record.is_file_header)
    assert ["Insert", str(inserts)] in [text.split() for text in said]
    assert any("Transactions" in text for text in said)
    assert {"TEAHOUSE.TEAS", "TEAHOUSE.SALES"} <= {text.split()[0] for text in said if text}


@pytest.mark.parametrize("number", [None, 1, 4])
def test_003_31_and_32_save_writes_all_records_or_so_many(number: int | None, shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "saved"
    shop(f"pos {RBA_OF_A_ROW}; save {target}{f' {number} records' if number else ''}")
    with TrailFile(shop.session.trail.path) as source, TrailFile(target) as saved:
        wanted = [record.data for record in source.records() if record.rba >= RBA_OF_A_ROW][:number]
        written = [record.data for record in saved.records() if not record.is_file_header]
    assert written[-len(wanted) :] == wanted
    assert len(wanted) == number or len(written) == len(wanted) + 2


def test_003_33_nexttrail_closes_the_file_and_opens_the_next(line: Line, trails: Path) -> None:
    line(f"open {trails / 'st000000000'}")
    said = line("nexttrail")
    assert f"LogTrail {trails / 'st000000000'} closed" in said[0]
    assert said[-1] == f"Current LogTrail is {trails / 'st000000001'}"


def test_003_34_log_copies_the_session_and_writelog_adds_to_it(trails: Path, tmp_path: Path) -> None:
    log = tmp_path / "session.log"
    lines = [f"log to {log}", f"open {trails / 'et000000000'}", 'writelog "a note"', "log stop", "count"]
    logdump(typed="\n".join(lines) + "\n")
    text = log.read_text(encoding="utf-8")
    assert f"Current LogTrail is {trails / 'et000000000'}" in text
    assert "a note" in text
    assert "records" not in text


def test_003_35_env_shows_trail_place_and_settings(shop: Line) -> None:
    shop(f"ghdr on; pos {RBA_OF_A_ROW}; n")
    said = {text.partition(":")[0].strip(): text.partition(":")[2].strip() for text in shop("env")}
    assert said["LogTrail"] == str(shop.session.trail.path)
    assert said["Current Position"] == f"{RBA_OF_A_ROW} Forward"
    assert said["Show Ghdr"] == "On"


def test_003_36_help_lists_the_commands_of_the_session(line: Line) -> None:
    listed = " ".join(line("help")).upper()
    commands = (
        "OPEN NEXT POSITION FILTER COUNT SAVE NEXTTRAIL LOG WRITELOG ENV HELP EXIT QUIT GHDR DETAIL USERTOKEN RECLEN"
    )
    assert [word for word in commands.split() if word not in listed] == []


@pytest.mark.parametrize("word", ["exit", "quit", "EXIT", "Quit"])
def test_003_37_exit_and_quit_end_the_session(word: str) -> None:
    answer = logdump(typed=f"{word}\nenv\n")
    assert answer.status == 0
    assert "Current Directory" not in answer.out


def test_003_38_a_place_of_another_file_is_none_of_the_file_in_use(line: Line, tmp_path: Path) -> None:
    long, short = (
        trail_of(tmp_path, row(), row(), row(), name="aa000000000"),
        trail_of(tmp_path, row(), name="bb000000000"),
    )
    place = 2 * row().length
    line(f"open {long}; pos {place}; n")
    assert line.rbas == [place]
    line(f"open {short}; pos {place}; n")
    assert line.rbas == []


def test_003_39_count_shows_restarts_and_ddl(line: Line, trails: Path) -> None:
    said = [text.split() for text in line(f"open {trails / 'at000000000'}; count")]
    assert ["RestartOK", "1"] in said
    assert ["RestartAbend", "1"] in said
    assert ["DDL", "27"] in [text.split() for text in line(f"open {trails / 'zt000000000'}; count")]


@pytest.mark.parametrize(
    ("trail", "mode"), [("at000000000", "append mode (RecoveryMode 1)"), ("nh000000", "RecoveryMode unknown")]
)
def test_003_14_the_mode_in_which_extract_recovers_is_told(trail: str, mode: str, line: Line, trails: Path) -> None:
    said = line(f"open {trails / trail}; recovery")
    assert any(f": {mode}, " in text for text in said)
