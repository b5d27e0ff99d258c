"""SAVE and EXPORT killed: their target is absent or whole, and the next command leaves nothing of theirs.

As a program it runs in a process of its own: a writing command twice, and the second time it kills itself (SIGKILL)
after a drawn share of the calls that the first time took; a call into the system begins and ends as any other.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.session.session import Session

ROOT = Path(__file__).parents[2]
_TARGET = "target"
_COMMANDS = (
    *("save target", "save target !", "export jsonl to target replace", "export csv to target replace"),
    *("export sql to target replace", "export parquet to target replace", "export arrow to target"),
    *("export jsonl to target by table replace", "export csv to target by table replace"),
)
_SLOW = 60
Contents = dict[str, bytes]


class Kill(NamedTuple):
    """A command, the share of its calls after which it is killed, and whether its target is there before."""

    command: str
    share: float
    is_there: bool


def draw(chance: Random) -> Kill:
    """Any of them."""
    command = chance.choice(_COMMANDS)
    return Kill(command, chance.random(), command.endswith(("!", "replace")) and chance.random() < 0.5)


def check(folder: Path, trail: Path, kill: Kill) -> bool:
    """Kill a command that writes in ``folder``, which is there for it alone; whether it was killed before its end."""
    folder.mkdir(parents=True, exist_ok=True)
    command, share = kill.command, kill.share
    arguments = [str(folder), str(trail), command, str(share), str(int(kill.is_there))]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.kills", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=_SLOW,
        cwd=ROOT,
    )
    assert done.returncode in (-signal.SIGKILL, 0), (command, done.returncode, done.stderr)
    report = json.loads(done.stdout)
    expected = {name: bytes.fromhex(data) for name, data in report["expected"].items()}
    old = {name: bytes.fromhex(data) for name, data in report["old"].items()}
    found = _contents(folder / _TARGET)
    assert found in (expected, old, {}), f"{command} at {share}: the target is neither absent nor whole"
    assert found or not old or "by table" in command, f"{command} at {share}: what was to be replaced is gone"
    left = Session()
    left.open(trail)
    list(run_line(left, REGISTRY, f"save {folder / 'next'}"))
    left.end()
    names = {path.name for path in folder.iterdir()} - {_TARGET, "next"}
    assert not names, f"{command} at {share}: left behind: {names}"
    assert _contents(folder / _TARGET) in (expected, old), f"{command} at {share}: not whole after the next command"
    shutil.rmtree(folder)
    return done.returncode != 0


def _contents(target: Path) -> Contents:
    if target.is_file():
        return {"": target.read_bytes()}
    return {path.name: path.read_bytes() for path in target.rglob("*")}


class _Calls:
    """Counts calls, and ends the process at one of them."""

    def __init__(self, last: int | None = None) -> None:
        self.number = 0
        self._last = last

    def __call__(self, *_: object) -> None:
        self.number += 1
        if self.number == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def _run(command: str, calls: _Calls) -> None:
    session = Session()
    session.open(Path(sys.argv[2]))
    sys.setprofile(calls)
    try:
        list(run_line(session, REGISTRY, command))
    finally:
        sys.setprofile(None)
    session.end()


def _main(folder: Path, command: str, share: float, *, is_there: bool) -> None:
    os.chdir(folder)
    target = Path(_TARGET)
    old: Contents = {}
    _run(command, _Calls())  # loads what the command needs, which is not its work
    expected = _contents(target)
    if is_there:
        old = _make_old(target)
    else:
        _remove(target)
    _run(command, calls := _Calls())
    _remove(target)
    if is_there:
        old = _make_old(target, expected)
    sides = {"expected": expected, "old": old}
    print(json.dumps({side: {name: data.hex() for name, data in files.items()} for side, files in sides.items()}))  # noqa: T201
    sys.stdout.flush()
    _run(command, _Calls(max(1, int(share * calls.number))))


def _remove(target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def _make_old(target: Path, like: Contents | None = None) -> Contents:
    """Put something else in the place of the target, of the same kind."""
    like = _contents(target) if like is None else like
    _remove(target)
    if "" in like:
        target.write_bytes(b"old")
    elif like:
        target.mkdir()
        for name in like:
            (target / name).write_bytes(b"old")
    return _contents(target)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[3], float(sys.argv[4]), is_there=sys.argv[5] == "1")
