"""What DIFF calls a difference: of two things that hold the first one of its list is told."""

from __future__ import annotations

import tempfile
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.changes import insert
from logdump.features.diff.model import DifferenceKind, DifferenceShown
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.pairs import TEAS, Committed, drawn, restocked, written
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import make_file_header, make_file_header_record
from trailformat.codec.charsets import BY_NAME
from trailformat.records.file_header import Value
from trailformat.transactions.batches import TransactionRecords
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

ABSENT, CHANGED = DifferenceKind.ABSENT, DifferenceKind.CHANGED


def _found(a: str, b: str, words: str = "") -> tuple[list[DifferenceShown], list[str]]:
    line = Line()
    shown = line(f'diff "{a}" "{b}" {words} limit 1000')
    assert line.failures == []
    return [event for event in line.events if isinstance(event, DifferenceShown)], shown


@pytest.mark.parametrize(
    ("is_changed", "is_absent", "kind"), [(True, False, CHANGED), (False, True, ABSENT), (True, True, CHANGED)]
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_a_row_is_absent_only_where_no_column_is_changed(
    is_changed: bool, is_absent: bool, kind: DifferenceKind, is_turned: bool, tmp_path: Path
) -> None:
    first = Committed(1, (insert(TEAS, ("T1", "Sencha", "Uji", "A ", Decimal("9.50"), Decimal(7))),))
    other = first._replace(changes=(restocked(first.changes[0]),)) if is_changed else first
    a = written(tmp_path / "a", [first])
    b = written(tmp_path / "b", [other], left_out=frozenset({2}) if is_absent else frozenset())
    (found,), _ = _found(*((b, a) if is_turned else (a, b)), "values")
    assert (found.kind, len(found.parts)) == (kind, is_changed + is_absent)


@given(start=st.integers(0, 7), to=st.integers(0, 7), seed=st.integers(0, 99))
@settings(max_examples=examples(20), deadline=None)
def test_a_transaction_that_moved_says_over_how_many_and_which_way(start: int, to: int, seed: int) -> None:
    transactions = drawn(Random(seed), 8)
    moved = [*transactions[:start], *transactions[start + 1 :]]
    moved.insert(to, transactions[start])
    with tempfile.TemporaryDirectory() as folder:
        a, b = (written(Path(folder) / name, which) for name, which in (("a", transactions), ("b", moved)))
        found, shown = _found(a, b)
    pairs = len(transactions) - (start != to)
    assert any(f": {pairs} transactions equal" in text for text in shown)
    assert [difference.kind for difference in found if difference.kind is not DifferenceKind.TWICE] == [
        DifferenceKind.MOVED
    ] * (start != to)
    if abs(start - to) > 1:  # of two neighbours either one has moved
        (later,) = {difference.later for difference in found}
        assert later == to - start
        where = "later" if to > start else "earlier"
        assert any(text.endswith(f": {abs(to - start)} {where} in the second") for text in shown)
    assert not any(": 0 later" in text or ": 0 earlier" in text for text in shown)


def test_what_moved_and_has_changed_is_both_and_neither_missing_nor_extra(tmp_path: Path) -> None:
    transaction, two, three, *rest = drawn(Random(5), 6)
    changed = transaction._replace(changes=(restocked(transaction.changes[0]), *transaction.changes[1:]))
    a, b = (
        written(tmp_path / "a", [transaction, two, three, *rest]),
        written(tmp_path / "b", [two, three, changed, *rest]),
    )
    found, _ = _found(a, b)
    assert [item.kind for item in found] == [DifferenceKind.MOVED, CHANGED]


def test_a_copy_is_twice_and_not_extra_also_where_it_stands_out_of_its_place(tmp_path: Path) -> None:
    transactions = drawn(Random(5), 6)
    a = written(tmp_path / "a", transactions)
    b = written(tmp_path / "b", [*transactions, transactions[1]])
    assert [difference.kind for difference in _found(a, b)[0]] == [DifferenceKind.TWICE]
    assert [difference.kind for difference in _found(b, a)[0]] == [DifferenceKind.TWICE]


@pytest.mark.parametrize(("words", "number"), [("bytes", 0), ("", 1), ("values", 2)])
def test_the_same_bytes_of_another_table_differ(words: str, number: int, tmp_path: Path) -> None:
    for name, table in (("aa000000000", "TEA.CUPS"), ("bb000000000", "TEA.POTS")):
        trail_of(tmp_path, table_record(1, table), row(name=1), name=name)
    found, _ = _found(str(tmp_path / "aa"), str(tmp_path / "bb"), words)
    assert len(found) == number


def test_bytes_depend_on_the_character_set_of_the_file_header(tmp_path: Path) -> None:
    meanings = []
    for number, charset in enumerate(("ISO-8859-1", "WINDOWS-1251", "ISO-8859-1")):
        groups: dict[str, dict[str, Value]] = {"TrailInfo": {"Seqno": 1}, "DatabaseInfo": {"Charset": BY_NAME[charset]}}
        header = make_file_header_record(make_file_header(groups))
        path = trail_of(tmp_path, header, table_record(1, "TEA.CUPS"), row(name=1), name=f"aa00000000{number}")
        with TransactionRecords(WholeTrail([path])) as records:
            meanings.append(records.meaning_at(TrailPosition(0, path.stat().st_size)))
    assert meanings[0] == meanings[2] != meanings[1]
