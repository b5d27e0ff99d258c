"""The options of BR, with their defaults."""

from __future__ import annotations

import re
from typing import NamedTuple

from logdump.features.heartbeat.table_in_use import table_of
from logdump.features.heartbeat.tables import BASE_NAME
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import Rule
from logdump.parameters.options_of import options_of
from logdump.session.errors import ArgumentError, CommandError

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


def with_parameters(options: BrOptions, parameters: ParametersInUse) -> BrOptions:
    """Return the options with BRINTERVAL and BROFF of the last BR statement, if any, and with HEARTBEATTABLE.

    Raises:
        CommandError: BRINTERVAL is no interval.
    """
    options = options._replace(heartbeat_table=table_of(parameters).name)
    said, off = options_of(parameters.extract, "BR", "BRINTERVAL", "BROFF")
    if said is not None:
        try:
            options = options._replace(interval=read_duration(said.word, INTERVAL_BOUNDS))
        except ArgumentError as error:
            raise CommandError(f"{said.rule.path}, line {said.rule.line}: BRINTERVAL: {error}") from error
    statement = said or off
    return options if statement is None else options._replace(parameter=statement.rule, is_off=off is not None)
