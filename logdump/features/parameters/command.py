"""PARAMS: the parameter files that DDL and COVERAGE use, and the tables of a trail that they select."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from logdump.features.count.survey import CountRun
from logdump.features.ddl.mapping import MAP, TABLE, takers_of
from logdump.features.parameters.model import CoverageShown, ParametersShown, Taking
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import File, OneOf, Word
from logdump.notation.text import amount
from logdump.parameters.in_use import ParametersInUse, parameters_in_use, unused_parameters
from logdump.parameters.model import ProcessSide
from logdump.parameters.names import MOST_PARTS, ObjectName
from logdump.parameters.not_used import ParameterUse, is_used
from logdump.parameters.tree import (
    Ddl,
    DdlOption,
    ErrorRule,
    Exclusion,
    Node,
    Other,
    OutputTrail,
    ParameterFile,
    Substitution,
    Switch,
    Taker,
)
from logdump.session.across import files_from
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.records.record_header import METADATA
from trailformat.totals.counting import FILE_HEADER_NAME

with on_demand:
    from logdump.features.count import survey
    from trailformat import scan


def records_by_table(counter: CountRun) -> dict[str, int]:
    """Return the number of records of each counted table, definitions excluded, sorted by name."""
    records: Counter[str] = Counter()
    for (name, _), tally in counter.count.tables.items():
        if name not in ("", FILE_HEADER_NAME):
            records[name] += tally.records - tally.types[METADATA]
    return dict(sorted(records.items()))


def coverage(tables: dict[str, int], parameters: ParametersInUse) -> Iterator[CoverageShown]:
    """Yield the statements of Extract's file that select each table, trail by trail, then those of Replicat's."""
    for whole, keywords in ((parameters.extract, TABLE), (parameters.replicat, MAP)):
        for trail, file in whole.by_trail() if whole is not None else ():
            results = (_of_table(name, tables[name], file, keywords, parameters.globals) for name in tables)
            yield from (result._replace(trail=trail) for result in results)


def _of_table(
    table: str, records: int, file: ParameterFile, keywords: tuple[str, ...], globals_: ParameterFile | None
) -> CoverageShown:
    name = object_name(table)
    takers = takers_of(name, file, keywords, globals_)
    takings = tuple(
        Taking(taker.rule, str(taker.target.target_of(name)) if taker.target else None, taker.options)
        for taker in takers.matching
    )
    return CoverageShown(file.side, table, records, takings, None if takings else takers.excluded)


def object_name(table: str) -> ObjectName:
    """Split the name of a table in a trail; parts after the third belong to the name."""
    parts = table.split(".", MOST_PARTS - 1)
    name, owner, catalog = [*reversed(parts), "", ""][:MOST_PARTS]
    return ObjectName(name, owner, catalog)


Action = Callable[[Session], Iterator[Event]]
_SIDES = {"EXTRACT": ProcessSide.EXTRACT, "REPLICAT": ProcessSide.REPLICAT, "GLOBALS": ProcessSide.GLOBALS}


def run_params(session: Session, action: Action | None) -> Iterator[Event]:
    """Read a parameter file, or show those in use, or their coverage of the tables of the trail."""
    yield from (action or _state)(session)


def _state(session: Session) -> Iterator[Event]:
    files = parameters_in_use(session).files
    yield from map(_shown, files) if files else [say("PARAMS is OFF")]


def _off(session: Session) -> Iterator[Event]:
    session.keep(ParametersInUse())
    yield say("PARAMS is OFF")


def _reading(path: str, side: ProcessSide | None) -> Action:
    """Return the action that reads a file and puts it in use in place of the one of its side."""

    def read(session: Session) -> Iterator[Event]:
        before = parameters_in_use(session)
        file = before.read(path_of(Path(path)), side)
        session.keep(before.having(file))
        yield _shown(file)

    return read


def _showing(keyword: str | None) -> Action:
    """Return the action that lists the statements, or those of one keyword."""

    def show(session: Session) -> Iterator[Event]:
        wanted = keyword.upper() if keyword else None
        shown = [_shown(file, wanted)._replace(shows_all=True) for file in _files(session)]
        files = [file for file in shown if file.statements or not wanted]
        if not files:
            raise CommandError(f"The parameter files in use have no {wanted}.")
        yield from files

    return show


def _files(session: Session) -> list[ParameterFile]:
    files = parameters_in_use(session).files
    if not files:
        raise CommandError("No parameter file is in use. PARAMS <file> reads one.")
    return files


def _coverage(session: Session) -> Iterator[Event]:
    """Count the tables of the open file, under ACROSS also of those after it, and show what statements take them."""
    parameters = parameters_in_use(session)
    if parameters.extract is None and parameters.replicat is None:
        raise CommandError("No parameter file of an Extract or Replicat is in use. PARAMS <file> reads one.")
    with scan.Workers() as workers:
        counter = survey.CountRun(session, survey.CountOptions(detail=True), workers)
        for path in files_from(session):
            if path == session.trail.path:
                yield from counter.run(counter.begin(session.trail))
            elif counter.stopped_at is None:
                with TrailFile(path) as trail:
                    yield from counter.run(counter.begin(trail))
    if counter.stopped_at is not None:
        yield Notice((f"Stopped at {counter.stopped_at}: this is partial.",), ExitStatus.INTERRUPTED)
    yield from counter.notices
    yield from coverage(records_by_table(counter), parameters.for_trail(session.trail.path))
    yield from unused_parameters(session, ParameterUse.COVERAGE)
    if counter.stopped_at is not None:
        raise KeyboardInterrupt


def _shown(file: ParameterFile, keyword: str | None = None) -> ParametersShown:
    nodes = [node for node in file.nodes if keyword is None or _keyword(node) == keyword]
    statements = tuple((node.rule, _keyword(node), is_used(node, file.side)) for node in nodes)
    return ParametersShown(file.side, file.group, file.path, statements, file.notes, _summary(file))


_IN_SUMMARY = (
    *("TABLE", "FILE", "MAP", "DDLSUBST", "DDLOPTIONS", "DDLERROR"),
    *("TABLEEXCLUDE", "MAPEXCLUDE", "SCHEMAEXCLUDE", "CATALOGEXCLUDE"),
)
_KEYWORDS: dict[type, str] = {Ddl: "DDL", Substitution: "DDLSUBST", DdlOption: "DDLOPTIONS", ErrorRule: "DDLERROR"}


def _keyword(node: Node) -> str:
    return node.keyword if isinstance(node, Taker | Exclusion | OutputTrail | Switch | Other) else _KEYWORDS[type(node)]


def _summary(file: ParameterFile) -> str:
    """Return the statements by kind: ``3 MAP, DDL with 2 clauses, 1 DDLERROR; 4 statements not used here``."""
    used = [node for node in file.nodes if is_used(node, file.side)]
    numbers = Counter(map(_keyword, used))
    parts = [f"{numbers[keyword]} {keyword}" for keyword in _IN_SUMMARY if numbers[keyword]]
    if file.ddl is not None:
        number = len(file.ddl.clauses)
        clauses = amount(number, "clause") if number else "no clauses"
        takers = sum(numbers[keyword] > 0 for keyword in ("TABLE", "FILE", "MAP"))
        parts.insert(takers, f"DDL with {clauses}")
    unused = len(file.nodes) - len(used)
    return f"{', '.join(parts) or 'nothing about DDL'}; {amount(unused, 'statement')} not used here"


COMMANDS = (
    Command(
        "PARAMS",
        Maybe(
            Alternatives[Action](
                Sequence(_reading, File("<file>"), Maybe(OneOf(_SIDES))),
                Keyword("SHOW", Sequence(_showing, Maybe(Word("<parameter>")))),
                OneOf({"COVERAGE": _coverage, "OFF": _off}),
                surplus="takes one file, and perhaps EXTRACT, REPLICAT or GLOBALS, but got {!r}.",
            )
        ),
        "Read a parameter file of Extract or Replicat, for DDL and COVERAGE",
        run_params,
        details=(
            "One file per side can be in use: Extract's, Replicat's, GLOBALS. INCLUDE, OBEY and macros are followed.",
            "The side, unless given, is that of its EXTRACT or REPLICAT. Statements not understood are listed.",
            "SHOW lists the statements with file and line, passwords replaced.",
            "COVERAGE shows for each table of the open trail, through the filter, which TABLE or MAP takes it.",
            "TABLE and exclusions belong to the EXTTRAIL or RMTTRAIL before them; exclusions before it hold for all.",
            "A statement that is not used is named in each answer that it would change.",
            "docs/ddl.md describes the language as it is read here.",
        ),
        origin=Origin.OURS,
    ),
)
