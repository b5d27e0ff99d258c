"""Random histories of the tea shop: a trail of transactions, and the rows before and after them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from fixtures.capture import Capture
from fixtures.changes import (
    Change,
    delete,
    insert,
    key_update,
    unified_key_update,
    unified_update,
    update,
    update_pair,
    upsert,
)
from fixtures.flavour import MYSQL_21, Flavour
from fixtures.shop import Row, ShopTable
from tests.searching import Random
from trailformat import TrailWriter
from trailformat.definitions.metadata import KEY

_WORDS = ("Sencha", "o'clock", 'a "b"', "", " ", "玉露", "50%", "&amp", "--", ";", "?", ":x", "/*", "🍵")
_ODD = ("back\\slash", "line\nbreak", "\ttab\r", "\x1b[31m", "\x7f", "\u2028", "a\\'b", "$$", "\\x00")


class History(NamedTuple):
    """A trail, and the rows of its table before its first and after its last transaction."""

    path: Path
    before: list[Row]
    after: list[Row]


class _Shop:
    def __init__(
        self, seed: int, table: ShopTable, words: tuple[str, ...], *, can_be_undone: bool, upserts: bool = False
    ) -> None:
        self.random = Random(seed)
        self.table = table
        self.words = words
        self.can_be_undone = can_be_undone
        self.upserts = upserts
        self.has_key = any(column.flags & KEY for column in table.columns)
        self._made = 0
        self.rows: list[Row] = [self.row() for _ in range(4)]

    def row(self) -> Row:
        self._made += 1
        name = self._text() if self.random.random() < 0.9 else None
        return (f"T{self._made}", name, self._text(), self._grade(), self._price(), Decimal(self.random.randint(-9, 9)))

    def _text(self) -> str:
        return " ".join(self.random.choices(self.words, k=self.random.randint(0, 3)))[:9]

    def _grade(self) -> str:
        return self.random.choice(("A ", "AA", "B "))

    def _price(self) -> Decimal:
        return Decimal(self.random.randint(-99999, 99999)).scaleb(-2)

    def step(self) -> tuple[Change, ...]:
        """One change of a random kind, done to the rows."""
        kinds = [self._insert, self._unified_update]
        kinds += [self._delete] * bool(self.rows)
        kinds += [self._upsert] * 3 * self.upserts
        if self.has_key:
            kinds += [self._pair, self._unified_key_update]
            kinds += [] if self.can_be_undone else [self._update, self._key_update]
        return self.random.choice(kinds if self.rows else [self._insert])()

    def _insert(self) -> tuple[Change, ...]:
        row = self.random.choice(self.rows) if self.rows and not self.has_key else self.row()
        self.rows.append(row)
        return (insert(self.table, row),)

    def _upsert(self) -> tuple[Change, ...]:
        """A row as it is now: a new one, or one with the key of another."""
        row = self.row()
        if self.rows and self.random.random() < 0.6:
            at = self.random.randrange(len(self.rows))
            row = self.rows[at] = (self.rows[at][0], *row[1:])
        else:
            self.rows.append(row)
        return (upsert(self.table, row),)

    def _delete(self) -> tuple[Change, ...]:
        return (delete(self.table, self.rows.pop(self.random.randrange(len(self.rows)))),)

    def _change(self, *, moves_key: bool = False) -> tuple[Row, Row]:
        at = self.random.randrange(len(self.rows))
        old, new = self.rows[at], self.row()
        kept = {place for place in range(1, len(old)) if self.random.random() < 0.5} | (set() if moves_key else {0})
        new = tuple(old[place] if place in kept else new[place] for place in range(len(old)))
        self.rows[at] = new
        return old, new

    def _update(self) -> tuple[Change, ...]:
        return (update(self.table, *self._change()),)

    def _pair(self) -> tuple[Change, ...]:
        return update_pair(self.table, *self._change())

    def _unified_update(self) -> tuple[Change, ...]:
        return (unified_update(self.table, *self._change()),)

    def _key_update(self) -> tuple[Change, ...]:
        return (key_update(self.table, *self._change(moves_key=True)),)

    def _unified_key_update(self) -> tuple[Change, ...]:
        return (unified_key_update(self.table, *self._change(moves_key=True)),)


def without_key(table: ShopTable) -> ShopTable:
    """The table, none of its columns marked as key."""
    return table._replace(columns=tuple(column._replace(flags=column.flags & ~KEY) for column in table.columns))


def write_history(
    path: Path,
    seed: int,
    table: ShopTable = MYSQL_21.teas,
    *,
    odd_words: bool = False,
    can_be_undone: bool = False,
    upserts: bool = False,
    flavour: Flavour = MYSQL_21,
) -> History:
    """A trail of twelve transactions at ``path``."""
    shop = _Shop(seed, table, _WORDS + _ODD if odd_words else _WORDS, can_be_undone=can_be_undone, upserts=upserts)
    before = list(shop.rows)
    with TrailWriter(path, order=flavour.order) as writer:
        capture = Capture(writer, flavour)
        capture.database()
        capture.table(table)
        for _ in range(12):
            steps = [shop.step() for _ in range(shop.random.randint(1, 5))]
            capture.commit(*(change for step in steps for change in step))
    return History(path, before, shop.rows)
