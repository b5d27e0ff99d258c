"""Playing a script: in a copy of the fixtures' trails, in GMT, with placeholders for what differs between machines."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.cli import main
from tests.simulated.bounded_recovery import write_diagrams
from tests.simulated.late_replication import write_explained

FOLDER = Path(__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.in"))
_MODIFIED = 1_710_500_000
"""The modification time of every trail in the copy: 2024-03-15 10:53:20 GMT."""
_ZONES = {"conversions": "PST8PDT"}
"""The scripts that do not run at GMT: the manual's examples of conversions were made on the west coast."""
_DRAWN = {"br": write_diagrams, "explain": write_explained}
"""What is written beside the copy of the trails for a script."""
WITH_PROGRAMS = {"log", "shell"}
"""The scripts whose programs print by themselves."""
_THIS_YEAR_ON = r"20(?:2[5-9]|[3-9]\d)"
_CHANGES = (
    (re.compile(r"(Version             : ).*"), r"\1<version>"),
    (re.compile(r"^(Version ).*$", re.MULTILINE), r"\1<version>"),
    (re.compile(r"^((?:Local System|Metadata Byte Order) *: ).*$", re.MULTILINE), r"\1<order>"),
    (re.compile(rf"{_THIS_YEAR_ON}[/-]\d\d[/-]\d\d \d\d:\d\d:\d\d(?:\.\d{{3}}\.\d{{3}})?"), "<now>"),
    (re.compile(rf"\w{{3}} \w{{3}} [ \d]\d \d\d:\d\d:\d\d {_THIS_YEAR_ON}"), "<now>"),
    (re.compile(r"JulianTimestamp 21(?:2[6-9]|[3-9]\d)\d{14}"), "JulianTimestamp <now>"),
    (re.compile(r"timestamp  = 1[7-9]\d{8} \(0x\w+\)"), "timestamp  = <now>"),
    (re.compile(r"^logdump \d.*\n.*-endian\nconstruct .*$", re.MULTILINE), "<versions>"),
    (re.compile(r"(GGSComment +Len) .*"), r"\1 <n> RBA <n>"),
    (re.compile(r"\d+ MB/s here"), "<n> MB/s here"),
    (re.compile(r"\d+\.\d:1, (\d+ bytes become) \d+, \d+% less"), r"<n>:1, \1 <n>, <n>% less"),
    (re.compile(r'("compressed":)\d+(,"ratio":)[\d.]+'), r"\1<n>\2<n>"),
    (re.compile(r'("seconds":)[\d.e-]+(,"sampled")'), r"\1<n>\2"),
    (re.compile(r"(Avg Hash lookup time) +\d+"), r"\1 <time>"),
)


def steady(text: str, folder: Path) -> str:
    """``text`` with a placeholder for whatever differs between machines and days; ``folder`` becomes /trails."""
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return text.replace(str(folder), "/trails").replace(str(folder.parent), "/")


def copy_of_trails(folder: Path, script: Path | None = None) -> Path:
    """A copy of the fixtures' trails in ``folder``, all of one age, and beside them what a script needs."""
    copy = folder.resolve() / "trails"
    copy.mkdir()
    for path in (*TRAILS.iterdir(), *(FOLDER / "obey").iterdir()):
        (copy / path.name).write_bytes(path.read_bytes())
        os.utime(copy / path.name, (_MODIFIED, _MODIFIED))
    if script is not None and script.stem in _DRAWN:
        _DRAWN[script.stem](copy)
    return copy


def environment(script: Path, folder: Path) -> dict[str, str]:
    """The variables of a session: its zone, and no files of whoever runs the tests."""
    return {
        **os.environ,
        "TZ": _ZONES.get(script.stem, "GMT"),
        "HOME": str(folder),
        "LOGDUMP_HISTORY": "",
        "PYTHONIOENCODING": "utf-8",
    }


@contextmanager
def _set_up(script: Path, out: io.TextIOWrapper, folder: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(script, folder).items():
            patch.setenv(name, value)
        time.tzset()
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(script.read_bytes()), encoding="utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", out)
        yield
    time.tzset()


def play(script: Path, folder: Path) -> str:
    """What logdump answers to the script, both its streams as one; in this process, where that is possible."""
    if script.stem in WITH_PROGRAMS:
        return play_from_outside(script, folder)
    trails = copy_of_trails(folder, script)
    answer = io.BytesIO()
    out = io.TextIOWrapper(answer, encoding="utf-8", write_through=True)
    with _set_up(script, out, trails):
        main([])
    return steady(answer.getvalue().decode(), trails)


def play_from_outside(script: Path, folder: Path) -> str:
    """The same by a process of its own."""
    trails = copy_of_trails(folder, script)
    done = subprocess.run(
        [sys.executable, "-m", "logdump"],
        input=script.read_bytes(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=trails,
        env={**environment(script, trails), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        check=True,
        timeout=60,
    )
    return steady(done.stdout.decode(), trails)
