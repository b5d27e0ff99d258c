"""A script under a filter has the transactions with a change that passes, and counts the others at its end."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.changes import Change
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.pairs import drawn, written

TRAILS = ("et000000000", "at000000000", "kt000000000", "st000000000")
FILTERS = (
    "rectype delete",
    "rectype insert",
    "filename *.SALES",
    "filename *.TEAS",
    "filename NO.SUCH",
    "value PRICE > 9",
    "transind 3",
)
_OUT = re.compile(r"-- The filter left out (\d+) changes? of (\d+) transactions? without another one\.")
_PARTLY = re.compile(r"-- The filter left out (\d+) changes? of this transaction\.")


@pytest.mark.parametrize("way", ["redo 10000 ansi", "undo 10000 ansi", "export"])
def test_no_transaction_is_empty_and_every_change_is_shown_or_counted(
    way: str, trails: Path, tmp_path: Path, line: Line
) -> None:
    drawn = Random()
    for name in drawn.sample(TRAILS, 3):
        line("across on")
        whole = _script(line, trails / name, way, tmp_path)
        line(f"filter include {drawn.choice(FILTERS)}")
        some = _script(line, trails / name, way, tmp_path)
        line("filter clear")
        begun = [text for text in some if text.startswith("-- Transaction ")]
        assert some.count("COMMIT;") == len(begun)
        assert not re.search(r"-- Transaction .*\n(START TRANSACTION;\n)?(-- The filter.*\n)?COMMIT;", _text(some))
        out = [_OUT.fullmatch(text) for text in some]
        left = next((match for match in out if match is not None), None)
        numbers = (int(left[1]), int(left[2])) if left is not None else (0, 0)
        assert sum(match is not None for match in out) == bool(numbers[1])
        assert len(begun) + numbers[1] == sum(text.startswith("-- Transaction ") for text in whole)
        partly = sum(int(match[1]) for text in some if (match := _PARTLY.fullmatch(text)))
        assert _changes(some) + partly + numbers[0] == _changes(whole)
        assert not Counter(begun) - Counter(text for text in whole if text.startswith("-- Transaction "))


@pytest.mark.parametrize("undo", ["", " undo"])
def test_so_many_transactions_are_those_with_a_change_that_passes(undo: str, line: Line, tmp_path: Path) -> None:
    """EXPORT SQL counted all: the first one of a trail that did not pass was the one of `--since … --limit 1`."""
    for seed in range(examples(40)):
        random = Random(seed)
        transactions = drawn(random, random.randint(2, 12))
        pattern = written(tmp_path / str(seed), transactions, cuts=Random(seed))
        least, number = random.randint(200, 990), random.randint(1, 4)
        passing = [
            transaction.csn
            for transaction in transactions
            if any(_stock(change) > least for change in transaction.changes)
        ]
        target = tmp_path / f"{seed}.sql"
        first = min((tmp_path / str(seed)).glob(pattern.rpartition("/")[2]))
        line(f"open {first}; across on; filter value STOCK_KG > {least}")
        told = line(f"export sql to {target} {number} transactions{undo}")
        found = re.findall(r"^-- Transaction \S+ CSN (\d+) ", target.read_text(), re.MULTILINE)
        assert found == (passing[:number][::-1] if undo else passing[:number]), (seed, least, number)
        assert not [text for text in told if "No record passed" in text]
        line("filter clear; across off")


def test_a_position_in_the_file_means_the_transaction_there(line: Line, trails: Path, tmp_path: Path) -> None:
    """What it takes back is that one or nothing, never one behind it."""
    target = tmp_path / "undo.sql"
    line(f"open {trails / 'et000000000'}; filter filename *.SALES; position 4635")
    told = line(f"export sql to {target} 1 transactions undo")
    assert "-- Transaction" not in target.read_text()
    assert told[0].startswith("Exported 0 statements of 0 transactions")
    assert not [text for text in told if "No record passed" in text]


def _stock(change: Change) -> Decimal:
    """The greatest stock that a change of a tea shows."""
    return max(Decimal(str(row[5])) for row in (change.before, change.after) if row is not None)


def _script(line: Line, trail: Path, way: str, folder: Path) -> list[str]:
    if way == "export":
        line(f"open {trail}; export sql to {folder / 'out.sql'} replace ansi")
        return (folder / "out.sql").read_text().splitlines()
    return line(f"open {trail}; {way}")


def _text(lines: list[str]) -> str:
    return "".join(f"{text}\n" for text in lines)


def _changes(lines: list[str]) -> int:
    """The number of changes with a statement or a comment in its place."""
    statements = ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "CREATE", "ALTER", "DROP", "-- RBA ")
    return sum(text.startswith(statements) for text in lines)
