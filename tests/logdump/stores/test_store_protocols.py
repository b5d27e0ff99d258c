"""SFTP and WebHDFS: a trail is read, listed, followed and written as on this machine, with few bytes fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer, serving_sftp
from tests.logdump.test_packed import NAMES, QUESTIONS, answers
from tests.trailformat.samples import row
from trailformat import TrailFile
from trailformat.codec.remote.path import place
from trailformat.scan import scan

LONG = b"".join(row(bytes([number]) * 10_000).raw for number in range(251)) * 10
Keep = Callable[[str, bytes], None]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    (folder / "dirdat").mkdir(parents=True)
    return folder


@pytest.fixture
def sftp(here: Path) -> Iterator[str]:
    with serving_sftp(here) as url:
        yield url


@pytest.fixture(params=["sftp", "webhdfs"])
def kept(request: pytest.FixtureRequest, web: TrailServer) -> tuple[str, Keep]:
    """The URL of a store, and what keeps the bytes of a file in it."""
    if request.param == "webhdfs":
        return web.url.replace("http", "webhdfs"), lambda name, data: web.files.update({f"/{name}": data})
    folder = request.getfixturevalue("here")
    return request.getfixturevalue("sftp"), lambda name, data: (folder / name).write_bytes(data)


def test_each_question_has_the_answer_of_the_local_trail(kept: tuple[str, Keep], tmp_path: Path) -> None:
    url, keep = kept
    for name in NAMES:
        (tmp_path / name).write_bytes((TRAILS / name).read_bytes())
        keep(f"dirdat/{name}", (TRAILS / name).read_bytes())
    folder = place(f"{url}/dirdat")
    expected = [answers(tmp_path, "", question) for question in QUESTIONS]
    assert [answers(folder, "", question) for question in QUESTIONS] == expected
    assert "3 files, has 30 records" in logdump("count", f"{folder}/at*").out


def test_many_threads_fetch_at_once(kept: tuple[str, Keep]) -> None:
    url, keep = kept
    keep("dirdat/lt000000000", LONG)
    with TrailFile(f"{url}/dirdat/lt000000000") as trail:
        assert sum(int(batch.length[at]) for batch in scan(trail) for at in range(len(batch))) == len(LONG)
        assert trail.bytes[len(LONG) // 2 : len(LONG)] == LONG[len(LONG) // 2 :]


def test_webhdfs_fetches_little_for_a_record(web: TrailServer) -> None:
    web.files["/dirdat/lt000000000"] = LONG
    done = logdump("-c", f"open {web.url.replace('http', 'webhdfs')}/dirdat/lt000000000; n")
    assert "RBA 0" in done.out
    assert web.sent <= 1 << 20


def test_what_is_not_there_is_named(kept: tuple[str, Keep]) -> None:
    done = logdump("-c", f"open {kept[0]}/dirdat/lt000000009")
    assert "dirdat/lt000000009: No such file or directory" in done.out + done.err
    assert "geheim" not in done.out + done.err


def test_sftp_gives_a_saved_file_its_name_when_it_is_complete(sftp: str, here: Path, tmp_path: Path) -> None:
    logdump("-c", f"open {TRAILS / NAMES[0]}; save {tmp_path / 'rt000000000'}")
    done = logdump("-c", f"open {TRAILS / NAMES[0]}; save {sftp}/dirdat/rt000000000")
    assert [path.name for path in (here / "dirdat").iterdir()] == ["rt000000000"], done.out + done.err
    with TrailFile(here / "dirdat" / "rt000000000") as saved, TrailFile(tmp_path / "rt000000000") as local:
        assert [one.raw for one in saved.records()][1:] == [one.raw for one in local.records()][1:]


def test_a_wrong_password_is_refused_and_not_shown(sftp: str) -> None:
    done = logdump("-c", f"open {sftp.replace('geheim', 'falsch')}/dirdat/lt000000000")
    assert "the store" in done.out + done.err
    assert "falsch" not in done.out + done.err
