"""``logdump.publish``: the changes of a trail as messages of topics, each at least once, in the order of the trail."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Unpack

from logdump.tables.options import Paths
from logdump.targets.applier import IDLE, FirstCsn, Transaction
from logdump.targets.beginning import Beginning, check_beginning, check_csns
from logdump.targets.in_process import InProcess
from logdump.targets.kafka.broker import Broker, SentPlace
from logdump.targets.kafka.request import PublishArguments, PublishRunOptions, TableTopics
from logdump.targets.kafka.servers import KafkaServers
from logdump.targets.parts import Rows
from logdump.targets.positions import witness_of
from logdump.targets.request import ApplyRequest, source_of
from logdump.targets.run import ApplyDriver, TrailRun
from logdump.targets.target import AppliedPosition, ApplyProgress, LastTransaction

_COLUMNS = ("_table", "_sequence", "_csn", "_xid", "_file", "_rba", "key", "value")


def publish_run_of(driver: ApplyDriver, path: Paths, servers: str, options: PublishRunOptions) -> PublishRun:
    """Return the run of a call of ``publish`` with these options. Nothing is opened yet.

    Raises:
        BadOption: an option of the data source is wrong, or leaves out changes; a table or a topic does not exist.
        BadTarget: the servers are none.
    """
    request = ApplyRequest(path, options.tables, {}, options.from_csn, "ignore", source_of(options), options.adopt)
    broker = Broker(KafkaServers.of(servers, options.config), options.positions, options.patience)
    chosen = request.chosen()
    topics = TableTopics.of(chosen.tables, options.topics)
    run = PublishRun(driver, broker, chosen, options.stop, topics, options.shape)
    run.creates, run.patience, run.report = options.create, options.patience, options.progress
    return run


def publish_run(
    path: Paths, servers: str, tables: str | Sequence[str] = "*", **given: Unpack[PublishArguments]
) -> PublishRun:
    """Return the run of a call of ``publish`` with these arguments, which reads the trail in this process."""
    options = PublishRunOptions.of(tables, given)
    return publish_run_of(InProcess(once=options.once, interval=options.interval), path, servers, options)


def publish(
    path: Paths, servers: str, tables: str | Sequence[str] = "*", **given: Unpack[PublishArguments]
) -> ApplyProgress:
    """Publish the changes of a trail to topics of Kafka, in the order of the trail, until ``stop`` is set.

    Messages and position are committed in one transaction of the producer: a consumer of what is committed gets each
    change once. A consumer of all messages, or of a broker without transactions, may get changes again after a failure.

    Args:
        path: file, directory or glob of one trail; or several.
        servers: ``kafka://user@host:9092,host2:9092?setting=value``, or hosts with ports.
        tables: names in the trail, or wildcards, which match no heartbeat tables.
        given: :class:`PublishArguments`, and options of the data source that leave out no change.

    Raises:
        SourceError: ``BadTarget``: a topic is missing, or the broker refuses the user or a setting; ``Refused``: it
            refuses a message; ``TargetLost``: no broker answers for longer than ``patience``.
    """
    return publish_run(path, servers, tables, **given).to_the_end()


class PublishRun(TrailRun[Broker]):
    """One call of ``publish``.

    Args:
        driver, target, request, stop: as of every run.
        topics: the topics of the tables.
        shape: the options of the read that give its rows the form of messages.

    Attributes:
        creates: whether missing topics are created.
    """

    def __init__(
        self,
        driver: ApplyDriver,
        target: Broker,
        request: ApplyRequest,
        stop: threading.Event,
        topics: TableTopics,
        shape: Mapping[str, str],
    ) -> None:
        super().__init__(driver, target, request, stop)
        self.creates = False
        self._topics, self._shape = topics, shape
        self._publisher: Publisher | None = None

    @property
    def has_transactions(self) -> bool:
        """True if messages and positions are committed together."""
        return self._target.has_transactions

    def _open(self) -> None:
        request, broker = self._asked, self._target
        broker.open(self._topics.names, create=self.creates)
        by_table = {table: topic.name for table, topic in self._topics.by_table.items()}
        begun = Beginning.of(request, broker.positions(by_table), request.files())
        check_csns(request.files(), begun.first_csns)
        if not begun.options and not begun.firsts:
            check_beginning(request)
        self._driver.begin(request, {**request.message_options, **begun.options, **self._shape})
        self._publisher = Publisher(
            broker,
            self._topics,
            begun,
            is_json=self._shape["messages"] == "debezium",
            done=self.progress,
            witness_at=lambda place: witness_of(request.files(), place),
        )
        self._is_open = True

    def _take(self, rows: Rows, end: str) -> bool:
        publisher = self._publisher
        if publisher is None or self._stop.is_set():
            return False
        if not publisher.publish(rows, end):
            return False
        self._commits += 1
        self.progress = publisher.progress
        if self.report is not None:
            self.report(self.progress)
        return True


class Publisher:
    """Publishes batches to an open broker: each is a transaction of its producer.

    Args:
        broker: the broker.
        topics: the topics of the tables.
        begun: the positions of the tables, and their first CSNs; changes before them are left out.
        is_json: whether keys are JSON objects.
        done: the progress so far.
        witness_at: returns the last transaction before a place of the trail.
    """

    def __init__(
        self,
        broker: Broker,
        topics: TableTopics,
        begun: Beginning,
        *,
        is_json: bool,
        done: ApplyProgress,
        witness_at: Callable[[str], LastTransaction | None],
    ) -> None:
        self._broker, self._topics, self._is_json, self._witness_at = broker, topics, is_json, witness_at
        self._positions = dict(begun.positions)
        self._waiting = {name: first for name, first in begun.firsts.items() if not self._place_of(name)}
        self._counted: set[Transaction] = set()
        self._committed_at = time.monotonic()
        self.progress = done

    def _place_of(self, table: str) -> str:
        position = self._positions.get(table)
        return position.place if position is not None else ""

    def publish(self, rows: Rows, end: str) -> bool:
        """Publish a batch, which ends at a place where no transaction is open; False if there was nothing to commit.

        Raises:
            Refused: the broker refuses a message; nothing of the batch is committed.
            BadTarget, TargetLost: as Broker.open.
            SourceError: damage in the trail; as of Refused.
        """
        sent = _Sent()
        try:
            self._send(rows, sent)
            if not sent.counts and time.monotonic() - self._committed_at <= IDLE:
                self._note_started(sent)
                return False
            positions = self._moved(sent, end)
            self._broker.commit({name: topic.name for name, topic in self._topics.by_table.items()}, positions)
        except BaseException:
            self._broker.abort()
            raise
        self._positions |= positions
        self._note_started(sent)
        now = time.monotonic()
        new = len(sent.transactions - self._counted)
        self.progress = self.progress.after(sent.counts.total(), new, sent.last, now - self._committed_at)
        self._counted, self._committed_at = sent.transactions or self._counted, now
        return True

    def _note_started(self, sent: _Sent) -> None:
        self._waiting = {name: first for name, first in self._waiting.items() if name not in sent.started}

    def _send(self, rows: Rows, sent: _Sent) -> None:
        """Send the messages of a batch, but none before the position of its table, or its first CSN."""
        places = {name: self._place_of(name) for name in self._topics.by_table}
        for part in rows():
            times = part["_time"]
            last = None
            columns = (part[name].to_pylist() for name in _COLUMNS)
            for number, row in enumerate(zip(*columns, strict=True)):
                table, sequence, row_csn, xid, file, rba, key, value = row
                if self._waiting:
                    sent.start_tables(row_csn, self._waiting)
                if sequence < places[table] or (table in self._waiting and table not in sent.started):
                    continue
                topic = self._topics.by_table[table]
                place = SentPlace(file, rba, row_csn, table)
                self._broker.send(topic.name, topic.key(table, key, is_json=self._is_json), value, place)
                sent.counts[table] += not sequence.endswith(".t")
                sent.transactions.add((row_csn, xid))
                last = number, row_csn
            if last is not None:
                sent.last = last[1], times[last[0]].as_py()

    def _moved(self, sent: _Sent, end: str) -> dict[str, AppliedPosition]:
        """Return the positions after a batch; a table that waits for its first CSN has none."""
        witness, positions = self._witness_at(end), {}
        for name in self._topics.by_table:
            before = self._positions.get(name) or AppliedPosition("", "")
            if before.place < end and (name not in self._waiting or name in sent.started):
                last_csn, moment = sent.last
                positions[name] = AppliedPosition(
                    end,
                    end,
                    last_csn or before.csn,
                    moment or before.time,
                    before.changes + sent.counts[name],
                    witness,
                    self._topics.by_table[name].name,
                )
        return positions


class _Sent:
    """The messages of a batch that were sent, as far as they count.

    Attributes:
        counts: numbers of changes by table.
        transactions: those of which there was a change.
        last: CSN and time of the last change.
        started: tables whose first CSN has come.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.transactions: set[Transaction] = set()
        self.last: tuple[str | None, datetime | None] = None, None
        self.started: set[str] = set()
        self._csn: str | None = None

    def start_tables(self, row_csn: str | None, waiting: Mapping[str, FirstCsn]) -> None:
        """Note the tables whose first CSN has come with a change, of whatever table."""
        if row_csn is None or row_csn == self._csn:
            return
        self._csn = row_csn
        self.started |= {name for name, first in waiting.items() if first.includes(row_csn)}
