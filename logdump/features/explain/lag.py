"""EXPLAIN LAG: the late hop and the cause of the lag, by the first rule that applies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from logdump.features.bounded_recovery.model import BeginSource
from logdump.features.bounded_recovery.survey import walked_once
from logdump.features.explain.lag_facts import (
    BeatFacts,
    BeatsAround,
    ClockLag,
    DefinitionClocks,
    LagWindow,
    PassedBeat,
    TrailFacts,
    TransactionsAround,
)
from logdump.features.explain.model import (
    NO_VERDICT,
    Evidence,
    Explained,
    Phrase,
    Question,
    Span,
    VerdictRule,
    When,
    conclusion,
)
from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.model import HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.heartbeat.text import route_text
from logdump.notation.text import amount
from logdump.session.effective_rows import NotAppliedByFile
from logdump.session.events import Progress
from logdump.session.reading import Reading, reading_of
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Restart
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_SECOND = 1_000_000
NO_LAG = 10 * _SECOND
"""The greatest lag that Oracle's health check does not report."""
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
"""The names of the hops in verdicts."""


class LagFacts(NamedTuple):
    """The input of the rules.

    ``at`` is the given moment, None for the greatest lag. ``undecoded`` is the number of rows of heartbeat tables that
    cannot be decoded; they may be beats too.
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
        """The beat that shows the lag, None if missing beats decide."""
        return None if self.is_silent else self.beats.chosen


def seconds(microseconds: int) -> str:
    """Format microseconds as ``812.000 s``."""
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
    """Return the last restart where beats are missing, or while the chosen beat waited for Extract; else None."""
    gap, chosen = facts.beats.gap, facts.chosen
    for restart in reversed(facts.trail.restarts):
        if facts.is_silent and gap is not None and gap.after.time < restart.time:
            return restart
        if chosen is not None and chosen.extract_ts is not None and chosen.time <= restart.time <= chosen.extract_ts:
            return restart
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
        (later.extract_lag - earlier.extract_lag) / (later.time - earlier.time)
        for earlier, later in pairwise(points)
        if later.time > earlier.time
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
    name = max(chosen.hops, key=lambda hop: chosen.hops[hop], default=None)
    if name is None or 2 * chosen.hops[name] <= chosen.total:
        return None
    return (f"Most of the lag is in {_PLACES[name]}: {seconds(chosen.hops[name])} of {seconds(chosen.total)}.",)


def _several(facts: LagFacts) -> Phrase | None:
    if facts.chosen is None:
        return ("No beat before that moment.",)
    hops = ", ".join(f"{_PLACES[name]} {seconds(lag)}" for name, lag in facts.chosen.hops.items() if lag > 0)
    return (f"The {seconds(facts.chosen.total)} are spread: {hops}.",)


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
"""The rules, in the order in which they are tried; the last one always applies."""


class LagQuestion:
    """The question of why replication is late.

    Args:
        whole: the trail.
        moment: as given; None: that of the greatest lag.
        definitions_of: returns the row definitions of a file.
        table: the name of the heartbeat tables.
    """

    def __init__(
        self, whole: WholeTrail, moment: int | None, definitions_of: Callable[[TrailFile], RowDefinitions], table: str
    ) -> None:
        self._whole, self._at, self._definitions_of, self._table = whole, moment, definitions_of, table
        self._around = BeatsAround(moment)
        self._clocks = DefinitionClocks(moment)
        self._transactions = TransactionsAround(whole, LagWindow(0, 0))
        self._undecoded = 0
        self._newest: int | None = None

    def run(self, notify: int) -> Iterator[Progress]:
        """Read the beats of the trail, its definition records if there is no beat, then its transactions."""
        self._read_beats()
        self._transactions = TransactionsAround(self._whole, self._window())
        if not self.facts.beats.beats:
            for file_batch in self._whole.batches():
                self._clocks.take(FilePosition(file_batch.trail.path, 0), file_batch.batch)
        for item in walked_once(self._whole, notify, NotApplied(self._whole, past_damage=True)):
            if isinstance(item, Progress):
                yield item
            elif item is not None:
                self._transactions.take(item)

    def _read_beats(self) -> None:
        reader = HeartbeatReader(self._definitions_of, self._table, not_applied_in=NotAppliedByFile(self._whole).of)
        new = NewBeats()
        for ordinal in range(len(self._whole)):
            trail = self._whole.open(ordinal)
            if trail is None:
                continue
            with trail:
                for row in reader.rows(trail):
                    for beat in new.of(row) if isinstance(row, HeartbeatRow) else ():
                        self._around.add(beat)
                    self._undecoded, self._newest = reader.problems, reader.newest
        for beat in new.rest():
            self._around.add(beat)

    def _window(self) -> LagWindow:
        facts = self.facts
        gap, chosen = facts.beats.gap, facts.chosen
        if facts.is_silent and gap is not None:
            before = self._place(gap.before.position) if gap.before is not None else TrailPosition(len(self._whole), 0)
            return LagWindow(gap.after.time, gap.end, self._place(gap.after.position), before)
        if chosen is None:
            moment = self._at or 0
            return LagWindow(moment, moment)
        return LagWindow(chosen.time, chosen.extract_ts or chosen.time + max(chosen.total, 0))

    def _place(self, position: FilePosition) -> TrailPosition:
        return TrailPosition(self._whole.ordinals[position.path], position.rba)

    @property
    def facts(self) -> LagFacts:
        """The facts so far."""
        beats, trail = self._around.facts(self._newest), self._transactions.facts()
        return LagFacts(self._at, beats, trail, self._clocks.found, self._undecoded)

    def reading(self) -> Reading:
        """Return the gaps of the reading."""
        return reading_of(self._whole, self.facts.trail.damaged)

    def explained(self, title: str, *, is_partial: bool) -> Explained:
        """Return the answer, without a verdict if the reading is partial."""
        facts = self.facts
        return Explained(
            Question.LAG,
            title,
            NO_VERDICT if is_partial else conclusion(RULES, facts),
            tuple(_parts(facts)),
            tuple(_assumed(facts)),
            tuple(_not_known(facts)),
            facts.trail.damaged,
            is_partial,
        )


def _parts(facts: LagFacts) -> Iterator[Evidence]:
    chosen = facts.chosen
    path = facts.beats.gap_path if facts.is_silent else facts.beats.path
    if path is not None:
        source, target, _, way = path
        yield Evidence((f"Path: {route_text(source, target, way)}",))
    if chosen is not None:
        yield Evidence(("Beat of ", When(chosen.time), f": lag {seconds(chosen.total)}"), (chosen.position,))
        yield from _hops(chosen)
    yield from _silence(facts)
    yield from _restarts(facts)
    if facts.clock is not None and facts.clock.lag > 0:
        clock = facts.clock
        yield Evidence(
            (
                "A definition was written ",
                When(clock.written),
                f", {seconds(clock.lag)} after the commit that follows it",
            ),
            (clock.position,),
            "extract_lag",
            clock.lag,
        )
    yield from _volume(facts.trail)


def _silence(facts: LagFacts) -> Iterator[Evidence]:
    gap, beat = facts.beats.gap, facts.beats.chosen
    if gap is None:
        return
    after = "Last beat " if facts.is_silent else f"Missing: {amount(gap.beats, 'beat')} after "
    if gap.before is not None:
        following: Phrase = (", next ", When(gap.before.time))
    else:
        following = (", none up to the newest time in the trail, ", When(gap.end))
    positions = (gap.after.position, gap.before.position) if gap.before is not None else (gap.after.position,)
    yield Evidence((after, When(gap.after.time), *following), positions)
    if facts.beats.gaps > 1:
        yield Evidence((f"Beats are missing at {facts.beats.gaps} times: HEARTBEAT GAPS lists them",))
    if facts.is_silent and beat is not None:
        which = "Greatest lag" if facts.at is None else "Lag before that"
        yield Evidence((f"{which}: {seconds(beat.total)}, beat of ", When(beat.time)), (beat.position,))


def _restarts(facts: LagFacts) -> Iterator[Evidence]:
    restart, last = restart_of(facts), facts.trail.last_restart
    if restart is not None:
        yield Evidence(("Extract restarted ", When(restart.time)), (restart.position,))
    elif last is not None:
        times = amount(facts.trail.all_restarts, "time")
        yield Evidence((f"Extract restarted {times} in this trail, at last ", When(last.time)), (last.position,))


def _hops(chosen: PassedBeat) -> Iterator[Evidence]:
    for name, lag in chosen.hops.items():
        yield Evidence((f"{HOP_NAMES[name]}: {seconds(lag)}",), (chosen.position,), name, lag)


def _volume(trail: TrailFacts) -> Iterator[Evidence]:
    if trail.transactions:
        counted = amount(trail.transactions, "transaction"), amount(trail.records, "record"), f"{trail.bytes} bytes"
        numbers = ", ".join(counted)
        largest = trail.largest
        positions = (largest.begin,) if largest is not None and largest.begin is not None else ()
        who = f"; most records: {largest.transaction.xid}, {largest.records}" if largest is not None else ""
        yield Evidence((f"Committed in that time: {numbers}{who}",), positions)
    longest = trail.longest
    if longest is not None and longest.end is not None and longest.end > longest.high:
        yield Evidence(
            (f"Open then: {longest.xid or 'a transaction'}, from ", When(longest.high), " to ", When(longest.end)),
            (longest.position,) if longest.position is not None else (),
        )
    if trail.ddl and trail.first_ddl is not None:
        yield Evidence((f"DDL in that time: {trail.ddl}",), (trail.first_ddl,))


def _assumed(facts: LagFacts) -> Iterator[str]:
    if facts.beats.beats:
        yield "the clocks of the machines agree"
    elif facts.clock is not None:
        yield "the clocks of database and Extract agree"
    longest = facts.trail.longest
    if longest is not None and longest.source is BeginSource.REDO_CLOCK:
        yield "begins of transactions by the redo clock"


def _not_known(facts: LagFacts) -> Iterator[str]:
    if facts.undecoded:
        rows = amount(facts.undecoded, "row")
        yield f"the contents of {rows} of heartbeat tables (HEARTBEAT ROWS shows why they do not decode)"
    if not facts.beats.beats and not facts.undecoded:
        yield "the lag of each hop (ADD HEARTBEATTABLE adds heartbeats to the trail)"
    if not facts.beats.beats:
        return
    chosen = facts.chosen
    if chosen is not None and "routing_lag" not in chosen.hops:
        yield "the lag of pumps and paths (read the trail that the last of them writes)"
    if chosen is not None and "replicat_lag" not in chosen.hops:
        yield "the lag of Replicat (read a trail captured from the target)"
    yield "transactions rolled back or still open (see V$TRANSACTION or SEND EXTRACT … SHOWTRANS)"
