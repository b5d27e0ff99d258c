"""What COUNT prints, against the examples of the manual."""

from __future__ import annotations

from logdump.display.session_text import progress_lines
from logdump.features.count.model import IntervalShown, TransactionsShown
from logdump.features.count.text import history_lines, interval_lines
from logdump.notation.times import GMT, parse_datetime
from logdump.session.events import Progress
from logdump.session.settings import Settings
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
