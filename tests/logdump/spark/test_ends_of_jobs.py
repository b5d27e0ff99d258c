"""Which of the trails that a job has read end in an incomplete record: known where the job was begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session.errors import CommandError
from logdump.spark.jobs.engine import note_ends
from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from trailformat.trail.command_files import one_reading


def test_the_incomplete_end_of_each_newest_file_is_noted(tmp_path: Path) -> None:
    """Several trails of several files: one before the newest is damage, which ends the job."""
    random, torn = Random("ends"), set[Path]()
    for prefix in ("tt", "rt", "zz"):
        for number in range(random.randrange(1, 4)):
            path = trail_of(tmp_path, row(), row(), name=f"{prefix}{number:09}")
        if random.random() < 0.5:
            path.write_bytes(path.read_bytes()[: -random.randrange(1, 20)])
            torn.add(path)
    with one_reading() as files:
        note_ends([str(tmp_path / name) for name in ("tt*", "rt*", "zz*")])
    assert files.incomplete.keys() == torn


def test_a_trail_that_is_gone_is_an_error_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not known whether the trail ends in an incomplete record"):
        note_ends(str(tmp_path / "tt*"))
