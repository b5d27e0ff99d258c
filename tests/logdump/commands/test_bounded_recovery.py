from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.flavour import ORACLE_12
from fixtures.headers import file_header
from logdump.commands import REGISTRY
from logdump.features.bounded_recovery import survey
from logdump.features.bounded_recovery.model import (
    BoundedRecoveryShown,
    BrRestartShown,
    CheckpointShown,
    FirstSource,
    LongTransactionsEnd,
    LongTransactionShown,
)
from logdump.language.execute import run_line
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.simulated.bounded_recovery import BEGUN, HOUR, MINUTE, Worked, iso, write_trail
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Row
from trailformat import TrailWriter
from trailformat.records.file_header import replace_values
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.whole_trail import WholeTrail

_SHORT = [Worked(10 + number, (number * HOUR // 2,), number * HOUR // 2) for number in range(20)]
HISTORY = [Worked(2, (HOUR, 2 * HOUR), 9 * HOUR), *_SHORT]
"""One that is open for eight hours, and short ones every half an hour."""


@pytest.fixture
def open_trail(line: Line, tmp_path: Path) -> Line:
    """A session in which a trail with one long transaction is open."""
    line(f"open {write_trail(tmp_path / 'br000000000', HISTORY, created=-HOUR)}")
    return line


def first(line: Line, kind: type) -> object:
    return next(event for event in line.events if isinstance(event, kind))


def whole(line: Line) -> BoundedRecoveryShown:
    return next(event for event in line.events if isinstance(event, BoundedRecoveryShown))


def test_the_first_line_says_what_is_assumed_and_what_would_tell_it(open_trail: Line) -> None:
    only = "committed transactions only, so that all figures are lower bounds"
    first = "a BR checkpoint at the beginning of the first file (to be exact, give BEGINS <file> and FIRST <time>)"
    assert open_trail("br")[0] == f"Assumed: {only}; {first}."


def test_checkpoints_begin_when_the_first_file_was_begun_every_four_hours(open_trail: Line) -> None:
    open_trail("br")
    shown = whole(open_trail)
    assert (shown.first, shown.first_source, shown.interval) == (BEGUN - HOUR, FirstSource.CREATED, 4 * HOUR)
    assert [checkpoint.time - BEGUN for checkpoint in open_trail.events if isinstance(checkpoint, CheckpointShown)] == [
        3 * HOUR,
        7 * HOUR,
    ]


def test_a_restart_record_begins_them_anew_unless_the_restart_comes_before_it(line: Line, tmp_path: Path) -> None:
    line(f"open {write_trail(tmp_path / 'br000000000', HISTORY, restart=7 * HOUR)}; br")
    assert (whole(line).first_source, whole(line).first) == (FirstSource.RESTART, BEGUN + 7 * HOUR)
    line(f"br restart {iso(3 * HOUR)}")
    assert whole(line).first_source is FirstSource.CREATED


def test_they_begin_where_first_says(open_trail: Line) -> None:
    open_trail(f"br first {iso(2 * HOUR)} interval 20m")
    assert (whole(open_trail).first, whole(open_trail).interval) == (BEGUN + 2 * HOUR, 20 * MINUTE)


@pytest.mark.parametrize("interval", ["19m", "97h", "0h", "5761M"])
def test_an_interval_out_of_its_bounds_is_refused_with_them(interval: str, open_trail: Line) -> None:
    open_trail(f"br interval {interval}")
    assert "BRINTERVAL is 20M to 96H" in open_trail.failures[0].lines[0]
    open_trail(f"br compare 4H,{interval}")
    assert "BRINTERVAL is 20M to 96H" in open_trail.failures[0].lines[0]


@pytest.mark.parametrize("interval", ["20m", "96h", "1200M"])
def test_an_interval_at_its_bounds_is_taken(interval: str, open_trail: Line) -> None:
    open_trail(f"br interval {interval}")
    assert open_trail.failures == []


def test_csns_of_another_database_are_refused(line: Line, trails: Path) -> None:
    line(f"open {trails / 'el000000000'}; br")
    assert line.failures[0].lines[0].startswith("Bounded Recovery exists for Oracle only: ")


def test_a_header_that_names_another_vendor_is_refused(line: Line, tmp_path: Path) -> None:
    head = replace_values(file_header(ORACLE_12), "DatabaseInfo", {"Vendor": 4})
    with TrailWriter(tmp_path / "br000000000", file_header=head):
        pass
    line(f"open {tmp_path / 'br000000000'}; br")
    assert "DatabaseInfo of br000000000 names vendor 4" in line.failures[0].lines[0]


def test_help_says_that_the_interval_is_changed_with_oracle_support_only(line: Line) -> None:
    assert any("only with Oracle Support" in text for text in line("help br"))


def begins(folder: Path, *lines: str) -> Path:
    path = folder / "begins.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("lines", "number", "wrong"),
    [
        ((), 1, "the columns are"),
        (("xid;begin",), 1, "the columns are"),
        (("xid,begin", "9.9.1,yesterday"), 2, "a time is"),
        (("xid,begin", "9.9.1,10:00"), 2, "a time is"),
        (("xid,begin", "9.9.1,2024-02-30T00:00:00Z"), 2, "does not exist"),
        (("xid,begin", "", "9.9.1,2024-03-14", "9.9.1,2024-03-14"), 4, "9.9.1 is on line 3 already"),
        (("xid,begin,end", "9.9.1,2024-03-14,2024-03-13"), 2, "ends before it begins"),
        (("xid,begin,records", "9.9.1,2024-03-14,many"), 2, "records are a number"),
        (("xid,begin", ",2024-03-14"), 2, "there is no xid"),
        (("xid,begin", "9.9.1"), 2, "1 values for 2 columns"),
    ],
)
def test_a_wrong_line_of_begins_is_refused_with_its_number(
    lines: tuple[str, ...], number: int, wrong: str, open_trail: Line, tmp_path: Path
) -> None:
    open_trail(f"br begins {begins(tmp_path, *lines)}")
    message = open_trail.failures[0].lines[0]
    assert f", line {number}: " in message
    assert wrong in message


def test_a_begin_after_the_commit_in_the_trail_is_refused_with_its_line(open_trail: Line, tmp_path: Path) -> None:
    open_trail(f"br begins {begins(tmp_path, 'xid,begin', f'9.9.12,{iso(2 * HOUR)}')}")
    assert "line 2: 9.9.12 begins after its commit" in open_trail.failures[0].lines[0]


def test_begins_may_name_transactions_that_are_not_in_the_trail(open_trail: Line, tmp_path: Path) -> None:
    path = begins(tmp_path, "xid,begin,end,records", f"1.2.3,{iso(-3 * HOUR)},,77", f"1.2.4,{iso(0)},{iso(HOUR)},")
    open_trail(f"br begins {path} restart {iso(8 * HOUR)}")
    restart = first(open_trail, BrRestartShown)
    assert isinstance(restart, BrRestartShown)
    assert restart.without_br.start.xid == "1.2.3"
    found = [transaction.began for transaction in open_trail.events if isinstance(transaction, LongTransactionShown)]
    assert [
        (transaction.xid, transaction.end, transaction.records) for transaction in found if transaction.position is None
    ] == [("1.2.3", None, 77)]


def test_times_in_begins_are_in_the_zone_of_the_session(open_trail: Line, tmp_path: Path) -> None:
    path = begins(tmp_path, "xid,begin", "9.9.2,2022-03-14 02:00:00")
    open_trail(f"timeoffset gmt +02:00; br begins {path} longer 7h")
    (found,) = (transaction.began for transaction in open_trail.events if isinstance(transaction, LongTransactionShown))
    assert found.high == BEGUN


def test_longer_lists_those_open_for_longer_than_it(open_trail: Line) -> None:
    open_trail("br longer 7h")
    assert [
        transaction.began.xid for transaction in open_trail.events if isinstance(transaction, LongTransactionShown)
    ] == ["9.9.2"]
    open_trail("br longer 8h")
    end = first(open_trail, LongTransactionsEnd)
    assert isinstance(end, LongTransactionsEnd)
    assert end.certain == 0


def test_what_heartbeats_say_stands_beside_what_is_reckoned(line: Line, tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    row: Row = {"LOCAL_DATABASE": "SRC", "HEARTBEAT_TIMESTAMP": 0, "OUTGOING_EXTRACT": "EXT", "OUTGOING_EXTRACT_TS": 1}
    told: Row = {"INCOMING_EXTRACT_RESTART_CSN": "41882001", "INCOMING_EXTRACT_RESTART_TS": -HOUR}
    trail.insert({**row, **told}, 9 * MINUTE)
    trail.close()
    lines = line(f"open {tmp_path / 'hb000000000'}; br restart 2024-01-01T01:00:00Z")
    shown = first(line, BrRestartShown)
    assert isinstance(shown, BrRestartShown)
    assert shown.heartbeat is not None
    assert shown.heartbeat.csn == "41882001"
    assert shown.older == shown.heartbeat.time
    assert any("open or rolled-back transactions that this trail does not show reach back to" in text for text in lines)


@pytest.mark.parametrize(
    ("told", "csn"),
    [
        ({"INCOMING_EXTRACT_RESTART_CSN": "41882002"}, "41882002"),
        ({"INCOMING_EXTRACT_RESTART_TS": -HOUR}, None),
        ({}, "41882001"),
        ({"INCOMING_HEARTBEAT_TS": MINUTE, "INCOMING_EXTRACT_RESTART_CSN": "41882003"}, "41882001"),
    ],
)
def test_the_last_beat_of_the_extract_that_tells_a_restart_position_counts(
    told: Row, csn: str | None, line: Line, tmp_path: Path
) -> None:
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    row: Row = {"LOCAL_DATABASE": "SRC", "HEARTBEAT_TIMESTAMP": 0, "OUTGOING_EXTRACT": "EXT", "OUTGOING_EXTRACT_TS": 1}
    first_told: Row = {"INCOMING_EXTRACT_RESTART_CSN": "41882001", "INCOMING_EXTRACT_RESTART_TS": -HOUR}
    trail.insert({**row, **first_told}, 9 * MINUTE)
    trail.insert({**row, "HEARTBEAT_TIMESTAMP": MINUTE, **told}, 10 * MINUTE)
    trail.close()
    line(f"open {tmp_path / 'hb000000000'}; br restart 2024-01-01T01:00:00Z")
    shown = first(line, BrRestartShown)
    assert isinstance(shown, BrRestartShown)
    assert shown.heartbeat is not None
    assert shown.heartbeat.csn == csn


def test_a_filter_is_refused_unless_fewer_findings_are_wanted(open_trail: Line) -> None:
    open_trail("filter include iotype delete; br")
    assert "BR needs all records of the trail" in open_trail.failures[0].lines[0]
    open_trail("br filtered longer 1m")
    assert [event for event in open_trail.events if isinstance(event, LongTransactionShown)] == []


def test_second_copies_are_told(line: Line, tmp_path: Path) -> None:
    path = write_trail(tmp_path / "br000000000", HISTORY)
    shutil.copy(path, tmp_path / "br000000001")
    lines = line(f"open {path}; br")
    assert "Second copies are not counted: 21 transactions (see RECOVERY TWICE)." in lines


def test_the_position_stays(open_trail: Line) -> None:
    open_trail("pos 0; n; br")
    assert open_trail.session.cursor.next == open_trail.session.trail.first_rba


def test_too_many_checkpoints_are_refused(open_trail: Line) -> None:
    open_trail("br first 1970-01-01 interval 20m")
    assert "FIRST begins later" in open_trail.failures[0].lines[0]


def test_a_trail_without_a_transaction_has_no_checkpoint(line: Line, trails: Path) -> None:
    assert line(f"open {trails / 'ht000000000'}; br")[-1] == "Open for longer than 4 h: 0 for certain, 0 possibly"


def test_interrupted_it_shows_what_it_has_and_says_so(open_trail: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, runs = transactions_of, list[WholeTrail]()

    def interrupted(whole: WholeTrail) -> Iterator[object]:
        runs.append(whole)
        for number, item in enumerate(plain(whole)):
            if len(runs) == 2 and number == 2:
                raise KeyboardInterrupt
            yield item

    monkeypatch.setattr(survey, "transactions_of", interrupted)
    shown: list[Event] = []
    with pytest.raises(KeyboardInterrupt):
        shown.extend(run_line(open_trail.session, REGISTRY, "br"))
    # the events before the interrupt are in the list all the same
    open_trail.events = shown
    assert whole(open_trail).is_partial
    assert sum(whole(open_trail).sources.values()) == 2
    assert [notice.status for notice in shown if isinstance(notice, Notice)] == [ExitStatus.INTERRUPTED]


def test_the_objects_hold_durations_in_seconds(tmp_path: Path) -> None:
    path = write_trail(tmp_path / "br000000000", HISTORY, created=-HOUR)
    done = logdump("--format", "jsonl", "-c", f"open {path}; br restart {iso(8 * HOUR)} compare 1H")
    shown = {item["type"]: item for item in map(json.loads, done.out.splitlines())}
    assert shown["bounded_recovery"]["interval"] == 14_400.0
    assert shown["br_restart"]["without_br"]["back"] == 7 * 3600
    assert shown["br_transaction"]["begin_high"] == iso(HOUR)
    assert shown["br_interval"]["interval"] == 3600.0


def read_parameters(line: Line, folder: Path, statement: str) -> None:
    path = folder / "ext.prm"
    path.write_text(f"EXTRACT ext\n{statement}\nEXTTRAIL lt\nTABLE *.*;\n")
    line(f"params {path}")


def test_the_interval_of_the_parameter_file_in_use_counts_unless_one_is_given(open_trail: Line, tmp_path: Path) -> None:
    read_parameters(open_trail, tmp_path, "BR BRINTERVAL 2H, BRDIR BR")
    lines = open_trail("br")
    assert whole(open_trail).interval == 2 * HOUR
    assert "ext.prm, line 2: BR BRINTERVAL 2H, BRDIR BR" in lines
    open_trail("br interval 1h")
    assert whole(open_trail).interval == HOUR


def test_with_broff_a_restart_reads_as_without_bounded_recovery(open_trail: Line, tmp_path: Path) -> None:
    read_parameters(open_trail, tmp_path, "BR BROFF")
    open_trail(f"br restart {iso(8 * HOUR)}")
    found = first(open_trail, BrRestartShown)
    assert isinstance(found, BrRestartShown)
    assert (found.with_br, found.bound, found.from_disk) == (found.without_br, None, 0)


def test_an_interval_out_of_bounds_in_the_parameter_file_is_refused_with_its_line(
    open_trail: Line, tmp_path: Path
) -> None:
    read_parameters(open_trail, tmp_path, "BR BRINTERVAL 5M")
    open_trail("br")
    assert "ext.prm, line 2: BRINTERVAL: 5M is out of range" in open_trail.failures[0].lines[0]
