"""The state of the trail of some files: what RECOVERY, DOCTOR and the start page of the screen say of it too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.features.recovery.model import TrailState
from logdump.features.recovery.survey import Survey
from logdump.session.events import Event
from trailformat import CannotRead, NotATrail, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Batch, Workers
from trailformat.transactions.whole_trail import FileBatch, WholeTrail

with on_demand:
    from trailformat.scan import measuring

if TYPE_CHECKING:
    from trailformat.scan.measuring import Measured

TakeMeasured = Callable[["Measured"], Iterator[Event]]
"""Checks the next batch of a file."""


class TrailSurvey:
    """Reads the transactions of files of one trail.

    Args:
        paths: the files, or one that belongs to no trail.

    Attributes:
        whole: the trail of these files.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.whole = WholeTrail(paths)
        self._survey = Survey(self.whole)
        self._is_piece = len(paths) == 1 and len(WholeTrail.around(paths[0])) > 1

    @property
    def state(self) -> TrailState:
        """The state so far; of some files of a trail, without lost transactions: copies may be in the others."""
        state = self._survey.state
        is_piece = self._is_piece or any(gap.is_left_out for gap in state.gaps)
        return state._replace(lost=0) if is_piece else state

    def steps(self, workers: Workers, batches: Iterable[FileBatch] | None = None) -> Iterator[None]:
        """Read the files; yield after each batch. ``batches`` are those of the trail; None: they are read here.

        Raises:
            CannotRead: a file can no longer be read.
        """
        for _ in self._survey.run(workers, batches):
            yield


class CheckedTrail(WholeTrail):
    """Files of one trail; what is found in a batch is in ``events`` once others have it.

    Args:
        whole: the files; those that are not trail files become known to it too.
        trail: a file that is open already; None: none of them is.
        begin: begins the check of a file, and returns what checks its batches.
        unreadable: returns the event for a file that is not a trail file.

    Attributes:
        refused: the error of the first file that this user may not open; the other files are read.
    """

    def __init__(
        self,
        whole: WholeTrail,
        trail: TrailFile | None,
        begin: Callable[[TrailFile], TakeMeasured],
        unreadable: Callable[[Path, TrailError], Event],
    ) -> None:
        super().__init__(whole.paths)
        self.unreadable, self._trail = whole.unreadable, trail
        self.refused: CannotRead | None = None
        self._begin, self._event_of = begin, unreadable
        self._said = 0
        self._pending: list[Iterator[Event]] = []

    def open(self, ordinal: int) -> TrailFile | None:
        """Open a file; see WholeTrail. A file that may not be opened is unreadable too."""
        if self._trail is not None and self._trail.path == self.paths[ordinal]:
            trail = self._trail.twin()
            if trail.size:
                return trail
            trail.close()  # it was emptied since: the answer is that about an empty file
        try:
            return super().open(ordinal)
        except CannotRead as error:
            if not isinstance(error.__cause__, NotATrail):
                raise
            self.refused = self.refused or error
            self.unreadable[self.paths[ordinal]] = error.__cause__
            return None

    def events(self) -> Iterator[Event]:
        """Check what was read since the last call; yield what is found."""
        while self._pending:
            yield from self._pending.pop(0)

    def rest(self) -> Iterator[Event]:
        """Yield what is found at the end of the pass."""
        self._pend_unreadable()
        yield from self.events()

    def _scan(self, trail: TrailFile, start: int, workers: Workers | None) -> Iterator[Batch]:  # noqa: ARG002 - 0
        self._pend_unreadable()
        take = self._begin(trail)
        for measured in measuring.measured_batches(trail, workers or Workers(1)):
            self._pending.append(take(measured))
            yield measured.batch

    def _pend_unreadable(self) -> None:
        """Let ``events`` name the files that were found unreadable since the last call."""
        for path, error in islice(self.unreadable.items(), self._said, None):
            self._pending.append(self._named(path, error))
        self._said = len(self.unreadable)

    def _named(self, path: Path, error: NotATrail) -> Iterator[Event]:
        yield self._event_of(path, error)
