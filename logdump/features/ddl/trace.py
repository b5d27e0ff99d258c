"""The evaluation of one statement: the state that its steps read and change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from logdump.features.ddl.mapping import not_converted
from logdump.features.ddl.model import DdlEvaluated, Outcome, StepResult
from logdump.features.ddl.statement import OLD_NAMES, DdlSubject
from logdump.parameters.model import ProcessSide, Rule
from logdump.parameters.names import NamePattern, ObjectName
from logdump.parameters.not_used import ParameterUse, StatementInQuestion, not_used
from logdump.parameters.tree import Clause, ClauseOption, ErrorRule, ParameterFile, Taker

_QUOTED_OR_WORD = re.compile(r'"([^"]*)"|(\S+)')


class ClauseInput(NamedTuple):
    """The input of clauses: the statement, its scope, its current text and comments, its target name.

    ``target`` is the name that MAP gives to the base; None if it gives none, and in Extract.
    """

    subject: DdlSubject
    scope: str
    text: str
    comments: Sequence[str]
    target: ObjectName | None = None


class ClauseVerdict(NamedTuple):
    """The verdict of clauses, the value of each, and the clause that decided, if one did."""

    verdict: bool | None
    truths: tuple[tuple[Clause, bool | None], ...]
    decisive: Clause | None


def judge(clauses: Sequence[Clause], viewed: ClauseInput, *, needs_include: bool) -> ClauseVerdict:
    """Evaluate clauses in any order: a true EXCLUDE takes precedence over a true INCLUDE.

    Args:
        clauses: all clauses of one parameter; without clauses everything gets through.
        viewed: the statement.
        needs_include: True if nothing gets through when all clauses are EXCLUDE.
    """
    truths = tuple(
        (clause, _all_of(_option(option, clause, viewed) for option in clause.options)) for clause in clauses
    )
    excludes = [(clause, truth) for clause, truth in truths if not clause.includes]
    includes = [(clause, truth) for clause, truth in truths if clause.includes]
    if excluding := [clause for clause, truth in excludes if truth]:
        return ClauseVerdict(verdict=False, truths=truths, decisive=excluding[0])
    if including := [clause for clause, truth in includes if truth]:
        return ClauseVerdict(None if any(truth is None for _, truth in excludes) else True, truths, including[0])
    if any(truth is None for _, truth in truths):
        return ClauseVerdict(None, truths, None)
    return ClauseVerdict(not includes and (not truths or not needs_include), truths, None)


def _all_of(truths: Iterable[bool | None]) -> bool | None:
    """Three-valued AND: None is unknown."""
    values = list(truths)
    if False in values:
        return False
    return None if None in values else True


def _any_of(truths: Iterable[bool | None]) -> bool | None:
    """Three-valued OR: None is unknown."""
    values = list(truths)
    if True in values:
        return True
    return None if None in values else False


def _option(option: ClauseOption, clause: Clause, viewed: ClauseInput) -> bool | None:
    if not option.is_known:
        return None
    holds = _HOLDS.get(option.word)
    return True if holds is None else holds(option, clause, viewed)


def _scope(option: ClauseOption, _clause: Clause, viewed: ClauseInput) -> bool:
    return viewed.scope == option.word


def _operation(option: ClauseOption, _clause: Clause, viewed: ClauseInput) -> bool:
    """Match the operation; a RENAME counts as an ALTER too, and an ALTER … RENAME as a RENAME."""
    subject = viewed.subject
    is_one = {subject.operation, *(("ALTER", "RENAME") if subject.is_rename else ())}
    return any(value == "*" or value.upper() in is_one for value in option.values)


def _type(option: ClauseOption, _clause: Clause, viewed: ClauseInput) -> bool:
    wanted = (" ".join(value.upper().split()) for value in option.values)
    return any(name == "*" or OLD_NAMES.get(name, name) == viewed.subject.object_type for name in wanted)


def _name(option: ClauseOption, clause: Clause, viewed: ClauseInput) -> bool | None:
    """Match the base name, or with MAPPED in a Replicat the name that MAP gives to it."""
    name = viewed.subject.base
    if viewed.target is not None and clause.option("MAPPED"):
        name = viewed.target
    if name is None and viewed.subject.derived is not None:
        return None
    words = {"ALLOWEMPTYOBJECT": "name", "ALLOWEMPTYOWNER": "owner"}
    any_empty = [part for word, part in words.items() if clause.option(word)]
    return _any_of(_fits(pattern, name or ObjectName(""), any_empty) for pattern in option.names)


def _fits(pattern: NamePattern, name: ObjectName, any_empty: list[str]) -> bool | None:
    """Match a name; an unqualified pattern is in the login's schema, which is unknown, but a lone ``*`` matches all."""
    if len(pattern.parts) > 1:
        return pattern.fits(name, any_empty=any_empty)
    (last,) = pattern.parts
    if last.text == "*" and name.name:
        return True
    return None if name.name and last.fits(name.name, is_plain="name" in name.plain) else False


def _catalog(option: ClauseOption, _clause: Clause, viewed: ClauseInput) -> bool | None:
    catalog = viewed.subject.base.catalog if viewed.subject.base else ""
    return any(pattern.parts[-1].fits(catalog) for pattern in option.names) if catalog else None


def _in(option: ClauseOption, text: str) -> bool:
    return option.values[0].lower() in text.lower()


def _words_in(option: ClauseOption, text: str) -> bool:
    """Return True if every word is in the text; quoted words count as one."""
    wanted = (match[1] or match[2] for match in _QUOTED_OR_WORD.finditer(option.values[0].lower()))
    return all(word in text.lower() for word in wanted if word)


_HOLDS: dict[str, Callable[[ClauseOption, Clause, ClauseInput], bool | None]] = {
    **dict.fromkeys(("MAPPED", "UNMAPPED", "OTHER"), _scope),
    "OPTYPE": _operation,
    "OBJTYPE": _type,
    "OBJNAME": _name,
    "SOURCECATALOG": _catalog,
    "INSTR": lambda option, _, viewed: _in(option, viewed.text),
    "INSTRWORDS": lambda option, _, viewed: _words_in(option, viewed.text),
    "INSTRCOMMENTS": lambda option, _, viewed: any(_in(option, comment) for comment in viewed.comments),
    "INSTRCOMMENTSWORDS": lambda option, _, viewed: _words_in(option, "\n".join(viewed.comments)),
}
"""The conditions of clauses by option; other options are no conditions."""


_FIRST_OF_RULES = 5
"""Before this step only a data pump, a missing DDL parameter or IGNOREREPLICATES ends an evaluation."""
Take = Callable[["Trace"], None]


class Step(NamedTuple):
    """A step of Oracle's list: its number, its title, its function, and the entries of the list that it covers."""

    number: int
    what: str
    take: Take
    rows: tuple[str, ...]


class Trace:
    """The passage of one statement through the steps of one side, for one of its targets.

    Attributes:
        subject: the statement as read.
        file: the parameter file; ``globals`` is GLOBALS, if set.
        text: the statement after the steps so far, ``sql`` its tokenizer; ``comments`` are its original comments.
        scope: MAPPED, UNMAPPED or OTHER; empty until a step sets it.
        taker: the chosen MAP statement; ``base_target`` and ``derived_target`` are the names that it gives.
        error: the code of the assumed error; ``target`` is the number of the target among several.
        outcome: None until a step ends the evaluation.
        is_written: True if a statement is written; ``chosen`` is the rule for the error.
    """

    def __init__(
        self,
        subject: DdlSubject,
        file: ParameterFile,
        *,
        globals_: ParameterFile | None = None,
        taker: Taker | None = None,
        error: str | None = None,
        target: int | None = None,
    ) -> None:
        self.subject = subject
        self.file = file
        self.globals = globals_
        self.text = subject.text
        self.sql = subject.sql
        self.comments: Sequence[str] = ()
        self.scope = ""
        self.taker = taker
        self.base_target: ObjectName | None = None
        self.derived_target: ObjectName | None = None
        self.session_schema: str | None = None
        self.error = error
        self.target = target
        self.outcome: Outcome | None = None
        self.is_written = False
        self.chosen: ErrorRule | None = None
        self._number = 0
        self._what = ""
        self._steps = list[StepResult]()
        self._problems = list(subject.problems)
        self._deciding: Rule | None = None
        self._reason = ""
        self._plain_of, self._plain = "", ""
        self._actions = dict[str, None]()
        self._stays = False

    def run(self, steps: Sequence[Step]) -> DdlEvaluated:
        """Run the steps up to the one that decides, and return the result."""
        for step in steps:
            self._number, self._what = step.number, step.what
            step.take(self)
            if self.outcome is not None:
                break
        self._name_not_used()
        return self._result()

    def _name_not_used(self) -> None:
        """Add a problem for each statement of the files that would change this result and is not evaluated.

        Nothing is added if the statement was ignored or decided before _FIRST_OF_RULES.
        """
        if self.outcome is Outcome.IGNORED or self._number < _FIRST_OF_RULES:
            return
        subject = self.subject
        names = tuple(name for name in (subject.base, subject.derived) if name is not None)
        question = StatementInQuestion(subject.object_type, subject.text, names)
        answer = ParameterUse.CAPTURED if self.file.side is ProcessSide.EXTRACT else ParameterUse.APPLIED
        for file in (self.globals, self.file):
            for rule, reason in not_used(file, answer, question) if file is not None else ():
                self.doubt(f"{rule.text} ({self.at(rule)}) {reason}")

    def note(self, result: str, rule: Rule | None = None) -> None:
        """Record the result of this step."""
        self._steps.append(StepResult(self._number, self._what, result, rule))

    def doubt(self, problem: str) -> None:
        """Add a problem that makes the result doubtful."""
        if problem not in self._problems:
            self._problems.append(problem)

    def end(self, outcome: Outcome, reason: str, rule: Rule | None = None) -> None:
        """Set the outcome, which ends the evaluation after this step."""
        self.outcome, self._reason, self._deciding = outcome, reason, rule

    def at(self, rule: Rule) -> str:
        """Return the place of a rule: ``line 9``, after the path if it is not in the parameter file itself."""
        return f"line {rule.line}" if rule.path == self.file.path else f"{rule.path}, line {rule.line}"

    def judged(self, clauses: Sequence[Clause], *, needs_include: bool = False) -> ClauseVerdict:
        """Evaluate clauses for the current text; STAYMETADATA and EVENTACTIONS of true clauses are recorded."""
        if clauses and self._plain_of != self.text:
            self._plain_of, self._plain = self.text, self.sql.split_comments(self.text)[0]
        viewed = ClauseInput(self.subject, self.scope, self._plain, self.comments, self.base_target)
        judged = judge(clauses, viewed, needs_include=needs_include)
        if judge(clauses, viewed._replace(target=None), needs_include=needs_include).verdict != judged.verdict:
            self.doubt("OBJNAME beside MAPPED is taken as the name after TARGET: that is not verified")
        for clause, truth in judged.truths:
            if truth:
                self._stays |= clause.option("STAYMETADATA") is not None
                actions = clause.option("EVENTACTIONS") or clause.option("EVENTACTION")
                self._actions |= dict.fromkeys(" ".join(actions.values).upper().split() if actions else ())
        return judged

    def clauses_text(self, judged: ClauseVerdict) -> str:
        """Return the clauses with their values: ``INCLUDE MAPPED is true (line 9)``."""
        words = {True: "is true", False: "is false", None: "is not decided"}
        return "; ".join(
            f"{clause.rule.text} {words[truth]} ({self.at(clause.rule)})" for clause, truth in judged.truths
        )

    def _result(self) -> DdlEvaluated:
        subject = self.subject
        is_through = self.is_written
        leftover: tuple[str, ...] = ()
        if is_through and subject.base is not None and self.base_target is not None:
            leftover = not_converted(self.text, subject.base, self.base_target, self.sql)
        return DdlEvaluated(
            side=self.file.side,
            outcome=self.outcome or Outcome.UNKNOWN,
            operation=subject.operation,
            object_type=subject.object_type,
            title=subject.title,
            base=str(subject.base) if subject.base else None,
            derived=str(subject.derived) if subject.derived else None,
            scope=self.scope or None,
            step=self._number,
            rule=self._deciding,
            reason=self._reason,
            target=self.target,
            base_target=str(self.base_target) if self.base_target else None,
            derived_target=str(self.derived_target) if self.derived_target else None,
            session_schema=self.session_schema,
            statement=self.text if is_through else None,
            not_converted=leftover,
            event_actions=tuple(self._actions),
            stay_metadata=self._stays,
            steps=tuple(self._steps),
            problems=tuple(self._problems),
        )
