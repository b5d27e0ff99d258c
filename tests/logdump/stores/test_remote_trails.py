"""A trail in a store, or compressed, gives the answers of one on this machine, whatever is asked."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from logdump.session.session import Session
from logdump.tui.reading.start_page import StartPlace
from tests.logdump.program import logdump
from tests.logdump.test_linear import COMMANDS, PARAMETERS
from tests.logdump.test_packed import NAMES, QUESTIONS
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.resting import come_to_rest
from tests.searching import in_turn, part_of
from trailformat import TrailFile
from trailformat.codec.remote import file as remote_file
from trailformat.codec.remote import store
from trailformat.codec.remote.path import place
from trailformat.trail.sequence import TrailSequence

Put = Callable[[str, bytes], None]
ASKED = part_of(
    [
        *COMMANDS,
        *(question.replace("{trail}", "TWIN") for question in QUESTIONS),
        "open FOLDER/at; count",
        "across on; count log ALL csv",
    ],
    0,
)
"""Each is asked in one of the places."""
FILES = {
    f"{folder}/{name}": (TRAILS / name).read_bytes().replace(b"Uji", row_name)
    for folder, row_name in (("trail", b"Uji"), ("twin", b"Uyi"))
    for name in NAMES
}


def fill(put: Put, folder: str) -> Path:
    for name in NAMES:
        put(f"{folder}/{name}", (TRAILS / name).read_bytes())
    return place(folder)


OF_THE_MOMENT = re.compile(
    r"(?m)(?<=Session log ).*|\d+ MB/s here|(?<=lookup time).*(?= across)|^Disk .*\n"
    r"|\d{4}/\d\d/\d\d [\d:]{8}\.\d{3}\.\d{3}(?=  +\d+  \d+$)|(?<=Made . )\S+Z"
)
"""What two runs of a command, or two places of a file, have not in common: times, rates and the free space."""
Result = tuple[str, dict[str, Any]]
_HAS_DOCTOR = re.compile("doctor|report")


def _joined(text: str) -> str:
    """Return a page of DOCTOR without its breaks of lines and its columns, which are as wide as the names of files."""
    return " ".join(text.split())


class Kept(NamedTuple):
    """Where a trail of three files and its twin, in which rows have another value, are kept."""

    folder: Path
    suffix: str = ""
    sizes: tuple[tuple[int, int], ...] = ()
    """The bytes that a file takes, packed and not, and all files of the trail together."""
    typed: str = ""
    """The folder as it is entered, where that is another text: with a password, which no answer may have in it."""

    def result(self, command: str, out: Path) -> Result:
        """What a command prints and writes, as if the files lay in no folder and were not packed."""
        out.mkdir()
        (out / "params.prm").write_text(PARAMETERS)
        first, folder = f"{NAMES[0]}{self.suffix}", self.typed or str(self.folder)
        names = {
            "OUT": out / "ou000000000",
            "TWIN": f"{folder}/twin/{first}",
            "FIRST": f"{folder}/trail/{first}",
            "ALL": f"{folder}/trail/*",
            "ROW": 2722,
            "PARAMS": out / "params.prm",
            "FOLDER": f"{folder}/trail",
        }
        line = f"timeoffset gmt; open FIRST; {command}"
        for name, value in names.items():
            line = line.replace(name, str(value))
        done = logdump("-c", line)
        lines = [text for text in (done.out + done.err).splitlines(True) if not text.startswith("It is packed")]
        written = {str(path.relative_to(out)): self._content(path) for path in out.rglob("*") if path.is_file()}
        rmtree(out)
        printed = self._plain("".join(lines))
        if not _HAS_DOCTOR.search(command):
            return printed, written
        return _joined(printed), {name: _joined(text) for name, text in written.items()}

    def _content(self, path: Path) -> Any:
        """The bytes of a file that was written; of one of Arrow or Parquet the rows."""
        data = path.read_bytes()
        if data.startswith((b"ARROW1", b"PAR1")):
            table = pa.ipc.open_file(data).read_all() if data.startswith(b"A") else pq.read_table(path)
            return self._plain(str(table.to_pylist()))
        text = data.decode("latin-1")
        return self._plain(text.replace("\\", "") if path.suffix == ".md" else text)

    def _plain(self, text: str) -> str:
        text = OF_THE_MOMENT.sub("", text).replace(f"{self.folder}/", "")
        for packed, size in self.sizes:
            text = text.replace(str(packed), str(size)).replace(f"{packed:,}", f"{size:,}")
        return re.sub(" {2,}", "  ", text.replace(self.suffix, "") if self.suffix else text)


KEPT = ("s3", "http", "gz")


@pytest.fixture(params=KEPT)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    if request.param == "gz":
        packed = {name: gzip.compress(data) for name, data in FILES.items()}
        sizes = [(len(packed[name]), len(FILES[name])) for name in FILES]
        trail = [name for name in FILES if name.startswith("trail")]
        sizes.append((sum(len(packed[name]) for name in trail), sum(len(FILES[name]) for name in trail)))
        for name, data in packed.items():
            (tmp_path / "packed" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "packed" / f"{name}.gz").write_bytes(data)
        return Kept(tmp_path / "packed", ".gz", tuple(sizes))
    if request.param == "http":
        web = request.getfixturevalue("web")
        web.files |= {f"/dirdat/{name}": data for name, data in FILES.items()}
        web.wanted_header = ("Authorization", "Basic am9lOmdlaGVpbQ==")
        return Kept(place(f"{web.url}/dirdat"), typed=f"{web.url.replace('://', '://joe:geheim@')}/dirdat")
    bucket, put = request.getfixturevalue("s3"), request.getfixturevalue("put")
    for name, data in FILES.items():
        put(f"{bucket}/dirdat/{name}", data)
    return Kept(place(f"{bucket}/dirdat"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is written to: one for all, since its name stands in what is written."""
    return tmp_path_factory.mktemp("written") / "out"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, out: Path) -> Callable[[str], Result]:
    folder = tmp_path_factory.mktemp("here")
    for name, data in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return cache(lambda command: Kept(folder).result(command, out))


def test_each_command_has_the_result_of_the_trail_that_lies_here(
    kept: Kept, expected: Callable[[str], Result], out: Path, request: pytest.FixtureRequest
) -> None:
    where = request.node.callspec.params["kept"]
    asked = [command for place, command in in_turn(KEPT, ASKED) if place == where]
    assert [command for command in asked if kept.result(command, out) != expected(command)] == []


def test_files_of_a_bucket_are_one_trail(s3: str, put: Put) -> None:
    folder = fill(put, f"{s3}/dirdat")
    paths = TrailSequence(folder / NAMES[1]).paths
    assert [str(path) for path in paths] == [f"{s3}/dirdat/{name}" for name in NAMES]
    for path, name in zip(paths, NAMES, strict=True):
        with TrailFile(path) as trail, TrailFile(TRAILS / name) as plain:
            assert [record.raw for record in trail.records()] == [record.raw for record in plain.records()]
    for word in ("dirdat/at*", "dirdat/at", "dirdat"):
        counted = logdump("count", f"{s3}/{word}")
        assert "3 files, has 30 records" in counted.out, (word, counted.err)


def test_a_trail_that_is_written_in_a_bucket_is_followed(s3: str, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (TRAILS / NAMES[0]).read_bytes()
    expected = [line.split()[0] for line in logdump("list", str(TRAILS / NAMES[0])).out.splitlines()]
    put(f"{s3}/dirdat/{NAMES[0]}", whole[:2000])
    looks, clock = [3000, 3001, len(whole)], [0.0]

    def sleep(seconds: float) -> None:
        if looks:
            put(f"{s3}/dirdat/{NAMES[0]}", whole[: looks.pop(0)])
        else:
            clock[0] += seconds

    monkeypatch.setattr(remote_file, "POLL", 0)
    monkeypatch.setattr(store, "RECENT", 0)
    # of this module alone: the clients of stores have clocks of their own
    monkeypatch.setattr("logdump.features.list.command.time", SimpleNamespace(sleep=sleep, monotonic=lambda: clock[0]))
    done = logdump(f"{s3}/dirdat/{NAMES[0]}", "-c", "follow list idle 1")
    shown = [line.split()[0] for line in done.out.splitlines() if line[:1].isspace() or line[:1].isdigit()]
    assert shown == expected, done.err


def test_the_screen_opens_a_trail_of_the_start_page_of_a_bucket(s3: str, put: Put) -> None:
    folder = fill(put, f"{s3}/dirdat")

    async def steps(screen: Screen) -> None:
        await come_to_rest(lambda: screen.app.is_quiet)
        assert "2024/03/14 09:38:00" in screen.text
        await screen.press("enter")
        await come_to_rest(lambda: screen.app.is_quiet)
        path = screen.app.model.state.path
        assert str(path) == f"{s3}/dirdat/{NAMES[0]}"
        await screen.press("G")
        await come_to_rest(lambda: screen.app.is_quiet)
        assert "3939" in screen.text
        await screen.press("O")
        assert "2024/03/14 09:38:00" in screen.text

    drive(steps, first="", session=Session(), start=StartPlace((str(folder),)), place="trails")
