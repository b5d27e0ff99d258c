"""The tree of a parameter file: a node for each statement, whose rule names file and line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from logdump.parameters.model import ProcessSide, Rule
from logdump.parameters.names import NamePart, NamePattern


class ClauseOption(NamedTuple):
    """One option of a clause, with its values: words, texts, names.

    ``unknown`` says which word of it is not known, and the nearest one; empty if all are known. ``line`` is its line.
    """

    word: str
    values: tuple[str, ...] = ()
    names: tuple[NamePattern, ...] = ()
    unknown: str = ""
    line: int = 0

    @property
    def is_known(self) -> bool:
        """True if its meaning is known."""
        return not self.unknown

    @property
    def text(self) -> str:
        """The option as text."""
        return " ".join([self.word, *self.values, *(name.text for name in self.names)])


class Clause(NamedTuple):
    """INCLUDE or EXCLUDE with its options, all of which must be true."""

    includes: bool
    options: tuple[ClauseOption, ...]
    rule: Rule

    @property
    def unknown(self) -> str:
        """The unknown words of its options, in words; empty without one."""
        return next((option.unknown for option in self.options if option.unknown), "")

    def option(self, word: str) -> ClauseOption | None:
        """Return the first option with this word; None if there is none."""
        return next((option for option in self.options if option.word == word), None)


class Ddl(NamedTuple):
    """DDL with its clauses; ``unknown`` is a word in it that is not understood."""

    rule: Rule
    clauses: tuple[Clause, ...]
    unknown: str | None = None


class Substitution(NamedTuple):
    """DDLSUBST: a text and its replacement, for statements that the clauses select."""

    rule: Rule
    search: str
    replacement: str
    clauses: tuple[Clause, ...]
    unknown: str | None = None


class ErrorRule(NamedTuple):
    """DDLERROR of a Replicat: an error code without its leading zeros, or DEFAULT, and the response to it."""

    rule: Rule
    code: str
    response: str
    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    unknown: str | None = None


class DdlOption(NamedTuple):
    """One option of DDLOPTIONS, with the words or names after it."""

    rule: Rule
    word: str
    values: tuple[str, ...] = ()
    names: tuple[NamePattern, ...] = ()
    is_known: bool = True


class Taker(NamedTuple):
    """TABLE or MAP: the source, the target (None of most TABLEs), the words of its options."""

    rule: Rule
    keyword: str
    source: NamePattern
    target: NamePattern | None
    options: tuple[str, ...]


class Exclusion(NamedTuple):
    """TABLEEXCLUDE, MAPEXCLUDE, SCHEMAEXCLUDE or CATALOGEXCLUDE."""

    rule: Rule
    keyword: str
    pattern: NamePattern


class OutputTrail(NamedTuple):
    """EXTTRAIL, RMTTRAIL, EXTFILE or RMTFILE: the trail for the TABLE statements after it.

    ``host`` is the line of the RMTHOST before a remote trail: the same name on two hosts is two trails.
    """

    rule: Rule
    keyword: str
    name: str
    host: int = 0

    @property
    def bare_name(self) -> str:
        """The name without its folder, with which the names of the trail's files begin."""
        return self.name.replace("\\", "/").rpartition("/")[2]


class Switch(NamedTuple):
    """A keyword, possibly with a value, that is evaluated."""

    rule: Rule
    keyword: str
    value: str = ""
    part: NamePart | None = None


class Other(NamedTuple):
    """A statement that is not evaluated, as text; ``reason`` if it might matter."""

    rule: Rule
    keyword: str
    reason: str = ""


Node = Ddl | Substitution | ErrorRule | DdlOption | Taker | Exclusion | OutputTrail | Switch | Other
T = TypeVar("T", bound=Node)


class ParameterFile(NamedTuple):
    """A parameter file that has been read: its nodes in order, and notes on doubts about them."""

    path: Path
    side: ProcessSide
    group: str
    nodes: tuple[Node, ...]
    notes: tuple[str, ...]

    def of(self, kind: type[T]) -> list[T]:
        """Return the nodes of one kind, in order."""
        return [node for node in self.nodes if isinstance(node, kind)]

    @property
    def trails(self) -> list[OutputTrail]:
        """The trails that it writes, each once, by its first statement."""
        trails: dict[tuple[str, int], OutputTrail] = {}
        for trail in self.of(OutputTrail):
            trails.setdefault((trail.name, trail.host), trail)
        return list(trails.values())

    def by_trail(self) -> Iterator[tuple[str | None, ParameterFile]]:
        """Yield each trail's name with the file's part for it; None and the file if it names no trail."""
        for trail in self.trails:
            yield trail.name, self.for_trails([trail])
        if not self.trails:
            yield None, self

    def for_trails(self, wanted: Collection[OutputTrail]) -> ParameterFile:
        """Return the file with only those TABLE and exclusion statements that are for these trails.

        A statement belongs to the trail before it. An exclusion before the first trail is for all trails, a TABLE there
        for none. If the file writes one trail, every statement is for that one.
        """
        if len(self.trails) <= 1:
            return self
        keys, nodes, trail = {(output_trail.name, output_trail.host) for output_trail in wanted}, list[Node](), None
        for node in self.nodes:
            if isinstance(node, OutputTrail):
                trail = node.name, node.host
            is_bound = isinstance(node, Taker | OutputTrail) or (isinstance(node, Exclusion) and trail is not None)
            if not is_bound or trail in keys:
                nodes.append(node)
            elif isinstance(node, Taker) and trail is None:
                nodes.append(Other(node.rule, node.keyword, "it is before the first trail"))
        return self._replace(nodes=tuple(nodes))

    @property
    def ddl(self) -> Ddl | None:
        """The DDL parameter; None if there is none."""
        return next(iter(self.of(Ddl)), None)

    def options_named(self, word: str) -> list[DdlOption]:
        """Return the options of DDLOPTIONS with this word, in order."""
        return [option for option in self.of(DdlOption) if option.word == word]

    def option(self, *words: str) -> DdlOption | None:
        """Return the last option of DDLOPTIONS that is one of these words."""
        return next((option for option in reversed(self.of(DdlOption)) if option.word in words), None)

    def has(self, *keywords: str) -> bool:
        """Return True if the file has one of these keywords."""
        return any(isinstance(node, Switch | Other) and node.keyword in keywords for node in self.nodes)


class OptionValue(NamedTuple):
    """The word after an option, empty without one, and the statement of the option."""

    word: str
    rule: Rule


def options_of(file: ParameterFile | None, keyword: str, *options: str) -> Iterator[OptionValue | None]:
    """Yield the value of each option in the last statement of a keyword; None if the option is missing."""
    rules = [node.rule for node in file.of(Other) if node.keyword == keyword] if file is not None else []
    yield from options_in(rules[-1], *options) if rules else (None for _ in options)


def options_in(rule: Rule, *options: str) -> Iterator[OptionValue | None]:
    """Yield the value of each option in one statement; None if the option is missing."""
    for option in options:
        match = re.search(rf"\b{option}\b[\s=]*([^\s,;]*)", rule.text, re.IGNORECASE)
        yield OptionValue(match[1], rule) if match is not None else None
