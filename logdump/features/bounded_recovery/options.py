"""The options of BR, with their defaults."""

from __future__ import annotations

import re
from typing import NamedTuple

from logdump.features.heartbeat.tables import BASE_NAME
from logdump.parameters.model import Rule
from logdump.session.errors import ArgumentError

_SECOND = 1_000_000
_MINUTE, _HOUR = 60 * _SECOND, 3600 * _SECOND
_UNITS = {"M": _MINUTE, "H": _HOUR}
_DURATION = re.compile(r"([0-9]{1,9})([MmHh])")
DEFAULT_INTERVAL = 4 * _HOUR


class DurationBounds(NamedTuple):
    """The least and the greatest duration that an option takes, in microseconds, and both in words."""

    least: int
    most: int
    text: str


INTERVAL_BOUNDS = DurationBounds(20 * _MINUTE, 96 * _HOUR, "BRINTERVAL is 20M to 96H")
LONGER_BOUNDS = DurationBounds(1, 10**9 * _HOUR, "LONGER is 1M at least")


def read_duration(text: str, bounds: DurationBounds) -> int:
    """A duration as BRINTERVAL takes it, such as ``20M`` or ``4H``, in microseconds.

    Raises:
        ArgumentError: it is none, or out of its bounds.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ArgumentError(f"{text!r} is not a duration such as 20M or 4H.")
    value = int(found[1]) * _UNITS[found[2].upper()]
    if not bounds.least <= value <= bounds.most:
        raise ArgumentError(f"{text} is out of range: {bounds.text}.")
    return value


class BrOptions(NamedTuple):
    """The options of BR; times are Julian microseconds, durations microseconds.

    ``parameter`` is the BR statement of a parameter file, ``is_off`` whether it says BROFF; ``heartbeat_table``
    the name of the heartbeat tables.
    """

    interval: int = DEFAULT_INTERVAL
    first: int | None = None
    restart: int | None = None
    fails: bool = False
    begins: str | None = None
    slack: int = _SECOND
    log_size: int | None = None
    longer: int | None = None
    compare: tuple[int, ...] = ()
    over: str | None = None
    filtered: bool = False
    parameter: Rule | None = None
    is_off: bool = False
    heartbeat_table: str = BASE_NAME
