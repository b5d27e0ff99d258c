from __future__ import annotations

import os
from pathlib import Path

import pytest

from trailformat import CannotWrite
from trailformat.whole_file import WholeFile


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
