"""DOCTOR."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from logdump.features.check.command import run_check
from logdump.features.check.model import CheckShown
from logdump.features.count.survey import CountOptions, CountRun, count_files
from logdump.features.doctor.findings import findings_of
from logdump.features.doctor.model import DoctorShown, Growth, LoneBeforeImages, TableImages
from logdump.features.heartbeat.model import PathLagShown
from logdump.features.heartbeat.survey import HeartbeatOptions, run_heartbeat
from logdump.features.recovery.command import RecoveryOptions, RecoveryRun
from logdump.features.recovery.model import KeepShown, RecoveryShown, TrailFileShown
from logdump.features.recovery.versions import FileFacts
from logdump.features.transactions.command import TransactionsOptions, TransactionsRun
from logdump.features.transactions.model import TransactionListed
from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import File
from logdump.session.chosen_trail import refuse_filter, whole_trail_of
from logdump.session.events import Event, Progress
from logdump.session.session import Session
from trailformat import TrailError, TrailFile
from trailformat.changes.row_changes import OPERATIONS
from trailformat.scan import Workers
from trailformat.totals.counting import Totals, TypeTotals
from trailformat.transactions.whole_trail import WholeTrail

_HOUR = 3_600_000_000
_LARGEST = 5
"""Transactions that are listed."""

T = TypeVar("T")


class Examination:
    """The answers of other commands about one trail."""

    def __init__(self, session: Session, whole: WholeTrail, name: str, largest: int = _LARGEST) -> None:
        self._session, self._whole, self._name, self._largest = session, whole, name, largest
        self.events: list[Any] = []
        self.headers: tuple[FileFacts, ...] = ()
        self.images: tuple[TableImages, ...] = ()
        self.totals = Totals()

    def run(self) -> Iterator[Event]:
        """Have the commands answer; yields their progress."""
        from logdump.features.doctor.images import ImageSurvey  # noqa: PLC0415 - it needs numpy
        from trailformat.transactions.not_applied import NotApplied  # noqa: PLC0415 - as above

        paths, images = self._whole.paths, ImageSurvey(self._session.definitions_of)
        yield from self._answers(run_check(self._session, paths, images.take))
        self.images = tuple(images.tables())
        self.events += [*self.images, LoneBeforeImages(images.lone_number, tuple(images.lone))]
        # the walk of RECOVERY serves TRANSACTIONS, for which every transaction would have to be found twice
        not_applied = NotApplied(self._whole, walked=True)
        options = RecoveryOptions(over=paths, keep=(), lists_files=True)
        recovery = RecoveryRun(self._session, options, not_applied.take)
        yield from self._answers(recovery.events())
        self.headers = recovery.files
        listed = TransactionsRun(self._session, TransactionsOptions(over=paths, most=self._largest), not_applied)
        yield from self._answers(listed.events())
        yield from self._answers(run_heartbeat(self._session, HeartbeatOptions(over=paths)))
        with Workers() as workers:
            count = CountRun(self._session, CountOptions(detail=True, interval=_HOUR, logtrail=paths), workers)
            count.count = self.totals = Totals(interval=_HOUR)
            yield from self._answers(count_files(count, self._session))
            if count.stopped_at is not None:
                raise KeyboardInterrupt

    def _answers(self, answer: Iterator[Event]) -> Iterator[Event]:
        """Keep what a command answers; its progress is passed on."""
        for event in answer:
            if isinstance(event, Progress):
                yield event
            else:
                self.events.append(event)

    def _of(self, kind: type[T]) -> tuple[T, ...]:
        return tuple(event for event in self.events if isinstance(event, kind))

    @property
    def largest(self) -> tuple[TransactionListed, ...]:
        """The largest transactions."""
        return self._of(TransactionListed)

    def shown(self) -> DoctorShown:
        """All of it on one page."""
        return DoctorShown(
            self._name,
            self.headers,
            self._of(TrailFileShown),
            next(iter(self._of(CheckShown)), None),
            next(iter(self._of(RecoveryShown)), None),
            next(iter(self._of(KeepShown)), None),
            tuple(self._tables()),
            self.largest[:_LARGEST],
            self._growth(),
            tuple(shown.lag for shown in self._of(PathLagShown)),
            findings_of(self.events),
            self.images,
        )

    def _tables(self) -> list[tuple[str, TypeTotals]]:
        """The tables with rows, those of several partitions as one; the one with the most bytes first."""
        tables: dict[str, TypeTotals] = {}
        for (name, _), tally in self.totals.tables.items():
            types = Counter({io_type: number for io_type, number in tally.types.items() if io_type in OPERATIONS})
            if not name or not types:
                continue
            known = tables.setdefault(name, TypeTotals())
            known.types += types
            known.records += types.total()
            known.data_bytes += tally.data_bytes
        return sorted(tables.items(), key=lambda item: (-item[1].data_bytes, item[0]))

    def _growth(self) -> Growth:
        hours = [(tally.data_bytes, start) for start, tally in self.totals.intervals.items()]
        largest = max(hours, default=None)
        last = max((facts.last_time for facts in self.headers if facts.last_time is not None), default=None)
        try:
            free = shutil.disk_usage(self._whole.paths[0].parent).free
        except OSError:
            free = None
        return Growth(
            sum(facts.size for facts in self.headers),
            _first_time(self.headers[0].path) if self.headers else None,
            last,
            (largest[1], largest[0]) if largest is not None else None,
            free,
        )


def _first_time(path: Path) -> int | None:
    """The time of the first record of a file that is not its header."""
    try:
        with TrailFile(path) as trail:
            return next((one.header.io_time for one in trail.records() if not one.is_file_header), None)
    except TrailError:
        return None


def run_doctor(session: Session, wildcard: str | None) -> Iterator[Event]:
    """Examine the trail of the open file, or that of the files whose names fit; the position stays."""
    refuse_filter(session, "DOCTOR", filtered=False)
    whole = whole_trail_of(session, wildcard, "DOCTOR")
    examination = Examination(session, whole, wildcard or str(session.trail.path))
    yield from examination.run()
    yield examination.shown()


COMMANDS = (
    Command(
        "DOCTOR",
        Maybe(File("<filename> | <wildcard>")),
        "Show the state of a trail on one page: files, damage, restarts, growth, tables, lag, what to keep",
        run_doctor,
        details=(
            "What CHECK, RECOVERY, COUNT and HEARTBEAT find, with its place and the command that shows more of it.",
            "Under -c and -f the exit status is 4 where there is damage or a file is missing, 3 for a warning.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)
