"""A script under a filter has the transactions with a change that passes, and counts the others at its end."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.searching import Random

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
