"""The target of changes: its tables, and the position in it that is committed with the rows."""

from __future__ import annotations

import base64
import datetime as dt
import fcntl
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import pyarrow as pa

from logdump.notation.names import TablePart, plain_parts
from logdump.tables.errors import SourceError
from logdump.targets.net_effect import Changes, Conflict
from logdump.targets.writing import ABSENT, WAYS, Writing


class BadTarget(SourceError):
    """A target does not exist, is in use, or has other tables, columns or types; nothing has been written."""


class TargetLost(SourceError):
    """The connection to the target is lost; changes that were not committed are not applied."""


class Refused(SourceError):
    """The target refuses a change."""


class ChangeRefused(Exception):
    """The target refuses one of several changes; ``problem`` is why, in its words."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    @classmethod
    def of(cls, conflict: Conflict) -> ChangeRefused:
        """Return the error about changes that contradict each other."""
        return KeyShared(conflict) if conflict.is_open else cls(conflict.problem)


class Mask(NamedTuple):
    """What a column of the target has in place of its values: ``kind`` is ``hash``, ``null`` or ``fixed``."""

    kind: str
    value: Any = None


def value_text(value: Any) -> str | None:
    """Return a value of a row as text: of equal numbers the same one, whatever digits their column has."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return value.hex() if isinstance(value, bytes) else str(value)


class RefusedChange(NamedTuple):
    """A change that is noted: a row, or the two parts of an update of the key.

    Attributes:
        table_name: its table in the trail.
        place: ``_sequence`` of its last part: changes that are noted are applied again in this order.
        csn, xid, source_time: of its transaction.
        trail_file, rba: where its record is.
        op: its operation.
        row_keys: the keys of the row, those before the change first, as a JSON list of texts.
        image: the columns that it has, as a JSON object of texts.
        reason: why it was refused.
        change_rows: its rows as an Arrow stream in base 64.
    """

    table_name: str
    place: str
    csn: str | None
    xid: str | None
    source_time: dt.datetime | None
    trail_file: str
    rba: int
    op: str
    row_keys: str
    image: str
    reason: str
    change_rows: str

    @property
    def key_texts(self) -> list[str]:
        """The keys as texts."""
        return [str(key) for key in json.loads(self.row_keys)]

    @property
    def rows(self) -> pa.Table:
        """The rows of the change. Raises ValueError if they were edited by hand."""
        with pa.ipc.open_stream(base64.b64decode(self.change_rows)) as stream:
            return stream.read_all()


class KeyShared(ChangeRefused):
    """Two rows have the same key, which one may leave later in the transaction. None of the changes is applied.

    Attributes:
        number: the number of the change after which they have it, among those given.
        place: ``_sequence`` of that change, once it is known.
    """

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict.problem)
        self.number, self.place = conflict.number, ""


class SourceTable(NamedTuple):
    """A table of the source, as in the changes.

    Attributes:
        name: its name in the trail.
        wanted: its name in the target as given by the user; None for the name in the trail.
        columns: its columns as its changes call them, and their types in Arrow.
        keys: its key columns.
        renamed: the names of those columns that its changes call otherwise, by these.
        numbers: columns that are numbers, and text in Arrow, where no type has room for all their digits.
        targets: the names of columns in the target, where they are other ones.
        masks: what columns have in place of their values; a fixed value is a scalar of Arrow.
        writing: how its changes are written.
        former: columns that its definition has lost, and the target has kept; all its changes lack them.
    """

    name: str
    wanted: str | None
    columns: Mapping[str, pa.DataType]
    keys: tuple[str, ...]
    renamed: Mapping[str, str] = MappingProxyType({})
    numbers: frozenset[str] = frozenset()
    targets: Mapping[str, TablePart] = MappingProxyType({})
    masks: Mapping[str, Mask] = MappingProxyType({})
    writing: Writing = Writing()
    former: frozenset[str] = frozenset()

    @property
    def parts(self) -> tuple[TablePart, ...]:
        """The parts of its name in the target."""
        return plain_parts(self.wanted or self.name)

    def column(self, name: str) -> str:
        """Return the name of a column in the source."""
        return self.renamed.get(name, name)

    def target(self, name: str) -> TablePart:
        """Return the name of a column in the target, as a new one would be called."""
        return self.targets.get(name) or TablePart(self.column(name))


class SourceColumn(NamedTuple):
    """A column of a table of the source: its name in the changes, type in Arrow, and name in the table.

    ``is_key``: whether it is one of the key; ``is_number``: whether it is a number that is text in Arrow.
    """

    name: str
    kind: pa.DataType
    column: str
    is_key: bool = False
    is_number: bool = False


def source_tables(
    columns: Mapping[str, Sequence[SourceColumn]],
    names: Mapping[str, str],
    keys: Mapping[str, Sequence[str]],
    *,
    needs_key: bool = True,
) -> Iterator[SourceTable]:
    """Yield the tables of the source, given the columns of each by its name.

    Args:
        columns: the columns by table.
        names: names in the target by table; empty for the one in the trail.
        keys: key columns by table, in place of those of its definition.
        needs_key: whether a table without a key is refused.

    Raises:
        BadTarget: a table has no key, or a key has a column that it lacks.
    """
    wanted = {name.lower(): target for name, target in names.items()}
    given = {name.lower(): key for name, key in keys.items()}
    if unknown := given.keys() - {name.lower() for name in columns}:
        raise BadTarget(f"nothing was written: keys: not among the tables: {', '.join(sorted(unknown))}")
    for name, own in columns.items():
        spelled = {column.column.lower(): column.name for column in own}
        wanted_key = given.get(name.lower()) or [column.column for column in own if column.is_key]
        if not wanted_key and needs_key:
            raise BadTarget(f"nothing was written: {name} has no key; keys={{'{name}': [...]}} names its columns")
        if missing := [column for column in wanted_key if column.lower() not in spelled]:
            raise BadTarget(f"nothing was written: keys: {name} has no column {', '.join(missing)}")
        key = tuple(spelled[column.lower()] for column in wanted_key)
        renamed = {column.name: column.column for column in own if column.name != column.column}
        numbers = frozenset(column.name for column in own if column.is_number)
        kinds = {column.name: column.kind for column in own}
        yield SourceTable(name, wanted.get(name.lower()) or None, kinds, key, renamed, numbers)


class TargetColumn(NamedTuple):
    """A column of a table of the target.

    Attributes:
        family: the target's name for the types that take the same values; None if unknown.
        kind: its type as the target spells it.
        scale: maximum number of digits after the point; None for no limit.
        is_needed: whether it is NOT NULL and has no default.
        size: bytes of an integer; None for other types, and for no limit.
        precision: most digits of a decimal; length: most characters or bytes. None for other types, and for no limit.
        is_plain: whether it may be NULL and has no default: its type can be given anew without losing anything.
        is_computed: whether the target gives it its values itself, and takes none.
    """

    name: str
    family: str | None
    kind: str
    scale: int | None
    is_needed: bool
    size: int | None = None
    precision: int | None = None
    length: int | None = None
    is_plain: bool = False
    is_computed: bool = False


def differences(
    source: SourceTable, columns: Mapping[str, TargetColumn], taking: Callable[[pa.DataType], Collection[str]]
) -> Iterator[str]:
    """Yield the reasons why a table of the target cannot take the rows of a source table.

    Args:
        source: the table of the source.
        columns: the columns of the target by lower-case name.
        taking: returns the families of columns that take values of a type.
    """
    for row_name in source.columns:
        yield from _problem_of(source, row_name, columns, taking)
    own = {source.target(name).text.lower() for name in source.columns}
    yield from _written_otherwise(source, columns, own, taking)
    own |= source.writing.added.keys()
    for low, column in columns.items():
        if low not in own and column.is_needed:
            yield f"{source.name}: column {column.name} of the target needs a value, and the source does not have it"


def plain_columns(
    source: SourceTable, columns: Mapping[str, TargetColumn], taking: Callable[[pa.DataType], Collection[str]]
) -> set[str]:
    """Return the columns of a source table whose own in the target take any value, and need none; as differences."""
    plain = {low for low, column in columns.items() if column.is_plain}
    return {
        name
        for name in source.columns
        if source.target(name).text.lower() in plain and not [*_problem_of(source, name, columns, taking)]
    }


def _problem_of(
    source: SourceTable,
    row_name: str,
    columns: Mapping[str, TargetColumn],
    taking: Callable[[pa.DataType], Collection[str]],
) -> Iterator[str]:
    """Yield the reason why a column of the target cannot take the values of one of a source table, if it cannot."""
    kind, name = source.columns[row_name], source.target(row_name).text
    column, mask = columns.get(name.lower()), source.masks.get(row_name)
    if column is None:
        yield f"{source.name}: the target has no column {name} ({kind})"
    elif column.family is not None and column.family not in taking(kind):
        yield f"{source.name}: column {name} is {kind}, and {column.kind} in the target"
    elif pa.types.is_decimal(kind) and column.scale is not None and column.scale < kind.scale:
        yield f"{source.name}: column {name} has {kind.scale} digits after the point, {column.scale} in the target"
    elif pa.types.is_integer(kind) and column.size is not None and column.size * 8 < kind.bit_width:
        yield f"{source.name}: column {name} is {kind}, and {column.kind} in the target, which holds less"
    elif mask is not None and mask.kind == "hash" and column.family not in (None, "text", "string"):
        yield f"{source.name}: column {name} is hashed, which is text, and {column.kind} in the target"
    elif mask is not None and mask.kind == "null" and column.is_needed:
        yield f"{source.name}: column {name} of the target needs a value, and its mask is null"


def _written_otherwise(
    source: SourceTable,
    columns: Mapping[str, TargetColumn],
    own: Collection[str],
    taking: Callable[[pa.DataType], Collection[str]],
) -> Iterator[str]:
    """Yield the reasons why a table of the target, given its own columns, is not one for the way of writing."""
    yield from why_not_written(source)
    added = source.writing.added
    for way in WAYS:
        mine = way.added.keys() - own
        if mine and way.added.keys() != added.keys() and mine <= columns.keys():
            yield f"{source.name}: the table in the target has the columns of {way.words}: write it so, or into another"
            return
    if missing := [name for name in added if name not in columns]:
        yield f"{source.name}: the target has no column {', '.join(missing)}, which {source.writing.words} needs"
    for name in added.keys() & columns.keys():
        column = columns[name]
        if column.family is not None and column.family not in taking(added[name]):
            yield f"{source.name}: column {name} is {added[name]}, and {column.kind} in the target"


def rows_of_changes(source: SourceTable, changes: pa.Table) -> pa.Table:
    """Return a row for each change of a table: its columns, and those that ``write="append"`` adds."""
    lists = changes[ABSENT].to_pylist()
    absent = [names and json.dumps([source.target(name).text for name in names], ensure_ascii=False) for names in lists]
    own = {name: changes[name] for name in source.columns}
    added = {name: changes[name] for name in source.writing.added if name != ABSENT}
    return pa.table({**own, **added, ABSENT: pa.array(absent, pa.string())})


def why_not_written(source: SourceTable) -> Iterator[str]:
    """Yield the reasons why a table of the source cannot be written in its way, whatever the target has."""
    own = {source.target(name).text.lower() for name in source.columns}
    for name in source.writing.added:
        if name in own:
            yield f"{source.name}: it has a column {name} of its own, and {source.writing.words} adds one of this name"


class ApplyProgress(NamedTuple):
    """The progress after a commit.

    Attributes:
        rows: number of changes applied since the beginning.
        transactions: number of transactions of the source.
        csn, time: CSN of the last one, and the time at which the source wrote it.
        lag: seconds from that time to the commit in the target.
        rate: changes per second since the commit before.
        refused: number of changes noted in ``logdump_errors`` since the beginning, not among ``rows``.
    """

    rows: int = 0
    transactions: int = 0
    csn: str | None = None
    time: dt.datetime | None = None
    lag: float | None = None
    rate: float = 0.0
    refused: int = 0

    def after(
        self, changes: int, transactions: int, last: tuple[str | None, dt.datetime | None], seconds: float
    ) -> ApplyProgress:
        """Return the progress after a commit of changes, given CSN and time of the last one, and the seconds for it."""
        csn, moment = last
        return self._replace(
            rows=self.rows + changes,
            transactions=self.transactions + transactions,
            csn=csn or self.csn,
            time=moment or self.time,
            lag=(dt.datetime.now(dt.UTC) - moment).total_seconds() if moment else None,
            rate=changes / max(seconds, 1e-9),
        )


class LastTransaction(NamedTuple):
    """The last transaction before a position, by which the position proves itself.

    Attributes:
        trail: the name of the trail, as ``lt``.
        at: the place of the first record of the transaction; empty if there is none before the position.
        csn, xid: CSN and XID of that record; None if it has none.
    """

    trail: str
    at: str = ""
    csn: str | None = None
    xid: str | None = None


class TableDifference(NamedTuple):
    """The difference of two definitions of a table, as it is copied; columns by their names in its changes.

    Attributes:
        table: the table as the later one has it.
        added: columns that the earlier one has not.
        wider: columns with room for more, with the most bytes of a text; None if it has no limit, and for numbers.
        gone: names in the target of columns that the later one has not.
        other: a type that is not wider, another key: in words.
    """

    table: SourceTable
    added: Sequence[str]
    wider: Mapping[str, int | None]
    gone: Sequence[str]
    other: Sequence[str]


class AppliedPosition(NamedTuple):
    """The position in the trail that a table of the target has reached.

    Attributes:
        place: changes whose ``_sequence`` is before it are in the table; empty if none is.
        start: a place at or before it at which no transaction is open: a stream continues there.
        csn, time: CSN of the last change, and the time at which the source wrote it, UTC.
        changes: number of changes applied since the first.
        witness: the transaction before ``place``; None if release 1.0.0 wrote the position.
        target: the table that the position is of: in a database its name there, in a lake, where the position is part
            of the table, its name in the trail. None if release 1.0.0 wrote the position.
        masks: a digest of the masks of its columns and of their secret; None if release 1.0.0 wrote the position.
    """

    place: str
    start: str
    csn: str | None = None
    time: dt.datetime | None = None
    changes: int = 0
    witness: LastTransaction | None = None
    target: str | None = None
    masks: str | None = None


PLACE = re.compile(r"[0-9]{10}\.[0-9]{16}\.[0-9]?")
"""A place in a trail, with the last digit of ``_sequence`` or without it."""


def place_of(seqno: int, rba: int) -> str:
    """Return a place in a trail as text that sorts with ``_sequence``."""
    return f"{seqno:010d}.{rba:016d}."


def lock_file(path: Path) -> IO[bytes] | None:
    """Open and lock a lock file until it is closed; None if another process has the lock. Nothing is written to it.

    Raises:
        OSError: the file cannot be opened, or is a link.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    file = os.fdopen(handle, "rb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    except BaseException:
        file.close()
        raise
    return file


_NOTES_NONE = "nothing was written: errors 'table' goes with databases"


class ApplyTarget(ABC):
    """Tables that take changes in transactions; while the target is open no other stream writes to them.

    Attributes:
        commits_parts: whether one commit covers all tables.
    """

    commits_parts = True

    @abstractmethod
    def open(self, tables: Mapping[str, str]) -> None:
        """Connect, and lock these tables of the trail against other streams; each has its name in the target or none.

        Raises:
            BadTarget: another stream has locked one of them.
            TargetLost: the connection fails.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the target; changes that were not committed are not applied."""

    @abstractmethod
    def positions(self) -> dict[str, AppliedPosition]:
        """Return the position of each table by its name in the trail."""

    @abstractmethod
    def prepare(self, tables: Sequence[SourceTable], *, create: bool) -> None:
        """Find the tables and compare them with the source; with ``create`` create the missing ones.

        Raises:
            BadTarget: a table is missing, or has other columns or types; nothing has been written.
        """

    @abstractmethod
    def apply(self, table: str, changes: Changes, *, overwrite: bool) -> None:
        """Apply changes of a table in the current transaction.

        With ``overwrite`` existing rows are replaced, and changes of missing rows are left out.

        Raises:
            KeyShared: two rows have the same key; none of the changes is applied.
            ChangeRefused: the target refuses a change.
            TargetLost: the connection is lost.
        """

    @abstractmethod
    def has_table(self, source: SourceTable) -> bool:
        """Return whether there is a table for one of the source."""

    @abstractmethod
    def kept_columns(self, source: SourceTable) -> set[str]:
        """Return the columns of a table of the source that its table in the target has, takes and needs no value of."""

    @abstractmethod
    def alter(self, difference: TableDifference, *, is_to_run: bool) -> list[str]:
        """Alter a table as its definition in the trail was altered, and commit; return the statements that do it.

        What the table has already is left as it is, so that it may be called again.

        Args:
            difference: what has come and what is wider; what is neither is only returned, as far as it is not so yet.
            is_to_run: whether it is done; otherwise the statements are only returned.

        Raises:
            BadTarget: the target cannot, or refuses.
            TargetLost: the connection is lost.
        """

    def has_rows(self, table: str) -> bool:
        """Return whether a table has a row. Raises BadTarget if the target takes no rows but changes."""
        raise BadTarget("nothing was written: load goes with databases: write the rows to the lake, then from_csn")

    def refused(self, *, create: bool) -> list[RefusedChange]:
        """Return the changes that are noted in the target, in order; with ``create`` the table for them is created.

        Raises:
            BadTarget: changes are to be noted, and the target notes none.
        """
        if create:
            raise BadTarget(_NOTES_NONE)
        return []

    def note_refused(self, changes: Sequence[RefusedChange], truncated: Mapping[str, str]) -> None:
        """Note changes in the current transaction; remove those that are before the truncate of a table.

        Args:
            changes: the changes.
            truncated: the place of the truncate by table.

        Raises:
            BadTarget: as refused.
        """
        raise BadTarget(_NOTES_NONE)

    def forget_refused(self, change: RefusedChange) -> None:
        """Remove a change that was noted, in the current transaction. Raises like note_refused."""
        raise BadTarget(_NOTES_NONE)

    def mark(self) -> None:
        """Mark this moment of the current transaction, in place of an earlier mark. Raises like note_refused."""
        raise BadTarget(_NOTES_NONE)

    def back_to_mark(self) -> None:
        """Undo the changes applied since the mark, which is forgotten. Raises like note_refused."""
        raise BadTarget(_NOTES_NONE)

    def forget_mark(self) -> None:
        """Keep the changes applied since the mark, which is forgotten. Raises like note_refused."""
        raise BadTarget(_NOTES_NONE)

    def check(self) -> None:  # noqa: B027 - most have none
        """Check the constraints that are checked at the commit, if there are such.

        Raises:
            ChangeRefused: one does not hold; a later change of the transaction may mend it.
            TargetLost: the connection is lost.
        """

    @abstractmethod
    def commit(self, positions: Mapping[str, AppliedPosition]) -> None:
        """Commit the applied changes with the positions. Raises TargetLost."""

    @abstractmethod
    def rollback(self) -> None:
        """Undo the changes applied since the last commit. Raises TargetLost."""
