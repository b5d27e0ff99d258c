"""No verdict on half a reading: stopped by Ctrl+C, damaged, files missing or unreadable, for every command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display import json_lines, text
from logdump.display.text import PARTIAL
from logdump.features.bounded_recovery.model import BrOptions
from logdump.features.bounded_recovery.survey import BrSurvey
from logdump.features.diff.model import DiffLevel
from logdump.features.diff.side_by_side import AlignedListing, AlignedSoFar
from logdump.features.timeline import open_transactions
from logdump.language.execute import run_line
from logdump.line.history_file import KeptHistory
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, Progress
from logdump.session.settings import Settings
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.text import aligned_text
from logdump.tui.text.styled import ASCII
from logdump.tui.text.timeline_text import open_transactions_page
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import examples, in_turn
from tests.simulated import late_replication as late
from trailformat import Record, TrailFile
from trailformat.scan import Scan
from trailformat.transactions.whole_trail import WholeTrail

PARAMETERS = "REPLICAT r\nDDL INCLUDE MAPPED\nMAP teahouse.*, TARGET tea2.*;\n"
RESTARTED, BEATS, DDL = "at00000000?", "hb000000000", "dt000000000"
VERDICTS = re.compile(
    r"^(?:Not safe|Not certainly safe|Most of the lag|Extract was down|Extract waits for|The clocks differ)\b"
    r"|^The [\d.:]+ (?:s )?are spread:|^No beat (?:from|before)|^The trail ends before|statements are not replicated"
    r"|\bSafe\b|CSNs are in order|No transaction appears twice|No heartbeat|Missing +none|Missing +not known"
    r"|^ +Age |No significant lag|no gap\b|Nothing is lost|No transaction is lost|reads all files|not needed"
    r"|and all later files|Again at +not found"
    r"|without a whole copy|Open for longer|^Restart at \d{4}/|With BR|Without BR|restart there|ALTER REPLICAT"
    r"|restart (?:at|after)|no such record|encrypted\?|No DDL|no transaction with a time|No transaction is whole"
    r"|none in these files|All \d+ statements|^Interval ",
    re.MULTILINE,
)
"""Sentences that are true of a whole trail only."""
JUDGING = {
    "explanation": ("rule", "verdict"),
    "recovery": ("lost", "listed"),
    "heartbeat_lag": ("age",),
    "br_checkpoint": ("restart", "oldest_xid"),
    "safe_point": ("safe",),
    "compression": ("incompressible",),
}
"""Members that are verdicts, by the type of their object."""
JUDGING_AT_ZERO = {
    "recovery": ("twice", "twice_records", "order_breaks", "too_new"),
    "check": ("gaps", "gap_bytes", "undefined", "restarts", "encrypted"),
    "heartbeats": ("beats",),
    "heartbeat_lag": ("missing", "gaps"),
    "diff": ("changed", "transactions", "records"),
}
"""Members that are verdicts where nothing was found."""
OBJECTS_OF_VERDICTS = {"keep", "br_restart", "br_transactions", "br_interval"}


class Judge(NamedTuple):
    """A command that sums up or judges, and the lines before it; ``is_over_damage``: damage is what it looks for."""

    command: str
    trail: str = RESTARTED
    before: str = ""
    is_over_damage: bool = False


COMMANDS = {
    "count": Judge("count", is_over_damage=True),
    "count detail log": Judge("count detail log T", is_over_damage=True),
    "transhist": Judge("count", before="transhist 5; transreclimit 1", is_over_damage=True),
    "check": Judge("check T", is_over_damage=True),
    "safe": Judge("safe 2722", is_over_damage=True),
    "explain lag": Judge("explain lag", BEATS),
    "explain lag without beats": Judge("explain lag"),
    "explain restart": Judge("explain restart", is_over_damage=True),
    "explain restart at": Judge("explain restart at 0 2722", is_over_damage=True),
    "explain ddl": Judge("explain ddl", DDL, "params P"),
    "recovery": Judge("recovery"),
    "recovery twice": Judge("recovery twice"),
    "recovery cut": Judge("recovery cut"),
    "recovery order": Judge("recovery order"),
    "recovery files": Judge("recovery files keep"),
    "recovery keep": Judge("recovery keep"),
    "recovery keep at": Judge("recovery keep 1 2363"),
    "recovery reader": Judge("recovery reader 19.1"),
    "heartbeat": Judge("heartbeat", BEATS),
    "heartbeat without beats": Judge("heartbeat over T"),
    "heartbeat history": Judge("heartbeat history every 5", BEATS),
    "heartbeat gaps": Judge("heartbeat gaps", BEATS),
    "heartbeat rows": Judge("heartbeat rows", BEATS),
    "br": Judge("br"),
    "br restart": Judge("br interval 20M restart 2024-03-14T09:50 compare 1H,2H longer 20M"),
    "compress": Judge("compress over T"),
    "compress images": Judge("compress images by table"),
    "diff": Judge("diff T U quiet"),
    "coverage": Judge("params coverage", before="params P", is_over_damage=True),
    "ddl": Judge("ddl all", DDL, "params P"),
    "ddl strict": Judge("ddl all strict", DDL, "params P"),
    "repair": Judge("repair over T to N dry", is_over_damage=True),
    "find": Judge("find nowhere-at-all", is_over_damage=True),
}
slow = settings(
    max_examples=examples(6, short=2), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trails with restarts (of two files, twice), with beats and with DDL, and a parameter file."""
    folder = tmp_path_factory.mktemp("partial")
    late.write(late.late_pump, folder / BEATS)
    (folder / "r.prm").write_text(PARAMETERS)
    (folder / "b").mkdir()
    for path in TRAILS.glob(RESTARTED):
        for target in (folder, folder / "b"):
            (target / path.name).write_bytes(path.read_bytes())
    (folder / DDL).write_bytes((TRAILS / DDL).read_bytes())
    return folder


def _texts(judge: Judge, folder: Path) -> tuple[str, str]:
    """What goes before the command, and it."""
    first = min(folder.glob(judge.trail))
    places = {
        "T": folder / judge.trail,
        "U": folder / "b" / judge.trail,
        "P": folder / "r.prm",
        "N": folder / "n/xx000000000",
    }
    command = " ".join(str(places.get(word, word)) for word in judge.command.split())
    before = " ".join(str(places.get(word, word)) for word in judge.before.split())
    return f"timeoffset gmt; open {first}; notify 1; {before}", command


def _objects(events: Sequence[Event], line: Line) -> list[dict[str, Any]]:
    return [json.loads(part) for event in events for part in json_lines.render(event, line.session.settings)]


def _lines(events: Sequence[Event], line: Line) -> list[str]:
    return [part for event in events for part in text.render(event, line.session.settings)]


def _without_verdict(events: Sequence[Event], line: Line) -> None:
    told = [event for event in events if not isinstance(event, Progress)]
    assert not VERDICTS.findall("\n".join(_lines(told, line)))
    for item in _objects(told, line):
        assert item["type"] not in OBJECTS_OF_VERDICTS
        assert [item[name] for name in JUDGING.get(item["type"], ()) if item[name] is not None] == []
        assert [name for name in JUDGING_AT_ZERO.get(item["type"], ()) if item[name] in (0, [], {}, False)] == []
        if item["type"] in {*JUDGING, *JUDGING_AT_ZERO} and "partial" in item:
            assert item["partial"] is True


@contextmanager
def _interrupted_at(call: int, calls: Iterator[int]) -> Iterator[None]:
    """Ctrl+C comes when the program goes to its trails for this time: opens one, or reads a batch or a record."""

    def interrupted(original: Callable[..., object]) -> Callable[..., object]:
        def reading(*arguments: object, **options: object) -> object:
            if next(calls) == call:
                raise KeyboardInterrupt
            return original(*arguments, **options)

        return reading

    def small(self: Scan, *arguments: Any, **options: Any) -> None:
        options.pop("batch_size", None)
        made(self, *arguments[:3], 4, *arguments[4:], **options)  # type: ignore[arg-type, call-arg]

    made = Scan.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scan, "__init__", small)
        patch.setattr(Scan, "__next__", interrupted(Scan.__next__))
        patch.setattr(TrailFile, "__init__", interrupted(TrailFile.__init__))
        patch.setattr(TrailFile, "record_at", interrupted(TrailFile.record_at))
        patch.setattr(Record, "header", property(interrupted(Record.header.func)))
        yield


def _run(line: Line, command: str, call: int, calls: Iterator[int]) -> tuple[list[Event], bool]:
    """What a command tells up to Ctrl+C and then, and whether that came."""
    told = list[Event]()
    with _interrupted_at(call, calls):
        try:
            told += run_line(line.session, REGISTRY, command)
        except KeyboardInterrupt:
            return told, True
    return told, False


def _calls_of(line: Line, command: str) -> int:
    calls = count()
    _run(line, command, -1, calls)
    return next(calls)


@pytest.fixture(scope="module")
def calls_of(folder: Path) -> Callable[[str], int]:
    """How often each command goes to its trails."""

    @cache
    def calls(name: str) -> int:
        before, command = _texts(COMMANDS[name], folder)
        line = Line()
        line(before)
        number = _calls_of(line, command)
        line.session.close()
        return number

    return calls


@pytest.mark.parametrize("name", COMMANDS)
@slow
@given(where=st.floats(0, 1))
def test_what_was_stopped_says_so_first_and_gives_no_verdict(
    name: str, where: float, folder: Path, line: Line, calls_of: Callable[[str], int]
) -> None:
    before, command = _texts(COMMANDS[name], folder)
    calls = calls_of(name)
    line(before)
    told, is_stopped = _run(line, command, int(where * (calls - 1)), count())
    if not is_stopped:  # an error, or what the program does not read but looks at, took it
        return
    notices = [at for at, event in enumerate(told) if isinstance(event, Notice) and event.status == 130]
    summaries = [at for at, event in enumerate(told) if hasattr(event, "is_partial")]
    if notices or summaries:
        (first,) = notices
        assert re.match("Stopped ", told[first].lines[0])  # type: ignore[attr-defined]
        # those of a whole reading stand before Ctrl+C, if that came while they were printed
        assert all(told[at].is_partial == (at > first) for at in summaries)  # type: ignore[attr-defined]
        told = told[first:] if summaries and summaries[0] < first else told
    _without_verdict(told, line)


@pytest.mark.parametrize(("form", "name"), in_turn(["text", "jsonl"], COMMANDS))
def test_the_status_of_what_was_stopped_is_130(
    name: str, form: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, command = _texts(COMMANDS[name], folder)
    calls = count()
    monkeypatch.setattr(Scan, "__next__", _stopping(Scan.__next__, calls))
    done = logdump("--format", form, "-c", f"{before}; {command}")
    if next(calls) > 1:
        assert done.status == ExitStatus.INTERRUPTED


def _stopping(original: Callable[..., object], calls: Iterator[int]) -> Callable[..., object]:
    def reading(*arguments: object) -> object:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return original(*arguments)

    return reading


def _damaged(folder: Path, target: Path, name: str) -> None:
    """The trails of a folder in another, with damage in the middle of each."""
    for path in folder.glob(name):
        with TrailFile(path) as trail:
            records = list(trail.records())
        broken, content = records[len(records) // 2].rba, bytearray(path.read_bytes())
        content[broken : broken + 8] = b"no start"
        (target / path.name).write_bytes(content)


DAMAGE_IS_MET = {name: judge for name, judge in COMMANDS.items() if not judge.is_over_damage and name != "safe"}


def _copy(folder: Path, target: Path) -> None:
    (target / "b").mkdir()
    for path in (*folder.iterdir(), *(folder / "b").iterdir()):
        if path.is_file():
            (target / path.relative_to(folder)).write_bytes(path.read_bytes())


@pytest.mark.parametrize(("name", "form"), in_turn(DAMAGE_IS_MET, ["text", "jsonl"]))
def test_what_is_damaged_says_so_first_and_gets_no_verdict(
    name: str, form: str, folder: Path, tmp_path: Path, line: Line
) -> None:
    judge = COMMANDS[name]
    _copy(folder, tmp_path)
    _damaged(folder, tmp_path, judge.trail)
    _says_what_lacks(judge, form, tmp_path, line, "amage at ")


@pytest.mark.parametrize(
    ("name", "form"),
    in_turn(
        [
            name
            for name, judge in DAMAGE_IS_MET.items()
            if "T" in judge.command or name.startswith(("recovery", "br", "explain r"))
        ],
        ["text", "jsonl"],
    ),
)
def test_a_file_that_is_no_trail_leaves_no_verdict(
    name: str, form: str, folder: Path, tmp_path: Path, line: Line
) -> None:
    _copy(folder, tmp_path)
    (tmp_path / "at000000001").write_bytes(b"no trail at all")
    _says_what_lacks(COMMANDS[name], form, tmp_path, line, "1 file not read")


@pytest.mark.parametrize(
    ("name", "form"),
    in_turn(
        [
            name
            for name in (*DAMAGE_IS_MET, "explain restart", "explain restart at")
            if name.startswith(("recovery", "br", "explain r", "diff", "heartbeat w")) and name != "recovery keep at"
        ],
        ["text", "jsonl"],
    ),
)
def test_a_missing_file_leaves_no_verdict(name: str, form: str, folder: Path, tmp_path: Path, line: Line) -> None:
    _copy(folder, tmp_path)
    (tmp_path / "at000000001").rename(tmp_path / "at000000002")
    _says_what_lacks(COMMANDS[name], form, tmp_path, line, "iles missing at 1 place")


def _says_what_lacks(judge: Judge, form: str, folder: Path, line: Line, reason: str) -> None:
    before, command = _texts(judge, folder)
    line(before)
    line(command)
    partial = [
        at for at, event in enumerate(line.events) if isinstance(event, Notice) and "this is partial" in event.lines[0]
    ]
    (first,) = partial
    assert reason in line.events[first].lines[0]  # type: ignore[attr-defined]
    assert all(at > first for at, event in enumerate(line.events) if getattr(event, "is_partial", False))
    _without_verdict(line.events, line)
    done = logdump("--format", form, "-c", f"{before}; {command}")
    assert done.status == ExitStatus.BAD_DATA
    said = next(shown_line for shown_line in (done.err + done.out).splitlines() if "this is partial" in shown_line)
    assert reason in said


WRITING = {
    "export jsonl": "export jsonl to N",
    "export csv by table": "export csv to N by table",
    "export sql": "export sql to N",
    "save": "save N",
}
"""Commands that write: what they have written stands whole under its name, or nothing does."""
_WRITTEN = re.compile(r"^(?:Saved|Exported) ", re.MULTILINE)


def _writing(name: str, folder: Path, target: Path, across: str = "off") -> tuple[str, str]:
    before = f"across off; open {folder / 'at000000000'}; notify 1; across {across}"
    return before, WRITING[name].replace("N", str(target))


@pytest.mark.parametrize("name", WRITING)
@slow
@given(where=st.floats(0, 1))
def test_writing_that_was_stopped_says_so_and_leaves_nothing(
    name: str, where: float, folder: Path, tmp_path: Path, line: Line
) -> None:
    before, command = _writing(name, folder, tmp_path / "whole" / "xx000000000", "on")
    (tmp_path / "whole").mkdir(exist_ok=True)
    line(before)
    calls = _calls_of(line, command)
    for path in sorted((tmp_path / "whole").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    line(before)
    told, is_stopped = _run(line, command, int(where * (calls - 1)), count())
    if not is_stopped:
        return
    notices = [event for event in told if isinstance(event, Notice) and event.status == 130]
    assert [notice.lines[0].split()[0] for notice in notices] in (["Stopped"], []), told
    said = "\n".join(_lines(told, line))
    stands = any((tmp_path / "whole").iterdir())
    assert stands == ("was written completely before this" in said or bool(_WRITTEN.search(said)))
    assert stands or notices


@pytest.mark.parametrize("name", WRITING)
def test_writing_that_meets_damage_says_so_before_what_it_has_written(name: str, folder: Path, tmp_path: Path) -> None:
    _damaged(folder, tmp_path, "at00000000?")
    before, command = _writing(name, tmp_path, tmp_path / "out")
    done = logdump("-c", f"{before}; {command}")
    assert done.status == ExitStatus.BAD_DATA
    said = done.err + done.out
    written = _WRITTEN.search(said)
    assert bool(written) == (tmp_path / "out").exists() == name.startswith(("export jsonl", "export csv"))
    assert "no record starts here" in said[: written.start() if written else None]


@pytest.mark.parametrize(("lacks", "name"), in_turn(["a file that is no trail", "a missing file"], WRITING))
def test_writing_over_files_of_which_one_is_not_there_writes_nothing(
    name: str, lacks: str, folder: Path, tmp_path: Path
) -> None:
    _copy(folder, tmp_path)
    other = tmp_path / "at000000001"
    if lacks == "a missing file":
        other.rename(tmp_path / "at000000002")
    else:
        other.write_bytes(b"no trail at all")
    before, command = _writing(name, tmp_path, tmp_path / "out", "on")
    done = logdump("-c", f"{before}; {command}")
    assert done.status == ExitStatus.BAD_DATA
    assert f"{other} is missing" in done.err or f"{other}, RBA 0: this is not a trail file" in done.err
    assert not _WRITTEN.search(done.err + done.out)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", WRITING)
def test_writing_that_steps_over_a_gap_says_so_first(name: str, folder: Path, tmp_path: Path, line: Line) -> None:
    _copy(folder, tmp_path)
    (tmp_path / "at000000001").rename(tmp_path / "at000000002")
    before, command = _writing(name, tmp_path, tmp_path / "out", "gaps")
    line(before)
    first, *others = line(command)
    assert first == f"{tmp_path / 'at000000001'} is missing: reading on in at000000002."
    assert any(map(_WRITTEN.search, others))


def test_a_whole_reading_has_its_verdicts(folder: Path, line: Line) -> None:
    """The sentences that are looked for are those that are printed."""
    printed = ""
    for judge in COMMANDS.values():
        before, command = _texts(judge, folder)
        line(before)
        printed += "\n".join(line(command)) + "\n"
    looked_for = {
        *("Most of the lag", "no gap", "No transaction appears twice", "and all later files"),
        *("With BR", "No heartbeat", "reads all files"),
    }
    assert looked_for <= set(VERDICTS.findall(printed))


@pytest.mark.parametrize("name", COMMANDS)
def test_on_the_screen_it_is_said_first_too(
    name: str, folder: Path, line: Line, tmp_path: Path, calls_of: Callable[[str], int]
) -> None:
    before, command = _texts(COMMANDS[name], folder)
    calls = calls_of(name)
    mode = ScreenMode(line.session, lambda _report: None, KeptHistory(tmp_path / "history"))
    try:
        line(before)
        mode.transcript.begin("", command)
        with _interrupted_at(calls // 3, count()), suppress(KeyboardInterrupt):
            mode.enter(command)
        _, *lines = mode.transcript.entries[-1].lines()
    finally:
        mode.close()
    assert not VERDICTS.findall("\n".join(lines))
    stopped = [at for at, shown_line in enumerate(lines) if shown_line.startswith("Stopped ")]
    told = [at for at, shown_line in enumerate(lines) if "as far as it was read" in shown_line]
    assert all(stopped and stopped[0] < at for at in told)


def test_the_pages_of_a_stopped_comparison_and_of_open_transactions_say_it_first(folder: Path) -> None:
    survey = BrSurvey(WholeTrail.around(folder / "at000000000"), BrOptions(), {})
    found = open_transactions._look(survey, BrOptions(), "LogTrail", is_partial=True)
    page = open_transactions_page(found, 0, (80, 24), Settings(), ASCII)
    assert page.lines[0].pieces[0][0] == PARTIAL
    listing = AlignedListing(DiffLevel.RECORDS, ("a", "b"))
    assert next(iter(aligned_text._tail(AlignedSoFar(listing, 0, is_ended=True)))) == PARTIAL
