"""Stretches of a trail: read one by one, their transactions are those of the trail, wherever it is cut."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.features.diff.model import DiffLevel
from logdump.features.diff.rows import every_record
from logdump.features.diff.side import CsnBounds, row_options
from logdump.spark.comparison.compared_trail import (
    Compared,
    StretchWalk,
    TrailStretch,
    compared_trail,
    transaction_of,
    transaction_rows,
)
from logdump.tables.errors import SplitMismatch
from tests.searching import Random, examples
from tests.trailformat.samples import trail_of
from tests.trailformat.test_transaction_walk import records_of
from trailformat.scan import FILE_HEADER
from trailformat.transactions.batches import DAMAGE, TrailMark, TransactionSummary
from trailformat.transactions.whole_trail import FIRST_PLACE, TrailPosition, WholeTrail

TEXTS = st.text("bbmmlooAOTCF#", min_size=1, max_size=14)


def read(paths: list[Path], starts: list[TrailPosition]) -> tuple[list[TransactionSummary], list[TrailMark]]:
    """The transactions of the stretches that start there, one after the other, and the damage."""
    found: list[TransactionSummary] = []
    damage: list[TrailMark] = []
    for start, stop in pairwise([*starts, None]):
        assert start is not None
        for batch, rows, marks in StretchWalk(WholeTrail(paths), TrailStretch(start, stop)).batches():
            found += [batch.transaction(row) for row in range(rows)]
            damage += [mark for mark in marks if mark.io_type == DAMAGE]
    return found, damage


@given(texts=st.lists(TEXTS, min_size=1, max_size=3), data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_each_transaction_and_each_damage_is_of_one_stretch(texts: list[str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [trail_of(Path(folder), *records_of(text), name=f"tt{number:09}") for number, text in enumerate(texts)]
        records = [
            TrailPosition(found.ordinal, int(rba))
            for found in WholeTrail(paths).batches()
            for rba, kind in zip(found.batch.rba, found.batch.kind, strict=True)
            if kind <= FILE_HEADER
        ]
        drawn = data.draw(st.sets(st.sampled_from([FIRST_PLACE, *records]), max_size=5))
        assert read(paths, sorted({FIRST_PLACE, *drawn})) == read(paths, [FIRST_PLACE])


@pytest.mark.parametrize("most", [0, 1, 700, 1 << 20])
def test_a_file_that_is_no_trail_is_told_once_wherever_stretches_begin(most: int, trails: Path, tmp_path: Path) -> None:
    """Drawn: before, between and behind files of the trail, several of them one after the other."""
    random = Random(most)
    for number in range(4 if most > 1 else 1):  # a stretch for each record takes its time
        folder = tmp_path / str(number)
        folder.mkdir()
        odd = {name for name in range(6) if random.random() < 0.4} - {random.randrange(6)}
        for name in range(6):
            data = b"no trail" * 99 if name in odd else (trails / "et000000000").read_bytes()
            (folder / f"lt{name:09}").write_bytes(data)
        trail = compared_trail("a", {"path": str(folder / "lt*"), "maxPartitionBytes": str(most)})
        compared = Compared(
            row_options(DiffLevel.BYTES, frozenset(), every_record, is_any_order=False), CsnBounds(), is_any_order=False
        )
        rows = [*transaction_rows(trail, compared, [(number,) for number in range(len(trail.starts))])]
        told = [trail.place(row.at) for row in rows if row.key is None]
        assert sorted(told) == [TrailPosition(name, 0) for name in sorted(odd)]
        assert len({row.at for row in rows}) == len(rows)


def test_a_stretch_that_does_not_end_where_the_next_begins_is_an_error(trails: Path) -> None:
    path = trails / "et000000000"
    with pytest.raises(SplitMismatch, match=f"^{path}, seqno 0, RBA 2001: no record begins here"):
        read([path], [FIRST_PLACE, TrailPosition(0, 2001)])


def test_a_transaction_comes_back_from_its_row_as_it_was(trails: Path) -> None:
    """Where it ends too: without that its bytes are compared record by record."""
    trail = compared_trail("a", {"path": str(trails / "at*"), "maxPartitionBytes": "2000"})
    compared = Compared(
        row_options(DiffLevel.BYTES, frozenset(), every_record, is_any_order=False), CsnBounds(), is_any_order=False
    )
    rows = transaction_rows(trail, compared, [(number,) for number in range(len(trail.starts))])
    back = [transaction_of(trail, {**row._asdict(), "copy_of": None}) for row in rows if row.key is not None]
    with trail.side(compared) as side:
        assert [side_transaction.transaction for side_transaction in back] == [
            side_transaction.transaction for side_transaction in side.transactions()
        ]
    assert any(side_transaction.transaction.after for side_transaction in back)
