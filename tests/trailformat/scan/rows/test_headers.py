"""Fields of the headers of many records are those that each record has."""

from __future__ import annotations

from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

from fixtures import TRAILS  # noqa: E402
from fixtures.catalogue import names  # noqa: E402
from tests.searching import some_trails  # noqa: E402
from tests.trailformat.samples import BOTH, header, trail_of  # noqa: E402
from trailformat import ByteOrder, TrailFile, make_record  # noqa: E402
from trailformat.scan import scan  # noqa: E402
from trailformat.scan.rows import NO_INDEX, RowBytes, headers_of  # noqa: E402

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_headers_of_a_file(name: str) -> None:
    _check(TRAILS / name)


def _check(path: Path) -> None:
    with TrailFile(path) as trail:
        for batch in scan(trail):
            rows = RowBytes(trail.buffer, batch, np.arange(len(batch)))
            found = headers_of(rows)
            for row in np.flatnonzero(rows.is_record).tolist():
                record = rows.record(row)
                index = NO_INDEX if record.table_index is None else record.table_index
                assert (found.table_index[row], found.is_continued[row]) == (index, record.header.continued != 0)
            others = ~rows.is_record
            assert (found.table_index[others] == NO_INDEX).all()
            assert not found.is_continued[others].any()


@pytest.mark.parametrize("order", BOTH)
def test_a_header_that_ends_before_its_index_has_none(order: ByteOrder, tmp_path: Path) -> None:
    rows = [make_record(header(1, order)._replace(name_field=bytes(size)), order=order) for size in range(3)]
    _check(trail_of(tmp_path, *rows))
