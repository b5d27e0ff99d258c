"""The transactions of a scan's rows are those that TransactionContext tells, record by record."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.kernels import WAYS, run
from tests.searching import Random, examples, in_turn, part_of, some_trails
from tests.trailformat.samples import BOTH, header, row, trail_of
from tests.trailformat.transaction_shapes import shapes, with_tokens
from trailformat import ByteOrder, CannotRead, NotATrail, Token, TrailError, TrailFile, make_record, make_token
from trailformat.changes.transaction_context import TransactionContext, TransactionSearch
from trailformat.records.record_header import (
    FIRST,
    LAST,
    MIDDLE,
    NO_TRANSACTION,
    ONLY,
    RECORD_FRAGMENT,
    CarriedTransaction,
    Transaction,
)
from trailformat.scan import FILE_HEADER, scan
from trailformat.scan.row_tokens import rows_with_token
from trailformat.transactions.tracker import TransactionTracker

Told = list[tuple[int, Transaction]]
TEN = Transaction("10", "1.1.1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("transactions")


def by_record(trail: TrailFile, start: int = 0) -> Told:
    context = TransactionContext(trail)
    told: Told = []
    for rba in trail.sound_rbas(start, trail.size):
        record = trail.record_at(rba)
        assert record is not None
        told.append((rba, context.of(record)))
    return told


def by_batch(trail: TrailFile, batch_size: int, start: int = 0) -> Told:
    carrier, passing = TransactionTracker(trail), TransactionTracker(trail)
    told: Told = []
    for batch in scan(trail, start, batch_size=batch_size):
        owners = carrier.of(batch)
        passing.pass_over(batch)
        assert passing.state == carrier.state
        assert len(owners.index) == len(batch)
        assert owners.transactions[0] is NO_TRANSACTION
        for rba, kind, number in zip(batch.rba, batch.kind, owners.index, strict=True):
            if kind <= FILE_HEADER:
                told.append((int(rba), owners.transactions[number]))
            else:
                assert number == 0
    return told


def assert_same(path: Path, batch_size: int = 1 << 16) -> None:
    try:
        trail = TrailFile(path)
    except TrailError:
        return
    with trail:
        expected = by_record(trail)
        for way in WAYS:
            with run(way):
                assert by_batch(trail, batch_size) == expected, way


@pytest.mark.parametrize(("batch_size", "name"), in_turn([1, 3, 1 << 16], some_trails(names(), __name__)))
def test_a_fixture(name: str, batch_size: int) -> None:
    assert_same(TRAILS / name, batch_size)


@pytest.mark.parametrize("batch_size", [3, 4, 5, 6, 7, 8, 9, 30])
@pytest.mark.parametrize("cut", [{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}])
def test_damage_ends_the_name_of_the_transaction_that_it_is_in_for_later_batches(
    cut: set[int], batch_size: int, tmp_path: Path
) -> None:
    """Three transactions of four records, those of ``cut`` with damage behind their second record."""
    content: list[bytes] = []
    for number in range(3):
        tokens = (make_token("L", str(10 + number).encode()), make_token("6", b"1.1.%d" % number))
        content += [with_tokens(*tokens, trans_ind=FIRST), row(trans_ind=MIDDLE).raw]
        content += [b"\xee" * 40] if number in cut else []
        content += [row(trans_ind=MIDDLE).raw, row(trans_ind=LAST).raw]
    path = trail_of(tmp_path, *content)
    with TrailFile(path) as trail:
        told = [owner.csn for _, owner in by_batch(trail, batch_size)]
    places = [(number, place) for number in range(3) for place in range(4)]
    assert told == [None if number in cut and place > 1 else str(10 + number) for number, place in places]


@pytest.mark.parametrize("batch_size", [1, 2, 3, 5, 8, 30])
@pytest.mark.parametrize("damaged", [set(), {0}, {1}, {2}, {0, 2}, {1, 2}])
def test_fragments_after_damage_are_of_no_transaction_that_has_ended_before_it(
    damaged: set[int], batch_size: int, tmp_path: Path
) -> None:
    """Three transactions of one row with three fragments, and damage before one or two of those.

    The first record after the damage may be hidden in it.
    """
    content: list[bytes] = []
    for number in range(3):
        tokens = (make_token("L", str(10 + number).encode()), make_token("6", b"1.1.%d" % number))
        content += [with_tokens(*tokens, trans_ind=ONLY)]
        for place in range(3):
            content += [b"\xee" * 40] if place in damaged and number != 1 else []
            content += [row(io_type=RECORD_FRAGMENT).raw]
    with TrailFile(trail_of(tmp_path, *content)) as trail:
        told = [owner.csn for _, owner in by_batch(trail, batch_size)]
    first = min(damaged, default=3)
    expected = [
        None if number != 1 and place > first else str(10 + number) for number in range(3) for place in range(4)
    ]
    assert told == expected


def test_the_real_trail(evidence: Path) -> None:
    assert_same(evidence / "tr000000000", 5)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture_from_every_record_on(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        for start in part_of(trail.sound_rbas(0, trail.size), case=trail.size):
            assert by_batch(trail, 4, start) == by_record(trail, start)


@pytest.mark.parametrize("order", BOTH)
def test_everything_in_any_order_with_bits_turned_over(folder: Path, order: ByteOrder) -> None:
    chance = Random(order.value)
    every = shapes(order)
    for _ in range(examples(150)):
        data = bytearray(b"".join(chance.choices(every, k=14)))
        for _ in range(chance.choice([0, 0, 1, 3, 20])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert_same(trail_of(folder, bytes(data)), chance.choice([1, 2, 1 << 10]))


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("order", BOTH)
def test_everything_from_every_record_on(folder: Path, order: ByteOrder) -> None:
    chance = Random(7)
    every = [shape for shape in shapes(order) if len(shape) < 1000]
    for _ in range(examples(8, short=3)):
        with TrailFile(trail_of(folder, *chance.choices(every, k=12))) as trail:
            for start in trail.sound_rbas(0, trail.size):
                assert by_batch(trail, 4, start) == by_record(trail, start)


@given(st.binary(max_size=30), st.sampled_from(BOTH), st.sampled_from([FIRST, MIDDLE]))
def test_any_bytes_as_tokens(folder: Path, data: bytes, order: ByteOrder, trans_ind: int) -> None:
    raw = make_record(header(order=order, trans_ind=trans_ind), b"", [Token(0x58, 0, b"")] * 2, order=order).raw
    at = raw.index(b"T", 38)
    tokens = b"T\0" + order.encode(len(data), 2) + data
    length = order.encode(at + len(tokens) + 4, 2)
    assert_same(trail_of(folder, row(), raw[:2] + length + raw[4:at] + tokens + b"Z\1" + length, row(trans_ind=MIDDLE)))


@pytest.mark.usefixtures("kernels")
def test_a_jump_between_batches() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        expected = dict(by_record(trail))
        carrier = TransactionTracker(trail)
        for rba in reversed(expected):
            (batch,) = scan(trail, rba, rba + 1)
            owners = carrier.of(batch)
            assert owners.transactions[owners.index[0]] == expected[rba]


@pytest.mark.usefixtures("kernels")
def test_the_transaction_open_at_the_start_may_be_told(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(trans_ind=MIDDLE), row(trans_ind=LAST), row(trans_ind=MIDDLE))) as trail:
        (batch,) = scan(trail)
        owners = TransactionTracker(trail, before=TEN).of(batch)
        assert [owners.transactions[number] for number in owners.index] == [TEN, TEN, NO_TRANSACTION]


@pytest.mark.usefixtures("kernels")
def test_a_file_that_became_shorter(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(), row())) as trail:
        (batch,) = scan(trail)
        trail_of(tmp_path, row())
        with pytest.raises(CannotRead, match="truncated to 71 bytes"):
            TransactionTracker(trail).of(batch)


@pytest.mark.usefixtures("kernels")
def test_a_closed_file(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail:
        (batch,) = scan(trail)
        carrier = TransactionTracker(trail)
    with pytest.raises(NotATrail, match="closed"):
        carrier.of(batch)


@pytest.mark.usefixtures("kernels")
def test_a_file_that_grows_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ten = with_tokens(make_token("L", b"10"), make_token("6", b"1.1.1"), trans_ind=ONLY)
    path = trail_of(tmp_path, row(trans_ind=MIDDLE), row(trans_ind=LAST), ten, row(trans_ind=LAST))
    looked_for = TransactionSearch.carried_at

    def grow_first(
        search: TransactionSearch, rba: int, order: ByteOrder, *, is_fragment: bool
    ) -> CarriedTransaction | None:
        with path.open("ab") as file:
            file.write(row().raw)
        return looked_for(search, rba, order, is_fragment=is_fragment)

    monkeypatch.setattr(TransactionSearch, "carried_at", grow_first)
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        owners = TransactionTracker(trail).of(batch)
        told = [owners.transactions[number] for number in owners.index]
    assert told == [NO_TRANSACTION, NO_TRANSACTION, TEN, NO_TRANSACTION]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("order", BOTH)
def test_rows_with_a_token(tmp_path: Path, order: ByteOrder) -> None:
    with TrailFile(trail_of(tmp_path, *shapes(order))) as trail:
        (batch,) = scan(trail)
        for letter in "L6Rt":
            expected = []
            for rba, kind in zip(batch.rba, batch.kind, strict=True):
                record = trail.record_at(int(rba)) if kind <= FILE_HEADER else None
                try:
                    ids = [token.id for token in record.gg_tokens] if record and not record.is_file_header else []
                except TrailError:
                    ids = []
                expected.append(int(ord(letter) in ids))
            assert list(rows_with_token(batch, trail.buffer, ord(letter))) == expected
