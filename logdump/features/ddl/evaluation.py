"""A statement evaluated against the parameter files in use: Extract's, then Replicat's once for each target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from logdump.features.ddl.mapping import TABLE, Replacing, ddl_takers, replaced, takers_of, why_other
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.ddl.statement import DdlSubject, WrittenName, read_statement, subject_of
from logdump.features.ddl.trace import ClauseVerdict, Step, Trace
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.names import NamePart, NamePattern, ObjectName
from logdump.parameters.reading import error_code
from logdump.parameters.tree import ErrorRule, ParameterFile, Substitution, Taker

MOST_CHARACTERS = 8 << 20
"""The length to which substitutions may extend a statement."""
_RUN_BY_DATABASES = ("/*!", "/*+")


def separate_comments(trace: Trace) -> None:
    """Separate the comments from the statement."""
    _, comments = trace.sql.split_comments(trace.text)
    trace.comments = comments
    trace.note(f"comments: {len(comments) or 'none'}")


def remove_comments(trace: Trace, when: str) -> None:
    """Apply DDLOPTIONS REMOVECOMMENTS BEFORE or AFTER."""
    options = (option for option in trace.file.options_named("REMOVECOMMENTS") if option.values == (when,))
    setting = next(options, None)
    if setting is None:
        trace.note(f"REMOVECOMMENTS {when}: not set")
        return
    trace.text, comments = trace.sql.split_comments(trace.text)
    if any(comment.startswith(_RUN_BY_DATABASES) for comment in comments):
        trace.doubt("a comment that is removed is read by the database: a hint, or MySQL's /*! … */")
    remark = ", kept for INSTRCOMMENTS" if comments and when == "BEFORE" else ""
    trace.note(f"REMOVECOMMENTS {when} ({trace.at(setting.rule)}): {len(comments)} removed{remark}", setting.rule)


remove_comments_before = partial(remove_comments, when="BEFORE")
remove_comments_after = partial(remove_comments, when="AFTER")


def filter_by_clauses(trace: Trace) -> None:
    """Evaluate the INCLUDE and EXCLUDE clauses of DDL; a true EXCLUDE takes precedence over a true INCLUDE."""
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
        trace.end(Outcome.UNKNOWN, f"a clause of DDL is not decided{_unknown_in(judged)} ({trace.at(ddl.rule)})", rule)
    elif not judged.verdict:
        why = judged.decisive.rule.text if judged.decisive else "no INCLUDE is true"
        trace.end(Outcome.LEFT_OUT, f"{why} ({trace.at(rule)})", rule)


def _unknown_in(judged: ClauseVerdict) -> str:
    """Return the unknown word of the clauses that are not decided, after a colon; empty without one."""
    unknown = next((clause.unknown for clause, truth in judged.truths if truth is None and clause.unknown), "")
    return f": {unknown.partition(';')[0]}" if unknown else ""


def substitute(trace: Trace) -> None:
    """Apply every DDLSUBST whose clauses are true, in file order, each to the result of the one before."""
    substitutions = trace.file.of(Substitution)
    if not substitutions:
        trace.note("DDLSUBST: none")
    for substitution in substitutions:
        judged = trace.judged(substitution.clauses)
        place = f"{substitution.rule.text} ({trace.at(substitution.rule)})"
        if substitution.unknown is not None or judged.verdict is None:
            trace.note(f"{place}: not evaluated", substitution.rule)
            why = substitution.unknown or f"a clause is not decided{_unknown_in(judged)}"
            trace.doubt(f"{place} is not evaluated: {why}")
        elif not judged.verdict:
            trace.note(f"{place}: not for this statement", substitution.rule)
        else:
            _substitute(trace, substitution, place)
        if trace.outcome is not None:
            return


def _substitute(trace: Trace, substitution: Substitution, place: str) -> None:
    """Replace every occurrence, ignoring case; a double quote matches either quotation mark."""
    pattern = re.compile(re.escape(substitution.search).replace('"', "[\"']"), re.IGNORECASE)
    replacement = substitution.replacement.replace('"', "'")
    count = sum(1 for _ in pattern.finditer(trace.text))
    if len(trace.text) + count * len(replacement) > MOST_CHARACTERS:
        trace.note(f"{place}: the statement grows beyond 8 MB", substitution.rule)
        trace.end(Outcome.UNKNOWN, f"{place} makes the statement grow beyond 8 MB", substitution.rule)
        return
    if count and replacement != substitution.replacement:
        trace.doubt(f"{place}: each double quote of the new text is taken for a quotation mark")
    trace.text = pattern.sub(lambda _: replacement, trace.text)
    trace.note(f"{place}: {count} replaced", substitution.rule)


_OUTCOMES = {"IGNORE": Outcome.IGNORED, "DISCARD": Outcome.DISCARDED, "ABEND": Outcome.ABEND}


def read_from_trail(trace: Trace) -> None:
    """Step 1: the statement is read from the trail; a RENAME is changed as Extract writes it."""
    trace.note(f"read from the trail ({trace.subject.size} characters)")
    read = read_statement(trace.text, trace.sql)
    if read.operation == "RENAME" and trace.text.upper().split()[:2] != ["RENAME", "TABLE"]:
        change_rename(trace)  # ORA-01765: a RENAME of Oracle names no schema


def evaluate_scope(trace: Trace) -> None:
    """Step 4: set the scope to OTHER if the statement cannot be mapped."""
    if ignored := trace.file.option("IGNOREMAPPING"):
        trace.scope = "OTHER"
        trace.note(f"OTHER: IGNOREMAPPING ({trace.at(ignored.rule)})", ignored.rule)
        trace.doubt("IGNOREMAPPING is taken to make everything OTHER: that is not verified")
    elif other := why_other(trace.subject):
        trace.scope = "OTHER"
        trace.note(f"OTHER: {other}")
    else:
        trace.note(f"{trace.subject.operation} {trace.subject.object_type} can be mapped")


def evaluate_maps(trace: Trace) -> None:
    """Step 5: set the scope to MAPPED if a MAP selects the base object, else to UNMAPPED."""
    base = trace.subject.base
    if trace.scope:
        trace.note(f"{trace.scope}: MAP does not matter")
    elif base is None:
        trace.scope = "UNMAPPED"
        trace.doubt("the base object is not known: it may be MAPPED")
        trace.note("UNMAPPED possible: the base object is not known")
    elif trace.taker is not None:
        trace.scope = "MAPPED"
        rule = trace.taker.rule
        trace.note(f"MAPPED: MAP {trace.taker.source.text} ({rule.path}, line {rule.line})", rule)
    else:
        excluded = ddl_takers(base, trace.file, trace.globals).excluded
        trace.scope = "UNMAPPED"
        by = f": excluded by {excluded.text} ({trace.at(excluded)})" if excluded else ": in no MAP"
        trace.note(f"UNMAPPED{by}", excluded)


def map_base(trace: Trace) -> None:
    """Step 6: replace the base name by that of TARGET."""
    base, taker = trace.subject.base, trace.taker
    if base is None or taker is None or taker.target is None or trace.scope != "MAPPED":
        trace.note("no name is replaced")
        return
    target = trace.base_target = taker.target.target_of(base)
    trace.note(f"base name {base} -> {target}", taker.rule)
    if not target.owner:
        trace.doubt(f"TARGET {taker.target.text} has no schema: it is that of the Replicat's login")
    written = read_statement(trace.text, trace.sql).base
    is_new_name = trace.subject.is_rename and written is not None and not written.is_qualified
    _replace(trace, written, base, Replacing(target, taker.target, is_qualified=not is_new_name))


def _replace(trace: Trace, written: WrittenName | None, old: ObjectName, new: Replacing) -> None:
    """Replace the name in the text, unless the new name is the same."""
    if new.name == old._replace(plain=()):
        return
    if not trace.subject.trusts_text:
        trace.doubt(f"the text does not show the place of {old}: no name in it is replaced")
    elif written is not None:
        trace.text = replaced(trace.text, written, new, trace.sql)


def map_derived(trace: Trace) -> None:
    """Step 7: replace the derived name by that of its own MAP, or put it in the schema of the base."""
    derived, base = trace.subject.derived, trace.base_target
    if derived is None:
        trace.note("no derived object")
        return
    setting = trace.file.option("MAPDERIVED", "NOMAPDERIVED")
    if setting is not None and setting.word == "NOMAPDERIVED":
        trace.note(f"NOMAPDERIVED ({trace.at(setting.rule)}): derived name {derived} stays", setting.rule)
        _check_rename(trace, derived)
        return
    if base is None:
        trace.note(f"the base is not mapped: derived name {derived} stays")
        return
    target, pattern, by = _derived_target(trace, derived, base)
    trace.derived_target = target
    trace.note(f"derived name {derived} -> {target}, {by}")
    written = read_statement(trace.text, trace.sql).derived
    is_qualified = bool(written and written.is_qualified) or target.owner != base.owner or trace.subject.is_rename
    _replace(trace, written, derived, Replacing(target, pattern, is_qualified))
    _check_rename(trace, target)


def _check_rename(trace: Trace, derived: ObjectName) -> None:
    base = trace.base_target
    if trace.subject.is_rename and base is not None and base.owner != derived.owner:
        trace.doubt(f"the old name stays in schema {derived.owner}, the new one is in {base.owner}")


def _derived_target(trace: Trace, derived: ObjectName, base: ObjectName) -> tuple[ObjectName, NamePattern, str]:
    """Return the target of the derived name, its pattern and the reason; the MAP of the base precedes others."""
    takers = ddl_takers(derived, trace.file, trace.globals).matching
    own = next((taker for taker in takers if taker is trace.taker), next(iter(takers), None))
    if own is not None and own.target is not None:
        return own.target.target_of(derived), own.target, f"MAP {own.source.text} ({trace.at(own.rule)})"
    pattern = trace.taker.target if trace.taker and trace.taker.target else NamePattern((), "")
    name = NamePart("*")
    as_base = pattern._replace(parts=(*pattern.parts[:-1], name))
    return derived._replace(owner=base.owner, catalog=base.catalog), as_base, "in the schema of the base"


def execute(trace: Trace) -> None:
    """Step 11: note the statement that would run and the schema of the session; nothing is executed."""
    subject = trace.subject
    names = [name for name in (subject.base, subject.derived) if name is not None and not name.link]
    source = names[0].owner if names else ""
    target = trace.base_target.owner if trace.base_target else source
    schema = _mapped_schema(trace, source) or target
    trace.session_schema = schema or None
    trace.is_written = True
    trace.note(f"would run, session schema {schema or 'not known'}:")
    if trace.error is None:
        trace.end(Outcome.APPLIED, "")


def _mapped_schema(trace: Trace, schema: str) -> str:
    """Return the target schema that MAPSESSIONSCHEMA gives for a source schema, empty without a match.

    It takes precedence over the schema of TARGET.
    """
    for option in trace.file.options_named("MAPSESSIONSCHEMA"):
        source, target = option.names
        if schema and source.parts[-1].fits(schema):
            return target.parts[-1].filled(schema)
    return ""


def meet_error(trace: Trace) -> None:
    """Step 12: note the assumed error; without one the evaluation has ended at step 11."""
    trace.note(f"error {error_code(trace.error or '')} is assumed")


def search_error_rule(trace: Trace) -> None:
    """Step 13: choose the first DDLERROR for the code whose clauses are true, else one for DEFAULT, else ABEND."""
    code = error_code(trace.error or "")
    rules = trace.file.of(ErrorRule)
    for error_rule in (
        *(rule for rule in rules if rule.code == code),
        *(rule for rule in rules if rule.code == "DEFAULT"),
    ):
        judged = trace.judged(error_rule.clauses)
        if error_rule.unknown is not None or judged.verdict is None:
            unknown = f": {error_rule.unknown} is not known" if error_rule.unknown else _unknown_in(judged)
            why = f"{error_rule.rule.text} ({trace.at(error_rule.rule)}) is not decided{unknown}"
            trace.note(why, error_rule.rule)
            trace.end(Outcome.UNKNOWN, why, error_rule.rule)
            return
        if judged.verdict:
            trace.chosen = error_rule
            trace.note(f"{error_rule.rule.text} ({trace.at(error_rule.rule)})", error_rule.rule)
            return
    trace.note(f"no rule for error {code}: ABEND by default")


def resolve_error(trace: Trace) -> None:
    """Step 14: abend, ignore or discard; retries are not simulated."""
    rule = trace.chosen
    response = rule.response if rule else "ABEND"
    code = error_code(trace.error or "")
    retries = " after retries" if rule and "RETRYOP" in rule.words else ""
    why = f"{rule.rule.text} ({trace.at(rule.rule)})" if rule else f"no rule for error {code}, ABEND by default"
    if rule and rule.code == "DEFAULT":
        why = f"no rule for error {code}, DEFAULT {response} ({trace.at(rule.rule)})"
    trace.note(f"{response}{retries}", rule.rule if rule else None)
    trace.end(_OUTCOMES[response], why, rule.rule if rule else None)


REPLICAT_STEPS = (
    Step(1, "read", read_from_trail, ("R1",)),
    Step(2, "comments", separate_comments, ("R2",)),
    Step(3, "REMOVECOMMENTS BEFORE", remove_comments_before, ("R3",)),
    Step(4, "scope", evaluate_scope, ("R4",)),
    Step(5, "MAP", evaluate_maps, ("R5",)),
    Step(6, "base name", map_base, ("R6",)),
    Step(7, "derived name", map_derived, ("R7",)),
    Step(8, "INCLUDE and EXCLUDE", filter_by_clauses, ("R8", "R8a", "R8b")),
    Step(9, "DDLSUBST", substitute, ("R9",)),
    Step(10, "REMOVECOMMENTS AFTER", remove_comments_after, ("R10",)),
    Step(11, "execution", execute, ("R11",)),
    Step(12, "error", meet_error, ("R12",)),
    Step(13, "DDLERROR", search_error_rule, ("R13",)),
    Step(14, "resolution", resolve_error, ("R14",)),
)
"""The steps of Replicat, each with the entries of Oracle's list that it covers."""


_LOG_SOURCES = ("TRANLOGOPTIONS", "USERID", "USERIDALIAS", "SOURCEDB", "VAM")


def is_pump(file: ParameterFile) -> bool:
    """Return True if a file looks like that of a data pump: PASSTHRU, or neither DDL nor a log source."""
    return file.has("PASSTHRU") or (file.ddl is None and not file.has(*_LOG_SOURCES))


def capture(trace: Trace) -> None:
    """Step 1: the statement is captured."""
    trace.note(f"captured ({trace.subject.size} characters)")


def search_ddl(trace: Trace) -> None:
    """Step 3: look for the DDL parameter. Without it nothing is captured, but a data pump passes statements on."""
    if is_pump(trace.file):
        trace.note("a data pump, by its parameters: DDL passes unchanged")
        trace.is_written = True
        trace.end(Outcome.CAPTURED, "a data pump passes DDL on unchanged")
    elif trace.file.ddl is None:
        trace.note("no DDL parameter")
        trace.end(Outcome.LEFT_OUT, "no DDL parameter")
    else:
        trace.note(f"DDL ({trace.at(trace.file.ddl.rule)})", trace.file.ddl.rule)


def search_ignore_replicates(trace: Trace) -> None:
    """Step 4: ignore statements of a Replicat unless GETREPLICATES is set, those of others under IGNOREAPPLOPS."""
    is_replicat = trace.subject.items.get("C15", "").upper() == "YES"
    words = ("GETREPLICATES", "IGNOREREPLICATES") if is_replicat else ("GETAPPLOPS", "IGNOREAPPLOPS")
    option = trace.file.option(*words)
    who = "a Replicat, as its record says" if is_replicat else "the application, as far as is known"
    setting = f"{option.word} ({trace.at(option.rule)})" if option else f"{words[is_replicat]} by default"
    trace.note(f"made by {who}; {setting}", option.rule if option else None)
    is_ignored = option.word == words[1] if option else is_replicat
    if is_ignored:
        trace.end(Outcome.IGNORED, f"{setting}: made by {who}", option.rule if option else None)


def flag_rename(trace: Trace) -> None:
    """Step 5: a RENAME is flagged."""
    trace.note("RENAME: flagged" if trace.subject.is_rename else "no RENAME")


def get_names(trace: Trace) -> None:
    """Step 6: note the names of the base and the derived object."""
    subject = trace.subject
    base = f"base {subject.base}" if subject.base else "base object is not known"
    trace.note(f"{base}, derived {subject.derived}" if subject.derived else base)


def change_rename(trace: Trace) -> None:
    """Step 7: change RENAME to ALTER TABLE RENAME, which can name a schema."""
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
    """Step 9: set the scope to MAPPED, UNMAPPED or OTHER."""
    subject = trace.subject
    if other := why_other(subject):
        trace.scope = "OTHER"
        trace.note(f"OTHER: {other}")
        return
    names = [name for name in (subject.base, subject.derived if subject.is_rename else None) if name is not None]
    for name in names:
        takers = takers_of(name, trace.file, TABLE, trace.globals)
        if takers.matching:
            taker = takers.matching[0]
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
    """Step 13: note the statement that ADDTRANDATA would issue for a CREATE TABLE."""
    option, subject = trace.file.option("ADDTRANDATA"), trace.subject
    if option is None:
        trace.note("ADDTRANDATA: not set")
    elif (subject.operation, subject.object_type) != ("CREATE", "TABLE"):
        trace.note(f"ADDTRANDATA ({trace.at(option.rule)}): not a CREATE TABLE", option.rule)
    else:
        issued = f"ALTER TABLE {subject.base or '<name>'} ADD SUPPLEMENTAL LOG GROUP …"
        trace.note(f"ADDTRANDATA ({trace.at(option.rule)}) would issue {issued}", option.rule)


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
"""The steps of Extract, each with the entries of Oracle's list that it covers."""


def evaluate(subject: DdlSubject, parameters: ParametersInUse, error: str | None = None) -> Iterator[DdlEvaluated]:
    """Yield the results for each trail of Extract; with both files Replicat gets the statements that Extract writes.

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
            yield from (
                evaluation._replace(trail=trail) for evaluation in _replicat(written, replicat, globals_, error)
            )


def _replicat(
    subject: DdlSubject, file: ParameterFile | None, globals_: ParameterFile | None, error: str | None
) -> Iterator[DdlEvaluated]:
    if file is None:
        return
    takers: tuple[Taker | None, ...] = ()
    if subject.base is not None and why_other(subject) is None and file.option("IGNOREMAPPING") is None:
        takers = ddl_takers(subject.base, file, globals_).matching
    for number, taker in enumerate(takers or (None,), 1):
        target = number if len(takers) > 1 else None
        yield Trace(subject, file, globals_=globals_, taker=taker, error=error, target=target).run(REPLICAT_STEPS)
