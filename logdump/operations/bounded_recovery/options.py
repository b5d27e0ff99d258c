"""The options of BR."""

from __future__ import annotations

from typing import NamedTuple

from logdump.session.evaluation import Rule

_HOUR = 3_600_000_000
_SECOND = 1_000_000
DEFAULT_INTERVAL = 4 * _HOUR
LEAST_INTERVAL, MOST_INTERVAL = _HOUR // 3, 96 * _HOUR


class BrOptions(NamedTuple):
    """The options of BR; times are Julian microseconds, durations microseconds.

    ``parameter`` is the BR statement of a parameter file, ``is_off`` whether it says BROFF.
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
