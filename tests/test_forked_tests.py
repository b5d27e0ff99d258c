"""Tests that run in forks of one process: what the kit of mistakes is told of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts.marked import ROOT
from scripts.plant_mistakes import Mistake, sample

PASSES = "def test_passes() -> None:\n    pass\n"
FAILS = "def test_fails() -> None:\n    assert False\n"
HANGS = "import time\n\ndef test_hangs() -> None:\n    time.sleep(600)\n"
READS = "from number import NUMBER\n\ndef test_reads() -> None:\n    assert NUMBER == 1\n"
DRAWS = "import os\n\ndef test_draws() -> None:\n    assert os.environ['SEED'] == '7'\n"
LEAVES = (
    "import subprocess, sys\n\ndef test_leaves() -> None:\n"
    "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])\n    assert False\n"
)


Ask = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def answers(folder: Path) -> Iterator[Ask]:
    """Sends requests to the one process of all these tests, and returns its answers.

    ``number.py`` is ``between`` after the first of them.
    """
    log = folder / "log"
    with subprocess.Popen(
        [sys.executable, "-m", "scripts.forked_tests"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": f"{ROOT}:{folder}", "PATH": "/usr/bin:/bin"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requested, answered = process.stdin, process.stdout

        def ask(*requests: Sequence[str], between: str = "", seconds: int = 100) -> list[dict[str, Any]]:
            told = []
            for names in requests:
                words = ["-x", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", "-c", "/dev/null"]
                words += [str(folder / name) for name in names]
                request = {"words": words, "seed": "7", "seconds": seconds, "log": str(log)}
                requested.write(json.dumps(request) + "\n")
                requested.flush()
                told.append(json.loads(answered.readline()))
                if between:
                    (folder / "number.py").write_text(between)
            return told

        yield ask
        process.stdin.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tests of several fates."""
    tmp_path = tmp_path_factory.mktemp("forked")
    texts = {"passes": PASSES, "fails": FAILS, "hangs": HANGS, "reads": READS, "draws": DRAWS, "leaves": LEAVES}
    for name, text in texts.items():
        (tmp_path / f"test_{name}.py").write_text(text)
    (tmp_path / "test_broken.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "number.py").write_text("NUMBER = 1\n")
    return tmp_path


def test_the_first_test_that_fails_is_told_and_the_process_goes_on(answers: Ask) -> None:
    names = ["passes", "fails", "broken", "draws", "leaves", "passes"]
    told = answers(*([f"test_{name}.py"] for name in names))
    assert [(answer["status"], answer["failed"]) for answer in told] == [
        (0, ""),
        (1, "test_fails.py::test_fails"),
        (2, "test_broken.py"),
        (0, ""),
        (1, "test_leaves.py::test_leaves"),
        (0, ""),
    ]


def test_of_several_failures_the_first_is_told(answers: Ask) -> None:
    (told,) = answers(["test_passes.py", "test_leaves.py", "test_fails.py"])
    assert told["failed"] == "test_leaves.py::test_leaves"


def test_tests_that_hang_are_killed_and_no_test_is_named(answers: Ask) -> None:
    (hanging,) = answers(["test_hangs.py"], seconds=2)
    assert hanging == {"status": -9, "failed": ""}


def test_each_request_reads_the_sources_anew(answers: Ask) -> None:
    told = answers(["test_reads.py"], ["test_reads.py"], between="NUMBER = 22\n")
    assert [answer["status"] for answer in told] == [0, 1]


def test_a_file_of_tests_that_is_missing_is_no_failed_test(answers: Ask) -> None:
    (told,) = answers(["test_missing.py"])
    assert told["failed"] == ""
    assert told["status"] > 1


def test_a_sample_has_so_many_of_each_room_and_none_twice() -> None:
    mistakes = [
        Mistake(room, str(number), "flag", "f.py", "a", "b", ())
        for room, size in (("diff", 9), ("row", 2), ("count", 3))
        for number in range(size)
    ]
    drawn = sample(mistakes, 3)
    assert len(set(drawn)) == len(drawn)
    assert sorted(mistake.room for mistake in drawn) == ["count"] * 3 + ["diff"] * 3 + ["row"] * 2
    assert sample(mistakes, None) == mistakes
