"""Other files in which lost definitions are looked for: those beside the damaged one, and a trail that is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from trailformat import Record, TableEntry, TrailFile
from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import NotATrail, TrailError
from trailformat.trail.carried_definitions import definition_of, resolve_reference
from trailformat.trail.sequence import Spot, next_file, previous_file


class FoundDefinition(NamedTuple):
    """A definition in another file: the TDR under the index looked for, or a DDR; its name and place."""

    record: Record
    name: str
    spot: Spot

    def is_like(self, other: FoundDefinition) -> bool:
        """Return True if both have the same name and contents."""
        return (self.name, self.record.data) == (other.name, other.record.data)


class DefinitionSources:
    """The files that may have the definitions of a damaged file.

    Args:
        path: the damaged file.
        order: its byte order; the other files must have the same.
        named: files of a trail that is known to have its definitions, the newest last.
    """

    def __init__(self, path: Path, order: ByteOrder, named: tuple[Path, ...]) -> None:
        self._order, self._named = order, named
        self._before, self._after = previous_file(path)[0], next_file(path)[0]

    def table(
        self, index: int, name: str | None, *, is_redefined: bool, is_redefined_later: bool
    ) -> FoundDefinition | None:
        """Return the definition of an index, None if it is uncertain or defines another table than ``name``.

        If the name is unknown, or no file has such a table because the name is damaged too, the files before and
        after must agree, or those of the named trail.

        Args:
            index: the index.
            name: the name in its damaged definition, as far as it can be read.
            is_redefined: True if the file defines the index before the damage too, as the file before does then.
            is_redefined_later: True if it defines it after the damage too, as the file after does then.
        """
        if name is not None and not self._knows(name):
            name = None
        after = None if is_redefined_later else self._edge(self._after, index, is_first=True)
        before = None if is_redefined else self._edge(self._before, index, is_first=False)
        found = [one for one in (before, after) if one is not None]
        if name is not None and (called := [one for one in found if one.name == name]):
            return called[0]
        if name is None and len(found) > 1 and found[0].is_like(found[1]):
            return found[0]
        return self._in_named(index, name)

    def _knows(self, name: str) -> bool:
        """Return True if any of the files defines a table of this name."""
        for path in (self._before, self._after, *self._named):
            if path is not None:
                with _opened(path, self._order) as trail:
                    if trail is not None and any(entry.name == name for entry in trail.tables.entries()):
                        return True
        return False

    def database(self) -> FoundDefinition | None:
        """Return the definition of the database from the file before, the file after, or the named trail."""
        for path in (self._before, self._after, *reversed(self._named)):
            if path is None:
                continue
            with _opened(path, self._order) as trail:
                rba = trail.tables.database_before(trail.size) if trail is not None else None
                record = trail.record_at(rba) if trail is not None and rba is not None else None
                if record is not None:
                    return FoundDefinition(record, record.name, Spot(path, record.rba))
        return None

    def _edge(self, path: Path | None, index: int, *, is_first: bool) -> FoundDefinition | None:
        """The first or the last definition of an index in a file."""
        if path is None:
            return None
        with _opened(path, self._order) as trail:
            entries = [one for one in trail.tables.entries() if one.table_index == index] if trail is not None else []
            return _found(trail, entries[0 if is_first else -1], index) if trail is not None and entries else None

    def _in_named(self, index: int, name: str | None) -> FoundDefinition | None:
        """By its name, or by its index where all files have one table under it."""
        found: list[FoundDefinition] = []
        for path in self._named:
            with _opened(path, self._order) as trail:
                for entry in trail.tables.entries() if trail is not None else ():
                    is_it = entry.table_index == index if name is None else entry.name == name
                    if is_it and trail is not None and (one := _found(trail, entry, index)) is not None:
                        found.append(one)
        names = {one.name for one in found}
        return found[-1] if len(names) == 1 else None


def _found(trail: TrailFile, entry: TableEntry, index: int) -> FoundDefinition | None:
    try:
        record = definition_of(trail, entry)
        if record is None or record.metadata is None:
            return None
    except TrailError:
        return None
    if record.metadata_indexes[1] != index:
        record = resolve_reference(record, record, index)
    return FoundDefinition(record, entry.name, Spot(trail.path, entry.rba))


@contextmanager
def _opened(path: Path, order: ByteOrder) -> Iterator[TrailFile | None]:
    """A file, where it is a trail of this byte order."""
    try:
        trail = TrailFile(path)
    except NotATrail:
        yield None
        return
    with trail:
        yield trail if trail.order is order else None
