"""Damage in the later files of two trails is told alike by kernels, native and interpreted, at the same places."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import WAYS, Kernels, run
from tests.logdump.line import Line
from tests.searching import examples
from tests.simulated.pairs import drawn, written

COMMANDS = ("diff {a} {b}", "diff {a} {b} values", "open {first}; explain restart", "open {first}; explain lag")


def _damage(path: Path, random: Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(random.randint(1, 2)):
        at, length = random.randrange(len(content)), random.choice((1, 2, 8, 40, 128, 300))
        content[at : at + length] = random.choice((bytes(length), random.randbytes(length), b""))
    path.write_bytes(content)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(8), deadline=None)
def test_machine_code_and_interpreter_tell_the_same_of_damaged_trails(seed: int) -> None:
    random = Random(seed)
    transactions = drawn(random, 10)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fewer = [one for one in transactions if random.random() < 0.9] or transactions
        places = {
            "a": written(folder / "a", transactions, cuts=Random(seed)),
            "b": written(folder / "b", fewer, cuts=Random(seed + 1)),
        }
        files = [sorted((folder / side).iterdir()) for side in places]
        for path in (*files[0][1:], *files[1][1:]):
            _damage(path, random)
        for command in COMMANDS:
            said = [_said(command.format(**places, first=files[0][0]), way) for way in WAYS]
            assert said[0] == said[-1], command


def _said(command: str, way: Kernels) -> list[str]:
    with run(way):
        return Line()(command)
