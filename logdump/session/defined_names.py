"""Names of tables and columns that a question gives and the open trail does not define."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import chain, islice

from logdump.filters.name_criteria import NameCriterion
from logdump.filters.value_criteria import ColumnValue
from logdump.session.events import Notice
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session
from trailformat.trail.table_definitions import TableEntry

_NEAR = 1 << 20
"""Bytes at the beginning of a file whose definitions are looked at before all of it is walked over for more."""
_MOST_NAMES, _MOST_COLUMNS = 10_000, 100_000
"""Names among which a near one is looked for."""


def undefined_column(session: Session, column: str, table: str = "") -> str | None:
    """Return the sentence that no table of the open trail has a column, with the nearest name; None if one has it.

    ``table``: the end of the name of the tables that are meant. Case does not matter. A definitions file may define
    what the trail does not: under it nothing is undefined.
    """
    column, table = column.upper(), table.upper()

    def fits(entry: TableEntry) -> bool:
        return f".{entry.name.upper()}".endswith(f".{table}") if table else True

    def names(entry: TableEntry) -> Iterator[str]:
        definition = session.trail.tables.columns(entry) if fits(entry) else None
        return (known.name for known in definition.columns) if definition is not None else iter(())

    if session.source_definitions is not None or _any(session, lambda entry: column in map(str.upper, names(entry))):
        return None
    known = dict.fromkeys(islice(chain.from_iterable(map(names, session.trail.tables.entries())), _MOST_COLUMNS))
    where = f" {table}" if table else ""
    return f"No table{where} with a column {column} is defined in this trail.{_nearest(column, known)}"


def undefined_names(session: Session) -> Iterator[Notice]:
    """What the filter demands by a name that the open trail does not define: for a question that found nothing."""
    filters = session.filters_in_use
    for criterion in filters.include.criteria if filters is not None and filters.active else ():
        sentence = None
        if isinstance(criterion, ColumnValue):
            sentence = undefined_column(session, criterion.column)
        elif isinstance(criterion, NameCriterion):
            sentence = _undefined_table(session, criterion)
        if sentence is not None:
            yield Notice((sentence,), ExitStatus.OK)


def _undefined_table(session: Session, criterion: NameCriterion) -> str | None:
    """Return the sentence that no table has such a name; None if one has, or if the trail defines none."""
    entries = session.trail.tables.entries()
    if not entries or _any(session, lambda entry: criterion.fits(entry.name)):
        return None
    known = dict.fromkeys(entry.name for entry in entries[:_MOST_NAMES])
    wanted = ", ".join(criterion.names)
    return f"No table {wanted} is defined in this trail.{_nearest(criterion.names[0], known)}"


def _any(session: Session, holds: Callable[[TableEntry], bool]) -> bool:
    """Return True if it holds for any definition; they are read in order, those at the beginning first."""
    tables = session.trail.tables
    return any(map(holds, tables.in_force(min(_NEAR, session.trail.size)))) or any(map(holds, tables.entries()))


def _nearest(wanted: str, known: dict[str, None]) -> str:
    spelled = {name.upper(): name for name in known}
    near = [spelled[name] for name in get_close_matches(wanted.upper(), spelled, n=3)]
    return f" Nearest: {', '.join(near)}." if near else ""
