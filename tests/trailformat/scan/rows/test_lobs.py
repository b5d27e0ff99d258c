"""LOBs found by columns are those that a search record by record finds, whatever stands between their pieces."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.searching import Random, examples
from tests.trailformat.samples import BOTH, header, row, trail_of
from tests.trailformat.test_lobs import BYTES, GARBAGE, TEXT, pieces, plain
from trailformat import ByteOrder, Record, TrailFile, make_record
from trailformat.changes.lobs import whole_lobs
from trailformat.records.record_header import METADATA, RESTART_OK
from trailformat.scan import scan
from trailformat.scan.rows import WholeLobs


def _found(path: Path) -> dict[int, list[tuple[int, bool, int, bytes]]]:
    """The LOBs found by columns, by the RBA of their row."""
    found = defaultdict(list)
    with TrailFile(path) as trail:
        for batch in scan(trail):
            lobs = WholeLobs(trail.buffer, batch)
            for at, row_number in enumerate(lobs.row.tolist()):
                sides = int(lobs.column[at]), bool(lobs.is_before[at]), int(lobs.size[at])
                found[int(batch.rba[row_number])].append((*sides, lobs.data(at)))
    return dict(found)


@pytest.mark.parametrize("order", BOTH)
def test_lobs_one_behind_the_other_are_found(order: ByteOrder, tmp_path: Path) -> None:
    base = row(order=order)
    parts = [*pieces(4, BYTES, order=order, image="B"), *pieces(1, TEXT, order=order), *pieces(4, b"x", order=order)]
    path = trail_of(tmp_path, base, *parts, base, base, *pieces(2, TEXT, order=order), base)
    second = sum(record.length for record in (base, *parts, base))
    assert _found(path) == {
        0: [(4, True, len(BYTES), BYTES), (1, False, len(TEXT), TEXT), (4, False, 1, b"x")],
        second: [(2, False, len(TEXT), TEXT)],
    }


def _drawn(random: Random, order: ByteOrder) -> list[Record | bytes]:
    """Rows with LOBs, some of which are not whole, or not plain."""
    made: list[Record | bytes] = []
    for _ in range(random.randint(1, 9)):
        made += [row(order=order)] * random.randint(1, 2)
        for _ in range(random.randint(0, 3)):
            value, image = random.choice((TEXT, BYTES, b"short")), random.choice("AAB")
            lob: list[Record | bytes] = [*pieces(random.randint(0, 3), value, order=order, image=image)]
            fault = random.randrange(9)
            if fault == 0:
                del lob[random.randrange(len(lob))]
            elif fault in (1, 2):
                between = header(order=order, io_type=METADATA if fault == 1 else RESTART_OK)
                lob.insert(random.randrange(len(lob) + 1), make_record(between, order=order))
            elif fault == 3 and order is ByteOrder.BIG:
                lob = [*plain(b"one", b"two")]
            elif fault == 4:
                lob.insert(random.randrange(len(lob) + 1), GARBAGE)
            elif fault == 5:
                lob.append(lob[-1])
            made += lob
    return made


@pytest.mark.parametrize("order", BOTH)
def test_they_are_those_that_are_found_record_by_record(order: ByteOrder, tmp_path: Path) -> None:
    plain_ones = 0
    for seed in range(examples(60, short=40)):
        path = trail_of(tmp_path, *_drawn(Random(seed), order), name=f"tt{seed:09d}")
        with TrailFile(path) as trail:
            for rba, found in _found(path).items():
                expected = [
                    (lob.column, lob.is_before, lob.size, data)
                    for lob, data in whole_lobs(trail, rba, 1 << 20)
                    if lob.is_whole
                ]
                assert found == expected
                assert all(lob.is_whole for lob, _ in whole_lobs(trail, rba, 0))
                plain_ones += len(found)
        path.unlink()
    assert plain_ones > 30
