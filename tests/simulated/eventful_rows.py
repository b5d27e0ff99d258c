"""Trails of a few small files in which few rows change often, and what stands in them, change by change.

Keys that rows give up and others take, updates of keys there and back, deletes, TRUNCATE, records of unknown types,
transactions over files, cut ones, copies, damage: all beside each other, in two tables with the same keys.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from fixtures.capture import Capture
from fixtures.changes import (
    Change,
    delete,
    insert,
    key_update,
    truncate,
    unified_key_update,
    unified_update,
    update_pair,
)
from fixtures.flavour import ORACLE_12
from fixtures.shop import Row
from tests.searching import Random
from tests.simulated.pairs import TEAS
from trailformat import TrailWriter
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RESTART_ABEND, RESTART_OK

GARBAGE = b"no record at all, but bytes " * 4
POTS = TEAS._replace(name="TEAHOUSE.POTS", number=2)
KEYS = "ABCDE"
UNKNOWN = 199
"""An IOType that has no meaning."""
_MINUTE = 60_000_000


class Step(NamedTuple):
    """A change as it is planned: its kind, its table, the keys and the stock before and after."""

    kind: str
    table: str
    before: str | None = None
    after: str | None = None
    former: int = 0
    stock: int = 0


class RowPiece(NamedTuple):
    """What stands at a place: a change, ``damage`` or a ``restart``; ``rba`` is that of its last record.

    ``number`` is that of its transaction; ``occurrence`` tells it from copies of that.
    """

    step: Step
    file: int
    rba: int
    time: int = 0
    number: int = 0
    occurrence: int = 0
    is_whole: bool = True

    @property
    def place(self) -> tuple[int, int]:
        """The number of the file, and the RBA."""
        return self.file, self.rba


class EventfulRows:
    """Draws and writes a trail in a folder.

    Attributes:
        paths: the files.
        pieces: what stands in them, in order.
    """

    def __init__(self, folder: Path, random: Random, *, is_sound: bool = False) -> None:
        self._random, self._folder = random, folder
        self.paths = [folder / "rw000000000"]
        self.pieces: list[RowPiece] = []
        self._rows: dict[str, dict[str, int]] = {TEAS.name: {}, POTS.name: {}}
        self._done: dict[int, list[Step]] = {}
        self._stock = self._occurrence = 0
        self._writer = TrailWriter(self.paths[0], order=ORACLE_12.order)
        self._capture = Capture(self._writer, ORACLE_12)
        self._define()
        self._roll = random.choice((0, 0.1, 0.3))
        kinds = ["whole"] * 5 + ["cut", "cut", "copy", "copy", *([] if is_sound else ["damage"])]
        for kind in random.choices(kinds, k=random.randint(3, 16)):
            self._take(kind)
        self._writer.commit()

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""
        return list(self._rows)

    def _define(self) -> None:
        self._capture.database()
        for table in (TEAS, POTS):
            self._capture.table(table)

    def _take(self, kind: str) -> None:
        random = self._random
        if kind == "damage":
            if random.random() < 0.3 and self.pieces and self.pieces[-1].step.kind != "damage":
                self.pieces.append(RowPiece(Step("damage", ""), len(self.paths) - 1, self._writer.size))
                self._writer.write_bytes(GARBAGE, 0)
            return
        if kind == "copy" and self._done:
            number, capture = random.choice(list(self._done)), self._capture
            last = capture._transactions
            capture.go_on_behind(number - 1 - last)
            self._write(self._done[number], len(self._done[number]))
            capture.go_on_behind(last - number)
            return
        steps = [self._step() for _ in range(random.choice((1, 1, 2, 3)))]
        if kind == "cut" and len(steps) > 1:
            capture = self._capture
            self._write(steps, random.randrange(1, len(steps)))
            capture.go_on_behind(-1)
            if random.random() < 0.7:
                self._event(random.choice((RESTART_ABEND, RESTART_OK)))
            if random.random() < 0.4:
                capture.go_on_behind(1)  # it never comes again
                return
        self._write(steps, len(steps))
        self._done[self._capture._transactions] = steps

    def _event(self, io_type: int) -> None:
        self.pieces.append(RowPiece(Step("restart", ""), len(self.paths) - 1, self._writer.size))
        self._capture.event(io_type, trans_ind=ONLY)

    def _step(self) -> Step:
        random = self._random
        table = random.choice((TEAS.name, TEAS.name, TEAS.name, POTS.name))
        rows, free = self._rows[table], [key for key in KEYS if key not in self._rows[table]]
        self._stock += 1
        kind = random.choice(("insert", "update", "pair", "key", "unified key", "delete", "any", "any", "any"))
        if random.random() < 0.06:
            if (kind := random.choice(("truncate", "truncate", "unknown"))) == "truncate":
                rows.clear()
            return Step(kind, table)
        key = random.choice(list(rows)) if rows else None
        if key is None or (kind in ("insert", "any") and free):
            new = random.choice(free)
            rows[new] = self._stock
            return Step("insert", table, None, new, 0, self._stock)
        former = rows.pop(key)
        if kind == "delete":
            return Step("delete", table, key, None, former)
        after = random.choice(free) if "key" in kind and free else key
        kind = kind if after != key or kind == "pair" else "unified"
        rows[after] = former if kind == "key" else self._stock  # its record has no other column before
        return Step(kind, table, key, after, former, rows[after])

    def _changes(self, step: Step) -> tuple[Change, ...]:
        table = TEAS if step.table == TEAS.name else POTS
        before, after = self._values(step.before or "", step.former), self._values(step.after or "", step.stock)
        if step.kind == "pair":
            return update_pair(table, before, after)
        makers = {"unified": unified_update, "key": key_update, "unified key": unified_key_update}
        if step.kind in makers:
            return (makers[step.kind](table, before, after),)
        if step.kind in ("truncate", "unknown"):
            return (truncate(table),)
        return (insert(table, after) if step.before is None else delete(table, before),)

    def _values(self, key: str, stock: int) -> Row:
        return (key, "Sencha", "Uji", "A ", Decimal("9.50"), Decimal(stock))

    def _write(self, steps: list[Step], stop: int) -> None:
        """Write the first steps of a transaction."""
        self._occurrence += 1
        self._capture.begin()
        self._capture.now -= self._random.choice((0, 0, 0, 3)) * _MINUTE  # clocks may go back
        records = [(index, change) for index, step in enumerate(steps) for change in self._changes(step)]
        for at, (index, change) in enumerate(records):
            if index >= stop:  # by its place: two steps of a transaction may be equal
                break
            step, is_second = steps[index], at > 0 and records[at - 1][0] == index
            if not is_second and self._random.random() < self._roll:
                self._next_file()
            place = ONLY if len(records) == 1 else FIRST if not at else LAST if at == len(records) - 1 else MIDDLE
            rba = self._writer.size
            self._row(step, change, place)
            if is_second:
                del self.pieces[-1]
            piece = RowPiece(step, len(self.paths) - 1, rba, self._capture.now)
            number = self._capture._transactions
            self.pieces.append(piece._replace(number=number, occurrence=self._occurrence, is_whole=stop == len(steps)))

    def _row(self, step: Step, change: Change, place: int) -> None:
        if step.kind != "unknown":
            self._capture._row(change, place, ())
            return
        capture: Any = self._capture
        header = capture.header(
            UNKNOWN, change.table.number, partition=capture.partition, before_after=65, orig_node=255, trans_ind=place
        )
        tokens = capture.transaction_tokens() if place in (FIRST, ONLY) else ()
        self._writer.write_values(header, b"", tokens)

    def _next_file(self) -> None:
        self.paths.append(self._folder / f"rw{len(self.paths):09}")
        self._writer.begin(self.paths[-1])
        self._define()
