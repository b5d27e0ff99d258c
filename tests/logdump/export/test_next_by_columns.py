"""NEXT of many records under FORMAT JSONL goes by columns: byte for byte what it shows record by record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.operations.export import columns_pay
from logdump.render import json_lines
from logdump.session.events import Event, RecordsInJson
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.line import Line
from tests.searching import examples
from tests.trailformat.samples import trail_of
from trailformat import Record

many_in_json = pytest.importorskip("logdump.operations.many_in_json", reason="columns need pyarrow and numba")

FILES = sorted(path for path in TRAILS.iterdir() if path.suffix != ".md")


class Shown(NamedTuple):
    """What NEXT shows, and where the session stands then."""

    lines: Sequence[str]
    position: int


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_pay, "_MANY_BYTES", 0)
    monkeypatch.setattr(columns_pay, "_MANY_RECORDS", 2)
    monkeypatch.setattr(many_in_json, "_TOGETHER", 4)


def _line(path: Path, before: str, *, by_columns: bool) -> Line:
    line = Line()
    line.session.open(path)
    line(f"format jsonl; notify 3; {before}")
    line.session.takes_lines = by_columns
    return line


def _shown(path: Path, command: str, before: str = "", *, by_columns: bool) -> Shown:
    line = _line(path, before, by_columns=by_columns)
    events = run_line(line.session, REGISTRY, command)
    shown = [text for event in events for text in json_lines.render(event, line.session.settings)]
    position = line.session.cursor.next
    line.session.close()
    return Shown(shown, position)


def _check(path: Path, command: str, before: str = "") -> None:
    assert _shown(path, command, before, by_columns=True) == _shown(path, command, before, by_columns=False)


@pytest.mark.parametrize("trail", FILES, ids=lambda path: path.name)
def test_every_trail_is_shown_alike(trail: Path) -> None:
    _check(trail, "n 9999; n 2")


@pytest.mark.parametrize(
    "before", ["next 6", "pos 7", "filter include rectype insert", "across on", "pos eof; pos rev"]
)
def test_a_part_of_a_trail_is_shown_alike(before: str) -> None:
    _check(TRAILS / "gt000000000", "n 5; n 9", before)


@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=records_of_a_table())
def test_values_of_every_type_good_or_bad_are_shown_alike(records: list[Record], tmp_path: Path) -> None:
    _check(trail_of(tmp_path, *records), "n 9999")


@pytest.mark.parametrize("until", [1, 2, 3])
def test_after_an_interrupt_next_goes_on_without_a_gap(until: int) -> None:
    """Lines that may not have been printed are shown again; none is left out."""
    line = _line(TRAILS / "et000000000", "", by_columns=True)
    events = run_line(line.session, REGISTRY, "n 9999")
    rbas: list[int] = []
    while until:
        event = next(events)
        rbas += _rbas(event, line)
        until -= isinstance(event, RecordsInJson)
    events.close()
    again = [rba for event in run_line(line.session, REGISTRY, "n 9999") for rba in _rbas(event, line)]
    whole = _line(TRAILS / "et000000000", "", by_columns=False)
    expected = [rba for event in run_line(whole.session, REGISTRY, "n 9999") for rba in _rbas(event, whole)]
    assert [rba for rba in rbas if rba < again[0]] + again == expected


def _rbas(event: Event, line: Line) -> list[int]:
    objects = map(json.loads, json_lines.render(event, line.session.settings))
    return [one["rba"] for one in objects if one["type"] in ("record", "file_header")]
