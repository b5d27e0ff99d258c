"""Which calls of the client are made, in which order, and what its errors become: no broker is there.

No broker that heeds transactions can be had here, so that this is what holds them.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

import logdump
from logdump.tables.errors import BadOption, SourceError
from logdump.targets.kafka import broker as brokers
from logdump.targets.kafka.broker import Broker, SentPlace
from logdump.targets.kafka.servers import KafkaServers, settings_in
from logdump.targets.target import AppliedPosition, BadTarget, Refused, TargetLost
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

PLACE = SentPlace("lt000000000", 7, "41", "S.T")
POSITION = {"S.T": AppliedPosition("0000000000.0000000000000009.", "0000000000.0000000000000009.")}


class FakeError(Exception):
    """An error of the client, and the exception that carries it."""

    def __init__(self, name: str, *, retriable: bool = False, text: str = "") -> None:
        super().__init__(self)
        self._name, self._retriable, self._text = name, retriable, text or name.lower()

    def name(self) -> str:
        return self._name

    def str(self) -> str:
        return self._text

    def retriable(self) -> bool:
        return self._retriable

    def fatal(self) -> bool:
        return self._name in ("_FENCED", "PRODUCER_FENCED")


class Client:
    """The client: it notes what is called, and fails where it is told to."""

    KafkaException = FakeError

    @staticmethod
    def TopicPartition(*place: Any) -> Any:  # noqa: N802
        return place

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.fails: dict[str, list[FakeError]] = {}
        self.refuses: dict[str, FakeError] = {}
        self.settings: list[dict[str, Any]] = []
        self.waiting: list[Any] = []

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if self.fails.get(name):
            raise self.fails[name].pop(0)

    def Producer(self, settings: dict[str, Any], **_more: Any) -> Any:  # noqa: N802 - as the client calls it
        self.settings.append(settings)
        self._call("Producer")
        self.is_transactional = "transactional.id" in settings
        return self

    def Consumer(self, settings: dict[str, Any], **_more: Any) -> Any:  # noqa: N802
        self.settings.append(settings)
        end = SimpleNamespace(error=lambda: FakeError("_PARTITION_EOF"))
        return SimpleNamespace(
            get_watermark_offsets=lambda *_given, **_more: (0, 0),
            assign=lambda _places: self._call("read"),
            poll=lambda _seconds: end,
            close=lambda: None,
        )

    def list_topics(self, **_more: Any) -> Any:
        self._call("list_topics")
        topic = SimpleNamespace(error=None, partitions={0: None})
        return SimpleNamespace(topics={"S.T": topic, "positions": topic})

    def init_transactions(self, _seconds: float) -> None:
        self._call("init_transactions")

    def begin_transaction(self) -> None:
        self._call("begin_transaction")

    def produce(self, topic: str, value: bytes | None, key: bytes | None, **more: Any) -> None:
        self._call(f"produce {topic}")
        message = SimpleNamespace(topic=lambda: topic, value=lambda: value, key=lambda: key)
        self.waiting.append((more["on_delivery"], self.refuses.get(topic), message))

    def flush(self, _seconds: float) -> int:
        self._call("flush")
        for delivered, error, message in self.waiting:
            delivered(error, message)
        self.waiting = []
        return 0

    def poll(self, _seconds: float) -> int:
        return 0

    def purge(self, **_more: Any) -> None:
        self._call("purge")

    def commit_transaction(self, _seconds: float) -> None:
        self._call("commit_transaction")

    def abort_transaction(self, _seconds: float) -> None:
        self._call("abort_transaction")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    made = Client()
    monkeypatch.setattr(brokers, "_client", lambda: made)
    monkeypatch.setattr(Broker, "_take_positions_topic", lambda _broker: None)
    yield made  # noqa: PT022 - what was replaced is put back


def opened(**given: Any) -> Broker:
    broker = Broker(KafkaServers.of("h:9092", given), "positions", 0.0)
    broker.open(["S.T"], create=False)
    return broker


def test_messages_and_position_are_one_transaction(client: Client) -> None:
    broker = opened()
    broker.positions({"S.T": "S.T"})
    assert client.calls == ["Producer", "list_topics", "init_transactions", "read"]
    del client.calls[:]
    broker.send("S.T", "k", "v", PLACE)
    broker.send("S.T", "k", None, PLACE)
    broker.commit({"S.T": "S.T"}, POSITION)
    sent = ["begin_transaction", "produce S.T", "produce S.T", "flush"]
    assert client.calls == [*sent, "produce positions", "flush", "commit_transaction"]
    del client.calls[:]
    broker.send("S.T", "k", "v", PLACE)
    broker.abort()
    assert client.calls == ["begin_transaction", "produce S.T", "purge", "flush", "abort_transaction"]
    del client.calls[:]
    broker.close()
    assert client.calls == []


def test_the_producer_is_one_of_its_positions_and_readers_see_what_is_committed(client: Client) -> None:
    opened().positions({})
    producer, consumer = client.settings
    assert producer["transactional.id"] == "logdump.positions"
    assert producer["enable.idempotence"] is True
    assert consumer["isolation.level"] == "read_committed"
    assert "transactional.id" not in consumer


def test_a_commit_that_is_late_is_asked_for_again_and_one_that_fails_is_not(client: Client) -> None:
    broker = opened()
    client.fails["commit_transaction"] = [FakeError("_TIMED_OUT", retriable=True)] * 2
    broker.send("S.T", "k", "v", PLACE)
    broker.commit({"S.T": "S.T"}, POSITION)
    assert client.calls.count("commit_transaction") == 3
    client.fails["commit_transaction"] = [FakeError("_STATE")]
    broker.send("S.T", "k", "v", PLACE)
    with pytest.raises(TargetLost):
        broker.commit({"S.T": "S.T"}, POSITION)


@pytest.mark.parametrize("kind", ["_UNSUPPORTED_FEATURE", "UNSUPPORTED_VERSION"])
def test_without_transactions_the_position_is_sent_after_its_messages(kind: str, client: Client) -> None:
    client.fails["init_transactions"] = [FakeError(kind)]
    broker = opened()
    assert not broker.has_transactions
    assert "transactional.id" not in client.settings[-1]
    del client.calls[:]
    broker.send("S.T", "k", "v", PLACE)
    broker.commit({"S.T": "S.T"}, POSITION)
    assert client.calls == ["produce S.T", "flush", "produce positions", "flush"]


@pytest.mark.parametrize(
    ("kind", "expected", "text"),
    [
        ("MSG_SIZE_TOO_LARGE", Refused, "lt000000000, RBA 7, CSN 41: S.T: topic S.T, 1 byte"),
        ("POLICY_VIOLATION", Refused, "RBA 7"),
        ("TOPIC_AUTHORIZATION_FAILED", BadTarget, "RBA 7"),
        ("UNKNOWN_TOPIC_OR_PART", BadTarget, "RBA 7"),
        ("_MSG_TIMED_OUT", TargetLost, "RBA 7"),
        ("_FENCED", BadTarget, "another publisher"),
    ],
)
def test_a_message_that_fails_moves_no_position_and_none_overtakes_it(
    kind: str, expected: type[SourceError], text: str, client: Client
) -> None:
    broker = opened()
    client.refuses["S.T"] = FakeError(kind)
    broker.send("S.T", "k", "v", PLACE)
    with pytest.raises(expected, match=text.replace(".", r"\.")):
        broker.commit({"S.T": "S.T"}, POSITION)
    assert "purge" in client.calls
    assert "produce positions" not in client.calls
    with pytest.raises(expected):
        broker.send("S.T", "k", "v", PLACE)


@pytest.mark.parametrize(
    ("step", "kind", "expected", "text"),
    [
        ("init_transactions", "PRODUCER_FENCED", BadTarget, "another publisher with the positions in positions"),
        ("init_transactions", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", BadTarget, "kafka: transactional"),
        ("init_transactions", "_TIMED_OUT", TargetLost, "no broker answers"),
        ("begin_transaction", "_FENCED", BadTarget, "another publisher"),
        ("commit_transaction", "INVALID_PRODUCER_EPOCH", BadTarget, "another publisher"),
    ],
)
def test_errors_of_the_client_are_ours(
    step: str, kind: str, expected: type[SourceError], text: str, client: Client
) -> None:
    client.fails[step] = [FakeError(kind)]
    with pytest.raises(expected, match=text):
        _send_and_commit()


def _send_and_commit() -> None:
    broker = opened()
    broker.send("S.T", "k", "v", PLACE)
    broker.commit({"S.T": "S.T"}, POSITION)


def test_a_user_that_is_refused_is_no_outage(client: Client) -> None:
    broker = Broker(KafkaServers.of("kafka://joe:secret@h:9092"), "positions", 60.0)
    client.fails["list_topics"] = [FakeError("_TRANSPORT")]
    broker._last_error = None
    poll = lambda _seconds: setattr(broker, "_last_error", FakeError("_AUTHENTICATION", text="secret is wrong"))  # noqa: E731
    client.poll = poll  # type: ignore[method-assign,assignment]
    with pytest.raises(BadTarget, match="… is wrong"):
        broker.open(["S.T"], create=False)


def test_nothing_of_a_batch_is_committed_where_the_trail_is_damaged(client: Client, tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    for number in range(5):
        trail.insert("S.T", number)
    path = trail.write(tmp_path / "a", b"\0" * 300)
    with pytest.raises(SourceError):
        logdump.publish(path, "h:9092", positions="positions", once=True)
    assert "produce positions" not in client.calls
    assert "commit_transaction" not in client.calls


ODD = "/?#@%:&=+;,'\"<>{}[] |\\^`" + string.ascii_letters


@pytest.mark.parametrize("seed", range(4))
def test_no_password_is_shown(seed: int) -> None:
    """Of a URL that is right or not, in what it is called, and in what the client says of it."""
    random = Random(seed)
    for _ in range(200):
        password = "".join(random.choices(ODD, k=3)) + "MARK" + random.choice(ODD)
        written = random.choice((password, quote(password, safe="")))
        host = random.choice(("h:9092", "h:1,g:2", "h:x", "[::1", "h/x", "", "h:9?a=b@c"))
        url = random.choice((f"kafka://joe:{written}@{host}", f"kafka://{host}?sasl.password={quote(written)}"))
        servers = _servers_or_refusal(url)
        if isinstance(servers, str):
            assert "MARK" not in servers, url
            continue
        assert "MARK" not in servers.shown, url
        for value in servers.settings.values():
            assert "MARK" not in servers.harmless(f'invalid value "{value}"\nfor x'), url
        assert written == password or servers.settings["sasl.password"] in (password, written), url


def _servers_or_refusal(url: str) -> KafkaServers | str:
    try:
        return KafkaServers.of(url)
    except (BadTarget, BadOption) as error:
        return str(error)


def test_settings_are_free_as_far_as_no_promise_rests_on_them(tmp_path: Path) -> None:
    url = "kafka://joe@h:9092,g:9093?sasl.mechanisms=SCRAM-SHA-512&linger.ms=20"
    settings = KafkaServers.of(url, {"linger.ms": 30, "ssl.ca.location": "/ca"}).settings
    expected = {"bootstrap.servers": "h:9092,g:9093", "sasl.mechanisms": "SCRAM-SHA-512", "linger.ms": "30"}
    assert settings.items() >= {**expected, "security.protocol": "SASL_SSL", "sasl.username": "joe"}.items()
    for name in ("acks", "request.required.acks", "enable.idempotence", "max.in.flight", "retries", "error_cb"):
        with pytest.raises(BadOption, match=f"{name} is not free"):
            KafkaServers.of("h", {name: 1})
        with pytest.raises(BadOption, match=f"{name} is not free"):
            KafkaServers.of(f"kafka://h?{name}=1")
    for wrong in ("postgresql://h/x", "kafka://", "kafka://h/topic", "kafka://,h", "kafka://h h", "kafka://h:1:2"):
        with pytest.raises(BadTarget, match="kafka://"):
            KafkaServers.of(wrong)
    file = tmp_path / "client.properties"
    file.write_text("# mine\n\nssl.key.password = a=b \nlinger.ms=1\n")
    assert settings_in(str(file)) == {"ssl.key.password": "a=b", "linger.ms": "1"}
    for text in ("geheim\n", "=geheim\n", "\xff"):
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(BadOption) as raised:
            settings_in(str(file))
        assert "geheim" not in str(raised.value)
    with pytest.raises(BadOption, match="No such file"):
        settings_in(str(tmp_path / "none"))
