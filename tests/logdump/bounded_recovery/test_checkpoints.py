"""The sums of each checkpoint against their definitions, one transaction and one checkpoint at a time."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.features.bounded_recovery.checkpoints import BrCheckpoints, TimedOperation, began
from logdump.features.bounded_recovery.model import (
    BeginSource,
    BrOptions,
    FirstSource,
    LongTransactionShown,
    RedoStart,
    RestartKind,
    TransactionInterval,
)
from logdump.features.bounded_recovery.survey import FirstPass, RestartAt, from_headers
from tests.logdump.extents import WHOLE
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from trailformat import TrailWriter, make_file_header
from trailformat.records.file_header import SIGNATURE, Value
from trailformat.records.record_header import RESTART_OK
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Moment, Restart
from trailformat.transactions.redo_clock import RedoPlace
from trailformat.transactions.whole_trail import WholeTrail

HERE = FilePosition(Path("br000000000"), 100)


class Drawn(NamedTuple):
    """A transaction; its operations if they are known."""

    transaction: TransactionInterval
    operations: list[TimedOperation] | None

    def is_open(self, time: int) -> bool:
        begin, end = self.transaction.high, self.transaction.end
        return begin <= time and (end is None or time < end)


def drawn(random: Random, number: int) -> Drawn:
    """Transactions whose begins and redo positions are not in the order of their commits; a few are still open."""
    begin = random.randint(0, 40)
    end = None if random.random() < 0.15 else begin + random.choice((0, 1, 5, 12, 30))
    places = sorted(RedoPlace(7, random.randint(0, 99)) for _ in range(2))
    place, last_place = places if random.random() < 0.8 else (None, None)
    operations = None
    if random.random() < 0.7:
        last = 80 if end is None else end
        moments = [begin, *(random.randint(begin, last) for _ in range(random.randint(0, 5)))]
        operations = [TimedOperation(moment, random.randint(1, 9)) for moment in moments]
    size = random.randint(1, 50)
    transaction = TransactionInterval(
        str(number), f"1.{number}", None, begin, BeginSource.NONE, end, place, last_place, HERE, 1, size
    )
    return Drawn(transaction, operations)


class Expected(NamedTuple):
    """What a checkpoint has, and the bytes that it writes."""

    open: int
    persisted: int
    dirty: int
    size: int
    written: int
    restart: RedoStart


def expected(checkpoints: BrCheckpoints, number: int, all_drawn: list[Drawn]) -> Expected:
    """By the definitions at the head of the module of checkpoints."""
    time, interval = checkpoints.first + number * checkpoints.interval, checkpoints.interval
    open_now = [entry for entry in all_drawn if entry.is_open(time)]
    on_disk = [entry for entry in open_now if entry.transaction.high < time - interval]
    size = dirty = written = 0
    for entry in on_disk:
        done = sum(operation.size for operation in entry.operations or () if operation.time <= time)
        done = entry.transaction.size if entry.operations is None else done
        was_there = number > 0 and entry.transaction.high < time - 2 * interval
        is_dirty = any(time - interval < operation.time <= time for operation in entry.operations or ())
        size += done
        dirty += was_there and is_dirty
        written += done if is_dirty or not was_there else 0
    rest = [entry.transaction for entry in open_now if entry not in on_disk]
    first = min((transaction.high for transaction in rest), default=None)
    if first is not None:
        of_first = [transaction for transaction in rest if transaction.high == first]
        places = [transaction.place for transaction in of_first if transaction.place is not None]
        restart = RedoStart(first, min(places) if len(places) == len(of_first) else None)
    else:
        ends = [case.transaction for case in all_drawn]
        reached = [
            transaction.last_place
            for transaction in ends
            if transaction.end is not None and transaction.end <= time and transaction.last_place
        ]
        restart = RedoStart(time, max(reached, default=None))
    return Expected(len(open_now), len(on_disk), dirty, size, written, restart)


@pytest.mark.parametrize("case", range(examples(200, short=40)))
def test_each_checkpoint_has_what_the_definitions_say(case: int) -> None:
    random = Random(case)
    first, interval = random.randint(0, 15), random.randint(1, 7)
    checkpoints = BrCheckpoints(first, interval, random.randint(first, 80))
    all_drawn = [drawn(random, number) for number in range(random.randint(1, 8))]
    for entry in all_drawn:
        checkpoints.add(entry.transaction, entry.operations)
    wanted = {number: expected(checkpoints, number, all_drawn) for number in range(checkpoints.count)}
    assert checkpoints.count == len(times(checkpoints))
    shown = {checkpoint.number: checkpoint for checkpoint in checkpoints.shown()}
    assert set(shown) == {number for number, want in wanted.items() if want.open}
    for number, checkpoint in shown.items():
        values = (checkpoint.open, checkpoint.persisted, checkpoint.dirty, checkpoint.persisted_bytes)
        assert values == wanted[number][:4], number
    for number, want in wanted.items():
        restart = checkpoints.restart(number)
        assert restart.time == want.restart.time, number
        if want.restart.place is not None:
            assert restart.place == want.restart.place, number
        assert checkpoints.persisted_at(number) == want.persisted
    on_disk = [
        entry.transaction
        for entry in all_drawn
        if any(entry.is_open(time) and entry.transaction.high < time - interval for time in times(checkpoints))
    ]
    compared = checkpoints.compared()
    assert (compared.persisted, compared.written) == (len(on_disk), sum(want.written for want in wanted.values()))


def times(checkpoints: BrCheckpoints) -> range:
    return range(checkpoints.first, checkpoints.last + 1, checkpoints.interval)


@pytest.mark.parametrize("case", range(examples(200, short=40)))
def test_a_restart_counts_what_was_committed_since_and_what_is_on_disk(case: int) -> None:
    random = Random(case)
    first, interval = random.randint(0, 15), random.randint(1, 7)
    all_drawn = [drawn(random, number) for number in range(random.randint(1, 8))]
    at = max(first, random.choice([random.randint(first, 80), *(entry.transaction.high for entry in all_drawn)]))
    checkpoints = BrCheckpoints(first, interval, at)
    options = BrOptions(interval=interval, restart=at, fails=random.random() < 0.3, is_off=random.random() < 0.2)
    restart = RestartAt(checkpoints, options)
    all_drawn = [
        entry._replace(transaction=entry.transaction._replace(position=None)) if random.random() < 0.2 else entry
        for entry in all_drawn
    ]
    for entry in all_drawn:
        checkpoints.add(entry.transaction, entry.operations)
        restart.add(entry.transaction)
    shown = restart.shown(None, None)
    number = (at - first) // interval - options.fails
    time = first + number * interval
    now = [entry for entry in all_drawn if entry.is_open(at)]
    on_disk = [entry for entry in now if number >= 0 and entry.transaction.high < time - interval]
    is_bounded = bool(on_disk) and not options.is_off
    assert shown.checkpoint == (time if number >= 0 else None)
    assert shown.without_br.start.time == min((entry.transaction.high for entry in now), default=at)
    kind = RestartKind.BOUNDED if is_bounded else RestartKind.NORMAL if now else RestartKind.READ_CHECKPOINT
    assert shown.kind is kind
    if is_bounded:
        then = [entry for entry in all_drawn if entry.is_open(time) and entry.transaction.high >= time - interval]
        assert shown.with_br.start.time == min((entry.transaction.high for entry in then), default=time)
        then_on_disk = [
            entry for entry in all_drawn if entry.is_open(time) and entry.transaction.high < time - interval
        ]
        assert shown.from_disk == len(then_on_disk)
    else:
        assert (shown.with_br, shown.from_disk) == (shown.without_br, 0)
    ended = [
        entry.transaction for entry in all_drawn if entry.transaction.end is not None and entry.transaction.end <= at
    ]
    for reach in (shown.with_br, shown.without_br):
        since = [
            transaction
            for transaction in ended
            if transaction.position is not None and transaction.end is not None and transaction.end > reach.start.time
        ]
        assert (reach.recaptured, reach.back) == (len(since), at - reach.start.time)


@pytest.mark.parametrize(
    ("start", "logs", "size"),
    [((7, 60), 1, 40), ((6, 60), 2, 1040), ((5, 60), 3, 2040), ((3, 60), 5, 4040), ((7, 100), 1, 0), ((8, 0), 1, None)],
)
def test_the_redo_between_two_positions_is_summed_over_full_logs(
    start: tuple[int, int], logs: int, size: int | None
) -> None:
    """Logs of 1000 bytes; the last commit is at byte 100 of log 7."""
    restart = RestartAt(BrCheckpoints(0, 10, 50), BrOptions(restart=50, log_size=1000))
    done = drawn(Random(0), 0).transaction
    for place, last, end in ((start, start, None), ((7, 90), (7, 100), 20), ((2, 0), (2, 9), 30)):
        restart.add(done._replace(high=10, end=end, place=RedoPlace(*place), last_place=RedoPlace(*last)))
    reach = restart.shown(None, None).without_br
    assert reach.logs == logs
    if size is not None:
        assert reach.bytes == size


def first_pass(moment: int | None = None) -> FirstPass:
    return FirstPass(WholeTrail([HERE.path]), 1, moment)


@pytest.mark.parametrize("moment", [None, *range(10, 75, 5)])
@pytest.mark.parametrize("restarts", [(20, 40, 60), (60, 20, 40), (40,)], ids=str)
def test_the_last_restart_up_to_the_moment_is_the_first_checkpoint(
    restarts: tuple[int, ...], moment: int | None
) -> None:
    taken = first_pass(moment)
    taken.take(WHOLE._replace(last_moment=Moment(5)))
    for time in restarts:
        taken.take(Restart(HERE, RESTART_OK, time))
    counted = [time for time in restarts if moment is None or time <= moment]
    checkpoint = taken.first_checkpoint(None)
    assert checkpoint is not None
    assert (checkpoint.time, checkpoint.source) == (
        (counted[-1], FirstSource.RESTART) if counted else (5, FirstSource.COMMIT)
    )


@pytest.mark.parametrize("commits", [(5, 9, 3), (9, 3, 5), (3, 9, 5), (4, 4, 4), (9, 5, 3)], ids=str)
def test_the_commits_of_a_trail_are_the_earliest_and_the_latest(commits: tuple[int, ...]) -> None:
    taken = first_pass()
    for commit in commits:
        taken.take(WHOLE._replace(last_moment=Moment(commit)))
    assert taken.commits == (min(commits), max(commits))


@pytest.mark.parametrize("created", [(30, 20, 10), (10, 30, 20), (None, 20, 10), (None, None, 10)], ids=str)
def test_the_creation_of_a_trail_is_that_of_its_first_file_that_has_one(
    created: tuple[int | None, ...], tmp_path: Path
) -> None:
    paths = [tmp_path / f"br{number:09}" for number in range(len(created))]
    for number, (path, time) in enumerate(zip(paths, created, strict=True)):
        values: dict[str, Value] = {"Signature": SIGNATURE, "FileName": "", "Seqno": number}
        values |= {"CreationTime": time} if time is not None else {}
        TrailWriter(path, file_header=make_file_header({"TrailInfo": values})).commit()
    taken = FirstPass(WholeTrail(paths), 1, None)
    taken.read_headers()
    checkpoint = taken.first_checkpoint(None)
    first = next(number for number, time in enumerate(created) if time is not None)
    assert checkpoint == (created[first], FirstSource.CREATED, FilePosition(paths[first], 0))


@pytest.mark.parametrize(("first", "last"), [(5, 9), (9, 5), (5, 5)])
def test_a_transaction_has_begun_by_its_earliest_time(first: int, last: int) -> None:
    extent = WHOLE._replace(has_one_time=False, first_moment=Moment(first), last_moment=Moment(last))
    begin = began(extent, None, None)
    assert (begin.high, begin.end, begin.source) == (min(first, last), last, BeginSource.OPERATIONS)


@pytest.mark.parametrize(("moment", "logbsn"), [(5, None), (10, "51"), (25, "51"), (30, "70"), (39, "70"), (40, "66")])
def test_the_restart_of_a_header_is_that_of_the_last_file_begun_up_to_the_moment(
    moment: int, logbsn: str | None, tmp_path: Path
) -> None:
    """Of four files the second has none."""
    paths = [tmp_path / f"br{number:09}" for number in range(4)]
    for number, (path, written) in enumerate(zip(paths, ("51", None, "70", "66"), strict=True)):
        values: dict[str, Value] = {"Signature": SIGNATURE, "FileName": "", "Seqno": number}
        values |= {"CreationTime": 10 * (number + 1)} | ({"LOGBSN": written} if written else {})
        TrailWriter(path, file_header=make_file_header({"TrailInfo": values})).commit()
    observed = from_headers(WholeTrail(paths), moment)
    assert (observed.csn if observed is not None else None) == logbsn


@pytest.mark.parametrize("is_off", [False, True])
def test_with_broff_a_long_transaction_is_never_on_disk(tmp_path: Path, line: Line, *, is_off: bool) -> None:
    path = write_trail(tmp_path / "br000000000", [Worked(1, (HOUR, 19 * HOUR), 19 * HOUR)], commit_times=False)
    parameters = tmp_path / "e.prm"
    parameters.write_text(f"EXTRACT e\nBR BRINTERVAL 4H{', BROFF' if is_off else ''}\n", encoding="utf-8")
    line(f"params {parameters}; open {path}; br")
    (shown,) = [event for event in line.events if isinstance(event, LongTransactionShown)]
    assert shown.persisted is not is_off
    assert shown.began.end is not None
    assert (shown.reach == shown.began.end - shown.began.high == 18 * HOUR) is is_off
