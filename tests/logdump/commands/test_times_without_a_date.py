"""A time without a date is on a date of the trail: where only one fits, it is taken and said, else it is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.language.execute import TrailZone
from logdump.language.words import validity
from logdump.notation.times import TimeOffset, format_timestamp
from logdump.session.errors import ExitStatus
from logdump.session.events import Notice
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.bounded_recovery import HOUR, MINUTE, Worked, write_trail
from trailformat import from_datetime

COMMANDS = (
    *("begin {}", "pos time {}", "sfts {}", "sfts {}, TEAHOUSE.*", "filter starttime {}", "filter endtime {}"),
    *("filter exclude starttime {}", "filter value GGS_TRANS_TIMESTAMP > '{}'", "count start {}", "count endtime {}"),
    *("explain lag at {}", "explain restart at {}", "br first {}", "br restart {}", "heartbeat at {}"),
    *("heartbeat start {}", "heartbeat end {}", "export jsonl to beats.jsonl heartbeats start {}"),
)
"""All that take a time and look at a trail."""


def trail(folder: Path, *hours: float, seqno: int = 0) -> Path:
    """A trail of rows at these hours after 2022-03-14."""
    moments = [round(hour * HOUR) for hour in hours]
    works = [Worked(100 * seqno + number, (moment,), moment) for number, moment in enumerate(moments)]
    return write_trail(folder / f"br{seqno:09}", works)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def notices(line: Line) -> list[str]:
    found = [event for event in line.events if isinstance(event, Notice) and event.status is ExitStatus.OK]
    return [text for notice in found for text in notice.lines]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_only_date_of_the_trail_is_taken_and_said(command: str, line: Line, tmp_path: Path) -> None:
    line(f"open {trail(tmp_path, 9, 9.5, 10)}")
    said, *shown = line(command.format("09:35"))
    assert line.failures == []
    assert notices(line)[:1] == [said] == ["09:35 is taken as 2022/03/14 09:35:00.000.000 GMT, a date of this trail."]
    (tmp_path / "beats.jsonl").unlink(missing_ok=True)
    line("filter clear; pos 0")
    assert line(command.format("2022-03-14 09:35")) == shown


@pytest.mark.parametrize("command", COMMANDS)
def test_of_several_dates_none_is_taken(command: str, line: Line, tmp_path: Path) -> None:
    line(f"open {trail(tmp_path, 9, 40)}")
    line(command.format("12:00"))
    (failure,) = line.failures
    assert "12:00 has no date, and the trail has several: 2022/03/14 to 2022/03/15; write yyyy-mm-dd 12:00" in str(
        failure
    )


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("filter")])
def test_without_a_trail_there_is_no_date(command: str, line: Line) -> None:
    line(command.format("09:35"))
    (failure,) = line.failures
    assert "09:35 has no date, and there is no trail open with one" in str(failure)
    line(command.format("2024-03-14 09:35"))
    assert line.failures == []


def test_a_trail_without_rows_has_no_date(line: Line, tmp_path: Path) -> None:
    line(f"open {trail(tmp_path)}; begin 09:35")
    assert "there is no trail open with one" in str(line.failures[0])


def test_over_midnight_the_date_is_that_on_which_the_trail_has_the_time(line: Line, tmp_path: Path) -> None:
    line(f"open {trail(tmp_path, 23, 23.5, 24.25, 25)}")
    for entered, date in (
        ("23:30", "2022/03/14"),
        ("00:30", "2022/03/15"),
        ("23", "2022/03/14"),
        ("1:00", "2022/03/15"),
    ):
        line(f"begin {entered}")
        assert notices(line)[0].startswith(f"{entered} is taken as {date}")
    line("begin 12:00")
    assert line.failures


def test_all_files_of_the_trail_count(line: Line, tmp_path: Path) -> None:
    trail(tmp_path, 9, 10)
    line(f"open {trail(tmp_path, 33, 34, seqno=1)}; begin 09:30")
    assert "2022/03/14 to 2022/03/15" in str(line.failures[0])


def test_the_zone_of_the_session_decides_about_dates(line: Line, tmp_path: Path) -> None:
    line(f"open {trail(tmp_path, 9, 10)}; timeoffset gmt -11:00; begin 22:30")
    assert notices(line)[-1] == "22:30 is taken as 2022/03/13 22:30:00.000.000 GMT -11:00, a date of this trail."


def test_what_is_being_typed_is_not_refused() -> None:
    assert validity(REGISTRY, "explain lag at 23:53").value == "valid"


def test_a_timestamp_is_computed_without_a_trail(line: Line) -> None:
    line("computetimestamp 09:35")
    assert line.failures == []


@pytest.mark.parametrize("seed", range(examples(20)))
def test_a_moment_between_the_first_and_the_last_row_is_found_where_it_is_the_only_one(seed: int) -> None:
    random = Random(seed)
    zone = TimeOffset(random.choice((0, 90, -660, 840)))
    first = from_datetime(datetime(2024, 2, 28, tzinfo=UTC)) + random.randrange(48 * HOUR)
    last = first + random.randrange(1, 24 * HOUR)
    moment = random.randrange(first // MINUTE + 1, last // MINUTE + 1) * MINUTE
    if not first <= moment <= last:
        return
    entered = format_timestamp(moment, zone)[11:16]
    assert TrailZone.of(zone, lambda: (first, last)).moment(entered) == moment


MISSES: dict[str, Callable[[str], bool]] = {
    "pos csn 99999999": lambda text: text.startswith("No record with CSN >= 99999999 in this trail."),
    "pos time 2030-01-01": lambda text: text.startswith("No record with a time at or after 2030-01-01 in this trail."),
    "explain restart at csn 99999999": lambda text: text.startswith("No transaction with CSN >= 99999999."),
}


@pytest.mark.parametrize("command", MISSES)
def test_a_place_that_is_not_there_is_told_with_the_range_of_the_trail(
    command: str, line: Line, tmp_path: Path
) -> None:
    trail(tmp_path, 9, 10)
    line(f"open {trail(tmp_path, 33, 34, seqno=1)}")
    (text,) = line(command)
    assert MISSES[command](text)
    assert text.endswith(
        " goes from CSN 41882300 to 41882317, 2022/03/14 09:00:00.000.000 to 2022/03/15 10:00:00.000.000 GMT."
    )


def test_the_range_of_a_trail_without_rows_is_told(line: Line, tmp_path: Path) -> None:
    line(f"open {trail(tmp_path)}")
    assert line("pos csn 5") == ["No record with CSN >= 5 in this trail. It has no row."]
