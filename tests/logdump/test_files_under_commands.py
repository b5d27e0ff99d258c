"""A file that is removed, replaced or truncated while a command reads: the answer is that of before, or an error.

Files are changed at each opening of a command, whichever command it is: first its openings are counted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.session.session import Session
from tests.logdump.program import Answer, logdump
from tests.searching import IS_LONG, in_turn
from trailformat import TrailFile

_NAMES = ("st000000000", "st000000001")
_ACROSS = ("st000000000", "-c", "across on", "-c")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "doctor": ("doctor", "st"),
    "doctor of the open trail": (*_ACROSS, "doctor"),
    "count": ("count", "st"),
    "check": ("check", "st"),
    "recovery": ("recovery", "st"),
    "info": ("info", "st"),
    "transactions": (*_ACROSS, "transactions"),
    "heartbeat": ("heartbeat", "st"),
    "diff": ("diff", "st", "st"),
    "sql": ("sql", "SELECT op, rba FROM records", "st"),
    "sql of the open trail": (*_ACROSS, "sql SELECT op, rba FROM records"),
    "export": ("export", "st", "--format", "csv"),
    "export sql": (*_ACROSS, "export sql to -"),
    "redo": (*_ACROSS, "redo 100"),
    "undo": (*_ACROSS, "position eof; undo 100"),
    "safe": ("safe", "st000000000", "4528"),
    "row": ("row", "st", "TEAHOUSE.TEAS", "TEA_CODE=GYO01"),
    "explain restart": ("explain", "st", "RESTART"),
    "br": (*_ACROSS, "br"),
}


def remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def replace(path: Path) -> None:
    other = path.with_name("other")
    data = path.read_bytes() if path.exists() else b""
    other.write_bytes(data + data[-107:])
    other.replace(path)


def make_again(path: Path) -> None:
    if path.exists():
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data[:-107])


def truncate(path: Path) -> None:
    if path.exists():
        os.truncate(path, path.stat().st_size // 2)


@pytest.fixture
def fresh(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Make the trail again, in the current folder."""

    def make() -> Path:
        for name in _NAMES:
            (tmp_path / name).unlink(missing_ok=True)
            shutil.copy(trails / name, tmp_path / name)
        return tmp_path

    make()
    monkeypatch.chdir(tmp_path)
    return make


def _answer(command: str, at: int, change: Callable[[], object]) -> tuple[Answer, int]:
    """Return the answer while a change is made at this opening of a file, and the number of openings."""
    openings, opened = 0, TrailFile._open

    def open_it(self: TrailFile) -> object:
        nonlocal openings
        openings += 1
        if openings == at:
            change()
        return opened(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrailFile, "_open", open_it)
        answer = logdump(*_COMMANDS[command])
    return answer._replace(out="\n".join(line for line in answer.out.splitlines() if " free" not in line)), openings


@pytest.mark.parametrize(
    ("command", "change"), in_turn(_COMMANDS, [remove, replace, make_again, truncate]), ids=lambda some: str(some)[:20]
)
def test_the_answer_is_that_of_before_or_an_error(
    command: str, change: Callable[[Path], None], fresh: Callable[[], Path]
) -> None:
    before, openings = _answer(command, 0, lambda: None)
    places = range(2, openings + 1) if IS_LONG else sorted({2, (openings + 1) // 2, openings} - {0, 1})
    for name in _NAMES:
        for place in places:
            folder = fresh()
            after, _ = _answer(command, place, partial(change, folder / name))
            is_same = (after.status, after.out) == (before.status, before.out)
            assert is_same or after.status == 4, (name, place, openings, after)
            assert is_same or name in after.err + after.out, (name, place, after)


def test_a_session_whose_file_was_replaced_says_so_and_opens_the_new_one(
    fresh: Callable[[], Path], trails: Path
) -> None:
    path = fresh() / _NAMES[0]
    lines = ["next", "transactions", f"open {path}", "transactions"]
    session = Session()
    list(run_line(session, REGISTRY, f"open {path}"))
    shutil.copy(trails / "et000000000", path.with_name("other"))
    path.with_name("other").replace(path)
    statuses = [[getattr(event, "status", 0) for event in run_line(session, REGISTRY, line)] for line in lines]
    assert [max(some) for some in statuses] == [0, 4, 0, 0]
    session.end()
