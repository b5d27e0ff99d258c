"""A trail of a few rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trailformat.leaves import TABLE, Opened
from tests.trailformat.samples import metadata_record, trail_of
from trailformat import (
    ByteOrder,
    Record,
    TrailFile,
)
from trailformat.definitions.metadata import build_table


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """A trail of the definition of TABLE as TEA.LEAVES, index 1, and of the records given."""
    trails: list[TrailFile] = []

    def make(*records: Record) -> TrailFile:
        definition = metadata_record(2, 1, "TEA.LEAVES", build_table(TABLE, ByteOrder.BIG))
        trails.append(TrailFile(trail_of(tmp_path, definition, *records)))
        return trails[-1]

    yield make
    for trail in trails:
        trail.close()
