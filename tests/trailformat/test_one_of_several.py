"""First, last, next and nearest of three: whatever stands between them, and in whichever order they were written."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.searching import Random
from tests.trailformat.samples import header, row, table_record, trail_of
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import ByteOrder, Record, TrailFile, make_record, make_token
from trailformat.index.trail_index import build, index_of
from trailformat.records.record_header import FIRST, LAST, MIDDLE, RESTART_ABEND
from trailformat.scan import scan
from trailformat.trail import resync
from trailformat.trail.sequence import FilePosition, file_beyond
from trailformat.transactions import whole_trail
from trailformat.transactions.applied import AppliedTransactions
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.tracker import TransactionTracker, first_begin, last_begin
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

ROWS = [1, 2, 100]
"""Rows of a batch: each alone, a pair, all."""


def _first(csn: str) -> Record:
    tokens = [make_token("L", csn.encode()), make_token("6", f"1.{csn}".encode())]
    return make_record(header(trans_ind=FIRST), b"leaf", tokens)


def _size(*records: Record | bytes) -> int:
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


@pytest.mark.parametrize("wholes", [0, 1, 2, 3])
@pytest.mark.parametrize("cut", [1, 20])
def test_records_end_with_the_last_whole_one(wholes: int, cut: int, tmp_path: Path) -> None:
    records = [row(text) for text in (b"first", b"leaf", b"a longer leaf", b"bud")][: wholes + 1]
    path = trail_of(tmp_path, *records, row(b"half").raw[:-cut])
    with TrailFile(path) as trail:
        assert trail.end_of_records() == _size(*records)


@pytest.mark.parametrize("orders", sorted({*permutations("<<>")}))
@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_the_byte_order_is_that_of_the_first_sound_record(orders: tuple[str, ...], damaged: int) -> None:
    """Of three records the first ones are damaged."""
    records = [row(order=ByteOrder(order)).raw for order in orders]
    data = b"".join([GARBAGE, *(GARBAGE if at < damaged else record for at, record in enumerate(records))])
    assert resync.first_order(data, 0, len(data)) is ByteOrder(orders[damaged])


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("left_out", [(1,), (1, 2), (2, 3), (3,)])
def test_the_nearest_file_is_that_of_the_next_number_that_is_there(
    order: tuple[int, ...], left_out: tuple[int, ...], tmp_path: Path
) -> None:
    """Of files that were made in any order, with up to two numbers missing between two; the missing one is named."""
    there = [number for number in (*order, 4, 3) if number not in left_out]
    names = [trail_of(tmp_path, row(), name=f"tt{number:09}") for number in range(5)]
    for path in names:
        path.unlink()
    for number in there:
        trail_of(tmp_path, row(), name=names[number].name)
    for number in there:
        later = min((other for other in there if other > number), default=None)
        earlier = max((other for other in there if other < number), default=None)
        if later is not None:
            assert file_beyond(names[number], 1) == (names[later], names[number + 1] if later > number + 1 else None)
        if earlier is not None:
            missing = names[number - 1] if earlier < number - 1 else None
            assert file_beyond(names[number], -1) == (names[earlier], missing)


def test_metadata_between_two_places_is_followed_by_the_next(tmp_path: Path) -> None:
    """Of three definitions, asked for from each record to each."""
    definitions = [table_record(index, f"TEA.T{index}") for index in (1, 2, 3)]
    records = [record for trail_record in definitions for record in (trail_record, row(name=1), row(name=1))]
    starts = [_size(*records[:at]) for at in range(len(records) + 1)]
    with TrailFile(trail_of(tmp_path, *records)) as trail:
        index = index_of(trail)
        for _ in build(trail, index):
            pass
        for start in starts:
            for stop in (begin for begin in starts if begin >= start):
                inside = [rba for rba in starts[0:-1:3] if start <= rba < stop]
                following = next((rba for rba in starts[0:-1:3] if rba >= stop), index.places.metadata_end)
                assert index.places.metadata_between(start, stop) == (inside, following)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("places", [(1,), (1, 2), (2, 3), (1, 2, 3)])
def test_a_replicat_abends_at_the_first_of_several_places_of_damage(
    places: tuple[int, ...], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    parts: list[Record | bytes] = []
    begins = []
    for at in range(4):
        parts += [GARBAGE] if at in places else []
        begins.append(_size(*parts))
        parts += transaction(f"{at + 1}0", f"1.{at}")
    whole = WholeTrail([trail_of(tmp_path, *parts)])
    judge, not_applied = AppliedTransactions(whole), NotApplied(whole)
    for batch in transaction_batches(whole):
        judge.judge(batch)
    for at, rba in enumerate(begins):
        assert judge.is_after_damage(TrailPosition(0, rba)) == (at >= places[0])
        position = FilePosition(whole.paths[0], rba)
        assert not_applied.holds(position) == not_applied.is_after_damage(position) == (at >= places[0])
    assert (judge.applied, judge.after_damage) == (places[0], 4 - places[0])


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("most", range(5))
def test_of_so_many_copies_the_first_occurrence_is_known_and_of_later_ones_not(
    most: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four copies of one transaction, behind another."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    monkeypatch.setattr("trailformat.transactions.not_applied.MOST_TOLD", most)
    records, other = transaction("10", "1.10"), transaction("20", "1.20")
    path = trail_of(tmp_path, *records, *other, *records * 4)
    not_applied = NotApplied(WholeTrail([path]))
    not_applied.of(path)
    copies = [FilePosition(path, _size(*records, *other, *records * at)) for at in range(4)]
    expected = [FilePosition(path, 0) if at < most else None for at in range(4)]
    assert [not_applied.first_copy(copy) for copy in copies] == expected
    assert all(map(not_applied.holds, copies)), "they are not applied, whether it is known or not"


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("others", list(permutations(("10", "20", "30"))))
def test_each_of_three_copies_names_the_first_whole_occurrence(
    others: tuple[str, ...], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three transactions, one of which was cut before; copies of all in any order, twice and in another file."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    csns = ["10", "20", "30"]
    parts: list[Record] = [*transaction("20", "1.20", is_cut=True)]
    firsts = {}
    for csn in csns:
        firsts[csn] = _size(*parts)
        parts += transaction(csn, f"1.{csn}")
    paths = [trail_of(tmp_path, *parts, name="tt000000000")]
    again = [record for csn in (*others, *others) for record in transaction(csn, f"1.{csn}")]
    paths.append(trail_of(tmp_path, *again, name="tt000000001"))
    not_applied = NotApplied(WholeTrail(paths))
    not_applied.of(paths[1])
    for at, csn in enumerate((*others, *others)):
        assert not_applied.first_copy(FilePosition(paths[1], _size(*again[:at]))) == FilePosition(paths[0], firsts[csn])
    for csn in csns:
        assert not_applied.first_copy(FilePosition(paths[0], firsts[csn])) is None


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("lengths", list(permutations((1, 2, 4))))
def test_each_of_three_transactions_begins_at_its_first_record_and_ends_after_its_last(
    lengths: tuple[int, ...], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The middle one is the shortest, the longest or neither, and goes on in the second file."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    groups = [
        [_first(f"{at}0"), *[row(trans_ind=MIDDLE)] * length, row(trans_ind=LAST)]
        for at, length in enumerate(lengths, 1)
    ]
    head, rest = [*groups[0], groups[1][0]], [*groups[1][1:], *groups[2]]
    paths = [trail_of(tmp_path, *part, name=f"tt{number:09}") for number, part in enumerate((head, rest))]
    found = [
        (batch.first(at), batch.after(at))
        for batch in transaction_batches(WholeTrail(paths))
        for at in range(batch.rows)
        if batch.is_whole(at)
    ]
    ends = [_size(*groups[0]), _size(*groups[1][1:]), _size(*rest)]
    assert found == [
        (TrailPosition(0, 0), TrailPosition(0, ends[0])),
        (TrailPosition(0, ends[0]), TrailPosition(1, ends[1])),
        (TrailPosition(1, ends[1]), TrailPosition(1, ends[2])),
    ]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("begun", [0, 1, 2, 3])
def test_the_begins_of_a_batch_are_the_first_and_the_last_of_all(begun: int, rows: int, tmp_path: Path) -> None:
    """Rows of a transaction of another file, then up to three; a tracker that passes over them knows the last."""
    groups = [[_first(f"{at}0"), row(trans_ind=MIDDLE), row(trans_ind=LAST)] for at in range(1, begun + 1)]
    records = [row(trans_ind=MIDDLE), row(trans_ind=LAST), *(record for group in groups for record in group)]
    begins = [_size(*records[:at]) for at in range(2, len(records), 3)]
    records = records[:-1] if begun else records  # the last one is open
    with TrailFile(trail_of(tmp_path, *records)) as trail:
        tracker, reader = TransactionTracker(trail), TransactionTracker(trail)
        for batch in scan(trail, batch_size=rows):
            inside = [rba for rba in begins if rba in batch.rba]
            assert first_begin(batch) == (inside[0] if inside else None)
            assert int(batch.rba[last_begin(batch)]) == (inside[-1] if inside else int(batch.rba[0]))
            tracker.pass_over(batch)
            reader.of(batch)
            assert tracker.state == reader.state
        if begun:
            assert tracker.state.last is not None
            assert tracker.state.last.transaction.csn == f"{begun}0"


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("marks", ["x", "r", "xmx", "xr", "rx", "mx", "mr", "xm"])
def test_rows_after_damage_or_a_restart_are_of_no_transaction_wherever_reading_begins(
    marks: str, rows: int, tmp_path: Path
) -> None:
    """Damage, restarts and rows in the middle of a transaction: from each of them on as from the beginning.

    The last rows have no begin either.
    """
    of_marks: dict[str, Record | bytes] = {
        "x": GARBAGE,
        "r": row(b"", io_type=RESTART_ABEND),
        "m": row(trans_ind=MIDDLE),
    }
    records = [
        *[_first("10"), row(trans_ind=MIDDLE), *(of_marks[mark] for mark in marks)],
        *[row(trans_ind=MIDDLE), row(trans_ind=LAST), _first("20"), row(trans_ind=LAST)],
        *[row(trans_ind=MIDDLE), row(trans_ind=LAST)],
    ]
    with TrailFile(trail_of(tmp_path, *records)) as trail:
        found = [_csns_from(trail, _size(*records[:at]), rows) for at in range(len(records))]
    assert found == [found[0][at:] for at in range(len(records))]
    assert found[0][:2] == ["10", "10"]
    assert found[0][-6:] == [None, None, "20", "20", None, None]


def _csns_from(trail: TrailFile, start: int, rows: int) -> list[str | None]:
    tracker, csns = TransactionTracker(trail), list[str | None]()
    for batch in scan(trail, start, batch_size=rows):
        owners = tracker.of(batch)
        csns += [owners.of_row(at).csn for at in range(len(batch))]
    return csns


@pytest.mark.parametrize("empty", [0, 1, 2, 3])
def test_unborn_are_those_of_the_files_without_records_that_no_other_follows(empty: int, tmp_path: Path) -> None:
    """An empty file between two others is none of them."""
    for number in range(6):
        trail_of(tmp_path, *([row()] if number < 6 - empty and number != 1 else []), name=f"tt{number:09}")
    whole = WholeTrail.around(tmp_path / "tt000000000")
    assert [path.name for path in whole.unborn] == [f"tt{number:09}" for number in range(6 - empty, 6)]
    assert [path.name for path in whole.paths] == [f"tt{number:09}" for number in range(6 - empty)]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("case", range(4))
def test_a_copy_is_one_of_both_names_and_names_the_first_of_several(
    case: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three CSNs and three TRANIDs, each with each: with the greatest CSN there is a TRANID of a lower one.

    They rise at first, and then come some of them again, in any order and in several files.
    """
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    random = Random(f"{case} {rows}")
    names = [(csn, xid) for csn in ("10", "20", "30") for xid in random.sample(("1.1", "1.2", "1.3"), 3)]
    again = [random.choice(names) for _ in range(6)]
    late = [*names[:7], *random.sample(names, 2), *names[7:], *again]
    places = [sum(at >= cut for cut in (5, 9)) for at in range(len(late))]
    files: list[list[Record]] = [[], [], []]
    positions = []
    for (csn, xid), number in zip(late, places, strict=True):
        positions.append(TrailPosition(number, _size(*files[number])))
        files[number] += transaction(csn, xid)
    whole = WholeTrail([trail_of(tmp_path, *part, name=f"tt{number:09}") for number, part in enumerate(files)])
    firsts = {name: positions[late.index(name)] for name in late}
    expected = {
        position: firsts[name] for name, position in zip(late, positions, strict=True) if firsts[name] != position
    }
    judge = AppliedTransactions(whole)
    found: dict[TrailPosition, TrailPosition] = {}
    falls, previous = [], "00"
    for batch in transaction_batches(whole):
        verdict = judge.judge(batch)
        found |= {batch.first(at): first for at, first in verdict.copies.items()}
        falls += [batch.first(found_verdict.row) for found_verdict in verdict.verdicts if found_verdict.goes_back]
    assert found == expected
    back = []
    for (csn, _), position in zip(late, positions, strict=True):
        back += [position] if csn < previous else []
        previous = csn
    assert falls == back
    assert (judge.whole, judge.copies) == (len(late), len(expected))


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("cut", [3, 4, 5, 6])
def test_copies_that_go_on_in_the_next_file_are_not_applied_from_its_beginning(
    cut: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three transactions and copies of all, of which none to three are in the first file; then another one."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    csns = ["10", "20", "30", "10", "20", "30", "40"]
    files: list[list[Record]] = [[], []]
    positions = []
    for at, csn in enumerate(csns):
        number = int(at >= cut)
        positions.append((number, _size(*files[number])))
        files[number] += transaction(csn, f"1.{csn}")
    paths = [trail_of(tmp_path, *part, name=f"tt{number:09}") for number, part in enumerate(files)]
    not_applied = NotApplied(WholeTrail(paths))
    ranges = [not_applied.of(path) for path in paths]
    for at, (number, rba) in enumerate(positions):
        assert not_applied.holds(FilePosition(paths[number], rba)) == (3 <= at < 6)
        assert ranges[number].hold(rba) == (3 <= at < 6)
