"""``logdump.hst``: what is kept of a history, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logdump.line.history_file import UnusableHistory, history_path, load_history, save_history
from logdump.session.session import History


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "logdump.hst"


def test_a_history_comes_back_as_it_was_saved(path: Path) -> None:
    save_history(path, History(["open dirdat/lt", "count; détail"], 124))
    again = load_history(path)
    assert (again.lines, again.number, again.first) == (["open dirdat/lt", "count; détail"], 124, 122)


def test_the_file_is_text_with_the_next_number_in_front(path: Path) -> None:
    save_history(path, History(["ghdr on"]))
    assert path.read_text() == "logdump history, next 2\nghdr on\n"


def test_an_empty_history_is_a_history(path: Path) -> None:
    save_history(path, History())
    assert load_history(path).number == 1


def test_no_file_is_an_empty_history(path: Path) -> None:
    assert load_history(path).number == 1


def test_only_its_owner_can_read_it(path: Path) -> None:
    save_history(path, History(["ghdr on"]))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_control_characters_are_written_out(path: Path) -> None:
    save_history(path, History(["x echo \x1b[2J\n", "caf\udce9"]))
    assert load_history(path).lines == [r"x echo \x1b[2J\n", r"caf\udce9"]


def test_a_symbolic_link_stays_one(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")
    save_history(path, History(["ghdr on"]))
    assert path.is_symlink()
    assert load_history(tmp_path / "elsewhere").lines == ["ghdr on"]


def test_nothing_is_left_behind_when_it_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_history(path, History(["ghdr on"]))

    def full(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UnusableHistory, match="No space left"):
        save_history(path, History(["reclen"]))
    assert list(path.parent.iterdir()) == [path]
    assert load_history(path).lines == ["ghdr on"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"logdump history, next 2",
        b"export PATH=/bin\n",
        b"logdump history, next x\n",
        b"logdump history, next 99999999999999999999\n",
        b"logdump history, next 3\nghdr on\n\x1b[2J\n",
        b"logdump history, next 3\nghdr on\nhalf a line",
        b"logdump history, next 2\nghdr on\nreclen\n",
        b"logdump history, next 2\n\xff\xfe\n",
        bytes(5_000_000),
    ],
)
def test_a_file_that_is_not_ours_is_refused(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(UnusableHistory):
        load_history(path)


def test_what_is_no_regular_file_is_refused_and_not_waited_for(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(UnusableHistory, match=r"it is (not a regular file|a directory)"):
        load_history(path)
    with pytest.raises(UnusableHistory, match=r"it is (not a regular file|a directory)"):
        load_history(path.parent)


def test_the_variable_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/tea")
    assert history_path({"LOGDUMP_HISTORY": "/u01/my.hst"}) == Path("/u01/my.hst")
    assert history_path({"LOGDUMP_HISTORY": "~/my.hst"}) == Path("/home/tea/my.hst")
    assert history_path({"LOGDUMP_HISTORY": "my.hst"}) == tmp_path / "my.hst"


def test_an_empty_variable_keeps_none() -> None:
    assert history_path({"LOGDUMP_HISTORY": ""}) is None


def test_without_the_variable_it_is_in_the_state_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/tea")
    assert history_path({"XDG_STATE_HOME": "/var/state"}) == Path("/var/state/logdump/logdump.hst")
    assert history_path({}) == Path("/home/tea/.local/state/logdump/logdump.hst")
    assert history_path({"XDG_STATE_HOME": "relative"}) == Path("/home/tea/.local/state/logdump/logdump.hst")
