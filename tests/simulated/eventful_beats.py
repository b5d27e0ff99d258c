"""Trails of a few small files with beats of several paths, in which much happens at once, and what stands in them.

Beats that are late, missing, equal, come twice or do not decode; lags that rise, clocks that differ, processes that
were renamed; restarts, long transactions, cuts, copies, definitions, damage, missing files, files that are no trails.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fixtures.changes import Change, insert
from fixtures.flavour import ORACLE_12
from fixtures.shop import SENCHA
from tests.searching import Random
from tests.simulated.heartbeat_trails import BEGUN, OTHER_TABLE, HeartbeatTrail, values
from tests.simulated.heartbeats import Row
from trailformat import RecordHeader
from trailformat.records.record_header import FIRST, LAST, METADATA, MIDDLE, ONLY, RESTART_ABEND, RESTART_OK

SECOND = 1_000_000
MINUTE = 60 * SECOND
GARBAGE = b"no record at all, but bytes " * 4
MOST_MINUTES = 14
_HALF = 30
"""Bytes of a record that is not complete."""
LAGS = (0, 1, 5, 5, 30, 200, 400, -90, -30)


class Way(NamedTuple):
    """A path of beats: from which database to which, and the processes on it."""

    source: str
    target: str
    is_incoming: bool
    extract: str
    pump: str | None
    replicat: str | None = None

    @property
    def processes(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(name for name in (self.extract, self.pump, self.replicat) if name is not None)

    @property
    def databases(self) -> tuple[object, ...]:
        """What a path has in common with those of the same databases."""
        return self.source, self.target, self.is_incoming


WAYS = (
    Way("EAST", "TGT", False, "EXT1", "PMP1"),
    Way("EAST", "TGT", False, "EXT2", "PMP1"),
    Way("EAST", "TGT", False, "EXT1", None),
    Way("NORTH", "TGT", False, "EXT1", "PMP1"),
    Way("EAST", "WEST", True, "EXT1", "PMP1", "REP1"),
)


class Beat(NamedTuple):
    """A beat: its path, its time, and when Extract, the pump, Replicat and the target had it (Julian microseconds)."""

    way: Way
    time: int
    extract: int | None
    routing: int | None = None
    replicat: int | None = None
    received: int | None = None

    @property
    def hops(self) -> dict[str, int]:
        """The lags that are known, by the names of JSON."""
        read_from = self.extract if self.routing is None else self.routing
        spans = {
            "extract_lag": (self.time, self.extract),
            "routing_lag": (self.extract, self.routing),
            "replicat_read_lag": (read_from, self.replicat),
            "replicat_lag": (self.replicat, self.received),
        }
        return {name: end - begin for name, (begin, end) in spans.items() if begin is not None and end is not None}

    def row(self) -> Row:
        """Its row."""
        way, names = self.way, ("HEARTBEAT", "EXTRACT", "ROUTING", "REPLICAT")
        side = "INCOMING" if way.is_incoming else "OUTGOING"
        times = zip(names, (self.time, self.extract, self.routing, self.replicat), strict=True)
        row: Row = {f"{side}_{name}_TS": time - BEGUN for name, time in times if time is not None}
        row |= {f"{side}_EXTRACT": way.extract, f"{side}_ROUTING_PATH": way.pump, f"{side}_REPLICAT": way.replicat}
        here, there = (way.target, way.source) if way.is_incoming else (way.source, way.target)
        row |= {"LOCAL_DATABASE": here, "REMOTE_DATABASE": there, "HEARTBEAT_TIMESTAMP": self.time - BEGUN}
        if self.received is not None:
            row["HEARTBEAT_RECEIVED_TS"] = self.received - BEGUN
        if not way.is_incoming:
            del row["OUTGOING_HEARTBEAT_TS"]
        return row


class BeatRow(NamedTuple):
    """A row with a beat: its RBA, whether it is one of the history, and whether a column of it does not decode."""

    rba: int
    beat: Beat
    is_history: bool = False
    is_spoilt: bool = False


class Piece(NamedTuple):
    """What stands at a place: a ``transaction``, a ``restart``, a ``definition``, ``damage`` or ``half`` a record.

    ``begun`` and ``time`` are the IO Times of its first and its last record; ``number`` is that of the transaction.
    """

    kind: str
    file: int
    rba: int
    length: int
    begun: int = 0
    time: int = 0
    rows: tuple[BeatRow, ...] = ()
    records: int = 1
    number: int = 0
    is_whole: bool = True

    @property
    def place(self) -> tuple[int, int]:
        """The number of the file, and the RBA."""
        return self.file, self.rba

    @property
    def xid(self) -> str:
        """The TRANID."""
        return ORACLE_12.xid(self.number)


class BeatFile(NamedTuple):
    """A file of the trail: its state is ``trail``, ``missing`` or ``no trail``."""

    path: Path
    state: str
    created: int
    pieces: tuple[Piece, ...]


class _Planned(NamedTuple):
    """What is to be written: a kind, a moment, and a beat."""

    kind: str
    moment: int
    beat: Beat | None = None


class _Writer(HeartbeatTrail):
    """A file that notes what it writes. Its records have no place in the redo."""

    def __init__(self, path: Path, file: int, created: int, behind: int) -> None:
        self._number_of_file = file
        self.pieces: list[Piece] = []
        super().__init__(path, created=created - BEGUN, behind=behind)
        header = self._capture.header

        def without_redo(io_type: int, name: str | int = "", **fields: Any) -> RecordHeader:
            made = header(io_type, name, **fields)
            return made if io_type == METADATA else made._replace(audit_rba=0, audit_pos=0)

        self._capture.header = without_redo  # type: ignore[method-assign]
        begin = self._writer.size
        self.defined(created - BEGUN)
        self.pieces.append(Piece("definition", file, begin, 0, created, created))

    @property
    def number(self) -> int:
        """The number of the last transaction."""
        return self._capture._transactions

    def _note(self, kind: str, begin: int, begun: int, time: int, **facts: Any) -> None:
        size = self._writer.size - begin
        self.pieces.append(Piece(kind, self._number_of_file, begin, size, begun, time, **facts))

    def rows(self, beats: list[tuple[Beat, bool, bool]], time: int) -> None:
        """A transaction of a row for each beat: of the table or its history, and spoilt or not."""
        begin, changes = self._writer.size, [self._change(*beat) for beat in beats]
        self._capture.now = time - MINUTE
        rbas: list[int] = []
        write = self._writer.write

        def noted(record: Any) -> None:
            rbas.append(self._writer.size)
            write(record)

        self._writer.write = noted  # type: ignore[method-assign]
        self._capture.commit(*changes)
        self._writer.write = write  # type: ignore[method-assign]
        rows = tuple(BeatRow(rba, *beat) for rba, beat in zip(rbas, beats, strict=True))
        self._note("transaction", begin, time, time, rows=rows, records=len(rows), number=self.number)

    def cut_row(self, beat: Beat, time: int) -> None:
        """The first row of a transaction that has no second."""
        begin, change = self._writer.size, self._change(beat, False, False)
        self._capture.now = time - MINUTE
        self._capture.cut(change, change, records=1)
        row = BeatRow(begin, beat)
        self._note("transaction", begin, time, time, rows=(row,), number=self.number + 1, is_whole=False)

    def work(self, *times: int) -> None:
        """A transaction of another table with an operation at each of these times."""
        begin = self._writer.size
        self._capture.begin()
        for at, time in enumerate(times):
            self._capture.now = time
            place = ONLY if len(times) == 1 else FIRST if not at else LAST if at == len(times) - 1 else MIDDLE
            change, capture = insert(OTHER_TABLE, SENCHA), self._capture
            header = capture.header(
                change.io_type, OTHER_TABLE.number, partition=capture.partition, before_after=65, orig_node=255
            )
            tokens = capture.transaction_tokens() if not at else ()
            images = change.images(capture.flavour.order)
            self._writer.write_values(header._replace(trans_ind=place), images, tokens)
        self._note("transaction", begin, times[0], times[-1], records=len(times), number=self.number)

    def event(self, kind: str, time: int, io_type: int = RESTART_OK) -> None:
        """A restart, a definition of the other table, or damage."""
        begin = self._writer.size
        if kind == "restart":
            self.restart(time - BEGUN, io_type)
        elif kind == "definition":
            self.defined(time - BEGUN)
        else:
            self._writer.write_bytes(GARBAGE, 0)
        self._note(kind, begin, time, time)

    def _change(self, beat: Beat, is_history: bool, is_spoilt: bool) -> Change:
        ending, row = "_HISTORY" if is_history else "", beat.row()
        if is_spoilt:
            side = "INCOMING" if beat.way.is_incoming else "OUTGOING"
            row[f"{side}_EXTRACT_TS"] = "no time at all"
        columns = self._columns[ending]
        return insert(self._tables[ending], values(row, columns))


class EventfulBeats:
    """Draws and writes a trail in a folder.

    Attributes:
        files: those that were drawn, the missing ones too; none is missing at the beginning or the end.
    """

    def __init__(self, folder: Path, random: Random) -> None:
        self._random = random
        self.files: list[BeatFile] = []
        self._beats: dict[int, list[tuple[Beat, bool, bool]]] = {}
        self._is_sound = random.random() < 0.85
        self._is_waiting = random.random() < 0.2  # Extract waits for a long transaction
        planned = self._planned()
        number = random.choice((1, 1, 2, 3))
        edges = [0, *sorted(random.choices(range(len(planned) + 1), k=number - 1)), len(planned)]
        behind = 0
        for at, (begin, stop) in enumerate(itertools.pairwise(edges)):
            behind = self._write(folder, at, number, planned[begin:stop], behind)

    @property
    def path(self) -> Path:
        """The first file."""
        return self.files[0].path

    @property
    def readable(self) -> list[BeatFile]:
        """The files that are there and are trails."""
        return [file for file in self.files if file.state == "trail"]

    @property
    def pieces(self) -> list[Piece]:
        """What stands in them."""
        return [piece for file in self.readable for piece in file.pieces]

    def _planned(self) -> list[_Planned]:
        """What happens, in the order of the trail."""
        random = self._random
        ways = random.sample(WAYS, random.choice((0, 1, 1, 2, 3)) if not self._is_waiting else 1)
        last = random.randint(3, MOST_MINUTES)
        timed: list[tuple[float, _Planned]] = []
        for way in ways:
            timed += self._beats_of(way, last)
        for kind in random.choices(
            ("restart", "restart", "work", "work", "long", "definition", "cut", "copy", "spoilt", "quiet"),
            k=random.randint(0, 8),
        ):
            moment = self._moment(last) + (MINUTE * random.choice((1, 5)) if kind == "quiet" else 0)
            timed.append((moment + random.choice((0, 0, 2 * MINUTE)), _Planned(kind, moment)))
        if self._is_waiting:
            begin = random.choice((last, last, 5)) * MINUTE
            timed += [(begin + kind, _Planned("longest", begin)) for kind in range(random.choice((1, 1, 2)))]
        if not self._is_sound:
            timed += [(self._moment(last), _Planned("damage", 0)) for _ in range(random.choice((0, 1, 2)))]
        timed.sort(key=lambda pair: pair[0])
        return [planned for _, planned in timed]

    def _moment(self, last: int) -> int:
        return self._random.randint(0, 4 * last) * MINUTE // 4 + self._random.choice((0, 0, SECOND))

    def _beats_of(self, way: Way, last: int) -> Iterator[tuple[float, _Planned]]:
        """Beats of a path: some are missing, late, equal or twice; now and then the path begins late or ends early."""
        random = self._random
        mood, rate = random.choice(("quick", "rising", "any", "any", "equal")), random.choice((5, 20, 40))
        if self._is_waiting:
            mood, rate = "rising", random.choice((15, 30, 45))
        begin, stop = (random.randint(0, last // 2), last) if random.random() < 0.3 else (0, random.randint(1, last))
        usual = random.choice((1, 4, 30))
        lost = set(random.choices(range(begin, stop + 1), k=random.choice((0, 0, 1, 4)) if not self._is_waiting else 0))
        for minute in range(begin, stop + 1):
            if minute in lost:
                continue
            time = BEGUN + minute * MINUTE + random.choice((0, 0, 0, 0, -SECOND, SECOND))
            lag = {"quick": random.choice((1, 1, 2)), "rising": rate * minute, "equal": usual}.get(
                mood, random.choice(LAGS)
            )
            rest = {"equal": usual, "rising": 1}.get(mood, random.choice((0, 1, 1, 5, 30, 300)))
            lag += random.choice((0, 0, 0, 0, 0, 0, 0, rate)) if mood == "rising" else 0
            beat = self._beat(way, time, lag, rest)
            late = random.choice((0, 0, 0, 0, 0, 2.5 * MINUTE)) if not self._is_waiting else 0
            order = time - BEGUN + late + random.random() * SECOND
            for _ in range(random.choice((1, 1, 1, 1, 2))):
                yield order, _Planned("beat", time - BEGUN, beat)

    def _beat(self, way: Way, time: int, extract: int, after: int) -> Beat:
        random = self._random
        at = time + extract * SECOND
        routing = at + after * SECOND if way.pump is not None else None
        if not way.is_incoming:
            return Beat(way, time, at, routing)
        replicat = (routing or at) + random.choice((0, 1, after)) * SECOND
        received = replicat + random.choice((0, 2, 60)) * SECOND if random.random() < 0.9 else None
        return Beat(way, time, at, routing, replicat, received)

    def _write(self, folder: Path, at: int, number: int, planned: list[_Planned], behind: int) -> int:
        """Write a file; return the number of transactions so far."""
        random, path = self._random, folder / f"hb{at:09}"
        created = (
            BEGUN
            + (min((beat_planned.moment for beat_planned in planned), default=0) if at else 0)
            - random.choice((0, SECOND))
        )
        kinds = ["trail", "trail", *(["missing"] if 0 < at < number - 1 else []), *(["no trail"] if at else [])]
        state = "trail" if self._is_sound else random.choice(kinds)
        writer = _Writer(path, at, created, behind)
        for planned_beat in planned:
            self._step(writer, planned_beat)
        is_cut = random.random() < 0.1 and at == number - 1 and writer.pieces[-1].kind != "damage"
        if is_cut:
            writer.work(BEGUN)
        writer.close()
        pieces = writer.pieces
        if is_cut:
            pieces[-1] = Piece("half", at, pieces[-1].rba, _HALF)
            path.write_bytes(path.read_bytes()[: pieces[-1].rba + _HALF])
        if state == "no trail":
            path.write_bytes(b"no trail")
        elif state == "missing":
            path.unlink()
        self.files.append(BeatFile(path, state, created, tuple(pieces)))
        return writer.number

    def _step(self, writer: _Writer, planned: _Planned) -> None:
        random, time = self._random, BEGUN + planned.moment
        if planned.kind == "beat" and planned.beat is not None:
            self._write_beat(writer, planned.beat)
        elif planned.kind in ("cut", "spoilt"):
            way = random.choice(WAYS)
            beat = self._beat(way, time, random.choice(LAGS), 600)._replace(received=None)
            if planned.kind == "cut":
                writer.cut_row(beat, time)
                if random.random() < 0.5:
                    writer.event("restart", time + SECOND, RESTART_ABEND)
            else:
                writer.rows([(beat, False, True)], time)
        elif planned.kind == "copy":
            self._copy(writer)
        elif planned.kind in ("long", "longest"):
            far = 15 if planned.kind == "longest" else 5
            operations = sorted([-far, *random.choices(range(-far, 1), k=random.randint(1, 3))])
            writer.work(*(time + operation * MINUTE for operation in operations))
        elif planned.kind in ("work", "quiet"):
            writer.work(*[time] * random.choice((1, 1, 2, 3)))
        elif planned.kind != "damage" or writer.pieces[-1].kind != "damage":
            writer.event(planned.kind, time)

    def _write_beat(self, writer: _Writer, beat: Beat) -> None:
        random = self._random
        committed = beat.time + random.choice((0, 0, SECOND, 100 * SECOND))
        if not beat.way.is_incoming:
            beats = [(beat, False, False)]
        elif beat.received is None:
            beats = [(beat, random.random() < 0.5, False)]
        else:
            beats = [(beat, True, False)]
            if random.random() < 0.5:
                beats.insert(0, (beat._replace(received=None), False, False))
        writer.rows(beats, committed)
        self._beats[writer.number] = beats

    def _copy(self, writer: _Writer) -> None:
        """Write an earlier transaction once more, now and then as another beat."""
        random, number = self._random, writer.number
        if not self._beats:
            return
        original = random.choice(list(self._beats))
        beats = self._beats[original]
        if random.random() < 0.5:
            beat = self._beat(beats[0][0].way, beats[0][0].time + SECOND, 900, 1)
            beats = [(beat if beats[0][1] else beat._replace(received=None), *beats[0][1:])]
        writer.go_back(number - original + 1)
        writer.rows(beats, beats[0][0].time + MINUTE)
        writer.go_back(original - number)
