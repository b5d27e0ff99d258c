"""The beginning of a transaction is looked for before the record, in the files before too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.searching import Random, examples
from tests.trailformat.samples import BOTH, IO_TIME, header, row, table_record, trail_of
from tests.trailformat.transaction_shapes import shapes
from trailformat import ByteOrder, Record, TrailFile, make_file_header, make_file_header_record, make_record, make_token
from trailformat.changes import transaction_context
from trailformat.changes.transaction_context import TransactionContext, TransactionSearch
from trailformat.index import build, index_of
from trailformat.records.record_header import FIRST, LAST, MIDDLE, NO_TRANSACTION, CarriedTransaction, Transaction
from trailformat.trail.time_search import first_at_or_after

SECOND = 1_000_000


def rows_of(tmp_path: Path, number: int, gap: bytes = b"") -> Path:
    """Rows a second apart, each of the same length; ``gap`` stands behind each."""
    before, after = row().raw.split(IO_TIME.to_bytes(8))
    times = ((IO_TIME + at * SECOND).to_bytes(8) for at in range(number))
    return trail_of(tmp_path, *(before + time + after + gap for time in times))


@pytest.mark.parametrize("number", [10, 2000], ids=["small", "large"])
@pytest.mark.parametrize("gap", [b"", b"junk"], ids=["sound", "damaged"])
def test_every_row_is_found_by_its_time(tmp_path: Path, number: int, gap: bytes) -> None:
    size = row().length + len(gap)
    with TrailFile(rows_of(tmp_path, number, gap)) as trail:
        for at in range(0, number, number // 5):
            assert first_at_or_after(trail, IO_TIME + at * SECOND) == at * size


@pytest.mark.parametrize("number", [10, 2000], ids=["small", "large"])
def test_a_time_between_two_rows_finds_the_later(tmp_path: Path, number: int) -> None:
    with TrailFile(rows_of(tmp_path, number)) as trail:
        assert first_at_or_after(trail, IO_TIME + 7 * SECOND + 1) == 8 * row().length


def test_a_time_before_all_rows_finds_the_first(tmp_path: Path) -> None:
    with TrailFile(rows_of(tmp_path, 10)) as trail:
        assert first_at_or_after(trail, 0) == 0


def test_a_time_after_all_rows_finds_the_end(tmp_path: Path) -> None:
    with TrailFile(rows_of(tmp_path, 10)) as trail:
        assert first_at_or_after(trail, IO_TIME + 10 * SECOND) == trail.size


def test_definitions_are_passed_over(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), table_record(1, "TEAS"), row(io_time=IO_TIME + SECOND))
    with TrailFile(path) as trail:
        assert first_at_or_after(trail, IO_TIME + 1) == trail.size - row().length


TEN = Transaction("10", "1.1.1")


def goes_on_at(search: TransactionSearch, rba: int, order: ByteOrder) -> Transaction:
    """The transaction that goes on in the record at an RBA; empty where none does."""
    found = search.carried_at(rba, order)
    return found.transaction if found is not None else NO_TRANSACTION


def begin() -> Record:
    return make_record(header(trans_ind=FIRST), b"", [make_token("L", b"10"), make_token("6", b"1.1.1")])


def middle() -> Record:
    return row(trans_ind=MIDDLE)


def last() -> Record:
    return row(trans_ind=LAST)


def numbered(seqno: int) -> Record:
    return make_file_header_record(make_file_header({"TrailInfo": {"Seqno": seqno}}))


def told(path: Path) -> list[Transaction]:
    with TrailFile(path) as trail:
        context = TransactionContext(trail)
        return [context.of(record) for record in trail.records() if not record.is_file_header]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("tt000004", "tt000005"),
        ("tt000000009", "tt000000010"),
        ("tt999999", "tt000000"),
        ("12000000", "12000001"),
        ("tt000004", "tt000000005"),
    ],
)
def test_a_transaction_may_begin_in_the_file_before(tmp_path: Path, earlier: str, later: str) -> None:
    trail_of(tmp_path, begin(), middle(), name=earlier)
    assert told(trail_of(tmp_path, middle(), last(), name=later)) == [TEN, TEN]


def test_or_several_files_before(tmp_path: Path) -> None:
    trail_of(tmp_path, begin(), name="tt000000")
    trail_of(tmp_path, middle(), table_record(1, "TEAS"), name="tt000001")
    trail_of(tmp_path, numbered(2), name="tt000002")
    assert told(trail_of(tmp_path, numbered(3), last(), name="tt000003")) == [TEN]


@pytest.mark.parametrize("order", BOTH)
def test_in_either_byte_order(tmp_path: Path, order: ByteOrder) -> None:
    tokens = [make_token("L", b"10"), make_token("6", b"1.1.1")]
    start = make_record(header(order=order, trans_ind=FIRST), b"x" * 300, tokens, order=order)
    trail_of(tmp_path, numbered(0), start, row(order=order, trans_ind=MIDDLE), name="tt000000")
    path = trail_of(tmp_path, numbered(1), *[row(order=order, trans_ind=MIDDLE)] * 2, name="tt000001")
    assert told(path) == [TEN, TEN]


@pytest.mark.parametrize(
    "records",
    [
        [],
        [b"junk"],
        [begin(), last()],
        [begin(), b"junk"],
        [begin(), middle().raw[:-3]],
        [begin(), b"junk", middle()],
        [middle()],
    ],
    ids=["empty", "no trail", "ended", "damaged end", "half-written end", "damage between", "not begun"],
)
def test_a_file_before_that_does_not_tell(tmp_path: Path, records: list[Record | bytes]) -> None:
    trail_of(tmp_path, *records, name="tt000000")
    assert told(trail_of(tmp_path, middle(), last(), name="tt000001")) == [NO_TRANSACTION] * 2


def test_damage_at_its_beginning_hides_what_goes_on_from_the_file_before(tmp_path: Path) -> None:
    trail_of(tmp_path, begin(), middle(), name="tt000000")
    path = trail_of(tmp_path, b"junk", middle(), name="tt000001")
    with TrailFile(path) as trail:
        assert goes_on_at(TransactionSearch(trail), len(b"junk"), trail.order) == NO_TRANSACTION


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("tt000004", "tt000006"), ("tx000004", "tt000005"), ("part1", "part2")],
    ids=["a gap", "another trail", "no name of a trail's file"],
)
def test_only_the_file_before_is_asked(tmp_path: Path, earlier: str, later: str) -> None:
    trail_of(tmp_path, begin(), name=earlier)
    assert told(trail_of(tmp_path, last(), name=later)) == [NO_TRANSACTION]


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [(6, 7, TEN), (3, 7, NO_TRANSACTION), (7, 7, NO_TRANSACTION), (999_999, 0, TEN), (999_998, 0, NO_TRANSACTION)],
)
def test_file_headers_must_agree_with_the_names(
    tmp_path: Path, earlier: int, later: int, expected: Transaction
) -> None:
    trail_of(tmp_path, numbered(earlier), begin(), name="tt000000")
    assert told(trail_of(tmp_path, numbered(later), last(), name="tt000001")) == [expected]


def test_a_walk_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction_context, "_MOST_RECORDS", 3)
    path = trail_of(tmp_path, begin(), *[middle()] * 4)
    with TrailFile(path) as trail:
        records = list(trail.records())
        found = [goes_on_at(TransactionSearch(trail), record.rba, record.order) for record in records[1:]]
    assert found == [TEN, TEN, TEN, NO_TRANSACTION]


def test_several_answers_have_one_limit_together(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, *[begin(), *[middle()] * 3] * 2)) as trail:
        rbas = [record.rba for record in trail.records()]
        search = TransactionSearch(trail, 3)
        found = [(goes_on_at(search, rbas[at], trail.order), search.is_exhausted) for at in (3, 7, 5)]
    assert found == [(TEN, False), (NO_TRANSACTION, True), (NO_TRANSACTION, True)]


@pytest.mark.parametrize(("most", "expected"), [(3, NO_TRANSACTION), (4, TEN)])
def test_a_file_that_is_opened_counts_as_a_record(most: int, expected: Transaction, tmp_path: Path) -> None:
    trail_of(tmp_path, begin(), name="tt000000")
    trail_of(tmp_path, middle(), name="tt000001")
    with TrailFile(trail_of(tmp_path, last(), name="tt000002")) as trail:
        search = TransactionSearch(trail, most)
        assert goes_on_at(search, 0, trail.order) == expected
        assert search.is_exhausted is (expected == NO_TRANSACTION)


def test_a_way_gone_once_is_not_gone_again(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, begin(), *[middle()] * 3000)) as trail:
        rbas = [record.rba for record in trail.records()]
        search = TransactionSearch(trail, 3000 + 1100)
        assert goes_on_at(search, rbas[2999], trail.order) == TEN
        assert goes_on_at(search, rbas[2998], trail.order) == TEN
        assert not search.is_exhausted


def test_the_index_shortens_the_way(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, begin(), *[middle()] * 1000)) as trail:
        last_rba = trail.size - middle().length
        assert goes_on_at(TransactionSearch(trail, 300), last_rba, trail.order) == NO_TRANSACTION
        for _ in build(trail, index_of(trail)):
            pass
        assert goes_on_at(TransactionSearch(trail, 300), last_rba, trail.order) == TEN


def test_a_context_says_whether_it_gave_up(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, *[begin(), *[middle()] * 3] * 2)) as trail:
        records = list(trail.records())
        context = TransactionContext(trail, 3)
        told = [(context.of(records[at]), context.is_decided) for at in (3, 7, 4)]
    assert told == [(TEN, True), (NO_TRANSACTION, False), (TEN, True)]


@pytest.mark.parametrize("order", BOTH)
def test_what_is_remembered_changes_no_answer(
    tmp_path: Path, order: ByteOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction_context, "_MARK_EVERY", 1)
    monkeypatch.setattr(transaction_context, "_MOST_MARKS", 12)
    chance = Random(3)
    every = [shape for shape in shapes(order) if len(shape) < 1000]
    for _ in range(examples(30)):
        with TrailFile(trail_of(tmp_path, *chance.choices(every, k=14))) as trail:
            rbas = list(trail.sound_rbas(0, trail.size))
            fresh = {rba: goes_on_at(TransactionSearch(trail), rba, order) for rba in rbas}
            search = TransactionSearch(trail)
            for rba in chance.choices(rbas, k=60):
                assert goes_on_at(search, rba, order) == fresh[rba]


def test_backwards_a_transaction_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    found = TransactionSearch.carried_at

    def note(search: TransactionSearch, rba: int, order: ByteOrder, *, is_fragment: bool) -> CarriedTransaction | None:
        asked.append(rba)
        return found(search, rba, order, is_fragment=is_fragment)

    monkeypatch.setattr(TransactionSearch, "carried_at", note)
    path = trail_of(tmp_path, *[begin(), middle(), table_record(1, "TEAS"), middle(), last()] * 2)
    with TrailFile(path) as trail:
        context = TransactionContext(trail)
        told = [context.of(record) for record in trail.records_backwards()]
    assert told == [TEN, TEN, NO_TRANSACTION, TEN, TEN] * 2
    assert len(asked) == 2


@pytest.mark.parametrize("order", BOTH)
def test_any_way_of_asking_gives_one_answer(tmp_path: Path, order: ByteOrder) -> None:
    chance = Random(5)
    every = [shape for shape in shapes(order) if len(shape) < 1000]
    for _ in range(examples(30)):
        with TrailFile(trail_of(tmp_path, *chance.choices(every, k=14))) as trail:
            records = [trail.record_at(rba) for rba in trail.sound_rbas(0, trail.size)]
            context, at = TransactionContext(trail), 0
            for _ in range(80):
                at = min(max(at + chance.choice([-1, -1, 1, 1, 4]), 0), len(records) - 1)
                record = records[at]
                assert record is not None
                assert context.of(record) == TransactionContext(trail).of(record)
