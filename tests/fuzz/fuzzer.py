"""Inputs drawn and checked one after the other, each known by its seed and its number; those that fail are kept."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import signal
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz import codec, kills, language
from tests.fuzz.behaviour import Behaviour
from tests.fuzz.corpus import Corpus
from tests.fuzz.mutations import Input, draw
from trailformat import NotATrail, TrailFile

_NAME = "lt000000000"
_USUAL_BATCH = 1 << 10
_BATCH_SIZES = (*(_USUAL_BATCH,) * 8, 1, 3)
_TOO_LONG = 20
"""Seconds of processor time after which an input is given up, and fails; they begin again every so many inputs."""
_WATCHED = 100
_FRESH = 8
"""One of so many files was written just now."""
_SLOW = 0.5
"""Seconds of processor time from which on an input is kept."""
_MOST_OF_A_KIND = 3


class TooSlow(BaseException):
    """An input takes so long that it is given up; nothing between may catch it."""


@dataclass
class Shares:
    """One of how many inputs goes through a check that takes long: through every part of new records, all that a
    reader does, the commands, a killed command.
    """

    decoded: int = 6
    followed: int = 100
    commanded: int = 200
    killed: int = 10_000


@dataclass
class Totals:
    """What has been tried; the slowest input by its processor time."""

    inputs: int = 0
    commands: int = 0
    slowest: float = 0.0
    slowest_number: int = 0
    kills: int = 0
    memory: int = 0
    failures: int = 0
    kinds: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)


class Fuzzer:
    """Inputs of one seed.

    Args:
        seed: what they are drawn from.
        work: a folder of its own.
        home: where failures, slow inputs and the corpus are kept.
        shares: how often what takes long is done.
    """

    def __init__(self, seed: int, work: Path, home: Path, shares: Shares | None = None) -> None:
        self.totals = Totals()
        self._seed = seed
        self._work = work
        self._home = home
        self._shares = shares or Shares()
        self._corpus = Corpus(home / "corpus")
        language.prepare(work)
        codec.forget()
        self.path = work / _NAME
        self._file = self._open()

    def run(self, first: int, stop: int) -> Iterator[Totals]:
        """Try the inputs from one number to before another; yields after each."""
        with _alarm():
            for number in range(first, stop):
                self._try(number)
                yield self.totals

    def _try(self, number: int) -> None:
        chance = Random(self._seed << 48 | number)
        drawn = draw(chance, self._corpus.seeds)
        behaviour, lines = Behaviour(), self._lines(drawn, chance, number)
        self._write(drawn.data, is_fresh=number % _FRESH == 0)
        begun = time.perf_counter()
        self._guarded(number, drawn, lines, behaviour)
        if time.perf_counter() - begun > self.totals.slowest:
            self._measure(number, drawn, lines)
        if number % self._shares.killed == self._shares.killed - 1:
            self._kill(number, drawn, chance)
        self._corpus.take(drawn.data, behaviour.found, chance)
        self.totals.inputs += 1
        self.totals.kinds = len(self._corpus.known)
        if number % 1000 == 0:
            self.totals.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def _write(self, data: bytes, *, is_fresh: bool) -> None:
        """The same file each time, which is quick, unless a command has put another in its place.

        What is not fresh was written long ago, so that what is read of it may be kept.
        """
        if os.stat(self.path).st_ino != os.fstat(self._file).st_ino:  # noqa: PTH116 - as quick as it can be
            os.close(self._file)
            self._file = self._open()
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))
        if not is_fresh:
            os.utime(self._file, (0, 0))

    def _open(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)

    def close(self) -> None:
        """Close the file of the inputs."""
        os.close(self._file)

    def _lines(self, drawn: Input, chance: Random, number: int) -> list[str]:
        if number % self._shares.commanded:
            return []
        lines = language.draw_lines(chance, len(drawn.data))
        self.totals.commands += 2 * len(lines)
        return lines

    def _guarded(self, number: int, drawn: Input, lines: list[str], behaviour: Behaviour) -> None:
        if number % _WATCHED == 0:
            signal.setitimer(signal.ITIMER_PROF, _TOO_LONG)
        try:
            self._check(number, drawn, lines, behaviour)
        except (Exception, TooSlow) as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            self._fail(number, drawn, lines, error)

    def _check(self, number: int, drawn: Input, lines: list[str], behaviour: Behaviour) -> None:
        is_opened = False
        with behaviour.only_trail_error("open"), TrailFile(self.path) as trail:
            is_opened = True
            records = codec.compare(trail, _BATCH_SIZES[number % len(_BATCH_SIZES)], behaviour)
            if drawn.intact is not None:
                codec.find_intact(records, drawn.intact)
            if number % self._shares.decoded == 0:
                codec.decode(trail, records, behaviour)
            if number % self._shares.followed == 0:
                codec.follow(trail, behaviour)
                codec.compare_transactions(trail)
        assert is_opened or not drawn.intact, "a file with intact records is not opened"
        if lines:
            language.run_lines(self.path, lines, behaviour)

    def _measure(self, number: int, drawn: Input, lines: list[str]) -> None:
        """Try an input twice more that seemed slow: neither other processes nor the fuzzer's own garbage count."""
        taken = min(self._timed(number, drawn, lines) for _ in range(2))
        if taken > self.totals.slowest:
            self.totals.slowest, self.totals.slowest_number = taken, number
            if taken > _SLOW:
                self._keep("slow", number, drawn, lines, f"{taken:.2f} s")

    def _timed(self, number: int, drawn: Input, lines: list[str]) -> float:
        codec.forget()
        begun = time.process_time()
        with contextlib.suppress(Exception, TooSlow):
            self._check(number, drawn, lines, Behaviour())
        return time.process_time() - begun

    def _kill(self, number: int, drawn: Input, chance: Random) -> None:
        seed, kill = chance.choice(self._corpus.seeds), kills.draw(chance)
        self._write(seed.data, is_fresh=True)
        try:
            self.totals.kills += kills.check(self._work / "kill", self.path, kill)
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(number, drawn._replace(data=seed.data), [], error, kill)

    def _fail(
        self, number: int, drawn: Input, lines: list[str], error: BaseException, kill: kills.Kill | None = None
    ) -> None:
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} {Path(place.filename).name}:{place.lineno}"
        self.totals.failures += 1
        self.totals.by_kind[kind] = self.totals.by_kind.get(kind, 0) + 1
        if self.totals.by_kind[kind] <= _MOST_OF_A_KIND:
            self._keep("failures", number, drawn, lines, "".join(traceback.format_exception(error)), kill)

    def _keep(
        self, kind: str, number: int, drawn: Input, lines: list[str], text: str, kill: kills.Kill | None = None
    ) -> None:
        """Write an input, and beside it what it takes to try it again."""
        folder = self._home / kind
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / hashlib.sha256(drawn.data + repr(lines).encode()).hexdigest()[:16]
        path.write_bytes(drawn.data)
        about = {"seed": self._seed, "number": number, "kinds": drawn.kinds, "lines": lines, "kill": kill, "text": text}
        path.with_suffix(".json").write_text(json.dumps(about, indent=1))


def try_again(path: Path, work: Path) -> None:
    """Try an input that was kept, with its commands, or any other file with commands drawn anew."""
    language.prepare(work)
    here = work / _NAME
    here.write_bytes(path.read_bytes())
    about = path.with_suffix(".json")
    chance = Random(path.stat().st_size)
    known = json.loads(about.read_text()) if about.is_file() else {}
    if known.get("kill"):
        kills.check(work / "kill", here, kills.Kill(*known["kill"]))
    lines = known.get("lines")
    with _alarm():
        signal.setitimer(signal.ITIMER_PROF, _TOO_LONG)
        codec.walk(here)
        for size in sorted(set(_BATCH_SIZES)):
            with contextlib.suppress(NotATrail), TrailFile(here) as trail:
                codec.compare(trail, size, Behaviour())
                codec.compare_transactions(trail)
        for drawn_lines in [lines] if lines else [language.draw_lines(chance, here.stat().st_size) for _ in range(20)]:
            language.run_lines(here, drawn_lines, Behaviour())


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise TooSlow

    former = signal.signal(signal.SIGPROF, give_up)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)
