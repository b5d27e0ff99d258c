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
from typing import Any, NamedTuple, cast

import pytest

_FORKED = multiprocessing.get_context("fork")
_WIDE = 4
"""The bytes of a number: of a group that waits, of the test that a worker runs."""


class _Worker(NamedTuple):
    """A process, and the place in the shared memory of the number of the test that it runs."""

    process: BaseProcess
    place: slice


class Workers:
    """Processes that run groups of tests, each test once.

    Args:
        session: its tests are collected.
        groups: what goes to one worker together, in the order in which they are begun.
    """

    def __init__(self, session: pytest.Session, groups: Sequence[Sequence[pytest.Item]]) -> None:
        self._session = session
        self._groups = groups
        self._numbers = {item.nodeid: number for number, item in enumerate(session.items)}
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)
        """Whether to stop, then the number of the test that each worker runs."""
        self._waiting, begun = os.pipe()
        os.write(begun, b"".join(number.to_bytes(_WIDE) for number in range(len(groups))))
        os.close(begun)
        self._home = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self._parent = os.getpid()
        self._workers: dict[Connection, _Worker] = {}

    def run(self, number: int) -> None:
        """Run all tests by so many workers, and report them."""
        try:
            for at in range(number):
                self._start(at)
            while self._workers:
                for ready in wait(list(self._workers)):
                    self._take(cast("Connection", ready))
        finally:
            self._shared[0] = True
            for pipe, worker in self._workers.items():
                pipe.close()
                worker.process.join()
            os.close(self._waiting)

    def _start(self, at: int) -> None:
        ours, theirs = _FORKED.Pipe(duplex=False)
        place = slice(_WIDE * (at + 1), _WIDE * (at + 2))
        process = _FORKED.Process(target=self._work, args=(ours, theirs, place, self._home / f"{at}"))
        process.start()
        theirs.close()
        self._workers[ours] = _Worker(process, place)

    def _take(self, pipe: Connection) -> None:
        """Report a test, with all its phases."""
        session, config = self._session, self._session.config
        try:
            taken = pipe.recv()
        except EOFError:
            taken = None
        if taken is None:
            reports = self._end_of(self._workers.pop(pipe))
        else:
            reports = [config.hook.pytest_report_from_serializable(config=config, data=one) for one in taken]
        for report in reports:
            config.hook.pytest_runtest_logreport(report=report)
        for report in reports[-1:]:
            config.hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
        if session.shouldfail or session.shouldstop:
            self._shared[0] = True

    def _end_of(self, worker: _Worker) -> list[pytest.TestReport]:
        """Where a worker has ended inside a test, that is a failure, and another worker takes the groups that wait."""
        worker.process.join()
        code = worker.process.exitcode
        if code == 0:
            return []
        item = self._session.items[int.from_bytes(self._shared[worker.place])]
        if not self._shared[0]:
            self._start(worker.place.start // _WIDE - 1)
        why = f"the worker ended with {code} in this test or after it; the tests that follow in its group did not run"
        return [pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")]

    def _work(self, ours: Connection, pipe: Connection, place: slice, home: Any) -> None:
        """Run groups until none waits; all that a worker does."""
        session, config = self._session, self._session.config
        for other in (*self._workers, ours):
            other.close()
        _have_own_output(config)
        home.mkdir(mode=0o700, exist_ok=True)
        config._tmp_path_factory._basetemp = home  # type: ignore[attr-defined]
        config.pluginmanager.register(reports := _Reports(), "reports of a worker")
        try:
            for item, following in self._tests():
                self._shared[place] = self._numbers[item.nodeid].to_bytes(_WIDE)
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
                if self._shared[0] or os.getppid() != self._parent:
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
