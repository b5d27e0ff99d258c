"""Rows of a second block, and blocks behind rows that wait: what an export has does not depend on where blocks end."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.arrow.tables import group
from logdump.features.export import files
from tests.logdump.line import Line


@pytest.mark.parametrize("order", [*permutations((1, 9, 3, 12), 4)])
def test_what_is_written_is_in_the_order_in_which_it_comes(
    order: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small blocks that wait, and larger ones that do not."""
    monkeypatch.setattr(files, "_MOST_WAITING", 5)
    lines = [b"%d" % size * size + b"\n" for size in order]
    for is_gzip in (False, True):
        file = files.TextFile(
            tmp_path / "rows", is_gzip=is_gzip, count_rows=lambda opened: len(opened.read().splitlines())
        )
        for line in lines:
            file.append(line, 1)
        assert file.close() == len(lines)
    file = files.TextFile(tmp_path / "rows", is_gzip=False, count_rows=lambda opened: len(opened.read().splitlines()))
    for line in lines:
        file.append(line, 1)
    file.close()
    assert (tmp_path / "rows").read_bytes() == b"".join(lines)


@pytest.mark.parametrize("name", ["pt000000000", "pl000000000", "et000000000"])
def test_rows_in_fragments_are_those_of_their_record_in_each_block(
    name: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"open {TRAILS / name}; export jsonl to {tmp_path / 'whole'} by table")
    expected = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert expected
    for cells in (1, 3, 6):
        monkeypatch.setattr(group, "_MOST_CELLS", cells)
        target = tmp_path / f"blocks{cells}"
        line(f"open {TRAILS / name}; export jsonl to {target} by table")
        assert not line.failures
        assert {path.name: path.read_bytes() for path in target.iterdir()} == expected
