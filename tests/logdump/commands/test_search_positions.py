"""Where a search begins: after a change of direction, and in a file that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.line import Line

HITS = (1811, 2722, 3260)
"""The first three records of the tea shop with SEN01."""


@pytest.mark.parametrize(
    "changes", ["", "forward", "reverse", "reverse; position forward", "forward; position reverse"]
)
@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("again", ["find", "find next", 'find "SEN01"'])
def test_find_goes_on_behind_the_record_that_it_has_shown_and_from_the_position_where_the_direction_has_changed(
    again: str, direction: str, changes: str, shop: Line
) -> None:
    """In reverse the position is before the record: read forwards, it is the next one once more."""
    shop(f'position {HITS[0]}; position {direction}; find "SEN01"')
    first = shop.rbas
    shop(again)
    assert [first, shop.rbas] == [[HITS[0]], [HITS[1]]]
    if changes:
        shop(f"position {changes}")
    last = (changes.split() or [direction])[-1]
    shop(again)
    assert shop.rbas == [HITS[1] if (direction, last) == ("reverse", "forward") else HITS[2]]


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
@pytest.mark.parametrize("start", [0, *HITS])
def test_sfr_goes_on_in_the_open_file_though_it_is_named_and_begins_another(
    start: int, name: str, shop: Line, trails: Path
) -> None:
    shop(f"position {start}; sfr -1, {trails / name}")
    first = next(one.rba for one in shop.session.trail.records() if not one.is_file_header and not one.is_metadata)
    assert shop.session.trail.path.name == name
    assert shop.rbas == [first if name == "el000000000" else max(start, first)]


@pytest.mark.parametrize("step", ["next", "skip 1", "sfh", "position {}", "sfr -1", "find SEN01"])
def test_scanforheader_prev_goes_on_back_only_where_nothing_has_moved_the_position(step: str, shop: Line) -> None:
    rbas = [record.rba for record in shop.session.trail.records()]
    shop(f"position {rbas[6]}; sfh prev")
    assert shop.rbas == [rbas[5]]
    shop("sfh prev")
    assert shop.rbas == [rbas[4]]
    shop(step.format(rbas[9]))
    here = shop.session.cursor.next
    shop("sfh prev")
    assert shop.rbas == [max(rba for rba in rbas if rba < here)]
