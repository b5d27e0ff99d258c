"""A record with all that is known of it does not depend on how it is displayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display import json_lines, text
from logdump.language.execute import run_line
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from tests.logdump.line import Line
from tests.searching import in_turn
from trailformat import Change, Record, TrailFile
from trailformat.changes import row_changes
from trailformat.changes.transaction_context import TransactionContext
from trailformat.trail.row_definitions import RowDefinitions

TRAILS_WITH_ALL = ("et000000000", "kt000000000", "pt000000000", "dt000000000", "ut000000000", "ot000000")
SWITCHES = ("ghdr off", "detail data; ggstoken detail", "values on")


def _records(line: Line, commands: str) -> list[KnownRecord]:
    line(commands)
    return [event for event in line.events if isinstance(event, KnownRecord)]


def _as_json(events: list[KnownRecord]) -> list[str]:
    return [part for event in events for part in json_lines.render(event, Settings())]


@pytest.mark.parametrize(("name", "switches"), in_turn(TRAILS_WITH_ALL, SWITCHES))
def test_what_is_told_of_a_record_is_the_same_under_all_switches(name: str, switches: str) -> None:
    line, other = Line(), Line()
    other(f"open {TRAILS / name}")
    expected = _as_json(_records(other, "format jsonl; n 1000"))
    line(f"open {TRAILS / name}; {switches}")
    assert _as_json(_records(line, "n 1000")) == expected


@pytest.mark.parametrize("switches", [*SWITCHES, "format jsonl"])
def test_what_is_displayed_was_looked_up_before_the_trail_is_closed(switches: str, line: Line, trails: Path) -> None:
    line(f"open {trails / 'pt000000000'}; {switches}")
    session = line.session
    render = json_lines.render if session.settings.shows_everything else text.render
    events = list(run_line(session, REGISTRY, "pos 0; n 100"))
    expected = [
        part for event in run_line(session, REGISTRY, "pos 0; n 100") for part in render(event, session.settings)
    ]
    session.close()
    assert [part for event in events for part in render(event, session.settings)] == expected


def test_next_does_not_look_up_what_it_does_not_display(shop: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        pytest.fail("this is dear, and not displayed")

    monkeypatch.setattr(TransactionContext, "of", never)
    monkeypatch.setattr(RowDefinitions, "of", never)
    monkeypatch.setattr(row_changes, "change_of", never)
    assert shop("ghdr on; detail data; ggstoken detail; n 100")


def test_a_fact_is_looked_up_once(shop: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, change_of = list[int](), row_changes.change_of

    def counted(trail: TrailFile, record: Record, *known: Any) -> Change | None:
        calls.append(record.rba)
        return change_of(trail, record, *known)

    monkeypatch.setattr(row_changes, "change_of", counted)
    (event,) = _records(shop, "values on; pos 1811; n")
    _as_json([event, event])
    assert calls == [1811]
