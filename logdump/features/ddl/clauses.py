"""Whether the clauses of DDL, DDLSUBST and DDLERROR are true of a statement; None where that is not known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from logdump.features.ddl.statement import OLD_NAMES
from logdump.features.ddl.subject import DdlSubject
from logdump.parameters.names import NamePattern, ObjectName
from logdump.parameters.tree import Clause, ClauseOption

_QUOTED_OR_WORD = re.compile(r'"([^"]*)"|(\S+)')


class Viewed(NamedTuple):
    """What clauses look at: the statement, its scope, its text and comments as they are by now, its name there.

    ``target`` is the name that MAP gives to the base; None where it gives none, and in Extract.
    """

    subject: DdlSubject
    scope: str
    text: str
    comments: Sequence[str]
    target: ObjectName | None = None


class Judged(NamedTuple):
    """The clauses with what they are, and what follows; ``decisive`` is the clause that decided, if one did."""

    verdict: bool | None
    truths: tuple[tuple[Clause, bool | None], ...]
    decisive: Clause | None


def judge(clauses: Sequence[Clause], viewed: Viewed, *, needs_include: bool) -> Judged:
    """Whether clauses let a statement through: a true EXCLUDE goes before a true INCLUDE, their order does not matter.

    Args:
        clauses: all of one parameter; without any everything gets through.
        viewed: the statement.
        needs_include: whether nothing gets through where all clauses are EXCLUDE.
    """
    truths = tuple((one, _all_of(_option(option, one, viewed) for option in one.options)) for one in clauses)
    excludes = [(one, truth) for one, truth in truths if not one.includes]
    includes = [(one, truth) for one, truth in truths if one.includes]
    if excluding := [one for one, truth in excludes if truth]:
        return Judged(verdict=False, truths=truths, decisive=excluding[0])
    if including := [one for one, truth in includes if truth]:
        return Judged(None if any(truth is None for _, truth in excludes) else True, truths, including[0])
    if any(truth is None for _, truth in truths):
        return Judged(None, truths, None)
    return Judged(not includes and (not truths or not needs_include), truths, None)


def _all_of(truths: Iterable[bool | None]) -> bool | None:
    """AND where some are not known."""
    found = list(truths)
    if False in found:
        return False
    return None if None in found else True


def _any_of(truths: Iterable[bool | None]) -> bool | None:
    """OR where some are not known."""
    found = list(truths)
    if True in found:
        return True
    return None if None in found else False


def _option(option: ClauseOption, clause: Clause, viewed: Viewed) -> bool | None:
    if not option.is_known:
        return None
    holds = _HOLDS.get(option.word)
    return True if holds is None else holds(option, clause, viewed)


def _scope(option: ClauseOption, _clause: Clause, viewed: Viewed) -> bool:
    return viewed.scope == option.word


def _operation(option: ClauseOption, _clause: Clause, viewed: Viewed) -> bool:
    """A RENAME is an ALTER too, and an ALTER … RENAME a RENAME."""
    subject = viewed.subject
    is_one = {subject.operation, *(("ALTER", "RENAME") if subject.is_rename else ())}
    return any(value == "*" or value.upper() in is_one for value in option.values)


def _type(option: ClauseOption, _clause: Clause, viewed: Viewed) -> bool:
    wanted = (" ".join(value.upper().split()) for value in option.values)
    return any(one == "*" or OLD_NAMES.get(one, one) == viewed.subject.object_type for one in wanted)


def _name(option: ClauseOption, clause: Clause, viewed: Viewed) -> bool | None:
    """The base, or with MAPPED in a Replicat the name that MAP gives to it."""
    name = viewed.subject.base
    if viewed.target is not None and clause.option("MAPPED"):
        name = viewed.target
    if name is None and viewed.subject.derived is not None:
        return None
    words = {"ALLOWEMPTYOBJECT": "name", "ALLOWEMPTYOWNER": "owner"}
    any_empty = [part for word, part in words.items() if clause.option(word)]
    return _any_of(_fits(one, name or ObjectName(""), any_empty) for one in option.names)


def _fits(pattern: NamePattern, name: ObjectName, any_empty: list[str]) -> bool | None:
    """A lone ``*`` is every object; another name of one part is in the schema of the login, which is not known."""
    if len(pattern.parts) > 1:
        return pattern.fits(name, any_empty=any_empty)
    (last,) = pattern.parts
    if last.text == "*" and name.name:
        return True
    return None if name.name and last.fits(name.name, is_plain="name" in name.plain) else False


def _catalog(option: ClauseOption, _clause: Clause, viewed: Viewed) -> bool | None:
    catalog = viewed.subject.base.catalog if viewed.subject.base else ""
    return any(one.parts[-1].fits(catalog) for one in option.names) if catalog else None


def _in(option: ClauseOption, text: str) -> bool:
    return option.values[0].lower() in text.lower()


def _words_in(option: ClauseOption, text: str) -> bool:
    """Each word anywhere, and what stands in double quotes as one."""
    wanted = (found[1] or found[2] for found in _QUOTED_OR_WORD.finditer(option.values[0].lower()))
    return all(one in text.lower() for one in wanted if one)


_HOLDS: dict[str, Callable[[ClauseOption, Clause, Viewed], bool | None]] = {
    **dict.fromkeys(("MAPPED", "UNMAPPED", "OTHER"), _scope),
    "OPTYPE": _operation,
    "OBJTYPE": _type,
    "OBJNAME": _name,
    "SOURCECATALOG": _catalog,
    "INSTR": lambda option, _, viewed: _in(option, viewed.text),
    "INSTRWORDS": lambda option, _, viewed: _words_in(option, viewed.text),
    "INSTRCOMMENTS": lambda option, _, viewed: any(_in(option, one) for one in viewed.comments),
    "INSTRCOMMENTSWORDS": lambda option, _, viewed: _words_in(option, "\n".join(viewed.comments)),
}
"""What makes an option true; those that are not here are no conditions."""
