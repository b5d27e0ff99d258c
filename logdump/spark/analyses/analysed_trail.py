"""The files of one trail, as an analysis reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from logdump.session.selection import Selection
from logdump.spark.errors import BadTrail, located, report
from logdump.spark.source.options import Options
from logdump.spark.source.planner import is_unborn
from logdump.spark.source.slice import Slice, selection_of
from logdump.spark.source.slices import open_trail
from trailformat import BadRecord, TrailError, TrailFile
from trailformat.codec.remote.path import place
from trailformat.transactions.batches import DAMAGE, TransactionBatch
from trailformat.transactions.whole_trail import WholeTrail


class AnalysedTrail:
    """The files of one trail that a task has been given, first written first.

    Args:
        files: they, as they were planned.
        options: of the read.
    """

    def __init__(self, files: Sequence[Slice], options: Options) -> None:
        self.options = options
        self._files = files

    @cached_property
    def paths(self) -> frozenset[Path]:
        """The files: what an analysis that looks at the whole trail tells of others is left out."""
        return frozenset(place(file.path) for file in self._files)

    @cached_property
    def whole(self) -> WholeTrail:
        """The trail to which they belong, with the files of it that are not read too."""
        whole = WholeTrail.around(self._files[0].path)
        return whole if self.paths <= whole.ordinals.keys() else WholeTrail(self.paths)

    def open(self) -> Iterator[TrailFile]:
        """The files one after the other, each open until the next is taken; but for those that options pass over.

        Raises:
            BadTrail: one is no trail.
            FileChanged: one has gone, or become shorter.
        """
        for file in self._files:
            trail = open_trail(file, self.options)
            if isinstance(trail, str):
                report(trail)
            elif trail is not None:
                with trail:
                    yield trail

    def selection(self, trail: TrailFile) -> Selection:
        """The records of a file that pass the options which choose records."""
        return selection_of(trail, self.options)

    def check_files(self) -> None:
        """See whether every file of the whole trail that has been reached could be read. Raises like damaged."""
        for path, error in self.whole.unreadable.items():
            if not is_unborn(error, self.whole.is_newest(self.whole.ordinals[path])):
                self.damaged(error, path)

    def check(self, batch: TransactionBatch) -> None:
        """See whether there is damage among the transactions of a batch. Raises like damaged."""
        for mark in batch.marks:
            if mark.io_type == DAMAGE:
                self.damaged_at(self.whole.paths[mark.place.ordinal], mark.place.rba)

    def damaged_at(self, path: Path, rba: int) -> None:
        """Bytes of a file that are no sound record, with what is wrong there. Raises like damaged."""
        with TrailFile(path) as trail:
            error = trail.error_at(rba)
        self.damaged(error or BadRecord("no sound record"), path, rba)

    def damaged(self, error: TrailError, path: Path, rba: int | None = None) -> None:
        """Bytes that are no sound record, or a file that is no trail: a line in the log unless damage ends the read.

        Raises:
            BadTrail: it does, under FAILFAST.
        """
        text = located(error, path, rba)
        if self.options.mode == "FAILFAST":
            raise BadTrail(f"{text}; mode PERMISSIVE reads on")
        report(text)
