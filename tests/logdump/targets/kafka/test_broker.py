"""What a broker sends where, which positions it reads, and how it goes on after a failure: no cluster is there."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from logdump.targets.kafka import broker as brokers
from logdump.targets.kafka.broker import Broker, SentPlace
from logdump.targets.kafka.servers import KafkaServers
from logdump.targets.target import AppliedPosition, BadTarget, Refused
from tests.logdump.targets.kafka.test_transactions import PLACE, POSITION, Client, FakeError
from tests.searching import Random, examples


class Resource:
    """A topic whose settings are asked for."""

    Type = SimpleNamespace(TOPIC=2)

    def __init__(self, *_given: Any) -> None:
        pass


class Topics(Client):
    """A client with topics: what is in that of the positions, its policy, and where messages went."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: list[tuple[bytes | None, bytes | None]] = []
        self.policy: str | None = None
        self.sent: list[tuple[str, bytes | None, Any]] = []
        self.there = {"S.T": None, "positions": None}
        self.on_creating: FakeError | None = None

    def list_topics(self, **_more: Any) -> Any:
        topic = SimpleNamespace(error=None, partitions={0: None})
        return SimpleNamespace(topics=dict.fromkeys(self.there, topic))

    def produce(self, topic: str, value: bytes | None, key: bytes | None, **more: Any) -> None:
        self.sent.append((topic, key, more.get("partition")))
        super().produce(topic, value, key, **more)

    def Consumer(self, settings: dict[str, Any], **_more: Any) -> Any:  # noqa: ARG002, N802 - as the client calls it
        stored = [
            SimpleNamespace(error=lambda: None, key=lambda key=key: key, value=lambda value=value: value)
            for key, value in self.stored
        ]
        left = [*stored, SimpleNamespace(error=lambda: FakeError("_PARTITION_EOF"))]
        return SimpleNamespace(
            get_watermark_offsets=lambda *_given, **_more: (0, len(stored)),
            assign=lambda _places: None,
            poll=lambda _seconds: left.pop(0),
            close=lambda: None,
        )

    ConfigResource = Resource
    NewTopic = staticmethod(lambda name, *_given, **_more: name)

    def AdminClient(self, _settings: dict[str, Any], **_more: Any) -> Any:  # noqa: N802 - as the client calls it
        policy = SimpleNamespace(value=self.policy)
        config = SimpleNamespace(result=lambda _seconds: {"cleanup.policy": policy} if self.policy is not None else {})

        def result(_seconds: float) -> None:
            if self.on_creating is not None:
                raise self.on_creating

        return SimpleNamespace(
            describe_configs=lambda *_given, **_more: {None: config},
            create_topics=lambda asked, **_more: {name: SimpleNamespace(result=result) for name in asked},
        )


@pytest.fixture
def topics(monkeypatch: pytest.MonkeyPatch) -> Topics:
    """A client that is used."""
    made = Topics()
    monkeypatch.setattr(brokers, "_client", lambda: made)
    return made


def opened(*names: str, create: bool = False) -> Broker:
    """A broker for some topics."""
    broker = Broker(KafkaServers.of("h:9092", {}), "positions", 0.0)
    broker.open(names or ["S.T"], create=create)
    return broker


def stored(number: int) -> bytes:
    """A position as it is written."""
    place = f"0000000000.{number:016d}."
    none = dict.fromkeys(("source_time", "trail", "last_at", "last_csn", "last_xid", "target_table"))
    own = {"place": place, "start_at": place, "csn": str(number), "changes": number}
    return json.dumps({**own, **none}).encode()


@pytest.mark.parametrize("case", range(examples(80, short=20)))
def test_the_position_of_a_table_is_the_last_one_of_its_topic(case: int, topics: Topics) -> None:
    """Others are those of another topic, of another table, of none; one that was removed is none."""
    random = Random(case)
    last: dict[tuple[str, str], int | None] = {}
    for number in range(random.randint(0, 12)):
        key = random.choice(("A", "B", "C")), random.choice(("a", "b"))
        value = None if random.random() < 0.2 else number
        last[key] = value
        topics.stored.append((json.dumps(key).encode(), None if value is None else stored(value)))
        if random.random() < 0.1:
            topics.stored.append((random.choice((None, b"x", b"[1]")), stored(99)))
    found = opened().positions({"A": "a", "B": "b"})
    wanted = {"A": last.get(("A", "a")), "B": last.get(("B", "b"))}
    assert {name: position.changes for name, position in found.items()} == {
        name: number for name, number in wanted.items() if number is not None
    }


def test_messages_without_a_key_and_positions_are_in_the_order_of_the_first_partition(topics: Topics) -> None:
    broker = opened()
    broker.send("S.T", "k", "v", PLACE)
    broker.send("S.T", None, "v", PLACE)
    broker.commit({"S.T": "S.T"}, POSITION)
    assert [(topic, partition) for topic, _, partition in topics.sent] == [("S.T", None), ("S.T", 0), ("positions", 0)]


def test_of_messages_that_are_not_delivered_the_first_is_told(topics: Topics) -> None:
    """The others are purged then, or fail for reasons of their own."""
    broker = opened()
    for topic, name in (("S.T", "MSG_SIZE_TOO_LARGE"), ("U", "TOPIC_AUTHORIZATION_FAILED"), ("V", "_PURGE_QUEUE")):
        topics.refuses[topic] = FakeError(name)
        broker.send(topic, "k", "v", PLACE._replace(table=topic))
    with pytest.raises(Refused, match=r"CSN 41: S\.T: topic S\.T, 1 byte: .*max\.message\.bytes"):
        broker.commit({"S.T": "S.T"}, POSITION)


@pytest.mark.parametrize("name", ["_PURGE_QUEUE", "_PURGE_INFLIGHT"])
def test_what_is_purged_is_no_failure(name: str, topics: Topics) -> None:
    broker = opened()
    topics.refuses["S.T"] = FakeError(name)
    broker.send("S.T", "k", "v", PLACE)
    broker.flush()


def test_after_an_abort_the_next_transaction_is_as_the_first(topics: Topics) -> None:
    broker = opened()
    topics.refuses["S.T"] = FakeError("MSG_SIZE_TOO_LARGE")
    broker.send("S.T", "k", "v", PLACE)
    with pytest.raises(Refused):
        broker.commit({"S.T": "S.T"}, POSITION)
    broker.abort()
    topics.refuses.clear()
    del topics.calls[:]
    broker.send("S.T", "k", "v", PLACE)
    broker.commit({"S.T": "S.T"}, {"S.T": AppliedPosition("0000000000.0000000000000019.", "")})
    assert topics.calls[0] == "begin_transaction"
    assert topics.calls[-1] == "commit_transaction"


@pytest.mark.parametrize(
    ("policy", "is_taken"), [(None, True), ("", True), ("compact", True), ("compact,delete", True), ("delete", False)]
)
def test_a_topic_that_forgets_positions_is_refused(policy: str | None, topics: Topics, *, is_taken: bool) -> None:
    topics.policy = policy
    if is_taken:
        opened()
    else:
        with pytest.raises(BadTarget, match=r"would lose positions .* \(it is delete\)"):
            opened()


@pytest.mark.parametrize("name", [None, "TOPIC_ALREADY_EXISTS", "POLICY_VIOLATION"])
def test_a_topic_that_another_one_creates_meanwhile_is_taken(name: str | None, topics: Topics) -> None:
    topics.on_creating = FakeError(name) if name is not None else None
    if name == "POLICY_VIOLATION":
        with pytest.raises(BadTarget, match="the topic NEW cannot be created"):
            opened("NEW", create=True)
    else:
        opened("NEW", create=True)
    with pytest.raises(BadTarget, match="there is no topic NEW"):
        opened("NEW")


def test_a_place_is_told_in_words() -> None:
    assert SentPlace("lt000000000", 7, None, "S.T").shown == "lt000000000, RBA 7, CSN None: S.T"
