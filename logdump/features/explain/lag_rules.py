"""EXPLAIN LAG: the rules, in the order in which they are tried; the first that holds gives the verdict."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from logdump.features.explain.beat_facts import BeatFacts, PassedBeat
from logdump.features.explain.model import Phrase, Span, When
from logdump.features.explain.rules import VerdictRule
from logdump.features.explain.trail_facts import ClockLag, TrailFacts
from logdump.notation.plural import amount
from trailformat.transactions.extent import Restart

_SECOND = 1_000_000
NO_LAG = 10 * _SECOND
"""A lag that Oracle's health check does not mention."""
_LEAST_RISING = 3
HOP_NAMES = {
    "extract_lag": "Extract",
    "routing_lag": "Pump or distribution path",
    "replicat_read_lag": "Replicat, before it reads",
    "replicat_lag": "Replicat, until it applies",
}
_PLACES = {
    "extract_lag": "Extract",
    "routing_lag": "the pump or distribution path",
    "replicat_read_lag": "Replicat, before it reads",
    "replicat_lag": "Replicat, until it applies",
}
"""The hops as the verdict names them."""


class LagFacts(NamedTuple):
    """All that the rules look at.

    ``at`` is the moment asked for, None for the greatest lag; ``undecoded`` rows of heartbeat tables may be beats too.
    """

    at: int | None
    beats: BeatFacts
    trail: TrailFacts
    clock: ClockLag | None
    undecoded: int

    @property
    def is_silent(self) -> bool:
        """True if missing beats decide: at the given moment, or for longer than the lag of the chosen beat."""
        gap, chosen = self.beats.gap, self.beats.chosen
        return gap is not None and (self.at is not None or chosen is None or gap.microseconds > chosen.total)

    @property
    def chosen(self) -> PassedBeat | None:
        """The beat that shows the lag, unless missing beats count for more."""
        return None if self.is_silent else self.beats.chosen


def seconds(microseconds: int) -> str:
    """Return ``812.000 s``."""
    return f"{microseconds / _SECOND:.3f} s"


def _no_beats(facts: LagFacts) -> Phrase | None:
    if facts.beats.beats:
        return None
    none = "No heartbeat that decodes" if facts.undecoded else "No heartbeat"
    if facts.clock is None or facts.clock.lag <= 0:
        return (f"{none}, and no definition record that shows a lag.",)
    lag = seconds(facts.clock.lag)
    return (f"{none}; a definition record gives a lower bound, ", When(facts.clock.written), f": {lag}.")


def restart_of(facts: LagFacts) -> Restart | None:
    """The last restart where beats are missing, or before a late beat arrived."""
    gap, chosen = facts.beats.gap, facts.chosen
    for one in reversed(facts.trail.restarts):
        if facts.is_silent and gap is not None and gap.after.time < one.time:
            return one
        if chosen is not None and chosen.extract_ts is not None and chosen.time <= one.time <= chosen.extract_ts:
            return one
    return None


def _beyond(facts: LagFacts) -> Phrase | None:
    if facts.beats.ends is None:
        return None
    beat, newest = facts.beats.ends
    return ("The trail ends before that moment, ", When(newest), "; its last beat is from ", When(beat), ".")


def _down(facts: LagFacts) -> Phrase | None:
    restart, chosen, gap = restart_of(facts), facts.chosen, facts.beats.gap
    if restart is None:
        return None
    if chosen is None:
        return ("Extract was down from ", When(gap.after.time), " to ", When(restart.time), ".") if gap else None
    if 2 * chosen.extract_lag <= chosen.total:
        return None
    last = facts.beats.before[-1].extract_ts if facts.beats.before else None
    since: Phrase = ("from ", When(last), " ") if last is not None and last < restart.time else ()
    lag = f": {seconds(chosen.extract_lag)} of the {seconds(chosen.total)} lag."
    return ("Extract was down ", *since, "to ", When(restart.time), lag)


def _missing(facts: LagFacts) -> Phrase | None:
    gap = facts.beats.gap
    if not facts.is_silent or gap is None:
        return None
    end = " to " if gap.before is not None else " to the end of the trail, "
    return (
        "No beat from ",
        When(gap.after.time),
        end,
        When(gap.end),
        f": {gap.beats} missing, and no restart of Extract.",
    )


def is_rising(facts: LagFacts) -> bool:
    """Return True if Extract's lag grew from beat to beat at one rate, up to the chosen beat."""
    if facts.chosen is None:
        return False
    points = [*facts.beats.before, facts.chosen]
    rates = [
        (later.extract_lag - one.extract_lag) / (later.time - one.time)
        for one, later in pairwise(points)
        if later.time > one.time
    ]
    steady = 0
    for rate in reversed(rates):
        if rate <= 0 or abs(rate - rates[-1]) > 0.25 * rates[-1]:
            break
        steady += 1
    return steady >= _LEAST_RISING - 1


def _waits(facts: LagFacts) -> Phrase | None:
    chosen, longest = facts.chosen, facts.trail.longest
    if chosen is None or longest is None or longest.end is None or not is_rising(facts):
        return None
    length = longest.end - longest.high
    if length <= chosen.extract_lag or 2 * chosen.extract_lag <= chosen.total:
        return None
    records, lag = amount(longest.records, "record"), seconds(chosen.extract_lag)
    who = f"Extract waits for the commit of {longest.xid or 'a transaction'}, "
    return (who, When(longest.end), f": {records}, open for ", Span(length), f"; lag {lag}.")


def _negative(facts: LagFacts) -> Phrase | None:
    chosen = facts.chosen
    if chosen is None or all(lag >= 0 for lag in chosen.hops.values()):
        return None
    worst = min(chosen.hops, key=lambda name: chosen.hops[name])
    what = f"{HOP_NAMES[worst]} {seconds(chosen.hops[worst])}"
    return (f"The clocks differ, so the cause is unknown: {what}.",)


def _small(facts: LagFacts) -> Phrase | None:
    chosen = facts.chosen
    if chosen is None or chosen.total > NO_LAG:
        return None
    which = "greatest lag" if facts.at is None else "lag then"
    return (f"No significant lag: the {which} is {seconds(chosen.total)}.",)


def _one_hop(facts: LagFacts) -> Phrase | None:
    chosen = facts.chosen
    if chosen is None:
        return None
    name = max(chosen.hops, key=lambda one: chosen.hops[one], default=None)
    if name is None or 2 * chosen.hops[name] <= chosen.total:
        return None
    return (f"Most of the lag is in {_PLACES[name]}: {seconds(chosen.hops[name])} of {seconds(chosen.total)}.",)


def _several(facts: LagFacts) -> Phrase | None:
    if facts.chosen is None:
        return ("No beat before that moment.",)
    return (f"No hop has more than half of the {seconds(facts.chosen.total)} lag.",)


RULES = (
    VerdictRule("no_heartbeat", _no_beats),
    VerdictRule("trail_ends", _beyond),
    VerdictRule("extract_down", _down),
    VerdictRule("beats_missing", _missing),
    VerdictRule("clocks_differ", _negative),
    VerdictRule("no_lag", _small),
    VerdictRule("waits_for_commit", _waits),
    VerdictRule("one_hop", _one_hop),
    VerdictRule("several_hops", _several),
)
"""The last one always holds."""
