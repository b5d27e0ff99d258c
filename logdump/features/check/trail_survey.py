"""The state of the trail of some files: what RECOVERY, DOCTOR and the start page of the screen say of it too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from logdump.features.recovery.model import TrailState
from logdump.features.recovery.survey import Survey
from trailformat.scan import Workers
from trailformat.transactions.whole_trail import FileBatch, WholeTrail


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
        """The state so far; of one file of several, without lost transactions: copies may be in later files."""
        state = self._survey.state
        return state._replace(lost=0) if self._is_piece else state

    def steps(self, workers: Workers, batches: Iterable[FileBatch] | None = None) -> Iterator[None]:
        """Read the files; yield after each batch. ``batches`` are those of the trail; None: they are read here.

        Raises:
            CannotRead: a file can no longer be read.
        """
        for _ in self._survey.run(workers, batches):
            yield
