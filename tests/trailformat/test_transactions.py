from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from tests.trailformat.transaction_shapes import shapes
from trailformat import ByteOrder, Record, TrailError, TrailFile, make_record, make_token
from trailformat.changes.transaction_context import TransactionContext
from trailformat.changes.transactions import is_transactional, own_transaction
from trailformat.records.record_header import (
    COMMENT,
    FIRST,
    LAST,
    MIDDLE,
    NO_TRANSACTION,
    ONLY,
    RESTART_OK,
    Transaction,
)

TEN = Transaction("10", "1.1.1")
TWENTY = Transaction("20", "2.2.2")


def begun(transaction: Transaction, trans_ind: int) -> Record:
    tokens = [make_token("L", (transaction.csn or "").encode()), make_token("6", (transaction.xid or "").encode())]
    return make_record(header(trans_ind=trans_ind), b"", tokens)


def middle() -> Record:
    return row(trans_ind=MIDDLE)


def last() -> Record:
    return row(trans_ind=LAST)


def told(path: Path) -> list[Transaction]:
    with TrailFile(path) as trail:
        context = TransactionContext(trail)
        return [context.of(record) for record in trail.records()]


def test_csn_and_xid_of_the_first_record_hold_for_all_of_the_transaction(tmp_path: Path) -> None:
    records = begun(TEN, FIRST), middle(), last(), begun(TWENTY, FIRST), last()
    assert told(trail_of(tmp_path, *records)) == [TEN, TEN, TEN, TWENTY, TWENTY]


def test_a_single_record_is_a_transaction_of_its_own(tmp_path: Path) -> None:
    assert told(trail_of(tmp_path, begun(TEN, ONLY), begun(TWENTY, ONLY))) == [TEN, TWENTY]


def test_a_single_record_without_tokens_has_no_csn(tmp_path: Path) -> None:
    assert told(trail_of(tmp_path, begun(TEN, ONLY), row(trans_ind=ONLY))) == [TEN, NO_TRANSACTION]


def test_a_definition_in_the_middle_does_not_end_the_transaction(tmp_path: Path) -> None:
    records = begun(TEN, FIRST), table_record(1, "TEAS"), last()
    assert told(trail_of(tmp_path, *records)) == [TEN, NO_TRANSACTION, TEN]


def test_a_comment_belongs_to_no_transaction(tmp_path: Path) -> None:
    path = trail_of(tmp_path, begun(TEN, FIRST), row(io_type=COMMENT), last())
    assert told(path) == [TEN, NO_TRANSACTION, TEN]


def test_of_what_goes_on_behind_a_restart_of_extract_nothing_is_known(tmp_path: Path) -> None:
    path = trail_of(tmp_path, begun(TEN, FIRST), row(io_type=RESTART_OK), last())
    assert told(path) == [TEN, NO_TRANSACTION, NO_TRANSACTION]


def test_after_a_jump_the_beginning_is_looked_for(tmp_path: Path) -> None:
    path = trail_of(tmp_path, begun(TEN, FIRST), middle(), table_record(1, "TEAS"), last())
    with TrailFile(path) as trail:
        assert [TransactionContext(trail).of(record) for record in trail.records() if not record.is_metadata] == [
            TEN
        ] * 3


def test_a_row_behind_a_transaction_that_somebody_else_found_has_not_its_csn(tmp_path: Path) -> None:
    """A scan hands its findings over in the middle of a file: what follows the end is another transaction's."""
    path = trail_of(tmp_path, begun(TEN, FIRST), last(), middle())
    with TrailFile(path) as trail:
        _, end, row_behind = trail.records()
        context = TransactionContext(trail)
        context.learn(end, TEN)
        assert context.open_at(row_behind.rba) is None
        assert context.of(row_behind) == NO_TRANSACTION


def test_behind_a_record_its_transaction_is_open_for_the_next_one_alone(tmp_path: Path) -> None:
    first, second = begun(TEN, FIRST), middle()
    with TrailFile(trail_of(tmp_path, first, second, last())) as trail:
        asked, taken_over = TransactionContext(trail), TransactionContext(trail)
        asked.of(next(trail.records()))
        taken_over.learn(next(trail.records()), TEN)
        for context in (asked, taken_over):
            assert context.open_at(first.length) == TEN
            assert context.open_at(first.length + second.length) is None


def test_the_first_of_several_tokens_of_a_kind_counts() -> None:
    tokens = [make_token("L", b"10"), make_token("R", b"AAAT"), make_token("L", b"11"), make_token("6", b"1.1.1")]
    record = make_record(header(trans_ind=FIRST), b"", [*tokens, make_token("6", b"2.2.2")])
    assert own_transaction(record) == (record.csn, record.xid) == TEN


def test_records_may_be_asked_for_backwards(tmp_path: Path) -> None:
    path = trail_of(tmp_path, begun(TEN, FIRST), last(), begun(TWENTY, FIRST), last())
    with TrailFile(path) as trail:
        context = TransactionContext(trail)
        assert [context.of(record) for record in trail.records_backwards()] == [TWENTY, TWENTY, TEN, TEN]


def test_a_transaction_that_began_in_another_file_is_not_known(tmp_path: Path) -> None:
    assert told(trail_of(tmp_path, middle(), last())) == [NO_TRANSACTION, NO_TRANSACTION]


def test_a_transaction_that_began_in_front_of_damage_is_not_known(tmp_path: Path) -> None:
    path = trail_of(tmp_path, begun(TEN, FIRST), b"junk", last())
    with TrailFile(path) as trail:
        begin = trail.next_good_header(begun(TEN, FIRST).length + 1)
        assert begin is not None
        assert [TransactionContext(trail).of(record) for record in trail.records(begin)] == [NO_TRANSACTION]


def test_damaged_tokens_tell_nothing() -> None:
    damaged = Record(begun(TEN, ONLY).raw.replace(b"L\0\0\2", b"L\0\0\x63"))
    assert own_transaction(damaged) == NO_TRANSACTION


def test_rows_are_transactional_and_definitions_are_not() -> None:
    assert is_transactional(row())
    assert not is_transactional(table_record(1, "TEAS"))


@pytest.mark.parametrize("order", BOTH)
def test_a_record_tells_what_its_tokens_say(order: ByteOrder) -> None:
    found = []
    for raw in shapes(order):
        for one in BOTH:
            record = Record(raw, order=one)
            try:
                expected = Transaction(record.csn, record.xid)
            except TrailError:
                expected = NO_TRANSACTION
            assert own_transaction(record) == expected
            found.append(expected)
    assert Transaction("00000004:0000095", "7.7") in found
