"""A source: transactions that change the rows of one table."""

from __future__ import annotations

from decimal import Decimal
from random import Random

from fixtures.changes import (
    Change,
    delete,
    insert,
    unified_key_update,
    unified_update,
    update_pair,
)
from fixtures.flavour import MYSQL_21
from fixtures.shop import Row

Rows = dict[str, Row]
TABLE = MYSQL_21.teas
_NAMES = ("Sencha", "o'clock", "Uji, 2014", "x")


def key_of(row: Row) -> str:
    """The value of its key column."""
    return str(row[0])


def apply(rows: Rows, change: Change) -> None:
    """Do to the rows what a change says."""
    if change.is_before:
        return
    if change.before is not None:
        del rows[key_of(change.before)]
    if change.after is not None:
        rows[key_of(change.after)] = change.after


class Source:
    """Draws transactions; every change has both its images, so that it can be taken back."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._made = 0
        self.rows: Rows = {}
        for _ in range(4):
            self._add(self._row())
        self.first_rows = dict(self.rows)

    def _add(self, row: Row) -> None:
        self.rows[key_of(row)] = row

    def _row(self, key: str | None = None) -> Row:
        self._made += 1
        number = self._random.randint(-99, 999)
        name = self._random.choice((*_NAMES, None))
        return (key or f"T{self._made}", name, "Uji", "A ", Decimal(number).scaleb(-2), Decimal(self._made))

    def _step(self) -> tuple[Change, ...]:
        kind = self._random.randrange(5) if self.rows else 0
        if kind == 0:
            return (insert(TABLE, self._row()),)
        old = self._random.choice(sorted(self.rows.values(), key=key_of))
        if kind == 1:
            return (delete(TABLE, old),)
        if kind == 2:
            return (unified_key_update(TABLE, old, self._row()),)
        new = self._row(key_of(old))
        return (unified_update(TABLE, old, new),) if kind == 3 else update_pair(TABLE, old, new)

    def transaction(self) -> list[Change]:
        """The records of a transaction that is done to the rows."""
        changes: list[Change] = []
        for _ in range(self._random.randint(1, 4)):
            step = self._step()
            for change in step:
                apply(self.rows, change)
            changes += step
        return changes
