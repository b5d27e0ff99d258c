"""Two trails side by side: each difference in its place, what is equal around it, no more than there is room for.

The alignment of streams: as long as it can be, whatever stands in them.
"""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.generate import large_trail
from logdump.commands import REGISTRY
from logdump.features.diff import side_by_side
from logdump.features.diff.comparison import Alignment, longest_common
from logdump.features.diff.model import (
    DifferenceKind,
    DifferenceShown,
    DiffLevel,
    DiffShown,
    PairedTransaction,
    PassedOver,
    SameRow,
)
from logdump.features.diff.side_by_side import AlignedListing
from logdump.language.execute import run_line
from logdump.session.session import Session
from tests.logdump.comparison.test_simulated import OTHER_ORDER
from tests.logdump.line import Line
from tests.searching import Random
from tests.simulated.pairs import Committed, drawn, edited, written
from tests.trailformat.test_real_trail import private_bytes
from trailformat import TrailFile
from trailformat.trail.sequence import FilePosition

TEXTS = st.text("abc", max_size=12)


def _longest(a: str, b: str) -> int:
    """The length of a longest common subsequence, by the table of all prefixes."""
    lengths = [0] * (len(b) + 1)
    for char in a:
        above = list(lengths)
        for at, other in enumerate(b, 1):
            lengths[at] = above[at - 1] + 1 if char == other else max(above[at], lengths[at - 1])
    return lengths[-1]


@given(TEXTS, TEXTS)
def test_no_common_subsequence_is_longer(a: str, b: str) -> None:
    assert len(longest_common(a, b)) == _longest(a, b)


@given(TEXTS, TEXTS)
def test_the_pairs_are_equal_and_rise(a: str, b: str) -> None:
    pairs = longest_common(a, b)
    assert [a[at] for at, _ in pairs] == [b[at] for _, at in pairs]
    assert all(len(set(side)) == len(pairs) and sorted(side) == list(side) for side in zip(*pairs, strict=True))


@given(TEXTS, TEXTS, st.integers(1, 5))
def test_stretches_hold_all_items_of_both_in_order_however_few_are_looked_at(a: str, b: str, most: int) -> None:
    stretches = list(Alignment(iter(a), iter(b), str, most))
    assert "".join(char for stretch in stretches for char in stretch.a) == a
    assert "".join(char for stretch in stretches for char in stretch.b) == b


def test_what_comes_earlier_by_its_order_stands_alone_however_long_it_is() -> None:
    a, b = [*range(1, 4), *range(50, 60)], list(range(1, 60))
    alignment = Alignment(iter(a), iter(b), int, 4, int)
    assert sum(len(stretch.pairs) for stretch in alignment) == len(a)
    assert not alignment.is_lost


@pytest.mark.parametrize(("a", "b"), [("19", "21349"), ("21349", "19")])
def test_what_one_stream_has_already_is_kept_until_the_other_has_been_read_as_far(a: str, b: str) -> None:
    stretches = list(Alignment(iter(a), iter(b), str, 4))
    assert "".join(stretch.a[at] for stretch in stretches for at, _ in stretch.pairs) == "19"


_BOUND = 60_000_000
"""Bytes for two trails of any size: what is read ahead, what is kept, and the modules that are loaded for it."""


def _aligned(a: str, b: str, words: str = "") -> tuple[AlignedListing, list[DifferenceShown]]:
    """What is put side by side, and what DIFF lists."""
    line, listings = Line(), list[AlignedListing]()

    def begin(level: DiffLevel, first: str, second: str) -> AlignedListing:
        listings.append(AlignedListing(level, (first, second)))
        return listings[-1]

    line.session.begin_aligned = begin
    line(f'diff "{a}" "{b}" limit 1000 {words}')
    (listing,) = listings
    return listing, [event for event in line.events if isinstance(event, DifferenceShown)]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, list[Committed]]:
    """A trail, an edited copy in the other byte order, and the transactions of the first."""
    folder = tmp_path_factory.mktemp("pair")
    for seed in itertools.count():
        random = Random(seed)
        transactions = [
            Committed(2 * at, tuple(change for transaction in drawn(random, 6) for change in transaction.changes))
            for at in range(1, 10)
        ]
        copy, truth = edited(random, transactions)
        kinds = [kind for kind, _, is_whole in truth if not is_whole]
        if {*kinds} == {"changed", "missing", "extra"} and "changed" in kinds[:-1]:  # others come after one with values
            break
    return written(folder / "a", transactions), written(folder / "b", copy, flavour=OTHER_ORDER), transactions


def test_the_differences_are_those_of_diff_and_all_records_are_equal_or_different_or_passed_over(
    pair: tuple[str, str, list[Committed]],
) -> None:
    a, b, transactions = pair
    listing, found = _aligned(a, b)
    assert [listing.rows[at] for at in listing.differences] == found
    assert {difference.kind.value for difference in found if difference.table is not None} == {
        "changed",
        "missing",
        "extra",
    }
    assert listing.shown is not None
    passed = [row for row in listing.rows if isinstance(row, PassedOver)]
    assert sum(row.transactions for row in passed) == listing.shown.equal
    sizes = {transaction.csn: len(transaction.changes) for transaction in transactions}
    records: Counter[str | None] = Counter()
    csn = None
    for row in listing.rows:
        csn = row.csn if isinstance(row, PairedTransaction) else csn
        if isinstance(row, DifferenceShown) and row.table is not None:
            records[csn] += row.kind is not DifferenceKind.EXTRA
        records[csn] += row.records if isinstance(row, PassedOver) else isinstance(row, SameRow)
    assert {csn: number for csn, number in records.items() if csn} == {csn: sizes[csn] for csn in records if csn}


def test_rows_around_a_difference_are_equal_and_few(pair: tuple[str, str, list[Committed]]) -> None:
    a, b, _ = pair
    listing, _ = _aligned(a, b)
    same = [row for row in listing.rows if isinstance(row, SameRow)]
    assert same
    assert all(_values_at(row.a) == _values_at(row.b) for row in same)
    assert len(same) <= 4 * len(listing.differences)


def _values_at(position: FilePosition) -> object:
    with TrailFile(position.path) as trail:
        record = trail.record_at(position.rba)
        assert record is not None
        return record.header.audit_pos


@pytest.mark.parametrize(("name", "most"), [("MOST_ROWS", 4), ("MOST_CHARACTERS", 1)])
def test_what_is_not_kept_is_counted_and_it_says_where_to_go_on(
    pair: tuple[str, str, list[Committed]], name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _ = pair
    monkeypatch.setattr(side_by_side, name, most)
    listing, found = _aligned(a, b)
    assert 0 < listing.left_out == len(found) - len(listing.differences)
    assert listing.goes_on == found[len(listing.differences)].csn


def test_where_nothing_is_to_be_listed_nothing_is_put_side_by_side(pair: tuple[str, str, list[Committed]]) -> None:
    line = Line()
    line.session.begin_aligned = lambda *_: pytest.fail("it has begun")
    line(f'diff "{pair[0]}" "{pair[1]}" quiet')
    assert line.failures == []


@pytest.mark.slow
def test_a_large_pair_is_compared_and_kept_in_bounded_memory(tmp_path: Path) -> None:
    path, other = large_trail(60, path=tmp_path / "a").path, tmp_path / "b"
    shutil.copyfile(path, other)
    with other.open("r+b") as file:
        for at in range(100_000, path.stat().st_size, 500_000):
            file.seek(at)
            file.write(b"\x55")
    session, kept = Session(), AlignedListing(DiffLevel.RECORDS, ("", ""))
    session.begin_aligned = lambda *_: kept
    before = highest = private_bytes()
    for _ in run_line(session, REGISTRY, f"diff {path} {other} limit 1"):
        highest = max(highest, private_bytes())
    assert isinstance(kept.shown, DiffShown)
    assert kept.shown.differences > 50
    assert highest - before < _BOUND
