"""COUNT over several files, intervals and transactions: what each adds, and which of equal ones comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest

from logdump.features.count import survey
from logdump.features.count.model import CountShown, EmptyIntervals, IntervalShown, TransactionsShown
from logdump.features.count.survey import CountOptions, intervals
from logdump.notation.text import amount
from logdump.notation.times import GMT, format_timestamp, parse_datetime
from logdump.session.events import Notice
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from tests.trailformat.test_applied import transaction
from trailformat import Record, make_file_header, make_file_header_record
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY
from trailformat.scan import CountBounds, KernelTotals
from trailformat.totals.counting import Totals, TypeTotals, add_counted

MINUTE = 60_000_000
GARBAGE = b"no record at all, but bytes " * 4


def _file(folder: Path, number: int, *records: Record | bytes) -> Path:
    return trail_of(folder, *records, name=f"tt{number:09}")


def _total(line: Line) -> Totals:
    return next(event.counted for event in line.events if isinstance(event, CountShown))


@pytest.mark.parametrize("moment", [0, 1, MINUTE - 1])
@pytest.mark.parametrize("end", [1, 2, 3])
def test_the_interval_in_which_end_is_is_shown_although_it_is_empty(end: int, moment: int) -> None:
    """A record in the first of the intervals; END at the begin of one, inside it and in its last microsecond."""
    count = Totals(interval=MINUTE, start=0)
    count.interval_of(30).add(1, 5, None)
    options = CountOptions(start=0, end=end * MINUTE + moment, interval=MINUTE)
    shown = [(event.start, event.end) for event in intervals(count, options) if isinstance(event, IntervalShown)]
    assert shown == [(number * MINUTE, (number + 1) * MINUTE) for number in range(end + 1)]


@pytest.mark.parametrize("case", range(examples(30)))
def test_intervals_begin_with_the_first_counted_record_of_all_files_wherever_it_is(
    case: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand: the interval of each record, from the minute of the first one before END on."""
    random, minutes = Random(f"first {case}"), 1 + case % 3
    moments = [[IO_TIME + random.randrange(9 * MINUTE) for _ in range(random.randrange(1, 7))] for _ in range(3)]
    for number, times in enumerate(moments):
        records: list[Record | bytes] = [row(io_time=time) for time in times]
        _file(tmp_path, number, records[0], *[GARBAGE] * random.randrange(2), *records[1:])
    end = IO_TIME + random.randrange(1, 9 * MINUTE)
    monkeypatch.setattr(survey, "_MANY_BYTES", random.choice([-1, 400, 1 << 23]))
    monkeypatch.setattr(survey, "_BEGINNING", random.choice([1, 200, 500, 5000]))
    line(f"count log {tmp_path}/tt*, interval {minutes}, end {format_timestamp(end, GMT)}")
    counted = [time for times in moments for time in times if time <= end]
    first = counted[0] - counted[0] % MINUTE if counted else 0
    expected = Counter((time - first) // (minutes * MINUTE) for time in counted)
    assert {
        (start - first) // (minutes * MINUTE): tally.records for start, tally in _total(line).intervals.items()
    } == expected


@pytest.mark.parametrize("words", ["end 2016-04-28 12:20:00", "file TEA.LEAVES", "end 2016-04-28 12:20:00, file TEA.*"])
def test_intervals_do_not_begin_with_a_record_that_is_not_counted_or_of_a_later_file(
    words: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "_MANY_BYTES", -1)
    monkeypatch.setattr(survey, "_BEGINNING", 1)
    other = row(name="POT.LIDS" if "end" not in words else "TEA.LEAVES", io_time=IO_TIME + 15 * MINUTE)
    _file(tmp_path, 0, other, row(io_time=IO_TIME + 2 * MINUTE))
    _file(tmp_path, 1, row(io_time=IO_TIME + MINUTE), row(io_time=IO_TIME + 5 * MINUTE))
    line(f"count log {tmp_path}/tt*, interval 3, {words}")
    first = IO_TIME - IO_TIME % MINUTE + 2 * MINUTE
    assert {start - first: tally.records for start, tally in _total(line).intervals.items()} == {
        -3 * MINUTE: 1,
        0: 1,
        3 * MINUTE: 1,
    }


@pytest.mark.parametrize(("number", "is_one"), [(1, False), (3, False), (4, True), (5, True)])
def test_more_than_three_empty_intervals_are_one_line(number: int, is_one: bool) -> None:
    count = Totals(interval=MINUTE, start=0)
    for at in (0, number + 1):
        count.interval_of(at * MINUTE).add(1, 5, None)
    shown = list(intervals(count, CountOptions(start=0, interval=MINUTE)))
    assert len(shown) == (3 if is_one else number + 2)
    assert any(isinstance(event, EmptyIntervals) for event in shown) == is_one


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_of_equal_transactions_those_of_earlier_files_come_first(size: int, line: Line, tmp_path: Path) -> None:
    """In the first file the equal one is behind a small one, so that its RBA is the greatest; one is larger."""
    small, equal, large = (row(b"x" * length, trans_ind=ONLY) for length in (1, 20, 40))
    _file(tmp_path, 0, small, small, equal)
    _file(tmp_path, 1, small, equal)
    _file(tmp_path, 2, equal, large)
    line(f'transhist {size}; transreclimit 1; count log "{tmp_path}/tt*"')
    (shown,) = (event for event in line.events if isinstance(event, TransactionsShown))
    places = [(2, equal.length), (0, 2 * small.length), (1, small.length), (2, 0)]
    assert [(largest.seqno, largest.rba) for largest in shown.transactions] == places[:size]


@pytest.mark.parametrize(
    ("records", "size", "listed"), [(3, 10**6, [3]), (10, 300, [1]), (2, 300, [3, 2, 1]), (9, 10**6, [])]
)
def test_a_transaction_is_listed_if_it_is_over_either_limit(
    records: int, size: int, listed: list[int], line: Line, tmp_path: Path
) -> None:
    """One of three small records, one of two, one of a large one."""
    kinds = {3: (FIRST, MIDDLE, LAST), 2: (FIRST, LAST), 1: (ONLY,)}
    texts = {3: b"x", 2: b"x", 1: b"x" * 400}
    _file(tmp_path, 0, *(row(texts[number], trans_ind=kind) for number, of in kinds.items() for kind in of))
    line(f"open {tmp_path / 'tt000000000'}; transhist 9; transreclimit {records}; transbytelimit {size}; count")
    shown = [event for event in line.events if isinstance(event, TransactionsShown)]
    numbers = [transaction.records for event in shown for transaction in event.transactions]
    assert sorted(numbers) == sorted(listed)


def test_each_of_three_files_has_its_own_number_of_records(line: Line, tmp_path: Path) -> None:
    paths = [_file(tmp_path, number, *[row(trans_ind=ONLY)] * (number + 1)) for number in range(3)]
    text = line(f'count log "{tmp_path}/tt*"')
    assert [said for said in text if " counted, " in said] == [
        f"LogTrail {path} counted, {number} record{'s' * (number > 1)}" for number, path in enumerate(paths, 1)
    ]
    assert _total(line).total.records == 6


def test_what_a_filter_holds_back_is_added_up_over_files_and_damage_is_not_in_it(line: Line, tmp_path: Path) -> None:
    for number in range(3):
        other = [row(name="TEA.POTS", trans_ind=ONLY)] * (number + 1)
        _file(tmp_path, number, row(trans_ind=ONLY), GARBAGE, *other, GARBAGE)
    text = line(f'filter include filename TEA.LEAVES; count log "{tmp_path}/tt*"')
    assert _total(line).total.records == 3
    assert any(said.split() == ["suppressed", "6", "records"] for said in text)


def test_intervals_without_a_start_are_those_of_the_first_record_in_all_files(line: Line, tmp_path: Path) -> None:
    """Of two minutes, records of the second minute of an interval being first in the second file."""
    begin = IO_TIME - IO_TIME % MINUTE
    times = ([0, 3], [1, 2], [5])
    for number, minutes in enumerate(times):
        rows = [row(trans_ind=ONLY, io_time=begin + minute * MINUTE + 7) for minute in minutes]
        _file(tmp_path, number, *rows)
    line(f'count log "{tmp_path}/tt*", interval 2')
    shown = [(event.start - begin, event.tally.records) for event in line.events if isinstance(event, IntervalShown)]
    assert shown == [(0, 2), (2 * MINUTE, 2), (4 * MINUTE, 1)]


@pytest.mark.parametrize("places", range(4))
def test_the_first_missing_file_is_named_and_the_other_places_where_files_are_missing_are_counted(
    places: int, line: Line, tmp_path: Path
) -> None:
    """Each place has one to three missing files, between one to three that exist."""
    draw, number, missing = Random(f"missing {places}"), 0, []
    for place in range(places + 1):
        for _ in range(draw.randint(1, 3)):
            _file(tmp_path, number, row())
            number += 1
        if place < places:
            missing.append(tmp_path / f"tt{number:09}")
            number += draw.randint(1, 3)
    line(f'count log "{tmp_path}/tt*"')
    others = f", and so are files at {amount(places - 1, 'other place')}" if places > 1 else ""
    said = [text for event in line.events if isinstance(event, Notice) for text in event.lines]
    assert said == [f"{path} is missing{others}: this is no count of a whole trail." for path in missing[:1]]


def test_a_file_that_is_no_trail_is_not_counted_whichever_it_is(line: Line, tmp_path: Path) -> None:
    for number in range(3):
        _file(tmp_path, number, *([row(trans_ind=ONLY)] if number == 1 else [b"no trail"]))
    text = line(f'count log "{tmp_path}/tt*"')
    assert len([said for said in text if said.endswith(": not counted")]) == 2
    assert [bool(event.bad) for event in line.events if isinstance(event, Notice)] == [True, True]
    assert _total(line).total.records == 1


@pytest.mark.parametrize("seconds", [0, 1, 20, 59])
def test_intervals_begin_at_start_wherever_in_a_minute_it_is(seconds: int, line: Line, tmp_path: Path) -> None:
    """Records half a minute after START, and a minute and a half."""
    start = parse_datetime(f"2016-04-28 12:10:{seconds:02}", GMT)
    times = [start + MINUTE // 2, start + 3 * MINUTE // 2]
    path = _file(tmp_path, 0, *(row(trans_ind=ONLY, io_time=time) for time in times))
    line(f"timeoffset gmt; open {path}; count start 2016-04-28 12:10:{seconds:02}, interval 1")
    shown = [(event.start, event.tally.records) for event in line.events if isinstance(event, IntervalShown)]
    assert shown == [(start, 1), (start + MINUTE, 1)]


@pytest.mark.parametrize(("sizes", "average"), [([], 0), ([5, 6], 5), ([5, 6, 6], 5), ([6, 6], 6)])
def test_average_bytes_are_cut_to_a_whole_number(sizes: list[int], average: int) -> None:
    totals = TypeTotals()
    for size in sizes:
        totals.add(size, 5, None)
    assert totals.average_bytes == average


@pytest.mark.parametrize("is_filtered", [False, True])
def test_images_are_those_of_records_that_have_one(is_filtered: bool, line: Line, tmp_path: Path) -> None:
    """Of each table and interval, the file header and records without an image among them."""
    random = Random(is_filtered)
    begin, kinds = IO_TIME - IO_TIME % MINUTE, (ord("B"), ord("A"), 0)
    drawn = [(f"TEA.T{random.randrange(3)}", random.randrange(3), kind) for kind in kinds * 4]
    random.shuffle(drawn)
    times = sorted(minute for _, minute, _ in drawn)
    drawn = [(table, time, kind) for (table, _, kind), time in zip(drawn, times, strict=True)]
    rows = [
        row(name=table, trans_ind=ONLY, before_after=kind, io_time=begin + time * MINUTE) for table, time, kind in drawn
    ]
    path = _file(tmp_path, 0, make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 0}})), *rows)
    line(f"open {path}; {'filter include filename TEA.*; ' if is_filtered else ''}count detail, interval 1")
    total = _total(line)
    assert _images(total.total) == (4, 4)
    for table in {table for table, _, _ in drawn}:
        assert _images(total.tables[table, rows[0].header.partition]) == _of(
            kind for name, _, kind in drawn if name == table
        )
    intervals = {event.start: event.tally for event in line.events if isinstance(event, IntervalShown)}
    for time in set(times):
        assert _images(intervals[begin + time * MINUTE]) == _of(kind for _, minute, kind in drawn if minute == time)


def _images(tally: TypeTotals) -> tuple[int, int]:
    return tally.before_images, tally.after_images


def _of(kinds: Iterable[int]) -> tuple[int, int]:
    numbers = Counter(kinds)
    return numbers[ord("B")], numbers[ord("A")]


@pytest.mark.parametrize("words", ["", "filter include filename TEA.*; "])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_count_that_is_stopped_counts_no_file_after_that(
    at: int, words: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+C in one of three files, filtered or not: what comes before it is counted."""
    for number in range(3):
        _file(tmp_path, number, *[row(trans_ind=ONLY)] * (number + 2))
    begun: list[int] = []

    def stop(count: Totals, taken: CountBounds, seqno: int, counted: KernelTotals) -> None:
        begun.append(seqno)
        if seqno == at:
            raise KeyboardInterrupt
        add_counted(count, taken, seqno, counted)

    monkeypatch.setattr(survey, "add_counted", stop)
    with pytest.raises(KeyboardInterrupt):
        line(f'{words}count log "{tmp_path}/tt*"')
    assert begun == list(range(at + 1))
    assert _total(line).total.records == sum(number + 2 for number in range(at))
    (notice,) = (event for event in line.events if isinstance(event, Notice) and "partial" in event.lines[0])
    assert notice.lines[0].startswith(f"Stopped at {tmp_path}/tt{at:09}, after ")


def test_start_and_end_take_the_records_of_their_own_moment(line: Line, tmp_path: Path) -> None:
    minute = parse_datetime("2016-04-28 12:10:00", GMT)
    times = [minute - 1, minute, minute + MINUTE // 2, minute + MINUTE - 1, minute + MINUTE]
    path = _file(tmp_path, 0, *(row(trans_ind=ONLY, io_time=time) for time in times))
    for words, number in (("start", 4), ("end", 2), ("start 2016-04-28 12:10, end", 1)):
        line(f"timeoffset gmt; open {path}; count {words} 2016-04-28 12:10")
        assert _total(line).total.records == number
        line.events.clear()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_effective_leaves_out_copies_in_whichever_of_several_files(place: int, line: Line, tmp_path: Path) -> None:
    """The transaction of one of three files comes twice there and again in the last; after EFFECTIVE all count."""
    for number in range(3):
        records = transaction(f"{number + 1}0", f"1.{number + 1}")
        again = transaction(f"{place + 1}0", f"1.{place + 1}") if number == 2 else []
        _file(tmp_path, number, *records, *(records if number == place else []), *again)
    for words, number in (("", 5), (" effective", 3), ("", 5)):
        line(f'open {tmp_path}/tt000000000; count log "{tmp_path}/tt*"{words}')
        assert _total(line).total.records == number
        line.events.clear()


@pytest.mark.parametrize("order", list(permutations((0, 30, 70))))
def test_the_time_of_each_large_transaction_is_that_since_the_largest(
    order: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """Of three the largest is listed first, whenever it was."""
    rows = [
        row(b"x" * 10 * size, trans_ind=ONLY, io_time=IO_TIME + seconds * 1_000_000)
        for size, seconds in zip((2, 3, 1), order, strict=True)
    ]
    text = line(f"open {_file(tmp_path, 0, *rows)}; transhist 3; transreclimit 1; count")
    shown = [said.split("    ")[1].split(",")[0] for said in text if ", Seq 0, RBA " in said]
    largest = order[1]
    assert shown == [_elapsed(seconds - largest) for seconds in (order[1], order[0], order[2])]


def _elapsed(seconds: int) -> str:
    return f"{'-' if seconds < 0 else ''}00:{abs(seconds) // 60:02}:{abs(seconds) % 60:02}.000"


@pytest.mark.parametrize("has_it", [(True, False), (False, True), (False, False)])
def test_names_of_a_filter_are_those_of_the_file_that_is_counted(
    has_it: tuple[bool, bool], line: Line, tmp_path: Path
) -> None:
    """The open file and another one, of which one defines the table; no row is of it."""
    opened, other = (
        _file(tmp_path, number, *([table_record(1, "TEA.POTS")] if has else []), *[table_record(2, "TEA.CUPS")])
        for number, has in enumerate(has_it)
    )
    line(f"open {opened}; filter include filename TEA.POTS; filter include rectype 5; filter match all; count {other}")
    assert any("TEA.POTS" in text for event in line.events if isinstance(event, Notice) for text in event.lines) == (
        not has_it[1]
    )


@pytest.mark.parametrize("across", ["off", "on"])
def test_after_a_count_of_one_file_or_of_several_the_position_is_the_begin_of_the_open_one(
    across: str, line: Line, tmp_path: Path
) -> None:
    paths = [_file(tmp_path, number, row(), row(), row()) for number in range(3)]
    line(f"open {paths[1]}; across {across}; next 2; count")
    assert _total(line).total.records == (6 if across == "on" else 3)
    assert (line.session.trail.path, line.session.cursor.next) == (paths[1], 0)


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_stopped_count_says_nothing_of_names_that_are_not_defined(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_stopped: bool
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    _file(tmp_path, 0, table_record(1, "TEA.CUPS"), row(trans_ind=ONLY))
    asked = f'filter include filename TEA.POTS; count log "{tmp_path}/tt*"'
    if is_stopped:
        monkeypatch.setattr(survey, "add_counted", stop)
        with pytest.raises(KeyboardInterrupt):
            line(asked)
    else:
        line(asked)
    texts = [text for event in line.events if isinstance(event, Notice) for text in event.lines]
    assert any("TEA.POTS" in text for text in texts) == (not is_stopped)
