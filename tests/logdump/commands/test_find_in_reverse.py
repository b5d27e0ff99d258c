"""FIND where the direction of reading changes between two searches."""

from __future__ import annotations

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
