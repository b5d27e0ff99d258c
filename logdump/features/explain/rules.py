"""Rules that give a verdict: tables of them are tried in their order, the first that holds counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from logdump.features.explain.model import Conclusion, Phrase

F = TypeVar("F")


class VerdictRule(NamedTuple, Generic[F]):
    """A rule: its name, and the verdict where it holds."""

    name: str
    verdict: Callable[[F], Phrase | None]


def conclusion(rules: Iterable[VerdictRule[F]], facts: F) -> Conclusion:
    """The verdict of the first rule that holds; one of them always does."""
    found = ((rule.name, rule.verdict(facts)) for rule in rules)
    return next(Conclusion(name, text) for name, text in found if text is not None)
