"""A thread beside the screen, for everything that touches a file."""

from __future__ import annotations

import threading
from collections.abc import Callable

Job = Callable[[], None]


class Background:
    """Runs jobs one after the other on a thread of its own; of those waiting under one key only the newest is run.

    Jobs report by messages and raise nothing.
    """

    def __init__(self, name: str) -> None:
        self._waiting: dict[str, Job] = {}
        self._changed = threading.Condition()
        self._is_running = self._is_closed = False
        self._thread = threading.Thread(target=self._work, name=f"logdump {name}", daemon=True)
        self._thread.start()

    def do(self, key: str, job: Job) -> None:
        """Run ``job`` as soon as the jobs before it are done, in place of one that waits under the same key."""
        with self._changed:
            self._waiting.pop(key, None)
            self._waiting[key] = job
            self._changed.notify_all()

    @property
    def ident(self) -> int:
        """The thread's number."""
        return self._thread.ident or 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        with self._changed:
            return not self._waiting and not self._is_running

    def close(self, seconds: float = 0.5) -> None:
        """Drop what waits and end the thread; one that hangs in a read is left alone after ``seconds``."""
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
