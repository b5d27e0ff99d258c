"""Bytes of a trail that are written over while a command reads them: an error of ours, or none, in every command."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.overwritten import NONSENSE, places, run
from tests.logdump.program import logdump
from tests.searching import Random, examples, in_turn
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.not_applied import NotApplied

pytest.importorskip("pyarrow", reason="Arrow files need pyarrow")

EXPORTS = [
    *(f"export {name} to OUT{words}" for name in ("jsonl", "csv", "parquet", "arrow") for words in ("", " by table")),
    *(f"export sql to OUT{words}" for words in ("", " undo")),
]
SURVEYS = [
    *("count", "count detail", "count effective", "recovery", "safe", "explain restart", "explain lag"),
    *("heartbeat", "compress", "br", "redo 100", "undo 100", "check", "find teas"),
    *("values on; next 100", "format jsonl; next 100", "save OUT 100 records", "lob 1", "scanforendtrans"),
    *("filter include value TEA_CODE = 'SEN01'; count", "filter include value PRICE > 5; next 5"),
    f"diff {TRAILS / 'at000000000'}",
    "repair to OUT",
]
TRAIL_NAMES = ("et000000000", "el000000000", "yt000000000", "at000000000")
FIELDS = sorted(set.intersection(*(set(places(TRAILS / name)) for name in TRAIL_NAMES)))
_TRIES = examples(12, short=3)
_MOST_TRIES = 10 * _TRIES
"""A command that reads little ends before the bytes are written over."""


@pytest.mark.parametrize(
    ("command", "field"),
    in_turn(EXPORTS, ["io_type", "trans_ind", "record_length", "io_time", "before_after", "name", "data"]),
)
def test_an_export_ends_with_an_error_of_ours_or_well(command: str, field: str, tmp_path: Path) -> None:
    tried = [run(TRAILS / "el000000000", tmp_path / "work", command, field, b"\xff", after) for after in (2, 4, 6)]
    assert any(tried)


@pytest.mark.parametrize("command", [*EXPORTS, *SURVEYS])
def test_no_command_raises_anything_else(command: str, tmp_path: Path) -> None:
    random, tried = Random(command), 0
    for _ in range(_MOST_TRIES):
        source, field = TRAILS / random.choice(TRAIL_NAMES), random.choice(FIELDS)
        byte, after = random.choice(NONSENSE), random.randint(1, 8)
        tried += run(source, tmp_path / "work", command, field, byte, after)
        if tried == _TRIES:
            break
    assert tried


@pytest.mark.parametrize("command", ["export sql to OUT", "redo 100", "undo 100"])
def test_changes_of_a_transaction_that_vanish_after_its_extent_was_found_are_an_error(
    command: str, tmp_path: Path
) -> None:
    tried = [
        run(TRAILS / "at000000000", tmp_path / "work", command, "io_type", b"\xff", after) for after in range(1, 12)
    ]
    assert any(tried)


def test_an_export_of_a_trail_that_is_cut_while_it_is_walked_over_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the copies are looked for after the cut, so that all transactions would be left out."""
    path, target = tmp_path / "et000000000", tmp_path / "target"
    shutil.copy(TRAILS / path.name, path)

    def cut_and_hold(_known: NotApplied, _begin: FilePosition) -> bool:
        os.truncate(path, 2726)
        return True

    monkeypatch.setattr(NotApplied, "holds", cut_and_hold)
    answer = logdump(str(path), "-c", f"export sql to {target} undo")
    assert "the file was truncated to 2726 bytes while it was read" in answer.err
    assert (answer.status, target.exists()) == (4, False)
