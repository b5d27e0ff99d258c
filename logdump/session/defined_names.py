"""Names of tables and columns that a command gives and the trail does not define."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from difflib import get_close_matches
from pathlib import Path

from logdump.filters.conditions import columns_in
from logdump.filters.criterion import Criterion
from logdump.filters.csn_criteria import Csn
from logdump.filters.name_criteria import NameCriterion
from logdump.filters.time_criteria import TimeCriterion
from logdump.notation.text import amount
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Notice
from logdump.session.session import Session
from logdump.session.settings import Across
from trailformat import NotATrail, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.trail.table_definitions import TableDefinitions, TableEntry

with on_demand:
    from logdump.session import chosen_trail
    from trailformat.transactions import whole_trail

_NEAR = 1 << 20
"""Bytes at the beginning of a file whose definitions are used before all of it is searched for more."""
_MOST_NAMES = 100_000
"""Maximum number of names among which a similar one is searched."""
_MOST_SHOWN = 3
_NO_DEFINITIONS = "This trail defines no tables: SOURCEDEFS <file> names a file with the definitions."


def undefined_column(session: Session, column: str, table: str = "", paths: Sequence[Path] | None = None) -> str | None:
    """Return the sentence that no table of a trail has a column, with the nearest names; None if one has it.

    Case does not matter. With a definitions file, which may define more than the trail, nothing is undefined.

    Args:
        session: its open file is searched, with ACROSS all files of its trail.
        column: name of the column.
        table: end of the name of the tables to search; empty for all.
        paths: files to search instead.
    """
    if session.source_definitions is not None:
        return None
    column, table = column.upper(), table.upper()
    known, other_tables = dict[str, None](), dict[str, None]()
    for tables, entry in _entries(session, paths):
        is_meant = not table or _ends_with(entry.name, table)
        if not is_meant and len(other_tables) < _MOST_NAMES:
            other_tables[entry.name] = None
        definition = tables.columns(entry) if is_meant else None
        for column_definition in definition.columns if definition is not None else ():
            if column_definition.name.upper() == column:
                return None
            if len(known) < _MOST_NAMES:
                known[column_definition.name] = None
    if not known:
        return _no_table(table, other_tables) if other_tables else _NO_DEFINITIONS
    where = f" {table}" if table else ""
    return f"No table{where} with a column {column} is defined in this trail.{_nearest(column, known)}"


def undefined_names(session: Session, paths: Sequence[Path] | None = None) -> Iterator[Notice]:
    """Yield a notice for each name in the filter that is not defined, for a command that found nothing.

    If there is none, and the filter has times or CSNs, the notice is the range of the trail. The files are those of
    ``undefined_column``; if one of them cannot be read, no further notice is given.
    """
    filters = session.filters_in_use
    criteria = filters.include.criteria if filters is not None and filters.active else []
    notices = list(_undefined_names(session, criteria, paths))
    yield from notices
    if not notices and any(isinstance(criterion, TimeCriterion | Csn) for criterion in criteria):
        yield from _range(session, paths)


def names_not_defined(session: Session, paths: Sequence[Path] | None = None) -> Iterator[Notice]:
    """Yield a notice for each name in the filter that no file of a command defines; ``paths`` as above."""
    filters = session.filters_in_use
    if filters is not None and filters.active:
        yield from _undefined_names(session, filters.include.criteria, paths)


def _range(session: Session, paths: Sequence[Path] | None) -> Iterator[Notice]:
    with suppress(TrailError), nullcontext(session.trail) if paths is None else TrailFile(paths[0]) as trail:
        bounds = chosen_trail.range_of(trail)
        if bounds is not None:
            text = bounds.text(session.settings.time_offset)
            yield Notice((f"No record passed the filter: the trail goes {text}.",), ExitStatus.OK)


def _undefined_names(session: Session, criteria: Sequence[Criterion], paths: Sequence[Path] | None) -> Iterator[Notice]:
    for criterion in criteria:
        try:
            columns = columns_in(criterion)
            sentences = [undefined_column(session, name, table, paths) for table, name in columns]
            if isinstance(criterion, NameCriterion):
                sentences = [_undefined_table(session, criterion, paths)]
        except TrailError:
            return
        for sentence in dict.fromkeys(sentences):
            if sentence is not None:
                yield Notice((sentence,), ExitStatus.COMMAND_FAILED)


def _undefined_table(session: Session, criterion: NameCriterion, paths: Sequence[Path] | None) -> str | None:
    """Return the sentence that no table has such a name; None if one has, or if the trail defines none."""
    known = dict[str, None]()
    for _, entry in _entries(session, paths):
        if criterion.fits(entry.name):
            return None
        if len(known) < _MOST_NAMES:
            known[entry.name] = None
    if not known:
        return None
    return _no_table(", ".join(criterion.names), known)


def _no_table(names: str, known: dict[str, None]) -> str:
    return f"No table {names} is defined in this trail.{_nearest(names.partition(',')[0], known)}"


def table_of_any_schema(session: Session, table: str) -> str:
    """Return the name with its schema of a table named without one; the unchanged name if no table has it.

    Raises:
        CommandError: tables of several schemas have the name.
    """
    if "." in table or any(wildcard in table for wildcard in "*?"):
        return table
    names = {entry.name.upper(): entry.name for _, entry in _entries(session, None) if _ends_with(entry.name, table)}
    if len(names) > 1 and table.upper() not in names:
        shown = ", ".join(sorted(names.values())[:_MOST_SHOWN])
        raise CommandError(f"{amount(len(names), 'table')} are called {table}: {shown}. Name one with its schema.")
    return names.get(table.upper()) or next(iter(names.values()), table)


def _ends_with(name: str, end: str) -> bool:
    """Return whether a name is ``end``, with or without a schema before it; case does not matter."""
    return f".{name.upper()}".endswith(f".{end.upper()}")


def _entries(session: Session, paths: Sequence[Path] | None) -> Iterator[tuple[TableDefinitions, TableEntry]]:
    """Yield the definitions of the files; of each file, those at its beginning first."""
    for trail in _files(session, paths):
        tables = trail.tables
        yield from ((tables, entry) for entry in tables.in_force(min(_NEAR, trail.size)))
        yield from ((tables, entry) for entry in tables.entries())


def _files(session: Session, paths: Sequence[Path] | None) -> Iterator[TrailFile]:
    """Yield the files to search; those that are not trail files are skipped."""
    if paths is None:
        yield session.trail
        if session.settings.across is Across.OFF:
            return
        own = session.trail.path
        paths = [path for path in whole_trail.WholeTrail.around(own).paths if path != own]
    for path in paths:
        try:
            trail = TrailFile(path)
        except NotATrail:
            continue
        with trail:
            yield trail


def _nearest(wanted: str, known: dict[str, None]) -> str:
    """Return a sentence with the most similar names, compared whole, else without their schema; empty if none is."""
    whole = {name.upper(): [name] for name in known}
    ends: dict[str, list[str]] = {}
    for name in known:
        ends.setdefault(name.upper().rpartition(".")[2], []).append(name)
    near = _close(wanted.upper(), whole) or _close(wanted.upper().rpartition(".")[2], ends)
    return f" Nearest: {', '.join(near[:_MOST_SHOWN])}." if near else ""


def _close(wanted: str, spelled: dict[str, list[str]]) -> list[str]:
    return [name for near in get_close_matches(wanted, spelled, n=_MOST_SHOWN) for name in spelled[near]]
