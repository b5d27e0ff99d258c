"""What a selection decides about a record does not depend on what it was asked before, nor in which batches."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fixtures import TRAILS
from logdump.features.list.model import RecordListed
from logdump.filters import FilterSet
from logdump.session.selection import Selection
from tests.logdump.line import Line
from tests.searching import Random, in_turn
from trailformat import Record
from trailformat.scan import scan

NAMES = ["et000000000", "at000000000", "gt000000000", "kt000000000", "st000000000"]
FILTERS = [
    "filter csn > 41882351",
    "filter exclude csn > 41882351",
    "filter ggstoken tranid <> 5.1.8801",
    "filter value STOCK_KG > 100",
    "filter filename *.SALES",
    "filter csn >= 00000000000000000007:000000000002620",
]
"""By the transaction of a record, which its first record tells alone; by values; by the name of the table."""


def _records(line: Line) -> list[Record]:
    trail = line.session.trail
    found = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
    return [record for record in found if record is not None]


def _each_anew(name: str, filters: str) -> dict[int, bool]:
    """Whether each record passes, by its RBA: each asked in a session of its own."""
    line = Line()
    line(f"open {TRAILS / name}; {filters}")
    passes = {record.rba: line.session.selection().accepts(record) for record in _records(line)}
    line.session.end()
    return passes


@pytest.fixture
def opened(line: Line) -> Callable[[str, str], Line]:
    def opened(name: str, filters: str) -> Line:
        line(f"open {TRAILS / name}; {filters}")
        return line

    return opened


@pytest.mark.parametrize(("name", "filters"), in_turn(NAMES, FILTERS) + in_turn(reversed(NAMES), FILTERS))
def test_records_pass_in_whatever_order_they_are_asked_about(
    name: str, filters: str, opened: Callable[[str, str], Line]
) -> None:
    expected, draw = _each_anew(name, filters), Random(name)
    line = opened(name, filters)
    records = _records(line)
    for _ in range(4):
        selection = line.session.selection()
        for _ in range(8):
            first = draw.randrange(len(records))
            for record in records[first : first + draw.randrange(1, 7)]:
                assert selection.accepts(record) == expected[record.rba], record.rba


@pytest.mark.parametrize(("name", "filters"), in_turn(NAMES, FILTERS) + in_turn(reversed(NAMES), FILTERS))
def test_records_pass_in_batches_that_begin_anywhere(
    name: str, filters: str, opened: Callable[[str, str], Line]
) -> None:
    expected, draw = _each_anew(name, filters), Random(name)
    line = opened(name, filters)
    trail = line.session.trail
    for record in _records(line):
        selection, passing = line.session.selection(), dict[int, bool]()
        for batch in scan(trail, record.rba, batch_size=draw.randrange(1, 9)):
            passing |= dict(zip(map(int, batch.rba), map(bool, selection.rows(batch)), strict=True))
        assert {rba: passing[rba] for rba in expected if rba >= record.rba} == {
            rba: passes for rba, passes in expected.items() if rba >= record.rba
        }


def _filters(line: Line, text: str) -> FilterSet:
    line(f"filter clear; {text}")
    return line.session.filters.copy()


BY_HAND = {
    "filter filename *.TEAS": {1811, 2008, 3069, 3260, 3391, 3522, 3629, 4234, 4635, 4767, 5183, 1261},
    "filter csn > 41882351": {3391, 3522, 3629, 3817, 3987, 4234, 4427, 4635, 4767, 4989, 5183, 5352},
    "filter rectype insert": {1811, 2008, 2722, 2892, 3069, 3629, 3817},
    "filter value STOCK_KG > 100": {1811, 3069, 3391, 3522, 4767, 5183},
}
"""Which records of the shop's trail pass."""


@pytest.mark.parametrize("second", BY_HAND)
@pytest.mark.parametrize("first", BY_HAND)
def test_a_record_passes_if_it_passes_each_of_several_filters(first: str, second: str, line: Line) -> None:
    line(f"open {TRAILS / 'et000000000'}")
    both = [_filters(line, first), _filters(line, second)]
    line("filter clear")
    expected = sorted(BY_HAND[first] & BY_HAND[second])
    found = [record.rba for record in _records(line) if line.session.selection(also=both).accepts(record)]
    assert found == expected
    selection: Selection = line.session.selection(also=both)
    (batch,) = scan(line.session.trail, 0)
    assert np.asarray(batch.rba)[selection.rows(batch)].tolist() == expected
    line(f"{first}; filter match all")
    line.session.narrowing = lambda _trail: both[1]
    line("list all")
    assert _listed(line) == expected


SWAPPED = (("PRICE ", "WASPRICE "), ("STOCK_KG ", "PRICE "), ("WASPRICE ", "STOCK_KG "))


@pytest.mark.parametrize("step", ["list 1", "n", "skip 1 filter"])
def test_what_was_read_ahead_is_decided_again_by_other_definitions(step: str, line: Line, tmp_path: Path) -> None:
    """With the names of two columns exchanged, the filter means the other one."""
    text = (Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def").read_text(encoding="utf-8")
    for was, becomes in SWAPPED:
        text = text.replace(was, becomes)
    (tmp_path / "swapped.def").write_text(text, encoding="utf-8")
    trail = tmp_path / "et000000000"
    trail.write_bytes((TRAILS / "et000000000").read_bytes())
    os.utime(trail, (0, 0))  # what a trail that may still grow has is not read ahead
    line(f"open {trail}; filter value STOCK_KG > 100; {step}; {step}")
    assert line.session.cursor.current == 3069
    assert line.session.cursor.ahead is not None
    line(f"sourcedefs {tmp_path / 'swapped.def'} override")
    line("list all")
    assert _listed(line) == []
    line("pos 1811; sourcedefs off")
    line("list all")
    assert _listed(line) == [1811, 3069, 3391, 3522, 4767, 5183]


def _listed(line: Line) -> list[int]:
    return [event.row.rba for event in line.events if isinstance(event, RecordListed)]
