"""A source: transactions that change the rows of one table or of the shop's two."""

from __future__ import annotations

from decimal import Decimal

from fixtures.changes import (
    Change,
    delete,
    insert,
    unified_key_update,
    unified_update,
    update_pair,
)
from fixtures.flavour import MYSQL_21
from fixtures.shop import Row, ShopTable
from tests.searching import Random

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
    """Draws transactions; every change has both its images, so that it can be taken back.

    Args:
        random: what decides.
        teas, sales: the tables; ``sales`` None for the one alone.
    """

    def __init__(self, random: Random, teas: ShopTable = TABLE, sales: ShopTable | None = None) -> None:
        self._random = random
        self._teas, self._sales = teas, sales
        self._made = 0
        self.rows: Rows = {}
        for _ in range(4):
            self._add(self._row())
        self.first_rows = dict(self.rows)

    def _add(self, row: Row) -> None:
        self.rows[key_of(row)] = row

    def _table_of(self, row: Row) -> ShopTable:
        return self._sales if self._sales is not None and isinstance(row[0], Decimal) else self._teas

    def _row(self) -> Row:
        if self._sales is not None and self._random.random() < 0.4:
            return self._sale()
        return self._tea()

    def _like(self, row: Row) -> Row:
        """Another row of the table of this one."""
        return self._sale() if self._table_of(row) is self._sales else self._tea()

    def _sale(self) -> Row:
        self._made += 1
        amount = Decimal(self._random.randint(-99, 9999)).scaleb(-2)
        note = self._random.choice(("gift wrap", "Uji", None))
        return (Decimal(self._made), f"T{self._made}", "2024-03-14:10:02:11", Decimal(self._made), amount, note)

    def _tea(self) -> Row:
        self._made += 1
        number = self._random.randint(-99, 999)
        name = self._random.choice((*_NAMES, None))
        return (f"T{self._made}", name, "Uji", "A ", Decimal(number).scaleb(-2), Decimal(self._made))

    def _step(self) -> tuple[Change, ...]:
        kind = self._random.randrange(5) if self.rows else 0
        if kind == 0:
            row = self._row()
            return (insert(self._table_of(row), row),)
        old = self._random.choice(sorted(self.rows.values(), key=key_of))
        table = self._table_of(old)
        if kind == 1:
            return (delete(table, old),)
        new = self._like(old)
        if kind == 2:
            return (unified_key_update(table, old, new),)
        new = (old[0], *new[1:])
        return (unified_update(table, old, new),) if kind == 3 else update_pair(table, old, new)

    def transaction(self) -> list[Change]:
        """The records of a transaction that is done to the rows."""
        changes: list[Change] = []
        for _ in range(self._random.randint(1, 4)):
            step = self._step()
            for change in step:
                apply(self.rows, change)
            changes += step
        return changes
