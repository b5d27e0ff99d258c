"""A search that Ctrl+C stops: that, where, and what was searched in vain is said, and the position stays."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.cursor import Place
from logdump.session.events import Notice, Progress
from logdump.session.known_record import KnownRecord
from tests.logdump.line import Line
from tests.logdump.test_partial import _run
from tests.searching import IS_LONG
from trailformat import TrailFile

FIRST = "at000000000"
SEARCHES = {
    "sfnt": "pos 2560; sfnt",
    "sfet": "pos 1130; sfet",
    "sfet over files": "across on; pos 2722; sfet",
    "sft": "pos 0; sft RestartAbend",
    "sft in vain": "pos 0; sft Delete",
    "sft back": "pos eof rev; sft insert, teahouse.sales",
    "sft over files": "across on; pos 1130; sft Delete",
    "sft over files back": "across on; pos last; pos rev; sft Delete",
    "sfr": "pos 0; sfr 4711",
    "sfts": "pos 0; sfts 2030-01-01 00:00:00",
    "sfmd": "pos 1811; sfmd ddr",
    "sfh": "pos 2; sfh",
    "sfh prev": "pos eof; sfh prev",
    "find": "pos 0; find nowhere",
    "find back": "pos eof; find nowhere; find previous",
    "sametable": "pos 0; sft insert, teahouse.sales; sametable",
    "sametable back": "pos last; n; sametable previous",
    "transaction next": "pos 1811; transaction next",
    "transaction previous": "pos last; transaction previous",
    "transaction over files": "across on; pos last; transaction next",
    "pos csn": "pos 1130; pos csn 41882368",
    "pos csn in vain": "pos 1130; pos csn 999999999",
    "pos time": "pos 1130; pos time 2024-03-14 09:33:30",
    "pos record": "pos 1130; pos record 9999",
    "begin": "pos 1130; begin 2024-03-14 09:36:00",
}
STOPPED = re.compile(
    r"Stopped at RBA (?P<to>\d+) of (?P<to_file>\S+): "
    r"no .+ from RBA (?P<since>\d+)(?: of (?P<since_file>\S+))? to there, the position stays\.\Z"
    r"|Stopped with nothing searched yet for .+: the position stays\.\Z"
)


_FEW = 12
"""In the short form a search that goes to its trails more often is stopped at every second time."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (FIRST, "at000000001"):
        (tmp_path / name).write_bytes((TRAILS / name).read_bytes())
    return tmp_path


def _found(line: Line) -> tuple[str, int] | None:
    """The place of the record that a whole search displays or stands at; None without one."""
    shown = [event.record for event in line.events if isinstance(event, KnownRecord)]
    if line.failures:
        return None
    at = shown[-1].rba if shown else line.session.cursor.next
    return str(line.session.trail.path), at


def _before(line: Line, folder: Path, entered: str) -> tuple[str, Place]:
    *before, command = entered.split("; ")
    line(f"timeoffset gmt; across off; filter clear all; open {folder / FIRST}; notify 1; {'; '.join(before)}")
    return command, line.session.cursor.place


@pytest.mark.parametrize("name", SEARCHES)
def test_a_stopped_search_says_where_and_stays(name: str, folder: Path, line: Line) -> None:
    command, start = _before(line, folder, SEARCHES[name])
    calls = count()
    _run(line, command, -1, calls)
    _before(line, folder, SEARCHES[name])
    line(command)
    found, ranges = _found(line), 0
    number = next(calls)
    for call in range(0, number, 1 if IS_LONG or number < _FEW else 2):
        _before(line, folder, SEARCHES[name])
        told, is_stopped = _run(line, command, call, count())
        told = [event for event in told if not isinstance(event, Progress)]
        if not is_stopped:
            continue
        assert line.session.cursor.place == start, call
        notices = [event for event in told if isinstance(event, Notice) and event.status == 130]
        assert len(notices) == 1, (call, told)
        match = STOPPED.match(notices[0].lines[0])
        assert match, notices[0].lines
        assert not [event for event in told if isinstance(event, KnownRecord)]
        if match["to"]:
            ranges += 1
            since = match["since_file"] or match["to_file"], int(match["since"])
            low, high = sorted((since, (match["to_file"], int(match["to"]))))
            assert low < high
            assert found is None or not low <= found < high, "it stands in the range that is told"
            assert Path(match["to_file"]).parent == folder
    assert ranges or name in ("sfh prev", "sfh", "sfr", "sametable", "pos csn in vain", "transaction previous"), (
        "it says how far it came"
    )


def test_a_stopped_search_for_a_header_says_how_far_it_came(
    tmp_path: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((TRAILS / path.name).read_bytes())
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(24 << 20)
    line(f"open {path}; pos {size}")
    reports = count()

    def search(trail: TrailFile, rba: int, *arguments: object) -> int | None:
        from trailformat.trail import command_files

        command_files.report_search(rba + 4096)
        if next(reports) == 0:
            raise KeyboardInterrupt
        return original(trail, rba, *arguments)  # type: ignore[arg-type]

    original = TrailFile.next_good_header
    monkeypatch.setattr(TrailFile, "next_good_header", search)
    told, is_stopped = _run(line, "sfh", -1, count())
    assert is_stopped
    (notice,) = [event for event in told if isinstance(event, Notice)]
    assert notice.lines == (
        f"Stopped at RBA {size + 4096} of {path}: no good header from RBA {size} to there, the position stays.",
    )
    assert line.session.cursor.next == size


@pytest.mark.parametrize("command", ["sfh prev", "pos eof; find nowhere"])
def test_a_search_that_fails_leaves_the_place(command: str, folder: Path, line: Line) -> None:
    """SFH PREV goes on from the record before; at the first it fails however often it is entered."""
    line(f"open {folder / FIRST}; pos 1130; sfh prev")
    assert line.session.cursor.current == 0
    *before, last = command.split("; ")
    line("; ".join(before))
    start = line.session.cursor.place
    for _ in range(2):
        shown = line(last)
        assert "No " in shown[0]
        assert line.session.cursor.place == start


def test_the_range_of_a_second_search_begins_where_the_first_one_ended(folder: Path, line: Line) -> None:
    line(f"open {folder / FIRST}; notify 1; pos 1130; sfet")
    end = line.session.cursor.current
    said = []
    for call in range(20):
        command, _ = _before(line, folder, "pos 1130; sfet")
        told, is_stopped = _run(line, command, call, count())
        lines = [event.lines[0] for event in told if isinstance(event, Notice) and event.status == 130]
        said += [text for text in lines if is_stopped and "next transaction" in text]
    assert said
    assert {match["since"] for text in said if (match := STOPPED.match(text))} <= {str(end), None}
