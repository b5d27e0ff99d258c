"""Where REPAIR writes: what it replaces, what it never touches, and what is left where it fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from fixtures import TRAILS
from logdump.features.repair.plan import TransactionPlan
from tests.logdump.line import Line
from tests.logdump.repair.repaired import refused, rows
from tests.trailformat.samples import trail_of
from trailformat.trail.whole_file import is_copy, mark_as_copy


def test_a_target_is_no_file_of_the_source_s_trail(line: Line, tmp_path: Path) -> None:
    trail_of(tmp_path, *rows("a"), name="tt000000000")
    line(f"open {tmp_path / 'tt000000000'}; repair to {tmp_path / 'tt000000001'}")
    assert refused(line).endswith("would be a file of the trail of tt000000000: REPAIR takes another name.")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "tt000000000"} replace')
    assert "REPAIR never writes over it" in refused(line)


def test_only_a_copy_that_was_made_by_us_is_replaced(line: Line, tmp_path: Path) -> None:
    mine, made = tmp_path / "aa000000000", tmp_path / "bb000000000"
    mine.write_bytes(b"mine")
    line(f"open {TRAILS / 'et000000000'}; repair to {mine} replace")
    assert "is not known to be a copy" in refused(line)
    assert mine.read_bytes() == b"mine"
    line(f"save {made} 3 records")
    if not is_copy(made):
        pytest.skip("the file system has no attributes")
    line(f"repair to {made}")
    assert "REPLACE replaces a copy" in refused(line)
    for _ in range(2):
        line(f"repair to {made} replace")
        assert made.read_bytes() == (TRAILS / "et000000000").read_bytes()


def _full(_handle: int) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _interrupted(_handle: int) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("fail", [_full, _interrupted])
def test_a_full_disk_and_an_interrupt_leave_nothing(
    fail: Callable[[int], NoReturn], line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"open {TRAILS / 'ft000000000'}")
    monkeypatch.setattr(os, "fsync", fail)
    try:
        line(f"repair to {tmp_path / 'cp000000000'}")
    except KeyboardInterrupt:
        assert fail is _interrupted
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", ["", "all"])
def test_a_copy_that_lacks_more_than_is_told_does_not_get_its_name(
    words: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = TransactionPlan.takes
    monkeypatch.setattr(TransactionPlan, "takes", lambda plan, place: place.rba != 1811 and taken(plan, place))
    line(f"open {TRAILS / 'et000000000'}; repair to {tmp_path / 'cp000000000'} {words}")
    assert "differs from the source in more than what is left out" in refused(line)
    assert list(tmp_path.iterdir()) == []


def test_a_mark_is_of_the_file_and_not_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        mark_as_copy(file.fileno())
    if not is_copy(path):
        pytest.skip("the file system has no attributes")
    path.unlink()
    path.write_bytes(b"another")
    assert not is_copy(path)
