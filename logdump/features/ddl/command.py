"""DDL: evaluates the DDL statements of a trail, or one given as text, as Extract and Replicat would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from logdump.features.ddl.evaluation import evaluate
from logdump.features.ddl.fate import StatementFates
from logdump.features.ddl.model import DdlCounted, DdlEvaluated, Outcome
from logdump.features.ddl.statement import DdlSubject, ddl_records, subject_of, subject_of_record
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.language.reader import ArgumentReader, Context, Parameter
from logdump.parameters.in_use import ParametersInUse, parameters_in_use
from logdump.parameters.model import ProcessSide
from logdump.session.across import files_from
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Bad, Event, Notice, say
from logdump.session.files import matching_files
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from trailformat import NotATrail, Record, TrailFile
from trailformat.trail.sequence import FilePosition

_QUOTE = '"'
_IN_THE_TRAIL = (
    "These statements are in the trail: Extract has captured them, and changed them in its steps 7, 8, 11 and 12. "
    "Statements that it left out are not in the trail."
)


class DdlOptions(NamedTuple):
    """The options of DDL; ``most`` is None to evaluate all statements."""

    most: int | None = 1
    over: str | None = None
    text: str | None = None
    owner: str = ""
    steps: bool = False
    error: str | None = None
    left_out: bool = False
    strict: bool = False


def _options(**given: Any) -> DdlOptions:
    """Build the options; OVER and LEFTOUT mean all statements unless a count is given.

    Raises:
        ArgumentError: the options exclude each other.
    """
    if "text" in given and ("over" in given or "most" in given):
        raise ArgumentError("TEXT is one statement: no count and no OVER go with it.")
    if "owner" in given and "text" not in given:
        raise ArgumentError("OWNER goes with TEXT.")
    if "over" in given or "left_out" in given:
        given.setdefault("most", None)
    return DdlOptions(**given)


class _QuotedStatement(Parameter[str]):
    """A text in double quotes, with double quotes inside it doubled."""

    def parse(self, text: str, context: Context) -> str:  # noqa: ARG002 - it depends on nothing else
        """Return the text without its quotes."""
        if len(text) < 2 or not (text.startswith(_QUOTE) and text.endswith(_QUOTE)):
            raise ArgumentError('TEXT takes a statement in double quotes, each in it doubled: TEXT "drop table t".')
        return text[1:-1].replace(2 * _QUOTE, _QUOTE)

    def read(self, reader: ArgumentReader) -> str:
        """Return the next argument without its quotes, which the reader keeps."""
        piece = reader.look(self)
        if piece is None:
            raise reader.missing(self._absent(reader.context))
        text = reader.text[piece.start : piece.end]
        reader.is_unfinished = piece.end == len(reader.text) and text.startswith(_QUOTE)
        statement = self.parse(text, reader.context)
        reader.at = piece.end
        return statement


class Evaluating:
    """One run of DDL; outcomes are counted for all statements, also those not shown."""

    def __init__(self, session: Session, options: DdlOptions, parameters: ParametersInUse) -> None:
        self._session = session
        self._options = options
        self._parameters = parameters
        self.statements = self.damaged = self.unreadable = 0
        self.shows_file = False
        self._outcomes: Counter[tuple[ProcessSide, Outcome]] = Counter()
        self._fates = StatementFates()

    @property
    def is_done(self) -> bool:
        """True if the requested number of statements has been evaluated."""
        return self._options.most is not None and self.statements >= self._options.most

    def run(self, trail: TrailFile, start: int) -> Generator[Event, None, None]:
        """Evaluate the statements of a file from an RBA on."""
        selection = self._session.selection(trail)
        for item in ddl_records(trail, start, selection, self._session.settings.notify):
            if isinstance(item, Record):
                yield from self._of_record(trail, item)
                if self.is_done:
                    return
            else:
                self.damaged += isinstance(item, Notice)
                yield item

    def _of_record(self, trail: TrailFile, record: Record) -> Iterator[Event]:
        parameters = self._parameters.for_trail(trail.path)
        for result in self.evaluated(
            subject_of_record(trail, record), parameters, FilePosition(trail.path, record.rba)
        ):
            yield result._replace(path=trail.path, rba=record.rba, csn=record.csn, shows_file=self.shows_file)

    def evaluated(
        self, subject: DdlSubject, parameters: ParametersInUse, position: FilePosition | None = None
    ) -> Iterator[DdlEvaluated]:
        """Yield the results of a statement, at a position of a trail; under LEFTOUT those that do not get through."""
        self.statements += 1
        options = self._options
        results = evaluate(subject, parameters, options.error)
        for result in self._fates.judged(results, position.path, position.rba) if position is not None else results:
            self._outcomes[result.side, result.outcome] += 1
            gets_through = result.outcome in (Outcome.APPLIED, Outcome.CAPTURED)
            if not (options.left_out and gets_through):
                yield result._replace(shows_steps=options.steps, is_strict=options.strict)

    def reading(self) -> Reading:
        """Return the damage and unreadable files so far; none if the requested number of statements was found."""
        return Reading() if self.is_done else Reading(damaged=self.damaged, unreadable=self.unreadable)

    def counted(self) -> DdlCounted:
        """Return the number of statements by outcome."""
        sides, outcomes = list(ProcessSide), list(Outcome)
        ordered = sorted(self._outcomes.items(), key=lambda item: (sides.index(item[0][0]), outcomes.index(item[0][1])))
        return DdlCounted(self.statements, tuple((side, outcome, number) for (side, outcome), number in ordered))


def run_ddl(session: Session, options: DdlOptions) -> Iterator[Event]:
    """Evaluate DDL statements against the parameter files in use; nothing is executed, the read position stays."""
    parameters = parameters_in_use(session)
    if parameters.extract is None and parameters.replicat is None:
        raise CommandError("No parameter file of an Extract or Replicat is in use. PARAMS <file> reads one.")
    evaluating = Evaluating(session, options, parameters)
    if options.text is not None:
        yield from evaluating.evaluated(subject_of(options.text, owner=options.owner), parameters)
        if options.left_out:
            yield evaluating.counted()
        return
    if parameters.extract is not None:
        yield say(_IN_THE_TRAIL)

    def results(reading: Reading) -> Iterator[Event]:
        if evaluating.statements == 0 and not reading.is_partial:
            raise CommandError("No DDL statement from here to the end.")
        if options.most != 1 or reading.is_partial:
            yield evaluating.counted()

    yield from answered(_over_files(session, options, evaluating), evaluating.reading, results)


def _over_files(session: Session, options: DdlOptions, evaluating: Evaluating) -> Iterator[Event]:
    """Evaluate the open file from the read position (ACROSS: and the files after it), or the files that OVER names."""
    if options.over is None:
        _, *paths = files_from(session)
        evaluating.shows_file = bool(paths)
        yield from evaluating.run(session.trail, session.cursor.next)
    else:
        paths = matching_files(options.over)
        evaluating.shows_file = True
    for path in paths:
        if evaluating.is_done:
            return
        try:
            with TrailFile(path) as trail:
                yield from evaluating.run(trail, 0)
        except NotATrail as error:
            evaluating.unreadable += 1
            yield Notice((f"{error}: not read",), bad=Bad(error))


COMMANDS = (
    Command(
        "DDL",
        AnyOrder(
            _options,
            {
                "most": Alternatives[Any](Number("<count>", least=1), OneOf({"ALL": None})),
                "over": Keyword("OVER", File("<wildcard>")),
                "text": Keyword("TEXT", _QuotedStatement('"<statement>"')),
            },
            {
                "owner": Keyword("OWNER", Word("<schema>")),
                "steps": OneOf({"STEPS": True}),
                "left_out": OneOf({"LEFTOUT": True}),
                "error": Keyword("WHATIF", Keyword("ERROR", Word("<code>"), wrong="WHATIF takes ERROR and a code.")),
                "strict": OneOf({"STRICT": True}),
            },
            wrong="{!r} is not a count and none of ALL, OVER, TEXT, OWNER, STEPS, LEFTOUT, WHATIF ERROR, STRICT.",
        ),
        "Show how Extract and Replicat would process DDL statements",
        run_ddl,
        details=(
            "The parameter files are those of PARAMS. The next <count> DDL records, or ALL, from the position on,",
            "through the filter; OVER reads files from their beginning. TEXT is a statement, with its quotes doubled,",
            "and OWNER <schema> the schema of names without one. STEPS shows each step with its rule, and the result;",
            "LEFTOUT: only statements that are not replicated. WHATIF ERROR <code>: how DDLERROR treats an error.",
            "STRICT: exit status 3 if a statement is not replicated. Nothing is executed, and the position stays.",
            'docs/ddl.md lists the steps and their sources. Example: DDL TEXT "drop table t" OWNER hr STEPS',
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
