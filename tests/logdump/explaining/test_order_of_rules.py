"""Where two rules hold, the first one gives the verdict: each pair of them that can hold at once.

The verdict of EXPLAIN DDL: of two rules that both hold, the first in the list is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest

from fixtures.flavour import ORACLE_12
from logdump.features.bounded_recovery.model import BeginSource, TransactionInterval
from logdump.features.ddl.model import Outcome
from logdump.features.explain import ddl
from logdump.features.explain import lag as lag_rules
from logdump.features.explain.ddl import RULES, DdlFacts
from logdump.features.explain.lag import LagFacts
from logdump.features.explain.lag_facts import BeatFacts, ClockLag, PassedBeat, TrailFacts
from logdump.features.explain.model import Explained, VerdictRule, conclusion
from logdump.features.heartbeat.model import BeatPlace, Gap
from logdump.parameters.model import ProcessSide
from tests.logdump.line import Line
from tests.searching import Random
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from tests.simulated.recovery import Kill, RecoveringExtract
from tests.simulated.source import Source
from trailformat import TrailFile
from trailformat.records.record_header import FIRST, RESTART_ABEND, RESTART_OK
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Restart

OUTCOMES = {
    "left_out": [Outcome.LEFT_OUT, Outcome.IGNORED, Outcome.DISCARDED],
    "unsure": [Outcome.UNKNOWN],
    "all_through": [Outcome.APPLIED],
}


def facts(*names: str) -> DdlFacts:
    outcomes = Counter({(ProcessSide.REPLICAT, outcome): 1 for name in names for outcome in OUTCOMES.get(name, ())})
    return DdlFacts(0 if "no_ddl" in names else 3, outcomes, int("abends_on_error" in names))


ORDER = ("no_ddl", "left_out", "unsure", "abends_on_error", "all_through")
PAIRS = [(first, second) for number, first in enumerate(ORDER) for second in ORDER[number + 1 :]]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_of_two_rules_that_hold_the_first_is_told(first: str, second: str) -> None:
    both = facts(first, second)
    holding = [rule.name for rule in RULES if rule.verdict(both) is not None]
    assert {first, second} <= set(holding)
    assert conclusion(RULES, both).rule == first


SECOND = 1_000_000
MINUTE = 60 * SECOND
HERE = FilePosition(Path("hb000000000"), 2374)

LAG_ORDER = (
    *("no_heartbeat", "trail_ends", "extract_down", "beats_missing", "clocks_differ", "no_lag", "waits_for_commit"),
    *("one_hop", "several_hops"),
)
"""As docs/explain.md lists them."""
LAG_PAIRS = {
    ("no_heartbeat", "several_hops"),
    *(("trail_ends", other) for other in LAG_ORDER[2:]),
    ("extract_down", "beats_missing"),
    *(("extract_down", other) for other in ("no_lag", "waits_for_commit", "one_hop", "clocks_differ", "several_hops")),
    ("beats_missing", "several_hops"),
    *(("clocks_differ", other) for other in ("no_lag", "waits_for_commit", "one_hop", "several_hops")),
    *(("no_lag", other) for other in ("waits_for_commit", "one_hop", "several_hops")),
    *(("waits_for_commit", other) for other in ("one_hop", "several_hops")),
    ("one_hop", "several_hops"),
}
"""Those that can hold at once."""


def passed(time: int, extract: int, routing: int) -> PassedBeat:
    return PassedBeat(time, HERE, {"extract_lag": extract, "routing_lag": routing}, time + extract)


def lag_facts() -> Iterator[LagFacts]:
    """Beats with each kind of lag, with and without missing ones, restarts and a long transaction."""
    rising, slowly = (
        tuple(passed(minute * MINUTE, minute * rate * SECOND, 0) for minute in (5, 6, 7, 8)) for rate in (5, 1)
    )
    chosen = (
        *(
            passed(9 * MINUTE, lag * SECOND, other * SECOND)
            for lag, other in ((9, 0), (2, 1), (45, 1), (1, 45), (20, 20))
        ),
        *(passed(9 * MINUTE, lag * SECOND, other * SECOND) for lag, other in ((45, -5), (9, -1), (-1, 2))),
        None,
    )
    last, following = (BeatPlace(minute * MINUTE, HERE, minute * MINUTE) for minute in (8, 20))
    gaps = (None, Gap(last, following, 11, following.time))
    restarts = ((), (Restart(HERE, RESTART_OK, 9 * MINUTE + SECOND),))
    long = TransactionInterval(
        "1", "1.1.1", None, 0, BeginSource.OPERATIONS, 60 * MINUTE, None, None, HERE, 3, 100, HERE
    )
    for beat, before, gap, restart, longest in product(chosen, ((), rising, slowly), gaps, restarts, (None, long)):
        for at, ends in product((None, 10 * MINUTE), (None, (9 * MINUTE, 20 * MINUTE))):
            trail = TrailFacts(restart, len(restart), None, 0, 0, 0, None, longest, 0, None, 0)
            beats = BeatFacts(beat, before, gap, int(gap is not None), int(beat is not None), ends)
            yield LagFacts(at, beats, trail, ClockLag(0, SECOND, HERE), 0)


def held(rules: Iterable[VerdictRule[Any]], facts: object) -> set[str]:
    return {rule.name for rule in rules if rule.verdict(facts) is not None}


def pairs_in_order(
    rules: Iterable[VerdictRule[Any]], order: tuple[str, ...], all_facts: Iterable[object]
) -> set[tuple[str, ...]]:
    """See that the verdict is that of the first in ``order`` that holds; returns the pairs that did."""
    found: set[tuple[str, ...]] = set()
    for facts in all_facts:
        names = [name for name in order if name in held(rules, facts)]
        assert conclusion(rules, facts).rule == names[0]
        found |= set(combinations(names, 2))
    return found


def test_of_two_reasons_for_a_lag_the_first_is_given() -> None:
    assert {rule.name for rule in lag_rules.RULES} == set(LAG_ORDER)
    assert pairs_in_order(lag_rules.RULES, LAG_ORDER, lag_facts()) >= LAG_PAIRS


DDL_ORDER = ("no_ddl", "left_out", "unsure", "abends_on_error", "all_through")


def ddl_facts() -> Iterator[DdlFacts]:
    outcomes = (Outcome.LEFT_OUT, Outcome.UNKNOWN, Outcome.APPLIED)
    for numbers, abends in product(product((0, 1), repeat=3), (0, 1)):
        counted = {(ProcessSide.REPLICAT, outcome): number for outcome, number in zip(outcomes, numbers, strict=True)}
        yield DdlFacts(sum(numbers), Counter(counted), abends)


def test_of_two_outcomes_of_ddl_the_first_is_given() -> None:
    found = pairs_in_order(ddl.RULES, DDL_ORDER, ddl_facts())
    assert found >= set(combinations(DDL_ORDER[1:], 2))


RESTART_ORDER = ("nothing_whole", "damaged", "inside", "lost", "twice", "safe")


class Afflicted(RecoveringExtract):
    """An Extract whose trail can have a transaction that is lost, one that comes twice, and damage."""

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        super().__init__(folder, Random(7), ORACLE_12, roll_chance=0)
        source = Source(Random(7), ORACLE_12.teas)
        done = [source.transaction() for _ in range(3)]
        for changes in done:
            self.whole(changes)
        if "twice" in names:
            self.whole(done[-1], 3)
        if "lost" in names:
            self.begin()
            self.fail(source.transaction() * 2, Kill(1, rolls=False, marker=RESTART_ABEND))
        for _ in range(4):
            self.whole(source.transaction() * 2)
        self.close()


def damage_last_row(path: Path) -> None:
    with TrailFile(path) as trail:
        *_, last = trail.records()
    content = bytearray(path.read_bytes())
    content[last.rba : last.rba + last.length // 2] = bytes(last.length // 2)
    path.write_bytes(content)


def place_inside(path: Path) -> int:
    """An RBA behind the first record of a transaction that is whole."""
    with TrailFile(path) as trail:
        rows = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
    return next(
        later.rba
        for record, later in reversed(list(pairwise(rows[:-3])))
        if record.header.trans_ind == FIRST and later.header.trans_ind != FIRST
    )


SUBSETS: list[tuple[str, ...]] = [
    names for number in range(5) for names in combinations(("damaged", "inside", "lost", "twice"), number)
]


@pytest.mark.parametrize("names", SUBSETS, ids=lambda names: "+".join(names) or "nothing")
def test_of_two_reasons_against_a_restart_the_first_is_given(
    names: tuple[str, ...], line: Line, tmp_path: Path
) -> None:
    path = Afflicted(tmp_path, names).paths[-1]
    where = f" at {int(path.name[-9:])} {place_inside(path)}" if "inside" in names else ""
    if "damaged" in names:
        damage_last_row(path)
    line(f"open {path}; explain restart{where}")
    shown = next(event for event in line.events if isinstance(event, Explained))
    assert shown.verdict.rule == next(name for name in RESTART_ORDER if name in (*names, "safe"))


def test_where_nothing_is_whole_that_goes_before_damage(line: Line, tmp_path: Path) -> None:
    path = write_trail(tmp_path / "br000000000", [Worked(1, (HOUR,), HOUR)])
    damage_last_row(path)
    line(f"open {path}; explain restart")
    assert next(event for event in line.events if isinstance(event, Explained)).verdict.rule == "nothing_whole"
