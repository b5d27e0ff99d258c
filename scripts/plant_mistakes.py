"""``python -m scripts.plant_mistakes [ROOM …]``: plant the mistakes of ``scripts/mistakes``, count those noticed.

A mistake is a wrong line that a competent developer could write. Each file of ``scripts/mistakes`` is a room: the tests
that must notice its mistakes, and for each mistake the lines as they are and as they would be wrong. A mistake is
planted in a copy of the repository, and the tests run until the first fails: the one that noticed it last time before
the others, the files that noticed others of the same source before those that noticed none. What fails without the
mistake too has noticed nothing. All draw by one seed, printed first
(``SEED`` chooses it). Outcomes are kept by the contents of everything that they depend on, so that a run goes on where
the last one ended; ``--again`` plants all anew. ``--write`` puts the table of rooms into tests/robustness.md, and the
tests that noticed the mistakes into ``noticed_by.json``. ``--sample N`` plants N of each room, drawn from those whose
outcome is not known.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import secrets
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NamedTuple, cast

from scripts.marked import ROOT, table, with_content
from scripts.mutants import PAGE, copy_repository

MISTAKES = ROOT / "scripts" / "mistakes"
NATIVE = ROOT / "trailformat" / "native"
WORKSHOP = ROOT / "build" / "mistakes"
KEPT = WORKSHOP / "outcomes.json"
NOTICED_BY = MISTAKES / "noticed_by.json"
"""The test that noticed each mistake, by room and name: it runs first the next time."""
MARKER = "mistakes"
HEAD = ("room", "mistakes", "noticed", "not noticed", "no longer apply", "rate")
KINDS = ("order", "boundary", "state", "wrong one", "flag")
"""Kinds of mistakes: the order of rules or first and last of several; equality at a bound; what is kept between two
calls; the wrong one of two, any for all, a sign or a unit; a flag, a condition or a default that is dropped."""
NOTICED, PASSED, STALE = "noticed", "not noticed", "no longer applies"
ANYWAY = "fails without it"
"""The outcome of a mistake whose tests fail without it too: it tells nothing, and is not kept."""
_HANGS = "hangs or dies"
_LONG_AGO = 1_000_000_000
"""A time before that of any file of the repository, which an archive can tell."""
_LIKELY = 3
"""How many files of tests run before the others."""
_LONGEST = 900
"""Seconds after which the tests of a mistake count as hanging, which is noticed, unless it has ``seconds`` itself."""


class Mistake(NamedTuple):
    """A wrong line.

    Attributes:
        was, becomes: the lines as they are, which stand once in ``file``, and as they would be wrong.
        tests: the files and folders that must notice it.
        seconds: after how many its tests count as hanging: few for a mistake that runs for ever.
    """

    room: str
    name: str
    kind: str
    file: str
    was: str
    becomes: str
    tests: tuple[str, ...]
    seconds: int = _LONGEST

    def planted(self, source: str) -> str | None:
        """Return the source with the mistake; None if its line does not stand there exactly once."""
        return source.replace(self.was, self.becomes) if source.count(self.was) == 1 else None


def main(*arguments: str) -> int:
    """Plant the mistakes of the chosen rooms; return 1 if one is not noticed or no longer applies."""
    parser = argparse.ArgumentParser(prog="python -m scripts.plant_mistakes")
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    parser.add_argument("--again", action="store_true", help="plant those too whose outcome is known")
    parser.add_argument("--write", action="store_true", help="put the table into tests/robustness.md")
    parser.add_argument("--sample", type=int, metavar="N", help="plant N of each room, in drawn order")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args(arguments or sys.argv[1:])
    mistakes = [mistake for mistake in every_mistake() if not chosen.rooms or mistake.room in chosen.rooms]
    kept = {} if chosen.again else outcomes()
    noticed_by = _read(NOTICED_BY) | _read(WORKSHOP / NOTICED_BY.name)
    keys = {mistake: digest(mistake) for mistake in mistakes}  # of the files as they are copied, not as they are later
    told = {mistake: kept[key] for mistake, key in keys.items() if key in kept}
    wanted = sample([mistake for mistake in mistakes if mistake not in told], chosen.sample)
    for mistake, outcome, test in planted(wanted, noticed_by, chosen.workers):
        told[mistake] = outcome
        if outcome != ANYWAY:
            kept[keys[mistake]] = outcome
            KEPT.write_text(json.dumps(kept, indent=0), encoding="utf-8")
        if outcome == NOTICED and test not in ("", _HANGS):
            noticed_by[_title(mistake)] = test
            (WORKSHOP / NOTICED_BY.name).write_text(json.dumps(noticed_by), encoding="utf-8")
        sys.stderr.write(f"{outcome}: {_title(mistake)}{f': {test}' if test else ''}\n")
    rows = list(rows_of(told))
    sys.stdout.write(table(HEAD, rows) + "\n")
    for mistake, outcome in told.items():
        if outcome != NOTICED:
            sys.stdout.write(f"{outcome}: {_title(mistake)} ({mistake.file})\n")
    if chosen.write and not chosen.rooms:
        PAGE.write_text(with_content(PAGE.read_text(encoding="utf-8"), MARKER, table(HEAD, rows)), encoding="utf-8")
        known = {title: noticed_by[title] for title in sorted(map(_title, mistakes)) if title in noticed_by}
        NOTICED_BY.write_text(json.dumps(known, indent=0) + "\n", encoding="utf-8")
    return int(any(outcome != NOTICED for outcome in told.values()))


def sample(mistakes: Sequence[Mistake], number: int | None) -> list[Mistake]:
    """Return ``number`` mistakes of each room, drawn, or all if it is None."""
    if number is None:
        return list(mistakes)
    rooms: dict[str, list[Mistake]] = {}
    for mistake in random.sample(mistakes, len(mistakes)):
        rooms.setdefault(mistake.room, []).append(mistake)
    rounds = zip_longest(*(room[:number] for room in rooms.values()))
    return [mistake for together in rounds for mistake in together if mistake is not None]


def _title(mistake: Mistake) -> str:
    return f"{mistake.room}: {mistake.name}"


def every_mistake() -> Iterator[Mistake]:
    """Yield the mistakes of all rooms.

    Raises:
        ValueError: a mistake has a kind that is none of KINDS.
    """
    for path in sorted(MISTAKES.glob("*.toml")):
        room = tomllib.loads(path.read_text(encoding="utf-8"))
        for entry in room["mistake"]:
            if entry["kind"] not in KINDS:
                raise ValueError(f"{path.name}: {entry['kind']} is no kind of mistake")
            tests = tuple(entry.get("tests", room["tests"]))
            lines = entry["file"], entry["was"], entry["becomes"]
            yield Mistake(path.stem, entry["name"], entry["kind"], *lines, tests, entry.get("seconds", _LONGEST))


def outcomes() -> dict[str, str]:
    """Return the outcomes of the runs before by digest of the mistake."""
    return _read(KEPT)


def _read(path: Path) -> dict[str, str]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def digest(mistake: Mistake) -> str:
    """Return a digest of a mistake, of the file that it is planted in, and of the tests that must notice it."""
    parts = [repr(mistake), _text(ROOT / mistake.file)]
    for name in mistake.tests:
        path = ROOT / name
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        parts += [_text(file) for file in files]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def planted(
    mistakes: Sequence[Mistake], noticed_by: Mapping[str, str], workers: int
) -> Iterator[tuple[Mistake, str, str]]:
    """Plant mistakes, ``workers`` of them at a time; yield each with its outcome and the test that failed."""
    if not mistakes:
        return
    seed = os.environ.get("SEED") or str(secrets.randbits(32))
    sys.stderr.write(f"SEED={seed}\n")
    copies: SimpleQueue[Copy] = SimpleQueue()
    made = [Copy(WORKSHOP / f"copy{number}", seed) for number in range(workers)]
    for copy in made:
        copies.put(copy)

    sources = {_title(mistake): mistake.file for mistake in every_mistake()}

    def run(mistake: Mistake) -> tuple[Mistake, str, str]:
        copy = copies.get()
        try:
            known = dict(noticed_by)
            same = Counter(
                test.partition("::")[0] for title, test in known.items() if sources.get(title) == mistake.file
            )
            return mistake, *copy.outcome(mistake, known.get(_title(mistake)), same)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(run, mistakes)
    for copy in made:
        copy.close()


class Copy:
    """A copy of the repository with its kernels and the link to the shared material; a process runs its tests."""

    def __init__(self, folder: Path, seed: str) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self._root = folder / "repository"
        copy_repository(self._root)
        for path in NATIVE.glob("kernels.*"):
            shutil.copy2(path, self._root / NATIVE.relative_to(ROOT))
        if (ROOT.parent / "shared").exists():
            (folder / "shared").symlink_to(ROOT.parent / "shared")
        self._seed = seed
        self._log = folder / "last.log"
        self._passed: dict[str, bool] = {}
        self._written = 0
        self._environment = {name: value for name, value in os.environ.items() if name not in ("SEED", "CI")}
        self._environment["PYTHONPATH"] = str(self._root)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scripts.forked_tests"],
            cwd=self._root,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._requests, self._answers = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)

    def close(self) -> None:
        """End the process of the tests."""
        self._process.communicate()

    def outcome(self, mistake: Mistake, first: str | None, noticing: Counter[str]) -> tuple[str, str]:
        """Plant a mistake, run its tests, and take it back.

        Args:
            mistake: the mistake.
            first: the test that noticed it last time, which runs before all others.
            noticing: how many mistakes of the same source each file of tests noticed; those with most run next.

        Returns:
            The outcome, and the test that failed, empty if none did.
        """
        path = self._root / mistake.file
        source = path.read_text(encoding="utf-8")
        wrong = mistake.planted(source)
        if wrong is None:
            return STALE, ""
        is_native = path.is_relative_to(self._root / NATIVE.relative_to(ROOT))
        try:
            self._write(path, wrong)
            if is_native and self._build():
                return NOTICED, ""
            seconds = mistake.seconds
            status, failed = self._run(first, seconds=seconds) if first else (0, "")
            if status >= 0 and not failed:  # it drew other cases than last time, or is gone
                likely = [file for file, _ in noticing.most_common(_LIKELY) if (self._root / file).is_file()]
                status, failed = self._run(*dict.fromkeys([*likely, *mistake.tests]), seconds=seconds)
        finally:
            self._write(path, source)
            if is_native:
                for kernels in NATIVE.glob("kernels.*"):
                    shutil.copy2(kernels, self._root / NATIVE.relative_to(ROOT))
        if status < 0:
            return NOTICED, _HANGS
        if not failed:
            return (PASSED if status == 0 else ANYWAY), ""
        return (NOTICED if self._passes(failed) else ANYWAY), failed

    def _write(self, path: Path, text: str) -> None:
        """Write a source with a time that it never had: the bytecode of another version is not taken for its own."""
        path.write_text(text, encoding="utf-8")
        self._written += 1
        os.utime(path, (_LONG_AGO + self._written, _LONG_AGO + self._written))

    def _build(self) -> int:
        words = [sys.executable, "-m", "scripts.build_native"]
        built = subprocess.run(words, cwd=self._root, env=self._environment, capture_output=True, check=False)  # noqa: S603
        return built.returncode

    def _passes(self, test: str) -> bool:
        """Tell whether a test passes without a mistake."""
        if test not in self._passed:
            self._passed[test] = self._run(test)[0] == 0
        return self._passed[test]

    def _run(self, *tests: str, seconds: int = _LONGEST) -> tuple[int, str]:
        """Run tests until one fails; return the status of pytest, below 0 if it was killed, and the one that failed."""
        words = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
        request = {"words": words, "seed": self._seed, "log": str(self._log), "seconds": seconds}
        self._requests.write(json.dumps(request) + "\n")
        self._requests.flush()
        answer = json.loads(self._answers.readline())
        return answer["status"], answer["failed"]


def rows_of(told: Mapping[Mistake, str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table: each room, each kind, and all of them, from the outcome of each mistake."""
    by_room: dict[str, Counter[str]] = {}
    for mistake, outcome in told.items():
        for name in (mistake.room, f"of kind: {mistake.kind}", "all"):
            by_room.setdefault(name, Counter())[outcome] += 1
    for name in sorted(by_room, key=lambda name: (name == "all", name.startswith("of kind"), name)):
        numbers = by_room[name]
        judged = numbers[NOTICED] + numbers[PASSED]
        rate = f"{numbers[NOTICED] / judged:.0%}" if judged else ""
        counts = (numbers.total(), numbers[NOTICED], numbers[PASSED], numbers[STALE])
        yield (name, *map(str, counts), rate)


if __name__ == "__main__":
    raise SystemExit(main())
