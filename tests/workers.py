"""Runs the tests in several processes: ``pytest --workers 3``.

The tests are collected once, and each worker is a fork, so that nothing is imported or collected again. Groups of tests
that share fixtures go, whole and in order, to whichever worker is free.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

import pytest

_FORKED = multiprocessing.get_context("fork")
_WIDE = 4
"""The bytes of the number of a group in the pipe of those that wait."""


class Workers:
    """Processes that run groups of tests, each test once; one that is not reported fails.

    Args:
        session: its tests are collected.
        groups: what goes to one worker together, in the order in which they are begun.
    """

    def __init__(self, session: pytest.Session, groups: Sequence[Sequence[pytest.Item]]) -> None:
        self._session = session
        self._groups = groups
        self._left = {item.nodeid: item for item in session.items}
        self._stops = mmap.mmap(-1, 1)
        """A byte that all processes share: whether no other test is to begin."""
        self._waiting, begun = os.pipe()
        os.write(begun, b"".join(number.to_bytes(_WIDE) for number in range(len(groups))))
        os.close(begun)
        self._home = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self._parent = os.getpid()
        self._workers: dict[Connection, BaseProcess] = {}
        self._begun = 0
        self._codes: list[int | None] = []

    def run(self, number: int) -> None:
        """Run all tests by so many workers, and report them."""
        try:
            for _ in range(number):
                self._start()
            while self._workers:
                for ready in wait(list(self._workers)):
                    self._take(cast("Connection", ready))
        finally:
            stopped, self._stops[0] = self._stops[0], True
            for pipe, process in self._workers.items():
                pipe.close()
                process.join()
            os.close(self._waiting)
        if not stopped:
            for item in list(self._left.values()):
                why = f"it did not run to its end: workers ended with {self._codes}"
                self._report([pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")])
        if self._codes and not self._session.testsfailed:
            raise self._session.Failed(f"workers ended with {self._codes}")

    def _start(self) -> None:
        ours, theirs = _FORKED.Pipe(duplex=False)
        process = _FORKED.Process(target=self._work, args=(ours, theirs, self._home / f"{self._begun}"))
        process.start()
        theirs.close()
        self._workers[ours] = process
        self._begun += 1

    def _take(self, pipe: Connection) -> None:
        """Report a test, with all its phases; a worker that ends inside one has another take the groups that wait."""
        config = self._session.config
        try:
            taken = pipe.recv()
        except EOFError:
            taken = None
        if taken is not None:
            self._report([config.hook.pytest_report_from_serializable(config=config, data=one) for one in taken])
            return
        process = self._workers.pop(pipe)
        process.join()
        if process.exitcode:
            self._codes.append(process.exitcode)
            if not self._stops[0] and len(self._codes) <= len(self._groups):
                self._start()

    def _report(self, reports: list[pytest.TestReport]) -> None:
        hook = self._session.config.hook
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=reports[-1].nodeid, location=reports[-1].location)
        del self._left[reports[-1].nodeid]
        if self._session.shouldfail or self._session.shouldstop:
            self._stops[0] = True

    def _work(self, ours: Connection, pipe: Connection, home: Any) -> None:
        """Run groups until none waits; all that a worker does."""
        session, config = self._session, self._session.config
        for other in (*self._workers, ours):
            other.close()
        _have_own_output(config)
        home.mkdir(mode=0o700)
        config._tmp_path_factory._basetemp = home  # type: ignore[attr-defined]
        config.pluginmanager.register(reports := _Reports(), "reports of a worker")
        try:
            for item, following in self._tests():
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                taken = reports.taken()
                pipe.send([config.hook.pytest_report_to_serializable(config=config, report=one) for one in taken])
        finally:
            session._setupstate.teardown_exact(None)

    def _tests(self) -> Iterator[tuple[pytest.Item, object]]:
        """Tests that no other worker runs, with the next one; after the last one of a group its fixtures end."""
        while number := os.read(self._waiting, _WIDE):
            group = self._groups[int.from_bytes(number)]
            for item, following in zip(group, [*group[1:], self._session], strict=True):
                if self._stops[0] or os.getppid() != self._parent:
                    return
                yield item, following


class _Reports:
    """The reports of one test, in the worker that runs it."""

    def __init__(self) -> None:
        self._reports: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)

    def taken(self) -> list[pytest.TestReport]:
        taken, self._reports = self._reports, []
        return taken


def _have_own_output(config: pytest.Config) -> None:
    """Captured output goes to files of this process; what is reported is printed by the process that began it."""
    config.pluginmanager.unregister(name="terminalreporter")
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture(in_=True)
