"""The long transactions of a trail over time, with the checkpoints of Bounded Recovery."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Generator
from operator import attrgetter
from typing import NamedTuple

from logdump.features.bounded_recovery.checkpoints import BrCheckpoints, is_before, start_of
from logdump.features.bounded_recovery.model import (
    BoundedRecoveryShown,
    BrOptions,
    CheckpointShown,
    LongTransactionsEnd,
    LongTransactionShown,
    RedoStart,
    with_parameters,
)
from logdump.features.bounded_recovery.survey import BrSurvey
from logdump.parameters.in_use import ParametersInUse
from logdump.session.chosen_trail import trail_title
from logdump.session.errors import CommandError
from logdump.session.reading import Reading
from logdump.session.session import Session
from trailformat.transactions.whole_trail import WholeTrail

_RECORDS = 1000
"""Number of records after each of which the scan can be stopped."""
_EVERY = 1.0
"""Seconds between two updates of the results during a scan."""


class OpenTransactions(NamedTuple):
    """The results of BR, to be drawn over time.

    Attributes:
        shown: the summary.
        grid: all checkpoints, without transactions; None with BROFF.
        checkpoints: the checkpoints with an open transaction, in order.
        transactions: the long transactions, in the order of their begins.
        end: their number; None if not all was read.
    """

    shown: BoundedRecoveryShown
    grid: BrCheckpoints | None
    checkpoints: tuple[CheckpointShown, ...]
    transactions: tuple[LongTransactionShown, ...]
    end: LongTransactionsEnd | None

    def checkpoint_before(self, moment: int) -> CheckpointShown | None:
        """Return the last checkpoint before a moment, None without one."""
        number = self.grid.number_at(moment - 1) if self.grid is not None else -1
        if self.grid is None or number < 0:
            return None
        index = bisect_left(self.checkpoints, number, key=attrgetter("number"))
        if index < len(self.checkpoints) and self.checkpoints[index].number == number:
            return self.checkpoints[index]
        of_it = self.grid.time(number)
        return CheckpointShown(number, of_it, 0, 0, 0, 0, None if self.shown.is_partial else RedoStart(of_it))

    def restart_before(self, moment: int) -> RedoStart | None:
        """Return the restart position of the last checkpoint before a moment, None if unknown.

        With BROFF: the begin of the oldest long transaction that is open at the moment.
        """
        if self.grid is not None:
            checkpoint = self.checkpoint_before(moment)
            return checkpoint.restart if checkpoint is not None else None
        if self.shown.is_partial:
            return None
        oldest = None
        for transaction in (shown.began for shown in self.transactions):
            is_open = transaction.high <= moment and (transaction.end is None or moment <= transaction.end)
            if is_open and (oldest is None or is_before(transaction, oldest)):
                oldest = transaction
        return start_of(oldest) if oldest is not None else None


class BrRefusal(NamedTuple):
    """The reason why BR has no result: the source is not Oracle, or the parameter file is wrong."""

    lines: tuple[str, ...]


class OpenTransactionsScan:
    """One run of BR over the trail of a file.

    Attributes:
        parameters: the parameter files in use.
        size: bytes of the file when the run began; 0 before.
        answer: the latest results; replaced, never modified.
    """

    def __init__(self, parameters: ParametersInUse | None) -> None:
        self.parameters = parameters
        self.size = 0
        self.answer: OpenTransactions | BrRefusal | None = None
        self._survey: BrSurvey | None = None
        self._records = 0

    def lacks(self) -> Reading:
        """Return the gaps of the current run, or of the last one."""
        reading = self._survey.reading() if self._survey is not None else Reading()
        return reading._replace(where=f"after {self._records:,} records")

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Read the trail twice from its beginning; yield the number of records read."""
        self.size, self._records = session.trail.size, 0
        whole = WholeTrail.around(session.trail.path)
        title = trail_title(session.trail.path, len(whole))
        try:
            options = with_parameters(BrOptions(), self.parameters or ParametersInUse())
            survey = self._survey = BrSurvey(whole, options, {})
        except CommandError as error:
            self.answer = BrRefusal(tuple(error.lines))
            return
        yield from self._run(survey, options, title)

    def _run(self, survey: BrSurvey, options: BrOptions, title: str) -> Generator[int, None, None]:
        looked, reading = time.monotonic(), None
        try:
            for _ in survey.run(_RECORDS):
                self._records += _RECORDS
                if survey.long_transactions and time.monotonic() - looked >= _EVERY:
                    self.answer, looked = _look(survey, options, title, is_partial=True), time.monotonic()
                yield self._records
            reading = survey.reading()
        except CommandError as error:
            self.answer = BrRefusal(tuple(error.lines))
            return
        finally:
            if reading is not None or survey.long_transactions:
                self.answer = _look(survey, options, title, is_partial=reading is None or reading.is_partial)


def _look(survey: BrSurvey, options: BrOptions, title: str, *, is_partial: bool) -> OpenTransactions:
    return OpenTransactions(
        survey.shown(title, is_partial=is_partial),
        None if options.is_off else survey.grid,
        tuple(survey.checkpoints(is_partial=is_partial)),
        tuple(
            sorted(
                survey.long_transactions,
                key=lambda transaction: (transaction.began.high, transaction.began.place or ()),
            )
        ),
        None if is_partial else survey.end,
    )
