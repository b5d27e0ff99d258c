"""The definitions in the copy of a damaged file: lost ones are taken from other files."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from logdump.features.repair.file_survey import FileSurvey, readable_headers
from logdump.features.repair.model import CopiedDefinition
from trailformat import Record, TableEntry, TrailError, TrailFile
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import NotATrail
from trailformat.records.record_header import DATABASE, REFERENCE, TABLE, name_text
from trailformat.trail.sequence import FilePosition, next_file, previous_file
from trailformat.trail.writer import definition_of, resolve_reference


class FoundDefinition(NamedTuple):
    """A definition in another file: the TDR under the index looked for, or a DDR; its name and position."""

    record: Record
    name: str
    position: FilePosition

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
        """Return the definition of an index; None if it is uncertain or that of another table than ``name``.

        If the name is unknown, or no file has such a table because the name is damaged too, the files before and
        after must agree, or those of the named trail.

        Args:
            index: the index.
            name: the name in its damaged definition, as far as it can be read.
            is_redefined: True if the file also defines the index before the damage; the file before is then ignored.
            is_redefined_later: True if it also defines it after the damage; the file after is then ignored.
        """
        if name is not None and not self._knows(name):
            name = None
        after = None if is_redefined_later else self._edge(self._after, index, is_first=True)
        before = None if is_redefined else self._edge(self._before, index, is_first=False)
        candidates = [candidate for candidate in (before, after) if candidate is not None]
        if name is not None and (called := [candidate for candidate in candidates if candidate.name == name]):
            return called[0]
        if name is None and len(candidates) > 1 and candidates[0].is_like(candidates[1]):
            return candidates[0]
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
                    return FoundDefinition(record, record.name, FilePosition(path, record.rba))
        return None

    def _edge(self, path: Path | None, index: int, *, is_first: bool) -> FoundDefinition | None:
        """Return the first or last definition of an index in a file; None without one."""
        if path is None:
            return None
        with _opened(path, self._order) as trail:
            entries = (
                [entry for entry in trail.tables.entries() if entry.table_index == index] if trail is not None else []
            )
            return (
                _definition_at(trail, entries[0 if is_first else -1], index) if trail is not None and entries else None
            )

    def _in_named(self, index: int, name: str | None) -> FoundDefinition | None:
        """Return the last definition with this name, or with this index if it is the same table everywhere."""
        definitions: list[FoundDefinition] = []
        for path in self._named:
            with _opened(path, self._order) as trail:
                for entry in trail.tables.entries() if trail is not None else ():
                    is_it = entry.table_index == index if name is None else entry.name == name
                    if is_it and trail is not None and (definition := _definition_at(trail, entry, index)) is not None:
                        definitions.append(definition)
        names = {definition.name for definition in definitions}
        return definitions[-1] if len(names) == 1 else None


def _definition_at(trail: TrailFile, entry: TableEntry, index: int) -> FoundDefinition | None:
    try:
        record = definition_of(trail, entry)
        if record is None or record.metadata is None:
            return None
    except TrailError:
        return None
    if record.metadata_indexes[1] != index:
        record = resolve_reference(record, record, index)
    return FoundDefinition(record, entry.name, FilePosition(trail.path, entry.rba))


@contextmanager
def _opened(path: Path, order: ByteOrder) -> Iterator[TrailFile | None]:
    """Yield the open file; None if it is not a trail file of this byte order."""
    try:
        trail = TrailFile(path)
    except NotATrail:
        yield None
        return
    with trail:
        yield trail if trail.order is order else None


_MOST_EXAMINED = 10_000
"""Maximum number of places of damage searched for remains of definitions."""


class Addition(NamedTuple):
    """A definition inserted before an RBA of the source."""

    rba: int
    record: Record


class _Meaning(NamedTuple):
    """The table to which an index refers.

    Attributes:
        name: the table's name; None if unknown.
        is_lost: True if its definition is in the damage.
        is_redefined: True if the index had a definition before that.
        is_nowhere: True if no other file has the definition.
        columns: number of columns of a definition taken from another file; None otherwise.
    """

    name: str | None
    is_lost: bool = False
    is_redefined: bool = False
    is_nowhere: bool = False
    columns: int | None = None


class _DefinitionRemains(NamedTuple):
    """The readable remains of a definition in damage."""

    rba: int
    kind: int
    table_index: int
    name: str


class CopiedDefinitions:
    """The definitions of one file in a copy of it.

    Attributes:
        additions: definitions from other files, in order.
        left_out: references after damage whose index is unknown.
        undefined: rows after damage whose definition is in no source, in order.
        copied: the additions; ``lost`` definitions in no source, as text.
    """

    def __init__(self, trail: TrailFile, survey: FileSurvey, sources: DefinitionSources) -> None:
        self.additions: list[Addition] = []
        self.left_out: list[int] = []
        self.undefined = array("q")
        self.copied: list[CopiedDefinition] = []
        self.lost: list[str] = []
        self._trail, self._survey, self._sources = trail, survey, sources
        self._first = min((span.start for span in survey.damage), default=survey.size)
        self._known: dict[int, _Meaning] = {}
        self._has_database = False
        left = list(islice(self._left(), _MOST_EXAMINED)) if survey.stop is None else []
        self._last_definitions: dict[int, int] = {}
        """The RBA of the last definition of each index, sound or not."""
        self._is_unsure = survey.lacks_definitions or any(remains.kind != DATABASE for remains in left)
        if survey.stop is not None:
            return
        if left or survey.lacks_definitions:
            readable = ((remains.rba, remains.table_index) for remains in left if remains.kind == TABLE)
            sound = ((entry.rba, entry.table_index) for entry in trail.tables.entries())
            self._last_definitions = {index: rba for rba, index in sorted((*readable, *sound))}
            self._walk(left)
        elif len(survey.damage):
            self._look_for_database()

    def _left(self) -> Iterator[_DefinitionRemains]:
        """Yield the remains of definitions in the damage."""
        buffer, order = self._trail.bytes, self._trail.order
        for span in islice(self._survey.damage, _MOST_EXAMINED):
            for rba, header in readable_headers(buffer, span, order):
                index = order.decode(order.encode(header.audit_rba, 4)[2:])
                yield _DefinitionRemains(rba, header.orig_node, index, name_text(header.name_field))

    def _look_for_database(self) -> None:
        """Look for the definition of the database, which may be lost even if no definition of a table is."""
        tables = self._trail.tables
        first = min(
            (entry.rba for entry in tables.entries() if self._survey.damage.at(entry.rba) is None), default=None
        )
        if first is not None:
            self._has_database = tables.database_before(first) is not None
            self._need_database(first)

    def _walk(self, left: list[_DefinitionRemains]) -> None:
        """Follow the definitions through the file as a reader does, the lost ones included."""
        waiting = iter(left)
        following = next(waiting, None)
        runs = self._survey.damage.outside(0, self._survey.size)
        for rba in (rba for run in runs for rba in self._trail.sound_rbas(*run)):
            while following is not None and following.rba < rba:
                self._lose(following)
                following = next(waiting, None)
            record = self._trail.record_at(rba)
            if record is None or record.is_file_header:
                continue
            if record.is_metadata:
                self._define(record)
            elif rba > self._first and (index := record.table_index) is not None:
                self._use(index, record)

    def _lose(self, left: _DefinitionRemains) -> None:
        """Mark the definition of an index as lost from here on, unless the index is known under another name."""
        if left.kind not in (TABLE, REFERENCE):
            return
        index = left.table_index if left.kind == TABLE else self._next_index
        known = self._known.get(index)
        if known is None or known.name == left.name:
            self._known[index] = _Meaning(left.name, is_lost=True, is_redefined=known is not None)

    @property
    def _next_index(self) -> int:
        return max(self._known, default=0) + 1

    def _define(self, record: Record) -> None:
        kind, (_, index) = record.header.orig_node, record.metadata_indexes
        if kind == DATABASE:
            self._has_database = True
        elif kind == TABLE:
            self._need_database(record.rba)
            self._known[index] = _Meaning(record.name)
        elif kind == REFERENCE:
            is_unsure = self._is_unsure and record.rba > self._first
            self._known[self._next_index] = _Meaning(record.name, is_lost=is_unsure)
            if is_unsure:
                self.left_out.append(record.rba)

    def _use(self, index: int, record: Record) -> None:
        """Note that a row after damage refers to this index."""
        meaning = self._known.get(index) or _Meaning(None, is_lost=True)
        if meaning.is_lost and not meaning.is_nowhere:
            meaning = self._known[index] = self._add_copy(index, meaning, record.rba)
        if meaning.is_nowhere or (meaning.columns is not None and not _fits(record, meaning.columns)):
            self.undefined.append(record.rba)

    def _add_copy(self, index: int, lost: _Meaning, rba: int) -> _Meaning:
        """Add a lost definition from another file before its first row, or note that there is none."""
        is_redefined_later = self._last_definitions.get(index, -1) > rba
        replacement = self._sources.table(
            index, lost.name, is_redefined=lost.is_redefined, is_redefined_later=is_redefined_later
        )
        definition = replacement.record.metadata if replacement is not None else None
        if replacement is None or not isinstance(definition, TableDefinition):
            name = f" ({lost.name})" if lost.name else ""
            self.lost.append(f"table index {index}{name} of {self._trail.path.name}")
            return lost._replace(is_nowhere=True)
        self._need_database(rba)
        self._add(rba, index, replacement)
        return _Meaning(replacement.name, columns=len(definition.columns))

    def _need_database(self, rba: int) -> None:
        if self._has_database or rba < self._first:
            return
        self._has_database = True
        definition = self._sources.database()
        if definition is None:
            self.lost.append(f"the database of {self._trail.path.name}")
        else:
            self._add(rba, None, definition)

    def _add(self, rba: int, index: int | None, definition: FoundDefinition) -> None:
        self.additions.append(Addition(rba, definition.record))
        self.copied.append(CopiedDefinition(self._trail.path, index, definition.name, definition.position))


def _fits(record: Record, columns: int) -> bool:
    """Return True if a row may be one of a table with ``columns`` columns; of a row in fragments this is unknown."""
    try:
        images = record.images
    except TrailError:
        return True
    return images is None or all(column.index < columns for column in (*(images.before or ()), *(images.after or ())))
