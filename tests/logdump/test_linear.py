"""The steps of a command grow in proportion to what a trail holds, in each of its dimensions.

A dimension is doubled twice. Steps are the lines of Python that run: the second doubling may add at most a little more
than twice as many as the first, so that constant parts do not count. What a kernel does is not seen here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.logdump.steps import counted
from tests.searching import IS_LONG
from tests.simulated.dimensions import DIMENSIONS

_SIZES = (40, 80, 160) if IS_LONG else (16, 32, 64)
_FIRST = 4
"""A size at which each command is run before, since modules and tables that are made once are no steps of its own."""
_MOST = 2.25
"""Sorting is n log n; all else is 2."""
_SLACK = 400
"""Lines by which single runs differ: what is remembered from one command to the next."""
_SETTLED = 1_000_000_000
"""A time at which files were changed so long ago that their bytes may be kept."""

COMMANDS = (
    "next 1000000",
    "ghdr on; detail data; usertoken detail; ggstoken detail; headertoken detail; values on; next 1000000",
    "format jsonl; next 1000000",
    "across on; next 1000000",
    "metadata detail on; next 1000000",
    "position eof reverse; next 1000000",
    "count",
    "count detail",
    "count detail effective",
    "count log ALL",
    "transhist 10; count detail",
    "filter csn >= 1; count",
    "filter value nothing = 1; count",
    "check",
    "check ALL",
    "position last; safe",
    "position last; transaction begin",
    "across on; sfet",
    "position last; sametable previous",
    "position csn 99999999999",
    "position time 2030-01-01",
    "find nothing",
    "find hex 3f213f21",
    "find name = nothing",
    "recovery",
    "recovery over ALL cut",
    "recovery keep files",
    "filter filename *.*; recovery filtered",
    "redo 1000000",
    "undo 1000000",
    "across on; redo 1000000",
    "save OUT",
    "across on; save OUT",
    "export jsonl to OUT",
    "export csv to OUT",
    "export parquet to OUT",
    "export arrow to OUT",
    "export sql to OUT",
    "export sql to OUT undo",
    "across on; export sql to OUT",
    "across on; export jsonl to OUT",
    "across on; export csv to OUT effective",
    "export jsonl to OUT by table",
    "export csv to OUT by table",
    "export parquet to OUT by table",
    "export arrow to OUT by table",
    "export csv to OUT heartbeats",
    "br over ALL",
    "heartbeat",
    "heartbeat history",
    "heartbeat lag",
    "compress",
    "compress images",
    "compress by table",
    "explain lag",
    "explain restart",
    "params PARAMS; explain ddl",
    "params PARAMS; ddl all steps",
    "params PARAMS; params coverage",
    "across on; diff TWIN",
    "across on; diff TWIN bytes",
    "across on; diff TWIN values anyorder",
    "repair over ALL to OUT",
    "repair whole to OUT",
    "files FOLDER",
)
_PARAMETERS = "REPLICAT rep1\nDDL INCLUDE ALL\nMAP TEAHOUSE.*, TARGET other.*;\n"


class _Place:
    """A trail of a dimension and size, and its twin, in which rows have another value."""

    def __init__(self, folder: Path, dimension: str, size: int) -> None:
        self._folder = folder
        for name in ("trail", "twin"):
            (folder / name).mkdir()
        self.first = DIMENSIONS[dimension](folder / "trail", size)
        for path in (folder / "trail").iterdir():
            twin = folder / "twin" / path.name
            twin.write_bytes(path.read_bytes().replace(b"Uji", b"Uyi"))
            for one in (path, twin):
                os.utime(one, (_SETTLED, _SETTLED))
        (folder / "params.prm").write_text(_PARAMETERS)

    def steps(self, command: str, number: int) -> int:
        """The steps of a command here, which writes to files with this number."""
        (self._folder / f"out{number}").mkdir()
        names = {
            "OUT": self._folder / f"out{number}" / "ou000000000",
            "TWIN": self._folder / "twin" / self.first.name,
            "ALL": f"{self.first.parent}/*",
            "PARAMS": self._folder / "params.prm",
            "FOLDER": self.first.parent,
        }
        for name, value in names.items():
            command = command.replace(name, str(value))
        line = Line()
        line(f"timeoffset gmt; open {self.first}")
        with counted() as steps:
            for one in command.split("; "):
                line(one)
        line.session.close()
        return steps.number


def _too_many(folder: Path, dimension: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The commands whose steps grow faster, with their steps."""
    places = []
    for size in (_FIRST, *_SIZES):
        (folder / str(size)).mkdir()
        places.append(_Place(folder / str(size), dimension, size))
    for number, command in enumerate(COMMANDS):
        _, first, second, third = (place.steps(command, number) for place in places)
        if third - second > _MOST * max(0, second - first) + _SLACK:
            yield command, (first, second, third)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_steps_grow_in_proportion(dimension: str, tmp_path: Path) -> None:
    found = dict(_too_many(tmp_path, dimension))
    assert found == {}
