"""What is not applied of trails in which much happens at once, against a model; ranges against each of their bytes."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np
import pytest

from tests.logdump.recovery.recovery_model import RecoveryModel
from tests.searching import Random, examples
from tests.simulated.eventful import GARBAGE, Eventful, Piece
from tests.trailformat.samples import row, trail_of
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_applied import transaction
from trailformat import TrailFile
from trailformat.records.record_header import (
    FIRST,
    LAST,
    MIDDLE,
    ONLY,
    RESTART_OK,
    CarriedTransaction,
    Transaction,
)
from trailformat.scan import scan
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import whole_trail
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.not_applied import NotApplied, Ranges
from trailformat.transactions.tracker import OpenAtEnd, TransactionCounts, first_begin, last_begin
from trailformat.transactions.walk import ColumnWalk
from trailformat.transactions.whole_trail import WholeTrail


@pytest.mark.parametrize("seed", range(examples(100, short=40)))
def test_ranges_within_bounds_are_those_that_overlap(seed: int) -> None:
    random = Random(seed)
    bounds = sorted(random.sample(range(30), 8))
    pairs = list(zip(bounds[::2], bounds[1::2], strict=True))
    starts, stops = (array("q", column) for column in zip(*pairs, strict=True))
    ranges = Ranges(starts, stops, array("b", range(len(pairs))))
    start = random.choice((*bounds, random.randrange(30)))
    stop = random.choice([bound for bound in (*bounds, 30) if bound > start] or [start + 1])
    found = ranges.within(start, stop)
    overlapping = [pair for pair in pairs if set(range(*pair)) & set(range(start, stop))]
    assert list(zip(found.starts, found.stops, strict=True)) == overlapping
    assert [ranges.hold(rba) for rba in range(30)] == [
        any(begin <= rba < end for begin, end in pairs) for rba in range(30)
    ]


FEW = ("whole", "whole", "damage", "headless", "restart", "over")
"""Little of what may happen, so that one thing often comes between two others."""


def _drawn(seed: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Random, Eventful]:
    """Draws, and a trail of them, of all or of a few events, that is read in batches of a few records."""
    random = Random(seed)
    trail = Eventful(folder, random) if random.random() < 0.5 else Eventful(folder, random, steps=FEW)
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    return random, trail


@pytest.mark.parametrize("seed", range(examples(150, short=50)))
def test_what_is_applied_is_known_as_far_as_the_pass_has_come(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for the first transactions of a file, then for all: one by one and as a number."""
    random, trail = _drawn(f"applied {seed}", tmp_path, monkeypatch)
    model = RecoveryModel(trail)
    is_past = random.random() < 0.5
    damage, copies = (None if is_past else model.first_damage), [copy for _, copy in model.copies]
    applied = {
        stretch.first for stretch in model.whole if stretch not in copies and (damage is None or stretch.first < damage)
    }
    paths = [file.path for file in trail.there]
    judge, by_one = (NotApplied(WholeTrail(paths), past_damage=is_past) for _ in range(2))
    for at, file in enumerate(trail.files):
        begins = [stretch.first[1] for stretch in model.whole if stretch.first[0] == at]
        for number in (1, len(begins)):
            if begins:
                expected = sum((at, begin) in applied for begin in begins[:number])
                assert judge.applied_among(file.path, np.array(begins[:number])) == expected
        for begin in begins:
            assert by_one.holds(FilePosition(file.path, begin)) == ((at, begin) not in applied)


@pytest.mark.parametrize("seed", range(examples(150, short=50)))
def test_each_extent_has_the_damage_that_may_be_its_own(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage inside it, or directly before its first row if its beginning is not there: in its stretch of files."""
    _, trail = _drawn(f"extents {seed}", tmp_path, monkeypatch)
    model = RecoveryModel(trail)
    found = [
        item for item in transactions_of(WholeTrail([file.path for file in trail.there])) if isinstance(item, Extent)
    ]
    told = [
        (
            extent.begin is not None,
            extent.ended.value,
            extent.records,
            extent.has_end,
            any(not damage.is_partial for damage in extent.damage),
        )
        for extent in found
        if extent.first is not None
    ]
    assert told == [
        (stretch.has_begin, stretch.ended, len(stretch.rows), stretch.rows[-1].ends, stretch.is_damaged)
        for stretch in model.stretches
    ]


def _carried(pieces: list[Piece], *, is_newest: bool) -> CarriedTransaction | None:
    """What is known of the transaction that rows behind these pieces may belong to, told from one to the next."""
    carried, is_open = None, False
    for piece in pieces:
        if piece.kind == "half" and is_newest and is_open:
            continue  # its rest may follow
        if piece.kind != "row":
            carried, is_open = None, is_open and piece.kind != "restart"
        elif piece.begins and piece.planned is not None:
            carried = CarriedTransaction(Transaction(str(piece.planned.csn), piece.planned.xid), piece.ends)
            is_open = not piece.ends
        else:
            carried = carried._replace(has_ended=piece.ends) if is_open and carried is not None else None
            is_open = not piece.ends
    return carried


@pytest.mark.parametrize("seed", range(examples(150, short=50)))
def test_rows_read_from_any_batch_on_have_a_name_if_nothing_hides_it(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage in the transaction hides it, a lost begin, a restart, and files that are not there."""
    _, trail = _drawn(f"carried {seed}", tmp_path, monkeypatch)
    walk, before = ColumnWalk(), list[Piece]()
    ordinals = {file.path: at for at, file in enumerate(trail.files)}
    for batch in WholeTrail([file.path for file in trail.there]).batches():
        at = ordinals[batch.trail.path]
        if batch.breaks:
            [*walk.end()]
            before = []
        if batch.begins:
            [*walk.end_file()]
            last = _carried(before, is_newest=False)
            before = [] if last is not None and last.has_ended else before
        walk.take(batch)
        is_newest = at == len(trail.files) - 1
        here = [piece for piece in trail.files[at].pieces if piece.rba < batch.batch.end]
        assert walk.carried == _carried([*before, *here], is_newest=is_newest)
        if batch.batch.end >= batch.trail.size:
            before += trail.files[at].pieces


@pytest.mark.parametrize("seed", range(examples(100, short=40)))
def test_of_the_damage_before_rows_without_a_begin_only_what_is_next_to_them_is_theirs(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole transactions, damage, restarts and rows whose beginning is lost, in any order, in one file or two."""
    random = Random(f"next to {seed}")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    shape, parts, theirs = "w", [transaction("9", "1.9")[0].raw], list[int]()
    for number in range(9):
        what = random.choice("wwhr" if shape[-1] == "x" else "wxhr")
        made = {
            "w": transaction(f"1{number}", f"1.{number}")[0].raw,
            "x": GARBAGE,
            "h": row(trans_ind=MIDDLE).raw + row(trans_ind=LAST).raw,
            "r": row(b"", io_type=RESTART_OK, trans_ind=ONLY).raw,
        }
        theirs += [int(shape[-1] == "x")] * (what == "h")
        shape, parts = shape + what, [*parts, made[what]]
    at = random.choice([number for number in range(1, 11) if shape[number : number + 1] != "x"])
    paths = [
        trail_of(tmp_path, *some, name=f"tt00000000{n}") for n, some in enumerate((parts[:at], parts[at:])) if some
    ]
    found = [item for item in transactions_of(WholeTrail(paths)) if isinstance(item, Extent)]
    assert [len(extent.damage) for extent in found if extent.begin is None] == theirs, shape
    assert not any(extent.damage for extent in found if extent.begin is not None)


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("shape", ["x", "wx", "xw", "xwx"])
def test_damage_before_a_gap_is_no_damage_of_the_rows_behind_it(shape: str, tmp_path: Path, *, is_there: bool) -> None:
    """Whole transactions and damage, a file that is missing or no trail, then rows without their beginning."""
    before = [GARBAGE if what == "x" else transaction(f"1{at}", f"1.{at}")[0] for at, what in enumerate(f"w{shape}")]
    paths = [trail_of(tmp_path, *before)]
    if is_there:
        paths.append(trail_of(tmp_path, b"no trail", name="tt000000001"))
    lost = row(trans_ind=MIDDLE), row(trans_ind=LAST)
    paths.append(trail_of(tmp_path, *lost, *transaction("90", "1.9"), name="tt000000002"))
    found = [item for item in transactions_of(WholeTrail(paths)) if isinstance(item, Extent) and item.begin is None]
    assert [(extent.records, extent.damage) for extent in found] == [(2, ())]


@pytest.mark.parametrize("seed", range(examples(150, short=60)))
def test_the_batches_of_a_file_add_up_to_its_transactions(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with their last record, those without, the largest, and that which is open at the end; damage ends none."""
    random, trail = _drawn(f"counts {seed}", tmp_path, monkeypatch)
    for file in (eventful_file for eventful_file in trail.files if eventful_file.state == "trail"):
        counts, size = TransactionCounts(), random.choice((1, 2, 3, 100))
        with TrailFile(file.path) as opened:
            for batch in scan(opened, batch_size=size):
                counts.add(batch)
        ended, cut, rows = list[int](), 0, list[Piece]()
        for piece in file.pieces:
            if rows and (piece.kind == "restart" or (piece.kind == "row" and piece.begins)):
                cut, rows = cut + 1, []
            if piece.kind == "row":
                rows.append(piece)
                if piece.ends:
                    ended.append(sum(drawn_piece.length for drawn_piece in rows))
                    rows = []
        restarts = sum(piece.kind == "restart" for piece in file.pieces)
        assert (counts.ended, counts.cut, counts.restarts) == (len(ended), cut, restarts)
        assert counts.largest == max(ended, default=0)
        assert counts.open == (
            OpenAtEnd(len(rows), sum(drawn_piece.length for drawn_piece in rows), rows[0].time) if rows else None
        )


@pytest.mark.parametrize("seed", range(examples(100, short=40)))
def test_the_last_begin_of_a_batch_is_that_of_a_transaction(seed: int, tmp_path: Path) -> None:
    """A restart, whatever its TransInd says, begins none."""
    random = Random(f"begins {seed}")
    kinds = [random.choice(("row", "restart")) for _ in range(random.randint(1, 6))]
    inds = [random.choice((FIRST, MIDDLE, LAST, ONLY)) for _ in kinds]
    records = [
        row(trans_ind=ind) if kind == "row" else row(b"", io_type=RESTART_OK, trans_ind=ind)
        for kind, ind in zip(kinds, inds, strict=True)
    ]
    pairs = enumerate(zip(kinds, inds, strict=True))
    begins = [at for at, (kind, ind) in pairs if kind == "row" and ind in (FIRST, ONLY)]
    with TrailFile(trail_of(tmp_path, *records)) as trail:
        (batch,) = scan(trail)
        assert last_begin(batch) == (begins[-1] if begins else 0)
        assert first_begin(batch) == (int(batch.rba[begins[0]]) if begins else None)
