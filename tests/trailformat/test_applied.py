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
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import applied, whole_trail
from trailformat.transactions.applied import AppliedTransactions, AwaitedCopies, OrderVerdict, TransactionName
from trailformat.transactions.batches import ENDINGS, TransactionBatch
from trailformat.transactions.extent import Ended, Extent
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
        for verdict in judge.judge(batch).verdicts:
            yield Order(batch.first(verdict.row), verdict.goes_back, verdict.is_below, verdict.greatest)


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
        for verdict in judge.judge(batch).verdicts:
            verdicts.append(verdict)
            if verdict.copy_of is not None:
                copies.append(batch.first(verdict.row))
    return judge, copies, verdicts


def written(folder: Path, transactions: Sequence[tuple[str | None, str | None, bool]], each: int) -> list[Path]:
    """Files of so many transactions each."""
    records = [
        record
        for given_transaction in transactions
        for record in transaction(given_transaction[0], given_transaction[1], is_cut=given_transaction[2])
    ]
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
    lambda csns: [(csn, "1.1", False) for csn in [*sorted(set(csns)), *csns[:5], *sorted(set(csns[5:]))]]
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


HEXADECIMAL = ("00000000/{}", "{}:0000036b:01bd", "0000000D:{}:01BD", "0x{}")
"""Forms of CSNs with eight hexadecimal digits in one place."""


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("form", HEXADECIMAL)
@pytest.mark.parametrize("seed", range(examples(20, short=10)))
def test_hexadecimal_csns_are_in_the_order_of_their_numbers_whatever_the_case_of_their_letters(
    seed: int, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = Random(f"{form} {seed}")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(draw.choice((2, 3, 100))))
    numbers = draw.choices((9, 10, 11, 12, 26, 27, 171, 172, 205), k=draw.randint(2, 12))
    if draw.random() < 0.5:
        numbers = sorted(set(numbers))
    cases = draw.choice((("x",), ("X",), ("x", "X")))
    texts = [form.format(f"{number:08{draw.choice(cases)}}") for number in numbers]
    told, greatest = list[tuple[bool, bool, int]](), 0
    for at, number in enumerate(numbers):
        if at and number <= greatest:
            told.append((number < numbers[at - 1], number < greatest, greatest))
        greatest = max(greatest, number)
    paths = written(tmp_path, [(text, f"1.{at}", False) for at, text in enumerate(texts)], 40)
    known = dict(zip(texts, numbers, strict=True))
    assert [(case.goes_back, case.is_below, known[case.greatest]) for case in orders(paths)] == told, texts


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
    assert [(verdict.row, verdict.goes_back, verdict.is_below, verdict.greatest) for verdict in verdicts] == [
        (3, True, True, "30"),
        (4, False, True, "30"),
    ]


@pytest.mark.parametrize("rising", range(1, 9))
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_csn_that_falls_goes_back_wherever_a_batch_ends(
    size: int, rising: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After so many that rise: two that fall, two that rise below the greatest, one above it."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    csns = [500 + at for at in range(rising)]
    csns += [300, 200, 250, 400, 900]
    paths = written(tmp_path, [(str(csn), "1.1", False) for csn in csns], 40)
    length = paths[0].stat().st_size // len(csns)
    greatest = str(499 + rising)
    assert list(orders(paths)) == [
        Order(TrailPosition(0, length * (rising + at)), at < 2, is_below=True, greatest=greatest) for at in range(4)
    ]


def test_equal_csns_below_the_greatest_go_back_once(tmp_path: Path) -> None:
    falling = [("10", "1.1", False), ("30", "1.1", False), ("11", "1.1", False), ("11", "1.2", False)]
    _, _, verdicts = judged(written(tmp_path, falling, 40))
    assert [verdict.goes_back for verdict in verdicts] == [True, False]


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
    found = [item for item in transactions_of(WholeTrail([path])) if isinstance(item, Extent)]
    assert [not_applied.applies(extent) for extent in found] == [True] * 3


@pytest.mark.parametrize("case", range(6))
def test_a_copy_is_that_of_the_cut_ones_since_the_copy_before_it(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Transactions in the order of their CSNs, or some or all of them in any, are cut or whole, over two files."""
    draw = Random(f"awaited {case}")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(draw.choice((2, 7, 100))))
    csns = sorted(draw.choices(range(10, 18), k=24))
    for _ in range((0, 3, 24)[case % 3]):
        index, other = draw.sample(range(24), 2)
        csns[index], csns[other] = csns[other], csns[index]
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


@pytest.mark.parametrize("case", range(examples(12)))
def test_each_transaction_is_applied_or_a_copy_or_after_the_first_damage(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies before the damage, after it, and of transactions after it; damage at up to three places, in any file."""
    draw = Random(f"after damage {case}")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(draw.choice((1, 3, 100))))
    csns = [*range(10, 26), *draw.choices(range(10, 26), k=12)]
    if draw.random() < 0.5:
        csns.sort()
    begun = draw.randrange(1, len(csns))
    damaged = set(draw.sample(range(1, len(csns)), draw.randrange(4))) - {begun}  # where a file begins it is no trail
    parts: list[list[Record | bytes]] = [[], []]
    applied, copies, after = set[int](), 0, 0
    known = set[int]()
    for at, csn in enumerate(csns):
        part = parts[at >= begun]
        part += [b"\xee" * 60] if at in damaged else []
        part += transaction(str(csn), f"1.{csn}")
        is_copy = csn in known
        is_after = at >= min(damaged, default=len(csns))
        copies += is_copy
        after += is_after and not is_copy
        applied |= {at} if not is_copy and not is_after else set()
        known.add(csn)
    paths = [trail_of(tmp_path, *part, name=f"tt{number:09}") for number, part in enumerate(parts)]
    judge = AppliedTransactions(trail := WholeTrail(paths))
    places, not_applied = list[TrailPosition](), list[TrailPosition]()
    for batch in transaction_batches(trail):
        verdict = judge.judge(batch)
        named = [number for number in range(batch.rows) if batch.csns[number] is not None]
        places += [batch.first(number) for number in named]
        not_applied += [batch.first(number) for number in named if number in verdict.not_applied]
    assert not_applied == [place for at, place in enumerate(places) if at not in applied]
    assert (judge.whole, judge.copies, judge.after_damage, judge.applied) == (len(csns), copies, after, len(applied))


@pytest.mark.parametrize("most", [2, 3, 4, 7])
@pytest.mark.parametrize("size", [2, 6])
def test_a_copy_of_any_transaction_is_found_however_many_checkpoints_are_dropped(
    most: int, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty transactions in the order of their CSNs, then a copy of each, the newest first."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    monkeypatch.setattr(applied, "MOST_CHECKPOINTS", most)
    csns = [str(csn) for csn in range(10, 50)]
    path = trail_of(tmp_path, *(record for csn in [*csns, *csns[::-1]] for record in transaction(csn, f"1.{csn}")))
    judge = AppliedTransactions(trail := WholeTrail([path]))
    firsts: list[TrailPosition] = []
    found: list[TrailPosition | None] = []
    for batch in transaction_batches(trail):
        copies = judge.judge(batch).copies
        for number in range(batch.rows):
            if len(firsts) < len(csns):
                firsts.append(batch.first(number))
            else:
                found.append(copies.get(number))
    assert found == firsts[::-1]


PASSED = {
    "9": False,
    "10": False,
    "11": True,
    "100": True,
    "00000004:00000011": False,
    "0.11": True,
    "0.9": False,
    "no CSN": False,
    None: False,
}
"""CSNs, and whether a Replicat that has applied them skips a copy of a transaction with CSN 10."""


@pytest.mark.parametrize("csn", PASSED)
def test_a_transaction_is_passed_at_a_greater_csn_of_its_form(csn: str | None) -> None:
    name = TransactionName.of("10", "1.1")
    assert name is not None
    assert name.is_passed_at(csn) == PASSED[csn]
    other = TransactionName.of("00000004:00000010", "1.1")
    assert other is not None
    assert [other.is_passed_at(bound) for bound in ("99", "00000004:00000010", "00000004:00000011")] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_what_is_not_applied_has_the_ending_of_its_own_transaction(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours that are not applied, one after the other: copies, cut by a restart, or by another transaction."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    open_transaction = transaction("40", "1.40", is_cut=True)[:1]
    parts = [
        *((transaction("10", "1.10"), None), (transaction("10", "1.10"), Ended.LAST)),
        *((transaction("20", "1.20", is_cut=True), Ended.CUT), (transaction("30", "1.30", is_cut=True), Ended.CUT)),
        *(
            (transaction("10", "1.10"), Ended.LAST),
            (open_transaction, Ended.OVERTAKEN),
            (open_transaction, Ended.OVERTAKEN),
        ),
        *((transaction("50", "1.50", is_cut=True), Ended.CUT), (transaction("60", "1.60"), None)),
    ]
    path = trail_of(tmp_path, *(record for records, _ in parts for record in records))
    ranges = NotApplied(WholeTrail([path])).of(path)
    begins = [sum(len(record.raw) for records, _ in parts[:at] for record in records) for at in range(len(parts))]
    for begin, (_, ended) in zip(begins, parts, strict=True):
        assert ranges.hold(begin) == (ended is not None)
        if ended is not None:
            within = ranges.within(begin, begin + 1)
            assert [ENDINGS[ending] for ending in within.endings] == [ended]


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("lengths", [(5, 9, 2), (4, 1, 12), (3, 7, 7), (8, 4, 5), (2, 1, 1), (16, 1, 0)])
def test_copies_that_fill_files_are_not_applied_in_each_of_them(
    lengths: tuple[int, int, int], size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three transactions, fourteen copies of them over up to four files, and another transaction."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    csns = [str(10 + at % 3) for at in range(17)] + ["20"]
    stops = [*(sum(lengths[: at + 1]) for at in range(3)), len(csns)]
    files = [csns[start:stop] for start, stop in zip([0, *stops], stops, strict=False) if start < stop]
    paths = [
        trail_of(
            tmp_path, *(record for csn in own_csns for record in transaction(csn, f"1.{csn}")), name=f"tt{number:09}"
        )
        for number, own_csns in enumerate(files)
    ]
    not_applied, asked = NotApplied(WholeTrail(paths)), NotApplied(WholeTrail(paths))
    ranges = [not_applied.of(path) for path in paths]
    number = 0
    for path, within, file_csns in zip(paths, ranges, files, strict=True):
        rba = 0
        for csn in file_csns:
            is_copy = 3 <= number < 17
            assert within.hold(rba) == asked.holds(FilePosition(path, rba)) == is_copy
            rba += sum(len(record.raw) for record in transaction(csn, f"1.{csn}"))
            number += 1
        assert within.hold(rba - 1) == (3 <= number - 1 < 17)


@pytest.mark.parametrize("case", range(examples(12)))
def test_a_judge_that_goes_on_says_what_one_from_the_beginning_says(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From any batch on: with copies of what was before it, in and out of order, and damage on both sides."""
    draw = Random(f"goes on {case}")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(draw.choice((2, 5))))
    monkeypatch.setattr(applied, "MOST_CHECKPOINTS", draw.choice((3, 100)))
    csns = [*range(10, 30), *draw.choices(range(10, 36), k=30)]
    if draw.random() < 0.5:
        draw.shuffle(csns)
    texts = [draw.choice((f"{csn}", f"{csn}", f"00000004:000000{csn}")) for csn in csns]
    damaged = set(draw.sample(range(1, 50), draw.choice((0, 0, 1, 2))))
    parts: list[Record | bytes] = []
    for at, csn in enumerate(texts):
        parts += [b"\xee" * 60] if at in damaged else []
        parts += transaction(csn, f"1.{csn}")
    trail = WholeTrail([trail_of(tmp_path, *parts)])
    judge, said, states = AppliedTransactions(trail), list[Said](), []
    for batch in transaction_batches(trail):
        states.append((judge.state, batch.first(0), len(said), judge.copies, judge.after_damage))
        said += _said(judge, batch)
    for state, place, before, copies, after in states[1:]:
        other, rest = AppliedTransactions(trail), list[Said]()
        other.resume(state, place)
        for batch in transaction_batches(trail, place):
            rest += _said(other, batch)
        assert rest == said[before:]
        assert (other.copies, other.after_damage) == (judge.copies - copies, judge.after_damage - after)


Said = tuple[TrailPosition, bool, bool]
"""A transaction, whether it is applied, and whether it is a copy."""


def _said(judge: AppliedTransactions, batch: TransactionBatch) -> list[Said]:
    verdict = judge.judge(batch)
    return [
        (batch.first(number), number not in verdict.not_applied, number in verdict.copies)
        for number in range(batch.rows)
    ]


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_state_has_whether_there_was_damage(tmp_path: Path, *, is_damaged: bool) -> None:
    """What begins where another judge goes on is not applied behind damage, and its copies count as copies."""
    damage: list[Record | bytes] = [b"\xee" * 60] if is_damaged else []
    before: list[Record | bytes] = [*transaction("10", "1.10"), *damage, *transaction("20", "1.20")]
    after = [*transaction("20", "1.20"), *transaction("30", "1.30"), *transaction("10", "1.10")]
    trail = WholeTrail([trail_of(tmp_path, *before, *after)])
    place = TrailPosition(0, sum(len(part if isinstance(part, bytes) else part.raw) for part in before))
    first, second = AppliedTransactions(trail), AppliedTransactions(trail)
    for batch in transaction_batches(WholeTrail([trail_of(tmp_path, *before, name="tt000000001")])):
        first.judge(batch)
    assert first.state.is_damaged == is_damaged
    second.resume(first.state, place)
    not_applied = []
    for batch in transaction_batches(trail, place):
        not_applied += [batch.csns[number] for number in second.judge(batch).not_applied]
    assert not_applied == (["20", "30", "10"] if is_damaged else ["20", "10"])
    assert (second.whole, second.copies, second.after_damage) == (3, 2, int(is_damaged))
    assert second.is_after_damage(place) == is_damaged
