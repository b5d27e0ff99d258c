"""SAVE by columns writes the file that SAVE record by record writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import trailformat.scan
from fixtures import TRAILS
from logdump import saving, selection
from tests.logdump.line import Line
from trailformat.scan import Engine, is_available

pytestmark = pytest.mark.skipif(not is_available(Engine.NUMBA), reason="numba is not installed")

FILES = sorted(path for path in TRAILS.iterdir() if path.suffix != ".md")
COMMANDS = [
    "save T !",
    "save T ! 7 records",
    "save T ! 900 bytes",
    "save T ! comment",
    "skip 7; save T !",
    "filter rectype insert; save T !",
    "filter filename *sales; save T !",
    "filter exclude rectype metadata; save T !",
    "filter exclude rectype metadata; skip 5; save T ! 6 records",
    "filter csn > 41882320; save T !",
    "filter csn > 41882320; skip 6; save T ! 9 records",
    "filter ggstoken orarowid; filter exclude csn 41882334; save T !",
    "save T ! transind only",
]


def _saved(path: Path, commands: str, target: Path) -> tuple[bytes | None, list[str], int]:
    line = Line()
    target.unlink(missing_ok=True)
    line(f"open {path}")
    shown = [text for command in commands.replace("T", str(target)).split("; ") for text in line(command)]
    position = line.session.cursor.next
    line.session.close()
    return target.read_bytes() if target.exists() else None, shown, position


@pytest.mark.parametrize("commands", COMMANDS)
@pytest.mark.parametrize("nearby", [1, 3])
def test_the_same_file_is_written(nearby: int, commands: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "current_timestamp", lambda: 0)
    target = tmp_path / "xx000000000"
    expected = {path: _saved(path, commands, target) for path in FILES}
    monkeypatch.setattr(saving, "_NEARBY", nearby)
    monkeypatch.setattr(selection, "_NEARBY", nearby)
    monkeypatch.setattr(trailformat.scan, "choose_engine", lambda _size: Engine.NUMBA)
    for path in FILES:
        assert _without_progress(_saved(path, commands, target)) == expected[path], path.name


def _without_progress(outcome: tuple[bytes | None, list[str], int]) -> tuple[bytes | None, list[str], int]:
    data, shown, position = outcome
    return data, [text for text in shown if not text.startswith("Scanned ")], position
