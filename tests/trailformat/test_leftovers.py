"""What a killed writer leaves is removed by the next one there; what a living one holds, or somebody else's, never."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from fixtures import TRAILS
from tests.logdump.program import COMMAND, ENVIRONMENT, logdump
from tests.searching import Random, examples
from trailformat import TrailFile, TrailWriter
from trailformat.codec.environment import user_folder
from trailformat.trail.whole_file import WholeFile, WholeFolder, leftovers, sweep


def test_a_variable_names_the_folder_of_each_kind() -> None:
    environment = {"XDG_CONFIG_HOME": "/u01/etc", "XDG_STATE_HOME": "/var/state"}
    folders = [user_folder(kind, environment) for kind in ("config", "state")]
    assert folders == [Path("/u01/etc/logdump"), Path("/var/state/logdump")]


@pytest.mark.parametrize("value", [None, "", "relative", "~/state"])
def test_without_an_absolute_path_the_folder_is_in_the_home_directory(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/tea")
    environment = {} if value is None else {"XDG_STATE_HOME": value}
    assert user_folder("state", environment) == Path("/home/tea/.local/state/logdump")


def test_without_a_home_directory_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert user_folder("state", {}) is None


HOLD = """
import sys
from pathlib import Path
from trailformat.trail.whole_file import WholeFile, WholeFolder
with {kind}(Path(sys.argv[1])) as whole:
    if {kind} is WholeFolder:
        (whole.staged / "letter").write_bytes(b"half")
    else:
        whole.write(b"half")
    print(whole.staged, flush=True)
    sys.stdin.read()
"""


@contextmanager
def _writer(target: Path, kind: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that writes to a target until it is told to finish; and where it writes."""
    command = [sys.executable, "-c", HOLD.format(kind=kind), str(target)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, env=ENVIRONMENT, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())
        process.kill()


@pytest.mark.parametrize("kind", ["WholeFile", "WholeFolder"])
def test_the_work_of_a_killed_writer_goes_and_that_of_a_living_one_stays(kind: str, tmp_path: Path) -> None:
    with _writer(tmp_path / "killed", kind) as (killed, dead), _writer(tmp_path / "living", kind) as (living, held):
        killed.kill()
        killed.wait()
        assert dead.exists()
        with WholeFile(tmp_path / "next") as file:
            file.write(b"whole")
        assert not dead.exists()
        assert held.exists()
        living.communicate("", timeout=60)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["living", "next"]


@pytest.mark.parametrize("kind", [WholeFile, WholeFolder])
def test_a_writer_of_the_same_process_is_a_living_one(kind: type[WholeFile | WholeFolder], tmp_path: Path) -> None:
    with kind(tmp_path / "note") as whole:
        sweep(tmp_path)
        assert whole.staged.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_all_files_of_a_living_writer_stay(tmp_path: Path) -> None:
    with TrailFile(TRAILS / "et000000000") as source, TrailWriter(tmp_path / "lt000000", max_bytes=1) as writer:
        for record in source.records(source.first_rba):
            writer.write(record)
            sweep(tmp_path)
    assert all(path.exists() for path in writer.paths)
    assert len(list(tmp_path.iterdir())) == len(writer.paths) > 2


@pytest.mark.parametrize(
    "name",
    [
        ".note.0123456789ab.part",
        ".note.part",
        "note.MACHINE-0123456789ab.part",
        ".note.othermachine-0123456789ab.part",
        ".note.MACHINE-0123456789ab.part.txt",
        ".note.MACHINE-x123456789ab.part",
    ],
)
def test_what_is_not_provably_ours_stays(name: str, tmp_path: Path) -> None:
    path = tmp_path / name.replace("MACHINE", leftovers._machine())
    path.write_text("mine")
    sweep(tmp_path)
    assert path.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_another_user_has_left_stays(tmp_path: Path) -> None:
    path = _leftover(tmp_path)
    os.chown(path, 65534, 65534)
    sweep(tmp_path)
    assert path.exists()


def test_a_link_that_is_called_like_a_leftover_stays(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine")
    path = _leftover(tmp_path)
    path.unlink()
    path.symlink_to("note")
    sweep(tmp_path)
    assert (tmp_path / "note").read_text() == "mine"
    assert path.is_symlink()


def test_where_nothing_can_be_locked_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = _leftover(tmp_path)
    monkeypatch.setattr(leftovers, "fcntl", None)
    with WholeFile(tmp_path / "note") as file:
        sweep(tmp_path)
        assert file.staged.exists()
        assert "-" not in file.staged.name
    assert dead.exists()


@pytest.mark.parametrize("kind", [WholeFile, WholeFolder])
@pytest.mark.parametrize("moment", [(os, "open"), (leftovers, "lock")], ids=lambda moment: moment[1])
def test_a_writer_whose_file_is_swept_before_it_is_locked_makes_another(
    moment: tuple[ModuleType, str], kind: type[WholeFile | WholeFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sweeps of others come once before each step of what makes it."""
    call, swept = getattr(*moment), list[Path]()

    def sweep_first(*some: object, **more: object) -> object:
        for path in () if swept else tmp_path.glob(".out.*"):
            swept.append(path)
            path.rmdir() if path.is_dir() else path.unlink()
        return call(*some, **more)

    monkeypatch.setattr(*moment, sweep_first)
    with kind(tmp_path / "out") as whole:
        assert whole.staged.exists()
        assert len(swept) == (moment[1] != "open" or kind is WholeFolder), "a file has its handle as it is made"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_in_one_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        leftovers.make(tmp_path / "gone" / "out", leftovers.create_folder)


def _leftover(folder: Path, state: str = "part") -> Path:
    path = folder / f".out.{leftovers._machine()}-0123456789ab.{state}"
    path.write_text("half")
    return path


def test_a_folder_that_was_about_to_be_replaced_gets_its_name_back(tmp_path: Path) -> None:
    for state in ("part", "former"):
        path = _leftover(tmp_path, state)
        path.unlink()
        path.mkdir()
        (path / "letter").write_text(state)
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "letter").read_text() == "former"


@pytest.mark.parametrize(("is_complete", "text"), [(False, "former"), (True, "new")])
def test_a_file_whose_writer_was_killed_between_two_names_is_as_before(
    is_complete: bool, text: str, tmp_path: Path
) -> None:
    _leftover(tmp_path, "former").write_text("former")
    (tmp_path / "out").write_text("new")
    if not is_complete:
        _leftover(tmp_path)
    sweep(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out": text}


def test_a_folder_that_was_replaced_goes(tmp_path: Path) -> None:
    former = _leftover(tmp_path, "former")
    former.unlink()
    former.mkdir()
    (tmp_path / "out").mkdir()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_keeps_its_name_when_the_new_one_cannot_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter").write_text("former")
    rename, calls = Path.rename, iter([True])

    def failing(path: Path, target: Path) -> Path:
        if path.name.endswith(".part") and next(calls, False):
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(Exception, match="Input/output error"), WholeFolder(tmp_path / "out"):
        pass
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "letter"]


COMMANDS = ("save T !", "export jsonl to T", "export csv to T by table replace")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_command_leaves_nothing_or_all_and_the_next_one_cleans_up(command: str, tmp_path: Path) -> None:
    source = tmp_path / "lt000000000"
    with TrailFile(TRAILS / "et000000000") as trail:
        head = trail.first_rba
    data = (TRAILS / "et000000000").read_bytes()
    source.write_bytes(data[:head] + data[head:] * 25)
    folder, draw = tmp_path / "out", Random(command)
    folder.mkdir()
    whole = _contents(folder, source, command)
    for _ in range(examples(1)):
        with subprocess.Popen(
            [*COMMAND, "-c", _script(folder, source, command)], stderr=subprocess.DEVNULL, env=ENVIRONMENT
        ) as process:
            began = time.monotonic()
            while process.poll() is None and not any(folder.iterdir()) and time.monotonic() < began + 60:
                time.sleep(0.001)
            time.sleep(draw.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
        left = [path for path in folder.iterdir() if path.name == "target"]
        assert not left or _bytes(folder / "target") == whole
        assert all(path.name.endswith(".part") for path in folder.iterdir() if path.name != "target")
    assert _contents(folder, source, command) == whole


def _script(folder: Path, source: Path, command: str) -> str:
    return f"open {source}; {command.replace('T', str(folder / 'target'))}"


def _contents(folder: Path, source: Path, command: str) -> dict[str, bytes]:
    """What the command writes when nobody kills it; nothing else is left in the folder, and that is taken away."""
    if (folder / "target").exists():
        (folder / "target").rename(source.with_name(f"taken{time.monotonic_ns()}"))
    assert logdump("-c", _script(folder, source, command)).status == 0
    assert [path.name for path in folder.iterdir()] == ["target"]
    found = _bytes(folder / "target")
    (folder / "target").rename(source.with_name(f"taken{time.monotonic_ns()}"))
    return found


def _bytes(target: Path) -> dict[str, bytes]:
    files = sorted(target.iterdir()) if target.is_dir() else [target]
    return {path.name: path.read_bytes() for path in files}
