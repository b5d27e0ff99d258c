"""``logdump apply``: it is stopped by signals after a transaction and goes on; no password is printed."""

from __future__ import annotations

import contextlib
import re
import signal
import string
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from logdump.language.call import in_quotes, quoted
from logdump.language.reader import ArgumentReader, Context
from logdump.language.words import split_calls
from logdump.targets.dialects import dialect_for
from logdump.targets.dialects.target_url import TargetUrl
from logdump.targets.run import target_for
from logdump.targets.target import BadTarget
from tests.logdump.program import COMMAND, ENVIRONMENT, Answer, logdump
from tests.logdump.spark.targets.bank import NAMES, batch_size, differences
from tests.logdump.spark.targets.places import sqlite_place
from tests.searching import Random
from tests.simulated.five_tables import BankStates, bank_trail
from trailformat.codec.remote.url import keeping_secrets

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize(
    ("words", "options", "given"),
    [
        ("ONCE", "--once", {"once": True}),
        ("CREATE", "--create", {"create": True}),
        ("OVERWRITE", "--overwrite", {"collisions": "overwrite"}),
        ("DDL IGNORE", "--ignore-ddl", {"ddl": "ignore"}),
        ("ERRORS TABLE", "--errors table", {"errors": "table"}),
        ("WRITE HISTORY", "--write history", {"write": "history"}),
        ("WRITE APPEND", "--write append", {"write": "append"}),
        ("DELETES SOFT", "--deletes soft", {"deletes": "soft"}),
        ("LOAD oracle://h/s", "--load oracle://h/s", {"load": "oracle://h/s"}),
        ("AT 43", "--load-csn 43", {"load_csn": "43"}),
        ("SNAPSHOT 00-1", "--load-snapshot 00-1", {"load_snapshot": "00-1"}),
        ("FROM 41", "--from-csn 41", {"from_csn": "41"}),
        ("ADOPT 42", "--adopt 42", {"adopt": "42"}),
        ("BATCH 3m", "--batch 3m", {"batch": "3m"}),
        ("INTERVAL 7", "--interval 7", {"interval": 7}),
        ("PATIENCE 9", "--patience 9", {"patience": 9}),
        ("OPTIONS shop.yaml", "--options shop.yaml", {"options": "shop.yaml"}),
        ("TABLES a.b,c.*", "--table a.b --table c.*", {"tables": ("a.b", "c.*")}),
    ],
)
def test_each_option_reaches_the_run(
    words: str, options: str, given: dict[str, object], trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[dict[str, object]] = []

    def apply_run(path: str, target: str, tables: tuple[str, ...], **arguments: object) -> None:
        calls.append({"path": Path(path).name, "target": target, "tables": tables, **arguments, "stop": None})
        raise BadTarget("it is only looked at")

    monkeypatch.setattr("logdump.targets.in_process.apply_run", apply_run)
    target = "sqlite:///shop.db"
    plain = logdump("-c", f"apply over {trails}/et to {target}")
    assert "it is only looked at" in plain.out + plain.err
    logdump("-c", f"apply over {trails}/et to {target} {words}")
    logdump("apply", f"{trails}/et000000000", target, *options.split())
    assert calls[0]["path"] == "et"
    assert calls[0]["target"] == target
    assert calls[1] == calls[2] == {**calls[0], **given} != calls[0]


@pytest.mark.parametrize("options", ["--errors stop", "--deletes apply", "--errors stop --deletes apply"])
def test_a_choice_that_is_the_default_is_no_word_of_the_command(options: str, trails: Path) -> None:
    line = ["apply", f"{trails}/et000000000", "sqlite:///shop.db", "--explain"]
    assert logdump(*line, *options.split()).out == logdump(*line).out


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_it_after_a_transaction_and_the_same_command_goes_on(
    number: signal.Signals, tmp_path: Path
) -> None:
    trail, place, states = tmp_path / "trail", sqlite_place(tmp_path), BankStates()
    trail.mkdir()
    bank, extract = bank_trail(trail, 30, seed=number, states=states, cut_chance=0.0)
    line = [*COMMAND, "apply", str(trail / "sm"), place.url, "--create", "--batch", batch_size(trail, 12)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("CSN ")
        running.send_signal(number)
        _, said = running.communicate()
    assert running.returncode == 130
    assert "Stopped after a transaction" in said
    assert "the same command continues" in said
    assert "Traceback" not in said
    [(csn,)] = place.query("SELECT DISTINCT csn FROM logdump_position")
    states.go_to(csn)
    assert differences(states, {name: place.rows(name) for name in NAMES}) == []
    assert logdump(*line[len(COMMAND) :], "--once").status == 0
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []
    assert place.query("SELECT DISTINCT csn FROM logdump_position") == [(extract.csn,)]


def test_each_commit_is_a_line_and_a_second_call_has_nothing_to_apply(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    bank, _ = bank_trail(tmp_path, 12, seed=4, roll_chance=0.2, cut_chance=0.0)
    line = ["apply", f"{tmp_path}/sm*", place.url, "--create", "--once"]
    first, second = logdump(*line, "--table", "BANK.ACC*", "--table", "BANK.EVENTS"), logdump(*line)
    assert (first.status, second.status) == (0, 0)
    assert [line.split()[0] for line in first.out.splitlines()] == ["CSN"]
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []
    assert logdump(*line) == Answer(0, "No change to apply.\n", "")


def test_a_file_means_its_trail(tmp_path: Path) -> None:
    """A wildcard of the shell that finds one file is that file: the files that come later are applied as well."""
    place = sqlite_place(tmp_path)
    bank, extract = bank_trail(tmp_path, 20, seed=5, roll_chance=0.3, cut_chance=0.0)
    assert len(extract.paths) > 1
    assert logdump("apply", str(extract.paths[0]), place.url, "--create", "--once").status == 0
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


def test_the_status_says_what_has_stopped_it(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    _, extract = bank_trail(tmp_path, 9, seed=5, roll_chance=0.0, cut_chance=0.0)
    line = ["apply", f"{tmp_path}/sm", place.url, "--once"]
    assert (logdump(*line).status, logdump(*line, "--table", "BANK.NONE").status) == (1, 2)
    assert logdump(*line, "--create").status == 0
    place.run("UPDATE logdump_position SET last_csn = '1'")
    refused = logdump(*line)
    assert refused.status == 4
    assert "another trail, or it was written anew" in refused.err
    assert logdump(*line, "--adopt", extract.csn_of(9), "--overwrite").status == 0


def test_refused_changes_are_status_3_until_they_are_retried(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    bank, _ = bank_trail(tmp_path, 12, seed=4, cut_chance=0.0)
    line = ["apply", f"{tmp_path}/sm", place.url, "--once"]
    assert logdump(*line, "--create", "--table", "BANK.ACCOUNTS").status == 0
    place.run("DELETE FROM accounts", "DELETE FROM logdump_position")
    raised = "BEGIN SELECT RAISE(ABORT, 'closed'); END"
    place.run(f"CREATE TRIGGER closed BEFORE INSERT ON accounts {raised}")
    assert logdump(*line, "--table", "BANK.ACCOUNTS").status == 1
    noted = logdump(*line, "--create", "--errors", "table")
    assert noted.status == 3
    assert "not applied: logdump_errors in the target has them" in noted.err
    assert logdump(*line, "--retry").status == 3
    assert logdump(*line).status == 1
    place.run("DROP TRIGGER closed")
    retried = logdump(*line, "--retry")
    assert (retried.status, retried.err) == (0, "")
    assert retried.out.endswith(" applied.\n")
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


def test_a_file_of_options_is_taken_and_the_line_takes_precedence(tmp_path: Path) -> None:
    place, file = sqlite_place(tmp_path), tmp_path / "o.yaml"
    bank, _ = bank_trail(tmp_path, 12, seed=4, cut_chance=0.0)
    file.write_text("create: true\nonce: true\nevolve: add\ntables: BANK.NONE\nfrom_csn: 1\n")
    line = ["apply", f"{tmp_path}/sm", place.url, "--options", str(file)]
    assert logdump(*line).status == 2
    answer = logdump(*line, "--table", "BANK.*")
    assert (answer.status, answer.err) == (0, "")
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nevlove: add", "line 2: there is no option evlove; did you mean evolve?"),
        ("a: &a b", "line 1: an anchor or an alias"),
        ('"\\e[2J": 1', "line 1: there is no option \\x1b[2J; there are adopt, batch,"),
        ("mask: {BANK.ACCOUNTS: {NONE: hash}}", "mask: "),
    ],
)
def test_a_wrong_file_of_options_is_one_line_and_usage(text: str, said: str, tmp_path: Path) -> None:
    bank_trail(tmp_path, 3, cut_chance=0.0)
    file = tmp_path / "o.yaml"
    file.write_text(text)
    answer = logdump(
        "apply", f"{tmp_path}/sm", f"sqlite:///{tmp_path}/x.db", "--create", "--once", "--options", str(file)
    )
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert said in answer.err


def test_servers_of_kafka_and_databases_are_taken_by_the_other_verb(tmp_path: Path) -> None:
    bank_trail(tmp_path, 3, cut_chance=0.0)
    for words, said in (
        (["apply", f"{tmp_path}/sm", "KAFKA://joe:MARK@h:9092", "--once"], "publish writes to Kafka"),
        (["publish", f"{tmp_path}/sm", "postgresql://joe:MARK@h/s", "--once"], "apply writes to databases"),
    ):
        answer = logdump(*words)
        assert (answer.status, answer.out) == (1, "")
        assert said in answer.err
        assert MARK not in answer.err


def test_a_history_is_written_from_the_command_line(tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    bank, _ = bank_trail(tmp_path, 12, seed=4, cut_chance=0.0)
    line = ["apply", f"{tmp_path}/sm", place.url, "--once", "--table", "BANK.ACCOUNTS"]
    assert logdump(*line, "--create", "--write", "history").status == 0
    there = place.query("SELECT id, owner, balance, note FROM accounts WHERE _valid_to IS NULL")
    assert len(there) == len(bank.rows["BANK.ACCOUNTS"])
    other = logdump(*line)
    assert (other.status, other.out) == (1, "")
    assert "has the columns of write='history': write it so, or into another" in other.err
    for words in (["--deletes", "soft"], ["--overwrite"]):
        assert logdump(*line, "--write", "history", *words).status == 2
    load = ["--load", "postgresql://joe:secret@127.0.0.1:1/x", "--load-csn", "0/1", "--load-snapshot", "00-1"]
    lost = logdump(*line[:1], line[1], f"sqlite:///{tmp_path}/other.db", *line[3:], "--create", *load)
    assert lost.status == 1
    assert "nothing was written: load: " in lost.err
    assert "secret" not in lost.err


ODD = "/?#@:%&=+;,'\"<>{}[] \t|\\^`" + string.ascii_letters
MARK = "MARK"
KNOWN = ("postgresql", "mysql", "oracle", "jdbc:postgresql", "POSTGRES", "mariadb", "sqlite")
UNKNOWN = ("postgre", "jdbc:sqlserver", "ldap", "mongodb+srv", "Oracle.Net", "p")
ENDINGS = (
    *("127.0.0.1:1/s", "/s?host=/nowhere", "[::1/s", "127.0.0.1:x/s", "h:1,h:2/s", "h]/s", "h/s?a=b@c", ""),
    *("h:1/s?options=-c%20x=y#z", "h/s;a=b?c=d&e", "h'/s", "[::1]:5432/a@b", "h/@", "@", "h/s?password=x@y"),
)
USERS = ("joe", "", "joe@corp", "joe%40corp", "joe smith", "a/b", "j?e", "[joe]", "'joe'")


def _password(random: Random) -> str:
    parts = ["".join(random.choice(ODD) for _ in range(random.randrange(4))) for _ in range(2)]
    return f"{parts[0]}{MARK}{parts[1]}"


def _parameter(random: Random, password: str) -> str:
    name = random.choice(("password", "sslpassword", "pwd", "PASSWD", "p%61ssword", "auth_token", "my-secret", "pass"))
    before, after = (random.choice(("", "sslmode=require&", "x=a@b&", "flag&")) for _ in range(2))
    return f"?{before}{name}={password.replace('&', '%26')}" + f"&{after}".rstrip("&")


def _urls(random: Random) -> list[str]:
    """URLs with a password that is anything, at each place where one may be; odd forms of all the rest."""
    scheme, user, ending = random.choice(KNOWN + UNKNOWN), random.choice(USERS), random.choice(ENDINGS)
    password = _password(random)
    parameter = _parameter(random, password)
    urls = [f"{scheme}://{user}{random.choice((':', '%3A'))}{password}@{ending}", f"{scheme}://{user}@h/s{parameter}"]
    urls += [f"{scheme}://{user}:{password}@h/s{parameter}", f"{scheme}://h:5432/s{parameter}@x"]
    oracle = random.choice(("jdbc:oracle:thin:", "jdbc:oracle:oci:", "oracle:", "oracle://"))
    return [
        *urls,
        f"{oracle}{user.replace('/', '')}/{password.lstrip('/')}@//h:1521/s",
        f"postgresql:{user}:{password}@h/s",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_no_url_is_shown_with_a_password(seed: int) -> None:
    """Of a word of the shell, a word of a line, in quotes or not, and in what refuses a target."""
    random = Random(seed)
    for _ in range(300):
        for url in _urls(random):
            assert MARK not in keeping_secrets(url), url
            assert MARK not in keeping_secrets(f"--to={url}"), url
            for word in (in_quotes(url), quoted(url), re.sub(r"[\s;]+", "", url)):
                assert MARK not in keeping_secrets(f"apply over lt to {word} once; count"), word
            for end in ("; count", ";count"):
                kept = keeping_secrets(f"apply over lt to {in_quotes(url)}{end}")
                assert MARK not in kept, url
                assert split_calls(kept)[-1] == ("count", ""), url
            assert MARK not in _refusal(url), url


def _refusal(url: str) -> str:
    try:
        target_for(url)
    except BadTarget as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(4))
def test_a_url_that_was_entered_is_used_as_it_was_or_refused(seed: int) -> None:
    """The URL without its password stands for the one that was entered, in a line too, and for no other."""
    random = Random(seed)
    for _ in range(300):
        for url in _urls(random):
            reader = ArgumentReader(keeping_secrets(f"to {quoted(url)} once"), Context())
            reader.at = len("to")
            word = getattr(reader.word(), "text", "")
            try:
                expected = dialect_for(url)
            except BadTarget:
                with pytest.raises(BadTarget):
                    dialect_for(word)
                continue
            dialect = dialect_for(word)
            assert (dialect and dialect.url) == (expected and expected.url), url


@pytest.mark.parametrize("seed", range(4))
def test_two_urls_that_are_shown_alike_are_not_taken_for_each_other(seed: int) -> None:
    random = Random(seed)
    for _ in range(200):
        endings = [random.choice(("/s", "/s?x=a@b", "/s/@b", ":5432/s?x=a@b", ":1/s")) for _ in range(2)]
        urls = [f"postgresql://joe:{random.choice(ODD)}x@h{number}{ending}" for number, ending in enumerate(endings)]
        for number, word in enumerate([keeping_secrets(url) for url in urls]):
            with contextlib.suppress(BadTarget):
                dialect = dialect_for(word)
                assert dialect is not None
                assert dialect.url.server.startswith(f"h{number}"), urls


@pytest.mark.parametrize("seed", range(4))
def test_no_message_of_a_driver_has_a_password(seed: int) -> None:
    """As it is written in the URL, and as it is."""
    random = Random(seed)
    for _ in range(200):
        password = "".join(random.choices(ODD, k=4)) + MARK
        written = quote(password, safe=random.choice(("", "+;,'")))
        for ending in (f"joe:{written}@h/s", f"joe@h/s?x=1&password={written}&sslmode=prefer"):
            url = TargetUrl.of(f"postgresql://{ending}", "postgresql")
            for spelling in (password, quote(password, safe=""), written):
                assert MARK not in url.harmless(f'option "x{spelling}y" of {url.for_driver("postgresql")}'), ending


@pytest.mark.parametrize("seed", range(10))
def test_no_password_is_printed_whatever_the_url(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password of any characters, most of which have to be written as %2F, and a URL that is cut or odd."""
    random = Random(seed)
    monkeypatch.chdir(tmp_path)
    bank_trail(tmp_path, 2, cut_chance=0.0)
    for given in _urls(random):
        for more in (["--explain"], ["--once", "--patience", "1"]):
            if more != ["--explain"] and _connects(given):
                continue
            answer = logdump("apply", f"{tmp_path}/sm", given, *more)
            assert MARK not in answer.out + answer.err, (given, answer)
            assert "Traceback" not in answer.err


def _connects(url: str) -> bool:
    try:
        return dialect_for(keeping_secrets(url)) is not None
    except BadTarget:
        return False


def test_a_password_of_the_environment_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGDUMP_PASSWORD", "p/w@x")
    for url, password in (("mysql://joe@h/s", "p/w@x"), ("mysql://joe:own@h/s", "own"), ("mysql://joe:@h/s", "")):
        dialect = dialect_for(keeping_secrets(url))
        assert dialect is not None
        assert dialect.url.password == password


def test_it_runs_without_spark(tmp_path: Path) -> None:
    bank_trail(tmp_path, 3, cut_chance=0.0)
    script = (
        "import sys; sys.modules['pyspark'] = None; import logdump\n"
        f"print(logdump.apply({str(tmp_path / 'sm')!r}, 'sqlite:///{tmp_path}/x.db', create=True, once=True).rows > 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    bank_trail(tmp_path, 3, cut_chance=0.0)
    other = tmp_path / "notes.txt"
    other.write_text("no database\n" * 200)
    answer = logdump("apply", f"{tmp_path}/sm", f"sqlite:///{other}", "--create", "--once")
    assert answer.status == 1
    assert "file is not a database" in answer.err
    assert other.read_text() == "no database\n" * 200
