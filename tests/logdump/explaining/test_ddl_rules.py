"""The verdict of EXPLAIN DDL: of two rules that both hold, the first in the list is told."""

from __future__ import annotations

from collections import Counter

import pytest

from logdump.features.ddl.model import Outcome
from logdump.features.explain.ddl import RULES, DdlFacts
from logdump.features.explain.model import conclusion
from logdump.parameters.model import ProcessSide

OUTCOMES = {
    "left_out": [Outcome.LEFT_OUT, Outcome.IGNORED, Outcome.DISCARDED],
    "unsure": [Outcome.UNKNOWN],
    "all_through": [Outcome.APPLIED],
}


def facts(*names: str) -> DdlFacts:
    outcomes = Counter({(ProcessSide.REPLICAT, one): 1 for name in names for one in OUTCOMES.get(name, ())})
    return DdlFacts(0 if "no_ddl" in names else 3, outcomes, int("abends_on_error" in names))


ORDER = ("no_ddl", "left_out", "unsure", "abends_on_error", "all_through")
PAIRS = [(first, second) for number, first in enumerate(ORDER) for second in ORDER[number + 1 :]]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_of_two_rules_that_hold_the_first_is_told(first: str, second: str) -> None:
    both = facts(first, second)
    holding = [rule.name for rule in RULES if rule.verdict(both) is not None]
    assert {first, second} <= set(holding)
    assert conclusion(RULES, both).rule == first
