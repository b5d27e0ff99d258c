"""A run of ``apply``: it follows a trail from the positions in the target, and begins again after an outage.

A driver reads the trail, in this process or by Spark; all else is the same for both. The position in the target is the
only state: what a driver has noted is forgotten when the run begins again.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from logdump.tables.errors import BadOption, SchemaChanged, SourceError
from logdump.tables.options import Paths
from logdump.targets.applier import Applier, ApplyProgress, ApplyRules
from logdump.targets.beginning import Beginning, check_beginning, check_csns
from logdump.targets.database import DatabaseTarget
from logdump.targets.dialects import dialect_for
from logdump.targets.lakes import DeltaTarget, IcebergTarget
from logdump.targets.load import Frames, Loaded, LoadRequest, LoadSource, as_changes, frame_tables
from logdump.targets.net_effect import Changes
from logdump.targets.parts import Rows
from logdump.targets.positions import witness_of
from logdump.targets.refused import retry_noted, waiting_of
from logdump.targets.request import COLLISIONS, DDL, ERRORS, ApplyRequest, DdlHandler, csn, way_of_writing, word
from logdump.targets.statements import statements_between
from logdump.targets.target import (
    AppliedPosition,
    ApplyTarget,
    BadTarget,
    ChangeRefused,
    Refused,
    RefusedChange,
    SourceColumn,
    SourceTable,
    TargetLost,
    place_of,
    source_tables,
)
from logdump.targets.writing import Writing
from trailformat.codec.remote.url import without_password

if TYPE_CHECKING:
    import pyarrow as pa

PARTITION = "4m"
"""Bytes of trail that are read at once: while their rows are applied, others may be read."""

_MOST_OPENINGS = 5
"""Most times in a row that a target is opened again and lost without a commit, of which each begins an outage."""
Take = Callable[[Rows, str], bool]
"""Applies the rows of a batch, which ends at a place of the trail; returns whether something was committed."""


class DdlFound(SourceError):
    """A DDL statement on a table that changes are applied to."""


class ApplyDriver(ABC):
    """Reads the trail of a run."""

    @abstractmethod
    def begin(self, request: ApplyRequest, options: Mapping[str, Any]) -> Mapping[str, Sequence[SourceColumn]]:
        """Plan a read of the changes of the tables of a request; return the columns of each table.

        Raises:
            SourceError: the trail cannot be read.
        """

    @abstractmethod
    def run(self, take: Take, stop: threading.Event) -> Iterator[None]:
        """Read batch after batch and call ``take`` with each, until the trail ends or ``stop`` is set.

        Yields after each commit, if the caller of ``take`` is not Spark. Raises what ``take`` raises, and SourceError.
        """

    def has_died(self, error: Exception) -> bool:
        """Return whether an error means that a process of the driver has died, so that the read may begin again."""
        return False

    def frame_tables(self, frame: Any) -> Iterator[pa.Table]:
        """Yield the rows of a frame in portions. Raises BadOption if it is none."""
        return frame_tables(frame)


class Outage(NamedTuple):
    """The beginning of an outage, in the words of the target or of the driver."""

    problem: str


class _Again(Exception):
    """A statement was handled: the schemas must be read again."""


class ApplyArguments(TypedDict, total=False):
    """The arguments of ``apply``, by either driver.

    Attributes:
        once: whether to end when the existing changes have been applied; otherwise ``stop`` ends the call.
        interval: seconds between checks of the trail for changes; 1.
        from_csn: first CSN for tables that have no position yet; by default they begin with the trail.
        adopt: first CSN for tables whose position in the target is not one of this trail; without it they are refused.
        keys: key columns of tables that have no key in the trail.
        create: whether to create missing tables.
        collisions: ``stop`` if a new row exists or a changed one is missing; ``overwrite``, after a load that overlaps.
        ddl: ``stop`` at a DDL statement on one of the tables, ``ignore`` it, or a function of its text and table, which
            is called when all changes before it are applied.
        batch: bytes of trail in one transaction of the target, 32m; transactions of the source are never split.
        patience: seconds to wait for a target whose connection is lost; 60.
        progress: called after each commit.
        stop: ends the call after the current transaction.
        errors: ``stop`` at a change that the target refuses; ``table``: it is noted in ``logdump_errors`` with the
            later changes of its row, and all else goes on; :func:`logdump.retry` applies them again.
        write: ``mirror``: rows as they are at the source; ``append``: a row for each change; ``history``: a row for
            each version of a row, one for each transaction that changes it, with CSN and time of its begin and end.
        deletes: ``apply``, or ``soft``: a row that is deleted stays, and says when it was deleted.
        load: where the rows of tables without a position come from: the URL of the database of the source, or a frame
            for each table by name; the trail goes on after their CSN.
        load_csn: the CSN that they are of; Oracle is asked for it, unless given.
        load_snapshot: the snapshot of PostgreSQL at that CSN, as CREATE_REPLICATION_SLOT has exported it.
        undecodable: with ``null`` a value that does not decode leaves its column in the target as it is; otherwise it
            stops.
    """

    once: bool
    interval: float
    from_csn: str | int | None
    adopt: str | int | None
    keys: Mapping[str, Sequence[str]] | None
    create: bool
    collisions: str
    ddl: str | DdlHandler
    batch: str
    patience: float
    progress: Callable[[ApplyProgress], object] | None
    stop: threading.Event | None
    errors: str
    write: str
    deletes: str
    load: str | Frames | None
    load_csn: str | int | None
    load_snapshot: str | None
    undecodable: str


Tables = str | Sequence[str] | Mapping[str, str]
_ARGUMENTS = ApplyArguments.__annotations__.keys() - {"undecodable"}


def run_of(driver: ApplyDriver, path: Paths, target: Any, tables: Tables, given: Mapping[str, Any]) -> ApplyRun:
    """Return the run of a call of ``apply`` with these :class:`ApplyArguments` and options of the data source.

    Nothing is opened yet.

    Raises:
        BadOption: an argument or an option is wrong.
        BadTarget: the target is none.
    """
    arguments = {name: value for name, value in given.items() if name in _ARGUMENTS}
    named = [tables] if isinstance(tables, str) else tables
    names = named if isinstance(named, Mapping) else dict.fromkeys(named, "")
    ddl = arguments.get("ddl", "stop")
    request = ApplyRequest(
        path,
        dict(names),
        arguments.get("keys") or {},
        csn("from_csn", arguments.get("from_csn")),
        ddl if callable(ddl) else word("ddl", DDL, ddl),
        {
            "effective": True,
            "maxBytesPerTrigger": arguments.get("batch", "32m"),
            "maxPartitionBytes": PARTITION,
            **{name: value for name, value in given.items() if name not in _ARGUMENTS},
        },
        csn("adopt", arguments.get("adopt")),
    )
    overwrite = word("collisions", COLLISIONS, arguments.get("collisions", "stop")) == "overwrite"
    stop = arguments.get("stop") or threading.Event()
    create = bool(arguments.get("create"))
    chosen = request.chosen(overwrite=overwrite)
    run = ApplyRun(driver, target_for(target), chosen, stop, overwrite=overwrite, create=create)
    run.writing = way_of_writing(
        arguments.get("write", "mirror"), arguments.get("deletes", "apply"), overwrite=overwrite
    )
    run.load = load_of(arguments)
    run.notes_refused = word("errors", ERRORS, arguments.get("errors", "stop")) == "table"
    run.patience, run.report = arguments.get("patience", 60.0), arguments.get("progress")
    return run


def load_of(arguments: Mapping[str, Any]) -> LoadRequest | None:
    """Return what arguments say about the load. Raises BadOption or BadTarget if they are wrong."""
    source, at, snapshot = (arguments.get(name) for name in ("load", "load_csn", "load_snapshot"))
    if source is None:
        if at is not None or snapshot is not None:
            raise BadOption("load_csn and load_snapshot go with load, the database of the source or frames")
        return None
    if arguments.get("from_csn") is not None:
        raise BadOption("from_csn does not go with load: tables begin after the CSN of the load")
    return LoadRequest(source, csn("load_csn", at), snapshot).checked()


def target_for(given: Any) -> ApplyTarget:
    """Return the target of a URL or of a catalog of ``pyiceberg``. Raises BadTarget if a URL is not of a target."""
    if isinstance(given, ApplyTarget):
        return given
    if not isinstance(given, str):
        return IcebergTarget(given)
    if given.startswith(("delta:", "iceberg:")):
        kind, _, place = given.partition(":")
        place = place.removeprefix("//")
        return DeltaTarget(place) if kind == "delta" else IcebergTarget(place)
    if (dialect := dialect_for(given)) is not None:
        return DatabaseTarget(dialect)
    schemes = "postgresql://, mysql://, mariadb://, oracle://, sqlite:///file, delta:folder, iceberg:catalog"
    raise BadTarget(f"{without_password(given)} is no target: {schemes}")


class ApplyRun:
    """One call of ``apply``.

    Args:
        driver: reads the trail.
        target: the target, which is opened and closed.
        request: the trail, its tables and the options.
        stop: ends the run after the current transaction.
        overwrite: whether existing rows are replaced, and changes of missing rows left out.
        create: whether missing tables are created.

    Attributes:
        progress: the progress so far.
        report: called after each commit.
        patience: seconds to wait for a target whose connection is lost.
        notes_refused: whether changes that the target refuses are noted in it, and the rest goes on.
        writing: how changes are written.
        load: where the rows of tables without a position come from.
    """

    def __init__(
        self,
        driver: ApplyDriver,
        target: ApplyTarget,
        request: ApplyRequest,
        stop: threading.Event,
        *,
        overwrite: bool,
        create: bool,
    ) -> None:
        self._driver, self._target, self._asked, self._stop = driver, target, request, stop
        self._overwrite, self._create = overwrite, create
        self.report: Callable[[ApplyProgress], object] | None = None
        self.patience = 60.0
        self.notes_refused = False
        self.writing = Writing()
        self.load: LoadRequest | None = None
        self._row_source: LoadSource | None = None
        self._applier: Applier | None = None
        self._reached = ""
        self._handled: set[str] = set()
        self._begun = Beginning({}, {}, {})
        self._noted: Counter[str] = Counter()
        self._commits = 0
        self._is_open = False
        self.progress = ApplyProgress()

    def to_the_end(self) -> ApplyProgress:
        """Follow the trail until it ends or is stopped. Raises like commits."""
        for _ in self.commits():
            pass
        return self.progress

    def commits(self) -> Iterator[ApplyProgress | Loaded | Outage]:
        """Follow the trail, and begin again when the connection to the target, or a process of the driver, was lost.

        Yields the progress after commits, the ends of loads, and outages as they begin.

        Raises:
            SourceError: the trail or the target is not as it must be; what was committed stays.
            TargetLost: the connection stays lost for ``patience`` seconds.
            Exception: processes of the driver keep dying for that time.
        """
        while True:
            before = self.progress.rows
            try:
                yield from self._through_outages(self.follow)
            except _Again:
                continue
            except SchemaChanged:
                if self._asked.ddl == "stop" or self.progress.rows == before:
                    raise
            else:
                return

    def _through_outages(
        self, attempt: Callable[[], Iterator[ApplyProgress | Loaded]]
    ) -> Iterator[ApplyProgress | Loaded | Outage]:
        """Make an attempt, and again while the target is lost, or a process of the driver has died.

        An outage ends as soon as something is committed, or the target is open again; the latter only some times in a
        row, since a target may be lost at each change. Raises TargetLost, and what the attempt raises.
        """
        lost_at: float | None = None
        openings = 0
        while True:
            begun, committed, self._is_open = time.monotonic(), self._commits, False
            try:
                yield from attempt()
            except Exception as error:
                if not isinstance(error, TargetLost) and not self._driver.has_died(error):
                    raise
                now = time.monotonic()
                openings = 0 if self._commits > committed else openings + self._is_open
                is_reopened = self._is_open and openings <= _MOST_OPENINGS and isinstance(error, TargetLost)
                is_long = self._is_open and now - begun >= self.patience
                is_over = self._commits > committed or is_reopened or is_long
                is_first = lost_at is None or is_over
                lost_at = now if lost_at is None or is_over else lost_at
                if now - lost_at >= self.patience or self._stop.is_set():
                    raise
                if is_first:
                    yield Outage(str(error))
                self._stop.wait(min(1.0, self.patience / 10))
            else:
                return

    def follow(self) -> Iterator[ApplyProgress | Loaded]:
        """Follow the trail from the positions in the target until it ends or is stopped. Raises TargetLost."""
        with closing(self._target):
            try:
                noted, sources = self._open(loads=True)
                yield from self._copy(sources)
            finally:
                self._close_source()
            self._begin(noted, sources)
            for _ in self._driver.run(self._take, self._stop):
                yield self.progress

    def retry(self) -> ApplyProgress:
        """Apply the changes that are noted in the target again; return the numbers of applied and left ones.

        Raises:
            SourceError: as commits.
        """
        for _ in self.retries():
            pass
        return self.progress

    def retries(self) -> Iterator[ApplyProgress | Loaded | Outage]:
        """Apply the changes that are noted in the target again, in order, until ``stop`` is set. Like commits."""
        self.notes_refused = True
        yield from self._through_outages(self._retry)

    def _retry(self) -> Iterator[ApplyProgress]:
        with closing(self._target):
            noted, sources = self._open()
            before = self.progress.rows
            self.progress = ApplyProgress(before, refused=len(noted))
            for done in retry_noted(self._target, sources, noted, overwrite=self._overwrite):
                self._commits += 1
                self.progress = ApplyProgress(before + done, refused=len(noted) - done)
                yield self.progress
                if self._stop.is_set():
                    return

    def _open(self, *, loads: bool = False) -> tuple[list[RefusedChange], list[SourceTable]]:
        """Open the target at its positions; return the changes that are noted in it, and the tables.

        With ``loads`` the source of the load is opened if a table has no position.

        Raises:
            BadTarget: changes are noted, and others of the same rows would overtake them.
        """
        request, target = self._asked, self._target
        target.open(request.tables)
        noted = [one for one in target.refused(create=self.notes_refused) if one.table_name in request.tables]
        if noted and not self.notes_refused:
            raise BadTarget(
                f"nothing was written: logdump_errors has {len(noted)} changes of {noted[0].table_name} and others, "
                "which later ones would overtake: retry them, delete them, or go on with errors='table'"
            )
        files = request.files()
        positions = target.positions()
        if loads and self.load is not None and not request.tables.keys() <= positions.keys():
            self._row_source = self.load.opened(self._driver.frame_tables)
        loaded = self._row_source.csn if self._row_source is not None else None
        begun = Beginning.of(request, positions, files, loaded)
        self._reached = begun.start
        if loaded is not None:
            check_csns(files, begun.firsts)
        if not begun.options and not begun.firsts:
            check_beginning(request)
        columns = self._driver.begin(request, {**request.read_options, **begun.options, "arrowBatches": True})
        needs_key = self.writing.write != "append" or self.notes_refused
        found = source_tables(columns, request.tables, request.keys, needs_key=needs_key)
        sources = [source._replace(writing=self.writing) for source in found]
        if request.ddl != "ignore":
            sources = [*begun.tables(sources, request.layouts(), files, self._handled)]
        target.prepare(sources, create=self._create)
        self._is_open = True
        self._begun = begun
        return noted, sources

    def _close_source(self) -> None:
        if self._row_source is not None:
            self._row_source.close()
        self._row_source = None

    def _copy(self, sources: Sequence[SourceTable]) -> Iterator[Loaded]:
        """Copy the rows of the tables that have no position, each table in a transaction of the target.

        Raises:
            BadTarget: a table that has no position has rows.
            Refused: the target refuses a row; none of its table is there.
            BadLoad: the rows cannot be read.
        """
        origin, target = self._row_source, self._target
        if origin is None:
            return
        new = [source for source in sources if source.name not in self._begun.positions]
        for source in new:
            if target.has_rows(source.name):
                what = f"{source.name} has rows in the target, and no position"
                raise BadTarget(f"nothing was written: {what}: empty it, or leave out load")
        for source in new:
            count = 0
            try:
                for rows in origin.rows(source):
                    if self._stop.is_set():
                        target.rollback()
                        return
                    portion = Changes([*source.columns], source.keys)
                    portion.add(as_changes(rows, origin.csn))
                    target.apply(source.name, portion, overwrite=False)
                    count += len(rows)
                position = AppliedPosition("", "", origin.csn)
                target.commit({source.name: position})
            except ChangeRefused as error:
                raise Refused(f"nothing of {source.name} was written: load: {error.problem}") from None
            self._commits += 1
            self._begun.positions[source.name] = position
            yield Loaded(source.name, count, origin.csn)

    def _begin(self, noted: Sequence[RefusedChange], sources: Sequence[SourceTable]) -> None:
        """Make what applies changes, from the positions on."""
        request, target, begun = self._asked, self._target, self._begun
        self._applier = Applier(
            target,
            sources,
            begun.positions,
            rules=ApplyRules(self._overwrite, begun.firsts, request.keeps_undecoded, self.notes_refused),
            done=self.progress,
            witness_at=lambda place: witness_of(request.files(), place),
            waiting=waiting_of(noted, sources),
            noted=self._noted,
        )

    def _take(self, rows: Rows, end: str) -> bool:
        applier = self._applier
        if applier is None or self._stop.is_set():
            return False
        try:
            if self._asked.ddl != "ignore":
                self._meet_statements(applier, rows, end)
            is_committed = applier.apply(rows, end)
            self._reached = end
        finally:
            self._commits += applier.progress is not self.progress
            self.progress = applier.progress
        if is_committed and self.report is not None:
            self.report(applier.progress)
        return is_committed

    def _meet_statements(self, applier: Applier, rows: Rows, end: str) -> None:
        """Apply the changes before the next DDL statement of a batch; then stop, or call the function ``ddl``.

        Raises:
            DdlFound: there is a statement, and ``ddl`` is not a function.
        """
        begun = max(self._reached, applier.place) or place_of(0, 0)
        statements = statements_between(self._asked.files(), begun, end, self._asked.tables)
        statement = next(
            (met for met in statements if self._begun.is_met(met, applier.place_of(met.table), self._handled)), None
        )
        if statement is None:
            return
        before = "all before it is applied"
        try:
            applier.apply_before(rows, statement.place, statement.table)
        except SchemaChanged:
            before = "it is in a batch of which nothing is applied"
        if not callable(self._asked.ddl):
            raise DdlFound(f"{statement.where}: {before}: {statement.text}")
        self._handled.add(statement.place)
        self._asked.ddl(statement.text, statement.table)
        raise _Again
