"""Line mode as a state machine: what one command leaves to the next, by a model with an oracle of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from fixtures import TRAILS
from logdump.features.list.model import RecordListed
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from tests.logdump.line import Line
from tests.logdump.line_model import Mode, records_of
from tests.searching import examples, in_turn

NAMES = {
    "et": {"et000000000": "et000000000"},
    "st": {"st000000000": "st000000000", "st000000001": "st000000001"},
    "tw": {"tw000000000": "et000000000", "tw000000001": "et000000000"},
}
"""The files of each trail, and the fixtures that they are; those of the last one are the same, which no trail's are."""
TRAILS_DRAWN = ["et", "st"]
SIGN = ">"
DIRECTIONS = st.sampled_from(["", " rev", " for"])
_ROW = "row TEAHOUSE.TEAS TEA_CODE=SEN01"
LINES = [
    *("n", "n 2", "n 5", "n 40", "skip", "skip 3", "skip 2 filter", "skip 40"),
    *("pos first", "pos last", "pos eof", "pos rev", "pos for", "pos record 4", "pos record 99"),
    *("pos csn 41882351", "pos csn 41882453", "pos csn 99999999", "pos time 2000-01-01"),
    *("open 0", "open 1", "mark a", "mark b", "pos mark a", "pos mark b", "pos mark none"),
    *("sfh", "sfh prev", "sft 5", "sft 15", "sft 3", "sfnt", "sfet", "sfmd"),
    *(
        "find ASS02",
        "find CEY",
        "find EAS.STOCK_KG = 310",
        "find TEAS.STOCK_KG = 310",
        "find X",
        "find HOUSE.SALES.X = 1",
    ),
    *("find", "find next", "find prev"),
    *("filter include rectype 5", "filter include rectype 15", "filter include filename TEAHOUSE.SALES"),
    *("filter exclude rectype 170", "filter clear", "filter clear", "filter off", "filter on"),
    *("list 1", "list 3", "list all", "count", "check", "safe", _ROW, "transactions"),
    *("transaction begin", "transaction end", "transaction next", "transaction previous"),
    *("sametable next", "sametable previous", "begin 2000-01-01", "sql select count(*) from records"),
    *("across on", "across off", "fc", "fc -2", "fc n", "fc pos", "fc 1", "fc nothing"),
]


def _displayed(events: Iterable[Event]) -> Iterator[int]:
    """The RBAs of records displayed or listed, in their order."""
    for event in events:
        if isinstance(event, KnownRecord):
            yield event.record.rba
        elif isinstance(event, RecordListed):
            yield event.row.rba


class Session:
    """The program, and the model beside it."""

    def __init__(self, prefix: str) -> None:
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        self._paths = [folder / name for name in NAMES[prefix]]
        for path in self._paths:
            shutil.copy(TRAILS / NAMES[prefix][path.name], path)
        self.model = Mode(list(records_of(self._paths, SIGN)), [*map(str, self._paths)])
        self._line = Line()
        self._line("timeoffset gmt")
        self._line(f"open {self._paths[0]}")
        self._line.session.history.clear()
        self._answers: list[str] = []
        self._line.session.ask = lambda _prompt: self._answers.pop(0) if self._answers else ""
        self._folder_of_commands = folder

    def close(self) -> None:
        """Let go of everything."""
        self._line.session.end()
        self._folder.cleanup()

    def enter(self, line: str) -> None:
        """Enter a line here and there, and compare; ``open 1`` opens the second file, or the last one."""
        line = self._with_paths(line)
        shown = self._line(line)
        self.model.enter(line)
        self._compare(line, shown)

    def obey(self, lines: Iterable[str]) -> None:
        """Run lines as a command file; an FC takes the empty line after it, which says to run the line as it is."""
        entered = map(self._with_paths, lines)
        written = [each for line in entered for each in ((line, "") if line.startswith("fc") else (line,))]
        path = self._folder_of_commands / f"{len(self.model.command_files)}.oby"
        path.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
        self.model.command_files[f"obey {path}"] = written
        self.enter(f"obey {path}")

    def _with_paths(self, line: str) -> str:
        word, _, number = line.partition(" ")
        return f"open {self._paths[min(int(number), len(self._paths) - 1)]}" if word == "open" else line

    def _compare(self, line: str, shown: list[str]) -> None:
        session, model = self._line.session, self.model
        where = f"after {line!r}: {shown[:3]}"
        assert [*_displayed(self._line.events)] == model.shown, where
        for said in model.said:
            assert said in "\n".join(shown), where
        assert session.trail.path == self._paths[model.at.file], where
        here = session.cursor.current, session.cursor.next, session.cursor.is_backwards
        assert here == (model.at.current, model.at.next, model.at.backwards), where
        assert session.history.lines == model.lines, where
        assert session.prompt == f"Logdump {len(model.lines) + 1} >", where
        if model.failure:
            assert model.failure in "\n".join(shown), where
        assert (model.failure is None) == (not self._line.failures), where


class LineMachine(RuleBasedStateMachine):
    """Any commands in any order."""

    @initialize(prefix=st.sampled_from(TRAILS_DRAWN))
    def begin(self, prefix: str) -> None:
        """Open a trail."""
        self.session = Session(prefix)

    @rule(line=st.sampled_from(LINES))
    def enter(self, line: str) -> None:
        """Enter a line."""
        self.session.enter(line)

    @rule(number=st.integers(0, 30), direction=DIRECTIONS)
    def position(self, number: int, direction: str) -> None:
        """Go to the beginning of a record."""
        records = self.session.model.files[self.session.model.at.file]
        self.session.enter(f"pos {records[number % len(records)].rba}{direction}")

    @rule(lines=st.lists(st.sampled_from(LINES), min_size=1, max_size=3))
    def obey(self, lines: list[str]) -> None:
        """Run a command file."""
        self.session.obey(lines)

    def teardown(self) -> None:
        """Close the trail."""
        if hasattr(self, "session"):
            self.session.close()


def test_line_mode_does_what_a_list_of_records_says_in_whatever_order() -> None:
    run_state_machine_as_test(
        LineMachine,
        settings=settings(
            max_examples=examples(120), stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


WALKS = {
    "csn, time and mark read forward": (
        ["pos last", "n", "mark a", "pos rev", "pos csn 41882351", "n", "pos eof rev", "n"],
        ["pos time 2000-01-01", "n", "pos rev", "pos mark a", "n"],
    ),
    "sfh prev goes on from where it found, not from before a next": (
        ["pos last", "sfh prev", "sfh prev", "n", "sfh prev", "sfh", "sfh prev", "pos rev", "sfh prev"],
        ["n", "sfh prev"],
    ),
    "what is refused does not begin sfh prev anew": (
        ["n 2", "sfh prev", "pos mark a", "sfh prev", "sfh prev", "sfh prev", "n", "sfh prev"],
    ),
    "find takes a table by its whole name": (
        ["find EAS.STOCK_KG = 310", "find TEAS.STOCK_KG = 310", "find next", "find prev"],
        ["find HOUSE.TEAS.STOCK_KG = 310"],
    ),
    "find goes on from the position": (
        ["find ASS02", "n", "find next", "pos rev", "find next", "find next", "find prev", "find prev", "find"],
    ),
    "the direction is kept over files, whatever direction a search has": (
        ["across on", "pos eof", "pos rev", "sfh", "n", "open 1", "sfh prev", "n", "pos last", "pos rev", "n 2"],
        [
            "open 1",
            "pos 0",
            "pos rev",
            "n 3",
            "sfh",
            "pos eof",
            "pos rev",
            "sfh",
            "open 0",
            "pos last",
            "n 2",
            "sfh prev",
        ],
    ),
    "what answers about the file keeps the position and the record displayed last": (
        [
            "pos 2722",
            "list 1",
            _ROW,
            "safe",
            "check",
            "sql select 1",
            "transactions",
            "mark a",
            "n",
            "pos mark a",
            "safe",
        ],
        [
            "pos last",
            "pos rev",
            _ROW,
            "n",
            "safe",
            "sfh prev",
            _ROW,
            "sfh prev",
            "check",
            "sfh prev",
            "mark b",
            "count",
        ],
    ),
    "transaction and sametable begin at the record displayed last": (
        [
            "across on",
            "pos 1811",
            "list 2",
            "transaction end",
            "transaction next",
            "sametable next",
            "transaction begin",
        ],
        [
            "pos last",
            "transaction next",
            "sametable next",
            "pos rev",
            "list 2",
            "transaction previous",
            "sametable previous",
        ],
        ["open 1", "transaction begin", "across off", "open 1", "pos first", "n 4", "transaction begin", "sfh prev"],
    ),
    "a transaction that is open at the end of a file": (
        ["pos eof", "transaction begin", "pos eof", "transaction previous", "pos eof", "transaction end"],
        ["pos eof", "transaction next", "across on", "pos eof", "transaction end", "open 0", "pos eof", "safe"],
        ["open 0", "pos eof", "transaction next", "open 0", "pos eof", "transaction previous"],
        ["open 1", "pos eof", "transaction begin", "transaction previous", "pos eof", "transaction next"],
    ),
    "a filter that is off and on again": (
        ["filter include rectype 5", "n 2", "filter off", "n", "filter on", "n", "filter clear", "n", "pos rev", "n 3"],
    ),
    "fc takes what was entered": (["n", "pos 1811", "n", "fc", "fc -2", "fc pos", "fc 1", "fc nothing"],),
    "what is not found leaves the position": (
        ["pos last", "sfet", "n", "pos 1811", "sft 3", "sfh", "pos csn 99999999"],
    ),
}
"""Walks that are always taken, whatever is drawn."""


@pytest.mark.parametrize(("walk", "prefix"), in_turn(WALKS, TRAILS_DRAWN))
def test_walks(walk: str, prefix: str) -> None:
    session = Session(prefix)
    try:
        for line in chain(*WALKS[walk]):
            session.enter(line)
    finally:
        session.close()


@pytest.mark.parametrize(
    "walk",
    [
        ["find ASS02", "open 1", "pos 3069 rev", "find", "find prev", "open 0", "pos 3391 rev", "find next"],
        ["find ASS02", "mark a", "open 1", "pos mark a", "pos rev", "open 1", "pos 3069 rev", "find", "fc find"],
        ["pos last", "sfh prev", "open 1", "sfh prev", "pos last", "sfh prev", "n"],
        ["pos rev", "filter include rectype 5", "open 1", "n 2", "filter off", "open 0", "n", "filter clear"],
    ],
    ids=lambda walk: walk[0],
)
def test_open_leaves_nothing_of_a_file_to_another_that_has_the_same_records(walk: list[str]) -> None:
    session = Session("tw")
    try:
        for line in walk:
            session.enter(line)
    finally:
        session.close()


@pytest.mark.parametrize(
    ("again", "prefix"), in_turn(["fc -1", "fc -2", "fc -3", "fc n", "fc pos", "fc 2", "fc", "fc obey"], TRAILS_DRAWN)
)
def test_fc_in_a_command_file_takes_what_was_entered(again: str, prefix: str) -> None:
    session = Session(prefix)
    try:
        for line in ("pos 1811", "n 2", "sfh prev"):
            session.enter(line)
        session.obey(["skip", again, "n"])
    finally:
        session.close()
