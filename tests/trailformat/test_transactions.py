"""The transactions of a whole trail as columns are those of a walk record by record."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import WAYS, run
from tests.oracles.batches_by_record import BatchesByRecord
from tests.searching import examples
from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_transaction_walk import records_of
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
from trailformat.transactions import whole_trail
from trailformat.transactions.batches import TrailMark, TransactionBatch
from trailformat.transactions.extent import Ended
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import FIRST_PLACE, TrailPosition, WholeTrail


class Seen(NamedTuple):
    """What a batch tells of a transaction."""

    first: TrailPosition
    begin: TrailPosition | None
    after: TrailPosition | None
    records: int
    size: int
    ended: Ended
    csn: str | None
    xid: str | None


def seen(batches: list[TransactionBatch]) -> list[Seen]:
    return [
        Seen(
            batch.first(row),
            batch.begin(row),
            batch.after(row),
            int(batch.columns.records[row]),
            int(batch.columns.sizes[row]),
            batch.ended(row),
            batch.csns[row],
            batch.xids[row],
        )
        for batch in batches
        for row in range(batch.rows)
    ]


def marks(batches: list[TransactionBatch]) -> list[TrailMark]:
    return sorted(mark for batch in batches for mark in batch.marks)


def read(paths: list[Path], batch_size: int) -> list[TransactionBatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_trail, "scan_in_threads", in_batches(batch_size))
        whole = WholeTrail(paths)
        return list(transaction_batches(whole))


def assert_as_by_record(paths: list[Path], batch_size: int) -> None:
    by_record = list(BatchesByRecord(WholeTrail(paths), FIRST_PLACE).batches())
    for way in WAYS:
        with run(way):
            found = read(paths, batch_size)
        assert seen(found) == seen(by_record)
        assert marks(found) == marks(by_record)
        assert max((batch.commit for batch in found), default=0) == max(
            (batch.commit for batch in by_record), default=0
        )


TEXTS = st.text("bbmmlooAOTCF#", min_size=1, max_size=14)


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=4), cut=st.integers(0, 9), gap=st.integers(0, 6), size=st.integers(1, 6)
)
@settings(max_examples=examples(70), deadline=None)
def test_columns_tell_what_a_walk_tells(texts: list[str], cut: int, gap: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for at, text in enumerate(texts):
            records = records_of(text)
            last = records[-1] if isinstance(records[-1], bytes) else records[-1].raw
            records[-1] = last[: max(1, len(last) - cut)]
            number = at if at < gap else at + 2
            paths.append(trail_of(Path(folder), *records, name=f"tt{number:09}"))
        assert_as_by_record(paths, size)


def test_a_long_transaction_that_reaches_over_a_batch_keeps_its_name(tmp_path: Path) -> None:
    long = [row(b"leaf", trans_ind=MIDDLE)] * 99
    records = []
    for number in range(5):
        tokens = [make_token("L", f"{number}".encode()), make_token("6", f"x{number}".encode())]
        first = row(b"leaf", trans_ind=FIRST)
        records += [make_record(first.header, first.data, tokens), *long]
    batches = read([trail_of(tmp_path, *records, name="tt000000000")], 130)
    assert [(transaction.csn, transaction.xid) for transaction in seen(batches)] == [
        (str(number), f"x{number}") for number in range(5)
    ]


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
        for byte_order in BOTH:
            record = Record(raw, order=byte_order)
            try:
                expected = Transaction(record.csn, record.xid)
            except TrailError:
                expected = NO_TRANSACTION
            assert own_transaction(record) == expected
            found.append(expected)
    assert Transaction("00000004:0000095", "7.7") in found
