"""Replicat's fourteen steps with a DDL statement, each a function; ``REPLICAT_STEPS`` lists them in order."""

from __future__ import annotations

from logdump.features.ddl.common_steps import (
    filter_by_clauses,
    remove_comments_after,
    remove_comments_before,
    separate_comments,
    substitute,
)
from logdump.features.ddl.mapping import Replacing, ddl_takers, replaced, why_other
from logdump.features.ddl.model import Outcome
from logdump.features.ddl.statement import WrittenName, read_statement
from logdump.features.ddl.trace import Step, Trace
from logdump.parameters.names import NamePart, NamePattern, ObjectName
from logdump.parameters.reading import error_code
from logdump.parameters.tree import ErrorRule

_OUTCOMES = {"IGNORE": Outcome.IGNORED, "DISCARD": Outcome.DISCARDED, "ABEND": Outcome.ABEND}


def read_from_trail(trace: Trace) -> None:
    """Step 1: the statement is read from the trail."""
    trace.note(f"read from the trail ({trace.subject.size} characters)")


def evaluate_scope(trace: Trace) -> None:
    """Step 4: what is no candidate for mapping is OTHER."""
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
    """Step 5: MAPPED where a MAP takes the base object, else UNMAPPED."""
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
    """Step 6: the base name becomes that of TARGET."""
    base, taker = trace.subject.base, trace.taker
    if base is None or taker is None or taker.target is None or trace.scope != "MAPPED":
        trace.note("no name is replaced")
        return
    target = trace.base_target = taker.target.target_of(base)
    trace.note(f"base name {base} -> {target}", taker.rule)
    if not target.owner:
        trace.doubt(f"TARGET {taker.target.text} has no schema: it is that of the Replicat's login")
    found = read_statement(trace.text, trace.sql).base
    is_new_name = trace.subject.is_rename and found is not None and not found.is_qualified
    _replace(trace, found, base, Replacing(target, taker.target, is_qualified=not is_new_name))


def _replace(trace: Trace, found: WrittenName | None, old: ObjectName, new: Replacing) -> None:
    """Replace the name in the text, unless the new name is the same."""
    if new.name == old._replace(plain=()):
        return
    if not trace.subject.trusts_text:
        trace.doubt(f"the text does not show the place of {old}: no name in it is replaced")
    elif found is not None:
        trace.text = replaced(trace.text, found, new, trace.sql)


def map_derived(trace: Trace) -> None:
    """Step 7: the derived name becomes that of its own MAP, or gets the schema of the base."""
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
    found = read_statement(trace.text, trace.sql).derived
    is_qualified = bool(found and found.is_qualified) or target.owner != base.owner or trace.subject.is_rename
    _replace(trace, found, derived, Replacing(target, pattern, is_qualified))
    _check_rename(trace, target)


def _check_rename(trace: Trace, derived: ObjectName) -> None:
    base = trace.base_target
    if trace.subject.is_rename and base is not None and base.owner != derived.owner:
        trace.doubt(f"the old name stays in schema {derived.owner}, the new one is in {base.owner}")


def _derived_target(trace: Trace, derived: ObjectName, base: ObjectName) -> tuple[ObjectName, NamePattern, str]:
    """Return the target of the derived name, its pattern and the reason; the MAP of the base precedes others."""
    takers = ddl_takers(derived, trace.file, trace.globals).found
    own = next((one for one in takers if one is trace.taker), next(iter(takers), None))
    if own is not None and own.target is not None:
        return own.target.target_of(derived), own.target, f"MAP {own.source.text} ({trace.at(own.rule)})"
    pattern = trace.taker.target if trace.taker and trace.taker.target else NamePattern((), "")
    name = NamePart("*")
    as_base = pattern._replace(parts=(*pattern.parts[:-1], name))
    return derived._replace(owner=base.owner, catalog=base.catalog), as_base, "in the schema of the base"


def execute(trace: Trace) -> None:
    """Step 11: note the statement that would run and the schema of the session; nothing is executed."""
    subject = trace.subject
    names = [one for one in (subject.base, subject.derived) if one is not None and not one.link]
    source = names[0].owner if names else ""
    target = trace.base_target.owner if trace.base_target else source
    schema = _mapped_schema(trace, source) or target
    trace.session_schema = schema or None
    trace.is_written = True
    trace.note(f"would run, session schema {schema or 'not known'}:")
    if trace.error is None:
        trace.end(Outcome.APPLIED, "")


def _mapped_schema(trace: Trace, schema: str) -> str:
    """Return the schema that MAPSESSIONSCHEMA gives for one of the source; it precedes TARGET.

    Empty without a match.
    """
    for one in trace.file.options_named("MAPSESSIONSCHEMA"):
        source, target = one.names
        if schema and source.parts[-1].fits(schema):
            return target.parts[-1].filled(schema)
    return ""


def meet_error(trace: Trace) -> None:
    """Step 12: an error is assumed; without one the next statement would come."""
    trace.note(f"error {error_code(trace.error or '')} is assumed")


def search_error_rule(trace: Trace) -> None:
    """Step 13: the first DDLERROR for the code whose clauses are true, else DEFAULT, else ABEND."""
    code = error_code(trace.error or "")
    rules = trace.file.of(ErrorRule)
    for one in (*(rule for rule in rules if rule.code == code), *(rule for rule in rules if rule.code == "DEFAULT")):
        judged = trace.judged(one.clauses)
        if one.unknown is not None or judged.verdict is None:
            trace.note(f"{one.rule.text} ({trace.at(one.rule)}) is not decided", one.rule)
            trace.end(Outcome.UNKNOWN, f"{one.rule.text} ({trace.at(one.rule)}) is not decided", one.rule)
            return
        if judged.verdict:
            trace.chosen = one
            trace.note(f"{one.rule.text} ({trace.at(one.rule)})", one.rule)
            return
    trace.note(f"no rule for error {code}: ABEND by default")


def resolve_error(trace: Trace) -> None:
    """Step 14: abend, ignore or discard; retries are not played."""
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
"""The steps, each with the statements of Oracle's list that it carries out."""
