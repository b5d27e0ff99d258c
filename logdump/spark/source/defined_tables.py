"""All definitions of a table in the files, which the planner needs before a row is read."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.columns.names import distinct
from logdump.arrow.tables.layout import TableLayout
from logdump.features.heartbeat.tables import role_of
from logdump.notation.wildcard import matches
from logdump.spark.errors import BadOption, BadTrail, located
from logdump.spark.source.options import Options
from logdump.spark.source.planner import plan
from logdump.spark.source.source_definitions import definitions_of, source_definitions
from trailformat import NotATrail, TrailFile
from trailformat.scan import Workers, scan_in_threads
from trailformat.scan.jobs import cores
from trailformat.scan.rows.definitions import learn_definitions

_MOST_NAMED = 20
_MOST_MISSPELLED = 3
_MOST_COMPARED = 20_000
"""Names that are compared with one that is not there: a thousand take some ten milliseconds."""


class _FileTables(NamedTuple):
    """The definitions of a table in one file by its name as it is spelled there, in order; the names of all tables."""

    layouts: dict[str, list[TableLayout]]
    names: set[str]


def table_meant(options: Options) -> tuple[str, list[TableLayout]]:
    """The table that ``rowsOf`` means, case aside where that is clear, and its definitions, the newest one last.

    They are those in the files that a read takes in, each once. The headers of all records are looked at, a file per
    core at a time.

    Raises:
        BadOption: the table is not there, or nothing defines it.
        SourceError: as from the planner.
    """
    [meant] = tables_meant([options.rows_of or ""], "rowsOf", options)
    return meant


def tables_meant(given: Sequence[str], option: str, options: Options) -> list[tuple[str, list[TableLayout]]]:
    """The same of several tables, by one pass; ``option`` is the one that names them.

    A read that begins inside of the trail needs what stands before it.
    """
    options = replace(options, start_seqno=None, start_rba=None)
    paths = list(dict.fromkeys(part.path for lot in plan(options) for part in lot))
    wanted = {name.lower() for name in given}
    with ThreadPoolExecutor(cores()) as pool, Workers(1 if len(paths) > 1 else None) as workers:
        files = list(pool.map(lambda path: _tables_in(path, wanted, options, workers), paths))
    names = set[str]().union(*(file.names for file in files))
    found = []
    for name in given:
        alike = {one for one in names if one.lower() == name.lower()}
        spelled = alike.pop() if name not in names and len(alike) == 1 else name
        layouts = [layout for file in files for layout in file.layouts.get(spelled, ())]
        layouts = layouts or _from_source(spelled, options)
        if not layouts:
            raise BadOption(f"option {option}: {_why_not(spelled, names)}")
        found.append((spelled, list(dict.fromkeys(reversed(layouts)))[::-1]))
    return found


def tables_like(patterns: Sequence[str], options: Options) -> list[str]:
    """The tables that the trail defines and whose names one of these wildcards matches; the names without one as given.

    Heartbeat tables are matched by no wildcard.

    Raises:
        BadOption: a wildcard matches none.
        SourceError: as from the planner.
    """
    if not any(_has_wildcard(pattern) for pattern in patterns):
        return [*patterns]
    options = replace(options, start_seqno=None, start_rba=None)
    paths = list(dict.fromkeys(part.path for lot in plan(options) for part in lot))
    with ThreadPoolExecutor(cores()) as pool:
        names = sorted(set[str]().union(*pool.map(_defined_in, paths)))
    found: dict[str, None] = {}
    for pattern in patterns:
        alike = [name for name in names if matches(pattern, name, case_sensitive=False) and role_of(name) is None]
        if not _has_wildcard(pattern):
            alike = [pattern]
        elif not alike:
            raise BadOption(f"no table that the trail defines is called like {pattern}")
        found |= dict.fromkeys(alike)
    return [*found]


def _has_wildcard(name: str) -> bool:
    return "*" in name or "?" in name


def _defined_in(path: str) -> set[str]:
    with TrailFile(path) as trail, Workers(1) as workers:
        _learn(trail, workers)
        return {entry.name for entry in trail.tables.entries() if entry.name}


def _tables_in(path: str, wanted: Collection[str], options: Options, workers: Workers) -> _FileTables:
    try:
        with TrailFile(path) as trail:
            names = _learn(trail, workers)
            entries = sorted(entry for entry in trail.tables.entries() if entry.name.lower() in wanted)
            definitions = definitions_of(trail, options)
            known = [(entry.name, definitions.of_entry(entry)) for entry in entries]
    except NotATrail as error:
        if options.mode == "FAILFAST" and not options.ignore_corrupt_files:
            raise BadTrail(located(error, path)) from None
        return _FileTables({}, set())
    found = _FileTables({}, names)
    for spelled, definition in known:
        if definition.table is not None:
            layout = TableLayout(spelled, definition.table.columns, definition.charset)
            found.layouts.setdefault(spelled, []).append(layout)
    return found


def _learn(trail: TrailFile, workers: Workers) -> set[str]:
    """Give the trail the places of its definitions; returns the names of all tables."""
    names: set[str] = set()
    for batch in scan_in_threads(trail, workers):
        learn_definitions(trail, batch)
        names.update(batch.names[key] for key in distinct(np.asarray(batch.table))[0].tolist())
    return names - {""}


def _from_source(name: str, options: Options) -> list[TableLayout]:
    source = source_definitions(options)
    table = source.table(name) if source is not None else None
    return [TableLayout(name, table.definition.columns, source.charset)] if source and table else []


def _why_not(name: str, names: Iterable[str]) -> str:
    if name in names:
        return f"nothing defines the columns of {name}; option sourceDefs names a definitions file"
    by_lower = {table_name.lower(): table_name for table_name in names}
    alike = (one for one in by_lower if abs(len(one) - len(name)) <= _MOST_MISSPELLED)
    near = difflib.get_close_matches(name.lower(), islice(alike, _MOST_COMPARED), n=1)
    if near:
        return f"there is no table {name[:80]}; did you mean {by_lower[near[0]]}?"
    there = sorted(names)
    more = f" and {len(there) - _MOST_NAMED} more" if len(there) > _MOST_NAMED else ""
    return f"there is no table {name[:80]}; there are {', '.join(there[:_MOST_NAMED]) or 'none'}{more}"
