"""Surveys of trails."""

from __future__ import annotations

from pathlib import Path

from logdump.features.recovery.report import RecoveryReport
from logdump.features.recovery.survey import Survey
from trailformat.scan import Workers
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.applied import AppliedTransactions
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import WholeTrail


def whole_trail(paths: list[Path]) -> WholeTrail:
    """The files as one."""
    return WholeTrail(paths)


def surveyed(paths: list[Path]) -> Survey:
    """What a survey finds."""
    survey = Survey(whole_trail(paths))
    with Workers(1) as workers:
        for _ in survey.run(workers):
            pass
    return survey


def report(paths: list[Path]) -> RecoveryReport:
    """What is told of it."""
    return RecoveryReport(surveyed(paths))


def effective(paths: list[Path]) -> list[FilePosition]:
    """Where the transactions begin that a Replicat applies."""
    whole = whole_trail(paths)
    judge, found = AppliedTransactions(whole), []
    for batch in transaction_batches(whole):
        copies = {verdict.row for verdict in judge.judge(batch).verdicts if verdict.copy_of is not None}
        places = [batch.first(row) for row in range(batch.rows) if batch.is_whole(row) and row not in copies]
        found += [FilePosition(whole.paths[place.ordinal], place.rba) for place in places]
    return found
