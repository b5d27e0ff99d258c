"""A statement evaluated against the parameter files in use: Extract's, then Replicat's once for each target."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.operations.ddl.extract_steps import EXTRACT_STEPS
from logdump.operations.ddl.mapping import ddl_takers
from logdump.operations.ddl.replicat_steps import REPLICAT_STEPS
from logdump.operations.ddl.scopes import why_other
from logdump.operations.ddl.subject import DdlSubject, subject_of
from logdump.operations.ddl.trace import Trace
from logdump.operations.parameters.in_use import ParametersInUse
from logdump.operations.parameters.tree import ParameterFile, Taker
from logdump.session.evaluation import DdlEvaluated, Outcome


def evaluate(subject: DdlSubject, parameters: ParametersInUse, error: str | None = None) -> Iterator[DdlEvaluated]:
    """What becomes of a statement: with both files set, Replicat gets what Extract lets through.

    Args:
        subject: the statement.
        parameters: the files; without one of Extract or Replicat nothing comes of it.
        error: the code of an error that the target database is assumed to give.
    """
    if parameters.extract is not None:
        result = Trace(subject, parameters.extract, globals_=parameters.globals).run(EXTRACT_STEPS)
        yield result
        if parameters.replicat is None or result.outcome is not Outcome.CAPTURED or result.statement is None:
            return
        subject = subject_of(result.statement, subject.items, subject.owner, subject.sql)
    if parameters.replicat is not None:
        yield from _replicat(subject, parameters.replicat, parameters.globals, error)


def _replicat(
    subject: DdlSubject, file: ParameterFile, globals_: ParameterFile | None, error: str | None
) -> Iterator[DdlEvaluated]:
    takers: tuple[Taker | None, ...] = ()
    if subject.base is not None and why_other(subject) is None and file.option("IGNOREMAPPING") is None:
        takers = ddl_takers(subject.base, file, globals_).found
    for number, taker in enumerate(takers or (None,), 1):
        target = number if len(takers) > 1 else None
        yield Trace(subject, file, globals_=globals_, taker=taker, error=error, target=target).run(REPLICAT_STEPS)
