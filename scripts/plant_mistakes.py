"""``python -m scripts.plant_mistakes [ROOM …]``: plant the mistakes of ``scripts/mistakes``, count those noticed.

A mistake is a wrong line that a competent developer could write. Each file of ``scripts/mistakes`` is a room: the tests
that must notice its mistakes, and for each mistake the lines as they are and as they would be wrong. A mistake is
planted in a copy of the repository, and the tests run until the first fails. Outcomes are kept by the contents of
everything that they depend on, so that a run goes on where the last one ended; ``--again`` plants all anew.
``--write`` puts the table of rooms into tests/robustness.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from scripts.marked import ROOT, table, with_content
from scripts.mutants import PAGE, copy_repository

MISTAKES = ROOT / "scripts" / "mistakes"
WORKSHOP = ROOT / "build" / "mistakes"
KEPT = WORKSHOP / "outcomes.json"
MARKER = "mistakes"
HEAD = ("room", "mistakes", "noticed", "not noticed", "no longer apply", "rate")
KINDS = ("order", "boundary", "state", "wrong one", "flag")
"""Kinds of mistakes: the order of rules or first and last of several; equality at a bound; what is kept between two
calls; the wrong one of two, any for all, a sign or a unit; a flag, a condition or a default that is dropped."""
NOTICED, PASSED, STALE = "noticed", "not noticed", "no longer applies"
_LONGEST = 900
"""Seconds after which the tests of a mistake count as hanging, which is noticed."""


class Mistake(NamedTuple):
    """A wrong line: ``was`` stands once in ``file``; ``tests`` are the files and folders that must notice it."""

    room: str
    name: str
    kind: str
    file: str
    was: str
    becomes: str
    tests: tuple[str, ...]

    def planted(self, source: str) -> str | None:
        """Return the source with the mistake; None if its line does not stand there exactly once."""
        return source.replace(self.was, self.becomes) if source.count(self.was) == 1 else None


def main(*arguments: str) -> int:
    """Plant the mistakes of the chosen rooms; return 1 if one is not noticed or no longer applies."""
    parser = argparse.ArgumentParser(prog="python -m scripts.plant_mistakes")
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    parser.add_argument("--again", action="store_true", help="plant those too whose outcome is known")
    parser.add_argument("--write", action="store_true", help="put the table into tests/robustness.md")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args(arguments or sys.argv[1:])
    mistakes = [mistake for mistake in every_mistake() if not chosen.rooms or mistake.room in chosen.rooms]
    kept = {} if chosen.again else outcomes()
    keys = {mistake: digest(mistake) for mistake in mistakes}  # of the files as they are copied, not as they are later
    for mistake, outcome in planted([mistake for mistake in mistakes if keys[mistake] not in kept], chosen.workers):
        kept[keys[mistake]] = outcome
        KEPT.write_text(json.dumps(kept, indent=0), encoding="utf-8")
        sys.stderr.write(f"{outcome}: {mistake.room}: {mistake.name}\n")
    told = {mistake: kept[key] for mistake, key in keys.items()}
    rows = list(rows_of(told))
    sys.stdout.write(table(HEAD, rows) + "\n")
    for mistake, outcome in told.items():
        if outcome != NOTICED:
            sys.stdout.write(f"{outcome}: {mistake.room}: {mistake.name} ({mistake.file})\n")
    if chosen.write and not chosen.rooms:
        PAGE.write_text(with_content(PAGE.read_text(encoding="utf-8"), MARKER, table(HEAD, rows)), encoding="utf-8")
    return int(any(outcome != NOTICED for outcome in told.values()))


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
            yield Mistake(path.stem, entry["name"], entry["kind"], entry["file"], entry["was"], entry["becomes"], tests)


def outcomes() -> dict[str, str]:
    """Return the outcomes of the runs before by digest of the mistake."""
    return dict(json.loads(KEPT.read_text(encoding="utf-8"))) if KEPT.exists() else {}


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


def planted(mistakes: Sequence[Mistake], workers: int) -> Iterator[tuple[Mistake, str]]:
    """Plant mistakes, ``workers`` of them at a time, each in its own copy of the repository; yield their outcomes."""
    if not mistakes:
        return
    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(workers):
        copies.put(_copy(WORKSHOP / f"copy{number}"))

    def run(mistake: Mistake) -> tuple[Mistake, str]:
        copy = copies.get()
        try:
            return mistake, _outcome(mistake, copy)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(run, mistakes)


def _copy(copy: Path) -> Path:
    """Make a copy of the repository with its kernels, and beside it the link to the shared material."""
    shutil.rmtree(copy, ignore_errors=True)
    copy_repository(copy / "repository")
    for path in (ROOT / "trailformat" / "native").glob("kernels.*"):
        shutil.copy2(path, copy / "repository" / "trailformat" / "native")
    if (ROOT.parent / "shared").exists():
        (copy / "shared").symlink_to(ROOT.parent / "shared")
    return copy / "repository"


def _outcome(mistake: Mistake, copy: Path) -> str:
    path = copy / mistake.file
    source = path.read_text(encoding="utf-8")
    wrong = mistake.planted(source)
    if wrong is None:
        return STALE
    try:
        path.write_text(wrong, encoding="utf-8")
        if mistake.file.startswith("trailformat/native"):
            _run(copy, "scripts.build_native")
        words = ("pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *mistake.tests)
        return PASSED if _run(copy, *words) == 0 else NOTICED
    finally:
        path.write_text(source, encoding="utf-8")
        if mistake.file.startswith("trailformat/native"):
            _run(copy, "scripts.build_native")


def _run(copy: Path, *words: str) -> int:
    """Return the status of a Python module in the copy; that of a hanging one is 1."""
    alone = {name: value for name, value in os.environ.items() if name not in ("SEED", "CI")}
    environment = {**alone, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", *words]
    with (copy.parent / "last.log").open("wb") as log:
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                command, cwd=copy, env=environment, stdout=log, stderr=log, check=False, timeout=_LONGEST
            )
        except subprocess.TimeoutExpired:
            return 1
    return done.returncode


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
