"""The steps that Extract and Replicat take alike."""

from __future__ import annotations

import re
from functools import partial

from logdump.features.ddl.model import Outcome
from logdump.features.ddl.trace import Trace
from logdump.parameters.tree import Substitution

MOST_CHARACTERS = 8 << 20
"""No substitution lets a statement grow beyond this."""
_RUN_BY_DATABASES = ("/*!", "/*+")


def separate_comments(trace: Trace) -> None:
    """Comments are separated from the main statement."""
    _, comments = trace.sql.split_comments(trace.text)
    trace.comments = comments
    trace.note(f"comments: {len(comments) or 'none'}")


def remove_comments(trace: Trace, when: str) -> None:
    """Apply DDLOPTIONS REMOVECOMMENTS BEFORE or AFTER."""
    options = (one for one in trace.file.options_named("REMOVECOMMENTS") if one.values == (when,))
    found = next(options, None)
    if found is None:
        trace.note(f"REMOVECOMMENTS {when}: not set")
        return
    trace.text, comments = trace.sql.split_comments(trace.text)
    if any(one.startswith(_RUN_BY_DATABASES) for one in comments):
        trace.doubt("a comment that is removed is read by the database: a hint, or MySQL's /*! … */")
    kept = ", kept for INSTRCOMMENTS" if comments and when == "BEFORE" else ""
    trace.note(f"REMOVECOMMENTS {when} ({trace.at(found.rule)}): {len(comments)} removed{kept}", found.rule)


remove_comments_before = partial(remove_comments, when="BEFORE")
remove_comments_after = partial(remove_comments, when="AFTER")


def filter_by_clauses(trace: Trace) -> None:
    """The INCLUDE and EXCLUDE clauses of DDL; a true EXCLUDE goes before a true INCLUDE."""
    ddl = trace.file.ddl
    if ddl is None:
        trace.note("no DDL parameter: as DDL INCLUDE ALL")
        return
    if ddl.unknown is not None:
        trace.note(f"DDL {ddl.unknown} is not evaluated ({trace.at(ddl.rule)})", ddl.rule)
        trace.end(Outcome.UNKNOWN, f"DDL {ddl.unknown} is not evaluated ({trace.at(ddl.rule)})", ddl.rule)
        return
    if not ddl.clauses:
        trace.note(f"DDL has no clauses: everything is included ({trace.at(ddl.rule)})", ddl.rule)
        return
    judged = trace.judged(ddl.clauses, needs_include=True)
    rule = judged.decisive.rule if judged.decisive else ddl.rule
    trace.note(trace.clauses_text(judged), rule)
    if judged.verdict is None:
        trace.end(Outcome.UNKNOWN, f"a clause of DDL is not decided ({trace.at(ddl.rule)})", rule)
    elif not judged.verdict:
        why = judged.decisive.rule.text if judged.decisive else "no INCLUDE is true"
        trace.end(Outcome.LEFT_OUT, f"{why} ({trace.at(rule)})", rule)


def substitute(trace: Trace) -> None:
    """Every DDLSUBST whose clauses are true, in the order of the file, each on the result of the one before."""
    found = trace.file.of(Substitution)
    if not found:
        trace.note("DDLSUBST: none")
    for one in found:
        judged = trace.judged(one.clauses)
        place = f"{one.rule.text} ({trace.at(one.rule)})"
        if one.unknown is not None or judged.verdict is None:
            trace.note(f"{place}: not evaluated", one.rule)
            trace.doubt(f"{place} is not evaluated: {one.unknown or 'a clause is not decided'}")
        elif not judged.verdict:
            trace.note(f"{place}: not for this statement", one.rule)
        else:
            _substitute(trace, one, place)
        if trace.outcome is not None:
            return


def _substitute(trace: Trace, one: Substitution, place: str) -> None:
    """Replace every occurrence, ignoring case; a double quote matches either quotation mark."""
    pattern = re.compile(re.escape(one.search).replace('"', "[\"']"), re.IGNORECASE)
    replacement = one.replacement.replace('"', "'")
    count = sum(1 for _ in pattern.finditer(trace.text))
    if len(trace.text) + count * len(replacement) > MOST_CHARACTERS:
        trace.note(f"{place}: the statement grows beyond 8 MB", one.rule)
        trace.end(Outcome.UNKNOWN, f"{place} makes the statement grow beyond 8 MB", one.rule)
        return
    if count and replacement != one.replacement:
        trace.doubt(f"{place}: each double quote of the new text is taken for a quotation mark")
    trace.text = pattern.sub(lambda _: replacement, trace.text)
    trace.note(f"{place}: {count} replaced", one.rule)
