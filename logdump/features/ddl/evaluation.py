"""A statement evaluated against the parameter files in use: Extract's, then Replicat's once for each target."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.ddl.extract_steps import EXTRACT_STEPS
from logdump.features.ddl.mapping import ddl_takers
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.ddl.replicat_steps import REPLICAT_STEPS
from logdump.features.ddl.scopes import why_other
from logdump.features.ddl.subject import DdlSubject, subject_of
from logdump.features.ddl.trace import Trace
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.tree import ParameterFile, Taker


def evaluate(subject: DdlSubject, parameters: ParametersInUse, error: str | None = None) -> Iterator[DdlEvaluated]:
    """What becomes of a statement for each trail of Extract; with both files Replicat gets what Extract lets through.

    Args:
        subject: the statement.
        parameters: the files; without one of Extract or Replicat nothing comes of it.
        error: the code of an error that the target database is assumed to give.
    """
    replicat, globals_ = parameters.replicat, parameters.globals
    if parameters.extract is None:
        yield from _replicat(subject, replicat, globals_, error)
        return
    for trail, file in parameters.extract.by_trail():
        result = Trace(subject, file, globals_=globals_).run(EXTRACT_STEPS)
        yield result._replace(trail=trail)
        if result.outcome is Outcome.CAPTURED and result.statement is not None:
            written = subject_of(result.statement, subject.items, subject.owner, subject.sql)
            yield from (one._replace(trail=trail) for one in _replicat(written, replicat, globals_, error))


def _replicat(
    subject: DdlSubject, file: ParameterFile | None, globals_: ParameterFile | None, error: str | None
) -> Iterator[DdlEvaluated]:
    if file is None:
        return
    takers: tuple[Taker | None, ...] = ()
    if subject.base is not None and why_other(subject) is None and file.option("IGNOREMAPPING") is None:
        takers = ddl_takers(subject.base, file, globals_).found
    for number, taker in enumerate(takers or (None,), 1):
        target = number if len(takers) > 1 else None
        yield Trace(subject, file, globals_=globals_, taker=taker, error=error, target=target).run(REPLICAT_STEPS)
