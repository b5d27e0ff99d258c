"""Pairs of trails: a trail and a copy of it that was edited, with what was done to it."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from fixtures.changes import Change, insert, unified_update
from fixtures.flavour import ORACLE_12, Flavour
from tests.searching import Random
from tests.simulated.extract import Extract
from trailformat import Images

TEAS, SALES = ORACLE_12.teas, ORACLE_12.sales


class Committed(NamedTuple):
    """A transaction by its number, from which its CSN follows."""

    number: int
    changes: tuple[Change, ...]

    @property
    def csn(self) -> str:
        """Its CSN."""
        return ORACLE_12.csn(self.number)


class Copier(Extract):
    """An Extract that does what it is given; ``left_out`` are the indexes of columns that it does not write."""

    left_out: frozenset[int] = frozenset()

    def images(self, change: Change) -> Images:
        """The columns, without those left out."""
        images = super().images(change)
        before, after = (
            None if image is None else tuple(column for column in image if column.index not in self.left_out)
            for image in (images.before, images.after)
        )
        return images._replace(before=before, after=after)


def written(
    folder: Path,
    transactions: list[Committed],
    *,
    flavour: Flavour = ORACLE_12,
    cuts: Random | None = None,
    left_out: frozenset[int] = frozenset(),
    is_headed: bool = False,
) -> str:
    """Writes a trail of these transactions, rolled over where ``cuts`` has it; returns the wildcard of its files."""
    folder.mkdir()
    tables, chance = (TEAS, SALES), 0.2 if cuts else 0
    copier = Copier(folder, cuts or Random(0), roll_chance=chance, flavour=flavour, tables=tables, is_headed=is_headed)
    copier.left_out = left_out
    for transaction in transactions:
        copier.begin(transaction.number)
        copier.rows(list(transaction.changes), len(transaction.changes))
    copier.close()
    return f"{folder}/sm*"


def drawn(random: Random, number: int) -> list[Committed]:
    """Transactions of at least three records, every row with another key; their numbers are even."""
    return [
        Committed(2 * at, tuple(_change(random, 10 * at + row) for row in range(random.randint(3, 5))))
        for at in range(1, number + 1)
    ]


def _change(random: Random, key: int) -> Change:
    name, stock = random.choice(("Sencha", "Uji, 2014", None)), Decimal(random.randint(0, 999))
    row = (f"T{key}", name, "Uji", "A ", Decimal("9.50"), stock)
    return insert(TEAS, row) if random.random() < 0.7 else unified_update(TEAS, row, (*row[:5], stock + 1))


def restocked(change: Change) -> Change:
    """A change that leaves another value in the last column."""
    return change._replace(after=(*(change.after or ())[:-1], Decimal(5000)))


Truth = Counter[tuple[str, str, bool]]
"""What was done: its kind, the CSN, and whether to the whole transaction."""


def edited(random: Random, transactions: list[Committed]) -> tuple[list[Committed], Truth]:
    """A copy of a trail's transactions to some of which something was done, never to two in a row; and what."""
    result: list[Committed] = []
    truth: Truth = Counter()
    rest = list(transactions)
    while rest:
        transaction = rest.pop(0)
        kind = random.choice(("", "", "changed", "missing", "extra", "lost", "added", "moved", "twice"))
        if kind in ("changed", "missing", "extra"):
            result.append(transaction._replace(changes=_edited(random, kind, transaction.changes)))
            truth[kind, transaction.csn, False] += 1
        elif kind == "lost":
            truth["missing", transaction.csn, True] += 1
        elif kind == "added":
            other = Committed(transaction.number + 1, (_change(random, 10_000 + transaction.number),))
            result += [transaction, other]
            truth["extra", other.csn, True] += 1
        elif kind == "moved" and len(rest) > 1:
            result += [rest.pop(0), rest.pop(0), transaction]
            truth["moved", transaction.csn, True] += 1
        else:
            result += [transaction, transaction] if kind == "twice" else [transaction]
            truth["twice", transaction.csn, True] += kind == "twice"
        if rest:
            result.append(rest.pop(0))
    return result, +truth


def _edited(random: Random, kind: str, changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Something is done to a record between the first and the last, whose place in the transaction shows."""
    at = random.randrange(1, len(changes) - 1)
    new = {"changed": (restocked(changes[at]),), "missing": (), "extra": (changes[at], _change(random, 99_999))}[kind]
    return (*changes[:at], *new, *changes[at + 1 :])
