"""EXPORT SQL of many small transactions: plain ones are written by columns, and as an oracle writes each by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from logdump.display.sql import blocks, script_walk
from tests.logdump.export.scripts import check
from tests.searching import IS_LONG, Random
from tests.trailformat.samples import table_record, trail_of
from tests.trailformat.small_transactions import Transaction, small_transaction
from trailformat.scan import scan
from trailformat.transactions import extents, whole_trail

_XIDS = ("1.{}", "{} \x1b[31m", "é {}", "{}-", "{}\n")
_WORDS = ("", "", "undo", "undo", "include cut", "undo include cut", "3 transactions", "undo 4 transactions")
_BEFORE = ("", "", "filter include filename TEA.CUPS", "filter include csn 103", "across on", "across on; gmt")


def _drawn(random: Random) -> list[Transaction]:
    """Small transactions of which some come again, later and in another order."""
    transactions = [
        small_transaction(random, number, random.choice(_XIDS) if random.random() < 0.2 else _XIDS[0])
        for number in range(random.choice((2, 12, 25)))
    ]
    if random.random() < 0.5:
        first = random.randrange(len(transactions))
        transactions += transactions[first : first + random.randrange(1, 6)]
    return transactions


@pytest.mark.parametrize("seed", range(300 if IS_LONG else 16))
def test_neighbours_are_written_as_each_by_itself(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(blocks, "_MOST_BYTES", random.choice((1, 500, *[8 << 20] * 2)))
    monkeypatch.setattr(blocks, "_MOST_TRANSACTIONS", random.choice((1, 2, 3, *[1 << 16] * 3)))
    monkeypatch.setattr(script_walk, "_MANY_RECORDS", random.choice((1, 5, 1 << 15)))
    size = random.choice((1, 2, 3, 10, *[1 << 14] * 4))
    monkeypatch.setattr(extents, "scan", lambda trail, start, **_: scan(trail, start, batch_size=size))
    monkeypatch.setattr(
        whole_trail.WholeTrail, "_scan", lambda _, trail, start, __: scan(trail, start, batch_size=size)
    )
    records = [record for records in _drawn(random) for record in records]
    cut = random.randrange(1, len(records) + 1) if random.random() < 0.5 else len(records)
    head = [table_record(1, "TEA.POTS", columns=2)]
    path = trail_of(tmp_path, *head, *records[:cut])
    if cut < len(records):
        trail_of(tmp_path, *head[: random.randint(0, 1)], *records[cut:], name="tt000000001")
    for words in random.sample(_WORDS, 2):
        before = random.choice(_BEFORE)
        script = check(path, f"{random.choice(('oracle', 'ansi'))} {words}", before)
        if "transactions" in words:
            # a filter counts those of which a change passes, and copies without one are told beside them
            counted = "Transaction" if "filter" in before else "(?:Transaction|Left out: transaction)"
            assert len(re.findall(f"^-- {counted} ", script, re.MULTILINE)) <= int(words.split()[-2])
