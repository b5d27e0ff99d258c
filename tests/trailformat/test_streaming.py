"""A large trail takes no more memory than a small one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trailformat.samples import row
from trailformat import TrailFile

_RECORDS = 300_000
_GROWTH = 20_000_000
_STATUS = Path("/proc/self/status")


def private_bytes() -> int:
    """Memory of this process that is not a mapped file."""
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    pytest.skip("this system does not tell private memory")


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "lt000000000"
    thousand = row().raw * 1000
    with path.open("wb") as file:
        for _ in range(_RECORDS // 1000):
            file.write(thousand)
    yield path
    path.unlink()


@pytest.mark.skipif(not _STATUS.exists(), reason="this system does not tell private memory")
def test_very_many_records_are_read_in_a_few_megabytes(large: Path) -> None:
    with TrailFile(large) as trail:
        begin = highest = private_bytes()
        number = inserts = 0
        for number, record in enumerate(trail.records(), 1):
            inserts += record.header.io_type == 5
            if number % 50_000 == 0:
                highest = max(highest, private_bytes())
    assert (number, inserts) == (_RECORDS, _RECORDS)
    assert highest - begin < _GROWTH
