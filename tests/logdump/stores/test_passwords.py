"""Passwords in URLs are known to the store and to nobody else, whatever characters they have."""

from __future__ import annotations

import base64
import json
import re
import string
from pathlib import Path
from urllib.parse import unquote

import pytest

from fixtures import TRAILS
from logdump.language.call import in_quotes, quoted
from logdump.language.words import split_calls
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer
from tests.searching import Random
from trailformat.codec.remote.url import keeping_secrets, url_of, without_secrets

LEGAL = string.ascii_letters + string.digits + "-._~!$&'()*+,;=:"
"""Characters that a password may have in a URL as they are (RFC 3986), besides those written as %40."""
SCHEMES = ("http", "https", "sftp", "webhdfs", "hdfs", "s3")


def drawn_password(drawn: Random) -> str:
    """A password of legal characters, with a mark that is to be found nowhere."""
    letters = [drawn.choice(LEGAL) for _ in range(drawn.randrange(6))] + ["MARK"]
    letters += [drawn.choice((*"',;:@!$", "%2F", "%40", "'", ",")) for _ in range(drawn.randrange(1, 5))] + ["MARK"]
    return "".join(letters)


def lines_with(url: str) -> list[str]:
    return [
        f"open {url}",
        f"open {url}; count",
        f'count "{url}"',
        f"open {url};count",
        f"diff {url},s3://bucket/x",
        url,
    ]


@pytest.mark.parametrize("seed", range(40))
def test_no_line_keeps_a_password(seed: int) -> None:
    drawn = Random(seed)
    password, scheme = drawn_password(drawn), drawn.choice(SCHEMES)
    for line in lines_with(f"{scheme}://joe:{password}@host:99/d/lt000000000"):
        kept = keeping_secrets(line)
        assert "MARK" not in kept, line
        assert "host:99/d/lt000000000" in kept, (line, kept)
        assert kept.split("lt000000000")[-1] == line.split("lt000000000")[-1]
        assert "MARK" not in without_secrets(line)
    url = url_of(f"{scheme}://joe:{password}@host:99/d/lt000000000")
    assert url is not None
    assert url.credentials.user == "joe"
    assert url.credentials.password == password.replace("%2F", "/").replace("%40", "@")


ODD = "?#@:%&=+;,'\"<>{}[] \t|\\^`" + string.ascii_letters


@pytest.mark.parametrize("seed", range(4))
def test_no_word_keeps_a_password_of_any_characters(seed: int) -> None:
    """A word of the shell, a word of a line in quotes, and one whose quotation mark nothing ends."""
    drawn = Random(seed)
    for _ in range(300):
        before, after = ("".join(drawn.choices(ODD, k=drawn.randrange(4))) for _ in range(2))
        url = f"{drawn.choice(SCHEMES)}://joe:{before}MARK{after}@host:99/d/lt000000000"
        assert "MARK" not in keeping_secrets(url), url
        assert "MARK" not in keeping_secrets(f"--to={url}"), url
        kept = keeping_secrets(f"diff {quoted(url)} lt 5; count")
        assert kept.replace('"', "").endswith("host:99/d/lt000000000 lt 5; count"), kept
        assert "MARK" not in kept
        for end in ("; count", ";count", " ;count", ";;  count"):
            assert split_calls(keeping_secrets(f"open {in_quotes(url)}{end}"))[-1] == ("count", ""), url
        reached = url_of(url)
        assert reached is not None
        assert reached.credentials.password == unquote(f"{before}MARK{after}")
        bare = re.sub(r"[\s;]+", "", url)
        assert "MARK" not in keeping_secrets(f"open {bare}; count"), url


PASSWORDS = ("se,MARK", "it'sMARK", "a;MARK", "!$&'()*+,;=:MARK", "p%40MARK", "MARK@MARK")


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_session_shows_and_keeps_no_password(password: str, tmp_path: Path, web: TrailServer) -> None:
    """The server is entered with it; the log, the history, JSON and messages have nothing of it."""
    web.files["/lt000000000"] = (TRAILS / "at000000000").read_bytes()
    decoded = password.replace("%40", "@")
    web.wanted_header = ("Authorization", "Basic " + base64.b64encode(f"joe:{decoded}".encode()).decode())
    given = web.url.replace("://", f"://joe:{password}@")
    lines = f"log to {tmp_path}/log; open {given}/lt000000000; count; history"
    lines += f"; open {given}/lt000000009; fc; count {given}/*"
    for output in ("text", "jsonl"):
        done = logdump("-c", lines, "--format", output)
        assert "15" in done.out
        assert "MARK" not in done.out + done.err
        for line in done.out.splitlines() if output == "jsonl" else ():
            json.loads(line)
    assert "MARK" not in (tmp_path / "log").read_text()
    for verb in ("count", "list", "doctor"):
        done = logdump(verb, f"{given}/lt000000000")
        assert done.out
        assert "MARK" not in done.out + done.err


def test_a_secret_that_was_given_once_is_shown_nowhere() -> None:
    """Of several users and signatures, in a text that has no URL, and beside others."""
    random = Random(1)
    secrets = ["".join(random.choices(string.ascii_letters, k=14)) for _ in range(6)]
    for number, secret in enumerate(secrets[:3]):
        url_of(f"sftp://scott{number}:{secret}@host{number}/dirdat/lt")
    for number, secret in enumerate(secrets[3:]):
        url_of(f"https://host{number}/dirdat/lt?X-Amz-Signature={secret}&page={number}")
    shown = without_secrets("; ".join(f"no permission for scott with {secret}" for secret in secrets[:3]))
    assert shown == "; ".join(["no permission for scott with …"] * 3)
    text = " ".join(f"https://host{number}/dirdat/lt?X-Amz-Signature={secret}" for number, secret in enumerate(secrets))
    assert not [secret for secret in secrets if secret in without_secrets(text)]
