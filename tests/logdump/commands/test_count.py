from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.features.count.model import CountShown, IntervalShown, TransactionsShown
from logdump.features.count.survey import CountOptions
from logdump.language.reader import Context, parse
from logdump.notation.times import GMT, parse_datetime
from logdump.session.errors import ArgumentError
from logdump.session.events import Notice, Progress
from tests.logdump.line import Line
from tests.trailformat.samples import IO_TIME, row, trail_of
from trailformat.scan import CountBounds, KernelTotals, counting
from trailformat.totals.counting import Totals, add_counted

NINE, TEN = (parse_datetime(f"2024-03-01 {hour}:00", GMT) for hour in ("09", "10"))


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", CountOptions()),
        ("detail", CountOptions(detail=True)),
        ("DET dirdat/lt000000", CountOptions(detail=True, path="dirdat/lt000000")),
        ("dirdat/lt000000", CountOptions(path="dirdat/lt000000")),
        ("start 2024-03-01 09:00:00 , end 2024-03-01 10:00", CountOptions(start=NINE, end=TEN)),
        ("STARTTIME 2024-03-01 09, DETAIL, ENDTIME 2024-03-01 10", CountOptions(detail=True, start=NINE, end=TEN)),
        ("int 4", CountOptions(interval=240_000_000)),
        ("interval 4,detail", CountOptions(interval=240_000_000, detail=True)),
        ("log dirdat/lt*, file hr.*", CountOptions(logtrail="dirdat/lt*", file="hr.*")),
    ],
)
def test_options_stand_in_any_order(text: str, options: CountOptions) -> None:
    assert parse(REGISTRY.find("COUNT").form, text, Context(GMT)) == options


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("interval", "INTERVAL takes one value"),
        ("interval often", "not a number of minutes"),
        ("interval 0", "out of range"),
        ("start 2024-02-30", "STARTTIME"),
        ("start", "STARTTIME"),
        ("detail, detail", "given twice"),
        ("some thing", "not an option of COUNT"),
        ("file a b", "FILE takes one value"),
    ],
)
def test_wrong_options_are_named(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        parse(REGISTRY.find("COUNT").form, text, Context(GMT))


def _count(line: Line, text: str) -> CountShown:
    line(f"count {text}")
    return next(event for event in line.events if isinstance(event, CountShown))


def test_the_whole_file_is_counted_from_anywhere_and_the_position_goes_back(shop: Line) -> None:
    shop("skip 7")
    assert _count(shop, "").counted.total.records == 22
    assert shop.session.cursor.next == 0


def test_a_transaction_ends_at_each_last_or_only_record_of_rows(shop: Line) -> None:
    assert _count(shop, "").counted.transactions == 10


def test_start_and_end_bound_the_io_time(shop: Line) -> None:
    inside = _count(shop, "start 2024-03-14 09:31:00, end 2024-03-14 09:32:30").counted.total.records
    before = _count(shop, "end 2024-03-14 09:30:59").counted.total.records
    after = _count(shop, "start 2024-03-14 09:32:31").counted.total.records
    assert inside
    assert inside + before + after == 21


def test_file_restricts_to_tables(shop: Line) -> None:
    count = _count(shop, "file *.sales").counted
    assert {name for name, _ in count.tables} == {"TEAHOUSE.SALES"}


def test_intervals_without_a_start_begin_at_a_full_minute(line: Line, tmp_path: Path) -> None:
    times = [IO_TIME, IO_TIME + 30_000_000, IO_TIME + 60_000_000]
    line(f"open {trail_of(tmp_path, *(row(io_time=one, trans_ind=3) for one in times))}; count interval 1")
    starts = [event.start for event in line.events if isinstance(event, IntervalShown)]
    assert [(start % 60_000_000, IO_TIME - start < 60_000_000) for start in starts[:1]] == [(0, True)]
    assert len(starts) == 2


def test_intervals_add_up_to_the_total(shop: Line) -> None:
    total = _count(shop, "interval 1").counted.total
    blocks = [event for event in shop.events if isinstance(event, IntervalShown)]
    assert len(blocks) > 1
    assert sum(block.tally.records for block in blocks) == total.records - 1
    assert all(block.end - block.start == 60_000_000 for block in blocks)


def test_another_file_can_be_counted_without_losing_the_position(shop: Line, trails: Path) -> None:
    shop("skip 3")
    before = shop.session.cursor.next
    assert _count(shop, f"detail {trails / 'rt000000000'}").title.endswith("rt000000000")
    assert shop.session.cursor.next == before


def test_log_counts_every_file_that_fits(line: Line, trails: Path) -> None:
    parts = [_count(line, str(trails / f"st00000000{number}")).counted.total.records for number in (0, 1)]
    assert _count(line, f"log {trails}/st*").counted.total.records == sum(parts)


def test_log_without_a_fitting_file_says_so(line: Line, trails: Path) -> None:
    assert line(f"count log {trails}/zz*") == [f"No file matches {trails}/zz*."]


def test_transhist_keeps_the_largest_transactions(shop: Line) -> None:
    shop("transhist 2; transreclimit 1; count")
    shown = next(event for event in shop.events if isinstance(event, TransactionsShown))
    sizes = [one.data_bytes for one in shown.transactions]
    assert len(sizes) == 2
    assert sizes == sorted(sizes, reverse=True)


def test_transhist_leaves_out_what_is_under_both_limits(shop: Line) -> None:
    shop("transhist 9; transreclimit 1000; transbytelimit 1000000; count")
    shown = next(event for event in shop.events if isinstance(event, TransactionsShown))
    assert not shown.transactions


def test_a_filter_tells_what_it_let_through(shop: Line) -> None:
    assert shop("filter rectype delete; count")[-2:] == [
        "Filtering matched           2 records",
        "          suppressed       20 records",
    ]


def test_a_bad_span_is_stepped_over_and_told(line: Line, trails: Path) -> None:
    line(f"open {trails / 'gt000000000'}; count")
    notices = [event for event in line.events if isinstance(event, Notice)]
    assert len(notices) == 1
    assert "bytes are not counted" in notices[0].lines[0]
    assert _count(line, "").counted.total.records == 22


def test_a_half_written_end_is_told(line: Line, trails: Path) -> None:
    line(f"open {trails / 'ct000000000'}; count")
    assert any(
        "the file ends inside the record" in event.lines[0] for event in line.events if isinstance(event, Notice)
    )


def test_progress_is_reported_every_so_many_records(shop: Line) -> None:
    shop("notify 5; scanscrolling off; count")
    assert [event.records for event in shop.events if isinstance(event, Progress)] == [5, 10, 15, 20]


def test_hash_statistics_follow_count_detail(shop: Line) -> None:
    shown = shop("hashstats on; count detail")
    assert shown[-2].startswith("Files      7, Coll      0, Chain      0")
    assert shown[-1].endswith("across 22 lookups")


def test_detail_switches_count_into_tables(shop: Line) -> None:
    assert not _count(shop, "").detail
    shop("detail on")
    assert _count(shop, "").detail


def test_both_byte_orders_count_alike() -> None:
    line = Line()
    tables = []
    for name in ("et000000000", "el000000000"):
        line(f"open {TRAILS / name}")
        tables.append({key: tally.records for key, tally in _count(line, "detail").counted.tables.items()})
    line.session.close()
    assert {key[1]: number for key, number in tables[0].items()}.keys() == {key[1] for key in tables[1]}
    assert sum(tables[0].values()) == sum(tables[1].values())


@pytest.mark.parametrize(
    ("choice", "transactions"),
    [("filter include filename *.sales; count", 5), ("count, file *.teas", 9), ("filter rectype 5; count", 3)],
)
def test_a_transaction_counts_once_when_some_of_its_records_are_left_out(
    choice: str, transactions: int, shop: Line
) -> None:
    shown = shop(choice)
    assert f"Average of {transactions} Transactions" in shown


def test_an_interrupt_gives_the_count_so_far_marked_as_partial(shop: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "ROWS", 3)
    monkeypatch.setattr("logdump.features.count.survey.add_counted", add_then_interrupt)
    with pytest.raises(KeyboardInterrupt):
        shop("count")
    count = next(event for event in shop.events if isinstance(event, CountShown)).counted
    notice = next(event for event in shop.events if isinstance(event, Notice))
    assert count.total.records == 3
    assert "after 3 records: this count is partial" in notice.lines[0]


def add_then_interrupt(count: Totals, taken: CountBounds, seqno: int, counted: KernelTotals) -> None:
    if count.total.records:
        raise KeyboardInterrupt
    add_counted(count, taken, seqno, counted)


@pytest.mark.parametrize("number", range(1, 5))
def test_a_comma_parts_options_and_a_file_in_whatever_order(number: int) -> None:
    """Behind a value too, where without it one more word would be refused."""
    options: dict[str, dict[str, Any]] = {
        "detail": {"detail": True},
        "start 2024-03-01 09:00": {"start": NINE},
        "interval 4": {"interval": 240_000_000},
        "file hr.*": {"file": "hr.*"},
        "log dirdat/lt*": {"logtrail": "dirdat/lt*"},
        "dirdat/lt000000": {"path": "dirdat/lt000000"},
    }
    form = REGISTRY.find("COUNT").form
    for words in permutations(options, number):
        expected = CountOptions(**{name: value for word in words for name, value in options[word].items()})
        for comma in (", ", " , ", ",, "):
            assert parse(form, comma.join(words), Context(GMT)) == expected
