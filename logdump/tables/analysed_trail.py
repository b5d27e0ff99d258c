"""The files of one trail, for an analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from logdump.session.selection import Selection
from logdump.tables.errors import BadTrail, located, report
from logdump.tables.options import Options
from logdump.tables.planner import is_unborn
from logdump.tables.slice import Slice, selection_of
from logdump.tables.slices import open_trail
from trailformat import BadRecord, TrailError, TrailFile
from trailformat.codec.remote.path import place
from trailformat.transactions.batches import DAMAGE, TransactionBatch
from trailformat.transactions.whole_trail import WholeTrail


class AnalysedTrail:
    """The files of one trail that a task analyses, in the order of writing.

    Args:
        files: the files as planned, as slices.
        options: options of the read.
    """

    def __init__(self, files: Sequence[Slice], options: Options) -> None:
        self.options = options
        self._files = files

    @cached_property
    def paths(self) -> frozenset[Path]:
        """Paths of the files; results of an analysis of the whole trail that concern other files are left out."""
        return frozenset(place(file.path) for file in self._files)

    @cached_property
    def whole(self) -> WholeTrail:
        """The whole trail of these files, including files that are not read."""
        whole = WholeTrail.around(self._files[0].path)
        return whole if self.paths <= whole.ordinals.keys() else WholeTrail(self.paths)

    def open(self) -> Iterator[TrailFile]:
        """Yield the files one by one, each open until the next is requested, except those that options skip.

        Raises:
            BadTrail: a file is not a trail.
            FileChanged: a file was removed, or has become shorter.
        """
        for file in self._files:
            trail = open_trail(file, self.options)
            if isinstance(trail, str):
                report(trail)
            elif trail is not None:
                with trail:
                    yield trail

    def selection(self, trail: TrailFile) -> Selection:
        """Return the selection of a file's records by the options."""
        return selection_of(trail, self.options)

    def check_files(self) -> None:
        """Report the files of the whole trail that could not be read so far. Raises like damaged."""
        for path, error in self.whole.unreadable.items():
            if not is_unborn(error, self.whole.is_newest(self.whole.ordinals[path])):
                self.damaged(error, path)

    def check(self, batch: TransactionBatch) -> None:
        """Report the damage among the transactions of a batch. Raises like damaged."""
        for mark in batch.marks:
            if mark.io_type == DAMAGE:
                self.damaged_at(self.whole.paths[mark.place.ordinal], mark.place.rba)

    def damaged_at(self, path: Path, rba: int) -> None:
        """Report damage in a file, with the error at that RBA. Raises like damaged."""
        with TrailFile(path) as trail:
            error = trail.error_at(rba)
        self.damaged(error or BadRecord("no sound record"), path, rba)

    def damaged(self, error: TrailError, path: Path, rba: int | None = None) -> None:
        """Log damage, or a file that is not a trail.

        Raises:
            BadTrail: the mode is FAILFAST.
        """
        text = located(error, path, rba)
        if self.options.mode == "FAILFAST":
            raise BadTrail(f"{text}; mode PERMISSIVE reads on")
        report(text)
