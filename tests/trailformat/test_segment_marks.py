"""Rows of very many parts, read backwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.samples import row, table_record, trail_of
from tests.trailformat.test_segments import cut_row, piece, places
from trailformat import Record, TrailFile


@pytest.mark.parametrize("has_base", [False, True])
def test_the_parts_of_a_row_are_counted_backwards_without_going_back_to_its_base_for_each(
    has_base: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lob = [piece(continued=int(number % 150 != 149)) for number in range(400)]
    parts = [*lob[:200], table_record(2, "B"), *lob[200:], *cut_row(b"data", 1, 2)[1:]]
    path = trail_of(tmp_path, table_record(1, "A"), *([row()] if has_base else []), *parts)
    forwards = places(path)
    read = 0

    def record_before(trail: TrailFile, rba: int) -> Record | None:
        nonlocal read
        read += 1
        return before(trail, rba)

    before = TrailFile.record_before
    monkeypatch.setattr(TrailFile, "record_before", record_before)
    assert places(path, backwards=True) == forwards
    assert read < 3 * len(parts)
