"""All definitions of a table in the files, which the planner needs before a row is read."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from logdump.arrow.records.columns.header import distinct
from logdump.arrow.tables.layout import TableLayout
from logdump.notation.text import matches, some_of
from logdump.tables.before import NOTHING_NEEDED, KnownFiles, NeededBefore, find_definitions, gone_over
from logdump.tables.errors import BadOption, BadTrail, DefinedOtherwiseError, located
from logdump.tables.heartbeat_tables import role_of
from logdump.tables.named_files import definitions_of, source_definitions
from logdump.tables.options import Options
from logdump.tables.planner import plan
from logdump.tables.slice import Slice
from trailformat import NotATrail, TrailFile
from trailformat.scan import Batch, Workers, scan
from trailformat.scan.parallel import cores
from trailformat.scan.rows.definitions import learn_definitions, metadata_in
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.table_definitions import TableEntry

_MOST_NAMED = 20
_MOST_MISSPELLED = 3
_MOST_COMPARED = 20_000
"""Most names that are compared with an unknown one to suggest another: a thousand take some ten milliseconds."""


_BEGINNING = 1 << 25
"""Bytes of the trail that are searched for the first definition of a table."""
_FEW_ROWS = 1 << 10


class _FileTables(NamedTuple):
    """The definitions in one file of the tables sought, in order, by the name as spelled there; names of all tables."""

    layouts: dict[str, list[TableLayout]]
    names: set[str]


def table_meant(options: Options, known: KnownFiles | None = None) -> tuple[str, list[TableLayout]]:
    """Return the table that ``rowsOf`` means and its definitions, oldest first; case is ignored if one table matches.

    The definitions are those in the files of the read, each once; files are read in parallel, one per core. If no table
    is spelled as given, the headers of all records are read. Results that the plan of the read needs are added to
    ``known``, so that files are not read again for them.

    Raises:
        BadOption: the table does not exist, or nothing defines it.
        SourceError: as from the planner.
    """
    [meant] = tables_meant([options.rows_of or ""], "rowsOf", options, known)
    return meant


def tables_meant(
    given: Sequence[str], option: str, options: Options, known: KnownFiles | None = None
) -> list[tuple[str, list[TableLayout]]]:
    """Return the same as table_meant for several tables, by one pass; ``option`` is the one that names them."""
    parts = _parts(options)
    files = _files_with(given, parts, options, known)
    if not set(given) <= {name for file in files for name in file.layouts}:
        files = _files_with(given, parts, options, known, is_named=True)
    names = set[str]().union(*(file.names for file in files))
    tables = []
    for name in given:
        alike = {spelling for spelling in names if spelling.lower() == name.lower()}
        spelled = alike.pop() if name not in names and len(alike) == 1 else name
        layouts = [layout for file in files for layout in file.layouts.get(spelled, ())]
        layouts = layouts or _from_source(spelled, options)
        if not layouts:
            raise BadOption(_why_not(spelled, names), option)
        tables.append((spelled, list(dict.fromkeys(reversed(layouts)))[::-1]))
    return tables


def changed_layouts(options: Options, known: KnownFiles | None = None) -> tuple[TableLayout, ...]:
    """Return the definitions of the tables that ``changesOf`` means, wildcards among them. Raises like tables_meant."""
    names = options.changes_of
    if any(map(has_wildcard, names)):
        alike = tables_like(names, "changesOf", options).values()
        names = tuple(dict.fromkeys(name for tables in alike for name in tables))
    meant = tables_meant(names, "changesOf", options, known)
    return tuple(layout for _, layouts in meant for layout in layouts)


class ForeseenTable:
    """A table whose first definition in a trail is assumed for all its rows until another is found.

    A read passes each batch to :meth:`check` before making rows, so that most reads need no pass for definitions alone.

    Attributes:
        name: name of the table as spelled in the trail.
        layout: the first definition.
    """

    def __init__(self, name: str, layout: TableLayout, options: Options) -> None:
        self.name = name
        self.layout = layout
        self._options = options
        self._is_as_given = name == options.rows_of
        self._unread = _parts(options)

    @classmethod
    def of(cls, options: Options) -> ForeseenTable | None:
        """Return the table that ``rowsOf`` means; None if it is not defined near the beginning. Raises like plan."""
        wanted, remaining = (options.rows_of or "").lower(), _BEGINNING
        for path in _parts(options):
            try:
                with TrailFile(path) as trail:
                    definitions = definitions_of(trail, options)
                    for batch in scan(trail, stop=remaining, batch_size=_FEW_ROWS):
                        for layout in _layouts_in(batch, trail, definitions, wanted):
                            return cls(layout.name, layout, options)
                    remaining -= trail.size
            except NotATrail:
                return None
            if remaining <= 0:
                return None
        return None

    def check(self, batch: Batch, trail: TrailFile, definitions: RowDefinitions) -> None:
        """Compare the definitions in a batch with the first; batches must come in the order of the file.

        Raises:
            DefinedOtherwiseError: a definition of the table, or the spelling of its name, differs.
        """
        names = () if self._is_as_given else _names_in(batch)
        self._compare(_layouts_in(batch, trail, definitions, self.name.lower()), names)

    def _compare(self, layouts: Iterable[TableLayout], names: Iterable[str]) -> None:
        lower = self.name.lower()
        is_other = any(layout.name == self.name and layout != self.layout for layout in layouts)
        if is_other or any(name != self.name and name.lower() == lower for name in names):
            raise DefinedOtherwiseError

    def note_read(self, path: str) -> None:
        """Note that all batches of a file were checked."""
        self._unread.pop(path, None)

    def prove(self) -> None:
        """Check the files that were not read to their end. Raises like check."""
        is_named = not self._is_as_given
        for file in _files_with([self.name], dict(self._unread), self._options, is_named=is_named):
            self._compare(file.layouts.get(self.name, ()), () if self._is_as_given else file.names)
        self._unread.clear()


def _layouts_in(batch: Batch, trail: TrailFile, definitions: RowDefinitions, wanted: str) -> Iterator[TableLayout]:
    """Yield the definitions in a batch of the table with this lower-case name; add all definitions to the trail."""
    for record in metadata_in(batch, learn_definitions(trail, batch)):
        entry = trail.tables.defined_at(record.rba) if record.name.lower() == wanted else None
        if entry is not None and (layout := _layout_of(entry, definitions)) is not None:
            yield layout


def _layout_of(entry: TableEntry, definitions: RowDefinitions) -> TableLayout | None:
    definition = definitions.of_entry(entry)
    return definition.table and TableLayout(entry.name, definition.table.columns, definition.charset)


def _names_in(batch: Batch) -> list[str]:
    return [batch.names[key] for key in distinct(np.asarray(batch.table))[0].tolist()]


def _parts(options: Options) -> dict[str, list[Slice]]:
    """Return, by file, the slices with definitions for the read: those before its start position are needed too."""
    options = replace(options, start_seqno=None, start_rba=None)
    parts: dict[str, list[Slice]] = {}
    for part in (part for lot in plan(options) for part in lot):
        parts.setdefault(part.path, []).append(part)
    return parts


def _files_with(
    given: Collection[str],
    files: Mapping[str, list[Slice]],
    options: Options,
    known: KnownFiles | None = None,
    *,
    is_named: bool = False,
) -> list[_FileTables]:
    """Return the definitions of some tables in some files; with ``is_named`` also the names of all tables."""
    wanted = {name.lower() for name in given}
    with ThreadPoolExecutor(cores()) as pool, Workers(1 if len(files) > 1 else None) as workers:
        of_file = partial(_tables_in, wanted=wanted, options=options, workers=workers, known=known, is_named=is_named)
        return list(pool.map(of_file, files.values()))


def tables_like(patterns: Sequence[str], option: str, options: Options) -> dict[str, list[str]]:
    """Return, for each name or wildcard, the names of the tables that it means, spelled as the trail spells them.

    The case of a name is ignored if one table matches. No wildcard matches a heartbeat table. ``option`` is the one
    that names the tables.

    Raises:
        BadOption: a wildcard matches no table that the trail defines, or a table does not exist, or nothing defines it.
        SourceError: as from the planner.
    """
    with ThreadPoolExecutor(cores()) as pool:
        names = sorted(set[str]().union(*pool.map(_defined_in, _parts(options))))
    tables: dict[str, list[str]] = {}
    for pattern in patterns:
        alike = [name for name in names if matches(pattern, name, case_sensitive=False)]
        if has_wildcard(pattern) and pattern not in names:
            tables[pattern] = [name for name in alike if role_of(name) is None]
            if not tables[pattern]:
                raise BadOption(f"no table that the trail defines is called like {pattern}")
        elif pattern in names or len(alike) == 1:
            tables[pattern] = [pattern if pattern in names else alike[0]]
        else:
            [(spelled, _)] = tables_meant([pattern], option, options)
            tables[pattern] = [spelled]
    return tables


class PlacedLayout(NamedTuple):
    """A definition of a table, and its place: the number of its file, and its RBA."""

    seqno: int
    rba: int
    layout: TableLayout


def placed_layouts(names: Collection[str], options: Options) -> dict[str, list[PlacedLayout]]:
    """Return the definitions in a trail of tables spelled as in the trail, in order. Raises like tables_like."""
    placed: dict[str, list[PlacedLayout]] = {name: [] for name in names}
    for path, parts in _parts(options).items():
        try:
            with TrailFile(path) as trail:
                definitions = definitions_of(trail, options)
                for entry in sorted(entry for entry in trail.tables.entries() if entry.name in placed):
                    if (layout := _layout_of(entry, definitions)) is not None:
                        placed[layout.name].append(PlacedLayout(parts[0].seqno or 0, entry.rba, layout))
        except NotATrail as error:
            raise BadTrail(located(error, path)) from None
    return placed


def has_wildcard(name: str) -> bool:
    """Return whether a name has a wildcard, and may mean several tables."""
    return "*" in name or "?" in name


def _defined_in(path: str) -> set[str]:
    try:
        with TrailFile(path) as trail:
            return {entry.name for entry in trail.tables.entries() if entry.name}
    except NotATrail as error:
        raise BadTrail(located(error, path)) from None


def _tables_in(
    parts: Sequence[Slice],
    wanted: Collection[str],
    options: Options,
    workers: Workers,
    known: KnownFiles | None,
    *,
    is_named: bool,
) -> _FileTables:
    path = parts[0].path
    needed = NOTHING_NEEDED if known is None else NeededBefore(definitions=True, transaction=True)
    names: set[str] = set()

    def see(batch: Batch) -> None:
        names.update(_names_in(batch))

    try:
        with TrailFile(path) as trail:
            if not is_named:
                find_definitions(trail, [*(part.start for part in parts), trail.refresh()], workers)
            passed = gone_over(trail, parts, needed, workers, see if is_named else None)
            entries = sorted(entry for entry in trail.tables.entries() if entry.name.lower() in wanted)
            if options.end_rba is not None and parts[0].seqno == options.end_seqno:
                entries = [entry for entry in entries if entry.rba <= options.end_rba]
            definitions = definitions_of(trail, options)
            layouts = [_layout_of(entry, definitions) for entry in entries]
    except NotATrail as error:
        if options.mode == "FAILFAST" and not options.ignore_corrupt_files:
            raise BadTrail(located(error, path)) from None
        return _FileTables({}, set())
    if known is not None:
        known[path] = passed
    tables = _FileTables({}, names - {""})
    for layout in layouts:
        if layout is not None:
            tables.layouts.setdefault(layout.name, []).append(layout)
    return tables


def _from_source(name: str, options: Options) -> list[TableLayout]:
    source = source_definitions(options)
    table = source.table(name) if source is not None else None
    return [TableLayout(name, table.definition.columns, source.charset)] if source and table else []


def _why_not(name: str, names: Iterable[str]) -> str:
    if name in names:
        return f"nothing defines the columns of {name}; option sourceDefs names a definitions file"
    by_lower = {table_name.lower(): table_name for table_name in names}
    alike = (lower_name for lower_name in by_lower if abs(len(lower_name) - len(name)) <= _MOST_MISSPELLED)
    near = difflib.get_close_matches(name.lower(), islice(alike, _MOST_COMPARED), n=1)
    if near:
        return f"there is no table {name[:80]}; did you mean {by_lower[near[0]]}?"
    return f"there is no table {name[:80]}; there are {some_of(sorted(names), _MOST_NAMED) or 'none'}"
