"""A statement evaluated against the parameter files in use: Extract's, then Replicat's once for each target."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.ddl.common_steps import (
    filter_by_clauses,
    remove_comments_after,
    remove_comments_before,
    separate_comments,
    substitute,
)
from logdump.features.ddl.mapping import TABLE, ddl_takers, takers_of, why_other
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.ddl.replicat_steps import REPLICAT_STEPS
from logdump.features.ddl.statement import read_statement
from logdump.features.ddl.subject import DdlSubject, subject_of
from logdump.features.ddl.trace import Step, Trace
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.tree import ParameterFile, Taker

_LOG_SOURCES = ("TRANLOGOPTIONS", "USERID", "USERIDALIAS", "SOURCEDB", "VAM")


def is_pump(file: ParameterFile) -> bool:
    """Return True if a file looks like that of a data pump: PASSTHRU, or neither DDL nor a log source."""
    return file.has("PASSTHRU") or (file.ddl is None and not file.has(*_LOG_SOURCES))


def capture(trace: Trace) -> None:
    """Step 1: the statement is captured."""
    trace.note(f"captured ({trace.subject.size} characters)")


def search_ddl(trace: Trace) -> None:
    """Step 3: nothing is captured without a DDL parameter; a pump has none and passes statements on as they are."""
    if is_pump(trace.file):
        trace.note("a data pump, by its parameters: DDL passes as it is")
        trace.is_written = True
        trace.end(Outcome.CAPTURED, "a data pump passes DDL on as it is")
    elif trace.file.ddl is None:
        trace.note("no DDL parameter")
        trace.end(Outcome.LEFT_OUT, "no DDL parameter")
    else:
        trace.note(f"DDL ({trace.at(trace.file.ddl.rule)})", trace.file.ddl.rule)


def search_ignore_replicates(trace: Trace) -> None:
    """Step 4: statements of a Replicat are ignored unless GETREPLICATES; those of others under IGNOREAPPLOPS."""
    is_replicat = trace.subject.items.get("C15", "").upper() == "YES"
    words = ("GETREPLICATES", "IGNOREREPLICATES") if is_replicat else ("GETAPPLOPS", "IGNOREAPPLOPS")
    found = trace.file.option(*words)
    who = "a Replicat, as its record says" if is_replicat else "the application, as far as is known"
    setting = f"{found.word} ({trace.at(found.rule)})" if found else f"{words[is_replicat]} by default"
    trace.note(f"made by {who}; {setting}", found.rule if found else None)
    is_ignored = found.word == words[1] if found else is_replicat
    if is_ignored:
        trace.end(Outcome.IGNORED, f"{setting}: made by {who}", found.rule if found else None)


def flag_rename(trace: Trace) -> None:
    """Step 5: a RENAME is flagged."""
    trace.note("RENAME: flagged" if trace.subject.is_rename else "no RENAME")


def get_names(trace: Trace) -> None:
    """Step 6: the names of base and derived object."""
    subject = trace.subject
    base = f"base {subject.base}" if subject.base else "base object is not known"
    trace.note(f"{base}, derived {subject.derived}" if subject.derived else base)


def change_rename(trace: Trace) -> None:
    """Step 7: RENAME becomes ALTER TABLE RENAME, which can name a schema."""
    read, subject = read_statement(trace.text, trace.sql), trace.subject
    if read.operation != "RENAME":
        trace.note("nothing to change")
        return
    if read.base is None or read.derived is None or subject.derived is None or read.has_more:
        trace.note("RENAME of more than one object, or of one that is not known: stays as it is")
        return
    old = trace.text[read.derived.begin : read.derived.end]
    if not read.derived.is_qualified and subject.derived.owner:
        old = f"{subject.derived.owner}.{old}"
    trace.text = f"ALTER {read.object_type} {old} RENAME {trace.text[read.derived.end :].lstrip()}"
    trace.note(f"changed to ALTER {read.object_type} {old} RENAME")


def determine_scope(trace: Trace) -> None:
    """Step 9: MAPPED, UNMAPPED or OTHER."""
    subject = trace.subject
    if other := why_other(subject):
        trace.scope = "OTHER"
        trace.note(f"OTHER: {other}")
        return
    names = [one for one in (subject.base, subject.derived if subject.is_rename else None) if one is not None]
    for name in names:
        takers = takers_of(name, trace.file, TABLE, trace.globals)
        if takers.found:
            taker = takers.found[0]
            trace.scope = "MAPPED"
            trace.note(f"MAPPED: {taker.keyword} {taker.source.text} ({trace.at(taker.rule)})", taker.rule)
            return
        if takers.excluded:
            trace.doubt(f"{name} is excluded by {takers.excluded.text} ({trace.at(takers.excluded)})")
    trace.scope = "UNMAPPED"
    if subject.base is None:
        trace.doubt("the base object is not known: it may be MAPPED")
    trace.note("UNMAPPED: in no TABLE" if names else "UNMAPPED possible: the base object is not known")


def add_trandata(trace: Trace) -> None:
    """Step 13: what ADDTRANDATA would issue for a CREATE TABLE."""
    found, subject = trace.file.option("ADDTRANDATA"), trace.subject
    if found is None:
        trace.note("ADDTRANDATA: not set")
    elif (subject.operation, subject.object_type) != ("CREATE", "TABLE"):
        trace.note(f"ADDTRANDATA ({trace.at(found.rule)}): not a CREATE TABLE", found.rule)
    else:
        issued = f"ALTER TABLE {subject.base or '<name>'} ADD SUPPLEMENTAL LOG GROUP …"
        trace.note(f"ADDTRANDATA ({trace.at(found.rule)}) would issue {issued}", found.rule)


def write(trace: Trace) -> None:
    """Step 14: the statement is written to the trail."""
    trace.is_written = True
    trace.note("would be written to the trail:")
    trace.end(Outcome.CAPTURED, "written to the trail")


EXTRACT_STEPS = (
    Step(1, "capture", capture, ("X1",)),
    Step(2, "comments", separate_comments, ("X2",)),
    Step(3, "DDL parameter", search_ddl, ("X3",)),
    Step(4, "IGNOREREPLICATES", search_ignore_replicates, ("X4",)),
    Step(5, "RENAME", flag_rename, ("X5",)),
    Step(6, "names", get_names, ("X6",)),
    Step(7, "ALTER TABLE RENAME", change_rename, ("X7",)),
    Step(8, "REMOVECOMMENTS BEFORE", remove_comments_before, ("X8",)),
    Step(9, "scope", determine_scope, ("X9", "X9a", "X9b", "X9c")),
    Step(10, "INCLUDE and EXCLUDE", filter_by_clauses, ("X10", "X10a", "X10b")),
    Step(11, "DDLSUBST", substitute, ("X11",)),
    Step(12, "REMOVECOMMENTS AFTER", remove_comments_after, ("X12",)),
    Step(13, "ADDTRANDATA", add_trandata, ("X13",)),
    Step(14, "write", write, ("X14",)),
)
"""The steps, each with the statements of Oracle's list that it carries out."""


def evaluate(subject: DdlSubject, parameters: ParametersInUse, error: str | None = None) -> Iterator[DdlEvaluated]:
    """Yield the result for each trail of Extract; with both files Replicat gets what Extract lets through.

    Args:
        subject: the statement.
        parameters: the files; without one of Extract or Replicat there is no result.
        error: the code of an error assumed to be raised by the target database.
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
