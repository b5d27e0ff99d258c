"""BRINTERVAL and BROFF as the parameter file of Extract has them."""

from __future__ import annotations

from logdump.features.bounded_recovery.options import INTERVAL_BOUNDS, BrOptions, read_duration
from logdump.features.heartbeat.table_in_use import table_of
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.options_of import options_of
from logdump.session.errors import ArgumentError, CommandError


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
