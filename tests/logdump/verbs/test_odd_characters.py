"""One odd name never keeps the answers about the other files of a folder back, and a verb can name it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest

from fixtures import TRAILS
from logdump.session.errors import ExitStatus
from tests.logdump.program import logdump
from tests.searching import Random
from trailformat.codec.remote.path import path_of

VERBS = (
    "doctor",
    "list",
    "info",
    "recovery",
    "transactions",
    "check",
    "count",
    "tables",
    "export",
    "find",
    "heartbeat",
)
ODD = [b'"', b"\n", b"\x1b", b"\xff", b"\xc3", b"\t", b"'", b";", b"%", b"\\", b" ", b"\xe2\x80\xae"]
MORE = {"find": ["Uji"]}


def odd_name(drawn: Random) -> bytes:
    """Two characters of a trail, one of them odd, and a number."""
    return b"".join(drawn.sample([drawn.choice(ODD), b"z"], 2)) + b"000000000"


@pytest.mark.parametrize("verb", VERBS)
def test_the_other_files_are_answered(verb: str, tmp_path: Path) -> None:
    drawn = Random(verb)
    shutil.copy(TRAILS / "at000000000", tmp_path / "lt000000000")
    shutil.copy(TRAILS / "at000000000", tmp_path / "zz000000000")
    more = MORE.get(verb, [])
    alone = logdump(verb, str(tmp_path / "zz000000000"), *more)
    for _ in range(3):
        odd = os.path.join(os.fsencode(tmp_path), odd_name(drawn))  # noqa: PTH118 - of bytes
        shutil.copy(os.fsencode(TRAILS / "at000000000"), odd)
        done = logdump(verb, str(tmp_path), *more)
        of_the_odd = logdump(verb, os.fsdecode(odd), *more)
        os.unlink(odd)  # noqa: PTH108 - of bytes
        for answer in (done, of_the_odd):
            assert answer.status in (ExitStatus.OK, ExitStatus.FINDINGS, alone.status), (odd, answer.err)
            assert "\x1b" not in answer.out + answer.err
        assert len(done.out.splitlines()) >= len(of_the_odd.out.splitlines()) > 0, odd
        if verb in ("count", "info"):
            assert "lt000000000" in done.out, odd
            assert "zz000000000" in done.out, odd


@pytest.mark.parametrize("seed", range(20))
def test_each_name_has_a_word(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Random(seed)
    monkeypatch.chdir(tmp_path)
    name = bytes(drawn.choice([*range(1, 47), *range(48, 256)]) for _ in range(12))
    url = "file://" + quote_from_bytes(os.fsencode(tmp_path) + b"/" + name)
    assert os.fsencode(path_of(url)) == os.fsencode(tmp_path) + b"/" + name
    shutil.copy(os.fsencode(TRAILS / "at000000000"), os.fsencode(tmp_path) + b"/" + name)
    assert "has 15 records" in logdump("-c", f'open "{url}"; count').out


def test_an_output_may_have_an_odd_name(tmp_path: Path) -> None:
    target = tmp_path / 'x"\ny.csv'
    done = logdump("export", str(TRAILS / "at000000000"), "-o", str(target))
    assert done.status == ExitStatus.OK, done.err
    assert target.read_text().count("\n") > 1
