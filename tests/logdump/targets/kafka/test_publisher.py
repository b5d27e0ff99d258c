"""What a publisher sends and commits of drawn batches, by a broker that only notes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pytest

from logdump.tables.errors import BadTrail
from logdump.targets.applier import FirstCsn
from logdump.targets.beginning import Beginning
from logdump.targets.kafka import publisher as publishing
from logdump.targets.kafka.broker import Broker, SentPlace
from logdump.targets.kafka.publisher import Publisher
from logdump.targets.kafka.request import TableTopics
from logdump.targets.target import AppliedPosition, ApplyProgress, Refused
from tests.searching import Random, examples

TABLES = ("S.A", "S.B", "S.C")
_TIME = pa.timestamp("us", "UTC")


class Sent(NamedTuple):
    """A message, as it was sent."""

    table: str
    value: str


class Row(NamedTuple):
    """A row of a batch: its number in the trail, and True for a tombstone, which follows its delete."""

    number: int
    table: str
    csn: int
    xid: str
    is_tombstone: bool

    @property
    def sequence(self) -> str:
        """Its place."""
        return f"0000000000.{self.number:016d}.0{'.t' * self.is_tombstone}"

    @property
    def name(self) -> str:
        """What its message has."""
        return self.sequence

    @property
    def time(self) -> datetime:
        """The time at which the source wrote it."""
        return datetime.fromtimestamp(1_000_000 + self.number, UTC)


class NotingBroker:
    """A broker that has what was committed."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.committed: list[Sent] = []
        self.positions: dict[str, AppliedPosition] = {}

    def send(self, topic: str, _key: str | None, value: str, place: SentPlace) -> None:
        """Note a message."""
        assert topic == place.table
        self.sent.append(Sent(place.table, value))

    def commit(self, _topics: Mapping[str, str], positions: Mapping[str, AppliedPosition]) -> None:
        """Commit what was sent, and the positions, none of which goes back."""
        for table, position in positions.items():
            assert table not in self.positions or self.positions[table].place < position.place
            assert position.target == table
        self.committed += self.sent
        self.sent = []
        self.positions |= positions

    def abort(self) -> None:
        """Forget what was sent."""
        self.sent = []


def _drawn(random: Random) -> list[Row]:
    rows, number, csn = list[Row](), 10, 100
    for transaction in range(random.randint(2, 9)):
        csn += random.choice((0, 1, 1, 3, -4, -4))
        for _ in range(random.randint(1, 4)):
            table = random.choice(TABLES)
            rows.append(Row(number, table, csn, f"x{transaction}", is_tombstone=False))
            if random.random() < 0.2:
                rows.append(rows[-1]._replace(is_tombstone=True))
            number += random.randint(1, 5)
    return rows


def _batch(rows: list[Row]) -> pa.Table:
    columns: dict[str, list[Any]] = {
        "_table": [row.table for row in rows],
        "_sequence": [row.sequence for row in rows],
        "_csn": [str(row.csn) for row in rows],
        "_xid": [row.xid for row in rows],
        "_file": ["lt000000000"] * len(rows),
        "_rba": [row.number for row in rows],
        "key": [None] * len(rows),
        "value": [row.name for row in rows],
    }
    table = pa.table(
        {name: pa.array(values, pa.int64() if name == "_rba" else pa.string()) for name, values in columns.items()}
    )
    return table.append_column("_time", pa.array([row.time for row in rows], _TIME))


@pytest.mark.parametrize("case", range(examples(160, short=60)))
def test_each_message_is_committed_once_with_the_position_after_it(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the batches, and whatever of them comes again after a new beginning."""
    random = Random(case)
    is_idle = random.random() < 0.5
    rows, broker = _drawn(random), NotingBroker()
    bounds = sorted({0, len(rows), *(random.randrange(len(rows)) for _ in range(4))})
    # a tombstone is in the batch of its delete
    bounds = [at for at in bounds if at == len(rows) or not rows[at].is_tombstone]
    batches = [rows[begin:stop] for begin, stop in pairwise(bounds)]
    firsts = {
        table: FirstCsn(str(random.randint(98, 108)), is_after=random.random() < 0.5)
        for table in TABLES
        if random.random() < 0.5
    }
    monkeypatch.setattr(publishing, "IDLE", -1.0 if is_idle else 1e9)
    begins = {  # a table that has begun goes on, whatever the CSNs are then
        table: next((at for at, row in enumerate(rows) if row.csn >= int(first.csn) + first.is_after), len(rows))
        for table, first in firsts.items()
    }
    wanted = [row for at, row in enumerate(rows) if at >= begins.get(row.table, 0)]
    progress, at = ApplyProgress(), 0
    while at < len(batches):
        left = {name: first for name, first in firsts.items() if name not in broker.positions}
        publisher = Publisher(
            cast("Broker", broker),
            TableTopics.of(TABLES, "{table}"),
            Beginning(dict(broker.positions), left, {}),
            is_json=True,
            done=progress,
            witness_at=lambda _place: None,
        )
        before = set(broker.committed)
        counted, transactions = 0, set[tuple[int, str]]()
        for number in range(random.randint(0, at), random.randint(at + 1, len(batches))):
            batch = batches[number]
            end = f"0000000000.{batch[-1].number + 1:016d}."
            known = dict(broker.positions)
            is_committed = publisher.publish(lambda batch=batch: iter([_batch(batch)]), end)  # type: ignore[misc]
            new = [row for row in batch if row in wanted and Sent(row.table, row.name) not in before]
            before |= {Sent(row.table, row.name) for row in new}
            counted += sum(not row.is_tombstone for row in new)
            assert is_committed == (is_idle or any(not row.is_tombstone for row in new))
            assert broker.sent == []
            for table, position in broker.positions.items():
                if is_committed and known.get(table) != position:
                    last = new[-1] if new else None
                    former = known.get(table, AppliedPosition("", ""))
                    assert (position.place, position.start) == (end, end)
                    assert position.csn == (str(last.csn) if last is not None else former.csn)
                    assert position.time == (last.time if last is not None else former.time)
            at = max(at, number + 1)
            assert publisher.progress.rows == progress.rows + counted
            transactions |= {(row.csn, row.xid) for row in new}
            if not is_idle:
                assert publisher.progress.transactions == progress.transactions + len(transactions)
        progress = publisher.progress
    assert broker.committed == [Sent(row.table, row.name) for row in wanted]
    for table, position in broker.positions.items():
        assert position.changes == sum(row.table == table and not row.is_tombstone for row in wanted)
    assert all(begins.get(table, 0) < len(rows) for table in broker.positions)
    if wanted:
        assert (progress.csn, progress.time) == (str(wanted[-1].csn), wanted[-1].time)


@pytest.mark.parametrize("is_together", [True, False])
def test_a_first_csn_is_reached_by_a_change_that_is_not_sent_too(
    is_together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another table is published already as far as its change with that CSN; the next change has an earlier CSN."""
    monkeypatch.setattr(publishing, "IDLE", 1e9)
    known, first = (
        Row(at, table, csn, "x", is_tombstone=False) for at, table, csn in ((1, "S.B", 105), (2, "S.A", 99))
    )
    broker = NotingBroker()
    publisher = Publisher(
        cast("Broker", broker),
        TableTopics.of(TABLES, "{table}"),
        Beginning(
            {"S.B": AppliedPosition(first.sequence, first.sequence)}, {"S.A": FirstCsn("103", is_after=False)}, {}
        ),
        is_json=True,
        done=ApplyProgress(),
        witness_at=lambda _place: None,
    )
    for batch in [[known, first]] if is_together else [[known], [first]]:
        publisher.publish(lambda batch=batch: iter([_batch(batch)]), f"0000000000.{batch[-1].number + 1:016d}.")  # type: ignore[misc]
    assert broker.committed == [Sent("S.A", first.name)]


class _FailingBroker(NotingBroker):
    """A broker that fails once: at a message by its number, or at the commit after that many."""

    def __init__(self, fails_at: int) -> None:
        super().__init__()
        self.fails_at: int | None = fails_at

    def _fail(self) -> None:
        self.fails_at = None
        raise Refused("refused")

    def send(self, topic: str, key: str | None, value: str, place: SentPlace) -> None:
        """Note a message."""
        if self.fails_at == len(self.sent):
            self._fail()
        super().send(topic, key, value, place)

    def commit(self, topics: Mapping[str, str], positions: Mapping[str, AppliedPosition]) -> None:
        """Commit what was sent."""
        if self.fails_at is not None:
            self._fail()
        super().commit(topics, positions)


@pytest.mark.parametrize("case", range(examples(40, short=12)))
@pytest.mark.parametrize("what", ["a message", "the commit", "the trail"])
def test_of_a_batch_that_fails_nothing_is_committed_with_the_next_one(what: str, case: int) -> None:
    """At any message, at the commit, or at damage in the trail after some of the messages."""
    random = Random(f"{what} {case}")
    rows = _drawn(random)
    fails_at = random.randrange(1, len(rows)) if what != "the commit" else len(rows)
    broker = _FailingBroker(fails_at if what != "the trail" else -1)
    publisher = Publisher(
        cast("Broker", broker),
        TableTopics.of(TABLES, "{table}"),
        Beginning({}, {}, {}),
        is_json=True,
        done=ApplyProgress(),
        witness_at=lambda _place: None,
    )

    def damaged() -> Iterator[pa.Table]:
        yield _batch(rows[:fails_at])
        raise BadTrail("damage")

    end = f"0000000000.{rows[-1].number + 1:016d}."
    with pytest.raises(Refused if what != "the trail" else BadTrail):
        publisher.publish(damaged if what == "the trail" else lambda: iter([_batch(rows)]), end)
    assert (broker.sent, broker.committed, broker.positions, publisher.progress.rows) == ([], [], {}, 0)
    broker.fails_at = None
    assert publisher.publish(lambda: iter([_batch(rows)]), end)
    assert broker.committed == [Sent(row.table, row.name) for row in rows]
    assert publisher.progress.rows == sum(not row.is_tombstone for row in rows)
