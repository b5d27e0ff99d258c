"""The position of a session: what sets it, what it remembers of how it came there, and what forgets that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.cursor import Cursor
from tests.logdump.line import Line
from tests.searching import in_turn
from trailformat import CannotWrite, TrailFile

SHOP = TRAILS / "et000000000"
RBAS = [0, 1130, 1261, 1811, 2008, 2170, 2722, 2892, 3069, 3260]
"""Where the first records begin; each ends where the next one begins."""


def _read(cursor: Cursor) -> object:
    return cursor.read()


def _stand_on(cursor: Cursor) -> None:
    record = cursor.trail.record_at(2722)
    assert record is not None
    cursor.stand_on(record)


def _stand_before(cursor: Cursor) -> None:
    record = cursor.trail.record_at(2722)
    assert record is not None
    cursor.stand_before(record)


MOVES: dict[str, tuple[Callable[[Cursor], object], tuple[int, int], tuple[int, int]]] = {
    "move": (lambda cursor: cursor.move(1811), (1811, 1811), (1811, 1811)),
    "read": (_read, (2170, 2722), (2008, 2008)),
    "skip": (lambda cursor: cursor.skip(2), (2722, 2892), (1811, 1811)),
    "stand on": (_stand_on, (2722, 2892), (2722, 2722)),
    "stand before": (_stand_before, (2722, 2722), (2892, 2892)),
    "next good header": (lambda cursor: cursor.seek_good_header(backwards=False), (2170, 2722), (2170, 2170)),
}
"""From RBA 2170 on: the record read last and where the next read begins, forward and in reverse."""


@pytest.mark.parametrize(("name", "backwards"), in_turn(MOVES, [False, True]) + in_turn(MOVES, [True, False]))
def test_a_move_says_what_was_read_last_and_forgets_how_the_session_came_there(name: str, *, backwards: bool) -> None:
    move, forward, reverse = MOVES[name]
    with TrailFile(SHOP) as trail:
        cursor = Cursor(trail)
        cursor.move(2170)
        cursor.is_backwards = backwards
        cursor.search_back_from, cursor.export_begun_in = 1811, SHOP
        move(cursor)
        assert cursor.place == (SHOP, *(reverse if backwards else forward), backwards, None, None, None)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_search_back_goes_on_before_the_record_that_it_has_found(*, backwards: bool) -> None:
    with TrailFile(SHOP) as trail:
        cursor = Cursor(trail)
        cursor.is_backwards, cursor.next = backwards, 2892
        for rba, end in ((2722, 2892), (2170, 2722), (2008, 2170)):
            cursor.seek_good_header(backwards=True)
            assert cursor.place == (SHOP, rba, rba if backwards else end, backwards, rba, None, None)
        cursor.move(3069)
        cursor.seek_good_header(backwards=True)
        assert cursor.current == 2892


@pytest.mark.parametrize("backwards", [False, True])
def test_begin_reads_forward_from_the_first_row_of_its_time(*, backwards: bool) -> None:
    with TrailFile(SHOP) as trail:
        cursor = Cursor(trail)
        cursor.is_backwards, cursor.search_back_from = backwards, 1811
        row = trail.record_at(3260)
        assert row is not None
        cursor.begin(row.header.io_time)
        assert cursor.place == (SHOP, 3260, 3260, False, None, None, None)


PLACES = ["n 4", "pos 2722", "pos last; sfh prev; sfh prev", "n 4; pos rev", "pos last; pos rev; sfh prev; sfh prev"]
FAILING = {
    "find NOWHERE": "No record with NOWHERE",
    "sft abort": "No record",
    "save out": "one file cannot hold both",
    "save taken": "exists already",
    "export jsonl to out": "the disk is full",
    "export jsonl to taken": "exists already",
    "pos csn 99999999": "No record with CSN",
}
"""Lines that fail over files, some in the second one, and what they say."""


def _no_room(*_of_all_that_is_written: object) -> None:
    """The disk is full when the last record of the last file is written."""
    raise CannotWrite("the disk is full", path=Path("out"))


@pytest.mark.parametrize("failing", FAILING)
@pytest.mark.parametrize("place", PLACES)
def test_what_fails_in_the_next_file_comes_back_to_all_of_the_position(
    failing: str, place: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("logdump.features.export.exporting.check_whole", _no_room)
    (tmp_path / "taken").write_bytes(b"before")
    (tmp_path / "st000000000").write_bytes((TRAILS / "st000000000").read_bytes())
    (tmp_path / "st000000001").write_bytes((TRAILS / "sl000000001").read_bytes())
    line(f"open st000000000; across on; {place}")
    here = line.session.cursor.place
    assert FAILING[failing] in " ".join(line(failing))
    assert line.session.cursor.place == here
    assert (tmp_path / "taken").read_bytes() == b"before"


@pytest.mark.parametrize("writing", ["export jsonl to out", "save out"])
@pytest.mark.parametrize("direction", ["", "; pos rev"])
def test_what_writes_over_files_is_behind_the_last_record_in_the_direction_before(
    writing: str, direction: str, line: Line, trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line(f"open {trails}/st000000000; across on; n 6{direction}; {writing}")
    assert not line.failures
    begun = line.session.trail.path.with_name("st000000000") if "export" in writing else None
    last, end = line.session.trail.path, line.session.trail.size
    assert last.name == "st000000001"
    assert line.session.cursor.place == (last, end, end, bool(direction), None, begun, None)
