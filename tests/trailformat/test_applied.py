"""Of the whole transactions of a trail the first copy of each is applied, told without a table of all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.searching import Random, examples
from tests.trailformat.samples import header, row, trail_of
from tests.trailformat.small_batches import in_batches
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, LAST, ONLY, RESTART_ABEND
from trailformat.transactions import applied, whole_trail
from trailformat.transactions.applied import AppliedTransactions, AwaitedCopies, OrderVerdict
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


def transaction(csn: str | None, xid: str | None, *, is_cut: bool = False) -> list[Record]:
    """One record, whole; or cut by a restart."""
    pairs = ((b"L"[0], csn), (b"6"[0], xid))
    tokens = [make_token(token, text.encode()) for token, text in pairs if text is not None]
    first = make_record(header(trans_ind=FIRST if is_cut else ONLY), b"leaf", tokens)
    return [first, row(b"", io_type=RESTART_ABEND, trans_ind=ONLY)] if is_cut else [first]


class Order(NamedTuple):
    """What a verdict says about the order of CSNs, and the place of its transaction."""

    place: TrailPosition
    goes_back: bool
    is_below: bool
    greatest: str


def orders(paths: list[Path]) -> Iterator[Order]:
    """What the judge says, batch by batch."""
    trail = WholeTrail(paths)
    judge = AppliedTransactions(trail)
    for batch in transaction_batches(trail):
        for one in judge.judge(batch).verdicts:
            yield Order(batch.first(one.row), one.goes_back, one.is_below, one.greatest)


def expected_orders(paths: list[Path]) -> Iterator[Order]:
    """The same, told from transaction to transaction by CSNs that compare as their texts do at equal lengths."""
    trail = WholeTrail(paths)
    before: dict[bool, tuple[tuple[int, str], tuple[int, str]]] = {}
    for batch in transaction_batches(trail):
        for at in range(batch.rows):
            csn = batch.csns[at]
            if not batch.is_whole(at) or csn is None or csn == "no CSN":
                continue
            key, kind = (len(csn), csn), ":" in csn
            greatest, previous = before.get(kind, ((0, ""), (0, "")))
            before[kind] = max(greatest, key), key
            if key <= greatest:
                yield Order(batch.first(at), key < previous, key < greatest, greatest[1])


def judged(paths: list[Path]) -> tuple[AppliedTransactions, list[TrailPosition], list[OrderVerdict]]:
    """The judge, the places of the copies, and all verdicts."""
    trail = WholeTrail(paths)
    judge = AppliedTransactions(trail)
    copies, verdicts = [], []
    for batch in transaction_batches(trail):
        for one in judge.judge(batch).verdicts:
            verdicts.append(one)
            if one.copy_of is not None:
                copies.append(batch.first(one.row))
    return judge, copies, verdicts


def written(folder: Path, transactions: Sequence[tuple[str | None, str | None, bool]], each: int) -> list[Path]:
    """Files of so many transactions each."""
    records = [record for one in transactions for record in transaction(one[0], one[1], is_cut=one[2])]
    parts = [records[at : at + each] for at in range(0, len(records), each)]
    return [trail_of(folder, *part, name=f"tt{number:09}") for number, part in enumerate(parts)]


def expected(paths: list[Path]) -> Iterator[TrailPosition]:
    """Where whole transactions stand that came before, by a table of all."""
    trail, known = WholeTrail(paths), set[tuple[str, str]]()
    for batch in transaction_batches(trail):
        for at in range(batch.rows):
            csn, xid = batch.csns[at], batch.xids[at]
            if not batch.is_whole(at) or csn is None or xid is None or csn == "no CSN":
                continue
            if (csn, xid) in known:
                yield batch.first(at)
            known.add((csn, xid))


CSNS = st.one_of(
    st.integers(1, 30).map(lambda number: str(number + 100)),
    st.integers(1, 200).map(str),
    st.integers(1, 6).map(lambda number: f"00000004:{number:08}"),
    st.sampled_from([None, "no CSN"]),
)
TRANSACTIONS = st.lists(
    st.tuples(CSNS, st.sampled_from(["1.1", "1.2", None]), st.integers(0, 5).map(lambda number: number == 0)),
    min_size=1,
    max_size=60,
)
RISING = st.lists(st.integers(100, 160).map(str), min_size=1, max_size=90).map(
    lambda csns: [(one, "1.1", False) for one in [*sorted(set(csns)), *csns[:5], *sorted(set(csns[5:]))]]
)


@pytest.mark.usefixtures("kernels")
@given(transactions=TRANSACTIONS | RISING, each=st.integers(5, 40), size=st.integers(3, 50))
@settings(max_examples=examples(30), deadline=None)
def test_copies_are_those_that_a_table_of_all_transactions_tells(
    transactions: list[tuple[str | None, str | None, bool]], each: int, size: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_trail, "scan_in_threads", in_batches(size))
        patch.setattr(applied, "MOST_CHECKPOINTS", 5)
        paths = written(Path(folder), transactions, each)
        judge, copies, _ = judged(paths)
        assert copies == list(expected(paths))
        assert judge.copies == len(copies)
        assert not judge.is_unsure
        assert list(orders(paths)) == list(expected_orders(paths))


@pytest.mark.usefixtures("kernels")
def test_a_trail_in_order_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied, "transaction_batches", None)
    paths = written(tmp_path, [(str(1000 + at), "1.1", False) for at in range(100)], 40)
    judge, copies, verdicts = judged(paths)
    assert (judge.whole, copies, verdicts) == (100, [], [])


def test_for_many_copies_the_trail_is_read_again_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []

    def read_again(trail: WholeTrail, start: TrailPosition) -> Iterator[TransactionBatch]:
        starts.append(start)
        return transaction_batches(trail, start)

    monkeypatch.setattr(applied, "transaction_batches", read_again)
    twice = [(str(1000 + at % 20), "1.1", False) for at in range(40)]
    judge, _, _ = judged(written(tmp_path, twice, 40))
    assert (judge.copies, starts) == (20, [TrailPosition(0, 0)])


@pytest.mark.usefixtures("kernels")
def test_many_late_transactions_make_it_unsure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied, "MOST_KNOWN", 3)
    late = [("900", "1.1", False), *((str(100 + at), "1.1", False) for at in range(5))]
    judge, _, _ = judged(written(tmp_path, late, 40))
    assert judge.is_unsure


def test_equal_csns_of_different_transactions_are_no_copies(tmp_path: Path) -> None:
    same = [("7", f"1.{at}", False) for at in range(5)]
    _, copies, _ = judged(written(tmp_path, same, 40))
    assert copies == []


def test_csns_of_another_database_are_not_compared(tmp_path: Path) -> None:
    mixed = [("700", "1.1", False), ("00000004:00000001", "1.1", False), ("701", "1.1", False)]
    _, _, verdicts = judged(written(tmp_path, mixed, 40))
    assert verdicts == []


def test_a_csn_that_falls_goes_back_once_and_what_follows_is_below(tmp_path: Path) -> None:
    falling = [(csn, "1.1", False) for csn in ("10", "20", "30", "11", "12", "31")]
    _, _, verdicts = judged(written(tmp_path, falling, 40))
    assert [(one.row, one.goes_back, one.is_below, one.greatest) for one in verdicts] == [
        (3, True, True, "30"),
        (4, False, True, "30"),
    ]


def test_equal_csns_below_the_greatest_go_back_once(tmp_path: Path) -> None:
    falling = [("10", "1.1", False), ("30", "1.1", False), ("11", "1.1", False), ("11", "1.2", False)]
    _, _, verdicts = judged(written(tmp_path, falling, 40))
    assert [one.goes_back for one in verdicts] == [True, False]


@pytest.mark.usefixtures("kernels")
def test_a_copy_is_found_among_equal_csns_that_fill_several_files(tmp_path: Path) -> None:
    equal = [
        ("10", "1.1", False),
        ("10", "1.2", False),
        ("10", "1.3", False),
        ("20", "1.1", False),
        ("10", "1.3", False),
    ]
    _, copies, _ = judged(written(tmp_path, equal, 1))
    assert copies == [TrailPosition(4, 0)]


@pytest.mark.usefixtures("kernels")
def test_a_file_that_begins_with_the_last_transaction_once_more_begins_with_a_copy(tmp_path: Path) -> None:
    again = [(csn, "1.1", False) for csn in ("10", "11", "12", "12", "13", "14")]
    _, copies, _ = judged(written(tmp_path, again, 3))
    assert copies == [TrailPosition(1, 0)]


@pytest.mark.usefixtures("kernels")
def test_a_rest_without_its_beginning_is_not_whole_among_many(tmp_path: Path) -> None:
    tokens = [make_token("L", b"10"), make_token("6", b"1.1")]
    rest = make_record(header(trans_ind=LAST), b"leaf", tokens)
    path = trail_of(tmp_path, rest, *transaction("11", "1.1"), *transaction("12", "1.1"))
    assert judged([path])[0].whole == 2


def test_a_transaction_that_the_pass_found_open_is_applied_once_it_is_whole(tmp_path: Path) -> None:
    first, *_ = transaction("12", "1.2.4", is_cut=True)
    begun = [*transaction("11", "1.2.3"), first]
    not_applied = NotApplied(WholeTrail([trail_of(tmp_path, *begun)]), walked=True)
    for batch in transaction_batches(WholeTrail([tmp_path / "tt000000000"])):
        not_applied.take(batch)
    path = trail_of(tmp_path, *begun, row(trans_ind=LAST), *transaction("13", "1.2.5"))
    found = [one for one in transactions_of(WholeTrail([path])) if isinstance(one, Extent)]
    assert [not_applied.applies(one) for one in found] == [True] * 3


@pytest.mark.parametrize("case", range(6))
def test_a_copy_is_that_of_the_cut_ones_since_the_copy_before_it(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Transactions in the order of their CSNs, or some or all of them in any, are cut or whole, over two files."""
    draw = Random(f"awaited {case}")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(draw.choice((2, 7, 100))))
    csns = sorted(draw.choices(range(10, 18), k=24))
    for _ in range((0, 3, 24)[case % 3]):
        one, other = draw.sample(range(24), 2)
        csns[one], csns[other] = csns[other], csns[one]
    drawn = [(str(csn), draw.random() < 0.6) for csn in csns]
    begun = draw.randrange(25)
    paths = [
        trail_of(
            tmp_path,
            *(record for csn, is_cut in part for record in transaction(csn, f"1.{csn}", is_cut=is_cut)),
            row(),
            name=f"tt{number:09}",
        )
        for number, part in enumerate((drawn[:begun], drawn[begun:]))
    ]
    trail = WholeTrail(paths)
    judge, awaited = AppliedTransactions(trail), AwaitedCopies()
    places: list[tuple[str, TrailPosition]] = []
    found: dict[TrailPosition, list[TrailPosition]] = {}
    for batch in transaction_batches(trail):
        verdicts = judge.judge(batch).verdicts
        names = [(batch.csns[number], batch.first(number)) for number in range(batch.rows)]
        for number, (csn, place) in enumerate(names):
            if csn is not None:
                places.append((csn, place))
                if not batch.is_whole(number):
                    awaited.add(csn, f"1.{csn}", place)
        found |= {batch.first(number): originals for number, originals in awaited.found(batch, verdicts, judge)}
    waiting: dict[str, list[TrailPosition]] = {}
    expected = {}
    for (csn, is_cut), (own, place) in zip(drawn, places, strict=True):
        assert csn == own
        if is_cut:
            waiting.setdefault(csn, []).append(place)
        elif originals := waiting.pop(csn, []):
            expected[place] = originals
    assert found == expected
