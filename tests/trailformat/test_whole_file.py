from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trailformat.open_files import OPEN_FILES, open_files
from trailformat import CannotWrite
from trailformat.trail.whole_file import StagedFiles, WholeFile, staged


def test_the_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "note"
    with WholeFile(path) as file:
        file.write(b"half ")
        assert not path.exists()
        file.write(b"and half")
    assert path.read_bytes() == b"half and half"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_exception_leaves_nothing_behind(error: type[BaseException], tmp_path: Path) -> None:
    def interrupted() -> None:
        with WholeFile(tmp_path / "note") as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_stays_unless_it_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "note"
    path.write_bytes(b"old")
    with pytest.raises(CannotWrite, match="exists already"):
        WholeFile(path)
    with WholeFile(path, replace=True) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="No such file"):
        WholeFile(tmp_path / "nowhere" / "note")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotWrite, match="No space left"), WholeFile(tmp_path / "note") as file:
        file.write(b"half")
    assert list(tmp_path.iterdir()) == []


def _staged(folder: Path, names: list[str], *, replace: bool = True) -> StagedFiles:
    """Files that are complete and wait for their names."""
    files = StagedFiles(replace=replace)
    for name in names:
        file = files.new(folder / name)
        file.write(b"new")
        files.finish(file)
    return files


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("failing", ["a", "b", "c"])
def test_files_that_were_replaced_come_back_when_another_cannot_get_its_name(
    failing: str, links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"old")
    files, replace = _staged(tmp_path, ["a", "b", "c"]), Path.replace

    def refusing(path: Path, target: Path) -> Path:
        if path.name.endswith(".part") and target.name == failing:
            raise OSError(5, "Input/output error")
        return replace(path, target)

    def no_links(_path: Path, _target: Path) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(Path, "replace", refusing)
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    with pytest.raises(OSError, match="Input/output error"):
        files.publish()
    files.discard()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old", "b": b"old"}


def test_files_that_are_replaced_together_leave_nothing_beside(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    _staged(tmp_path, ["a", "b"]).publish()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"new", "b": b"new"}


@pytest.mark.parametrize("replace", [True, False])
def test_where_the_first_file_has_its_name_all_have_theirs(
    replace: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def watched(way: Callable[[Path, Path], object]) -> Callable[[Path, Path], None]:
        def name(path: Path, target: Path) -> None:
            way(path, target)
            seen.append({name for name in "abc" if (tmp_path / name).exists()})

        return name

    monkeypatch.setattr(Path, "replace", watched(Path.replace))
    monkeypatch.setattr(Path, "hardlink_to", watched(Path.hardlink_to))
    _staged(tmp_path, ["a", "b", "c"], replace=replace).publish()
    assert seen == [{"c"}, {"b", "c"}, {"a", "b", "c"}]


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="the system does not list open files")
@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"]])
@pytest.mark.parametrize("is_durable", [True, False])
@pytest.mark.parametrize("replace", [True, False])
def test_bytes_are_on_disk_before_their_names_and_names_before_the_writer_is_done(
    replace: bool, is_durable: bool, names: list[str], tmp_path: Path, synced: list[Path]
) -> None:
    files = StagedFiles(replace=replace, is_durable=is_durable)
    for name in names:
        file = files.new(tmp_path / name)
        file.write(b"new")
        files.finish(file)
    assert synced == (list(files.paths) if is_durable else [])
    assert not set(names) & {path.name for path in tmp_path.iterdir()}
    synced.clear()
    files.publish()
    assert synced == ([tmp_path] if is_durable else [])
    assert set(names) <= {path.name for path in tmp_path.iterdir()}


def _freeing() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "logdump frees"]


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="the system does not list open files")
@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_a_long_file_that_is_replaced_is_closed_beside(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged, "_LONG", 1)
    for name in names:
        (tmp_path / name).write_text("old")
    _staged(tmp_path, names).publish()
    for thread in _freeing():
        thread.join()
    assert open_files(tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == names
