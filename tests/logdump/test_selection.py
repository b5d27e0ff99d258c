"""Reading on through a filter: by columns it finds what it finds record by record."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.session import passing
from logdump.session import scan as session_scan
from logdump.session.known_record import KnownRecord
from logdump.session.settings import OutputFormat
from tests.logdump.line import Line
from tests.searching import Random, examples, in_turn, part_of
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.scan import Scan, parallel

FILES = sorted(path for path in TRAILS.iterdir() if path.suffix != ".md")
COMMANDS = [
    "filter rectype insert; n 100",
    "filter rectype insert; n 2; n; n 100",
    "filter exclude filename *sales; n 100",
    "filter csn > 41882320; n 100",
    "filter exclude csn > 41882320; n 3; skip 1 filter; n 2; ggstoken detail; n",
    "filter ggstoken tranid <> 5.1.8801; n 2; n 100",
    "filter ggstoken orarowid AAATeaAAFAAAAHo003; n; n",
    "filter csn > 41882320; sft insert; sft delete",
    "filter csn > 41882320; position 2000; n; n 100",
    "filter csn > 41882320; position rev; n 3; n 100",
    'filter string "e"; n 3; skip 2 filter; n',
    "filter value tea_code = SEN01; n 2; n 100",
    "filter filename *.sales; filter value tea_code > H; filter match all; n 2; n; n 100",
    "filter rectype delete; n; n; n",
    "sft delete; sft insert; sft delete, *sales",
    "sfts 2024-03-14 09:32:00; sfts 2024-03-14 09:33:00, *teas",
    "sfr -1; sfr 211; sfr 999",
]


def _session(path: Path, commands: str) -> tuple[list[str], int]:
    """What is displayed, the transactions of the records that are, and the position at the end."""
    line = Line()
    line.session.settings.format = OutputFormat.JSONL
    line(f"timeoffset gmt; notify 3; open {path}; filter clear")
    shown = []
    for command in commands.split("; "):
        shown += line(command)
        shown += [str(event.transaction) for event in line.events if isinstance(event, KnownRecord)]
    position = line.session.cursor.next
    line.session.close()
    return shown, position


_OTHERS = part_of(FILES, 1)
Way = tuple[tuple[object, str, object], ...]
WAYS: dict[str, tuple[list[Path], Way]] = {
    "in threads": (FILES[::3], ((session_scan, "_LARGEST", 1), (passing, "BATCH_SIZE", 4), (parallel, "PIECE", 700))),
    "from the beginning after some records": (_OTHERS, ((session_scan, "_LARGEST", 1), (session_scan, "_BACK", 4))),
}


@pytest.mark.parametrize(("way", "commands"), in_turn(WAYS, COMMANDS))
def test_columns_find_what_records_find(way: str, commands: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, found = _by_both(*WAYS[way], commands, COMMANDS.index(commands), monkeypatch)
    assert found == expected


Answers = dict[Path, tuple[list[str], int]]


def _by_both(
    files: list[Path], way: Way, commands: str, case: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[Answers, Answers]:
    """What commands answer about files record by record, and by columns in some way."""
    some = part_of(files, case)
    expected = {path: _session(path, commands) for path in some}
    for what in way:
        monkeypatch.setattr(*what)
    return expected, {path: _session(path, commands) for path in some}


BACKWARDS = [
    "pos eof; pos reverse; filter rectype insert; n 100",
    "pos eof; pos reverse; filter rectype insert; n 2; n; n 100",
    'pos eof; pos reverse; filter string "e"; n 3; n 100',
    "pos 3629; pos reverse; filter exclude filename *sales; n 100",
    "pos eof; pos reverse; filter csn > 41882320; n 100",
    "pos eof; pos reverse; sft delete; sft insert; n",
    "pos eof; pos reverse; sft abort",
    "pos eof; pos reverse; filter value tea_code = SEN01; n 2; n 100",
]


@pytest.mark.parametrize(("way", "commands"), in_turn(WAYS, BACKWARDS))
def test_columns_find_backwards_what_records_find(way: str, commands: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = f"notify 1000; {commands}"
    expected, found = _by_both(*WAYS[way], quiet, BACKWARDS.index(commands), monkeypatch)
    assert found == expected


STEPS = [
    *("n", "n", "n", "n", "n 2", "n 5", "skip 1 filter", "sft insert"),
    *("position first", "position 2000", "position rev", "position for", "filter off", "filter on", "filter clear"),
    *("filter rectype insert", "filter exclude filename *sales", "filter csn > 41882320"),
    *("filter value tea_code = SEN01", "filter match all"),
]
"""Single records under filters, and what comes between them."""


@pytest.mark.parametrize("seed", range(examples(6, short=2)))
def test_what_one_command_has_read_ahead_changes_no_answer_of_the_next(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(seed)
    commands = "; ".join(chance.choices(STEPS, k=60))
    paths = chance.sample(FILES, 6)
    found = {path: _session(path, commands) for path in paths}
    monkeypatch.setattr(TrailFile, "settled_state", None)
    assert {path: _session(path, commands) for path in paths} == found


def test_what_was_read_ahead_of_a_file_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(b"one", io_type=5)] * 40)
    os.utime(path, (0, 0))
    line = Line()
    line(f"open {path}; filter rectype insert; n; n; n")
    path.write_bytes(path.read_bytes().replace(row(b"one", io_type=5).raw, row(b"two", io_type=3).raw))
    line("n")
    assert not [event for event in line.events if isinstance(event, KnownRecord)]
    assert line.session.cursor.next == path.stat().st_size


def test_single_records_under_a_filter_are_found_by_few_scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = trail_of(tmp_path, *[row(b"one", io_type=5), row(b"two", io_type=3)] * 300)
    os.utime(path, (0, 0))
    made: list[int] = []
    began = Scan.__init__

    def note(scan: Scan, *arguments: Any, **options: Any) -> None:
        made.append(1)
        began(scan, *arguments, **options)

    monkeypatch.setattr(Scan, "__init__", note)
    line = Line()
    line(f"open {path}; filter rectype insert; {'; '.join(['n'] * 300)}")
    assert line.session.cursor.next == path.stat().st_size - row(b"two", io_type=3).length
    assert len(made) == 5


@pytest.mark.parametrize("filters", ["", "filter include iotype insert; "])
def test_filters_are_loaded_where_there_is_one(filters: str, tmp_path: Path) -> None:
    line = f"open {TRAILS / 'et000000000'}; {filters}export jsonl to {tmp_path / 'rows.jsonl'}"
    program = (
        "import sys; from logdump.cli import main; main(sys.argv[1:]); print('logdump.filters.rows' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, "-c", line], capture_output=True, text=True, check=True)
    assert (tmp_path / "rows.jsonl").exists()
    assert done.stdout.splitlines()[-1] == str(bool(filters))
