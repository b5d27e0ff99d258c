"""COUNT over columns comes to what COUNT over records comes to.

NOTIFY's reports count on from batch to batch and from file to file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.filters import FilterSet, apply
from logdump.notation.text import name_test
from logdump.notation.times import GMT
from logdump.session.events import Progress
from tests.logdump.filters.subjects import selection_through
from tests.logdump.line import Line
from tests.oracles.count_by_record import RecordTotals, take
from tests.searching import Random, in_turn, part_of, some_trails
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from tests.trailformat.samples import row, trail_of
from tests.trailformat.small_batches import in_batches
from trailformat import TrailFile
from trailformat.scan import Batch, CountBounds, RowCount, scan
from trailformat.totals.counting import Totals, TransactionHistory, add_counted, breakdown_of
from trailformat.transactions import whole_trail

COMMANDS = ("recovery", "br", "explain restart", "heartbeat", "explain lag", "recovery keep")


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A trail of three files with checkpoints of bounded recovery."""
    folder = tmp_path_factory.mktemp("checkpoints")
    histories = [[Worked(10 * number + at, (at * HOUR,) * 3, at * HOUR) for at in range(1, 6)] for number in range(3)]
    return [write_trail(folder / f"br{number:09}", history) for number, history in enumerate(histories)]


@pytest.mark.parametrize(("notify", "command"), in_turn([1, 5, 11], COMMANDS))
def test_numbers_rise_to_that_of_all_records(
    notify: int, command: str, checkpoints: list[Path], line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that goes over a trail twice begins anew."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(2))
    records = 0
    for path in checkpoints:
        with TrailFile(path) as trail:
            records += sum(1 for _ in trail.records())
    line(f"open {checkpoints[0]}; across on; notify {notify}; {command}")
    numbers = [event.records for event in line.events if isinstance(event, Progress)]
    begun = [at for at, number in enumerate(numbers) if not at or number < numbers[at - 1]]
    passes = [numbers[begin:end] for begin, end in zip(begun, [*begun[1:], None], strict=True)]
    assert passes
    for counted in passes:
        assert len(set(counted)) == len(counted)
        assert records * 3 // 4 - notify <= counted[-1] <= records, command


FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
MINUTE = 60_000_000
BEGIN = 212_577_168_600_000_000
"""2024-03-14 09:30:00 GMT, when the tea shop's trails begin."""
TAKEN = {
    "all": CountBounds(),
    "from a time": CountBounds(BEGIN + MINUTE),
    "to a time": CountBounds(end=BEGIN + 2 * MINUTE),
    "between times": CountBounds(BEGIN + MINUTE, BEGIN + 3 * MINUTE),
    "one table": CountBounds(takes_name=name_test("*.SALES")),
    "any table": CountBounds(takes_name=name_test("*")),
    "from a time, some tables": CountBounds(BEGIN + MINUTE, takes_name=name_test("teahouse.t*")),
}


def _new_count(start: int | None = None, history: tuple[int, int, int] = (5, 2, 100)) -> RecordTotals:
    return RecordTotals(TransactionHistory(*history), MINUTE, start)


def _by_record(path: Path, taken: CountBounds, count: RecordTotals) -> None:
    with TrailFile(path) as trail:
        for rba in trail.sound_rbas(0, trail.size):
            record = trail.record_at(rba)
            assert record is not None
            name = trail.name_of(record)
            take(count, taken, record, name, 7)


def _all(batch: Batch) -> Any:
    return [True] * len(batch)


def _by_batch(path: Path, taken: CountBounds, count: Totals, size: int, passing: Callable[[Batch], Any] = _all) -> None:
    with TrailFile(path) as trail:
        sums = RowCount(taken, breakdown_of(count))
        for batch in scan(trail, batch_size=size):
            for counted in sums.of(batch, passing(batch)):
                add_counted(count, taken, 7, counted)


def _outcome(count: Totals) -> dict[str, Any]:
    tables = {key: vars(tally) for key, tally in count.tables.items()}
    intervals = {key: vars(tally) for key, tally in count.intervals.items()}
    totals = (count.transactions, count.table_visits, count.lookups, count.history.largest)
    return {"total": vars(count.total), "tables": tables, "intervals": intervals, "totals": totals}


@pytest.mark.parametrize(("size", "name"), in_turn([1, 2, 3, 5, 1000], TAKEN))
def test_columns_count_like_records(size: int, name: str) -> None:
    for path in part_of(FILES, [*TAKEN].index(name)):
        _assert_columns_count_like_records(path, size, TAKEN[name])


def _assert_columns_count_like_records(path: Path, size: int, taken: CountBounds) -> None:
    history = _history_at_the_sizes_of(path, taken)
    expected, count = _new_count(taken.start, history), _new_count(taken.start, history)
    _by_record(path, taken, expected)
    _by_batch(path, taken, count, size)
    assert _outcome(count) == _outcome(expected), (path.name, history)


def _history_at_the_sizes_of(path: Path, taken: CountBounds) -> tuple[int, int, int]:
    """Return the size and the limits of a history: limits are records and bytes of transactions, or one more."""
    random, every = Random(f"{path.name} {taken}"), _new_count(taken.start, (1000, 0, 0))
    _by_record(path, taken, every)
    transactions = every.history.largest
    if not transactions:
        return 5, 2, 100
    records, data_bytes = random.choice(transactions).records, random.choice(transactions).data_bytes
    limits = records + random.choice((0, 0, 1)), data_bytes + random.choice((0, 0, 1, 1 << 40))
    return random.randint(1, len(transactions)), *limits


def test_intervals_of_times_as_far_apart_as_they_can_be(tmp_path: Path) -> None:
    times = (BEGIN + 7, -(1 << 63), (1 << 63) - 1, 0)
    for turned in range(len(times)):
        rows = [row(io_time=time) for time in (*times[turned:], *times[:turned])]
        _assert_columns_count_like_records(trail_of(tmp_path, *rows), 10, CountBounds())


@pytest.mark.parametrize(
    ("size", "statement"), in_turn([1, 3, 1000], ["CSN > 41882320", "CSN > 7:2900", "GGSTOKEN TRANID <> 5.1.8801"])
)
def test_columns_count_the_records_of_transactions(size: int, statement: str) -> None:
    filters = FilterSet()
    apply(filters, statement, GMT)
    for path in part_of(FILES, size % 3):
        expected, count = _new_count(), _new_count()
        with TrailFile(path) as trail:
            one_by_one, by_columns = selection_through(trail, filters), selection_through(trail, filters)
            for record in filter(None, map(trail.record_at, trail.sound_rbas(0, trail.size))):
                if one_by_one.accepts(record):
                    expected.add(record, trail.name_of(record), 7)
                else:
                    expected.pass_over(record)
            _by_batch(path, CountBounds(), count, size, by_columns.rows)
        assert _outcome(count) == _outcome(expected), path.name


def test_a_transaction_goes_on_in_the_next_file() -> None:
    expected, columns = _new_count(), _new_count()
    for name in ("st000000000", "st000000001"):
        _by_record(TRAILS / name, CountBounds(), expected)
        _by_batch(TRAILS / name, CountBounds(), columns, 4)
    assert _outcome(columns) == _outcome(expected)
