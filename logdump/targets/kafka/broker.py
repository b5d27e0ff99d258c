"""A cluster of Kafka as a target: its topics, the messages of one transaction, and the positions of tables in a topic.

Messages are sent first, and positions when all of them are there: where a broker has no transactions, or a reader does
not heed them, nothing is passed over either.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

from logdump.notation.text import amount
from logdump.targets.kafka.servers import KafkaServers
from logdump.targets.positions import position_of
from logdump.targets.target import AppliedPosition, BadTarget, Refused, TargetLost

_ASKING = 10.0
"""Seconds for an answer about topics."""
_LEAST = 1.0
"""Seconds for a first answer, however little patience there is."""
_FLUSH, _POLLED = 0.5, 1000
"""Seconds of a wait for messages that are under way; messages between looks at what was delivered."""
_ENDING = 5.0
"""Seconds to abort a transaction whose producer is closed."""
_LOG = logging.getLogger("logdump.kafka")
_LOG.setLevel(logging.CRITICAL + 1)
_SETTINGS: dict[str, Any] = {
    "client.id": "logdump",
    "allow.auto.create.topics": False,
    "partitioner": "murmur2_random",  # as clients in Java choose partitions
    "message.max.bytes": 1_000_000_000,  # the topic decides
    "message.timeout.ms": 60_000,
    "transaction.timeout.ms": 900_000,  # a large transaction of the source is one
    "linger.ms": 5,
    "reconnect.backoff.ms": 100,
}
_OF_PRODUCER = ("partitioner", "message.max.bytes", "message.timeout.ms", "transaction.timeout.ms", "linger.ms")
"""Settings of ours that are for a producer alone."""
_REFUSALS = (
    *("MSG_SIZE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD", "INVALID_MSG", "POLICY_VIOLATION"),
    *("INVALID_TIMESTAMP", "_BAD_MSG"),
)
_FENCED = ("_FENCED", "INVALID_PRODUCER_EPOCH", "PRODUCER_FENCED")
_WRONG = (
    *("TOPIC_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"),
    *("GROUP_AUTHORIZATION_FAILED", "SASL_AUTHENTICATION_FAILED", "_AUTHENTICATION", "_SSL", "UNKNOWN_TOPIC_OR_PART"),
    *(
        "_UNKNOWN_TOPIC",
        "_UNKNOWN_PARTITION",
        "INVALID_TRANSACTION_TIMEOUT",
        "_INVALID_ARG",
        "INVALID_REPLICATION_FACTOR",
    ),
    *(
        "UNSUPPORTED_SASL_MECHANISM",
        "ILLEGAL_SASL_STATE",
        "_UNSUPPORTED_FEATURE",
        "INVALID_CONFIG",
        "INVALID_PARTITIONS",
    ),
)
"""Names of errors that no further attempt mends."""
_STATE = re.compile(r" \(after \d+ms in state \w+\)")
_WITHOUT_TRANSACTIONS = ("_UNSUPPORTED_FEATURE", "UNSUPPORTED_VERSION", "_NOT_IMPLEMENTED")


class SentPlace(NamedTuple):
    """The place of the change of a message, for an error about it."""

    file: str
    rba: int
    csn: str | None
    table: str

    @property
    def shown(self) -> str:
        """The place in words."""
        return f"{self.file}, RBA {self.rba}, CSN {self.csn}: {self.table}"


class Broker:
    """A cluster to publish to, with one producer.

    Args:
        servers: how to reach it.
        positions: the topic with the positions.
        patience: seconds in which a step of a transaction may be repeated.

    Attributes:
        has_transactions: whether messages and positions are committed together.
    """

    def __init__(self, servers: KafkaServers, positions: str, patience: float) -> None:
        self._servers, self._positions, self._patience = servers, positions, patience
        self._client: Any = None
        self._producer: Any = None
        self._partitions: dict[str, int] = {}
        self._last_error: Any = None
        self._failed: Exception | None = None
        self._is_begun = False
        self._sent = 0
        self.has_transactions = True

    def open(self, topics: Collection[str], *, create: bool) -> None:
        """Connect, and look for the topics; with ``create`` those that are missing are created.

        That of the positions is created in any case. A publisher with the same one that still runs is ended.

        Raises:
            BadTarget: a topic is missing or cannot be created, or the broker refuses the user.
            TargetLost: no broker answers.
        """
        self._failed, self._is_begun, self._last_error = None, False, None
        self._client = _client()
        with self._errors():
            self._producer = self._made("Producer", {"transactional.id": f"logdump.{self._positions}"})
            self._partitions = self._topics()
            missing = sorted({*topics} - self._partitions.keys())
            if missing and not create:
                raise BadTarget(
                    f"nothing was written: there is no topic {', '.join(missing)[:200]}: create it, "
                    "or let create (--create) do it with the broker's defaults"
                )
            self._create(missing)
            self._take_positions_topic()
            self._begin()

    def _topics(self) -> dict[str, int]:
        """Return the numbers of partitions of the topics that there are."""
        until = time.monotonic() + min(max(self._patience, _LEAST), _ASKING)
        while True:
            try:
                listed = self._producer.list_topics(timeout=1.0).topics
            except self._client.KafkaException:
                self._producer.poll(0)  # for the reason, which comes by error_cb
                is_wrong = self._last_error is not None and self._last_error.name() in _WRONG
                if is_wrong or time.monotonic() > until:
                    raise
            else:
                return {name: len(topic.partitions) for name, topic in listed.items() if topic.error is None}

    def _create(self, missing: Collection[str], partitions: int = -1, config: Mapping[str, str] | None = None) -> None:
        if not missing:
            return
        admin = self._made("AdminClient", {})  # as long as an answer is awaited
        asked = [self._client.NewTopic(name, partitions, -1, config=dict(config or {})) for name in missing]
        for name, future in admin.create_topics(asked, request_timeout=_ASKING).items():
            try:
                future.result(2 * _ASKING)
            except (self._client.KafkaException, TimeoutError) as error:
                kind = _name_of(error)
                if kind != "TOPIC_ALREADY_EXISTS":
                    raise BadTarget(
                        f"nothing was written: the topic {name} cannot be created: {self._line(error)}"
                    ) from None
        self._partitions = self._topics()

    def _take_positions_topic(self) -> None:
        """Create the topic of the positions, or check that it keeps them."""
        name = self._positions
        if name not in self._partitions:
            self._create([name], 1, {"cleanup.policy": "compact"})
            return
        resource = self._client.ConfigResource(self._client.ConfigResource.Type.TOPIC, name)
        try:
            admin = self._made("AdminClient", {})
            [future] = admin.describe_configs([resource], request_timeout=_ASKING / 2).values()
            policy = future.result(_ASKING)["cleanup.policy"].value
        except (self._client.KafkaException, TimeoutError, KeyError):
            return  # not every user may read it, and not every broker has it
        if policy and "compact" not in policy:
            raise BadTarget(
                f"nothing was written: the topic {name} would lose positions by its age or size: set its "
                f"cleanup.policy to compact (it is {policy}), or name another topic for positions"
            )

    def _begin(self) -> None:
        try:
            self._producer.init_transactions(max(self._patience, _ASKING))
        except self._client.KafkaException as error:
            if _name_of(error) not in _WITHOUT_TRANSACTIONS:
                raise
            self.has_transactions = False
            self._producer = self._made("Producer", {})

    def _made(self, kind: str, more: Mapping[str, Any]) -> Any:
        """Return a client of a kind. Raises BadTarget for a setting that is wrong."""
        is_producer = kind == "Producer"
        ours = {name: value for name, value in _SETTINGS.items() if is_producer or name not in _OF_PRODUCER}
        settings = {**ours, **more, **self._servers.settings, "error_cb": self._note_error}
        if is_producer:
            settings["enable.idempotence"] = True
        if "transactional.id" not in more:
            settings.pop("transactional.id", None)
        try:
            return getattr(self._client, kind)(settings, logger=_LOG)
        except (self._client.KafkaException, ValueError, TypeError) as error:
            raise BadTarget(f"nothing was written: kafka: {self._line(error)}") from None

    def _note_error(self, error: Any) -> None:
        if error.name() != "_ALL_BROKERS_DOWN" or self._last_error is None:
            self._last_error = error

    def positions(self, topics: Mapping[str, str]) -> dict[str, AppliedPosition]:
        """Return the positions of tables, given the topic of each, by the table.

        Raises:
            BadTarget: a position does not read.
            TargetLost: no broker answers.
        """
        found: dict[str, AppliedPosition] = {}
        with self._errors():
            for key, value in self._read_positions():
                table, topic = _table_and_topic(key)
                if value is not None and topics.get(table) == topic:
                    found[table] = position_of(table, _row(value))
        return found

    def _read_positions(self) -> Iterator[tuple[bytes, bytes | None]]:
        more = {
            "group.id": f"logdump.{self._positions}",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "fetch.wait.max.ms": 50,
        }
        consumer = self._made("Consumer", more)
        last: dict[bytes, bytes | None] = {}
        try:
            place = self._client.TopicPartition(self._positions, 0)
            first, _ = consumer.get_watermark_offsets(place, timeout=_ASKING)
            consumer.assign([self._client.TopicPartition(self._positions, 0, first)])
            until = time.monotonic() + max(self._patience, _ASKING)
            while True:
                message = consumer.poll(1.0)
                if message is None:
                    if time.monotonic() > until:
                        raise TargetLost(
                            f"kafka: the positions in {self._positions} are not read: {self._about_loss()}"
                        )
                    continue
                until = time.monotonic() + max(self._patience, _ASKING)
                if message.error() is None:
                    if message.key() is not None:
                        last[message.key()] = message.value()
                elif message.error().name() == "_PARTITION_EOF":
                    break
                elif message.error().name() in _WRONG:
                    raise BadTarget(f"nothing was written: {self._line(message.error())}")
        finally:
            consumer.close()
        yield from last.items()

    def send(self, topic: str, key: str | None, value: str | None, place: SentPlace) -> None:
        """Send a message in the current transaction; one without a key goes to the first partition, in order.

        Raises:
            Refused: the broker refuses a message that was sent.
            BadTarget, TargetLost: as open.
        """
        try:
            self._send(topic, key, value, partial(self._delivered, place))
        except self._client.KafkaException as error:
            self._refuse(place, topic, value, error.args[0])
            self._check()

    def _send(self, topic: str, key: str | None, value: str | None, delivered: Callable[[Any, Any], None]) -> None:
        if not self._is_begun and self.has_transactions:
            with self._errors():
                self._producer.begin_transaction()
        self._is_begun = True
        data = None if value is None else value.encode()
        where = {} if key is not None and topic != self._positions else {"partition": 0}
        while True:
            self._check()
            try:
                self._producer.produce(topic, data, key and key.encode(), on_delivery=delivered, **where)
            except BufferError:  # as many are under way as there may be
                self._producer.poll(_FLUSH)
            else:
                break
        self._sent += 1
        if self._sent % _POLLED == 0:
            self._producer.poll(0)

    def _delivered(self, place: SentPlace, error: Any, message: Any) -> None:
        if error is not None:
            self._refuse(place, message.topic(), message.value(), error)

    def _refuse(self, place: SentPlace, topic: str, value: str | bytes | None, error: Any) -> None:
        """Note the first message that is not delivered, and send none that comes later: it would overtake it."""
        if self._failed is not None:
            return
        size = len(value.encode() if isinstance(value, str) else value or b"")
        text = f"{place.shown}: topic {topic}, {amount(size, 'byte')}: {self._line(error)}"
        if error.name() in _REFUSALS:
            size_is_limited = "SIZE" in error.name() or "LIST" in error.name()
            more = "; max.message.bytes of the topic is the limit" if size_is_limited else ""
            self._failed = Refused(f"{text}{more}")
        elif error.name() not in ("_PURGE_QUEUE", "_PURGE_INFLIGHT"):
            self._failed = self._error(error, text)
        with suppress(Exception):
            self._producer.purge(in_queue=True, in_flight=False, blocking=False)

    def _delivered_position(self, error: Any, _message: Any) -> None:
        if error is not None and self._failed is None:
            self._failed = self._error(error, f"{self._positions}: {self._line(error)}")

    def flush(self) -> None:
        """Wait until all messages are delivered. Raises as send."""
        with self._errors():
            while self._producer.flush(_FLUSH):
                self._check()
            self._check()

    def _check(self) -> None:
        if self._failed is not None:
            raise self._failed

    def commit(self, topics: Mapping[str, str], positions: Mapping[str, AppliedPosition]) -> None:
        """Commit the messages that were sent, and then the positions of tables, given the topic of each table.

        Raises:
            Refused, BadTarget, TargetLost: as send; the positions are not moved, or it is not known.
        """
        self.flush()
        for table, position in positions.items():
            key = json.dumps([table, topics[table]], ensure_ascii=False)
            with self._errors():
                self._send(self._positions, key, _value(topics[table], position), self._delivered_position)
        self.flush()
        if self.has_transactions and self._is_begun:
            with self._errors():
                self._commit()
        self._is_begun = False

    def _commit(self) -> None:
        until = time.monotonic() + max(self._patience, _ASKING)
        while True:
            try:
                self._producer.commit_transaction(_ASKING)
            except self._client.KafkaException as error:
                if not error.args[0].retriable() or time.monotonic() > until:
                    raise
            else:
                return

    def abort(self) -> None:
        """Give up the messages since the last commit: a reader of what is committed does not see them."""
        if not self._is_begun:
            return
        self._is_begun = False
        with suppress(Exception):
            self._producer.purge(blocking=False)
            self._producer.flush(_ENDING)
            if self.has_transactions:
                self._producer.abort_transaction(_ENDING)
        self._failed = None

    def close(self) -> None:
        """Abort what is not committed, and let the producer go."""
        if self._producer is not None:
            self.abort()
        self._producer = None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Context in which errors of the client become ours."""
        try:
            yield
        except self._client.KafkaException as error:
            raise self._error(error.args[0] if error.args else error, self._line(error)) from None

    def _error(self, error: Any, text: str) -> BadTarget | TargetLost:
        kind = _name_of(error)
        if kind in _FENCED or (getattr(error, "fatal", bool)() and "fenced" in text.lower()):
            return BadTarget(f"another publisher with the positions in {self._positions} has taken over")
        last = self._last_error
        if kind in ("_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN") and last is not None and last.name() in _WRONG:
            return BadTarget(f"kafka: {self._servers.shown}: {self._line(last)}")
        if kind in _WRONG:
            return BadTarget(f"kafka: {text}")
        is_plain = kind in ("_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN")
        return TargetLost(f"kafka: {self._servers.shown}: {self._about_loss() if is_plain else text}")

    def _about_loss(self) -> str:
        """Return why no broker answers, as far as it is known."""
        about = self._line(self._last_error) if self._last_error is not None else "no broker answers"
        return _STATE.sub("", about)

    def _line(self, error: Any) -> str:
        """Return an error of the client in one line, without secrets."""
        cause = error.args[0] if isinstance(error, Exception) and error.args else error
        text = cause.str() if hasattr(cause, "str") else str(cause)
        return self._servers.harmless(text or type(error).__name__)


def _name_of(error: Any) -> str:
    """Return the name of an error of the client, as ``_TRANSPORT``; empty if it has none."""
    cause = error.args[0] if isinstance(error, Exception) and error.args else error
    return str(cause.name()) if hasattr(cause, "name") else ""


def _table_and_topic(key: bytes) -> tuple[str, str]:
    """Return what the key of a position names; empty texts if it is none of ours."""
    try:
        table, topic = json.loads(key)
    except (ValueError, TypeError):
        return "", ""
    return str(table), str(topic)


def _row(value: bytes) -> dict[str, Any]:
    """Return the columns of a position, empty if it does not read."""
    try:
        row = json.loads(value)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _value(topic: str, position: AppliedPosition) -> str:
    witness, moment = position.witness, position.time
    return json.dumps(
        {
            "place": position.place,
            "start_at": position.start,
            "csn": position.csn,
            "source_time": moment.isoformat() if moment is not None else None,
            "changes": position.changes,
            "trail": witness.trail if witness is not None else None,
            "last_at": witness.at if witness is not None else None,
            "last_csn": witness.csn if witness is not None else None,
            "last_xid": witness.xid if witness is not None else None,
            "target_table": topic,
        },
        ensure_ascii=False,
    )


class _Client(NamedTuple):
    """The parts of ``confluent_kafka`` that are used."""

    Producer: Any
    Consumer: Any
    KafkaException: Any
    TopicPartition: Any
    AdminClient: Any
    NewTopic: Any
    ConfigResource: Any


def _client() -> _Client:
    try:
        module: Any = importlib.import_module("confluent_kafka")
        admin: Any = importlib.import_module("confluent_kafka.admin")
    except ModuleNotFoundError as error:
        raise BadTarget(f"kafka: {error}; pip install 'logdump[kafka]' has the client") from None
    of_module = (module.Producer, module.Consumer, module.KafkaException, module.TopicPartition)
    return _Client(*of_module, admin.AdminClient, admin.NewTopic, admin.ConfigResource)
