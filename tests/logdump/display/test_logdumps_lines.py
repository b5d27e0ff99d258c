"""Under Logdump's own switches every record is shown in Logdump's own lines: scripts read them.

What COUNT prints, against the examples of the manual.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.first_match import show_record
from logdump.display.session_text import progress_lines
from logdump.display.text import render
from logdump.features.count.model import IntervalShown, TransactionsShown
from logdump.features.count.text import history_lines, interval_lines
from logdump.notation.times import GMT, parse_datetime
from logdump.session.events import Failure, Notice, Progress
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Release, Settings
from tests.logdump.display.logdumps_lines import foreign_lines, is_in_logdumps_order
from tests.logdump.line import Line
from trailformat import Record, TrailFile
from trailformat.totals.counting import LargeTransaction, TypeTotals

SETTINGS = Settings(time_offset=GMT)


def _large(time: str, rba: int) -> LargeTransaction:
    return LargeTransaction(1168167, 1001, 1, parse_datetime(time, GMT), 0, rba)


def test_transhist() -> None:
    shown = TransactionsShown(
        (_large("2011-02-01 09:31:24", 13101), _large("2011-02-01 09:31:35", 1205292)), 100, 100000
    )
    assert list(history_lines(shown, SETTINGS)) == [
        "",
        "Transactions with at least 100 records or 100000 bytes",
        "2011/02/01 09:31:24.000.000    00:00:00.000, Seq 0, RBA 13101",
        "   Bytes/Trans .....    1168167",
        "   Records/Trans ...       1001",
        "   Files/Trans .....          1",
        "2011/02/01 09:31:35.000.000    00:00:11.000, Seq 0, RBA 1205292",
        "   Bytes/Trans .....    1168167",
        "   Records/Trans ...       1001",
        "   Files/Trans .....          1",
    ]


def test_count_interval() -> None:
    tally = TypeTotals()
    for _ in range(3):
        tally.add(40, 3, ord("B"))
    start, end = (parse_datetime(f"2011-02-28 11:{minute}", GMT) for minute in (30, 34))
    assert list(interval_lines(IntervalShown(start, end, tally), SETTINGS))[:4] == [
        "Interval from 2011/02/28 11:30:00.000 to 2011/02/28 11:34:00.000, ",
        "Recs                             3",
        "Total Data Bytes               120",
        "  Avg Bytes/Record              40",
    ]


def test_notify() -> None:
    time = parse_datetime("2011/02/01 08:53:47.768.255", GMT)
    assert list(progress_lines(Progress(1000, 160380, time), SETTINGS)) == [
        "Scanned 1000 records, RBA 160380,2011/02/01 08:53:47.768.255"
    ]


FILES = sorted(path.name for path in TRAILS.iterdir() if path.name[1] != "l")
"""The big-endian trails and those of one order: the little-endian ones hold the same records."""
MIXED = {"headertoken": Level.DETAIL, "usertoken": Level.DETAIL, "fileheader": Level.DETAIL}
SWITCHES: list[dict[str, object]] = [
    {"ghdr": ghdr, "detail": detail, "ggstoken": ggstoken, **(MIXED if ghdr else {"usertoken": ggstoken})}
    for ghdr, detail, ggstoken in itertools.product((False, True), Detail, Level)
]
SWITCHES += [{"release": release, "detail": detail} for release in Release for detail in (Detail.OFF, Detail.DATA)]
SWITCHES += [{"fileheader": Level.ON, "headertoken": Level.ON, "detail": Detail.DATA, "usertoken": Level.ON}]


def _records(trail: TrailFile) -> Iterator[Record]:
    rba: int | None = 0
    while rba is not None:
        record = trail.record_at(rba)
        if record is None:
            return
        yield record
        rba = trail.next_good_header(rba + record.length)


def _shown(session: Session, record: Record) -> list[str]:
    """What standard output gets of a record."""
    events = show_record(session, record)
    data = (event for event in events if not isinstance(event, Notice | Failure))
    return [line for event in data for line in render(event, session.settings)]


@pytest.mark.parametrize("name", FILES)
def test_a_record_is_shown_in_logdumps_lines_alone(name: str, line: Line) -> None:
    _show_all(line, TRAILS / name, SWITCHES)


def test_so_is_every_record_of_a_real_trail(line: Line, evidence: Path) -> None:
    _show_all(line, evidence / "tr000000000", SWITCHES[::5])


def _show_all(line: Line, path: Path, all_switches: list[dict[str, object]]) -> None:
    line(f"open {path}; timeoffset gmt")
    session = line.session
    for record in _records(session.trail):
        for switches in all_switches:
            session.settings = Settings(time_offset=session.settings.time_offset, **switches)
            shown = _shown(session, record)
            assert not foreign_lines(shown), (record.rba, switches)
            assert is_in_logdumps_order(shown), (record.rba, switches, shown)


ADDITIONS = ("pt000000000; pos 1980", "pt000000000; pos 2407", "dt000000000; pos 1130", "et000000000; pos 1811")


@pytest.mark.parametrize("place", ADDITIONS)
def test_what_values_adds_is_seen_to_be_ours(place: str, line: Line) -> None:
    line(f"open {TRAILS}/{place}; detail on; values on")
    session = line.session
    record = session.trail.record_at(session.cursor.next)
    assert record is not None
    assert foreign_lines(_shown(session, record))
