"""A trail that is written, cut, damaged, purged and replaced piece by piece, for models that know its pieces."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

from fixtures.flavour import ORACLE_12
from fixtures.headers import file_header
from tests.searching import Random
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.trailformat.samples import IO_TIME, row, table_record
from trailformat import Record, TrailFile, make_file_header_record
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record_header import (
    DELETE,
    FIRST,
    INSERT,
    LAST,
    METADATA,
    MIDDLE,
    ONLY,
    RESTART_ABEND,
    RESTART_OK,
    UNIFIED_UPDATE,
)

TABLES = ("TEA.LEAVES", "TEA.POTS", "TEA.CUPS", "other", "TEA.TRAYS", 'TEA."x"\\n', 'TEA."x"\n')
RESTARTS = (RESTART_ABEND, RESTART_OK)
BASE = 212577168600000000
HEADER, DAMAGE = -1, -2
"""Types of pieces that are no records."""
SECOND = 1_000_000
ROUND = 10**9
"""How many numbers files have."""
HEAD = file_header(ORACLE_12)


class Beat(NamedTuple):
    """A heartbeat: its path, when it was generated (Julian), its lags by hop in microseconds."""

    source: str
    path: str
    time: int
    lags: dict[str, int]


class Piece(NamedTuple):
    """A stretch of a file: its bytes, its type, and what a record has; ``time`` is Julian.

    ``is_begin``: True for damage that is the begin of a record, and nothing after it.
    """

    data: bytes
    io_type: int
    trans_ind: int = ONLY
    table: str = ""
    time: int = 0
    beat: Beat | None = None
    is_begin: bool = False

    @property
    def is_sound(self) -> bool:
        """True for a record or a header."""
        return self.io_type != DAMAGE


class Written(NamedTuple):
    """A file as it stands on the disk: whole pieces, bytes of one that is not whole, zero bytes.

    Attributes:
        is_part_sound: True if the piece that is not whole will be a record or a header.
        created: CreationTime of its header; None without one.
        size: FileSize that the header has; None if it is not closed.
        is_blocked: True if it cannot be read.
        is_packed: True if it is compressed.
    """

    pieces: tuple[Piece, ...]
    part: bytes
    is_part_sound: bool
    zeros: int
    created: int | None
    size: int | None
    is_blocked: bool
    is_packed: bool

    @property
    def data(self) -> bytes:
        """All bytes."""
        return b"".join(piece.data for piece in self.pieces) + self.part + bytes(self.zeros)

    @property
    def header_length(self) -> int:
        """The bytes of its header."""
        return len(self.pieces[0].data) if self.pieces and self.pieces[0].io_type == HEADER else 0

    @property
    def is_trail(self) -> bool:
        """True if it has a record or a header."""
        return any(piece.is_sound for piece in self.pieces)

    @property
    def is_unborn(self) -> bool:
        """True if it has nothing but the begin of its first record, which may never have come to its end."""
        return not self.is_blocked and all(piece.is_begin for piece in self.pieces)


class HeartbeatPieces:
    """Heartbeats of some paths, as pieces, made once."""

    def __init__(self, folder: Path, draw: Random, number: int = 12) -> None:
        path = folder / "beats000000"
        trail = HeartbeatTrail(path, flavour=ORACLE_12)
        beats = list[Beat]()
        for at in range(number):
            name, time = draw.choice(["EAST", "WEST", "NORTH"]), (at * 60 + draw.choice([0, 0, 0, -150])) * SECOND
            extract, routing = (draw.randint(0, 9 * SECOND) for _ in range(2))
            trail.insert(
                {
                    "LOCAL_DATABASE": name,
                    "HEARTBEAT_TIMESTAMP": time,
                    "OUTGOING_EXTRACT": f"EXT{name[0]}",
                    "OUTGOING_ROUTING_PATH": "PMP1",
                    "OUTGOING_EXTRACT_TS": time + extract,
                    "OUTGOING_ROUTING_TS": time + extract + routing,
                },
                number * 60 * SECOND,
            )
            beats.append(Beat(name, f"EXT{name[0]} ==> PMP1", BEGUN + time, {"extract": extract, "routing": routing}))
        trail.close()
        with TrailFile(path) as file:
            records, rba = list[Record](), file.first_rba
            while (record := file.record_at(rba)) is not None:
                records.append(record)
                rba += record.length
        path.unlink()
        own = [record for record in records if record.header.io_type != METADATA]
        self.opening = [
            Piece(trail_record.raw, METADATA, table=table, time=trail_record.header.io_time)
            for trail_record, table in zip(records[:2], ("", "GGADMIN.GG_HEARTBEAT"), strict=True)
        ]
        self.beats = [
            Piece(trail_record.raw, INSERT, ONLY, "GGADMIN.GG_HEARTBEAT", trail_record.header.io_time, beat)
            for trail_record, beat in zip(own, beats, strict=True)
        ]


class _File:
    """A file that is being written: its pieces, how many of its bytes are on the disk, zero bytes after them."""

    def __init__(self, created: int | None) -> None:
        self.pieces = list[Piece]()
        self.shown = self.zeros = 0
        self.created = created
        self.size: int | None = None
        self.is_blocked = self.is_packed = self.is_other = False

    @property
    def length(self) -> int:
        """The bytes of its pieces."""
        return sum(len(piece.data) for piece in self.pieces)

    @property
    def has_definitions(self) -> bool:
        """True if it defines the tables that records name by an index."""
        return any(piece.io_type == METADATA and piece.table == "TEA.BY_INDEX" for piece in self.pieces)

    def written(self) -> Written:
        """What of it is on the disk."""
        rest, whole, part, is_sound = self.shown, list[Piece](), b"", True
        for piece in self.pieces:
            if rest < len(piece.data):
                part, is_sound = piece.data[:rest], piece.is_sound
                break
            whole.append(piece)
            rest -= len(piece.data)
        header = self.created, self.size
        return Written((*whole,), part, is_sound, self.zeros, *header, self.is_blocked, self.is_packed)

    def settle(self) -> None:
        """Let what is not on the disk be lost, and what is there be all there ever is."""
        written = self.written()
        self.pieces = [*written.pieces]
        if rest := written.part + bytes(written.zeros):
            self.pieces.append(Piece(rest, DAMAGE, is_begin=written.is_part_sound and not written.zeros))
        self.shown, self.zeros = self.length, 0

    def put(self, path: Path) -> None:
        """Write it, unless the disk has it; in place, unless it is another file than before."""
        data = self.written().data
        if self.is_packed:
            packed = path.with_name(f"{path.name}.gz")
            if not packed.exists():
                packed.write_bytes(gzip.compress(data, 1))
            return
        if self.is_other or self.is_blocked != path.is_dir():
            _remove(path)
        self.is_other = False
        if self.is_blocked:
            path.mkdir(exist_ok=True)
            return
        former = path.read_bytes() if path.exists() else b""
        if not path.exists() or (data != former and data.startswith(former)):
            with path.open("ab") as handle:
                handle.write(data[len(former) :])
        elif data != former:
            with path.open("r+b") as handle:
                handle.write(data)
                handle.truncate()


class WrittenTrail:
    """A trail by its pieces.

    Args:
        folder: its folder, which has nothing else that is called like it.
        prefix: the two characters of its files.
        beats: heartbeats that may be written.
    """

    def __init__(self, folder: Path, prefix: str, draw: Random, beats: HeartbeatPieces) -> None:
        self.path = folder / prefix
        self._draw, self._beats, self._left_beats = draw, beats, [*beats.beats]
        self._number = self._births = 0
        self._seqno = draw.choice([0, 0, 7, ROUND - 2])
        self.files: dict[int, _File] = {}
        self._begin(self._seqno)
        self.flush()

    def _file(self, seqno: int) -> Path:
        return self.path.with_name(f"{self.path.name}{seqno:09d}")

    def written(self) -> dict[int, Written]:
        """The files on the disk, in the order of writing."""
        return {seqno: file.written() for seqno, file in self.files.items()}

    def write(self) -> None:
        """Write all files; those that are as they were are not touched."""
        for path in self.path.parent.glob(f"{self.path.name}*"):
            file = self.files.get(int(path.name[len(self.path.name) :].removesuffix(".gz")))
            if file is None or file.is_packed != (path.suffix == ".gz"):
                _remove(path)
        for seqno, file in self.files.items():
            file.put(self._file(seqno))

    @property
    def _newest(self) -> _File:
        return next(reversed(self.files.values()))

    def _begin(self, seqno: int) -> None:
        """Begin a file, with a header and the definitions of tables, or without both."""
        self._births += 1
        has_header = self._draw.random() < 0.7
        self.files[seqno] = file = _File(BASE + self._births if has_header else None)
        if has_header:
            file.pieces += [self._header(file), *self._beats.opening]
            file.pieces.append(Piece(table_record(9, "TEA.BY_INDEX").raw, METADATA, table="TEA.BY_INDEX", time=IO_TIME))
        self._record(self._draw.choice([ONLY, FIRST, MIDDLE, LAST]))

    @staticmethod
    def _header(file: _File) -> Piece:
        values: dict[str, Value] = {
            "CreationTime": file.created,
            "FileSize": file.size,
            "LastCSN": file.size and "41882470",
        }
        return Piece(make_file_header_record(replace_values(HEAD, "TrailInfo", values)).raw, HEADER)

    def _record(self, trans_ind: int = ONLY, io_type: int | None = None, file: _File | None = None) -> None:
        self._number += 1
        file, time = file or self._newest, self._draw.choice([BASE + self._number * SECOND] * 20 + [0])
        table = self._draw.choice([*TABLES, *["TEA.BY_INDEX"] * file.has_definitions])
        io_type = io_type if io_type is not None else self._draw.choice([INSERT, DELETE, UNIFIED_UPDATE])
        data = f"{self._number} ".encode() * self._draw.randint(1, 9) if io_type not in RESTARTS else b""
        name = 9 if table == "TEA.BY_INDEX" else table
        record = row(data, name, io_type=io_type, trans_ind=trans_ind, io_time=time)
        file.pieces.append(Piece(record.raw, io_type, trans_ind, table, time))

    def step(self) -> None:
        """Something happens to the trail."""
        if self._newest.is_blocked and self._draw.random() < 0.6:
            self._newest.is_blocked = False
        seldom = (
            *(self.restart, self.damage, self.purge, self.replace, self.truncate, self.renew, self.grow_older),
            *(
                self.close_older,
                self.close_newest,
                self.block,
                self.spoil,
                self.roll_away,
                self.roll_away,
                self.pack_older,
            ),
        )
        chances = [self.transaction] * 12 + [self.go_on] * 8 + [self.roll] * 5 + [self.beat] * 4
        self._draw.choice([*chances, *seldom])()
        self.flush(self._draw.random() if self._draw.random() < 0.5 else 1)

    def flush(self, part: float = 1) -> None:
        """Let a part of what is not on the disk yet come there; zero bytes may be there for what comes later."""
        file = self._newest
        file.shown += round((file.length - file.shown) * part)
        file.zeros = 0
        written = file.written()
        is_apart = not written.part or (part and file.length - file.shown > 99)
        if written.pieces and is_apart and self._draw.random() < 0.2:
            file.zeros = self._draw.choice([1, 7, 300, 70_000])

    def transaction(self) -> None:
        """Records of a transaction, which may go on later."""
        count = self._draw.randint(1, 4)
        kinds = [ONLY] if count == 1 else [FIRST, *[MIDDLE] * (count - 2), LAST]
        for kind in kinds[: self._draw.choice([count, count, self._draw.randint(1, count)])]:
            self._record(kind)

    def go_on(self) -> None:
        """A record of the transaction that is open, or of one whose begin is lost."""
        self._record(self._draw.choice([MIDDLE, MIDDLE, LAST]))

    def restart(self) -> None:
        """The writer was restarted."""
        self._record(io_type=self._draw.choice(RESTARTS))

    def beat(self) -> None:
        """A heartbeat."""
        if self._newest.has_definitions and self._left_beats:
            self._newest.pieces.append(self._left_beats.pop(0))

    def damage(self) -> None:
        """Bytes that are no record, and perhaps a record after them."""
        self._newest.pieces.append(Piece(b"damage, no record " * self._draw.randint(3, 9), DAMAGE))
        if self._draw.random() < 0.7:
            self._record()

    def roll(self) -> None:
        """A new file; perhaps what was not written is lost, perhaps a whole file."""
        self._newest.is_blocked = False
        if self._draw.random() < 0.7:
            self.flush()
            self._newest.zeros = self._draw.choice([0, 0, self._newest.zeros])
        self._newest.settle()
        if self._draw.random() < 0.6:
            self._close(self._newest)
        step = self._draw.choice([1, 1, 1, 2, 4]) if 10 < self._seqno < ROUND - 10 or self._seqno < 9 else 1
        self._seqno = (self._seqno + step) % ROUND
        self._begin(self._seqno)
        self._newest.shown = self._draw.choice([0, self._draw.randint(0, self._newest.length), self._newest.length])

    def roll_away(self) -> None:
        """New files, and the former ones are purged at once."""
        for _ in range(self._draw.randint(1, 2)):
            self.flush(self._draw.choice([0.5, 1, 1]))
            self.roll()
        for seqno in [*self.files][: -self._draw.randint(1, 2)]:
            del self.files[seqno]

    def _close(self, file: _File) -> None:
        """Set the values of a header that are known at the end."""
        if file.created is not None and file.pieces and file.pieces[0].io_type == HEADER:
            file.size = file.shown
            file.pieces[0] = self._header(file)

    def purge(self) -> None:
        """The oldest files go, read or not, but the newest one stays."""
        for seqno in [*self.files][: self._draw.randint(0, len(self.files) - 1)]:
            del self.files[seqno]

    def replace(self) -> None:
        """The newest file has other records."""
        file = self._newest
        file.is_other = self._draw.random() < 0.5
        if self._draw.random() < 0.5:
            del self.files[self._seqno]
            self._begin(self._seqno)
            self._newest.is_other = file.is_other
        else:
            del file.pieces[self._draw.randint(0, 1) :]
            file.size = file.shown = 0
            file.size = None
            file.created = file.created if file.pieces and file.pieces[0].io_type == HEADER else None
            file.pieces = [self._header(file)] if file.created is not None else []
        for _ in range(self._draw.randint(1, 5)):
            self._record()
        self.flush()

    def truncate(self) -> None:
        """The newest file loses its last records."""
        file = self._newest
        del file.pieces[self._draw.randint(1, len(file.pieces)) :]
        file.shown = min(file.shown, file.length)

    def renew(self) -> None:
        """All files are others, whose numbers begin anew, or those of an earlier one."""
        count = min(len(self.files), 3)
        self.files = {}
        self._seqno = max(0, self._seqno - self._draw.choice([count - 1, self._draw.randint(0, 9)]))
        for at in range(count):
            if at:
                self.flush()
                self._newest.zeros = 0
                self._seqno = (self._seqno + 1) % ROUND
            self._begin(self._seqno)
            self._newest.is_other = True
            self._record()

    def grow_older(self) -> None:
        """A file that has a successor gets another record."""
        for file in self._one_older():
            self._record(file=file)
            file.shown = file.length

    def _one_older(self) -> list[_File]:
        """One of the files that have a successor and are not packed, if there is one."""
        older = [file for file in [*self.files.values()][:-1] if not file.is_packed]
        return self._draw.sample(older, min(1, len(older)))

    def pack_older(self) -> None:
        """A file that has a successor, and a record, is compressed."""
        for file in self._one_older():
            file.is_packed = file.written().is_trail

    def close_older(self) -> None:
        """A file that has a successor is closed late."""
        for file in self._one_older():
            self._close(file)

    def close_newest(self) -> None:
        """The newest file is closed, as by a writer that is stopped."""
        self.flush()
        self._newest.zeros = 0
        self._close(self._newest)

    def block(self) -> None:
        """The newest file cannot be read for a while."""
        self._newest.is_blocked = True

    def spoil(self) -> None:
        """The newest file has no record any more."""
        file = self._newest
        file.pieces, file.created, file.size = [Piece(b"no record at all " * 20, DAMAGE)], None, None
        file.shown, file.zeros = file.length, 0


def _remove(path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
