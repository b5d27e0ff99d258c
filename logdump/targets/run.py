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
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from logdump.notation.text import matches
from logdump.tables.defined_tables import PlacedLayout
from logdump.tables.errors import BadOption, SchemaChanged, SourceError
from logdump.tables.heartbeat_tables import role_of
from logdump.tables.options import Paths
from logdump.tables.paths import TrailInput
from logdump.targets.applier import Applier, ApplyRules
from logdump.targets.beginning import Beginning, check_beginning, check_csns
from logdump.targets.copied import CopyRules
from logdump.targets.database import DatabaseTarget
from logdump.targets.dialects import dialect_for
from logdump.targets.evolution import (
    TableAlteration,
    TrailPart,
    definitions_between,
    difference_of,
    ends_rows,
    lengths_of,
    says_no_more,
    source_of,
)
from logdump.targets.lakes import DeltaTarget, IcebergTarget
from logdump.targets.load import Loaded, LoadRequest, LoadSource, as_changes, frame_tables
from logdump.targets.net_effect import Changes
from logdump.targets.parts import Rows
from logdump.targets.positions import last_of, witness_of
from logdump.targets.refused import retry_noted, waiting_of
from logdump.targets.request import ApplyRequest, way_of_writing
from logdump.targets.run_options import RunOptions
from logdump.targets.statements import statements_between
from logdump.targets.target import (
    AppliedPosition,
    ApplyProgress,
    ApplyTarget,
    BadTarget,
    ChangeRefused,
    Refused,
    RefusedChange,
    SourceColumn,
    SourceTable,
    TableDifference,
    TargetLost,
    place_of,
    source_tables,
)
from logdump.targets.writing import Writing
from trailformat.codec.remote.url import without_password
from trailformat.trail.packed import unpacked_size

if TYPE_CHECKING:
    import pyarrow as pa


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


def run_of(driver: ApplyDriver, path: Paths, target: Any, options: RunOptions) -> ApplyRun:
    """Return a run of ``apply``. Nothing is opened yet.

    Raises:
        BadOption: an option or a table does not exist, or does not go with another.
        BadTarget: the target is none.
    """
    overwrite = options.collisions == "overwrite"
    request = ApplyRequest.of(path, options)
    chosen = request.chosen(overwrite=overwrite)
    run = ApplyRun(driver, target_for(target), chosen, options.stop, overwrite=overwrite, create=options.create)
    run.evolves = request if options.evolve == "add" else None
    run.notes_refused = options.errors == "table"
    run.copies = CopyRules.of(options, chosen.tables)
    run.writing, run.load = way_of_writing(options), load_of(options)
    run.patience, run.report = options.patience, options.progress
    return run


def load_of(options: RunOptions) -> LoadRequest | None:
    """Return what options say about the load. Raises BadOption or BadTarget if they are wrong."""
    if options.load is None:
        if options.load_csn is not None or options.load_snapshot is not None:
            raise BadOption("load_csn and load_snapshot go with load, the database of the source or frames")
        return None
    others = {
        "from_csn": "tables begin after the CSN of the load",
        "mask": "load the masked rows yourself, then from_csn",
    }
    others["evolve"] = "load first, and let tables change from the next run on"
    given = {"from_csn": options.from_csn is not None, "mask": bool(options.mask), "evolve": options.evolve != "stop"}
    for name, is_given in given.items():
        if is_given:
            raise BadOption(f"{name} does not go with load: {others[name]}")
    return LoadRequest(options.load, options.load_csn, options.load_snapshot).checked()


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
    if given.lower().startswith("kafka:"):
        raise BadTarget(f"{without_password(given)} is no target of apply: publish writes to Kafka")
    schemes = "postgresql://, mysql://, mariadb://, oracle://, sqlite:///file, delta:folder, iceberg:catalog"
    raise BadTarget(f"{without_password(given)} is no target: {schemes}")


class ClosingTarget(Protocol):
    """A target as far as every run knows it."""

    def close(self) -> None:
        """Close it; what was not committed is not there."""


Target = TypeVar("Target", bound=ClosingTarget)


class TrailRun(ABC, Generic[Target]):
    """One call that follows a trail into a target.

    Args:
        driver: reads the trail.
        target: the target, which is opened and closed.
        request: the trail, its tables and the options.
        stop: ends the run after the current transaction.

    Attributes:
        progress: the progress so far.
        report: called after each commit.
        patience: seconds to wait for a target whose connection is lost.
    """

    def __init__(self, driver: ApplyDriver, target: Target, request: ApplyRequest, stop: threading.Event) -> None:
        self._driver, self._target, self._asked, self._stop = driver, target, request, stop
        self.report: Callable[[ApplyProgress], object] | None = None
        self.patience = 60.0
        self._commits = 0
        self._is_open = False
        self.progress = ApplyProgress()

    @abstractmethod
    def _open(self) -> object:
        """Open the target, begin the read at its positions, and set ``_is_open``. Raises SourceError."""

    @abstractmethod
    def _take(self, rows: Rows, end: str) -> bool:
        """Take the rows of a batch; see Take. Raises SourceError."""

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
            self._open()
            for _ in self._driver.run(self._take, self._stop):
                yield self.progress


class ApplyRun(TrailRun[ApplyTarget]):
    """One call of ``apply``.

    Args:
        driver, target, request, stop: as of every run.
        overwrite: whether existing rows are replaced, and changes of missing rows left out.
        create: whether missing tables are created.

    Attributes:
        notes_refused: whether changes that the target refuses are noted in it, and the rest goes on.
        copies: the columns, names and masks of tables.
        evolves: the request with its wildcards, if the target is altered as the tables in the trail are.
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
        super().__init__(driver, target, request, stop)
        self._overwrite, self._create = overwrite, create
        self.notes_refused = False
        self.copies = CopyRules({}, {}, {})
        self.evolves: ApplyRequest | None = None
        self.writing = Writing()
        self.load: LoadRequest | None = None
        self._row_source: LoadSource | None = None
        self._part = TrailPart(None, {}, {}, {})
        self._altered: set[str] = set()
        self._seen: set[str] = set()
        self._known_end = ""
        self._new: dict[str, AppliedPosition] = {}
        self._applier: Applier | None = None
        self._end = ""
        self._handled: set[str] = set()
        self._begun = Beginning({}, {}, {})
        self._noted: Counter[str] = Counter()

    def follow(self) -> Iterator[ApplyProgress | Loaded]:
        """Copy rows that are there already, follow the trail, alter the target where tables are. Raises TargetLost."""
        with closing(self._target):
            try:
                noted, sources = self._open(loads=True)
                yield from self._copy(sources)
            finally:
                self._close_source()
            self._begin(noted, sources)
            for _ in self._driver.run(self._take, self._stop) if self._part.layouts or self.evolves is None else ():
                yield self.progress
            if self._part.end is not None and not self._stop.is_set():
                self._alter(self._part.end)
                raise _Again

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
            waiting_of(noted, sources)  # refuses changes that were noted with another key
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

        With ``loads`` the source of the load is opened if a table has no position; without it noted changes are
        applied again, which are masked already.

        Raises:
            BadTarget: changes are noted, and others of the same rows would overtake them; or a table has other masks.
        """
        if self.evolves is not None:
            self._asked = self.evolves.chosen(overwrite=self._overwrite)
        request, target = self._asked, self._target
        target.open(request.tables)
        noted = [change for change in target.refused(create=self.notes_refused) if change.table_name in request.tables]
        if noted and not self.notes_refused:
            raise BadTarget(
                f"nothing was written: logdump_errors has {len(noted)} changes of {noted[0].table_name} and others, "
                "which later ones would overtake: retry them, delete them, or go on with errors='table'"
            )
        files = request.files()
        positions = target.positions()
        if loads:
            self.copies.check_kept(positions)
        if loads and self.load is not None and not request.tables.keys() <= positions.keys():
            self._row_source = self.load.opened(self._driver.frame_tables)
        loaded = self._row_source.csn if self._row_source is not None else None
        begun = Beginning.of(request, positions, files, loaded)
        if self.evolves is not None:
            layouts = self._divide(request, begun, files, positions)
            request = request.of_tables(self._part.layouts)
            begun = Beginning.of(request, self._new | positions, files)
        self._end = begun.start
        check_csns(files, begun.first_csns)
        if not begun.options and not begun.firsts:
            check_beginning(request)
        options = {**request.read_options, **begun.options, **self._part.options, "arrowBatches": True}
        columns = self._driver.begin(request, options) if request.tables else {}
        needs_key = self.writing.write != "append" or self.notes_refused
        found = source_tables(columns, request.tables, request.keys, needs_key=needs_key)
        sources = [source._replace(writing=self.writing) for source in found]
        if self.evolves is not None:
            every = [source_of([placed.layout for placed in own], self._asked) for own in layouts.values() if own]
            self.copies.check(every or sources)
        else:
            self.copies.check(sources)
            if request.ddl != "ignore":
                sources = [*begun.tables(sources, request.layouts(), files, self._handled)]
        sources = [*map(self.copies.copied, sources)]
        if self.evolves is not None:
            sources = [self._part.source(source, target.kept_columns) for source in sources]
        target.prepare(sources, create=self._create or self.evolves is not None)
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
        witness = last_of(self._asked.files())
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
                position = AppliedPosition("", "", origin.csn, witness=witness, masks=self.copies.digest(source.name))
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
            rules=ApplyRules(self._overwrite, begun.firsts, request.keeps_undecoded, self.notes_refused, self.copies),
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
            if self.evolves is not None:
                self._meet_definitions(self.evolves, end)
            if self._asked.ddl != "ignore":
                self._meet_statements(applier, rows, end)
            is_committed = applier.apply(rows, end)
            self._end = end
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
        begun = max(self._end, applier.place) or place_of(0, 0)
        statements = statements_between(self._asked.files(), begun, end, self._asked.tables)
        if self.evolves is not None:
            statements = (statement for statement in statements if not says_no_more(statement.text))
        statement = next(
            (met for met in statements if self._begun.is_met(met, applier.place_of(met.table), self._handled)), None
        )
        if statement is None:
            return
        before = "all before it is applied"
        try:
            is_ending = self.writing.write != "append" and ends_rows(statement.text)
            ending = f"{statement.where}: {before}: {statement.text}" if is_ending else ""
            applier.apply_before(rows, statement.place, statement.table, ending)
        except SchemaChanged:
            before = "it is in a batch of which nothing is applied"
        if not callable(self._asked.ddl):
            raise DdlFound(f"{statement.where}: {before}: {statement.text}")
        self._handled.add(statement.place)
        self._asked.ddl(statement.text, statement.table)
        raise _Again

    def _divide(
        self,
        request: ApplyRequest,
        begun: Beginning,
        files: Sequence[TrailInput],
        positions: Mapping[str, AppliedPosition],
    ) -> dict[str, list[PlacedLayout]]:
        """Find the part of the trail that begins at the positions; return all definitions of the tables."""
        last = files[-1]
        self._known_end = place_of(last.seqno or 0, unpacked_size(last.path))
        layouts = request.layouts()

        def is_new(name: str) -> bool:
            source = SourceTable(name, request.tables[name] or None, {}, ())
            return not (self._create or name in positions or name in self._new or self._target.has_table(source))

        self._part = TrailPart.of(layouts, begun, files, self._altered, is_new)
        return layouts

    def _meet_definitions(self, request: ApplyRequest, end: str) -> None:
        """Begin again if a batch has definitions that were not there when this part of the trail was found."""
        begun = max(self._end, self._known_end)
        for placed in definitions_between(request.files(), begun, end) if begun < end else ():
            name, place = placed.layout.name, place_of(placed.seqno, placed.rba)
            own = self._part.layouts.get(name)
            is_other = own is not None and own.columns != placed.layout.columns
            is_new = name not in self._part.layouts and role_of(name) is None
            is_new = is_new and any(matches(pattern, name, case_sensitive=False) for pattern in request.tables)
            if (is_other or is_new) and place not in self._seen:
                self._seen.add(place)
                raise _Again

    def _alter(self, alteration: TableAlteration) -> None:
        """Alter the target as a table was altered, when all before that is applied; note that it is done.

        What was altered before a kill is so already, and nothing is done to it again.

        Raises:
            DdlFound: it is more than a new column or a wider type, and ``ddl`` is ``stop``.
        """
        request, name, applier = self._asked, alteration.table, self._applier
        if alteration.before is None:
            if self._end:
                self._new[name] = AppliedPosition(self._end, self._end)
        elif not alteration.is_back:
            before, after = (
                self.copies.copied(source_of([layout], request))
                for layout in (alteration.before, alteration.where.layout)
            )
            lengths = [lengths_of(layout) for layout in (alteration.before, alteration.where.layout)]
            self._alter_table(alteration, difference_of(before, after, lengths))
        self._altered.add(alteration.place)
        if applier is not None and self._end == alteration.place:
            applier.apply_before(lambda: iter(()), alteration.place, name)

    def _alter_table(self, alteration: TableAlteration, difference: TableDifference) -> None:
        request, applier, where = self._asked, self._applier, alteration.where
        others = difference._replace(added=(), wider={})
        if request.ddl == "ignore" or not (difference.other or self._target.alter(others, is_to_run=False)):
            self._target.alter(difference._replace(gone=()), is_to_run=True)
            return
        statements = self._target.alter(difference, is_to_run=False)
        if callable(request.ddl):
            request.ddl("; ".join(statements), alteration.table)
            return
        if applier is not None and self._end == alteration.place:
            applier.apply_before(lambda: iter(()), alteration.place, alteration.table)
        file = next((file.path for file in request.files() if file.seqno == where.seqno), "")
        words = "; ".join([*difference.other, *statements])
        raise DdlFound(
            f"{file}, RBA {where.rba}: all before it is applied: {alteration.table} is defined anew: {words}"
        )
