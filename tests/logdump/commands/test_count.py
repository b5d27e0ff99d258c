"""COUNT INTERVAL leaves no moment out: a stall shows.

COUNT by kernels in threads prints to the byte what COUNT prints that goes over the records one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.features.count import survey as count_command
from logdump.features.count.model import CountShown, EmptyIntervals, IntervalShown, TransactionsShown
from logdump.features.count.survey import CountOptions, intervals
from logdump.language.reader import Context, parse
from logdump.notation.times import GMT, parse_datetime
from logdump.session.errors import ArgumentError
from logdump.session.events import Notice, Progress
from tests.logdump.line import Line
from tests.oracles.count_by_record import CountByRecord
from tests.searching import IS_LONG, in_turn, part_of
from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from trailformat import TrailFile
from trailformat.scan import CountBounds, KernelTotals, Workers, counting, parallel, parallel_counts
from trailformat.totals.counting import Totals, add_counted

MINUTE = 60_000_000
BEGUN = IO_TIME - IO_TIME % MINUTE


@given(
    st.lists(st.integers(0, 60 * MINUTE) | st.integers(0, 1 << 40), min_size=1, max_size=8),
    st.none() | st.integers(0, 1 << 41),
)
def test_intervals_follow_each_other_without_gap_and_hold_every_record(times: list[int], end: int | None) -> None:
    count = Totals(interval=MINUTE, start=0)
    for time in times:
        if end is None or time <= end:
            count.interval_of(time).add(1, 5, None)
    shown = list(intervals(count, CountOptions(start=0, end=end, interval=MINUTE)))
    if not count.intervals:
        assert shown == []
        return
    assert all(isinstance(event, IntervalShown | EmptyIntervals) for event in shown)
    assert shown[0].start == 0  # type: ignore[attr-defined]
    assert all(event.end == other.start for event, other in pairwise(shown))  # type: ignore[attr-defined]
    assert sum(interval.tally.records for interval in shown if isinstance(interval, IntervalShown)) == sum(
        end is None or own_time <= end for own_time in times
    )
    assert end is None or shown[-1].end > end  # type: ignore[attr-defined]
    assert len(shown) <= 4 * len(times) + 4


@pytest.mark.parametrize(("minutes", "singly"), [(1, 0), (2, 1), (4, 3), (5, None), (6_000_000, None)])
def test_a_stall_is_shown_by_its_intervals_or_in_one_line(
    minutes: int, singly: int | None, tmp_path: Path, line: Line
) -> None:
    rows = [row(io_time=BEGUN), row(io_time=BEGUN + minutes * MINUTE)]
    line(f"open {trail_of(tmp_path, *rows)}")
    shown = line("count int 1")
    assert sum(text.startswith("Recs ") and text.endswith(" 0") for text in shown) == (singly or 0)
    stalls = [text for text in shown if text.startswith("No records from ")]
    assert [stall.rsplit(", ", 1)[1] for stall in stalls] == (
        [] if singly is not None else [f"{minutes - 1} intervals"]
    )


def test_a_stall_at_a_bound_is_shown_too(tmp_path: Path, line: Line) -> None:
    line(f"open {trail_of(tmp_path, row(), row())}")
    shown = line("count int 10, start 2016-04-28 11:00, end 2016-04-28 13:05")
    assert [text for text in shown if text.startswith("No rec")] == [
        "No records from 2016/04/28 11:00:00.000 to 2016/04/28 12:10:00.000, 7 intervals",
        "No records from 2016/04/28 12:20:00.000 to 2016/04/28 13:10:00.000, 5 intervals",
    ]


FORMS = [
    "count",
    "count detail",
    "count detail, interval 1",
    "count start 2024-03-14 09:31:00, end 2024-03-14 09:32:30, detail",
    "count detail, file *.sales",
    "filter include filename *.sales; count detail",
    'filter include string "G"; count detail',
    "filter include value tea_code = SEN01; count detail",
    "filter include rectype 5; filter exclude transind 1; count, interval 2",
    'filter include usertoken /a/; count; filter csn = "41882351"; count',
    "transhist 3; transreclimit 1; count detail",
]


def said(text: str) -> list[str]:
    line = Line()
    try:
        return line(f"notify 3; scanscrolling off; {text}")
    finally:
        line.session.end()


def said_by_record(text: str) -> list[str]:
    with mock.patch("logdump.features.count.command.CountRun", CountByRecord):
        return said(text)


THREADS_AND_ROWS = [(1, 1 << 15), (3, 1 << 15), (3, 4)]


@pytest.fixture(params=THREADS_AND_ROWS, ids=str)
def in_threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    threads, rows = request.param
    monkeypatch.setattr(parallel, "PIECE", 700)
    monkeypatch.setattr(counting, "ROWS", rows)
    monkeypatch.setattr("logdump.features.count.command.Workers", lambda: Workers(threads))


EACH_FORM = pytest.mark.parametrize(
    ("in_threads", "form"), in_turn(THREADS_AND_ROWS, FORMS), ids=str, indirect=["in_threads"]
)


@EACH_FORM
@pytest.mark.usefixtures("in_threads")
def test_one_file(form: str, trails: Path) -> None:
    names = ["et000000000", "el000000000", "gt000000000", "ct000000000"]
    for name in part_of(names, FORMS.index(form), 2):
        expected = said_by_record(f"open {trails / name}; {form}")
        assert said(f"open {trails / name}; {form}") == expected


@EACH_FORM
@pytest.mark.usefixtures("in_threads")
def test_all_files_of_a_folder(form: str, trails: Path) -> None:
    turn = FORMS.index(form) % 3
    names = "*" if IS_LONG else f"[{['adgjmpsvy', 'behknqtwz', 'cfilorux'][turn]}]*"
    form = form.replace("count", f"count log {trails}/{names},")
    expected = said_by_record(form)
    assert said(form) == expected


def interrupted(trail: TrailFile, workers: Workers, taken: Any, _breakdown: Any) -> Any:
    def results() -> Iterator[tuple[KernelTotals, int]]:
        yield next(iter(parallel_counts(trail, workers, taken).results()))
        raise KeyboardInterrupt

    return SimpleNamespace(results=results)


def test_an_interrupt_gives_the_count_so_far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counting, "ROWS", 3)
    monkeypatch.setattr(count_command, "parallel_counts", interrupted)
    trail_of(tmp_path, table_record(1, "A"), *[row(name=1)] * 9)
    line = Line()
    with pytest.raises(KeyboardInterrupt):
        line(f"count log {tmp_path}/*")
    notice = next(event for event in line.events if isinstance(event, Notice))
    assert "after 3 records: this count is partial" in notice.lines[0]


def test_a_file_that_is_cut_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counting, "ROWS", 3)
    path = trail_of(tmp_path, table_record(1, "A"), *[row(name=1)] * 9)
    line = Line()
    read_into = TrailFile.read_into

    def cutting(trail: TrailFile, target: memoryview, rba: int, until: int | None = None) -> int:
        with path.open("r+b") as file:
            file.truncate(200)
        return read_into(trail, target, rba, until)

    monkeypatch.setattr(TrailFile, "read_into", cutting)
    line(f"count {path}")
    assert "the file was truncated" in "".join("".join(failure.lines) for failure in line.failures)


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
    line(f"open {trail_of(tmp_path, *(row(io_time=time, trans_ind=3) for time in times))}; count interval 1")
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
    sizes = [transaction.data_bytes for transaction in shown.transactions]
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


@pytest.mark.parametrize("number", range(1, 5 if IS_LONG else 4))
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
