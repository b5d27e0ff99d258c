"""What changes are applied to: a place with tables, and in it the position that is committed with the rows."""

from __future__ import annotations

import datetime as dt
import fcntl
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa

from logdump.spark.errors import SourceError
from logdump.spark.targets.net_effect import Changes


class BadTarget(SourceError):
    """A target that is not there, in use, or with other tables, columns or types; nothing has been written."""


class TargetLost(SourceError):
    """The target has gone away; what was not committed has not happened."""


class Refused(SourceError):
    """A change that the target does not take."""


class ChangeRefused(Exception):
    """Changes that a target does not take, before it is known which.

    Attributes:
        problem: in the words of the target.
        number: the number of the change among those given, where the target knows it.
    """

    def __init__(self, problem: str, number: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.number = problem, number


class KeyShared(ChangeRefused):
    """Two rows have one key: the one may leave it later in the transaction. Nothing of the changes has been applied."""


class SourceTable(NamedTuple):
    """A table as the changes have it.

    Attributes:
        name: its name in the trail.
        wanted: its name in the target as the user gives it; None for the one in the trail.
        columns: its columns and their types in Arrow.
        keys: the columns of its key.
    """

    name: str
    wanted: str | None
    columns: Mapping[str, pa.DataType]
    keys: tuple[str, ...]


class TargetColumn(NamedTuple):
    """A column of a table of the target.

    Attributes:
        family: of types that take the same values, as the target calls it; None for one that is not known.
        kind: its type as the target spells it.
        scale: digits after the point that it holds; None where there is no bound.
        is_needed: whether a row must have a value for it, and there is no default.
    """

    name: str
    family: str | None
    kind: str
    scale: int | None
    is_needed: bool


def differences(
    source: SourceTable, columns: Mapping[str, TargetColumn], taking: Callable[[pa.DataType], Collection[str]]
) -> Iterator[str]:
    """What keeps a table of the target from taking the rows of one of the source.

    Args:
        source: the table of the source.
        columns: those of the target by their names in small letters.
        taking: gives the families of columns that take values of a type.
    """
    for name, kind in source.columns.items():
        column = columns.get(name.lower())
        if column is None:
            yield f"{source.name}: the target has no column {name} ({kind})"
        elif column.family is not None and column.family not in taking(kind):
            yield f"{source.name}: column {name} is {kind}, and {column.kind} in the target"
        elif pa.types.is_decimal(kind) and column.scale is not None and column.scale < kind.scale:
            yield f"{source.name}: column {name} has {kind.scale} digits after the point, {column.scale} in the target"
    own = {name.lower() for name in source.columns}
    for low, column in columns.items():
        if low not in own and column.is_needed:
            yield f"{source.name}: column {column.name} of the target needs a value, and the source does not have it"


class AppliedPosition(NamedTuple):
    """How far a table of the target has come.

    Attributes:
        place: changes whose ``_sequence`` is before it are in the table.
        start: a place at or before it at which no transaction is open: where a stream goes on.
        csn, time: of the last change; ``time`` is when the source wrote it, UTC.
        changes: applied since the first.
    """

    place: str
    start: str
    csn: str | None = None
    time: dt.datetime | None = None
    changes: int = 0


def place_of(seqno: int, rba: int) -> str:
    """A place in a trail as text, in the order of ``_sequence``."""
    return f"{seqno:010d}.{rba:016d}."


def lock_file(path: Path) -> IO[bytes] | None:
    """Lock a file of its own until it is closed; None where another has the lock. Nothing is written to it.

    Raises:
        OSError: it cannot be opened, or is a link.
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


class ApplyTarget(ABC):
    """Tables that take changes in transactions; while it is open no other stream writes to them.

    Attributes:
        commits_parts: whether a commit is one for all tables, at once.
    """

    commits_parts = True

    @abstractmethod
    def open(self, tables: Sequence[str]) -> None:
        """Connect, and lock these tables of the trail against other streams.

        Raises:
            BadTarget: another stream has one of them.
            TargetLost: there is no connection.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go; what was not committed has not happened."""

    @abstractmethod
    def positions(self) -> dict[str, AppliedPosition]:
        """The position of each table by its name in the trail."""

    @abstractmethod
    def prepare(self, tables: Sequence[SourceTable], *, create: bool) -> None:
        """Find the tables and hold them against the source; with ``create`` make those that are missing.

        Raises:
            BadTarget: a table is missing, or has other columns or types; nothing has been written.
        """

    @abstractmethod
    def apply(self, table: str, changes: Changes, *, overwrite: bool) -> None:
        """Apply changes of a table in the transaction under way.

        With ``overwrite`` rows that are there already are replaced, and those missing are left out.

        Raises:
            KeyShared: of two rows with one key; nothing of the changes is applied.
            ChangeRefused: it does not take a change.
            TargetLost: it has gone.
        """

    @abstractmethod
    def commit(self, positions: Mapping[str, AppliedPosition]) -> None:
        """Commit what was applied, with the positions. Raises TargetLost."""

    @abstractmethod
    def rollback(self) -> None:
        """Undo what was applied since the last commit. Raises TargetLost."""
