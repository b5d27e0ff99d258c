"""Every command that takes a time takes every spelling of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from logdump.features.count.model import CountShown
from tests.logdump.line import Line
from trailformat import from_datetime

SPELLINGS = (
    "2024-03-14 09:33:00",
    "24-3-14 9:33",
    "2024/03/14 09:33:00.000.000",
    "2024-03-14T09:33",
    "2024-03-14T09:33:00Z",
    "2024-03-14T09:33:00.000000Z",
    "2024-03-14T09:33:00 Z",
    "2024-03-14T15:03:00+05:30",
    "2024-03-14t04:33-0500",
)
"""One moment, at which the record at RBA 3260 of the tea shop was written, in GMT."""
COMMANDS = {
    "BEGIN": "begin {}; n",
    "POSITION TIME": "pos time {}; n",
    "SCANFORTIME": "sfts {}",
    "SCANFORTIME with a table": "sfts {}, TEAHOUSE.*",
    "FILTER STARTTIME": "filter starttime {}; n",
}
COUNTS = {"START": "count start {}", "STARTTIME": "count detail, starttime {}", "END": "count end {}, file *.TEAS"}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_command_that_goes_to_a_time_goes_there(command: str, spelling: str, shop: Line) -> None:
    shop(command.format(spelling))
    assert shop.failures == []
    assert shop.rbas == [3260]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("command", COUNTS.values(), ids=COUNTS)
def test_a_count_has_the_bounds_of_the_first_spelling(command: str, spelling: str, shop: Line) -> None:
    numbers = []
    for spelled in (SPELLINGS[0], spelling):
        shop(command.format(spelled))
        numbers += [event.counted.total.records for event in shop.events if isinstance(event, CountShown)]
    assert numbers[0] == numbers[1] > 0


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_timestamp_is_computed_from_it(spelling: str, shop: Line) -> None:
    assert shop(f"computetimestamp {spelling}") == [
        f"{spelling} is JulianTimestamp {from_datetime(datetime(2024, 3, 14, 9, 33, tzinfo=UTC))}"
    ]


@pytest.mark.parametrize(
    "spelling",
    [spelling for spelling in SPELLINGS if spelling[-1] in "zZ" or spelling[-5:-4] == "-" or "+" in spelling],
)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_zone_that_is_entered_goes_before_timeoffset(command: str, spelling: str, shop: Line) -> None:
    shop("timeoffset gmt -11")
    shop(command.format(spelling))
    assert shop.rbas == [3260]


@pytest.mark.parametrize("command", [*COMMANDS.values(), *COUNTS.values()], ids=[*COMMANDS, *COUNTS])
def test_what_is_no_time_is_refused_with_the_forms_that_one_has(command: str, shop: Line) -> None:
    [message, *_] = shop(command.format("now").split("; n")[0])
    assert "a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, yyyy-mm-ddThh:mm:ss with Z or +hh:mm" in message
