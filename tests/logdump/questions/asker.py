"""What answers questions: how it is asked, which questions it understands, and what its answer is of the records."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.logdump.line import Line
from tests.logdump.questions.question import Feature, Holds, Question
from tests.simulated.plain_reader import PlainRecord

Ask = Callable[[Path, Question, Path], Any]
"""Puts a question about a file, with a folder for what is written; returns the answer."""
EVERYTHING = Feature.FILTER | Feature.START | Feature.LIMIT | Feature.REVERSE | Feature.CUT
FORWARD = EVERYTHING & ~Feature.REVERSE


class Asker(NamedTuple):
    """One way to ask.

    Attributes:
        ask: puts the question.
        expects: what the answer should be where these are the records that the question is about.
        takes: what it understands.
        counts: the records that a limit counts; None for all that pass.
    """

    ask: Ask
    expects: Callable[[Sequence[PlainRecord]], Any]
    takes: Feature
    counts: Holds | None = None

    def understands(self, question: Question) -> bool:
        """Whether it has an answer."""
        return question.features in self.takes


def opened(path: Path, question: Question) -> Line:
    """A session in which the file is open, with the question's filter and definitions; it ends with the last use."""
    line = Line()
    weakref.finalize(line, line.session.close)
    line(f"{question.settings}; open {path}")
    assert not line.failures, line.failures
    return line


def placed(path: Path, question: Question) -> Line:
    """The same, at the place where the question begins."""
    line = opened(path, question)
    line(question.place)
    return line


def is_body(record: PlainRecord) -> bool:
    """Whether it is no file header."""
    return not record.is_header
