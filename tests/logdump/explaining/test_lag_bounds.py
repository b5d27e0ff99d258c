"""The rules of EXPLAIN LAG at their bounds, and with several restarts, hops and beats to choose from."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from logdump.features.bounded_recovery.model import BeginSource, TransactionInterval
from logdump.features.explain.lag import RULES, LagFacts, restart_of
from logdump.features.explain.lag_facts import BeatFacts, PassedBeat, TrailFacts
from logdump.features.explain.model import Span, When, conclusion
from logdump.features.heartbeat.model import BeatPlace, Gap
from trailformat.records.record_header import RESTART_OK
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Restart

SECOND = 1_000_000
MINUTE = 60 * SECOND
HERE = FilePosition(Path("hb000000000"), 2374)
HOPS = ("extract_lag", "routing_lag", "replicat_read_lag", "replicat_lag")
LONG = TransactionInterval(None, "1.1.1", None, 0, BeginSource.OPERATIONS, 60 * MINUTE, None, None, HERE, 3, 100, HERE)


def beat(time: int, *hops: int) -> PassedBeat:
    """A beat with these lags of its hops, in microseconds."""
    return PassedBeat(time, HERE, dict(zip(HOPS, hops, strict=False)), time + hops[0])


def gap_of(begin: int, end: int) -> Gap:
    after, before = (BeatPlace(time, HERE, time) for time in (begin, end))
    return Gap(after, before, 11, end)


def facts_of(
    chosen: PassedBeat | None,
    *before: PassedBeat,
    gap: Gap | None = None,
    restarts: tuple[int, ...] = (),
    longest: TransactionInterval | None = None,
) -> LagFacts:
    found = tuple(Restart(HERE._replace(rba=at), RESTART_OK, time) for at, time in enumerate(restarts))
    trail = TrailFacts(found, len(found), None, 0, 0, 0, None, longest, 0, None, 0)
    return LagFacts(None, BeatFacts(chosen, before, gap, int(gap is not None), 1), trail, None, 0)


def told(facts: LagFacts) -> tuple[str, str]:
    """The rule and the text of the verdict; moments and lengths in minutes."""
    verdict = conclusion(RULES, facts)
    text = [
        f"<{part.julian / MINUTE:g}>"
        if isinstance(part, When)
        else f"{part.microseconds / MINUTE:g} min"
        if isinstance(part, Span)
        else part
        for part in verdict.text
    ]
    return verdict.rule, "".join(text)


@pytest.mark.parametrize(("more", "rule"), [(-1, "no_lag"), (0, "no_lag"), (1, "one_hop")])
def test_ten_seconds_are_no_lag(more: int, rule: str) -> None:
    assert told(facts_of(beat(9 * MINUTE, 10 * SECOND + more)))[0] == rule
    assert told(facts_of(beat(9 * MINUTE, 4 * SECOND + more, 6 * SECOND)))[0] == rule


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize(("more", "rule"), [(-1, "several_hops"), (0, "several_hops"), (1, "one_hop")])
def test_most_of_a_lag_is_more_than_half_of_it(more: int, rule: str, order: tuple[int, ...]) -> None:
    lags = (30 * SECOND + more, 20 * SECOND, 10 * SECOND)
    shown, text = told(facts_of(beat(9 * MINUTE, *(lags[at] for at in order))))
    assert shown == rule
    places = ("Extract", "the pump or distribution path", "Replicat, before it reads")
    if rule == "one_hop":
        assert text.startswith(f"Most of the lag is in {places[order.index(0)]}: ")
    else:
        hops = ", ".join(f"{place} {lags[at] / SECOND:.3f} s" for place, at in zip(places, order, strict=True))
        assert text == f"The {sum(lags) / SECOND:.3f} s are spread: {hops}."


@pytest.mark.parametrize("least", [0, 1, 2])
def test_a_lag_that_is_spread_names_the_places_where_time_is_lost(least: int) -> None:
    """Of four places one has no lag, one gains a little."""
    lags = [20 * SECOND, 20 * SECOND, 20 * SECOND]
    lags.insert(least, 0)
    shown, text = told(facts_of(beat(9 * MINUTE, *lags)))
    places = ["Extract", "the pump or distribution path", "Replicat, before it reads", "Replicat, until it applies"]
    hops = ", ".join(f"{place} 20.000 s" for place, lag in zip(places, lags, strict=True) if lag)
    assert (shown, text) == ("several_hops", f"The 60.000 s are spread: {hops}.")


@pytest.mark.parametrize("order", list(permutations((-5, -90, -20))))
def test_of_several_negative_lags_the_one_furthest_below_zero_is_told(order: tuple[int, ...]) -> None:
    rule, text = told(facts_of(beat(9 * MINUTE, 50 * SECOND, *(lag * SECOND for lag in order))))
    names = ("Pump or distribution path", "Replicat, before it reads", "Replicat, until it applies")
    assert rule == "clocks_differ"
    assert text.endswith(f": {names[order.index(-90)]} -90.000 s.")


@pytest.mark.parametrize(("more", "rule"), [(-1, "one_hop"), (0, "one_hop"), (1, "beats_missing")])
def test_missing_beats_decide_where_they_lack_for_longer_than_the_lag_is(more: int, rule: str) -> None:
    gap = gap_of(8 * MINUTE, 10 * MINUTE + more)
    assert told(facts_of(beat(9 * MINUTE, 2 * MINUTE), gap=gap))[0] == rule


@pytest.mark.parametrize("restarts", [(7, 8, 9, 10), (9, 10, 9), (10,), (8, 7), ()])
def test_of_several_restarts_behind_the_last_beat_the_last_one_counts(restarts: tuple[int, ...]) -> None:
    facts = facts_of(None, gap=gap_of(8 * MINUTE, 20 * MINUTE), restarts=tuple(at * MINUTE for at in restarts))
    behind = [at for at in restarts if at > 8]
    shown = restart_of(facts)
    assert (shown and shown.time) == (behind[-1] * MINUTE if behind else None)
    rule, text = told(facts)
    assert rule == ("extract_down" if behind else "beats_missing")
    if behind:
        assert text == f"Extract was down from <8> to <{behind[-1]}>."


@pytest.mark.parametrize("restarts", [(8, 9, 10, 14), (9,), (14,), (10, 12, 11), (8, 15), (15, 14, 16)])
@pytest.mark.parametrize("arrived", [(7, 6.5, 8), (7, 20, 8)])
def test_of_several_restarts_while_a_beat_waited_the_last_one_counts(
    arrived: tuple[float, ...], restarts: tuple[int, ...]
) -> None:
    """The beat of minute 9 arrives in minute 14; those before it arrived in these minutes."""
    before = [beat(int(at * MINUTE), int((end - at) * MINUTE)) for at, end in zip((6, 6.25, 7), arrived, strict=True)]
    facts = facts_of(beat(9 * MINUTE, 5 * MINUTE), *before, restarts=tuple(at * MINUTE for at in restarts))
    during = [at for at in restarts if 9 <= at <= 14]
    rule, text = told(facts)
    assert rule == ("extract_down" if during else "one_hop")
    if during:
        lag = "300.000 s of the 300.000 s lag."
        assert text == f"Extract was down from <8> to <{during[-1]}>: {lag}"


@pytest.mark.parametrize(
    ("lags", "is_rising"),
    [
        ((10, 40), False),
        ((10, 40, 70), True),
        ((0, 0, 10, 40, 70), True),
        ((70, 40, 10, 40, 70), True),
        ((10, 40, 70, 140), False),
        ((10, 40, 40, 70), False),
        ((10, 40, 90, 120), False),
        ((10, 20, 60, 90, 120), True),
        ((40, 70, 70), False),
        ((100, 70, 40), False),
        ((10, 34, 64), True),
        ((10, 32, 62), False),
    ],
)
def test_extract_waits_where_its_lag_has_grown_at_one_rate_over_three_beats(
    lags: tuple[int, ...], is_rising: bool
) -> None:
    """Seconds, a beat each minute; rates may differ by a quarter."""
    *before, chosen = (beat(minute * MINUTE, lag * SECOND) for minute, lag in enumerate(lags))
    rule, _ = told(facts_of(chosen, *before, longest=LONG))
    assert rule == ("waits_for_commit" if is_rising else "one_hop")


@pytest.mark.parametrize(("more", "rule"), [(-1, "one_hop"), (0, "one_hop"), (1, "waits_for_commit")])
def test_extract_waits_for_a_transaction_that_was_open_for_longer_than_the_lag_is(more: int, rule: str) -> None:
    *before, chosen = (beat(minute * MINUTE, minute * 30 * SECOND) for minute in range(1, 4))
    longest = LONG._replace(high=MINUTE, end=MINUTE + 90 * SECOND + more)
    assert told(facts_of(chosen, *before, longest=longest))[0] == rule


@pytest.mark.parametrize(("routing", "is_extract"), [(89, True), (90, False), (91, False)])
def test_extract_is_the_reason_where_more_than_half_of_the_lag_is_its(routing: int, is_extract: bool) -> None:
    """The lag of Extract is 90 seconds."""
    *before, chosen = (beat(minute * MINUTE, minute * 30 * SECOND, routing * SECOND) for minute in range(1, 4))
    assert (told(facts_of(chosen, *before, longest=LONG))[0] == "waits_for_commit") is is_extract
    down = facts_of(chosen, *before, restarts=(3 * MINUTE + 80 * SECOND,))
    assert (told(down)[0] == "extract_down") is is_extract
