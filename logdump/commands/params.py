"""PARAMS: the parameter files that DDL and COVERAGE go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.operations.ddl.evaluation import ParametersInUse
from logdump.operations.parameters.reading import read_parameters
from logdump.operations.parameters.tree import (
    Ddl,
    DdlOption,
    ErrorRule,
    Exclusion,
    Node,
    Other,
    ParameterFile,
    Substitution,
    Switch,
    Taker,
)
from logdump.session.errors import CommandError
from logdump.session.evaluation import ParametersShown, Side
from logdump.session.events import Event, Notice, say
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session

_SIDES = {"EXTRACT": Side.EXTRACT, "REPLICAT": Side.REPLICAT, "GLOBALS": Side.GLOBALS}


def parameters_in_use(session: Session) -> ParametersInUse:
    """The files that PARAMS has set in this session."""
    return session.kept(ParametersInUse) or ParametersInUse()


def run_params(session: Session, arguments: str) -> Iterator[Event]:
    """Read a parameter file, or tell about those in use, or what they make of the tables of the trail."""
    words = split_words(arguments)
    keyword = words[0].upper() if words else ""
    if keyword == "SHOW":
        yield from _show(session, words[1:])
    elif keyword == "COVERAGE":
        yield from _coverage(session, words[1:])
    elif keyword == "OFF" and len(words) == 1:
        session.keep(ParametersInUse())
        yield say("PARAMS is OFF")
    elif words:
        yield _set(session, words)
    else:
        files = parameters_in_use(session).files
        yield from map(_shown, files) if files else [say("PARAMS is OFF")]


def _set(session: Session, words: list[str]) -> Event:
    """Read a file and put it in use in place of the one of its side; what was in use stays where it cannot be read."""
    side = _SIDES.get(words[1].upper()) if len(words) == 2 else None
    if len(words) > 2 or (len(words) == 2 and side is None):
        raise ArgumentError(f"takes one file, and perhaps EXTRACT, REPLICAT or GLOBALS, but got {' '.join(words)!r}.")
    before = parameters_in_use(session)
    ansi_quotes = not (before.globals and before.globals.has("NOUSEANSISQLQUOTES"))
    file = read_parameters(Path(words[0]).expanduser(), side, ansi_quotes=ansi_quotes)
    session.keep(before._replace(**{file.side.value: file}))
    return _shown(file)


def _show(session: Session, words: list[str]) -> Iterator[Event]:
    if len(words) > 1:
        raise ArgumentError(f"SHOW takes one parameter, but got {' '.join(words)!r}.")
    files = _files(session)
    shown = [_shown(file, words[0].upper() if words else None)._replace(shows_all=True) for file in files]
    found = [one for one in shown if one.statements or not words]
    if not found:
        raise CommandError(f"No {words[0].upper()} stands in the parameter files in use.")
    yield from found


def _files(session: Session) -> list[ParameterFile]:
    files = parameters_in_use(session).files
    if not files:
        raise CommandError("No parameter file is in use. PARAMS <file> reads one.")
    return files


def _coverage(session: Session, words: list[str]) -> Iterator[Event]:
    """Count the tables of the open trail, through the filter, and tell what takes each."""
    from logdump.operations.count import CountOptions, CountRun  # noqa: PLC0415 - for this alone
    from logdump.operations.ddl.coverage import coverage, records_by_table  # noqa: PLC0415 - likewise
    from trailformat.scan import Workers  # noqa: PLC0415 - likewise

    if words:
        raise ArgumentError(f"COVERAGE takes no arguments, but got {' '.join(words)!r}.")
    parameters = parameters_in_use(session)
    if parameters.extract is None and parameters.replicat is None:
        raise CommandError("No parameter file of an Extract or Replicat is in use. PARAMS <file> reads one.")
    with Workers() as workers:
        counter = CountRun(session, CountOptions(detail=True), workers)
        yield from counter.run(counter.begin(session.trail))
    yield from coverage(records_by_table(counter), parameters)
    yield from counter.notices
    if counter.stopped_at is not None:
        yield Notice((f"Stopped at {counter.stopped_at}: this is partial.",), ExitStatus.INTERRUPTED)
        raise KeyboardInterrupt


def _shown(file: ParameterFile, keyword: str | None = None) -> ParametersShown:
    nodes = [one for one in file.nodes if keyword is None or _keyword(one) == keyword]
    statements = tuple((one.rule, _keyword(one), _is_used(one, file.side)) for one in nodes)
    return ParametersShown(file.side, file.group, file.path, statements, file.notes, _summary(file))


_IN_SUMMARY = (
    *("TABLE", "FILE", "MAP", "DDLSUBST", "DDLOPTIONS", "DDLERROR"),
    *("TABLEEXCLUDE", "MAPEXCLUDE", "SCHEMAEXCLUDE", "CATALOGEXCLUDE"),
)
_KEYWORDS: dict[type, str] = {Ddl: "DDL", Substitution: "DDLSUBST", DdlOption: "DDLOPTIONS", ErrorRule: "DDLERROR"}


def _keyword(node: Node) -> str:
    return node.keyword if isinstance(node, Taker | Exclusion | Switch | Other) else _KEYWORDS[type(node)]


def _is_used(node: Node, side: Side) -> bool:
    if isinstance(node, Taker):
        return (node.keyword == "MAP") == (side is Side.REPLICAT)
    return not isinstance(node, Other) and not (isinstance(node, DdlOption) and not node.is_known)


def _summary(file: ParameterFile) -> str:
    """``3 MAP, DDL with 2 clauses, 1 DDLSUBST, 1 DDLERROR; 4 statements not used here``."""
    used = [one for one in file.nodes if _is_used(one, file.side)]
    numbers = Counter(_keyword(one) for one in used if not isinstance(one, Switch | Ddl))
    parts = [f"{numbers[keyword]} {keyword}" for keyword in _IN_SUMMARY if numbers[keyword]]
    if file.ddl is not None:
        number = len(file.ddl.clauses)
        clauses = f"{number} clause{'' if number == 1 else 's'}" if number else "no clauses"
        takers = sum(numbers[keyword] > 0 for keyword in ("TABLE", "FILE", "MAP"))
        parts.insert(takers, f"DDL with {clauses}")
    unused = len(file.nodes) - len(used)
    return f"{', '.join(parts) or 'nothing about DDL'}; {unused} statement{'' if unused == 1 else 's'} not used here"


COMMANDS = (
    Command(
        "PARAMS",
        "PARAMS [<file> [EXTRACT | REPLICAT | GLOBALS] | SHOW [<parameter>] | COVERAGE | OFF]",
        "Read a parameter file of Extract or Replicat, for DDL and COVERAGE",
        run_params,
        options=("SHOW", "COVERAGE", "OFF", "EXTRACT", "REPLICAT", "GLOBALS"),
        details=(
            "One file a side can be in use: Extract's, Replicat's, GLOBALS. INCLUDE, OBEY and macros are followed.",
            "The side is that of its EXTRACT or REPLICAT, unless it is given. What is not understood is listed.",
            "SHOW lists the statements with file and line, passwords replaced.",
            "COVERAGE tells for each table of the open trail, through the filter, which TABLE or MAP takes it.",
            "docs/ddl.md tells the language as it is read here.",
        ),
        origin=Origin.OURS,
    ),
)
