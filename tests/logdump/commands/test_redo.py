"""REDO and UNDO at the prompt."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from logdump.features.redo.command import RedoRequest, events_of, requested_script
from logdump.session.events import Notice
from tests.logdump.line import Line
from tests.trailformat.samples import row, trail_of
from trailformat import TrailWriter, make_token
from trailformat.records.record_header import FIRST, INSERT, LAST, ONLY, make_header, name_field


def test_redo_prints_the_transaction_at_the_position(shop: Line) -> None:
    shop("pos 3391")
    assert shop("redo ansi") == [
        "-- Transaction 5.4.8804 CSN 41882368 2024/03/14 09:34:00.000.000, RBA 3391 to 3629, 2 records",
        "START TRANSACTION;",
        'UPDATE "TEAHOUSE"."TEAS" SET "STOCK_KG" = 310 WHERE "TEA_CODE" = \'ASS02\';',
        "COMMIT;",
    ]


def test_a_position_inside_a_transaction_means_all_of_it(shop: Line) -> None:
    shop("pos 3391; next")
    assert "RBA 3391 to 3629" in shop("undo ansi")[0]


def test_the_position_moves_past_the_last_transaction(shop: Line) -> None:
    shop("pos 3391; redo 2")
    assert shop("pos") == ["Reading forward from RBA 3987"]


@pytest.mark.parametrize("command", ["redo", "undo"])
def test_reading_goes_on_forward_whatever_the_direction_was(command: str, shop: Line) -> None:
    shop("pos 3391 reverse")
    assert "RBA 3391 to 3629" in shop(f"{command} ansi")[0]
    assert shop("pos") == ["Reading forward from RBA 3629"]


def test_undo_takes_the_last_transaction_back_first(shop: Line) -> None:
    shop("pos 3069")
    begins = [line for line in shop("undo 3 oracle") if line.startswith("-- Transaction")]
    assert [line.split()[2] for line in begins] == ["5.4.8804", "5.3.8803", "5.2.8802"]


def test_what_cannot_be_undone_says_why(shop: Line) -> None:
    shop("pos 5352")
    assert shop("undo ansi")[2:4] == [
        "-- RBA 5352 TRUNCATE TEAHOUSE.SALES: the trail does not have the rows that TRUNCATE deleted",
        "-- 1 of the changes above could not be written: think before you commit.",
    ]


def test_the_filter_leaves_changes_out_and_says_so(shop: Line) -> None:
    shop("filter include filename TEAHOUSE.SALES")
    shop("pos 4989")
    assert shop("redo")[-2:] == ["-- The filter left out 1 change of this transaction.", "COMMIT;"]


def test_a_transaction_without_end_is_not_committed(line: Line, trails: Path, tmp_path: Path) -> None:
    cut = tmp_path / "et000000000"
    cut.write_bytes((trails / "et000000000").read_bytes()[:2700])
    line(f"open {cut}")
    said, lacking = line("redo")
    assert lacking.endswith(
        "RBA 2170: the file ends inside the record; expected 552 bytes; found 530 bytes: it is not in the answer."
    )
    assert said == (
        "-- Left out: transaction 5.1.8801 CSN 41882317 2024/03/14 09:31:00.000.000, RBA 1811, 2 records:"
        " it is open at the end of the trail: its rest is not written yet, or will never come."
    )


def test_a_word_that_is_no_dialect_is_refused(shop: Line) -> None:
    shop("redo 2 sqlserver")
    assert "'sqlserver' is not a number of transactions" in shop.failures[0].lines[0]


_LINES = "A\nDROP TABLE X; --\x1b[2J\u2028DROP TABLE Y;-"


def _hostile_trail(path: Path) -> None:
    """A transaction whose CSN, TRANID and table hold line breaks; its second row cannot be written."""
    tokens = make_token("L", _LINES.encode()), make_token("6", _LINES.encode())
    with TrailWriter(path) as writer:
        for trans_ind in (FIRST, LAST):
            header = make_header(INSERT, io_time=0, name_field=name_field(_LINES, writer.order))
            header = header._replace(trans_ind=trans_ind, before_after=ord("A"))
            writer.write_values(header, b"no columns", tokens if trans_ind == FIRST else ())
        open_end = make_header(INSERT, io_time=0, name_field=name_field(_LINES, writer.order))
        writer.write_values(open_end._replace(trans_ind=FIRST), b"", tokens)


@pytest.mark.parametrize("command", ["redo 9", "undo 9", "redo 9 oracle include cut", "redo 9 mysql"])
def test_no_text_of_a_trail_ends_the_comment_it_stands_in(command: str, line: Line, tmp_path: Path) -> None:
    _hostile_trail(tmp_path / "ho000000000")
    line(f"open {tmp_path / 'ho000000000'}")
    said = line(command)
    assert len(said) > 3
    assert all(text.isprintable() for text in said)
    assert {text for text in said if not text.startswith("-- ")} <= {"START TRANSACTION;", "COMMIT;"}
    assert not [text for text in said if text.endswith("-")]


def test_the_same_in_a_file(tmp_path: Path, line: Line) -> None:
    _hostile_trail(tmp_path / "ho000000000")
    line(f"open {tmp_path / 'ho000000000'}")
    line(f"export sql to {tmp_path / 'script'} postgresql")
    said = (tmp_path / "script").read_text().splitlines()
    assert {text for text in said if not text.startswith("-- ")} == {
        "SET client_encoding TO 'UTF8';",
        "BEGIN;",
        "COMMIT;",
    }
    assert all(text.isprintable() for text in said)


@pytest.mark.parametrize("name", ["ddlinj000000", "ddlcomment000000"])
@pytest.mark.parametrize("dialect", ["oracle", "mysql", "postgresql", "ansi"])
def test_the_trails_of_an_attack_give_no_second_statement(name: str, dialect: str, evidence: Path, line: Line) -> None:
    path = evidence.parent / "hostile" / name
    if not path.exists():
        pytest.skip(f"no {path}")
    line(f"open {path}")
    text = "\n".join(line(f"redo 99 {dialect}"))
    runnable = [runnable_line for runnable_line in text.splitlines() if not runnable_line.lstrip().startswith("--")]
    commands = ("HOST", "!", "DROP") if dialect in ("oracle", "ansi") else ("DROP",)
    assert not [
        runnable_line for runnable_line in runnable if runnable_line.startswith(commands) or "\\" in runnable_line
    ]
    assert text.rstrip().endswith("COMMIT;")


@pytest.mark.parametrize("takes_lines", [0, 4])
@pytest.mark.parametrize("command", ["redo", "undo"])
def test_transactions_of_later_files_are_written_with_across_alone(
    command: str, takes_lines: int, line: Line, tmp_path: Path
) -> None:
    """Three files of one, two and three transactions; in each only those up to the number that is given."""
    for number in range(3):
        trail_of(tmp_path, *[row(trans_ind=ONLY)] * (number + 1), name=f"tt{number:09}")
    for opened, across, count, transactions in (
        *((0, "off", 9, 1), (0, "on", 9, 6), (0, "on", 4, 4), (0, "on", 1, 1), (1, "off", 9, 2), (1, "on", 9, 5)),
        *((1, "on", 3, 3), (2, "on", 9, 3), (2, "off", 2, 2)),
    ):
        line(f"across {across}; open {tmp_path / f'tt{opened:09}'}")
        line.session.takes_lines = takes_lines
        shown = "\n".join(line(f"{command} {count} ansi"))
        assert (shown.count("-- Transaction "), shown.count("COMMIT;")) == (transactions, transactions)


@pytest.mark.parametrize(("stop", "said"), [(1, "0 transactions"), (2, "0 transactions and 1 statement of the next")])
def test_ctrl_c_tells_the_whole_transactions_and_the_statements_of_the_next(
    stop: int, said: str, line: Line, tmp_path: Path
) -> None:
    """Stopped at each event of the first two of several transactions of two statements each."""
    records = [row(trans_ind=place) for place in (FIRST, LAST)] * 3
    line(f"open {trail_of(tmp_path, *records)}")
    for whole in range(3):
        told = said.replace("0 transactions", _number(whole))
        assert _stopped(line, whole * 4 + stop) == f"Stopped after {told}: the position stays."
        assert line.session.cursor.next == 0


def _number(transactions: int) -> str:
    return "1 transaction" if transactions == 1 else f"{transactions} transactions"


def _stopped(line: Line, number: int) -> str:
    """What is said by REDO if Ctrl+C comes after so many of its events."""
    line.session.takes_lines = 0
    script = requested_script(line.session, RedoRequest(9, "ANSI"), takes_back=False)
    events = events_of(line.session, script, RedoRequest(9, "ANSI"))
    assert isinstance(events, Generator)
    for _ in range(number):
        next(events)
    event = events.throw(KeyboardInterrupt)
    assert isinstance(event, Notice)
    return event.lines[0]
