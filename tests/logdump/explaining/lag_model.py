"""What EXPLAIN LAG has to say of an eventful trail of beats, told from its pieces one by one, in the words of JSON."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from logdump.notation.times import iso_time
from tests.logdump.heartbeats.beats_model import BeatsModel, Hole, Place, Seen, due, usual_distance
from tests.simulated.eventful_beats import EventfulBeats, Piece, Way

SECOND = 1_000_000
Object = dict[str, Any]
HOPS = {
    "extract_lag": ("Extract", "Extract"),
    "routing_lag": ("Pump or distribution path", "the pump or distribution path"),
    "replicat_read_lag": ("Replicat, before it reads", "Replicat, before it reads"),
    "replicat_lag": ("Replicat, until it applies", "Replicat, until it applies"),
}
"""The names of a hop in a line of its own, and in the verdict."""


class Longest(NamedTuple):
    """A transaction, and since when it was open."""

    piece: Piece
    begun: int

    @property
    def length(self) -> int:
        """How long it was open."""
        return self.piece.time - self.begun


class LagModel:
    """The answer of EXPLAIN LAG.

    Args:
        trail: the trail.
        at: the moment (Julian microseconds); None: that of the greatest lag.
    """

    def __init__(self, trail: EventfulBeats, at: int | None) -> None:
        self.beats, self.trail, self.at = BeatsModel(trail), trail, at
        self._choose()
        self._choose_hole()
        self.is_silent = self.hole is not None and (
            at is not None or self.shown is None or self.hole.length > self.shown.lag
        )
        self.chosen = None if self.is_silent else self.shown
        self._read()

    def _choose(self) -> None:
        """Of each path the last beat up to the moment, or the first with the greatest lag; of all, the latest one."""
        self.shown: Seen | None = None
        self.way: Way | None = None
        for way, beats in self.beats.ways.items():
            own: Seen | None = None
            for seen in beats:
                if self.at is None:
                    own = seen if own is None or seen.lag > own.lag else own
                elif seen.beat.time <= self.at:
                    own = seen if own is None or seen.beat.time >= own.beat.time else own
            if own is not None and (self.shown is None or own.lag > self.shown.lag):
                self.shown, self.way = own, way
        self.before: list[Seen] = []
        if self.shown is not None and self.way is not None:
            of_way = self.beats.ways[self.way]
            earlier = of_way[: of_way.index(self.shown)][-8:]
            own_time = self.shown.beat.time
            self.before = sorted(
                (seen_beat for seen_beat in earlier if seen_beat.beat.time < own_time),
                key=lambda seen_beat: seen_beat.beat.time,
            )

    def _choose_hole(self) -> None:
        """The longest time without beats, or of those at the moment."""
        self.all_holes = self.beats.holes(self.beats.newest)
        self.hole: Hole | None = None
        for hole in self.all_holes:
            if (self.at is None or hole.holds(self.at)) and (self.hole is None or hole.length > self.hole.length):
                self.hole = hole

    @property
    def number(self) -> int:
        """The number of all beats."""
        return sum(map(len, self.beats.ways.values()))

    def _read(self) -> None:
        """What the trail has in the time of the lag."""
        begin, end = self._window()
        whole = (piece for piece in reversed(self.trail.pieces) if piece.kind == "transaction" and piece.is_whole)
        pieces = sorted({piece.number: piece for piece in whole}.values(), key=lambda piece: piece.place)  # no copies
        self.committed = [piece for piece in pieces if begin <= piece.time <= end]
        self.longest: Longest | None = None
        for piece in pieces:
            longest = Longest(piece, min(piece.begun, piece.time))
            is_open = longest.begun < end and piece.time > begin
            if is_open and (self.longest is None or longest.length > self.longest.length):
                self.longest = longest
        self.all_restarts = [piece for piece in self.trail.pieces if piece.kind == "restart"]
        restarts = [
            drawn_piece
            for drawn_piece in self.all_restarts
            if begin <= drawn_piece.time <= end or self._is_between(drawn_piece)
        ]
        self.restart: Piece | None = None
        for restart in restarts:
            extract = self.chosen.beat.extract if self.chosen is not None else None
            if self.is_silent and self.hole is not None:
                is_why = restart.time > self.hole.after.beat.time
            else:
                is_why = (
                    self.chosen is not None and extract is not None and self.chosen.beat.time <= restart.time <= extract
                )
            self.restart = restart if is_why else self.restart
        self.clock = self._clock() if not self.number else None

    def _window(self) -> tuple[int, int]:
        if self.is_silent and self.hole is not None:
            return self.hole.after.beat.time, self.hole.end
        if self.chosen is None:
            return self.at or 0, self.at or 0
        beat = self.chosen.beat
        return beat.time, beat.extract if beat.extract is not None else beat.time + max(self.chosen.lag, 0)

    def _is_between(self, piece: Piece) -> bool:
        """Whether something stands between the beats around the time without beats."""
        if not self.is_silent or self.hole is None:
            return False
        end = self.hole.before.place if self.hole.before is not None else (len(self.trail.files), 0)
        return self.hole.after.place < piece.place < end

    def _clock(self) -> tuple[int, int, Place] | None:
        """The definition that shows the lag: when it was written, how old the next commit was, and its place."""
        found: tuple[int, int, Place] | None = None
        waiting: Piece | None = None
        for piece in self.trail.pieces:
            if piece.kind == "definition":
                waiting = piece
            elif piece.kind == "transaction" and waiting is not None:
                candidate = waiting.time, waiting.time - piece.begun, waiting.place
                is_chosen = waiting.time <= self.at if self.at is not None else found is None or candidate[1] > found[1]
                found, waiting = candidate if is_chosen else found, None
        return found

    def _is_rising(self) -> bool:
        """Whether the lag of Extract has grown over the last three beats at least, at one rate."""
        if self.chosen is None:
            return False
        beats = [seen.beat for seen in (*self.before, self.chosen)]
        rates = []
        for earlier, later in itertools.pairwise(beats):
            if later.time > earlier.time:
                growth = later.hops.get("extract_lag", 0) - earlier.hops.get("extract_lag", 0)
                rates.append(growth / (later.time - earlier.time))
        last = rates[-2:]
        return len(last) == 2 and all(rate > 0 and abs(rate - rates[-1]) <= rates[-1] / 4 for rate in last)

    def _ends(self) -> tuple[int, int] | None:
        """The end of the trail and its last beat, if the moment is after both and a beat was due by then."""
        newest = self.beats.newest
        if self.at is None or newest is None or self.at <= newest or not self.number:
            return None
        latest = max((seen.beat.time for beats in self.beats.ways.values() for seen in beats), default=0)
        way = next(way for way, beats in self.beats.ways.items() if latest in {seen.beat.time for seen in beats})
        usual = usual_distance(self.beats.ways[way])
        if usual is not None and not due(self.at - self.beats.first_of(way, latest).committed, usual):
            return None
        return newest, latest

    def verdict(self) -> tuple[str, str]:
        """The rule and its sentence."""
        if not self.number:
            return "no_heartbeat", self._no_beats()
        if (ends := self._ends()) is not None:
            newest, beat = map(iso_time, ends)
            return "trail_ends", f"The trail ends before that moment, {newest}; its last beat is from {beat}."
        if self.chosen is None:
            return self._silence()
        return self._of_beat(self.chosen)

    def _no_beats(self) -> str:
        none = "No heartbeat that decodes" if self.beats.spoilt else "No heartbeat"
        if self.clock is None or self.clock[1] <= 0:
            return f"{none}, and no definition record that shows a lag."
        written, lag, _ = self.clock
        return f"{none}; a definition record gives a lower bound, {iso_time(written)}: {text(lag)}."

    def _silence(self) -> tuple[str, str]:
        hole = self.hole
        if hole is None:
            return "several_hops", "No beat before that moment."
        begin, end = iso_time(hole.after.beat.time), iso_time(hole.end)
        if self.restart is not None:
            return "extract_down", f"Extract was down from {begin} to {iso_time(self.restart.time)}."
        to = "to" if hole.before is not None else "to the end of the trail,"
        return "beats_missing", f"No beat from {begin} {to} {end}: {hole.missing} missing, and no restart of Extract."

    def _of_beat(self, chosen: Seen) -> tuple[str, str]:
        hops, lag = chosen.beat.hops, chosen.lag
        extract = hops.get("extract_lag", 0)
        is_extract = 2 * extract > lag
        if self.restart is not None and is_extract:
            last = self.before[-1].beat.extract if self.before else None
            since = f"from {iso_time(last)} " if last is not None and last < self.restart.time else ""
            part = f"{text(extract)} of the {text(lag)} lag"
            return "extract_down", f"Extract was down {since}to {iso_time(self.restart.time)}: {part}."
        least = min(hops, key=lambda name: hops[name], default=None)
        if least is not None and hops[least] < 0:
            cause = f"{HOPS[least][0]} {text(hops[least])}"
            return "clocks_differ", f"The clocks differ, so the cause is unknown: {cause}."
        if lag <= 10 * SECOND:
            which = "greatest lag" if self.at is None else "lag then"
            return "no_lag", f"No significant lag: the {which} is {text(lag)}."
        longest = self.longest
        if longest is not None and longest.length > extract and is_extract and self._is_rising():
            records = f"{longest.piece.records} record{'s' * (longest.piece.records > 1)}"
            end, span = iso_time(longest.piece.time), f"{longest.length / SECOND:g} s"
            who = f"Extract waits for the commit of {longest.piece.xid}, {end}: {records}, open for {span}"
            return "waits_for_commit", f"{who}; lag {text(extract)}."
        for name, own in hops.items():
            if 2 * own > lag:
                return "one_hop", f"Most of the lag is in {HOPS[name][1]}: {text(own)} of {text(lag)}."
        parts = ", ".join(f"{HOPS[name][1]} {text(own)}" for name, own in hops.items() if own > 0)
        return "several_hops", f"The {text(lag)} are spread: {parts}."

    def parts(self) -> list[Object]:
        """The facts."""
        told: list[Object] = []
        way = self.hole.way if self.is_silent and self.hole is not None else self.way
        if way is not None:
            told.append(fact(f"Path: {way.source} => {way.target}   {' ==> '.join(way.processes)}"))
        if self.chosen is not None:
            place = self._place(self.chosen.place)
            told.append(fact(f"Beat of {iso_time(self.chosen.beat.time)}: lag {text(self.chosen.lag)}", place))
            for name, lag in self.chosen.beat.hops.items():
                told.append({**fact(f"{HOPS[name][0]}: {text(lag)}", place), "hop": name, "seconds": lag / SECOND})
        return told + self._hole_parts() + self._restart_parts() + self._clock_parts() + self._volume_parts()

    def _hole_parts(self) -> list[Object]:
        hole, told = self.hole, list[Object]()
        if hole is not None:
            beats = f"{hole.missing} beat{'s' * (hole.missing > 1)}"
            begin = "Last beat" if self.is_silent else f"Missing: {beats} after"
            end = f"next {iso_time(hole.end)}"
            if hole.before is None:
                end = f"none up to the newest time in the trail, {iso_time(hole.end)}"
            places = [hole.after.place, *([hole.before.place] if hole.before is not None else [])]
            told.append(fact(f"{begin} {iso_time(hole.after.beat.time)}, {end}", *map(self._place, places)))
            if len(self.all_holes) > 1:
                told.append(fact(f"Beats are missing at {len(self.all_holes)} times: HEARTBEAT GAPS lists them"))
            if self.is_silent and self.shown is not None:
                which = "Greatest lag" if self.at is None else "Lag before that"
                said = f"{which}: {text(self.shown.lag)}, beat of {iso_time(self.shown.beat.time)}"
                told.append(fact(said, self._place(self.shown.place)))
        return told

    def _restart_parts(self) -> list[Object]:
        if self.restart is not None:
            return [fact(f"Extract restarted {iso_time(self.restart.time)}", self._place(self.restart.place))]
        if self.all_restarts:
            last, number = self.all_restarts[-1], len(self.all_restarts)
            times = f"{number} time{'s' * (number > 1)} in this trail"
            return [fact(f"Extract restarted {times}, at last {iso_time(last.time)}", self._place(last.place))]
        return []

    def _clock_parts(self) -> list[Object]:
        if self.clock is None or self.clock[1] <= 0:
            return []
        written, lag, place = self.clock
        said = f"A definition was written {iso_time(written)}, {text(lag)} after the commit that follows it"
        return [{**fact(said, self._place(place)), "hop": "extract_lag", "seconds": lag / SECOND}]

    def _volume_parts(self) -> list[Object]:
        told = list[Object]()
        if self.committed:
            largest = self.committed[0]
            for piece in self.committed:
                largest = piece if piece.records > largest.records else largest
            records, size = (
                sum(getattr(drawn_piece, name) for drawn_piece in self.committed) for name in ("records", "length")
            )
            counted = f"{amount(len(self.committed), 'transaction')}, {amount(records, 'record')}, {size} bytes"
            most = f"most records: {largest.xid}, {largest.records}"
            told.append(fact(f"Committed in that time: {counted}; {most}", self._place(largest.place)))
        longest = self.longest
        if longest is not None and longest.length:
            begin, end = iso_time(longest.begun), iso_time(longest.piece.time)
            said = f"Open then: {longest.piece.xid}, from {begin} to {end}"
            told.append(fact(said, self._place(longest.piece.place)))
        return told

    def _place(self, place: Place) -> Object:
        return {"file": str(self.trail.files[place[0]].path), "rba": place[1]}

    def assumed(self) -> list[str]:
        """The assumptions."""
        if self.number:
            return ["the clocks of the machines agree"]
        return ["the clocks of database and Extract agree"] if self.clock is not None else []

    def not_known(self) -> list[str]:
        """What is not known."""
        told = []
        if self.beats.spoilt:
            rows = amount(self.beats.spoilt, "row")
            told.append(f"the contents of {rows} of heartbeat tables (HEARTBEAT ROWS shows why they do not decode)")
        elif not self.number:
            told.append("the lag of each hop (ADD HEARTBEATTABLE adds heartbeats to the trail)")
        if not self.number:
            return told
        hops = self.chosen.beat.hops if self.chosen is not None else HOPS
        if "routing_lag" not in hops:
            told.append("the lag of pumps and paths (read the trail that the last of them writes)")
        if "replicat_lag" not in hops:
            told.append("the lag of Replicat (read a trail captured from the target)")
        return [*told, "transactions rolled back or still open (see V$TRANSACTION or SEND EXTRACT … SHOWTRANS)"]

    def answer(self) -> Object:
        """The whole answer."""
        number = sum(file.state != "missing" for file in self.trail.files)
        is_partial = self.beats.is_partial
        rule, verdict = (None, None) if is_partial else self.verdict()
        return {
            "question": "lag",
            "title": f"LogTrail {self.trail.path}{f', {number} files' if number > 1 else ''}",
            "rule": rule,
            "verdict": verdict,
            "parts": self.parts(),
            "assumed": self.assumed(),
            "not_known": self.not_known(),
            "damaged": len(self.beats.damage),
            "partial": is_partial,
        }


def fact(said: str, *places: Object) -> Object:
    """A fact without a hop."""
    return {"hop": None, "seconds": None, "text": said, "evidence": list(places)}


def text(microseconds: int) -> str:
    """A lag in seconds."""
    return f"{microseconds / SECOND:.3f} s"


def amount(number: int, what: str) -> str:
    """A number of things."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
