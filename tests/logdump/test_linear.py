"""The steps of a command grow in proportion to what a trail holds, in each of its dimensions.

A dimension is made four times as large, twice. Steps are the lines of Python that run in each function: the second time
may add at most a little more than four times as many as the first, so that constant parts do not count. What a kernel
does is not seen.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from tests.logdump.line import Line
from tests.logdump.program import ROOT
from tests.logdump.steps import counted
from tests.searching import IS_LONG, part_of
from tests.simulated.dimensions import DIMENSIONS
from trailformat.trail import command_files

_SIZES = (5, 20, 80) if IS_LONG else (2, 8, 32)
_MOST, _SLACK = 4.2, 1000 if IS_LONG else 400
"""Proportion is 4; the slack is for what is remembered from one command to the next, for lines that fill, and for keys
of a binary search, which are called n log n times: 1,000 are 80 more searches of 6 steps, squares would be 8,000."""
_MOST_SORTED = 6.5
"""A function that is called from a search or a sort, and a lambda: n log n. Quadratic is 16."""
_BY_CHANCE = (f"{ROOT}/trailformat/codec/mapped_file.py", threading.__file__, weakref.__file__)
"""Reading by pages of some kilobytes, waiting for threads, and what the collector of garbage sets off."""
_SETTLED = 1_000_000_000
"""A time at which files were changed so long ago that their bytes may be kept."""

COMMANDS = (
    "open FIRST; nexttrail; nexttrail",
    "skip 1000000",
    "transactions all",
    "across on; metadata detail on; log to OUT; next 1000000; log stop",
    "ghdr on; detail data; usertoken detail; ggstoken detail; headertoken detail; values on; next 1000000",
    "format jsonl; next 1000000",
    "position eof reverse; next 1000000",
    "count",
    "count detail",
    "transhist 10; hashstats on; count detail; hashclear",
    "count detail effective",
    "count log ALL",
    "filter csn >= 1; count",
    "filter value nothing = 1; count",
    "check ALL",
    "position last; safe",
    "position last; transaction begin",
    "across on; sfet",
    "sfet",
    "sfnt; sfnt",
    "sfh",
    "position eof; sfh previous",
    "sft PurgeData",
    "sfr 123456789",
    "sfts 2030-01-01",
    "begin 2030-01-01",
    "sfmd tdr 999; sfmd ddr next",
    "position eof; mark end; position mark end",
    "position last; dump",
    "lob ROW",
    "lob ROW to OUT",
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
    "undo 1000000",
    "across on; redo 1000000",
    "across on; save OUT",
    "export parquet to OUT",
    "export sql to OUT undo",
    "across on; export sql to OUT",
    "across on; export jsonl to OUT",
    "across on; export csv to OUT effective",
    "export jsonl to OUT by table",
    "export csv to OUT by table",
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
    "list all",
    "across on; list all",
    "position last; row",
    "doctor ALL",
    "report over ALL to OUT.md",
)
PARAMETERS = "REPLICAT rep1\nDDL INCLUDE ALL\nMAP TEAHOUSE.*, TARGET other.*;\n"
_NOT_OF_A_TRAIL = set(
    """
    GHDR DETAIL USERTOKEN GGSTOKEN HEADERTOKEN FILEHEADER RECLEN TIMEOFFSET RELEASE ASCIIHEADER EBCDICHEADER ASCIIDATA
    EBCDICDATA ASCIIDUMP EBCDICDUMP ACROSS METADATA COLUMNDATA VALUES FORMAT FLOAT NOTIFY SCANSCROLLING TRANSHIST
    TRANSRECLIMIT TRANSBYTELIMIT HASHSTATS HASHCLEAR TRAILFORMAT SAVEFILECOMMENT PRINTMXCOLUMNINFO ENCRYPT DECRYPT
    CTIME COMPUTETIMESTAMP INTERPRETTIMESTAMP INTERPRETINTERVAL ESBLOCK SOURCEDEFS ENV SHOW TIME CD BIO BULKIOSTATS
    WRITELOG OBEY X HISTORY FC EXIT HELP DEBUG TUI ENGINE SQL FOLLOW ONERROR ARGETNONDATACHANGES ARSTOPNONDATACHANGES
    APPLY PUBLISH WATCH REDACT
    CALCTLFKEY DATAFILE WRITEREC GGSAUDITREAD TMFBEFOREIMAGE TMFGETRECADDR NOTMFGETRECADDR TMFIGNORERECCOUNT
    """.split()  # noqa: SIM905 - a list of so many would fill a page
)
"""Commands that read no records: switches, conversions, the shell's, SQL, ENGINE; those that follow a trail wait.

REDACT makes the tables of a form of numbers at its first use: tests/logdump/redact has its sizes.
"""


class _Place:
    """A trail of a dimension and size, and its twin, in which rows have another value."""

    def __init__(self, folder: Path, dimension: str, size: int) -> None:
        self._folder = folder
        (folder / "trail").mkdir(parents=True)
        self._first = DIMENSIONS[dimension](folder / "trail", size)
        for path in (folder / "trail").iterdir():
            os.utime(path, (_SETTLED, _SETTLED))
        (folder / "params.prm").write_text(PARAMETERS)
        self._runs = 0

    @cached_property
    def _twin(self) -> Path:
        twin = self._folder / "twin"
        twin.mkdir()
        for path in self._first.parent.iterdir():
            (twin / path.name).write_bytes(path.read_bytes().replace(b"Uji", b"Uyi"))
            os.utime(twin / path.name, (_SETTLED, _SETTLED))
        return twin / self._first.name

    @cached_property
    def _row(self) -> int:
        line = Line()
        line(f"open {self._first}; sft insert")
        line.session.close()
        return line.rbas[-1] if line.rbas else 0

    def prepare(self, command: str) -> None:
        """Run a command so that modules and tables that are made once are no steps of its own."""
        line, commands = self._begin(command)
        for command_line in commands:
            line(command_line)
        line.session.close()

    def run(self, command: str) -> dict[str, int]:
        """Run a command here in a session of its own; the steps of each function."""
        line, commands = self._begin(command)
        with counted() as steps:
            for command_line in commands:
                line(command_line)
        line.session.close()
        return steps.of_functions

    def _begin(self, command: str) -> tuple[Line, list[str]]:
        """A session in which the trail is open, and the commands with the places of this run."""
        self._runs += 1
        out = self._folder / f"out{self._runs}"
        out.mkdir()
        names = {
            "OUT": out / "ou000000000",
            "TWIN": self._twin if "TWIN" in command else "",
            "FIRST": self._first,
            "ALL": f"{self._first.parent}/*",
            "ROW": self._row if "ROW" in command else 0,
            "PARAMS": self._folder / "params.prm",
            "FOLDER": self._first.parent,
        }
        for name, value in names.items():
            command = command.replace(name, str(value))
        line = Line()
        line(f"timeoffset gmt; open {self._first}")
        return line, command.split("; ")


def _tried(dimension: str) -> list[str]:
    """The commands that are run in a dimension: under make test-long all, else every 32nd, each dimension others."""
    return part_of(COMMANDS, [*DIMENSIONS].index(dimension), 32)


def _too_many(folder: Path, dimension: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """The commands and their functions whose steps grow faster, with the steps.

    What does at these sizes has to do so at the next one too: a small trail may need less than a block, or no search.
    """
    places = [_Place(folder / str(size), dimension, size) for size in _SIZES]
    next_size = 4 * _SIZES[-1]
    larger: _Place | None = None
    for command in _tried(dimension):
        places[0].prepare(command)
        runs = [place.run(command) for place in places]
        suspects = [name for name in runs[-1] if _is_too_much(name, runs)]
        if suspects:
            larger = larger or _Place(folder / str(next_size), dimension, next_size)
            runs = [*runs[1:], larger.run(command)]
        for name in suspects:
            if _is_too_much(name, runs):
                yield command, name.removeprefix(f"{ROOT}/"), tuple(steps.get(name, 0) for steps in runs)


def _is_too_much(name: str, runs: Sequence[Mapping[str, int]]) -> bool:
    first, second, third = (steps.get(name, 0) for steps in runs)
    if name.startswith(_BY_CHANCE):
        return False
    is_ours = name.startswith(str(ROOT)) and not name.endswith("<lambda>")
    return third - second > (_MOST if is_ours else _MOST_SORTED) * max(0, second - first) + _SLACK


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_steps_grow_in_proportion(dimension: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_files, "_MOST_KEPT", 2)
    assert list(_too_many(tmp_path, dimension)) == []


def test_every_command_that_reads_a_trail_is_here() -> None:
    run = {REGISTRY.find(line.split()[0]).name for command in COMMANDS for line in command.split("; ")}
    assert run | _NOT_OF_A_TRAIL == {command.name for command in REGISTRY.commands}


ACROSS = (
    *("across on; repair to OUT; repair to OUT replace", "across on; save OUT", "across on; list all"),
    *("across on; redo 1000000", "across on; diff TWIN", "across on; find nothing", "across on; position last; safe"),
)
"""Commands that go on in the following files."""


@pytest.mark.parametrize("command", ACROSS)
def test_steps_grow_in_proportion_to_the_files(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs have more files than are kept open at a time, as a file that is not kept takes more steps."""
    monkeypatch.setattr(command_files, "_MOST_KEPT", 2)
    places = [_Place(tmp_path / str(size), "files", size) for size in (3, 12, 48)]
    places[0].prepare(command)
    runs = [place.run(command) for place in places]
    grown = {name: tuple(steps.get(name, 0) for steps in runs) for name in runs[-1]}
    assert {name: steps for name, steps in grown.items() if _is_too_much(name, runs)} == {}
