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
from tests.trailformat.samples import row, trail_of
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_transaction_walk import records_of
from trailformat import make_record, make_token
from trailformat.records.record_header import FIRST, MIDDLE
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
        assert max((batch.commit for batch in found), default=0) == max((one.commit for one in by_record), default=0)


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
    assert [(one.csn, one.xid) for one in seen(batches)] == [(str(number), f"x{number}") for number in range(5)]
