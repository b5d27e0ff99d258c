"""``logdump publish``: its options, its lines and its status; no password is printed."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest

from logdump.targets.target import BadTarget
from tests.logdump.program import COMMAND, Answer, logdump
from tests.logdump.spark.targets.bank import batch_size
from tests.logdump.targets.kafka.brokers import Cluster, tansu
from tests.logdump.targets.kafka.test_publish import exported
from tests.searching import Random
from tests.simulated.five_tables import bank_trail

__all__ = ["tansu"]


@pytest.mark.parametrize(
    ("words", "options", "given"),
    [
        ("ONCE", "--once", {"once": True}),
        ("CREATE", "--create", {"create": True}),
        ("OGG", "--format ogg", {"format": "ogg"}),
        ("TOPIC a.{name}", "--topic a.{name}", {"topics": "a.{name}"}),
        ("TRUNCATES WRITE", "--truncates write", {"truncates": "write"}),
        ("TRUNCATES SKIP", "--truncates skip", {"truncates": "skip"}),
        ("POSITIONS p", "--positions p", {"positions": "p"}),
        ("CONFIG my.properties", "--config my.properties", {"config": "my.properties"}),
        ("OPTIONS my.yaml", "--options my.yaml", {"options": "my.yaml"}),
        ("DEBEZIUM", "--format debezium", {"format": "debezium"}),
        ("FROM 41", "--from-csn 41", {"from_csn": "41"}),
        ("ADOPT 42", "--adopt 42", {"adopt": "42"}),
        ("BATCH 3m", "--batch 3m", {"batch": "3m"}),
        ("INTERVAL 7", "--interval 7", {"interval": 7}),
        ("PATIENCE 9", "--patience 9", {"patience": 9}),
        ("TABLES a.b,c.*", "--table a.b --table c.*", {"tables": ("a.b", "c.*")}),
    ],
)
def test_each_option_reaches_the_run(
    words: str, options: str, given: dict[str, object], trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[dict[str, object]] = []

    def publish_run(path: str, servers: str, tables: tuple[str, ...], **arguments: object) -> None:
        calls.append({"path": Path(path).name, "servers": servers, "tables": tables, **arguments, "stop": None})
        raise BadTarget("it is only looked at")

    monkeypatch.setattr("logdump.targets.kafka.publisher.publish_run", publish_run)
    monkeypatch.chdir(tmp_path)
    servers = "kafka://joe@h:9092,g:9092"
    plain = logdump("-c", f"publish over {trails}/et to {servers}")
    assert "it is only looked at" in plain.out + plain.err
    logdump("-c", f"publish over {trails}/et to {servers} {words}")
    logdump("publish", f"{trails}/et000000000", servers, *options.split())
    assert (calls[0]["path"], calls[0]["servers"]) == ("et", servers)
    assert calls[1] == calls[2] == {**calls[0], **given} != calls[0]


def test_each_commit_is_a_line_and_a_second_call_has_nothing_to_publish(tansu: Cluster, tmp_path: Path) -> None:
    bank_trail(tmp_path, 12, seed=4, roll_chance=0.2, cut_chance=0.0)
    line = ["publish", f"{tmp_path}/sm", tansu.url, "--once", "--topic", "lines", "--format", "ogg"]
    refused = logdump(*line)
    assert (refused.status, refused.out) == (1, "")
    assert "there is no topic lines" in refused.err
    first = logdump(*line, "--create")
    assert (first.status, [line.split()[0] for line in first.out.splitlines()]) == (0, ["CSN"])
    assert " published, " in first.out
    assert len(tansu.sent("lines")) == sum(map(len, exported(tmp_path, "ogg").values()))
    assert logdump(*line) == Answer(0, "No change to publish.\n", "")
    for words, status in ((["--table", "BANK.NONE"], 2), (["--config", "none"], 2), (["--topic", "a b"], 1)):
        assert logdump(*line, *words).status == status
    [key] = {message.key for message in tansu.sent("logdump_position") if "ACCOUNTS" in str(message.key)}
    [value] = {message.value for message in tansu.sent("logdump_position") if message.key == key}
    tansu.put("logdump_position", key, json.dumps({**json.loads(str(value)), "last_csn": "1"}))
    other = logdump(*line)
    assert (other.status, "another trail, or it was written anew" in other.err) == (4, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_the_same_command_goes_on(number: signal.Signals, tansu: Cluster, tmp_path: Path) -> None:
    bank_trail(tmp_path, 40, seed=number, cut_chance=0.0)
    topic = f"stopped.{number.name}"
    words = ["--create", "--format", "ogg", "--topic", topic, "--positions", f"{topic}.p"]
    line = ["publish", f"{tmp_path}/sm", tansu.url, *words, "--batch", batch_size(tmp_path, 12)]
    with subprocess.Popen([*COMMAND, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("CSN ")
        running.send_signal(number)
        _, said = running.communicate()
    assert running.returncode == 130
    assert "Stopped after a transaction" in said
    assert "Traceback" not in said
    assert logdump(*line, "--once").status == 0
    assert len(tansu.sent(topic)) == sum(map(len, exported(tmp_path, "ogg").values()))


@pytest.mark.parametrize("seed", range(3))
def test_no_password_is_printed_whatever_the_url(seed: int, trails: Path) -> None:
    random = Random(seed)
    odd = "/?#@%:&=+;,'\"<>{}[] |^`abc"
    password = "".join(random.choices(odd, k=3)) + "MARK" + random.choice(odd)
    for written in (password, quote(password, safe="")):
        for url in (
            f"kafka://joe:{written}@h/x",
            f"kafka://joe:{written}@[::1",
            f"kafka://h?sasl.password={quote(password, safe='')}&acks=1",
        ):
            for more in (["--explain"], ["--once", "--patience", "1"]):
                answer = logdump("publish", f"{trails}/et", url, *more)
                assert "MARK" not in answer.out + answer.err, (url, answer)
                assert "Traceback" not in answer.err
