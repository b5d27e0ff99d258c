"""``python -m scripts.forked_tests``: run tests in forks of one process that has loaded the packages that they need.

A program that runs small sets of tests some thousand times starts this once, in the folder whose tests they are. Each
line of its input is a request, a JSON object: ``words`` for pytest, ``seed`` of the draws, ``seconds`` after which the
tests count as hanging, ``log`` for what they print. Each line of its output is the answer: ``status`` (of pytest, or
minus the number of the signal that ended it) and ``failed``, the first test that failed or the file that was not
loaded, empty if none.
No module of the repository is loaded before the fork, so that each request reads the sources anew.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any

import pytest

LOADED_BEFORE = ("hypothesis", "hypothesis.strategies", "numpy", "construct", "textual.app", "textual.widgets")
"""Packages that most tests load, which start no thread and keep no state of a run."""


_LOADED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""A plugin that is loaded before the fork is told as a warning, which is an error here."""
_NO_RUN = 3
"""What pytest ends with after an error of its own."""


class FirstFailure:
    """A plugin of pytest that writes the first test that failed, or the file that was not loaded, into a pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that failed."""
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that was not loaded."""
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and self._pipe >= 0:
            os.write(self._pipe, report.nodeid.encode())
            os.close(self._pipe)
            self._pipe = -1


def main() -> int:
    """Answer requests until the input ends."""
    for name in LOADED_BEFORE:
        importlib.import_module(name)
    for line in sys.stdin:
        answer = json.dumps(answered(json.loads(line)))
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()
    return 0


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """Run the tests of a request in a fork; return its answer."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os._exit(_run(request["words"], request["seed"], request["log"], FirstFailure(writing)))
    os.close(writing)
    hanging = threading.Timer(request["seconds"], os.killpg, (child, signal.SIGKILL))
    os.setpgid(child, child)
    hanging.start()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    hanging.cancel()
    os.set_blocking(reading, False)  # a program that outlives its test may hold the other end
    with os.fdopen(reading, "rb") as pipe:
        failed = (pipe.read() or b"").decode()
    return {"status": status, "failed": failed}


def _run(words: Sequence[str], seed: str, log: str, first_failure: FirstFailure) -> int:
    try:
        os.setpgid(0, 0)
        os.environ["SEED"] = seed
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        return int(pytest.main([*_LOADED, *words], plugins=[first_failure]))
    except BaseException:  # noqa: BLE001 - a fork never goes on in the loop of its parent
        traceback.print_exc()
        return _NO_RUN
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    raise SystemExit(main())
