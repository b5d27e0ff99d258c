from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.trailformat.samples import row, trail_of
from trailformat import NotATrail, TrailFile

_OPEN_FILES = Path("/proc/self/fd")


def refusal(path: Path | str) -> str:
    with pytest.raises(NotATrail) as caught:
        TrailFile(path)
    assert caught.value.path == Path(path)
    return str(caught.value)


def test_a_missing_file_is_not_a_trail(tmp_path: Path) -> None:
    assert refusal(tmp_path / "lt000000") == f"{tmp_path}/lt000000: No such file or directory"


def test_a_directory_is_not_a_trail(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: it is a directory"


def test_a_fifo_is_not_a_trail_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lt000000")
    said: list[str] = []
    asking = threading.Thread(target=lambda: said.append(refusal(tmp_path / "lt000000")), daemon=True)
    asking.start()
    asking.join(5)
    assert said == [f"{tmp_path}/lt000000: it is not a regular file"]


@pytest.mark.usefixtures("held_by_permissions")
def test_a_file_without_permission_is_not_a_trail(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row())
    path.chmod(0)
    assert refusal(path) == f"{path}: Permission denied"


def test_a_name_that_cannot_be_is_not_a_trail() -> None:
    assert "lt\0" in refusal("lt\0000000")


def test_an_empty_file_is_not_a_trail(tmp_path: Path) -> None:
    path = trail_of(tmp_path)
    assert refusal(path) == f"{path}, RBA 0: the file is empty; expected a file header or a record"


@pytest.mark.parametrize("data", [b"x", b"text of any kind\n" * 99, bytes(5000)], ids=["byte", "text", "zeros"])
def test_a_file_without_any_record_is_not_a_trail(tmp_path: Path, data: bytes) -> None:
    path = trail_of(tmp_path, data)
    assert refusal(path).startswith(
        f"{path}, RBA 0: this is not a trail file: no sound record in it; expected header token"
    )


@pytest.mark.parametrize("size", [1, 7, 8, 30])
def test_a_file_that_ends_in_its_first_record_is_not_a_trail_yet(tmp_path: Path, size: int) -> None:
    path = trail_of(tmp_path, row().raw[:size])
    assert refusal(path).startswith(f"{path}, RBA 0: the file ends inside its first record")


def test_a_file_whose_beginning_is_damaged_is_a_trail(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, b"junk", row())) as trail:
        assert trail.next_good_header(0) == 4
        assert trail.file_header is None


@pytest.mark.skipif(not _OPEN_FILES.is_dir(), reason="no list of open files")
def test_a_refused_file_is_not_left_open(tmp_path: Path) -> None:
    path = trail_of(tmp_path, b"text")
    before = len(list(_OPEN_FILES.iterdir()))
    refusal(path)
    assert len(list(_OPEN_FILES.iterdir())) == before
