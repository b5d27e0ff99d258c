"""``pytest --workers``: each test is reported once, whatever happens to the process that runs it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.logdump.program import ENVIRONMENT

_CONFTEST = """
from itertools import groupby

import pytest

from tests.workers import Workers


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    yield
    (tmp_path_factory.getbasetemp() / "ended").touch()


def pytest_runtestloop(session):
    Workers(session, [list(group) for _, group in groupby(session.items, lambda item: item.path)]).run(2)
    return True
"""
_TESTS = """
import os
import time

import pytest


@pytest.mark.parametrize("number", range(5))
def test_sound(number, kept):
    print("not shown")


def test_wrong(tmp_path):
    print(f"shown of {tmp_path.parent.parent.name}")
    os.system("echo by a process")
    time.sleep(0.2)  # the other worker captures output at the same time
    raise AssertionError


@pytest.mark.skip
def test_left_out():
    raise AssertionError


@pytest.fixture
def broken():
    yield
    raise KeyError


def test_of_a_fixture_that_ends_badly(broken):
    pass
"""
_KILLED = "\n\ndef test_killed():\n    os.kill(os.getpid(), 9)\n\n\ndef test_after_it():\n    pass\n"

_SLOW = "\n\n@pytest.mark.parametrize('number', range(200))\ndef test_slow(number):\n    time.sleep(0.02)\n"


def _run(folder: Path, *options: str) -> str:
    (folder / "conftest.py").write_text(_CONFTEST)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={folder / 'base'}", *options]
    return subprocess.run([*command, "."], cwd=folder, capture_output=True, text=True, env=ENVIRONMENT).stdout  # noqa: PLW1510


def test_each_test_of_each_module_is_reported_once(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"test_{name}.py").write_text(_TESTS)
    printed = _run(tmp_path, "-rA")
    assert re.search(r"\b4 failed, 24 passed, 4 skipped, 4 errors in ", printed)
    assert printed.count("\nby a process\n") == 4
    assert "\nPASSED test_d.py::test_sound[4]\n" in printed
    assert [path.name for path in (tmp_path / "base").glob("*/ended")] == ["ended"] * 2


def test_a_worker_that_is_killed_fails_its_tests_and_no_others(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"test_{name}.py").write_text(_TESTS + _KILLED * (name in "ac"))
    printed = _run(tmp_path)
    assert re.search(r"\b8 failed, 24 passed, 4 skipped, 4 errors in ", printed)
    for name in "ac":
        for test in ("test_killed", "test_after_it"):
            assert f"FAILED test_{name}.py::{test} - it did not run to its end" in printed


def test_after_the_first_failure_the_tests_that_wait_are_left(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(_TESTS + _SLOW)
    found = re.search(r"\b1 failed, (\d+) passed", _run(tmp_path, "-x"))
    assert found
    assert 5 <= int(found[1]) < 205
