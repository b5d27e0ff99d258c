"""At a terminal the lines of a verb are broken between words; a pipe and a file get them whole.

A command to be pasted is whole everywhere.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from logdump.cli import main
from logdump.line.verbs import running
from logdump.notation.text import display_width, escape, wrapped
from tests.logdump.program import logdump
from tests.searching import Random


@pytest.mark.parametrize("width", [1, 5, 20, 40, 80, 133])
def test_a_wrapped_line_has_its_words_in_order(width: int) -> None:
    drawn = Random()
    words = ["a", "Gap", "RBA 3522", "茶茶茶", "x" * 30, "lt000000001:", "—", "[CHECK]"]
    for _ in range(40):
        line = " " * drawn.randint(0, 6) + "  ".join(drawn.choices(words, k=drawn.randint(0, 14)))
        parts = [*wrapped(escape(line), width)]
        assert " ".join(parts).split() == line.split()
        assert all(display_width(part) <= max(width, 5) or len(part.split()) == 1 for part in parts)
        assert parts == [line] or display_width(line) > width
        assert all(part == part.rstrip(" ") for part in parts[:-1])


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("line", ["doctor at", "check ft000000000", "safe at000000000 2913", "recovery at", "list at"])
def test_lines_fit_a_terminal_of_80_columns(line: str, trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trails)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    data = io.BytesIO()
    stream = _Terminal(data, encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    main(line.split())
    shown = data.getvalue().decode()
    monkeypatch.undo()
    monkeypatch.chdir(trails)
    whole = logdump(*line.split()).out
    assert shown.split() == whole.split() or "Disk" in whole
    longest = max(map(display_width, shown.splitlines()))
    assert longest <= 80 or any(len(word) > 76 for word in shown.split())
    assert max(map(display_width, whole.splitlines())) > 80 or line.startswith("doctor")


@pytest.mark.parametrize("trail", ["at", "ct", "et", "ft", "sl", "wl", "yt"])
def test_the_page_of_doctor_fits_80_columns_in_a_pipe(
    trail: str, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trails)
    lines = logdump("doctor", trail).out.splitlines()
    assert all(display_width(line) <= 80 or len(line.split()) == 1 for line in lines)
    assert not [line for line in lines if line != line.rstrip(" ")]


def test_a_command_to_be_pasted_is_whole_at_any_width() -> None:
    command = f"  ALTER REPLICAT {'R' * Random().randint(1, 90)}, EXTSEQNO 3, EXTRBA 2913"
    assert [*running._broken(escape(command), 20)] == [command]
    assert len([*running._broken(escape("word " * 20), 20)]) > 1
