"""The threads beside the screen that read files, and the scans that they run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Protocol

from textual.message import Message

from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.reading.messages import ReadFailed, Scanned
from trailformat import CannotRead, TrailError
from trailformat.trail import command_files

Job = Callable[[], None]


class Background:
    """Runs jobs in order on a thread; of the jobs that wait under the same key only the newest is run.

    Jobs report by messages and must not raise.
    """

    def __init__(self, name: str) -> None:
        self._waiting: dict[str, Job] = {}
        self._changed = threading.Condition()
        self._is_running = self._is_closed = False
        self._thread = threading.Thread(target=self._work, name=f"logdump {name}", daemon=True)
        self._thread.start()

    def do(self, key: str, job: Job) -> None:
        """Run ``job`` after the waiting jobs; a job that waits under the same key is dropped."""
        with self._changed:
            self._waiting.pop(key, None)
            self._waiting[key] = job
            self._changed.notify_all()

    @property
    def ident(self) -> int:
        """The identifier of the thread."""
        return self._thread.ident or 0

    @property
    def is_idle(self) -> bool:
        """True if no job is running or waiting."""
        with self._changed:
            return not self._waiting and not self._is_running

    def close(self, seconds: float = 0.5) -> None:
        """Drop the waiting jobs and end the thread; a thread that hangs in a read is abandoned after ``seconds``."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(seconds)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                job()
            finally:
                with self._changed:
                    self._is_running = False

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if self._is_closed:
                return None
            self._is_running = True
            return self._waiting.pop(next(iter(self._waiting)))


Read = Callable[[Session], Message | None]


class Reader:
    """Answers requests about the open file with messages.

    Args:
        name: name of the thread.
        settings: the settings of the session shown on the screen; not changed here.
        post: takes the messages, from any thread.
    """

    def __init__(self, name: str, settings: Settings, post: Callable[[Message], object]) -> None:
        self._background = Background(name)
        self._session = Session()
        self._session.settings = settings
        self._post = post

    @property
    def is_idle(self) -> bool:
        """True if every request is answered."""
        return self._background.is_idle

    def open(self, path: Path | None) -> None:
        """Read from another file; None, or a file that cannot be opened: from none."""

        def open_it() -> None:
            self._session.close()
            if path is not None:
                self._answer(lambda session: self._opened(session, path))

        self._background.do("open", open_it)

    @staticmethod
    def _opened(session: Session, path: Path) -> None:
        session.open(path)

    def ask(self, key: str, read: Read) -> None:
        """Run ``read`` and post its message; a request that waits under the same key is dropped."""

        def answer() -> None:
            if self._session.has_trail:
                self._answer(read)
            else:
                self._post(ReadFailed("The file cannot be read any more. OPEN opens it again, or another one."))

        self._background.do(key, answer)

    def _answer(self, read: Read) -> None:
        try:
            try:
                message = read(self._session)
            except CannotRead:
                # a truncated file can be read now; any other failure is raised again
                message = read(self._session)
        except (TrailError, CannotRead, OSError) as error:
            message = ReadFailed(str(error))
        if message is not None:
            self._post(message)

    def close(self) -> None:
        """End the thread and close the file."""
        self._background.do("close", self._session.close)
        self._background.close()


INDEX, FILTER, OVER_TIME, OPEN_TRANSACTIONS = "index", "filter", "timeline", "open transactions"
SHAPE, FINDINGS = "strip", "findings"
"""The names of the scans: all rows of the file, rows that pass the filter, the file over time, long transactions of
the trail, the records over time, and the findings of DOCTOR.
"""
EVERY = 0.25


class Extended(Protocol):
    """The result of a scan, which is built step by step."""

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Continue reading the session's file; yield the progress, as an RBA or a number of records."""

    def lacks(self) -> Reading:
        """Return what is missing of the result, except for a stop by the user."""


class _EndedError(Exception):
    """The scan was given up or stopped."""


class _Watch:
    """Ends a scan from inside its reads, because one step of it may read all files of a trail."""

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self._is_over = is_over

    def check(self) -> None:
        """Raise _EndedError if the scan is over."""
        if self._is_over():
            raise _EndedError

    def announce(self, _paths: Iterable[Path]) -> None:
        """Check before files are read."""
        self.check()

    def report(self, _path: Path, _rba: int) -> None:
        """Check when a file has been read up to an RBA."""
        self.check()

    def search(self, _rba: int) -> None:
        """Check when a search for a good header has reached an RBA."""
        self.check()


class BackgroundScan:
    """One kind of scan of the open file; another file restarts it, the user can stop and continue it.

    Args:
        name: name of the scan in its messages.
        settings: settings of the session.
        post: takes the messages.

    Attributes:
        is_stopped: True if the user has stopped the scan.
        is_running: True from ``go_on`` to its end, or until it is given up or stopped.
    """

    def __init__(self, name: str, settings: Settings, post: Callable[[Message], object]) -> None:
        self._name = name
        self._post = post
        self._reader = Reader(name, settings, post)
        self._run = 0
        self.is_stopped = self.is_running = False

    @property
    def is_idle(self) -> bool:
        """True if no scan is running."""
        return self._reader.is_idle

    def open(self, path: Path | None) -> None:
        """Give up the running scan and switch to another file."""
        self.give_up()
        self._reader.open(path)

    def go_on(self, extended: Extended) -> None:
        """Start or continue the scan."""
        self._run += 1
        self.is_stopped, self.is_running = False, True
        run = self._run
        self._reader.ask("scan", lambda session: self._scan(session, extended, run))

    def give_up(self) -> None:
        """End the running scan and discard its result."""
        self.is_stopped = self.is_running = False
        self._run += 1

    def stop(self) -> None:
        """Stop the scan for the user and report what it has."""
        if not self.is_idle:
            self.is_stopped, self.is_running = True, False
            self._run += 1

    def _scan(self, session: Session, extended: Extended, run: int) -> Message | None:
        last_post, covered = time.monotonic(), 0
        watch = _Watch(lambda: self._run != run)
        try:
            with (
                command_files.search_observed(watch.search),
                command_files.observed(watch),
                closing(extended.extend(session)) as steps,
            ):
                for covered in steps:
                    watch.check()
                    if time.monotonic() - last_post >= EVERY:
                        last_post = time.monotonic()
                        self._post(Scanned(self._name, covered, session.trail.size, None))
        except _EndedError:
            if not self.is_stopped:
                return None
            stopped = extended.lacks()._replace(is_stopped=True)
            return Scanned(self._name, covered, session.trail.size, stopped)
        finally:
            if self._run == run:
                self.is_running = False
        size = session.trail.size
        return Scanned(self._name, size, size, extended.lacks())

    def close(self) -> None:
        """Stop the scan and end the thread."""
        self._run += 1
        self._reader.close()
