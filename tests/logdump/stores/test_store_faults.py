"""Servers fail, files change, and what comes is hostile: a bounded number of attempts, then one clear error."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.errors import ExitStatus
from logdump.session.files import file_state
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer
from tests.searching import in_turn
from tests.trailformat.samples import row
from trailformat import CannotRead, NotATrail, TrailFile
from trailformat.codec.environment import CACHED, UNPACKED
from trailformat.codec.remote import file as remote_file
from trailformat.codec.remote import store, url
from trailformat.codec.remote.path import RemotePath, place
from trailformat.scan import scan
from trailformat.trail.packed import WHOLE

NAME = "at000000000"
DATA = (TRAILS / NAME).read_bytes()
LONG = row(bytes(10_000)).raw * 800
Put = Callable[[str, bytes], None]


@pytest.fixture
def looks_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "POLL", 0)
    monkeypatch.setattr(store, "RECENT", 0)


STORES = ("http", "s3")


@pytest.fixture(params=STORES)
def trail_url(request: pytest.FixtureRequest, web: TrailServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of the faulty server, which also speaks as much of S3 as reading of an object takes."""
    web.files["/bucket/lt000000000"] = LONG
    if request.param == "http":
        return f"{web.url}/bucket/lt000000000"
    monkeypatch.setenv("AWS_ENDPOINT_URL", web.url)
    return "s3://bucket/lt000000000"


def lengths(trail: TrailFile) -> Iterator[int]:
    return (int(batch.length[at]) for batch in scan(trail) for at in range(len(batch)))


@pytest.mark.parametrize(
    ("trail_url", "fault"), in_turn(STORES, [503, 429, 500, "reset", "short", "slow"]), indirect=["trail_url"]
)
def test_what_passes_is_tried_again(fault: int | str, trail_url: str, web: TrailServer) -> None:
    with TrailFile(trail_url) as trail:
        web.faults += [None, fault, fault]
        assert sum(lengths(trail)) == len(LONG)


LASTING = (
    (503, r"the server is busy or fails \(503\), 5 attempts"),
    (429, r"the server is busy or fails \(429\), 5 attempts"),
    ("reset", "the connection to the server is lost or refused"),
    ("short", "the connection to the server is lost or refused"),
    (403, r"the store refuses access \(403\)"),
    (401, r"the store requires credentials \(401\)"),
    (404, "No such file or directory"),
    (416, "the file has become shorter"),
)


@pytest.mark.parametrize(("trail_url", "lasting"), in_turn(STORES, LASTING), indirect=["trail_url"])
def test_what_stays_is_one_error(lasting: tuple[int | str, str], trail_url: str, web: TrailServer) -> None:
    fault, message = lasting
    with TrailFile(trail_url) as trail:
        web.faults += [fault] * 100
        with pytest.raises(CannotRead, match=message):
            sum(lengths(trail))
        assert 100 - len(web.faults) <= store.ATTEMPTS * (remote_file.WORKERS + 1)


def test_another_region_is_said(web: TrailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", web.url)
    web.redirects = True
    with pytest.raises(CannotRead, match="it is in another region or at another endpoint"):
        TrailFile("s3://bucket/lt000000000")


def test_without_credentials_it_says_so(web: TrailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", web.url)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(NotATrail, match="the store requires credentials"):
        TrailFile("s3://bucket/lt000000000")


def test_a_host_that_is_not_reached_is_one_error() -> None:
    done = logdump("-c", "open http://127.0.0.1:1/lt000000000")
    assert "the connection to the server is lost or refused" in done.err + done.out
    assert (done.err + done.out).count("127.0.0.1:1/") == 1


@pytest.mark.parametrize("verb", ["count", "list", "check", "doctor", "tables", "info", "recovery"])
def test_a_verb_names_the_host_that_is_not_reached_and_no_password(verb: str) -> None:
    done = logdump(verb, "http://joe:geheim@127.0.0.1:1/lt000000000")
    assert done.status == ExitStatus.BAD_DATA
    assert "http://127.0.0.1:1" in done.err + done.out
    assert "the connection to the server is lost or refused" in done.err + done.out
    assert "geheim" not in done.err + done.out


@pytest.mark.parametrize("name", [f"{NAME}x", "at000000009", "at"])
def test_what_is_not_there_is_named(name: str, s3: str) -> None:
    done = logdump("-c", f"open {s3}/{name}")
    assert f"{s3}/{name}: No such file or directory" in done.err + done.out


@pytest.mark.usefixtures("looks_each_time")
def test_a_file_that_grows_goes_on(trail_url: str, web: TrailServer) -> None:
    with TrailFile(trail_url) as trail:
        before = sum(lengths(trail))
        web.files["/bucket/lt000000000"] += row(b"more").raw
        assert sum(lengths(trail)) == before + row(b"more").length
        assert trail.size == len(web.files["/bucket/lt000000000"])


VERSIONS = {
    "other bytes": (row(bytes([1]) * 10_000).raw * 800, "the file has changed while it was read"),
    "longer, with other bytes": (LONG[:-1] + b"z" + LONG, "the file has changed while it was read"),
    "shorter": (LONG[: len(LONG) // 2], "the file was truncated to"),
    "gone": (None, "No such file or directory"),
}


@pytest.mark.parametrize(("trail_url", "version"), in_turn(STORES, VERSIONS), indirect=["trail_url"])
def test_bytes_of_two_versions_are_never_put_together(version: str, trail_url: str, web: TrailServer) -> None:
    other, message = VERSIONS[version]
    with TrailFile(trail_url) as trail:
        trail.record_at(0)
        trail.bytes[len(LONG) - 5000 : len(LONG)]
        if other is None:
            del web.files["/bucket/lt000000000"]
        else:
            web.files["/bucket/lt000000000"] = other
        with pytest.raises(CannotRead, match=message):
            trail.bytes[0 : len(LONG)]


@pytest.mark.usefixtures("looks_each_time")
@pytest.mark.parametrize("looks_first", [False, True])
@pytest.mark.parametrize(
    ("trail_url", "version"), in_turn(STORES, [name for name in VERSIONS if name != "gone"]), indirect=["trail_url"]
)
def test_a_file_that_has_changed_is_not_read_on_though_it_is_as_before_again(
    version: str, trail_url: str, web: TrailServer, *, looks_first: bool
) -> None:
    """Whether its size or its bytes were asked for when it was another; what was read before is still there."""
    other, message = VERSIONS[version]
    assert other is not None
    with TrailFile(trail_url) as trail:
        trail.record_at(0)
        rest = trail.bytes[len(LONG) - 5000 : len(LONG)]
        web.files["/bucket/lt000000000"] = other
        with pytest.raises(CannotRead, match=message):
            _ = trail.size if looks_first else trail.bytes[0 : len(LONG)]
        web.files["/bucket/lt000000000"] = LONG
        for _ in range(2):
            with pytest.raises(CannotRead, match=message):
                trail.bytes[0 : len(LONG)]
            with pytest.raises(CannotRead, match=message):
                _ = trail.size
        assert trail.bytes[len(LONG) - 5000 : len(LONG)] == rest


@pytest.mark.usefixtures("looks_each_time")
def test_another_file_of_the_same_name_is_seen(trail_url: str, web: TrailServer) -> None:
    with TrailFile(trail_url) as trail:
        web.files["/bucket/lt000000001"] = LONG
        assert file_state(trail).following == place(f"{trail_url[:-1]}1")
        del web.files["/bucket/lt000000000"]
        with pytest.raises(CannotRead):
            assert file_state(trail).is_gone


def test_a_server_without_ranges_gives_a_copy(web: TrailServer) -> None:
    web.ranges = False
    web.files["/lt000000000"] = DATA
    with TrailFile(f"{web.url}/lt000000000") as trail:
        assert trail.packing == WHOLE
        assert [record.raw for record in trail.records()] == [
            record.raw for record in TrailFile(TRAILS / NAME).records()
        ]
    said = logdump("-c", f"open {web.url}/lt000000000").out
    assert f"The server does not support range requests: a copy of {len(DATA):,} bytes is read" in said


def test_a_stream_without_end_ends_at_the_limit(web: TrailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    web.endless = True
    web.files["/lt000000000"] = DATA
    monkeypatch.setenv(UNPACKED, str(1 << 20))
    with pytest.raises(NotATrail, match="more than 1,048,576 bytes"):
        TrailFile(f"{web.url}/lt000000000")


@pytest.mark.parametrize("name", ["lt000000000.gz", "lt000000000"])
def test_a_packed_file_of_a_store_is_unpacked(name: str, s3: str, put: Put) -> None:
    put(f"{s3}/{name}", gzip.compress(DATA))
    with TrailFile(f"{s3}/{name}") as trail:
        assert (trail.packing, trail.size) == ("gzip", len(DATA))


def test_a_zip_bomb_of_a_store_ends_at_the_limit(s3: str, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    put(f"{s3}/lt000000000.gz", gzip.compress(bytes(3 << 20)))
    monkeypatch.setenv(UNPACKED, str(2 << 20))
    with pytest.raises(NotATrail, match="more than 2,097,152 bytes"):
        TrailFile(f"{s3}/lt000000000.gz")


def test_an_archive_in_a_store_is_a_folder(s3: str, put: Put) -> None:
    archive = BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as file:
        for number in range(3):
            file.add(TRAILS / f"at00000000{number}", f"dirdat/at00000000{number}")
    put(f"{s3}/a/all.tar.gz", archive.getvalue())
    assert "3 files, has 30 records" in logdump("count", f"{s3}/a/all.tar.gz").out
    assert "has 15 records" in logdump("count", f"{s3}/a/all.tar.gz/dirdat/at000000000").out


def test_names_of_a_store_reach_no_terminal_raw(s3: str, put: Put) -> None:
    put(f"{s3}/d/\x1b[2Jlt000000000", b"x")
    done = logdump("-c", f"files {s3}/d; open {s3}/d/\x1b[2Jlt000000000; count {s3}/d/*")
    assert "\\x1b" in done.out + done.err or "^[" in done.out + done.err
    assert "\x1b" not in done.out + done.err


SIGNED = "X-Amz-Credential=known&X-Amz-Signature=geheim"


def test_a_password_and_a_signature_are_never_shown(web: TrailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGDUMP_HISTORY", "")
    web.files["/lt000000000"] = DATA
    web.wanted_header = ("Authorization", "Basic am9lOmdlaGVpbQ==")
    given = web.url.replace("://", "://joe:geheim@")
    lines = f"open {given}/lt000000000?{SIGNED}; count; history; open {given}/lt000000009?{SIGNED}; count {given}/x*"
    done = logdump("-c", lines)
    assert f"Current LogTrail is {web.url}/lt000000000\n" in done.out
    assert "has 15 records" in done.out
    assert "geheim" not in done.out + done.err
    assert any(SIGNED in path for _, path, _ in web.requests)
    assert "geheim" not in repr(place(f"{given}/lt?{SIGNED}"))


def test_options_of_a_store_are_never_shown(s3: str, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    put(f"{s3}/lt000000000", DATA)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    given = ("--storage", "s3:key=known", "--storage=s3:secret=geheim", "--storage", "http:key=unused")
    done = logdump("count", f"{s3}/lt000000000", *given)
    assert "has 15 records" in done.out
    store._stores.clear()
    done = logdump("count", f"{s3}/lt000000000", *given, "--storage", "client_kwargs.verify=geheim/x")
    assert done.status
    assert "geheim" not in done.out + done.err.replace("geheim/x", "")


def test_a_path_keeps_its_credentials_in_another_process() -> None:
    path = place("sftp://joe:geheim@host/dirdat/lt000000000")
    assert isinstance(path, RemotePath)
    make, values = path.__reduce__()
    url._credentials.clear()
    assert make(*values) == path
    assert path.url.credentials == ("joe", "geheim")
    assert str(path) == "sftp://joe@host/dirdat/lt000000000"
    assert "geheim" not in str(path)


def test_what_needs_a_package_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(NotATrail, match=r"s3:// needs pip install 'logdump\[remote\]'"):
        TrailFile("s3://bucket/lt000000000")


def test_what_is_kept_is_bounded_and_freed(trail_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "_LEAST_CACHE", 1 << 21)
    monkeypatch.setenv(CACHED, "1k")
    monkeypatch.setattr(remote_file, "_process", [])
    with TrailFile(trail_url) as trail:
        for _ in range(2):
            assert sum(lengths(trail)) == len(LONG)
            assert 1 << 20 < remote_file._shared().disk.used <= 1 << 21
    assert remote_file._shared().disk.used == 0


@pytest.mark.usefixtures("looks_each_time")
def test_an_object_that_is_written_again_with_equal_bytes_is_read_on(trail_url: str, web: TrailServer) -> None:
    with TrailFile(trail_url) as trail:
        trail.record_at(0)
        web.dates["/bucket/lt000000000"] = "Tue, 03 Jan 2023 10:00:00 GMT"
        assert sum(lengths(trail)) == len(LONG)


def test_a_folder_is_no_trail(s3: str, put: Put, tmp_path: Path) -> None:
    put(f"{s3}/dirdat/{NAME}", DATA)
    with pytest.raises(NotATrail, match="it is a directory"):
        TrailFile(f"{s3}/dirdat")
    assert not list(tmp_path.iterdir())
