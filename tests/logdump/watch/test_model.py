"""WATCH over a trail that grows, rolls over, is damaged, purged and replaced, by a model that knows its pieces."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.features.watch import watched_trail
from logdump.features.watch.watched_trail import WatchedTrail
from tests.searching import IS_LONG, Random, examples
from tests.trailformat.samples import row
from trailformat import io_type_name
from trailformat.records.record_header import (
    DELETE,
    FIRST,
    INSERT,
    LAST,
    MIDDLE,
    ONLY,
    RESTART_ABEND,
    RESTART_OK,
    UNIFIED_UPDATE,
)

TABLES = ("TEA.LEAVES", "TEA.POTS", "TEA.CUPS")
RESTARTS = (RESTART_ABEND, RESTART_OK)
BASE = 212577168600000000


class Piece(NamedTuple):
    """A stretch of a file: a record, damage, or the begin of a record, which has no type; ``time`` is Julian."""

    data: bytes
    io_type: int | None
    trans_ind: int = ONLY
    table: str = ""
    time: int = 0
    is_half: bool = False


class Model:
    """A trail by its pieces, and what a watcher has read of it."""

    def __init__(self, folder: Path, draw: Random) -> None:
        self.folder, self._draw, self._number = folder, draw, 0
        self.files: dict[int, list[Piece]] = {0: []}
        self.counts: Counter[str] = Counter()
        self.records, self.sizes = Counter[str](), Counter[str]()
        self.tables: Counter[str] = Counter()
        self.open: tuple[int, int, int] | None = None
        self.place: tuple[int, int] | None = None
        self.newest: int | None = None
        self.largest = 0
        self._seen = list[bytes]()
        self._rest: Piece | None = None
        self._record()
        self.write()

    def _path(self, seqno: int) -> Path:
        return self.folder / f"wt{seqno:09d}"

    def write(self) -> None:
        """Write all files; those that are as they were are not touched."""
        for path in self.folder.glob("wt*"):
            if int(path.name[2:]) not in self.files:
                path.unlink()
        for seqno, pieces in self.files.items():
            data, path = b"".join(piece.data for piece in pieces), self._path(seqno)
            former = path.read_bytes() if path.exists() else b""
            if data != former and data.startswith(former):
                with path.open("ab") as file:
                    file.write(data[len(former) :])
            elif data != former:
                path.write_bytes(data)

    def _newest(self) -> list[Piece]:
        return self.files[max(self.files)]

    def _record(self, trans_ind: int = ONLY, io_type: int | None = None) -> None:
        self._number += 1
        table, time = self._draw.choice(TABLES), BASE + self._number * 1_000_000
        io_type = io_type if io_type is not None else self._draw.choice([INSERT, DELETE, UNIFIED_UPDATE])
        data = f"{self._number} ".encode() * self._draw.randint(1, 9) if io_type not in RESTARTS else b""
        record = row(data, table, io_type=io_type, trans_ind=trans_ind, io_time=time)
        self._newest().append(Piece(record.raw, io_type, trans_ind, table, time))

    def step(self) -> None:
        """Something happens to the trail."""
        if self._newest() and self._newest()[-1].is_half:  # nothing but its rest, or a new file, follows half a record
            self._draw.choice([self._complete, self.roll])()
            return
        chances = (
            [self.transaction] * 6
            + [self.go_on] * 4
            + [self.roll] * 2
            + [self.restart, self.half, self.damage, self.purge, self.replace]
        )
        self._draw.choice(chances)()

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

    def damage(self) -> None:
        """Bytes that are no record, and a record after them."""
        self._newest().append(Piece(b"damage, no record " * self._draw.randint(3, 9), None))
        self._record()

    def half(self) -> None:
        """The begin of a record."""
        self._record()
        whole = self._newest().pop()
        self._rest = whole
        self._newest().append(whole._replace(data=whole.data[: len(whole.data) - 9], is_half=True))

    def _complete(self) -> None:
        assert self._rest is not None
        self._newest()[-1] = self._rest

    def roll(self) -> None:
        """A new file; perhaps one was lost in between."""
        self.files[max(self.files) + self._draw.choice([1, 1, 1, 2])] = []
        self._record()

    def purge(self) -> None:
        """The oldest files go, read or not, but the newest one stays."""
        for seqno in sorted(self.files)[: self._draw.randint(0, len(self.files) - 1)]:
            del self.files[seqno]

    def replace(self) -> None:
        """The newest file has other records."""
        self._newest().clear()
        for _ in range(self._draw.randint(1, 5)):
            self._record()

    def look(self) -> None:
        """What a watcher reads now."""
        numbers = sorted(self.files)
        first = next((at for at, seqno in enumerate(numbers) if self.place is not None and seqno >= self.place[0]), 0)
        for seqno in numbers[first:]:
            if self.place is not None and seqno != self.place[0]:
                self.counts["missing"] += seqno - self.place[0] - 1
                self.place = None
            self._read(seqno, is_last=seqno == numbers[-1])

    def _read(self, seqno: int, *, is_last: bool) -> None:
        pieces = self.files[seqno]
        done = self.place[1] if self.place is not None else 0
        if done and [piece.data for piece in pieces[:done]] != self._seen:
            self.counts["replaced"] += 1
            self.open, done = None, 0
        for piece in pieces[done:]:
            if piece.is_half and is_last:
                break
            self._take(piece)
            done += 1
        self._seen = [piece.data for piece in pieces[:done]]
        self.place = seqno, done

    def _take(self, piece: Piece) -> None:
        size = len(piece.data)
        if piece.io_type is None or piece.is_half:
            self.counts["damages"] += 1
            self.counts["damage_size"] += size
            return
        name = io_type_name(piece.io_type)
        self.records[name] += 1
        self.sizes[name] += size
        self.tables[piece.table] += 1
        self.newest = max(piece.time, self.newest or 0)
        if piece.io_type in RESTARTS:
            self.counts["restarts"] += 1
            self.counts["cut"] += self.open is not None
            self.open = None
            return
        if self.open is not None and piece.trans_ind in (FIRST, ONLY):
            self.counts["cut"] += 1
            self.open = None
        records, sizes, begun = self.open or (0, 0, piece.time)
        self.open = records + 1, sizes + size, begun
        if piece.trans_ind in (LAST, ONLY):
            self.counts["transactions"] += 1
            self.largest = max(self.largest, self.open[1])
            self.open = None


def _known(trail: WatchedTrail) -> dict[str, Any]:
    values = trail.counters.as_values()
    ended, cut, restarts, largest, last = values.pop("transactions")
    own = {"transactions": ended, "cut": cut, "restarts": restarts, "largest": largest, "open": last}
    return own | {name: value for name, value in values.items() if name not in ("oldest", "table_sizes")}


def _expected(model: Model) -> dict[str, Any]:
    names = ("transactions", "restarts", "cut", "damages", "damage_size", "missing", "replaced")
    return {
        **{name: model.counts[name] for name in names},
        "records": model.records,
        "sizes": model.sizes,
        "table_records": [*model.tables.items()],
        "open": model.open,
        "newest": model.newest,
        "largest": model.largest,
    }


@pytest.mark.parametrize("case", range(examples(30)))
def test_the_numbers_are_those_of_the_model(case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens between two looks, and if another watcher goes on from the state of this one."""
    draw = Random(f"watch {case}")
    monkeypatch.setattr(watched_trail, "_PROOF", draw.choice([200, 1 << 16]))
    model, trail = Model(tmp_path, draw), WatchedTrail(tmp_path / "wt")
    for _ in range(400 if IS_LONG else 40):
        for _ in range(draw.choice([0, 1, 1, 2, 3])):
            model.step()
        model.write()
        model.look()
        list(trail.look())
        known, expected = _known(trail), _expected(model)
        known["table_records"], expected["table_records"] = (sorted(one["table_records"]) for one in (known, expected))
        assert known == expected
        assert trail.is_up
        assert (trail.files, trail.size) == (len(model.files), sum(path.stat().st_size for path in tmp_path.iterdir()))
        if draw.random() < 0.3:
            state = json.loads(json.dumps(trail.as_values()))
            trail = WatchedTrail(tmp_path / "wt")
            trail.resume(state)
