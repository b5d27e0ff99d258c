"""What the commands must do with any trail: no traceback, nothing raw, good JSON, the same however kernels run."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display import json_lines, text
from logdump.language.execute import run_line
from logdump.language.reader import Context
from logdump.language.words import complete, split_calls
from logdump.session.errors import CommandError
from logdump.session.events import Event, Failure, Notice
from logdump.session.session import Session
from tests.fuzz.behaviour import Behaviour
from tests.hostile import raw_characters
from tests.kernels import WAYS, Kernels, run
from tests.logdump.test_nothing_raw import PARAMETER_FILE, PARAMETERS, SHOWS, SWITCHES
from tests.logdump.test_targets import WRITERS
from trailformat import TrailError

FOLDER = "out"
"""Where commands write, beside the trail; removed after each session."""
ELSEWHERE = {"X", "TUI", "SQL", "ENGINE", "OBEY", "FC", "EXIT", "WATCH", "APPLY", "PUBLISH"}
"""Commands that run other programs, take the screen, begin Spark, read commands, wait, or end the session."""
_OTHER_EACH_TIME = {"SAVEFILECOMMENT", "REDACT"}
"""Commands whose files have the time, or a key of their own; so have the messages of OGG."""
OF_THE_MOMENT = {"TIME", "ENV", "SHOW", "FILES", "BULKIOSTATS", "COMPRESS", "LOG", "DOCTOR", "REPORT", "DEBUG"}
"""Commands that show times, free space, sums of the session and how kernels run: two sessions need not agree."""
NAMES = sorted(command.name for command in REGISTRY.commands if command.name not in ELSEWHERE)
_LINES = [line.replace("rc", "lt") for name, lines in SHOWS.items() if name not in ELSEWHERE for line in lines]
_WRITES = [line for name, lines in WRITERS.items() if name != "LOG" for line in lines]
_NEXT = "lt000000001"
"""The file behind the input in its trail."""
_WORDS = ("1", "0", "2", "5", "30", "999999", "-1", "*", "TEA*", "insert", "2024-03-14 09:31:00", '"', ",", "=", "x")


def draw_lines(chance: Random, size: int) -> list[str]:
    """A few lines: those that tests know, some that write, and some that are put together of what Tab offers."""
    lines = [chance.choice(SWITCHES)] if chance.random() < 0.7 else []
    for _ in range(chance.randint(1, 4)):
        way = chance.randrange(5)
        line = chance.choice(_LINES) if way < 2 else chance.choice(_WRITES) if way == 2 else _grown(chance)
        place = f"{FOLDER}/t{chance.randint(0, 1)}"
        lines.append(
            line.replace(" T", f" {place}").replace("RBA", "{rba}").replace("{rba}", str(_place(chance, size)))
        )
    return lines


def _place(chance: Random, size: int) -> int:
    return chance.choice((0, 131, 448, 827, 1130, chance.randint(0, size), size))


def _grown(chance: Random) -> str:
    """A command and words, most of them such as may stand there."""
    line = chance.choice(NAMES)
    for _ in range(chance.randint(0, 5)):
        offers = complete(REGISTRY, f"{line} ", Context(tables=["TEAHOUSE.TEAS"]))
        is_offered = offers and chance.random() < 0.8
        line += f" {chance.choice(offers) if is_offered else chance.choice(_WORDS)}"
    return line


def prepare(folder: Path) -> None:
    """Write what lines refer to."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PARAMETERS).write_text(PARAMETER_FILE)
    (folder / _NEXT).write_bytes((TRAILS / "st000000001").read_bytes())


def run_lines(path: Path, lines: list[str], behaviour: Behaviour) -> None:
    """The lines in a session with kernels as machine code, in one with kernels interpreted; the same in both."""
    printed, written = [], []
    with contextlib.chdir(path.parent):
        for way in WAYS[:1] * 2 if len(WAYS) == 1 else WAYS:
            with only(way):
                printed.append(list(_session(path, lines, behaviour)))
            written.append(_contents(Path(FOLDER)))
            _clean(path)
    assert printed[0] == printed[1], "\n".join(
        ["the ways print different lines", *(f"{a} | {b}" for a, b in zip(*printed, strict=False) if a != b)]
    )
    is_dated = any(_OTHER_EACH_TIME & _commands_of(line) or " OGG" in line.upper() for line in lines)
    assert written[0] == written[1] or is_dated, (
        f"the ways write different files: {sorted(written[0])} {sorted(written[1])}"
    )


def _clean(path: Path) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    for other in Path().iterdir():
        if other.name not in {path.name, _NEXT, PARAMETERS}:
            shutil.rmtree(other) if other.is_dir() else other.unlink()


@contextlib.contextmanager
def only(way: Kernels) -> Iterator[None]:
    """While it lasts, kernels run this way."""
    with run(way):
        yield


def _session(path: Path, lines: list[str], behaviour: Behaviour) -> Iterator[str]:
    Path(FOLDER).mkdir(exist_ok=True)
    session = Session()
    try:
        with contextlib.suppress(TrailError):
            session.open(path)
        is_timed = False
        for line in lines:
            commands = _commands_of(line)
            is_timed = is_timed or "HASHSTATS" in commands
            is_compared = not is_timed and not OF_THE_MOMENT & commands and " NOW" not in line.upper()
            for event in run_line(session, REGISTRY, line):
                yield from [shown_text for shown_text in _rendered(session, event, line, behaviour) if is_compared]
    finally:
        session.end()


def _commands_of(line: str) -> set[str]:
    names = set()
    for word, _ in split_calls(line):
        with contextlib.suppress(CommandError):
            names.add(REGISTRY.find(word).name)
    return names


def _rendered(session: Session, event: Event, line: str, behaviour: Behaviour) -> Iterator[str]:
    """The event's lines of text and of JSON, looked at."""
    lines = list(text.render(event, session.settings))
    objects = list(json_lines.render(event, session.settings))
    for part in (*lines, *objects):
        assert "\n" not in part, f"{line}: a line feed in {part!r}"
        assert not raw_characters(part), f"{line}: raw characters in {part!r}"
    for part in objects:
        assert isinstance(json.loads(part), dict), f"{line}: no object in {part!r}"
    behaviour.note(type(event).__name__)
    if isinstance(event, Failure | Notice):
        behaviour.note(line.split(" ", 1)[0], event.lines[0] if event.lines else "")
    yield from lines
    yield from objects


def _contents(folder: Path) -> dict[str, object]:
    """What the files in a folder hold, and in those within; of Arrow's the rows, since it leaves gaps as they come."""
    return {str(path.relative_to(folder)): _content(path) for path in folder.rglob("*") if path.is_file()}


def _content(path: Path) -> object:
    data = path.read_bytes()
    if data.startswith(b"ARROW1"):
        import pyarrow as pa

        return pa.ipc.open_file(data).read_all()
    return data
