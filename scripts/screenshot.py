"""The pictures of the full-screen view in README and docs: ``docs/tui*.svg``, made of trails of the fixtures."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from fixtures import TRAILS
from logdump.line.history_file import KeptHistory
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.app import TrailApp
from logdump.tui.text.appearance import THEMES, Appearance
from scripts.marked import ROOT
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from trailformat import TrailFile
from trailformat.records.record_header import ONLY


class Picture(NamedTuple):
    """A picture: its file name in docs, the trail to open, the lines to enter and then the keys to press."""

    name: str
    trail: str
    lines: tuple[str, ...]
    keys: tuple[str, ...]
    size: tuple[int, int] = (110, 30)


PICTURES = (
    Picture("tui.svg", "at000000000", ("pos 3491",), ("escape",)),
    Picture("tui-timeline.svg", "yt000000000", ("pos 4628",), ("escape", "l"), (110, 34)),
    Picture("tui-transactions.svg", "br000000000", (), ("escape", "l", "down", *["right"] * 3)),
    Picture(
        "tui-diff.svg",
        "et000000000",
        ("diff dirdat/et000000000 copy/et000000000 values",),
        ("escape", "D", "right_square_bracket"),
    ),
)


async def _svg(picture: Picture) -> str:
    session = Session()
    session.settings.time_offset = GMT
    line = f"open dirdat/{picture.trail}"
    app = TrailApp(session, line, KeptHistory(None), Appearance(theme=THEMES["dark"]))
    async with app.run_test(size=picture.size) as pilot:
        await _rest(app)
        for line in picture.lines:
            app.enter(line)
            await _rest(app)
        for key in picture.keys:
            await pilot.press(key)
            await _rest(app)
        shown = app.export_screenshot(title=f"logdump --tui dirdat/{picture.trail}")
    session.end()
    return shown


def _write_long_transactions(path: Path) -> None:
    """Write a trail of short transactions, and of some that are open for hours."""
    long = ((2, 1, 9), (3, 2, 20), (5, 4, 14), (8, 7, 26), (13, 11, 17))
    history = [Worked(number, (begin * HOUR, end * HOUR), end * HOUR) for number, begin, end in long]
    history += [Worked(100 + hour, (hour * HOUR,), hour * HOUR) for hour in range(30)]
    write_trail(path, history, commit_times=False)


def _make(folder: Path, name: str) -> None:
    """Write the trail into ``dirdat``, and a copy with another tea and one transaction less into ``copy``."""
    for place in ("dirdat", "copy"):
        (folder / place).mkdir()
    path = folder / "dirdat" / name
    if name == "br000000000":
        _write_long_transactions(path)
    else:
        shutil.copy(TRAILS / name, path)
    data = path.read_bytes().replace(b"Sencha Fukamushi", b"Sencha Kabusecha")
    with TrailFile(path) as trail:
        rows = (record for record in trail.records() if not record.is_file_header and not record.is_metadata)
        lone = next(row for row in rows if row.header.trans_ind == ONLY)
    (folder / "copy" / name).write_bytes(data[: lone.rba] + data[lone.rba + lone.length :])


async def _rest(app: TrailApp) -> None:
    """Wait until every thread is done and its results are painted."""
    for _ in range(3):
        await asyncio.sleep(0.05)
        while not app.is_quiet:
            await asyncio.sleep(0.01)


def picture(shot: Picture) -> str:
    """Return the picture as SVG, the same on every machine."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _make(Path(folder), shot.trail)
        text = asyncio.run(_svg(shot)).replace(str(Path(folder).resolve()), "/home/me")
    return re.sub(r"terminal-[0-9]+", "terminal", text)


def main() -> None:
    """Write the pictures."""
    for shot in PICTURES:
        (ROOT / "docs" / shot.name).write_text(picture(shot), encoding="utf-8")


if __name__ == "__main__":
    main()
