"""Under Logdump's own switches every record is shown in Logdump's own lines: scripts read them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands.records.first_match import show_record
from logdump.display.text import render
from logdump.session.events import Failure, Notice
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Release, Settings
from tests.logdump.display.logdumps_lines import foreign_lines, is_in_logdumps_order
from tests.logdump.line import Line
from trailformat import Record, TrailFile

FILES = sorted(path.name for path in TRAILS.iterdir() if path.name[1] != "l")
"""The big-endian trails and those of one order: the little-endian ones hold the same records."""
MIXED = {"headertoken": Level.DETAIL, "usertoken": Level.DETAIL, "fileheader": Level.DETAIL}
SWITCHES: list[dict[str, object]] = [
    {"ghdr": ghdr, "detail": detail, "ggstoken": ggstoken, **(MIXED if ghdr else {"usertoken": ggstoken})}
    for ghdr, detail, ggstoken in itertools.product((False, True), Detail, Level)
]
SWITCHES += [{"release": release, "detail": detail} for release in Release for detail in (Detail.OFF, Detail.DATA)]
SWITCHES += [{"fileheader": Level.ON, "headertoken": Level.ON, "detail": Detail.DATA, "usertoken": Level.ON}]


def _records(trail: TrailFile) -> Iterator[Record]:
    rba: int | None = 0
    while rba is not None:
        record = trail.record_at(rba)
        if record is None:
            return
        yield record
        rba = trail.next_good_header(rba + record.length)


def _shown(session: Session, record: Record) -> list[str]:
    """What standard output gets of a record."""
    events = show_record(session, record)
    data = (event for event in events if not isinstance(event, Notice | Failure))
    return [line for event in data for line in render(event, session.settings)]


@pytest.mark.parametrize("name", FILES)
def test_a_record_is_shown_in_logdumps_lines_alone(name: str, line: Line) -> None:
    _show_all(line, TRAILS / name, SWITCHES)


def test_so_is_every_record_of_a_real_trail(line: Line, evidence: Path) -> None:
    _show_all(line, evidence / "tr000000000", SWITCHES[::5])


def _show_all(line: Line, path: Path, all_switches: list[dict[str, object]]) -> None:
    line(f"open {path}; timeoffset gmt")
    session = line.session
    for record in _records(session.trail):
        for switches in all_switches:
            session.settings = Settings(time_offset=session.settings.time_offset, **switches)
            shown = _shown(session, record)
            assert not foreign_lines(shown), (record.rba, switches)
            assert is_in_logdumps_order(shown), (record.rba, switches, shown)


ADDITIONS = ("pt000000000; pos 1980", "pt000000000; pos 2407", "dt000000000; pos 1130", "et000000000; pos 1811")


@pytest.mark.parametrize("place", ADDITIONS)
def test_what_values_adds_is_seen_to_be_ours(place: str, line: Line) -> None:
    line(f"open {TRAILS}/{place}; detail on; values on")
    session = line.session
    record = session.trail.record_at(session.cursor.next)
    assert record is not None
    assert foreign_lines(_shown(session, record))
