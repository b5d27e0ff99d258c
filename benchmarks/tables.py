"""The twelve tables of the large trails, and rows for them: 60 to 900 bytes each, all invented."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from fixtures import column_kinds as kind
from fixtures.shop import Row, ShopTable
from trailformat import ColumnDefinition

NEEDLE = "Lapsang Souchong"
"""The text of FILTER STRING and grep; no other text contains it."""

FILTERED = "TEAHOUSE.ORDERS"
"""The table of FILTER FILENAME."""

WITH_LOBS = "TEAHOUSE.PAMPHLETS"
"""The table whose inserts are followed by pieces of a large object."""

_ROW_BYTES = {
    "TEAHOUSE.PRICES": 62,
    "TEAHOUSE.STOCK": 80,
    "TEAHOUSE.TEAS": 110,
    "TEAHOUSE.ORDER_LINES": 135,
    FILTERED: 170,
    "TEAHOUSE.PAYMENTS": 210,
    "TEAHOUSE.DELIVERIES": 260,
    "TEAHOUSE.CUSTOMERS": 330,
    "TEAHOUSE.TASTINGS": 420,
    "TEAHOUSE.LETTERS": 540,
    WITH_LOBS: 650,
    "WAREHOUSE.AUDIT_TRAIL": 760,
}
_WEIGHTS = (6, 12, 4, 20, 14, 10, 8, 6, 4, 3, 2, 11)
_WITH_DATE = 100
_TEXT_BYTES = 120
_MANY = 1_000_000_000
_OPENED = datetime(2024, 3, 14, tzinfo=UTC)
_SENTENCE = (
    "Sencha Gyokuro Assam Darjeeling Uji Keemun Oolong Matcha Ceylon Nilgiri Rooibos Bancha Hojicha Genmaicha jasmine "
    "first second flush leaf whole broken tin chest parcel gift wrapped order ship later Kyoto Shizuoka Yunnan Fujian "
    "green black white ripe raw cake brick cup pot samovar water steep minutes paid unpaid café blütenweiß 玉露"
)
_WORDS = _SENTENCE.split()


class Table:
    """A table with the size of its rows and its share of the changes."""

    def __init__(self, number: int, name: str, row_bytes: int, weight: int) -> None:
        self.weight = weight
        self._texts = max(1, row_bytes // _TEXT_BYTES)
        self._has_date = row_bytes >= _WITH_DATE
        fixed = 28 + 13 + (25 if self._has_date else 0) + 8 * self._texts
        self._text_bytes = max(3, (row_bytes - fixed) // self._texts)
        self.shop_table = ShopTable(name, number, kind.placed(self._columns(), 1, oracle=True))

    @property
    def name(self) -> str:
        """``schema.table``."""
        return self.shop_table.name

    def _columns(self) -> list[ColumnDefinition]:
        columns = [kind.number("ID", 12), kind.number("AMOUNT", 12, 2), kind.varchar2("CODE", 8)]
        columns += [kind.date("CHANGED_AT")] if self._has_date else []
        return columns + [kind.varchar2(f"TEXT_{number}", 400) for number in range(1, self._texts + 1)]

    def row(self, random: Random) -> Row:
        """Return a random row of about the table's size."""
        row: list[str | Decimal | None] = [
            Decimal(random.randrange(_MANY)),
            Decimal(random.randrange(100_000)) / 100,
            f"{random.choice('BGOW')}{random.randrange(10_000):04}",
        ]
        if self._has_date:
            moment = _OPENED + timedelta(seconds=random.randrange(30_000_000))
            row.append(f"{moment:%Y-%m-%d:%H:%M:%S}")
        return (*row, *(_text(random, self._text_bytes) for _ in range(self._texts)))

    def changed(self, row: Row, random: Random) -> Row:
        """Return the row with another amount and, mostly, another text."""
        after = list(row)
        after[1] = Decimal(random.randrange(100_000)) / 100
        if random.random() < 0.7:
            after[-1] = _text(random, self._text_bytes)
        return tuple(after)

    def with_needle(self, row: Row) -> Row:
        """Return the row with the needle in its last text."""
        return (*row[:-1], f"a chest of {NEEDLE}, smoked")


def _text(random: Random, about: int) -> str:
    size = max(2, int(about * random.uniform(0.7, 1.3)))
    words = random.choices(_WORDS, k=size // 4 + 1)
    return " ".join(words).encode()[:size].decode(errors="ignore")


def tables() -> list[Table]:
    """Return the tables, in the order of their index in the trail, which begins with 1."""
    rows = zip(_ROW_BYTES.items(), _WEIGHTS, strict=True)
    return [Table(number, name, size, weight) for number, ((name, size), weight) in enumerate(rows, 1)]
