"""What a watcher of a written trail has read, and each number of its page, by the pieces of the files alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.logdump.watch.written_trail import DAMAGE, HEADER, RESTARTS, ROUND, Beat, Piece, Written
from trailformat import io_type_name
from trailformat.records.record_header import FIRST, LAST, METADATA, ONLY

JULIAN_1970 = 210866760000000000
HOUR = 3_600_000_000
Labels = frozenset[tuple[str, str]]
Samples = dict[tuple[str, Labels], float]
NO_LABELS = Labels()
WAITING = "logdump_trail_waiting_bytes"


class _Place(NamedTuple):
    """A file's number, how many of its pieces were read, their bytes without the header, its birth, if it is all."""

    seqno: int
    pieces: int = 0
    rba: int = 0
    body: bytes = b""
    created: int | None = None
    is_whole: bool = False
    is_open: bool = False
    is_trail: bool = True

    @classmethod
    def at(cls, seqno: int, file: Written, pieces: int, rba: int) -> _Place:
        has_header = file.created is not None and file.header_length > 0
        is_open = has_header and file.size is None
        is_whole = has_header and file.size == rba == len(file.data)
        body = file.data[file.header_length : rba]
        return cls(seqno, pieces, rba, body, file.created if has_header else None, is_whole, is_open, file.is_trail)

    def is_in(self, file: Written) -> bool:
        other = _Place.at(self.seqno, file, 0, self.rba)
        return self.rba <= len(file.data) and (other.body, other.created) == (self.body, self.created)


class _Stop(Exception):
    """The trail cannot be read on."""


class Watcher:
    """A watcher of one trail.

    Args:
        path: the folder and the prefix of its files.
        most_tables: tables with metrics of their own.
    """

    def __init__(self, path: Path, most_tables: int) -> None:
        self.path, self._most_tables = path, most_tables
        self.counts: Counter[str] = Counter()
        self.records, self.sizes = Counter[str](), Counter[str]()
        self.table_records, self.table_sizes = Counter[str](), Counter[str]()
        self.tables = list[str]()
        self.open: tuple[int, int] | None = None
        self.place: _Place | None = None
        self.left: dict[int, _Place] = {}
        self.beats: dict[tuple[str, str], Beat] = {}
        self.times = list[int]()
        self.largest = self.grown = self.files = self.size = 0
        self.waiting: tuple[int, set[str]] | None = None
        self.is_up = False

    @property
    def kinds(self) -> set[str]:
        """What the bytes after the last record may be taken for."""
        return self.waiting[1] if self.waiting is not None else set()

    def restart(self) -> None:
        """Another run goes on from the state: what waits is not in it."""
        self.waiting = None

    def look(self, files: dict[int, Written]) -> None:
        """Read what is there now."""
        self.is_up = False
        names = [f"{self.path.name}{seqno:09d}{'.gz' * file.is_packed}" for seqno, file in files.items()]
        paths = [self.path.with_name(name) for name in names]
        self.files, self.size = len(files), sum(path.stat().st_size for path in paths)
        try:
            self._read_on(files)
        except _Stop:
            return
        finally:
            self._choose_tables()
        self.is_up = True

    def _look_at_left(self, files: dict[int, Written]) -> None:
        for seqno in [seqno for seqno in self.left if not files[seqno].is_packed]:
            self.counts["unread_files_total"] += not self._is_as_left(files, seqno)
            self.left[seqno] = _Place.at(seqno, files[seqno], 0, len(files[seqno].data))

    def _is_as_left(self, files: dict[int, Written], seqno: int) -> bool:
        place, file = self.left.get(seqno), files[seqno]
        if place is None or not file.is_trail:
            return place is not None and not place.is_trail
        return place.rba == len(file.data) and place.is_in(file)

    def _read_on(self, files: dict[int, Written]) -> None:
        self.left = {seqno: place for seqno, place in self.left.items() if seqno in files}
        names = [*files]
        first = self._begun(names, files)
        self._look_at_left(files)
        born = max((at + 1 for at, file in enumerate(files.values()) if not file.is_unborn), default=0)
        for at in range(first, born):
            after = names[at + 1] if at + 1 < born else None
            self._read(names[at], files[names[at]], after)
        if not born:
            raise _Stop

    def _begun(self, names: list[int], files: dict[int, Written]) -> int:
        if self.place is None:
            self.place = _Place(names[0])
            return 0
        if self.place.seqno not in names:
            later = [at for at, name in enumerate(names) if 0 < (name - self.place.seqno) % ROUND < ROUND // 2]
            if not later:
                self._replace(names[0], names[:0])
                return 0
            if not self.place.is_whole:
                self.counts["unread_files_total"] += 1
                self._cut()
            self._enter(names[later[0]])
            return later[0]
        at = names.index(self.place.seqno)
        file = files[names[at]]
        if self.place.rba and file.is_blocked:
            raise _Stop
        if self.place.rba and not (file.is_trail and self.place.is_in(file)):
            at = next((number for number in range(at) if not self._is_as_left(files, names[number])), at)
            self._replace(names[at], names[:at])
        return at

    def _cut(self) -> None:
        self.counts["cut_transactions_total"] += self.open is not None
        self.open = None

    def _replace(self, seqno: int, former: list[int]) -> None:
        self._cut()
        self.counts["replacements_total"] += 1
        self.place, self.beats, self.times = _Place(seqno), {}, []
        self.left = {name: place for name, place in self.left.items() if name in former}
        self.largest = self.grown = 0
        self.waiting = (0, {"incomplete"})

    def _enter(self, seqno: int) -> None:
        assert self.place is not None
        if missing := (seqno - self.place.seqno) % ROUND - 1:
            self.counts["missing_files_total"] += missing
            self._cut()
        self.place, self.waiting = _Place(seqno), (0, {"incomplete"})

    def _read(self, seqno: int, file: Written, after: int | None) -> None:
        assert self.place is not None
        assert self.place.seqno == seqno
        if file.is_blocked or (not file.is_trail and after is None):
            raise _Stop
        done, rba = self.place.pieces, self.place.rba
        sound = [at for at, piece in enumerate(file.pieces) if piece.is_sound and at >= done]
        for piece, former in zip(file.pieces[done:], (None, *file.pieces[done:]), strict=False):
            if done > (sound[-1] if sound else -1):
                break
            self._take(piece, former)
            done, rba = done + 1, rba + len(piece.data)
        self.waiting = self._rest(file, done, rba)
        self.place = _Place.at(seqno, file, done, rba)
        if after is None:
            return
        if self.waiting[0]:
            self.counts["damages_total"] += 1
            self.counts["damaged_bytes_total"] += self.waiting[0]
        elif not file.is_trail:
            self.counts["damages_total"] += 1
        self.left[seqno] = _Place.at(seqno, file, done, len(file.data))
        self._enter(after)

    @staticmethod
    def _rest(file: Written, done: int, rba: int) -> tuple[int, set[str]]:
        """The bytes after the last record, and the kinds that they may be taken for."""
        rest = file.data[rba:]
        if not rest.strip(b"\0"):
            return len(rest), {"zeros"} if rest else {"incomplete"}
        if done == len(file.pieces) and file.is_part_sound and not file.zeros:
            return len(rest), {"incomplete"}
        return len(rest), {"incomplete", "damaged"}

    def _take(self, piece: Piece, former: Piece | None) -> None:
        size = len(piece.data)
        if piece.io_type == DAMAGE:
            self.counts["damages_total"] += former is None or former.io_type != DAMAGE
            self.counts["damaged_bytes_total"] += size
            return
        name = "FileHeader" if piece.io_type == HEADER else io_type_name(piece.io_type)
        self.records[name] += 1
        self.sizes[name] += size
        self.grown += size
        if piece.table:
            self.table_records[piece.table] += 1
            self.table_sizes[piece.table] += size
        if piece.io_type != HEADER and piece.time:
            self.times.append(piece.time)
        if piece.beat is not None:
            key = piece.beat.source, piece.beat.path
            if key not in self.beats or self.beats[key].time <= piece.beat.time:
                self.beats[key] = piece.beat
        if piece.io_type not in (HEADER, METADATA):
            self._go_on(piece)

    def _go_on(self, piece: Piece) -> None:
        """A record of a transaction, or a restart."""
        if piece.io_type in RESTARTS:
            self.counts["restarts_total"] += 1
            self._cut()
            return
        if piece.trans_ind in (FIRST, ONLY):
            self._cut()
        size, begun = self.open or (0, piece.time)
        self.open = size + len(piece.data), begun
        if piece.trans_ind in (LAST, ONLY):
            self.counts["transactions_total"] += 1
            self.largest = max(self.largest, self.open[0])
            self.open = None

    def _choose_tables(self) -> None:
        rest = [name for name in self.table_records if name not in ("other", *self.tables)]
        rest.sort(key=lambda name: (-self.table_sizes[name], name))
        self.tables += rest[: max(0, self._most_tables - len(self.tables))]

    def samples(self, now: float, free: int) -> Samples:
        """The page of this trail; ``waiting_bytes`` is the sum of all kinds, without the label."""
        page = Samples()

        def put(name: str, value: float | None, **labels: str) -> None:
            if value is not None:
                page[f"logdump_trail_{name}", frozenset({**labels, "trail": str(self.path)}.items())] = value

        totals = ("transactions", "restarts", "cut_transactions", "damages", "damaged_bytes", "missing_files")
        for name in (*totals, "unread_files", "replacements"):
            put(f"{name}_total", self.counts[f"{name}_total"])
        put("up", int(self.is_up))
        put("sequence", self.place.seqno if self.place is not None else None)
        put("position_bytes", self.place.rba if self.place is not None else None)
        put("files", self.files)
        put("size_bytes", self.size)
        put("files_not_closed", sum(place.is_open for place in self.left.values()))
        newest = max(self.times, default=None)
        put("newest_record_timestamp_seconds", _seconds(newest))
        put("newest_record_age_seconds", _age(newest, now))
        put("open_transactions", int(self.open is not None))
        put("open_transaction_age_seconds", _age(self.open[1] or None, now) if self.open is not None else 0)
        put("open_transaction_bytes", self.open[0] if self.open is not None else 0)
        put("largest_transaction_bytes", self.largest)
        put("disk_free_bytes", free)
        rate = self.grown * HOUR // (newest - min(self.times)) if newest and newest > min(self.times) else 0
        put("disk_left_seconds", round(free / rate * 3600, 3) if rate else None)
        put("waiting_bytes", self.waiting[0] if self.waiting is not None else None)
        for name, count in self.records.items():
            put("records_total", count, operation=name)
            put("bytes_total", self.sizes[name], operation=name)
        for what, counts in (("records", self.table_records), ("bytes", self.table_sizes)):
            for name in self.tables:
                put(f"table_{what}_total", counts[name], table=name.replace("\\", "\\\\").replace("\n", "\\n"))
            rest = sum(count for name, count in counts.items() if name not in self.tables)
            put(f"table_{what}_total", rest, table="other")
        for (source, way), beat in self.beats.items():
            labels = {"source": source, "target": "", "path": way, "direction": "outgoing"}
            put("heartbeat_age_seconds", _age(beat.time, now), **labels)
            for hop, lag in beat.lags.items():
                put("lag_seconds", lag / 1e6, **labels, hop=hop)
        return page


def _seconds(time: int | None) -> float | None:
    return None if time is None else (time - JULIAN_1970) / 1e6


def _age(time: int | None, now: float) -> float | None:
    moment = _seconds(time)
    return None if moment is None else round(max(0.0, now - moment), 6)


def without_kinds(page: Samples) -> tuple[Samples, dict[str, set[str]]]:
    """A page with the sum of the bytes that wait, and the kinds of those of each trail."""
    sums, kinds = Counter[str](), dict[str, set[str]]()
    rest = Samples()
    for (name, labels), value in page.items():
        if name != WAITING:
            rest[name, labels] = value
            continue
        own = dict(labels)
        sums[own["trail"]] += int(value)
        kinds.setdefault(own["trail"], set()).update([own["kind"]] if value else [])
    return rest | {(WAITING, frozenset({("trail", trail)})): size for trail, size in sums.items()}, kinds
