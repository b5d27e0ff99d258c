"""A direction, a filter and what is known of a trail: what of each a session keeps, and what not."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from tests.trailformat.test_applied import transaction
from trailformat.records.record_header import ONLY

CSNS = [("10", "20", "30"), ("10", "10", "30"), ("10", "20", "20")]
"""Transactions of trails of one size: none twice, the first, the second."""


@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("sought", ["", "prev"])
def test_a_search_in_a_direction_of_its_own_leaves_that_of_the_session(
    sought: str, direction: str, line: Line, tmp_path: Path
) -> None:
    """From the middle one of three files to the last or the first."""
    paths = [trail_of(tmp_path, *[row(trans_ind=ONLY)] * 2, name=f"tt{number:09}") for number in range(3)]
    line(f"open {paths[1]}; across on; position {'first' if sought else 'eof'}; position {direction}; sfh {sought}")
    assert line.session.trail.path == paths[0 if sought else 2]
    assert line.session.cursor.is_backwards == (direction == "reverse")


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("question", ["redo 9", "undo 9"])
def test_what_is_not_applied_is_that_of_the_trail_that_is_open(
    question: str, order: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """Three trails with other copies, of as many files of the same sizes, one after the other, the first once more."""
    for number in range(3):
        records = [transaction(csn, f"1.{csn}") for csn in CSNS[number]]
        folder = tmp_path / f"trail{number}"
        folder.mkdir()
        trail_of(folder, *records[0], *records[1], name="tt000000000")
        trail_of(folder, *records[2], name="tt000000001")
    for number in (*order, order[0]):
        words = f"open {tmp_path}/trail{number}/tt000000000; across on; {question}"
        assert line(words)[1:] == Line()(words)[1:], number


@pytest.mark.parametrize("words", ["count", "count detail", "list 9", "next 9", "find leaf", "check"])
def test_a_filter_that_is_off_is_none(words: str, line: Line, tmp_path: Path) -> None:
    random = Random(words)
    names = [random.choice(("TEA.LEAVES", "TEA.POTS")) for _ in range(5)]
    path = trail_of(tmp_path, *(row(name=name, trans_ind=ONLY) for name in names))
    expected = line(f"open {path}; {words}")
    assert Line()(f"open {path}; filter include filename TEA.POTS; filter off; {words}") == expected
    assert Line()(f"filter exclude filename TEA.*; open {path}; filter off; {words}") == expected
