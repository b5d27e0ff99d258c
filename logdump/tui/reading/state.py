"""The state of a session after a command, and the trail's files and transactions, as panes show them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.notation.times import LOCAL, TimeOffset
from logdump.parameters.in_use import ParametersInUse
from logdump.session.session import Mark, Session, SourceDefinitions
from logdump.session.settings import Across
from logdump.tui.reading.rows import ListRow
from trailformat import FileHeader, TrailFile
from trailformat.changes.encrypted import looks_encrypted
from trailformat.changes.transaction_context import transaction_at
from trailformat.errors import CannotRead
from trailformat.index import TrailIndex, TransactionSpan
from trailformat.records.file_header import VENDORS
from trailformat.trail.packed import status_of
from trailformat.trail.peek import peek
from trailformat.trail.sequence import names_around, nearest_of
from trailformat.transactions.whole_trail import WholeTrail

if TYPE_CHECKING:
    from logdump.filters import FilterSet


class Summary(NamedTuple):
    """Facts about one file; empty or None if the header lacks them. Times are Julian microseconds."""

    name: str = ""
    source: str = ""
    release: str = ""
    size: int = 0
    first_csn: str = ""
    last_csn: str = ""
    first_time: int | None = None
    last_time: int | None = None
    looks_encrypted: bool = False


def summary_of(session: Session) -> Summary:
    """Return the summary of the open file."""
    trail = session.trail
    header = trail.file_header
    return _by_header(header, Summary(trail.path.name, size=trail.size, looks_encrypted=looks_encrypted(trail)))


def _by_header(header: FileHeader | None, bare: Summary) -> Summary:
    if header is None:
        return bare
    return bare._replace(
        source=_source(header),
        release=_release(header),
        first_csn=header.first_csn or "",
        last_csn=header.last_csn or "",
        first_time=header.first_time or None,
        last_time=header.last_time or None,
    )


def summary_of_file(path: Path) -> Summary:
    """Return the summary of a file from its header.

    Raises:
        TrailError, CannotRead: the file is no trail, or cannot be read.
    """
    with TrailFile(path) as trail:
        return _by_header(trail.file_header, Summary(name=path.name, size=trail.size))


def _source(header: FileHeader) -> str:
    vendor = header.get("DatabaseInfo", "Vendor")
    return VENDORS.get(vendor, "").lower() if isinstance(vendor, int) else ""


def _release(header: FileHeader) -> str:
    major, minor = (header.get("ProducerInfo", name) for name in ("MajorVersion", "MinorVersion"))
    return f"{major}.{minor}" if isinstance(major, int) and isinstance(minor, int) else ""


MOST_SHOWN = 200
"""Maximum number of transactions shown; TRANSHIST has the same limit."""


class ListedTransaction(NamedTuple):
    """A transaction with its CSN and XID, empty if no record has them, and its bytes in the file, 0 while open."""

    span: TransactionSpan
    csn: str
    xid: str
    file_bytes: int = 0


ORDERS: dict[str, Callable[[ListedTransaction], int]] = {
    "bytes": lambda transaction: transaction.span.data_bytes,
    "records": lambda transaction: transaction.span.records,
    "duration": lambda transaction: transaction.span.last_time - transaction.span.first_time,
}
"""The sort keys of the pane; the largest value comes first."""


def read_transactions(
    trail: TrailFile, index: TrailIndex, known: Iterable[ListedTransaction] = ()
) -> list[ListedTransaction]:
    """Return the open transaction, if there is one, and the largest ones by bytes.

    Complete entries of ``known`` are reused, as the index reports four times a second while a trail grows.
    """
    transactions = index.sums.transactions
    spans = ([transactions.open] if transactions.open is not None else []) + transactions.largest
    listed = []
    read = {transaction.span: transaction for transaction in known if transaction.csn and transaction.file_bytes}
    for span in spans[:MOST_SHOWN]:
        if span in read:
            listed.append(read[span])
            continue
        owner = transaction_at(trail, span.begin)
        last = trail.record_at(span.end) if span.end is not None else None
        size = last.rba + last.length - span.begin if last is not None else 0
        listed.append(ListedTransaction(span, owner.csn or "", owner.xid or "", size))
    return listed


_SETTLED = 2_000_000_000
"""Nanoseconds after a change of a folder within which a further change may leave its time the same."""


class NeighbourFiles(NamedTuple):
    """The nearest files of the trail and the first missing names between; ``number`` is that of the open file, from 1.

    ``after_size`` is the size of the next file in bytes, ``files`` the number of files of the trail.
    """

    before: Path | None = None
    missing_before: Path | None = None
    after: Path | None = None
    missing_after: Path | None = None
    after_size: int = 0
    number: int = 0
    files: int = 0

    def within_reach(self, step: int, across: Across) -> Path | None:
        """Return the file in which ACROSS continues, forward (``step`` 1) or backward (-1), None if there is none."""
        path, missing = (self.after, self.missing_after) if step > 0 else (self.before, self.missing_before)
        is_open = across is Across.GAPS or (across is Across.ON and missing is None)
        return path if is_open else None

    def to_this(self, path: Path) -> NeighbourFiles:
        """Return the neighbours of the file before, whose next file is the open one, ``path``."""
        return NeighbourFiles(after=path, missing_after=self.missing_before)


class NeighbourLookup:
    """Finds the neighbours of a file; the folder is listed again only if it has changed."""

    def __init__(self) -> None:
        self._known: tuple[Path, int] | None = None
        self._neighbours = NeighbourFiles()

    def of(self, path: Path) -> NeighbourFiles:
        """Return the current neighbours."""
        changed = _changed(path.parent)
        if changed is None or self._known != (path, changed):
            self._neighbours = neighbour_files(path)
            is_settled = changed is not None and time.time_ns() - changed > _SETTLED
            self._known = (path, changed) if is_settled and changed is not None else None
        return self._neighbours._replace(after_size=_size(self._neighbours.after))


def neighbour_files(path: Path) -> NeighbourFiles:
    """Return the neighbours of a file, without their sizes."""
    try:
        names = names_around(path)
    except CannotRead:
        return NeighbourFiles()
    paths = [name.path for name in names]
    number = paths.index(path) + 1 if path in paths else 0
    before, after = nearest_of(names, path, -1), nearest_of(names, path, 1)
    return NeighbourFiles(*before, *after, number=number, files=len(paths))


def _changed(folder: Path) -> int | None:
    with suppress(OSError):
        return status_of(folder).st_mtime_ns
    return None


def _size(path: Path | None) -> int:
    with suppress(OSError):
        return status_of(path).st_size if path is not None else 0
    return 0


class ListedFile(NamedTuple):
    """A file with its size and the first CSN and time of its header; None if they are not known.

    If ``last_missing`` is set, the entry is a gap: the files from ``path`` to ``last_missing`` are missing.
    """

    path: Path
    size: int | None = None
    first_csn: str | None = None
    first_time: int | None = None
    last_missing: Path | None = None
    inode: int | None = None


def trail_files(path: Path, known: tuple[ListedFile, ...] = (), *, with_headers: bool = True) -> tuple[ListedFile, ...]:
    """Return the files and gaps of the trail of ``path``, or ``path`` alone; ``known`` headers are not read again."""
    headers = {file.path: file for file in known if file.first_csn is not None or file.first_time is not None}
    paths = [name.path for name in names_around(path)] or [path]
    gaps = {gap.file_after: gap for gap in WholeTrail(paths).gaps}
    files = []
    for file_path in paths:
        if (gap := gaps.get(file_path)) is not None:
            files.append(ListedFile(gap.first, last_missing=gap.last))
        files.append(_listed(file_path, headers.get(file_path), with_headers=with_headers))
    return tuple(files)


def _listed(path: Path, known: ListedFile | None, *, with_headers: bool) -> ListedFile:
    listed = ListedFile(path)
    with suppress(OSError):
        status = status_of(path)
        listed = listed._replace(size=status.st_size, inode=status.st_ino)
    if known is not None and listed.inode == known.inode and (listed.size or 0) >= (known.size or 0):
        return known._replace(size=listed.size)
    header = None
    with suppress(CannotRead):
        header = peek(path) if with_headers else None
    return listed._replace(first_csn=header.first_csn, first_time=header.first_time) if header is not None else listed


class State(NamedTuple):
    """The open file (``opened`` counts openings), RBA, filter, switches, definitions, marks, and parameter files.

    ``filters`` are a copy, None without an active filter, and ``filter_text`` is their description; ``filter_set`` is
    the filter, active or not. ``switches`` differ whenever the settings do; ``neighbours`` are those at the time of
    opening.
    """

    path: Path | None = None
    opened: int = 0
    rba: int = 0
    number: int = 1
    filters: FilterSet | None = None
    filter_text: str = ""
    switches: str = ""
    source: SourceDefinitions | None = None
    marks: tuple[Mark, ...] = ()
    is_over: bool = False
    parameters: ParametersInUse | None = None
    across: Across = Across.OFF
    time_offset: TimeOffset = LOCAL
    neighbours: NeighbourFiles = NeighbourFiles()
    filter_set: FilterSet | None = None

    def has_other_rows(self, before: State) -> bool:
        """Return whether the list of the open file has other rows than before: the filter or its definitions differ."""
        is_other_source = self.filters is not None and self.source is not before.source
        return is_other_source or self.filters != before.filters


class Current(NamedTuple):
    """The subject of the pages: the row under the cursor, and the settings of its display.

    ``opened`` counts the openings of files; ``switches`` differ whenever the settings do.
    """

    row: ListRow | None = None
    opened: int = 0
    switches: str = ""
    source: SourceDefinitions | None = None
    parameters: ParametersInUse | None = None


def state_of(session: Session, opened: int) -> State:
    """Return the current state of a session."""
    filters = session.filters_in_use
    return State(
        session.trail.path if session.has_trail else None,
        opened,
        session.cursor.current if session.has_trail else 0,
        session.number,
        filters.copy() if filters is not None and filters.active else None,
        _filter_text(filters),
        repr(session.settings),
        session.source_definitions,
        tuple(session.marks.values()),
        session.is_over,
        session.kept(ParametersInUse),
        session.settings.across,
        session.settings.time_offset,
        filter_set=filters.copy() if filters is not None else None,
    )


def _filter_text(filters: FilterSet | None) -> str:
    """Return the active criteria in one line, empty if there is no filter."""
    if filters is None or not filters.active:
        return ""
    parts = []
    for sign, criteria in (("", filters.include), ("not ", filters.exclude)):
        values = [
            f"{entry.criterion.label} {_value(entry.criterion)}"
            for entry in filters.entries()
            if entry.owner is criteria
        ]
        if values:
            parts.append(sign + (" and " if criteria.match.value == "ALL" else " or ").join(values))
    return ", ".join(parts)


def _value(criterion: object) -> str:
    return " ".join(text for lines in criterion.describe() for text in lines)  # type: ignore[attr-defined]
