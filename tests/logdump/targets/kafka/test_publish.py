"""``publish`` against a broker: which messages, with which keys, in which order, from which position."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import logdump
from logdump.tables.errors import BadOption, BadTrail
from logdump.targets.kafka.publisher import publish_run_of
from logdump.targets.kafka.request import PublishRunOptions
from logdump.targets.positions import OtherTrail
from logdump.targets.target import BadTarget, Refused, TargetLost
from tests.logdump.program import logdump as program
from tests.logdump.spark.targets.bank import NAMES, batch_size
from tests.logdump.spark.targets.direct import DRIVERS
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.targets.kafka.brokers import Cluster, Sent, mock_cluster, tansu, tansu_cluster
from tests.searching import Random
from tests.simulated.five_tables import bank_trail

__all__ = ["tansu"]
FORMATS = ("debezium", "ogg")
_numbers = itertools.count()


@pytest.fixture
def own() -> dict[str, Any]:
    """Topics that no other test has."""
    number = next(_numbers)
    return {"topics": f"t{number}.{{table}}", "positions": f"p{number}", "once": True, "create": True}


def topic_of(own: dict[str, Any], table: str) -> str:
    return str(own["topics"]).replace("{table}", table)


def exported(trail: Path, form: str) -> dict[str, list[dict[str, Any]]]:
    """The messages that EXPORT writes of what a Replicat applies, by table."""
    words = ["--truncates"] if form == "debezium" else []
    answer = program("export", f"{trail}/sm*", "--format", form, "--effective", *words)
    by_table: dict[str, list[dict[str, Any]]] = {}
    for line in answer.out.splitlines():
        by_table.setdefault(table_of(json.loads(line)), []).append(timeless(line))
    return by_table


def table_of(message: dict[str, Any]) -> str:
    source = message.get("source")
    return f"{source['schema']}.{source['table']}" if source is not None else str(message["table"])


def timeless(line: str) -> dict[str, Any]:
    """A message without the time at which it was made, and without the path of the file."""
    message: dict[str, Any] = json.loads(line)
    message.pop("current_ts", None)
    message.get("source", {}).pop("file", None)
    return message


def in_partitions(sent: list[Sent]) -> dict[int, list[Sent]]:
    parts: dict[int, list[Sent]] = {}
    for message in sent:
        parts.setdefault(message.partition, []).append(message)
    return parts


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("driver", DRIVERS)
def test_the_messages_are_those_of_export_in_their_order(
    driver: str, form: str, tansu: Cluster, own: dict[str, Any], tmp_path: Path
) -> None:
    """Each once, those of a partition in the order of the trail, those of a key in one partition."""
    bank_trail(tmp_path, 40, seed=3, roll_chance=0.05)
    given = {**own, "format": form, "batch": batch_size(tmp_path, 4)}
    more = {"truncates": "write"} if form == "debezium" else {}
    run = publish_run_of(
        DRIVERS[driver](Random(driver)), f"{tmp_path}/sm*", tansu.url, PublishRunOptions.of("*", {**given, **more})
    )
    done = run.to_the_end()
    expected = exported(tmp_path, form)
    assert done.rows == sum(map(len, expected.values()))
    for table in NAMES:
        sent = tansu.sent(topic_of(own, table))
        messages = [(message.partition, timeless(message.value)) for message in sent if message.value is not None]
        wanted = expected.get(table, [])
        numbers = [(partition, wanted.index(message)) for partition, message in messages]
        assert sorted(number for _, number in numbers) == [*range(len(wanted))], table
        assert all(numbers.index(earlier) < numbers.index(later) for earlier, later in _neighbours(numbers)), table
        assert len({(message.partition, message.key) for message in sent if message.key}) == len(
            {message.key for message in sent if message.key}
        )
        assert all(message.key is not None or message.partition == 0 for message in sent)


def _neighbours(numbers: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for partition in {partition for partition, _ in numbers}:
        yield from itertools.pairwise(sorted(number for number in numbers if number[0] == partition))


def test_what_is_left_of_each_row_is_the_source(tansu: Cluster, own: dict[str, Any], tmp_path: Path) -> None:
    """The last message of each key is the row, or a tombstone: as a compacted topic has it.

    Not where rows change places at once: the second one's message deletes the first one under its new key.
    """
    bank, _ = bank_trail(tmp_path, 60, seed=8, roll_chance=0.05, swaps_at_once=False)
    logdump.publish(f"{tmp_path}/sm*", tansu.url, truncates="write", **own)
    for table, rows in bank.rows.items():
        left: dict[str, Any] = {}
        sent = tansu.sent(topic_of(own, table))
        if any(produced.key is None for produced in sent):
            continue  # a truncate: test_a_truncate_stops_unless_it_is_wanted
        for message in sent:
            left[str(message.key)] = message.value
        alive = {key for key, value in left.items() if value is not None}
        assert alive == {_key(table, key) for key in rows}


def _key(table: str, key: tuple[Any, ...]) -> str:
    names = {"BANK.PLACES": ("CODE", "SHELF")}.get(table)
    return json.dumps(dict(zip(names or ("ID",), key, strict=False)), separators=(",", ":"))


def test_it_goes_on_at_the_position_and_a_second_call_has_nothing(
    tansu: Cluster, own: dict[str, Any], tmp_path: Path
) -> None:
    trail = Trail({"S.T": {"ID": "INT64", "NAME": "VARCHAR"}})
    for number in range(5):
        trail.insert("S.T", number, "a")
    path = trail.write(tmp_path / "a")
    assert logdump.publish(path, tansu.url, **own).rows == 5
    assert logdump.publish(path, tansu.url, **own).rows == 0
    for number in range(5, 8):
        trail.insert("S.T", number, "b")
    trail.write(tmp_path / "a")
    assert logdump.publish(path, tansu.url, **own).rows == 3
    sent = tansu.sent(topic_of(own, "S.T"))
    assert sorted(json.loads(message.key or "")["ID"] for message in sent) == [*range(8)]
    other = {**own, "topics": f"{own['topics']}.more"}
    assert logdump.publish(path, tansu.url, **other).rows == 8


def test_the_position_proves_itself(tansu: Cluster, own: dict[str, Any], tmp_path: Path) -> None:
    """Another trail, one written anew, a position that somebody has edited, and one that was taken away."""
    trail, other = (Trail({"S.T": {"ID": "INT64"}}) for _ in range(2))
    for number in range(4):
        trail.insert("S.T", number)
    for number in range(9):
        other.insert("S.T", number + 20)
    path = trail.write(tmp_path / "a")
    logdump.publish(path, tansu.url, **own)
    other._records = [*other._records[:1], *other._records[6:]]
    anew = other.write(tmp_path / "b")
    with pytest.raises(OtherTrail, match="another trail, or it was written anew"):
        logdump.publish(anew, tansu.url, **own)
    assert logdump.publish(anew, tansu.url, adopt=108, **own).rows == 2
    positions, key = own["positions"], json.dumps(["S.T", topic_of(own, "S.T")])
    for edited in ("{}", "[1]", "nothing", '{"place": "x"}'):
        tansu.put(positions, key, edited)
        with pytest.raises(BadTarget, match="not as it was written"):
            logdump.publish(anew, tansu.url, **own)
    tansu.put(positions, key, None)
    tansu.put(positions, "of another program", "x")
    tansu.put(positions, None, "x")
    assert logdump.publish(path, tansu.url, **own).rows == 4


def test_a_table_begins_at_its_first_csn(tansu: Cluster, own: dict[str, Any], tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}, "S.U": {"ID": "INT64"}})
    for number in range(6):
        trail.insert("S.T" if number % 2 else "S.U", number)
    path = trail.write(tmp_path / "a")
    assert logdump.publish(path, tansu.url, "S.T", from_csn=103, **own).rows == 2
    assert logdump.publish(path, tansu.url, from_csn=105, **own).rows == 1
    assert logdump.publish(path, tansu.url, from_csn=1, **own).rows == 0
    assert [message.key for message in tansu.sent(topic_of(own, "S.U"))] == ['{"ID":4}']


def test_topics_are_named_by_tables_and_their_keys_name_them_where_they_share_one(
    tansu: Cluster, own: dict[str, Any], tmp_path: Path
) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}, 'S."a B$"': {"ID": "INT64"}, "X.T": {"ID": "INT64"}})
    for table in ("S.T", 'S."a B$"', "X.T"):
        trail.insert(table, 1)
    path, base = trail.write(tmp_path / "a"), own.pop("positions")
    for number, (topics, keys) in enumerate(
        [
            ("{table}", {"S.T": ['{"ID":1}'], "S.a_B_": ['{"ID":1}'], "X.T": ['{"ID":1}']}),
            ("all", {"all": [_shared(table) for table in ("S.T", 'S."a B$"', "X.T")]}),
            ("of.{schema}", {"of.S": [_shared("S.T"), _shared('S."a B$"')], "of.X": ['{"ID":1}']}),
        ]
    ):
        own["topics"] = f"{base}.{topics}"
        logdump.publish(path, tansu.url, positions=f"{base}.{number}", **own)
        for topic, wanted in keys.items():
            assert sorted(str(message.key) for message in tansu.sent(f"{base}.{topic}")) == sorted(wanted), topics
    own["topics"] = f"{base}.ogg"
    logdump.publish(path, tansu.url, positions=f"{base}.9", format="ogg", **own)
    assert {message.key for message in tansu.sent(f"{base}.ogg")} == {"S.T_1", 'S."a B$"_1', "X.T_1"}
    named = {"S.T": f"{base}.one", "x.t": f"{base}.two"}
    logdump.publish(path, tansu.url, ["S.T", "X.T"], positions=f"{base}.8", **{**own, "topics": named})
    assert {name for name in tansu.topics() if name.startswith(f"{base}.")} >= {*named.values()}


def _shared(table: str) -> str:
    return f'{{"ID":1,"__dbz__physicalTableIdentifier":{json.dumps(table)}}}'


def test_topics_that_cannot_be_are_refused_before_anything_is_sent(tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}, "X.T": {"ID": "INT64"}, "S.A$": {"ID": "INT64"}, "S.A#": {"ID": "INT64"}})
    path = trail.write(tmp_path / "a")
    cases: list[tuple[Any, type[Exception], str]] = [
        ("{name}", BadTarget, "share the topic [TA]"),
        ("{table}", BadTarget, "share the topic S.A_"),
        ("{column}", BadOption, "none of {table}, {schema}, {name}"),
        ("a b", BadTarget, "no topic is called 'a b'"),
        ("", BadTarget, "no topic is called"),
        (".", BadTarget, "no topic is called"),
        ("x" * 250, BadTarget, "no topic is called"),
        ({"S.NONE": "x"}, BadOption, "no table s.none"),
    ]
    for topics, error, text in cases:
        with pytest.raises(error, match=text):
            logdump.publish(path, "127.0.0.1:1", topics=topics, once=True)
    with pytest.raises(BadOption, match="takes no option"):
        logdump.publish(path, "127.0.0.1:1", topics="x", where="FILTER RBA > 1")  # type: ignore[call-arg]


def test_a_topic_that_is_missing_is_created_on_demand_alone(
    tansu: Cluster, own: dict[str, Any], tmp_path: Path
) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    trail.insert("S.T", 1)
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTarget, match=f"there is no topic {topic_of(own, 'S.T')}"):
        logdump.publish(path, tansu.url, **{**own, "create": False})
    assert own["positions"] not in tansu.topics()
    tansu.create(topic_of(own, "S.T"), 5)
    assert logdump.publish(path, tansu.url, **{**own, "create": False}).rows == 1
    assert tansu.topics()[own["positions"]] == 1


def test_positions_that_a_topic_would_forget_are_refused(tansu: Cluster, own: dict[str, Any], tmp_path: Path) -> None:
    admin = pytest.importorskip("confluent_kafka.admin")
    trail = Trail({"S.T": {"ID": "INT64"}})
    path = trail.write(tmp_path / "a")
    client = admin.AdminClient({"bootstrap.servers": tansu.servers, "log_level": 0})
    topic = admin.NewTopic(own["positions"], 1, 1, config={"cleanup.policy": "delete"})
    client.create_topics([topic])[own["positions"]].result(10)
    with pytest.raises(BadTarget, match=r"cleanup\.policy to compact"):
        logdump.publish(path, tansu.url, **own)


def test_a_truncate_stops_unless_it_is_wanted(tansu: Cluster, own: dict[str, Any], tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    trail.insert("S.T", 1)
    trail.truncate("S.T")
    trail.insert("S.T", 2)
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTrail, match="a truncate"):
        logdump.publish(path, tansu.url, **own)
    for number, (more, wanted) in enumerate([({"truncates": "skip"}, "cc"), ({"truncates": "write"}, "cct")]):
        given = {**own, "topics": f"{own['topics']}.{number}", **more}
        logdump.publish(path, tansu.url, **given)
        sent = tansu.sent(f"{topic_of(own, 'S.T')}.{number}")
        assert sorted(json.loads(message.value or "")["op"] for message in sent) == [*wanted]


def test_a_value_that_does_not_decode_stops_or_is_named(tansu: Cluster, own: dict[str, Any], tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64", "WHEN": "DATETIME"}})
    trail.insert("S.T", 1, "2024-03-14 09:30:00")
    trail.insert("S.T", 2, b"nonsense")
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTrail, match="WHEN"):
        logdump.publish(path, tansu.url, **own)
    own["topics"] = f"{own['topics']}.null"
    logdump.publish(path, tansu.url, undecodable="null", **own)
    bad = [message.value or "" for message in tansu.sent(topic_of(own, "S.T")) if message.key == '{"ID":2}']
    assert [message["source"]["problems"] is not None for message in map(json.loads, bad)] == [True]


def test_a_message_that_is_too_large_is_named_and_the_position_stays(
    tansu: Cluster, own: dict[str, Any], tmp_path: Path
) -> None:
    trail = Trail({"S.T": {"ID": "INT64", "NAME": "VARCHAR"}})
    trail.insert("S.T", 1, "a")
    trail.insert("S.T", 2, "b" * 3000)
    trail.insert("S.T", 3, "c")
    path = trail.write(tmp_path / "a")
    limit = {"message.max.bytes": 2000, "batch.size": 1000}
    with pytest.raises(Refused, match=r"tt000000000, RBA \d+, CSN 102: S\.T: topic .*max\.message\.bytes"):
        logdump.publish(path, tansu.url, **own, config=limit)
    assert tansu.sent(own["positions"]) == []
    assert logdump.publish(path, tansu.url, **own).rows == 3


def test_brokers_that_go_away_are_waited_for(tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    for number in range(3):
        trail.insert("S.T", number)
    path = trail.write(tmp_path / "a")
    with tansu_cluster(tmp_path) as cluster:
        given: dict[str, Any] = {"create": True, "patience": 0.5, "interval": 0.05}
        stop = threading.Event()
        timer = threading.Timer(60, stop.set)
        timer.start()

        def kill(_progress: logdump.ApplyProgress) -> None:
            cluster.process.kill()
            trail.insert("S.T", 9)
            trail.write(tmp_path / "a")

        config = {"message.timeout.ms": 1000, "transaction.timeout.ms": 2000}
        with pytest.raises(TargetLost, match="kafka: 127"):
            logdump.publish(path, cluster.url, progress=kill, stop=stop, config=config, **given)
        timer.cancel()


@pytest.mark.slow
def test_brokers_that_are_slow_get_all(tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    for number in range(30):
        trail.insert("S.T", number % 7)
    path = trail.write(tmp_path / "a")
    with mock_cluster("S.T", "logdump_position", rtt=150) as cluster:
        assert logdump.publish(path, cluster.url, once=True).rows == 30
        parts = in_partitions(cluster.sent("S.T"))
        for key in {message.key for part in parts.values() for message in part}:
            places = [
                json.loads(message.value or "")["source"]["sequence"] for part in parts.values() for message in part
            ]
            assert len(places) == len({*places}) == 30
            own = [part for part in parts.values() if any(message.key == key for message in part)]
            assert len(own) == 1
        for part in parts.values():
            order = [json.loads(message.value or "")["source"]["sequence"] for message in part]
            assert order == sorted(order)
