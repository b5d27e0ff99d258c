"""A command that reads leaves a session as it was: what is shown after it is what was shown before it.

Lines are drawn, several one after the other; the ways in which they narrow, jump or read another trail end with them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.line import Line
from tests.searching import Random, examples

_TEAS = "TEAHOUSE.TEAS"
_STAYING = (
    f"row {_TEAS} TEA_ID=T2",
    f"row undo {_TEAS} TEA_ID=T2",
    f"row undo last 1 {_TEAS} TEA_ID=T1",
    "safe",
    "safe 3130",
    "recovery",
    "recovery cut filtered",
    "recovery keep",
    "check",
    "check values",
    "diff {other}",
    "diff {other} values quiet",
    "transaction",
    "redo",
    "undo",
    "explain restart",
    "heartbeat",
    "ddl",
    "list 2",
    "repair over {at} to {folder}/cp000000000 dry",
    "export jsonl effective to {folder}/rows{number}",
)
"""Lines after which the position is as it was, or that only show."""
_COUNTS = ("count", "count detail, effective", "count effective", "count log {at}", "count {other}", "count interval 1")
"""Lines after which a session reads from the beginning of its file."""


def _shown(line: Line) -> list[list[str]]:
    """What a session shows that neither moves nor waits."""
    return [line("env"), line("filter show"), line("count detail"), line("count effective")]


@pytest.mark.parametrize("seed", range(examples(40, short=10)))
@pytest.mark.parametrize("setting", ["", "across on", f"filter include filename {_TEAS}"])
def test_what_a_session_shows_does_not_depend_on_what_it_was_asked_before(
    setting: str, seed: int, tmp_path: Path
) -> None:
    random, line = Random(f"{seed} {setting}"), Line()
    line(f"open {TRAILS / 'at000000000'}; {setting}")
    before = _shown(line)
    for number, asked in enumerate(random.sample((*_STAYING, *_COUNTS), 4)):
        line("position 2722; n")
        cursor = line.session.cursor
        place = cursor.current, cursor.next
        words = {"other": TRAILS / "st000000000", "at": TRAILS / "at*", "folder": tmp_path, "number": number}
        line(asked.format(**words))
        if asked in _COUNTS and "other" not in asked and "log" not in asked:
            assert (cursor.current, cursor.next) == (0, 0), asked
        elif not asked.startswith(("list", "export", "redo", "undo", "count")):
            assert (cursor.current, cursor.next) == place, asked
        line("position 0")
        assert _shown(line) == before, asked
