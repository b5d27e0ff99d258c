"""What line mode does with events one after another: the stream, the log, the progress and the status of each."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import nullcontext
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from logdump.display.text import render
from logdump.line import interactive, line_mode, terminal
from logdump.line.history_file import KeptHistory, UnusableHistory, load_history, save_history
from logdump.line.interactive import Interactive, LineEditor
from logdump.line.line_mode import LineMode, Script, Scroller, lines_of
from logdump.notation.text import Harmless, escape
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Failure, Notice, Progress, say
from logdump.session.reading import ReadSoFar
from logdump.session.session import History
from logdump.session.settings import OutputFormat, Settings
from tests.logdump.program import logdump
from tests.searching import Random, examples
from trailformat import CannotRead
from trailformat.trail.command_files import OUTCOMES

HERE = Path("/t/et000000000")


class Answers(LineMode):
    """Line mode whose lines are answered by events made here."""

    def answer(self, line: str, *events: Event | Callable[[], object]) -> None:
        """Print events as the answer to a line; what is called happens between them."""

        def answered() -> Generator[Event, None, None]:
            for event in events:
                if callable(event):
                    event()
                else:
                    yield event

        self.session.history.append(line)
        self._print_answer(line, answered())


class Streams:
    """What has been written to standard output and standard error since the last look."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self) -> tuple[list[str], list[str]]:
        out, err = self._capsys.readouterr()
        return out.splitlines(), err.splitlines()


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Streams:
    return Streams(capsys)


MESSAGES = (Notice(("a notice",), ExitStatus.OK), Failure(("a failure",)), say("a line"))


class Place(NamedTuple):
    """A kind of output: FORMAT JSONL, the output of EXPORT for all commands or for one, a script or not."""

    is_json: bool = False
    is_data: bool = False
    narrates: bool = False
    is_script: bool = False


PLACES: list[tuple[Place, str]] = [
    (Place(), "ooe"),
    (Place(is_script=True), "oee"),
    (Place(is_json=True), "ooo"),
    (Place(is_json=True, is_script=True), "ooo"),
    (Place(is_data=True), "eee"),
    (Place(is_data=True, is_json=True, is_script=True), "eee"),
    (Place(narrates=True), "eee"),
    (Place(narrates=True, is_json=True), "eee"),
]
"""The streams (o, e) of a line, a failure and a notice."""


@pytest.mark.parametrize(("place", "streams"), PLACES)
def test_each_event_goes_to_its_stream_and_that_of_one_answer_is_not_that_of_the_next(
    place: Place, streams: str, written: Streams
) -> None:
    mode = Answers()
    mode.failures_to_stderr, mode.output_is_data = place.is_script, place.is_data
    mode.session.settings.format = OutputFormat.JSONL if place.is_json else OutputFormat.TEXT
    for narrates in (place.narrates, False, place.narrates):
        for event, stream in zip(MESSAGES[::-1], streams, strict=True):
            mode.answer("a line", *([mode._standard_output] if narrates else []), event)
            out, err = written()
            expected = stream if narrates == place.narrates else None
            assert bool(out) != bool(err)
            assert expected is None or bool(err) == (expected == "e"), event
            if not narrates and not place.is_data and place.is_json:
                assert out


@pytest.mark.parametrize("events", [*permutations(MESSAGES)])
@pytest.mark.parametrize("is_one_answer", [True, False])
def test_the_first_object_alone_has_the_schema_whichever_it_is(
    events: tuple[Event, ...], written: Streams, *, is_one_answer: bool
) -> None:
    mode = Answers()
    mode.session.settings.format = OutputFormat.JSONL
    for answer in [events] if is_one_answer else [(event,) for event in events]:
        mode.answer("a line", *answer)
    lines = written()[0]
    assert ["schema" in json.loads(line) for line in lines] == [True, False, False]


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("error", [KeyboardInterrupt(), CannotRead("gone", path=HERE)])
def test_a_command_that_is_stopped_while_a_line_is_printed_has_the_last_word(
    error: BaseException, number: int, written: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the error where it has yielded the line, and what it says then is printed: texts, notices, failures."""
    mode, stops = Answers(), [number]
    write = Answers._write_lines

    def stopped(self: Answers, lines: Sequence[Harmless], *, is_narration: bool) -> None:
        if not stops[0] and [*lines] == ["a line"]:
            stops[0] = -1
            raise error
        stops[0] -= [*lines] == ["a line"]
        write(self, lines, is_narration=is_narration)

    def answered() -> Generator[Event, None, None]:
        try:
            for _ in range(3):
                yield say("a line")
        except (KeyboardInterrupt, CannotRead) as met:
            yield from (say("read so far"), *MESSAGES[:2])
            if isinstance(met, KeyboardInterrupt):
                raise

    monkeypatch.setattr(Answers, "_write_lines", stopped)
    with pytest.raises(KeyboardInterrupt) if isinstance(error, KeyboardInterrupt) else nullcontext():
        mode._print_answer("a line", answered())
    out, err = written()
    assert out == ["a line"] * number + ["read so far", "a failure"]
    assert err == ["a notice"]


@pytest.mark.parametrize("statuses", [(0, 3, 4), (4, 0, 3), (0, 0, 1), (0, 0, 0), (3, 4, 1)])
def test_the_status_is_that_of_the_first_that_is_not_0(statuses: tuple[int, ...], written: Streams) -> None:
    mode = Answers()
    mode.answer("a", *(Notice((f"{status}",), ExitStatus(status)) for status in statuses[:2]))
    mode.answer("b", Notice(("last",), ExitStatus(statuses[2])))
    assert mode.status == next((status for status in statuses if status), 0)
    assert written() == ([], [*map(str, statuses[:2]), "last"])


def test_what_a_writer_could_not_clear_away_is_told_with_its_line_alone(written: Streams) -> None:
    mode = Answers()
    OUTCOMES.named.append(Path("/t/former"))
    mode.answer("a", lambda: OUTCOMES.left.append(Path("/t/left")))
    mode.answer("b", lambda: OUTCOMES.displaced.append((Path("/t/.former"), Path("/t/out"))))
    assert OUTCOMES.named == []
    both = (
        lambda: OUTCOMES.displaced.append((Path("/t/.x"), Path("/t/x"))),
        lambda: OUTCOMES.left.append(Path("/t/y")),
    )
    mode.answer("c", say("an answer"), *both)
    mode.answer("d", say("another"))
    told = ["/t/left could not be removed; nothing needs it."]
    told += ["/t/.former is the former /t/out: it could not be put back."]
    told += ["/t/.x is the former /t/x: it could not be put back.", "/t/y could not be removed; nothing needs it."]
    assert written() == (["an answer", "another"], told)


def test_the_log_has_each_line_under_its_number_and_all_that_answers_it(
    tmp_path: Path, written: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, log = Answers(), tmp_path / "log"
    mode.session.log.start(log)
    questions = iter(["yes", None])
    monkeypatch.setattr(mode, "_read", lambda _prompt: next(questions))
    nothing: list[Event] = []
    mode._print_answer("ghdr on", (event for event in nothing))
    mode.session.history.append("ghdr on")
    mode._print_answer("count", (event for event in MESSAGES))
    assert [mode._ask("Sure? "), mode._ask("Really? ")] == ["yes", None]
    mode.session.log.stop()
    expected = ["Logdump 1 >ghdr on", "Logdump 2 >count", "a notice", "a failure", "a line", "Sure? yes", "Really? "]
    assert log.read_text().splitlines() == expected
    written()


def test_a_log_that_cannot_be_written_is_told_once(
    tmp_path: Path, written: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = Answers()
    mode.session.log.start(tmp_path / "log")

    def full(_line: object) -> None:
        if mode.session.log.path is not None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(mode.session.log, "write_line", full)
    for number in range(3):
        mode.answer(f"line {number}", say(f"answer {number}"))
    out, err = written()
    assert out == ["answer 0", "answer 1", "answer 2"]
    assert [line for line in err if "cannot be written" in line] == err[:1]
    assert mode.status == ExitStatus.COMMAND_FAILED


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    screen = Terminal()
    streams = SimpleNamespace(stderr=screen, stdout=io.StringIO())
    for module in (terminal, line_mode):
        monkeypatch.setattr(module, "sys", streams)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((200, 24)))
    return screen


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("logdump.line.line_mode.time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def _shown(screen: Terminal) -> list[str]:
    """What each line over the last one was, with its blanks."""
    text = screen.getvalue()
    screen.seek(0)
    screen.truncate()
    return text.split("\r")[1:]


def _progress(records: int) -> Progress:
    return Progress(records, 700, 0)


def _read(percent: int) -> ReadSoFar:
    return ReadSoFar(HERE, 700, percent, 100, "Ctrl+C stops")


def test_progress_begins_anew_with_each_command(screen: Terminal, clock: list[float]) -> None:
    scroller, settings = Scroller(), Settings()
    scanned = render(_progress(4000), settings)[0]
    for _ in range(2):
        clock[0] += 10
        scroller.show(_read(10), settings)
        assert _shown(screen)[-1].rstrip() == "10 %, Ctrl+C stops, 0 s, RBA 700 of et000000000"
        clock[0] += 2
        scroller.show(_progress(4000), settings)
        assert _shown(screen) == []
        scroller.show(_read(20), settings)
        assert _shown(screen)[-1].rstrip() == f"20 %, Ctrl+C stops, {scanned}, 2,000 records/s, 2 s"
        scroller.clear()
        assert [line.strip() for line in _shown(screen)] == ["", ""]
        scroller.clear()
        assert _shown(screen) == []
    clock[0] += 10
    scroller.show(_progress(4000), settings)
    assert _shown(screen)[-1].rstrip() == scanned


def test_progress_is_shown_no_more_often_than_it_can_be_read(screen: Terminal, clock: list[float]) -> None:
    """Whatever its steps: from the last one that was shown a quarter of a second passes, which is drawn."""
    random, scroller = Random("progress"), Scroller()
    shown, last = 0, clock[0] - 1
    for number in range(200):
        clock[0] += random.choice((0.0, 0.0625, 0.125, 0.25, 0.3125, 0.5))
        is_due = clock[0] - last >= 0.25
        scroller.show(_read(number % 100), Settings())
        lines = _shown(screen)
        assert len(lines) == is_due, (clock[0], last)
        last, shown = (clock[0], shown + 1) if is_due else (last, shown)
    assert shown > 20


def test_a_line_of_progress_covers_the_one_before_and_an_answer_wipes_it_away(
    screen: Terminal, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    mode = Answers()

    def show(event: Progress | ReadSoFar) -> Callable[[], None]:
        def shown() -> None:
            clock[0] += 1
            mode._show_progress(event)

        return shown

    mode.answer("count", show(_read(10)), show(_progress(1)), show(_read(20)), show(_read(30)))
    lines = _shown(screen)
    widths = [len(line) for line in lines[:3]]
    assert [line.split(" %")[0] for line in lines[:3]] == ["10", "20", "30"]
    assert widths == sorted(widths)
    assert [line.strip() for line in lines[3:]] == ["", ""]
    monkeypatch.setattr("logdump.line.terminal.sys.stdout", screen)
    mode.answer("count", show(_read(10)), say("an answer"), say("another"))
    text = screen.getvalue()
    assert text.index("10 %") < text.rindex("\r") < text.index("an answer") < text.index("another")
    screen.seek(0)
    screen.write(text.replace("an answer\n", "").replace("another\n", ""))
    screen.truncate()
    lines = _shown(screen)
    assert [line.strip() for line in lines[1:]] == ["", ""]
    assert len(lines[1]) >= len(lines[0].rstrip())


def test_a_shorter_line_of_progress_leaves_nothing_of_a_longer_one(screen: Terminal) -> None:
    terminal.write_over(escape("a long line"), 0)
    terminal.write_over(escape("short"), 11)
    terminal.write_over(escape("longer"), 5)
    assert _shown(screen) == ["a long line", "short      ", "longer"]


def test_narration_comes_behind_the_output_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    streams: list[tuple[str, str]] = []

    class Stream(io.StringIO):
        def __init__(self, name: str) -> None:
            super().__init__()
            self._name, self._waiting = name, ""

        def write(self, text: str) -> int:
            self._waiting += text
            if self._name == "err":
                self.flush()
            return len(text)

        def flush(self) -> None:
            if self._waiting:
                streams.append((self._name, self._waiting))
            self._waiting = ""

    monkeypatch.setattr(sys, "stdout", Stream("out"))
    monkeypatch.setattr(sys, "stderr", Stream("err"))
    for number in range(3):
        terminal.write_line(escape(f"out {number}"))
        terminal.write_line(escape(f"err {number}"), is_narration=True)
    assert streams == [(name, f"{name} {number}\n") for number in range(3) for name in ("out", "err")]


@pytest.mark.parametrize("case", range(examples(8)))
def test_names_that_are_too_long_are_cut_in_messages_and_nowhere_else(case: int, written: Streams) -> None:
    """Three lines of three names each, drawn: a name of 255 letters is one that a file may have."""
    random = Random(f"names {case}")
    sizes = [*random.choices([1, 80, 254, 255, 256, 257, 4096], k=6), 256, 255, 1000]
    names = ["".join(random.choices("abcdefghij", k=size)) for size in random.sample(sizes, 9)]
    lines = [" ".join(names[at : at + 3]) for at in (0, 3, 6)]
    for is_narration in (False, True):
        terminal.write_lines(tuple(map(escape, lines)), is_narration=is_narration)
        terminal.write_line(escape(lines[1]), is_narration=is_narration)
    out, err = written()
    assert out == [*lines, lines[1]]
    assert len(err) == 4
    told = [text.split(" ") for text in err]
    assert told[3] == told[1]
    for name, shown in zip(names, [shown for text in told[:3] for shown in text], strict=True):
        if len(name) < 256:
            assert shown == name
        else:
            begin, _, end = shown.partition("…")
            assert (len(shown), name.startswith(begin), name.endswith(end)) == (80, True, True), shown
            assert min(len(begin), len(end)) > 20


@pytest.mark.parametrize("words", [["count"], ["list"], ["safe"], ["explain"], []], ids=" ".join)
def test_the_message_about_a_name_that_is_too_long_shows_its_beginning_and_its_end(words: list[str]) -> None:
    """Whether a verb or the program refuses it."""
    name = "b" * 60 + "x" * 3000 + "e" * 60
    answer = logdump(*words, name, *(["3987"] if words == ["safe"] else []), typed="exit\n")
    assert answer.status
    assert name not in answer.out + answer.err
    assert re.search("b{20,60}x*…x*e{20,60}", answer.out + answer.err), answer


@pytest.mark.parametrize("length", [9, 10, 11, 20, 21, 35])
def test_a_long_line_is_one_line_however_long_it_is(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_mode, "MOST_CHARACTERS", 10)
    text = "x" * length
    read = list(lines_of(io.StringIO(f"\ufeffab\n{text}\r\n\ufeffcd\n{text}")))
    cut = text[:11]
    assert [line.rstrip("\r") for line in read] == ["ab", cut, "cd", cut]


def test_a_script_takes_no_line_after_exit(written: Streams) -> None:
    lines = iter(["time", "exit", "nothing", "more"])
    assert Script(lines).run() == ExitStatus.OK
    assert list(lines) == ["nothing", "more"]
    written()


class Keys:
    """In place of readline: what was typed, and what the arrow keys recall."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def clear_history(self) -> None:
        self.lines.clear()

    def add_history(self, line: str) -> None:
        self.lines.append(line)


def _typing(answers: Iterable[str | type[BaseException]], monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(answers)

    def read(_prompt: str) -> str:
        answer = next(typed, EOFError)
        if isinstance(answer, str):
            return answer
        raise answer

    monkeypatch.setattr("builtins.input", read)


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "logdump.hst"
    monkeypatch.setenv("LOGDUMP_HISTORY", str(path))
    return path


def _at_terminal(monkeypatch: pytest.MonkeyPatch, first: str = "") -> tuple[Interactive, Keys]:
    keys = Keys()

    def init(self: LineEditor, context: object) -> None:
        self._context = context  # type: ignore[assignment]
        self._readline = keys

    monkeypatch.setattr(LineEditor, "__init__", init)
    return Interactive(first), keys


def test_a_line_that_ctrl_c_ends_is_remembered_like_any_other(
    history: Path, monkeypatch: pytest.MonkeyPatch, written: Streams
) -> None:
    save_history(history, History(["earlier"]))
    mode, keys = _at_terminal(monkeypatch, "reclen 50")
    recalled: list[list[str]] = []
    run = mode.enter

    def enter(line: str) -> None:
        recalled.append([*keys.lines])
        run(line)
        if line == "time":
            raise KeyboardInterrupt

    monkeypatch.setattr(mode, "enter", enter)
    _typing(["time", KeyboardInterrupt, "ghdr on"], monkeypatch)
    mode.run()
    lines = ["earlier", "reclen 50", "time", "ghdr on"]
    assert recalled == [lines[:1], lines[:2], lines[:3]]
    assert keys.lines == load_history(history).lines == lines
    written()


def test_tables_marks_and_columns_of_the_open_trail_are_offered(
    trails: Path, history: Path, monkeypatch: pytest.MonkeyPatch, written: Streams
) -> None:
    mode, _ = _at_terminal(monkeypatch)
    mode.enter("mark nowhere")
    for name, tables in (("et000000000", "TEAHOUSE"), ("al000000000", "teahouse")):
        mode.enter(f"open {trails / name}; mark {name}")
        context = mode._context()
        assert {table.lower() for table in context.tables} == {"teahouse.teas", "teahouse.sales"}
        assert {table.split(".")[0] for table in context.tables} == {tables}
        assert name in context.marks
    mode.session.close()
    assert (list(mode._context().tables), set(mode._context().marks)) == ([], {"et000000000", "al000000000"})
    written()
    assert not history.exists()


ENDINGS = [
    ("op", ["open"], 0, ["open "]),
    ("open /t/a", ["/t/ab"], 5, ["/t/ab "]),
    ("open /t/a", ["/t/ab/"], 5, ["/t/ab/"]),
    ("open /t/a", ["/t/ab", "/t/ac"], 5, ["/t/ab", "/t/ac"]),
    ('open "/t/a b', ['"/t/a bc"'], 11, ['bc" ']),
    ('open "/t/a b', ['"/t/a bc"', '"/t/a bd"', '"/t/x"'], 11, ['bc"', 'bd"']),
    ("open a; count", ["count", "counts"], 8, ["count", "counts"]),
]
"""A line, whole words that may end it, where the part begins that is replaced, and what replaces it."""


@pytest.mark.parametrize(("line", "offers", "begun", "endings"), ENDINGS)
def test_the_last_part_of_a_line_is_completed(line: str, offers: list[str], begun: int, endings: list[str]) -> None:
    assert interactive.endings(line, offers, begun) == endings


@pytest.mark.parametrize("kept", [2, 3, 5])
def test_each_line_is_added_to_the_file_once_though_old_ones_are_dropped(
    kept: int, history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logdump.session.session.MOST_KEPT", kept)
    save_history(history, History(["a", "b"]))
    sessions = [KeptHistory(history), KeptHistory(history)]
    recalled = [session.recall() for session in sessions]
    lines = ["a", "b"][-kept:]
    for number, line in enumerate("cdefghij"):
        recalled[number % 2].append(line)
        sessions[number % 2].save(recalled[number % 2])
        lines = [*lines, line][-kept:]
        assert load_history(history).lines == lines
        assert load_history(history).number == 4 + number


def test_a_file_whose_lines_are_all_there_is_ours(history: Path) -> None:
    for number, is_ours in ((3, True), (4, True), (2, False)):
        history.write_text(f"logdump history, next {number}\na\nb\n", encoding="utf-8")
        if is_ours:
            assert load_history(history).number == number
        else:
            with pytest.raises(UnusableHistory):
                load_history(history)


def test_a_history_that_cannot_be_written_is_given_up(history: Path) -> None:
    kept = KeptHistory(history)
    recalled = kept.recall()
    history.write_text("of another program", encoding="utf-8")
    recalled.append("a")
    with pytest.raises(UnusableHistory):
        kept.save(recalled)
    history.unlink()
    kept.save(recalled)
    assert not history.exists()
