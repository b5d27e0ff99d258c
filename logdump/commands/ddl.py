"""DDL: what Extract and Replicat would make of the DDL statements of a trail, or of one given as text."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Generator, Iterator
from typing import NamedTuple

from logdump.commands.params import parameters_in_use
from logdump.language.arguments import number
from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.operations.ddl.evaluation import ParametersInUse, evaluate
from logdump.operations.ddl.subject import Subject, subject_of
from logdump.operations.ddl.trail_statements import ddl_records, subject_of_record
from logdump.operations.matching_files import matching_files
from logdump.session.errors import CommandError
from logdump.session.evaluation import DdlCounted, DdlEvaluated, Outcome, Side
from logdump.session.events import Event, Notice, say
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session
from trailformat import Record, TrailFile

_TEXT = re.compile(r'(?:^|\s)TEXT\s*"((?:[^"]|"")*+)"', re.IGNORECASE)
_WORDS = ("ALL", "OVER", "TEXT", "OWNER", "STEPS", "WHATIF", "ERROR", "LEFTOUT", "STRICT")
_IN_THE_TRAIL = (
    "These statements stand in the trail: an Extract has let them through already, and changed them in its steps 7, 8, "
    "11 and 12. What one has left out is not here."
)


class DdlOptions(NamedTuple):
    """What a line of DDL asks for; ``most`` None where all statements are evaluated."""

    most: int | None = 1
    over: str | None = None
    text: str | None = None
    owner: str = ""
    steps: bool = False
    error: str | None = None
    left_out: bool = False
    strict: bool = False


def parse_ddl_options(arguments: str) -> DdlOptions:
    """The options in ``arguments``, words in any order.

    Raises:
        ArgumentError: an unknown word, a missing value, or options that do not fit together.
    """
    values: dict[str, object] = {}
    if found := _TEXT.search(arguments):
        values["text"] = found[1].replace('""', '"')
        arguments = f"{arguments[: found.start()]} {arguments[found.end() :]}"
    words = split_words(arguments)
    while words:
        word = words.pop(0)
        name, value = _option(word, words)
        if name in values:
            raise ArgumentError(f"{word.upper()} is given twice.")
        values[name] = value
    if "over" in values or "left_out" in values:
        values.setdefault("most", None)
    options = DdlOptions(**values)  # type: ignore[arg-type]
    if options.text is not None and ({"over", "most"} & values.keys()):
        raise ArgumentError("TEXT is one statement: no count and no OVER go with it.")
    if options.owner and options.text is None:
        raise ArgumentError("OWNER goes with TEXT.")
    return options


_FLAGS = {"STEPS": "steps", "LEFTOUT": "left_out", "STRICT": "strict"}
_VALUES = {"OVER": "over", "OWNER": "owner"}


def _option(word: str, words: list[str]) -> tuple[str, object]:
    upper = word.upper()
    if upper in _FLAGS:
        return _FLAGS[upper], True
    if upper == "ALL":
        return "most", None
    if upper in _VALUES:
        return _VALUES[upper], _value(upper, words)
    if upper == "WHATIF":
        if not words or words.pop(0).upper() != "ERROR":
            raise ArgumentError("WHATIF takes ERROR and a code.")
        return "error", _value("WHATIF ERROR", words)
    if word.isdigit():
        return "most", number(word, least=1)
    if upper == "TEXT":
        raise ArgumentError('TEXT takes a statement in double quotes, each in it doubled: TEXT "drop table t".')
    raise ArgumentError(f"{word!r} is not one of {', '.join(_WORDS)}.")


def _value(option: str, words: list[str]) -> str:
    if not words:
        raise ArgumentError(f"{option} takes a value.")
    return words.pop(0)


class Evaluating:
    """One run of DDL; the outcomes are those of all statements, shown or not."""

    def __init__(self, session: Session, options: DdlOptions, parameters: ParametersInUse) -> None:
        self._session = session
        self._options = options
        self._parameters = parameters
        self.statements = 0
        self._outcomes: Counter[tuple[Side, Outcome]] = Counter()

    @property
    def is_done(self) -> bool:
        """Whether so many statements have been evaluated as were asked for."""
        return self._options.most is not None and self.statements >= self._options.most

    def run(self, trail: TrailFile, start: int) -> Generator[Event, None, None]:
        """Evaluate the statements of a file from an RBA on."""
        selection = self._session.selection(trail)
        for one in ddl_records(trail, start, selection, self._session.settings.notify):
            if isinstance(one, Record):
                yield from self._of_record(trail, one)
                if self.is_done:
                    return
            else:
                yield one

    def _of_record(self, trail: TrailFile, record: Record) -> Iterator[Event]:
        for result in self.evaluated(subject_of_record(trail, record)):
            shows_file = self._options.over is not None
            yield result._replace(path=trail.path, rba=record.rba, csn=record.csn, shows_file=shows_file)

    def evaluated(self, subject: Subject) -> Iterator[DdlEvaluated]:
        """What becomes of a statement; under LEFTOUT only where it does not get through."""
        self.statements += 1
        options = self._options
        for result in evaluate(subject, self._parameters, options.error):
            self._outcomes[result.side, result.outcome] += 1
            gets_through = result.outcome in (Outcome.APPLIED, Outcome.CAPTURED)
            if not (options.left_out and gets_through):
                yield result._replace(shows_steps=options.steps, is_strict=options.strict)

    def counted(self) -> DdlCounted:
        """How many statements had which outcome."""
        sides, outcomes = list(Side), list(Outcome)
        ordered = sorted(self._outcomes.items(), key=lambda one: (sides.index(one[0][0]), outcomes.index(one[0][1])))
        return DdlCounted(self.statements, tuple((side, outcome, number) for (side, outcome), number in ordered))


def run_ddl(session: Session, arguments: str) -> Iterator[Event]:
    """Evaluate DDL statements against the parameter files in use; nothing is executed, and the position stays."""
    options = parse_ddl_options(arguments)
    parameters = parameters_in_use(session)
    if parameters.extract is None and parameters.replicat is None:
        raise CommandError("No parameter file of an Extract or Replicat is in use. PARAMS <file> reads one.")
    evaluating = Evaluating(session, options, parameters)
    if options.text is not None:
        yield from evaluating.evaluated(subject_of(options.text, owner=options.owner))
        return
    if parameters.extract is not None:
        yield say(_IN_THE_TRAIL)
    try:
        yield from _over_files(session, options, evaluating)
    except KeyboardInterrupt:
        yield evaluating.counted()
        yield Notice((f"Stopped after {evaluating.statements} statements: this is partial.",), ExitStatus.INTERRUPTED)
        raise
    if evaluating.statements == 0:
        raise CommandError("No DDL statement from here to the end.")
    if options.most != 1:
        yield evaluating.counted()


def _over_files(session: Session, options: DdlOptions, evaluating: Evaluating) -> Iterator[Event]:
    if options.over is None:
        yield from evaluating.run(session.trail, session.cursor.next)
        return
    for path in matching_files(options.over):
        with contextlib.closing(TrailFile(path)) as trail:
            yield from evaluating.run(trail, 0)
        if evaluating.is_done:
            return


COMMANDS = (
    Command(
        "DDL",
        'DDL [<count> | ALL] [OVER <wildcard>] [TEXT "<statement>" [OWNER <schema>]] [<options>]',
        "Tell what Extract and Replicat would make of DDL statements",
        run_ddl,
        options=_WORDS,
        details=(
            "The parameter files are those of PARAMS. The next <count> DDL records, or ALL, from the position on,",
            "through the filter; OVER reads files from their beginning. TEXT: a statement, its double quotes doubled.",
            "STEPS shows each step with its rule, and the statement that comes out; LEFTOUT what does not get through.",
            "WHATIF ERROR <code> tells what DDLERROR makes of an error. STRICT: exit status 3 where one does not get",
            "through. Nothing is executed, and the position stays. docs/ddl.md tells the steps and what they rest on.",
        ),
        origin=Origin.OURS,
    ),
)
