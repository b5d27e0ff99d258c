"""Proof of a copy before it is renamed: it has no gap, and only the records left out differ from the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

from logdump.features.diff.comparison import TrailComparison
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffLevel
from logdump.features.diff.rows import RowOptions
from logdump.features.diff.side import Bounds, CsnBounds, Side
from logdump.features.repair.file_survey import FileSurvey
from logdump.features.repair.plan import TransactionPlan
from logdump.session.errors import CommandError
from logdump.session.events import Progress
from trailformat import Record, TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import TransactionBatch, TransactionRecords
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


class _CopyBounds:
    """The transactions of the source that are in the copy."""

    def __init__(self, plan: TransactionPlan) -> None:
        self._plan = plan

    def rows(self, batch: TransactionBatch, not_applied: Sequence[int]) -> Sequence[int]:  # noqa: ARG002 - as Bounds
        """Return the rows of the transactions that are copied."""
        return [row for row in range(batch.rows) if self._plan.takes(batch.first(row))]


class Proof:
    """The proof of a copy.

    Args:
        whole: the source.
        plan: the plan of the copy.
        copies: the files of the copy.
        step: number of records between two reports of progress.

    Attributes:
        records: number of records in the copy.
    """

    def __init__(self, whole: WholeTrail, plan: TransactionPlan, copies: tuple[Path, ...], step: int) -> None:
        self._whole, self._plan, self._copies, self._step = whole, plan, copies, step
        self.records = 0

    def run(self, *, is_all: bool) -> Iterator[Progress]:
        """Read the copy and compare it with the source; ``is_all`` if it may hold parts of transactions.

        Raises:
            CommandError: the copy has a gap, or differs in more than the records left out.
        """
        for path in self._copies:
            with TrailFile(path) as trail:
                survey = FileSurvey(trail, stops=False)
                yield from survey.run(self._step)
            if len(survey.damage):
                raise CommandError(f"The copy has a gap at RBA {next(iter(survey.damage)).start}: it is not kept.")
            self.records += survey.records
        if is_all:
            self._compare_records()
        else:
            yield from self._compare()

    def _compare(self) -> Iterator[Progress]:
        options = RowOptions(DiffLevel.BYTES)
        sides: tuple[tuple[str, WholeTrail, Bounds], ...] = (
            ("a", self._whole, _CopyBounds(self._plan)),
            ("b", WholeTrail(self._copies, in_order=True), CsnBounds()),
        )
        with ExitStack() as stack:
            a, b = (
                Side(letter, letter, whole, stack.enter_context(TransactionRecords(whole)), options, bounds)
                for letter, whole, bounds in sides
            )
            for event in TrailComparison(a, b, options, step=self._step).differences():
                if not isinstance(event, DifferenceShown):
                    yield event
                elif event.kind is not DifferenceKind.DAMAGE or event.side == "b":
                    raise _different(event.a, event.b)

    def _compare_records(self) -> None:
        """Compare the records of transactions one by one, as the bounds of transactions are uncertain around damage."""
        for row, copied in zip_longest(self._source_rows(), self._rows()):
            if row is None or copied is None or not row.has_bytes_of(copied):
                raise _different(row, copied)

    def _source_rows(self) -> Iterator[Record]:
        for ordinal in range(len(self._whole)):
            trail = self._whole.open(ordinal)
            if trail is not None:
                with trail:
                    yield from (row for row in _rows_of(trail) if self._plan.takes(TrailPosition(ordinal, row.rba)))

    def _rows(self) -> Iterator[Record]:
        for path in self._copies:
            with TrailFile(path) as trail:
                yield from _rows_of(trail)


def _rows_of(trail: TrailFile) -> Iterator[Record]:
    for rba in trail.sound_rbas(0, trail.size):
        record = trail.record_at(rba)
        if record is not None and is_transactional(record):
            yield record


def _different(row: Record | FilePosition | None, copied: Record | FilePosition | None) -> CommandError:
    places = f"{_place(row)} of the source and {_place(copied)} of the copy"
    problem = f"The copy differs from the source in more than the omitted records, at {places}"
    return CommandError(f"{problem}: it is deleted.")


def _place(row: Record | FilePosition | None) -> str:
    return f"RBA {row.rba}" if row is not None else "the end"
