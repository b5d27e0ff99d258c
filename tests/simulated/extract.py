"""An Extract that rolls over where it likes, and can be killed: it appends a marker and the transaction once more."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fixtures.capture import Capture
from fixtures.changes import Change
from fixtures.flavour import MYSQL_21, Flavour
from fixtures.headers import file_header
from fixtures.shop import ShopTable
from tests.searching import Random
from tests.simulated.source import TABLE
from trailformat import FileHeader, Images, Token, TrailWriter, make_token
from trailformat.records.record_header import (
    DELETE,
    FIRST,
    LAST,
    MIDDLE,
    ONLY,
    RESTART_ABEND,
    RESTART_OK,
    UNIFIED_PK_UPDATE,
)

_UNIFIED_KEY_BIT = 0x40


class Written(NamedTuple):
    """A record as it stands in the trail; ``change`` is None for a restart marker, which has no ``trans_ind``."""

    path: Path
    rba: int
    length: int
    transaction: int
    trans_ind: int
    change: Change | None


class Extract:
    """Writes a trail in a folder.

    Args:
        folder: where its files are to lie.
        random: what decides where it is killed and rolls over.
        roll_chance: how often it rolls over before a record.
        flavour: who writes, and in what byte order.
        tables: those that it defines at the head of each file, where its release does.
        is_headed: whether the files begin with a file header.

    Attributes:
        written: the rows and markers, in their order; definitions are not among them.
        paths: the files.
    """

    def __init__(
        self,
        folder: Path,
        random: Random,
        *,
        roll_chance: float = 0.12,
        flavour: Flavour = MYSQL_21,
        tables: tuple[ShopTable, ...] = (TABLE,),
        is_headed: bool = False,
    ) -> None:
        self._roll_chance = roll_chance
        self._flavour = flavour
        self._tables = tables if flavour.database else ()
        self._is_headed = is_headed
        self._folder = folder
        self._random = random
        self._number = 0
        self._tokens: tuple[Token, ...] = ()
        self.written: list[Written] = []
        self.paths: list[Path] = []
        self._writer = self._next_file()

    def _next_file(self) -> TrailWriter:
        path = self._folder / f"sm{len(self.paths):09}"
        writer = TrailWriter(path, order=self._flavour.order, file_header=self._head())
        self._capture = Capture(writer, self._flavour)
        self._capture.database()
        for table in self._tables:
            self._capture.table(table)
        self.paths.append(path)
        return writer

    def _head(self) -> FileHeader | None:
        return file_header(self._flavour) if self._is_headed else None

    def close(self) -> None:
        """Write what is left."""
        self._writer.commit()

    def _may_roll(self, chance: float) -> None:
        if self._random.random() < chance:
            self.roll()

    def roll(self) -> None:
        """Go on in the next file, if this one has a record."""
        if not self._writer.size:
            return
        self._writer.commit()
        self._writer = self._next_file()

    def write(self, changes: list[Change]) -> None:
        """One transaction, whole at last, after as many kills as chance has it."""
        self.begin()
        while self._random.random() < 0.3:
            self.cut(changes)
        self.rows(changes, len(changes))
        if self._random.random() < 0.1:
            self.marker(RESTART_OK)

    def begin(self, number: int | None = None) -> None:
        """The next transaction is under way, or that with this number once more."""
        self._number = self._number + 1 if number is None else number
        csn, xid = self._flavour.csn(self._number), self._flavour.xid(self._number)
        self._tokens = make_token("L", csn.encode()), make_token("6", xid.encode())

    def cut(self, changes: list[Change]) -> None:
        """A part of a transaction, its end not written, and what an Extract says when it is started again."""
        self.rows(changes, self._random.randrange(len(changes)))
        self._may_roll(2 * self._roll_chance)
        kind = self._random.choice((RESTART_ABEND, RESTART_ABEND, RESTART_OK, None))
        if kind is not None:
            self.marker(kind)

    def open_end(self, changes: list[Change]) -> None:
        """A part of a transaction, and nothing behind it."""
        self.begin()
        self.rows(changes, self._random.randrange(len(changes)))

    def marker(self, io_type: int) -> None:
        """A restart marker."""
        record = self._capture.event(io_type, trans_ind=ONLY)
        self.written.append(Written(self.paths[-1], record.rba, record.length, self._number, -1, None))

    def rows(self, changes: list[Change], count: int) -> None:
        """The first records of the transaction under way."""
        for at in range(count):
            self._may_roll(self._roll_chance)
            self.write_record(changes, at)

    def write_record(self, changes: list[Change], at: int) -> None:
        """One record of the transaction under way."""
        change = changes[at]
        trans_ind = ONLY if len(changes) == 1 else FIRST if at == 0 else LAST if at == len(changes) - 1 else MIDDLE
        header = self._capture.header(
            change.io_type,
            change.table.number if self._flavour.database else change.table.name,
            partition=self._capture.partition | (_UNIFIED_KEY_BIT if change.io_type == UNIFIED_PK_UPDATE else 0),
            before_after=ord("B" if change.io_type == DELETE or change.is_before else "A"),
            orig_node=255,
            trans_ind=trans_ind,
        )
        tokens = self._tokens if at == 0 else ()
        record = self._writer.write_values(header, self.images(change), tokens)
        self.written.append(Written(self.paths[-1], record.rba, record.length, self._number, trans_ind, change))

    def images(self, change: Change) -> Images:
        """The columns that are written of a change."""
        return change.images(self._flavour.order)
